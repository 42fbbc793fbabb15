//! The contents of the journal, as its callers see them.

#[cfg(feature = "journal")]
use super::{ArtifactName, DocumentKey, DocumentStage, RunStage};
use crate::value::{DocumentId, Millis};
use serde_json::Value;
use std::fmt;
use std::path::PathBuf;

/// The kind of the row that says that a document was resumed: `keeps` is the number of events before it that count. The
/// events after those, such as that someone stopped it, do not count any more.
pub const RESUMED: &str = "resumed";

/// The name of a run: its time of start (UTC) and a number, unique in the journal. Ids sort by time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(String);

impl RunId {
    /// An id from outside, such as an argument of the command line.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        RunId(id.into())
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The facts that are known when a run begins, and needed to resume it. Secrets have no place here.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    /// The time of its start, as RFC 3339.
    pub started_at: String,
    /// Name of the profile.
    pub profile: String,
    /// Digest of the checked profile: a resumed run must have the same.
    pub profile_digest: String,
    /// Version of loopctl.
    pub loopctl_version: String,
    /// Names, versions and digests of the plugins, as JSON.
    pub plugins: Value,
    /// Anything else that the caller needs to resume it: overrides, output folder.
    pub settings: Value,
}

#[cfg(feature = "journal")]
/// A run in the journal.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StoredRun {
    /// Its id.
    pub id: RunId,
    /// The record of its beginning.
    pub record: RunRecord,
    /// The time at which it ended, as RFC 3339; `None` while it is in progress and after a crash.
    pub finished_at: Option<String>,
    /// The number of documents that it began.
    pub documents: u64,
    /// The number of these that are over: finished, or failed.
    pub finished_documents: u64,
    /// Its stage.
    pub stage: RunStage,
    /// `true` if every input is among its documents.
    pub listed: bool,
}

/// The facts that are known when a document begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentRecord {
    /// Its id, unique in the run.
    pub id: DocumentId,
    /// Its type.
    pub document_type: String,
    /// SHA-256 of its bytes, in hexadecimal: a resumed document must have the same.
    pub source_digest: String,
    /// Its file, if it has one.
    pub path: Option<PathBuf>,
}

#[cfg(feature = "journal")]
/// A document in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredDocument {
    /// Its key in the journal.
    pub key: DocumentKey,
    /// The record of its beginning. A path that is not Unicode comes back with replacement characters.
    pub record: DocumentRecord,
    /// The number of its events.
    pub events: u64,
    /// `true` if it is over: finished, or failed.
    pub finished: bool,
    /// Its stage.
    pub stage: DocumentStage,
    /// The number of times that a process began to work on it.
    pub attempts: u32,
    /// The reason why it has no result of its own.
    pub reason: Option<String>,
    /// Its files in the folder of artifacts.
    pub artifact: Option<ArtifactName>,
}

/// An answer that came and was not processed before its process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnswer {
    /// The call of the document.
    pub call: String,
    /// SHA-256 of the question.
    pub question: Vec<u8>,
    /// The answer, as it was received.
    pub answer: Vec<u8>,
}

/// One event of a document.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StoredEvent {
    /// Its position among the document's events: 0, 1, 2, …
    pub seq: u64,
    /// The time, counted from the start of the document's loop.
    pub at: Millis,
    /// The kind of event.
    pub kind: String,
    /// The event.
    pub payload: Value,
}
