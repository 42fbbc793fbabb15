//! Files that reviewers fill in, and their decisions.

mod export;
mod import;

pub use export::{ReviewContent, ReviewExportRequest, export_reviews};
pub use import::{ImportAnswer, ImportRequest, import_decisions};

use crate::value::prose::plural;

/// A number of things, with its digits together.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {}", plural(count as u64, what))
}
