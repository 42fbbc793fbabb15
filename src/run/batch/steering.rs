//! A batch that somebody else gives documents to while it runs, and takes documents from.

use crate::store::DocumentKey;
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use tokio::sync::Notify;

/// Keeps a batch open that has nothing left to do, until its session drains, and says what has changed meanwhile.
#[derive(Debug, Default)]
pub struct Steering {
    changed: Notify,
    cancelled: Mutex<HashSet<DocumentKey>>,
}

impl Steering {
    /// Documents wait that did not before.
    pub fn look(&self) {
        self.changed.notify_one();
    }

    /// A document is to be given up. Of one that is not under way nothing comes.
    pub fn cancel(&self, document: DocumentKey) {
        self.cancelled.lock().unwrap_or_else(PoisonError::into_inner).insert(document);
        self.changed.notify_one();
    }

    /// Waits until there is something to look at.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Whether a document is to be given up.
    pub(super) fn is_cancelled(&self, document: DocumentKey) -> bool {
        self.cancelled.lock().unwrap_or_else(PoisonError::into_inner).contains(&document)
    }

    /// A document is over, or is to be tried again.
    pub fn forget(&self, document: DocumentKey) {
        self.cancelled.lock().unwrap_or_else(PoisonError::into_inner).remove(&document);
    }
}
