//! Views of documents that the access log has: the pictures of a document's pages are part of one.

use crate::store::DocumentKey;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time for which what belongs to a view is not logged again.
const LASTS: Duration = Duration::from_secs(30 * 60);

/// The most views that are remembered. Those before them are logged again.
const MOST: usize = 1_024;

/// The latest views, each by its reviewer and document.
#[derive(Default)]
pub(super) struct LoggedViews(Mutex<Vec<(String, DocumentKey, Instant)>>);

impl LoggedViews {
    /// Remembers that a reviewer opened the page of a document.
    pub(super) fn opened(&self, reviewer: &str, document: DocumentKey) {
        let mut views = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        views.retain(|(who, what, at)| at.elapsed() < LASTS && (who != reviewer || *what != document));
        if views.len() >= MOST {
            views.remove(0);
        }
        views.push((reviewer.to_owned(), document, Instant::now()));
    }

    /// Returns whether a reviewer opened the page of a document a short while ago.
    pub(super) fn has(&self, reviewer: &str, document: DocumentKey) -> bool {
        let views = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        views.iter().any(|(who, what, at)| who == reviewer && *what == document && at.elapsed() < LASTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_is_one_reviewers_of_one_document() {
        let views = LoggedViews::default();
        views.opened("ada", DocumentKey(1));
        assert!(views.has("ada", DocumentKey(1)));
        assert!(!views.has("bob", DocumentKey(1)) && !views.has("ada", DocumentKey(2)));
        (0..i64::try_from(MOST).unwrap()).for_each(|other| views.opened("bob", DocumentKey(other)));
        assert!(!views.has("ada", DocumentKey(1)), "the oldest is forgotten");
    }
}
