//! The log that the events of a run go to while it is in progress.

use super::{DocumentRecord, Receipt, RunId, StoreError};
use crate::value::Millis;
use std::borrow::Cow;
use std::fmt;

/// A document in its log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentKey(pub i64);

/// The progress of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DocumentStage {
    /// No one works on it yet, or not any more.
    Waiting,
    /// A process works on it.
    Running,
    /// It waits for answers that come with a batch of a vendor.
    Parked,
    /// It has its result, and everyone who was asked for it answered.
    Finished,
    /// It has no result, or one without a provider's or judge's answer, and another attempt needs a decision by a person.
    Failed,
    /// It was left before its end, because the run was stopped. The run continues with it when it is resumed.
    GivenUp,
}

impl DocumentStage {
    /// Every stage, in the order of a document's life.
    pub const ALL: [DocumentStage; 6] = [
        DocumentStage::Waiting,
        DocumentStage::Running,
        DocumentStage::Parked,
        DocumentStage::Finished,
        DocumentStage::Failed,
        DocumentStage::GivenUp,
    ];

    /// The stages of documents with which a run is resumed.
    pub const LEFT: [DocumentStage; 4] =
        [DocumentStage::Waiting, DocumentStage::Running, DocumentStage::Parked, DocumentStage::GivenUp];

    /// Its name, for people and programs: `given_up`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            DocumentStage::Waiting => "waiting",
            DocumentStage::Running => "running",
            DocumentStage::Parked => "parked",
            DocumentStage::Finished => "finished",
            DocumentStage::Failed => "failed",
            DocumentStage::GivenUp => "given_up",
        }
    }
}

/// An entry of a document.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum LogEntry {
    /// It was read: its type, and the SHA-256 of its bytes.
    Begun {
        /// Its type.
        document_type: String,
        /// In hexadecimal.
        source_digest: String,
    },
    /// Something happened.
    Happened {
        /// Its position among the document's events: 0, 1, 2, …
        seq: u64,
        /// The time, counted from the start of the document's loop.
        at: Millis,
        /// The kind of event.
        kind: Cow<'static, str>,
        /// The event as JSON.
        payload: String,
    },
    /// A call was answered, and the answer has not been processed.
    Answered {
        /// The call of the document.
        call: String,
        /// SHA-256 of the question.
        question: Vec<u8>,
        /// The answer, as it was received.
        answer: Vec<u8>,
    },
    /// The outcome of the answer to a call is among the events.
    Consumed {
        /// The call of the document.
        call: String,
    },
    /// A call waits for a batch. One that waits already, or was sent, is not changed.
    Postponed(Box<PostponedCall>),
    /// It waits for the answers to these calls, and to no others.
    Parked {
        /// The calls of the document.
        calls: Vec<String>,
    },
    /// The answer to a call came with a batch, and cost so much less, in US dollars.
    Saved {
        /// The call of the document.
        call: String,
        /// The difference to the same call made alone.
        usd: f64,
    },
    /// It is over, or left.
    Ended {
        /// Its final stage.
        stage: DocumentStage,
        /// The reason, where it has no result of its own.
        reason: Option<String>,
        /// Its result as JSON; without it an earlier one is kept.
        outcome: Option<String>,
    },
}

/// A call as a line of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostponedCall {
    /// The call of the document.
    pub call: String,
    /// Distinguishes the line from all others.
    pub custom_id: String,
    /// The provider that is asked: lines of one batch are of one provider.
    pub provider: String,
    /// The other properties that lines of one batch have in common, as JSON.
    pub group: String,
    /// SHA-256 of the question.
    pub question: Vec<u8>,
    /// The line.
    pub line: Vec<u8>,
}

/// Keeps events. Entries of one document are kept in the order in which they were written, so that a receipt that
/// resolves is valid for all before it.
pub trait EventLog: fmt::Debug + Send + Sync {
    /// Returns whether kept entries survive the process.
    fn is_durable(&self) -> bool {
        false
    }

    /// Records that a document of a run begins that is not among its inputs.
    fn begin_document(&self, run: &RunId, document: &DocumentRecord) -> Receipt<DocumentKey>;

    /// Keeps entries of a document: all of them or none.
    fn write(&self, document: DocumentKey, entries: Vec<LogEntry>) -> Receipt;

    /// Records that a run ended, at a time as RFC 3339.
    ///
    /// # Errors
    /// When it can't be kept.
    fn finish_run(&self, run: &RunId, finished_at: &str) -> Result<(), StoreError>;
}

/// Keeps nothing: a run can't be resumed, and is explained by its results alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoJournal;

impl EventLog for NoJournal {
    fn begin_document(&self, _: &RunId, _: &DocumentRecord) -> Receipt<DocumentKey> {
        Receipt::known(Ok(DocumentKey(0)))
    }

    fn write(&self, _: DocumentKey, _: Vec<LogEntry>) -> Receipt {
        Receipt::known(Ok(()))
    }

    fn finish_run(&self, _: &RunId, _: &str) -> Result<(), StoreError> {
        Ok(())
    }
}
