//! The progress of reading a long file.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// The page that OCR has come to, among those of a document that it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadingProgress {
    /// The number of pages that were begun. Several are read at the same time, in any order.
    pub page: usize,
    /// The number of pages that are read.
    pub pages: usize,
}

impl fmt::Display for ReadingProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "reading page {} of {}", self.page, self.pages)
    }
}

/// Is told each page that is begun, on any thread.
#[derive(Clone)]
pub(super) struct ReadingObserver(Arc<dyn Fn(ReadingProgress) + Send + Sync>);

impl ReadingObserver {
    pub(super) fn new(tell: impl Fn(ReadingProgress) + Send + Sync + 'static) -> Self {
        ReadingObserver(Arc::new(tell))
    }

    pub(super) fn tell(&self, progress: ReadingProgress) {
        (self.0)(progress);
    }
}

impl fmt::Debug for ReadingObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReadingObserver")
    }
}
