//! Where the events of a run go while it goes on.

#[cfg(feature = "journal")]
use super::Journal;
use super::{DocumentRecord, RunId, StoreError};
use crate::value::{DocumentId, Millis};
use serde_json::Value;
use std::fmt;

/// Keeps every event before it is acted upon. Calls may wait for a disk, so the driver makes them on a thread that may.
pub trait EventLog: fmt::Debug + Send + Sync {
    /// Records that a document of a run begins.
    ///
    /// # Errors
    /// When it can't be kept.
    fn begin_document(&self, run: &RunId, document: &DocumentRecord) -> Result<(), StoreError>;

    /// Adds an event to a document.
    ///
    /// # Errors
    /// When it can't be kept.
    fn append(
        &self,
        run: &RunId,
        document: &DocumentId,
        at: Millis,
        kind: &str,
        payload: &Value,
    ) -> Result<(), StoreError>;

    /// Records how a document ended.
    ///
    /// # Errors
    /// When it can't be kept.
    fn finish_document(&self, run: &RunId, document: &DocumentId, outcome: &Value) -> Result<(), StoreError>;

    /// Records that a run ended, at a time as RFC 3339.
    ///
    /// # Errors
    /// When it can't be kept.
    fn finish_run(&self, run: &RunId, finished_at: &str) -> Result<(), StoreError>;
}

/// Keeps nothing: a run can't be gone on with, and is explained by its results alone.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct NoJournal;

impl EventLog for NoJournal {
    fn begin_document(&self, _: &RunId, _: &DocumentRecord) -> Result<(), StoreError> {
        Ok(())
    }

    fn append(&self, _: &RunId, _: &DocumentId, _: Millis, _: &str, _: &Value) -> Result<(), StoreError> {
        Ok(())
    }

    fn finish_document(&self, _: &RunId, _: &DocumentId, _: &Value) -> Result<(), StoreError> {
        Ok(())
    }

    fn finish_run(&self, _: &RunId, _: &str) -> Result<(), StoreError> {
        Ok(())
    }
}

#[cfg(feature = "journal")]
impl EventLog for Journal {
    fn begin_document(&self, run: &RunId, document: &DocumentRecord) -> Result<(), StoreError> {
        self.begin_document(run, document)
    }

    fn append(
        &self,
        run: &RunId,
        document: &DocumentId,
        at: Millis,
        kind: &str,
        payload: &Value,
    ) -> Result<(), StoreError> {
        self.append(run, document, at, kind, payload).map(|_| ())
    }

    fn finish_document(&self, run: &RunId, document: &DocumentId, outcome: &Value) -> Result<(), StoreError> {
        self.finish_document(run, document, outcome)
    }

    fn finish_run(&self, run: &RunId, finished_at: &str) -> Result<(), StoreError> {
        self.finish_run(run, finished_at)
    }
}
