//! Reviews of a run: the documents that wait for a person, files that reviewers fill in, and their decisions.

mod document;
mod export;
mod import;
mod queue;

pub use document::{DocumentUnderReview, ReviewShowRequest, document_under_review};
pub use export::{ReviewContent, ReviewExportRequest, export_reviews};
pub use import::{ImportAnswer, ImportRequest, import_decisions};
pub use queue::{ReviewQueue, ReviewQueueRequest, review_queue};

use crate::value::prose::plural;

/// A number of things, with its digits together.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {}", plural(count as u64, what))
}
