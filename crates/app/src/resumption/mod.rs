//! Runs resumed: the run that is meant, and what the user who resumes it permits.

mod permission;
mod reach;
mod run_selection;

pub use permission::{Permission, Permissions, say_where_documents_go};
pub use reach::ResumeReach;
pub use run_selection::{PolicyIdentity, ResumeOverrides, RunSelection, SelectedRun, choose};
