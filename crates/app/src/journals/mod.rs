//! Journals as requests name them, and their runs.

mod decisions;
mod journal_place;
mod journal_spec;
mod latest_run;
mod merged_files;
mod named_run;
mod reviewed_run;
mod run_changes;
mod run_list;
mod summary;

pub use decisions::{decisions_by_document, shares_of};
pub use journal_place::JournalPlace;
pub use journal_spec::JournalSpec;
pub use latest_run::{LatestRun, recall, remember};
pub use merged_files::{merged_file, merged_files};
pub use named_run::{find_run, latest_open};
pub use reviewed_run::{ReviewedRun, profile_of, say_differs};
pub use run_changes::{PruneRequest, RetryRequest, prune_runs, retry_documents};
pub use run_list::{RunResults, RunShowRequest, list_runs, processes_at_work, run_json, show_run};
pub use summary::{summary_of, summary_with_reviews, write_page};
