//! A batch that is given documents from outside while it runs, and from which they are taken.

use crate::store::DocumentKey;
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use tokio::sync::Notify;

/// Keeps a batch open that has nothing left to do, until its session drains, and reports what has changed meanwhile.
#[derive(Debug, Default)]
pub struct Steering {
    changed: Notify,
    cancelled: Mutex<HashSet<DocumentKey>>,
}

impl Steering {
    /// Reports that documents wait that did not before.
    pub fn look(&self) {
        self.changed.notify_one();
    }

    /// Requests that a document be given up. Nothing comes of one that is not in flight.
    pub fn cancel(&self, document: DocumentKey) {
        self.cancelled.lock().unwrap_or_else(PoisonError::into_inner).insert(document);
        self.changed.notify_one();
    }

    /// Waits until there is something to inspect.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Returns whether a document is to be given up.
    pub(super) fn is_cancelled(&self, document: DocumentKey) -> bool {
        self.cancelled.lock().unwrap_or_else(PoisonError::into_inner).contains(&document)
    }

    /// Drops the request: the document is over, or is to be tried again.
    pub fn forget(&self, document: DocumentKey) {
        self.cancelled.lock().unwrap_or_else(PoisonError::into_inner).remove(&document);
    }
}
