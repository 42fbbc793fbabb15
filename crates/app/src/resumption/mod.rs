//! Runs resumed: the run that is meant, and what the user who resumes it permits.

mod permission;
mod reach;
mod resumed_run;
mod run_selection;

pub use permission::{Permissions, say_where_documents_go};
use reach::ResumeReach;
pub use resumed_run::ResumedRun;
pub use run_selection::{RunSelection, SelectedRun, choose};
