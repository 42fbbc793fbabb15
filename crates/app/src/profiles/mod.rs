//! Profiles as users and records of runs select them: found, read with settings laid over them, and compared with those
//! of earlier runs.

mod listed;
mod located;
mod reached;
mod recorded_profile;
mod recorded_run;
mod selected;
mod shadows;

pub use listed::{ListedProfile, list_profiles, profile_list_text};
pub use located::LocatedProfile;
pub use reached::ReachedProfile;
pub use recorded_profile::RecordedProfile;
pub use recorded_run::{RecordedRun, TrialError};
pub use selected::SelectedProfile;
pub use shadows::changed_by;
