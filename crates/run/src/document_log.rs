//! The record of one document, in the order of events.
//!
//! An answer to a call is kept, and waited for until the disk has it, before it is inspected. What follows from it (the
//! candidate, the assessment, the decision) would come out the same again, so it is written on the way to the next
//! call, together, without being waited for.

use crate::engine::Event;
use crate::provider::AnswerStore;
#[cfg(all(feature = "journal", feature = "network"))]
use crate::store::PostponedCall;
use crate::store::{DocumentKey, DocumentStage, EventLog, LogEntry, Receipt, StoreError};
use crate::value::Millis;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Keeps what happens to one document. Clones keep for the same document.
#[derive(Debug, Clone)]
pub(super) struct DocumentLog {
    log: Arc<dyn EventLog>,
    document: DocumentKey,
    state: Arc<Mutex<LogState>>,
}

#[derive(Debug, Default)]
struct LogState {
    /// The position of the next event.
    next: u64,
    /// Entries not written yet.
    waiting: Vec<LogEntry>,
    /// Entries that are written, and maybe not on the disk yet.
    written: Vec<Receipt>,
    /// Answers that nothing has come of yet, by call.
    unconsumed: Vec<String>,
    /// Calls that wait for a batch.
    postponed: Vec<String>,
    /// Answers that an earlier process kept.
    earlier: BTreeMap<String, (Vec<u8>, Vec<u8>)>,
    /// The error after which nothing more is kept.
    failed: Option<StoreError>,
}

impl DocumentLog {
    pub(super) fn new(log: Arc<dyn EventLog>, document: DocumentKey) -> Self {
        DocumentLog { log, document, state: Arc::default() }
    }

    /// Resumes a document that was begun before: the position of its next event, and the answers that nothing has come
    /// of yet, with their questions, by call.
    pub(super) fn resume(&self, next: u64, earlier: BTreeMap<String, (Vec<u8>, Vec<u8>)>) {
        let mut state = self.state();
        state.next = next;
        state.unconsumed = earlier.keys().cloned().collect();
        state.earlier = earlier;
    }

    fn state(&self) -> MutexGuard<'_, LogState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that the document was read.
    pub(super) fn begun(&self, document_type: &str, source_digest: &str) {
        self.state().waiting.push(LogEntry::Begun {
            document_type: document_type.to_owned(),
            source_digest: source_digest.to_owned(),
        });
    }

    /// Records an event.
    ///
    /// # Errors
    /// When something before it could not be kept.
    pub(super) fn happened(&self, at: Millis, event: &Event, payload: String) -> Result<(), StoreError> {
        let mut state = self.state();
        if let Some(error) = state.failed.take() {
            return Err(error);
        }
        state.event(at, event.kind(), payload);
        if let Some(of) = answered_by(event) {
            let (consumed, left) =
                std::mem::take(&mut state.unconsumed).into_iter().partition(|call| call.starts_with(&of));
            state.unconsumed = left;
            state.waiting.extend(consumed.into_iter().map(|call| LogEntry::Consumed { call }));
        }
        Ok(())
    }

    /// Records a remark of the driver's own among the events.
    pub(super) fn remark(&self, at: Millis, kind: &'static str, payload: String) {
        self.state().event(at, kind, payload);
    }

    /// Writes the waiting entries, without waiting for the disk.
    pub(super) fn flush(&self) {
        let mut state = self.state();
        if !state.waiting.is_empty() {
            let entries = std::mem::take(&mut state.waiting);
            let receipt = self.log.write(self.document, entries);
            state.written.push(receipt);
        }
    }

    /// Writes the waiting entries, and waits until everything is on the disk.
    ///
    /// # Errors
    /// When something could not be kept.
    pub(super) async fn settle(&self) -> Result<(), StoreError> {
        self.flush();
        let (failed, written) = {
            let mut state = self.state();
            (state.failed.take(), std::mem::take(&mut state.written))
        };
        if let Some(error) = failed {
            return Err(error);
        }
        for receipt in written {
            receipt.await?;
        }
        Ok(())
    }

