//! Files that are read at the moment, and the pages that OCR has come to.

use crate::ingest::ReadingProgress;
use crate::store::RunId;
use crate::value::DocumentId;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The pages of the documents that are read at the moment.
#[derive(Debug, Default)]
pub(crate) struct Readings(Mutex<HashMap<(RunId, DocumentId), ReadingProgress>>);

impl Readings {
    /// Keeps the page that a document has come to.
    pub(super) fn set(&self, run: &RunId, document: &DocumentId, page: ReadingProgress) {
        let mut readings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        readings.insert((run.clone(), document.clone()), page);
    }

    /// Drops a document that has been read.
    pub(super) fn end(&self, run: &RunId, document: &DocumentId) {
        let mut readings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        readings.remove(&(run.clone(), document.clone()));
    }

    /// Drops all documents of a run: no one works on them any more.
    pub(super) fn end_all(&self, run: &RunId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|(of, _), _| of != run);
    }

    /// The page that a document has come to, while it is read.
    pub(crate) fn of(&self, run: &RunId, document: &DocumentId) -> Option<ReadingProgress> {
        let readings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        readings.get(&(run.clone(), document.clone())).copied()
    }
}
