//! Journals as requests name them, and their runs.

mod decisions;
mod journal_place;
mod journal_spec;
mod latest_run;
mod named_run;
mod reviewed_run;
mod summary;

pub use decisions::{decisions_by_document, shares_of};
pub use journal_place::JournalPlace;
pub use journal_spec::JournalSpec;
pub use latest_run::{LatestRun, recall, remember};
pub use named_run::{find_run, latest_open};
pub use reviewed_run::{ReviewedRun, profile_of, say_differs};
pub use summary::{summary_of, summary_with_reviews, write_page};