    /// Records how it ended, with its result as JSON if it has one, and waits until that is on the disk.
    ///
    /// # Errors
    /// When something could not be kept.
    pub(super) async fn end(
        &self,
        stage: DocumentStage,
        reason: Option<String>,
        outcome: Option<String>,
    ) -> Result<(), StoreError> {
        self.state().waiting.push(LogEntry::Ended { stage, reason, outcome });
        self.settle().await
    }

    /// Records that a call waits for a batch; with what is sent, if that is not known yet.
    #[cfg(all(feature = "journal", feature = "network"))]
    pub(super) fn postpone(&self, call: String, sent: Option<PostponedCall>) {
        let mut state = self.state();
        state.waiting.extend(sent.map(|sent| LogEntry::Postponed(Box::new(sent))));
        state.postponed.push(call);
    }

    /// Records by how much less, in US dollars, a call cost that a batch answered.
    #[cfg(all(feature = "journal", feature = "network"))]
    pub(super) fn saved(&self, call: &str, usd: f64) {
        self.state().waiting.push(LogEntry::Saved { call: call.to_owned(), usd });
    }

    /// Leaves the document until the calls that wait for a batch are answered, and waits until that is on the disk.
    ///
    /// # Errors
    /// When something could not be kept.
    pub(super) async fn park(&self) -> Result<(), StoreError> {
        {
            let mut state = self.state();
            let calls = std::mem::take(&mut state.postponed);
            state.waiting.push(LogEntry::Parked { calls });
        }
        self.settle().await
    }

    /// The store of the answer to a call of the document.
    pub(super) fn answers_to(&self, call: String) -> Option<Arc<dyn AnswerStore>> {
        let keeps = self.log.is_durable() || !self.state().earlier.is_empty();
        keeps.then(|| Arc::new(CallAnswers { log: self.clone(), call }) as Arc<dyn AnswerStore>)
    }
}

impl LogState {
    fn event(&mut self, at: Millis, kind: &'static str, payload: String) {
        self.waiting.push(LogEntry::Happened { seq: self.next, at, kind: kind.into(), payload });
        self.next += 1;
    }
}

/// For an event that comes of an answer, the beginning of the name of the call that it answers.
fn answered_by(event: &Event) -> Option<String> {
    match event {
        Event::Produced { .. } | Event::Staged { .. } | Event::Failed { .. } => Some("stage ".to_owned()),
        Event::Consulted { member, .. } | Event::Unanswered { member, .. } => {
            Some(format!("member {member} "))
        }
        Event::Started
        | Event::Unreadable { .. }
        | Event::Called(_)
        | Event::Supplied { .. }
        | Event::Assembled { .. }
        | Event::Waiting { .. }
        | Event::Woke
        | Event::Assessed { .. }
        | Event::Concluded { .. }
        | Event::Decided(_)
        | Event::Stopped { .. }
        | Event::Finished(_) => None,
    }
}

/// The answers to one call.
#[derive(Debug)]
struct CallAnswers {
    log: DocumentLog,
    call: String,
}

impl AnswerStore for CallAnswers {
    fn kept(&self, question: &[u8]) -> Option<Vec<u8>> {
        let mut state = self.log.state();
        // An answer to another question stays: it may be one of a batch, or one that did not come with any.
        let fits = state.earlier.get(&self.call).is_some_and(|(asked, _)| asked == question);
        fits.then(|| state.earlier.remove(&self.call)).flatten().map(|(_, answer)| answer)
    }

    fn keep(&self, question: Vec<u8>, answer: Vec<u8>) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        let receipt = {
            let mut state = self.log.state();
            let mut entries = std::mem::take(&mut state.waiting);
            entries.push(LogEntry::Answered { call: self.call.clone(), question, answer });
            state.unconsumed.push(self.call.clone());
            self.log.log.write(self.log.document, entries)
        };
        Box::pin(async move {
            if let Err(error) = receipt.await {
                self.log.state().failed.get_or_insert(error);
            }
        })
    }
}
