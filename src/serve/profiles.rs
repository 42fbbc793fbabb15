//! Profiles as the service knows them: by name, with the settings that a submission may lay over them.

use super::tuning::ProfileTuning;
use crate::diag::Problems;
use crate::plan::Plan;
use crate::profile::Reached;
use crate::run::{Candidates, Consultant, OpenError};
use crate::store::StoredRun;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// A profile with what a submission lays over it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct ProfileRequest {
    /// The profile's name; a path is none.
    pub(crate) name: String,
    /// Settings such as `accept.overall=0.9`.
    pub(crate) settings: Vec<String>,
}

impl ProfileRequest {
    /// A profile as it is.
    pub(crate) fn named(name: impl Into<String>) -> Self {
        ProfileRequest { name: name.into(), settings: Vec::new() }
    }
}

/// A profile that can be run.
#[derive(Clone)]
pub(crate) struct CompiledProfile {
    /// The profile with everything that it reaches.
    pub(crate) plan: Arc<Plan>,
    /// Of every file that it reaches beside profiles.
    pub(crate) files_digest: String,
    /// Every file that was looked at, to see whether it is still as it was.
    pub(crate) reached: Reached,
    /// What the record of a run says of it, so that other verbs go on with the run, explain it and try other policies on it.
    pub(crate) settings: Value,
}

impl CompiledProfile {
    /// Whether a file that it reaches is another one by now, or there is one where none was.
    pub(crate) fn has_changed(&self) -> bool {
        !self.reached.clone().changed().is_empty()
    }
}

/// The profile of a run that is in the journal.
#[derive(Clone)]
pub(crate) struct RecordedProfile {
    /// As it is by now; `None` where it can't be used any more.
    pub(crate) plan: Option<Arc<Plan>>,
    /// Why it can't say what the run would: it has changed, is gone, or is not known.
    pub(crate) differs: Option<String>,
}

/// Where profiles come from, and whom they ask.
pub(crate) trait ProfileSource: ProfileTuning + Send + Sync {
    /// The names of all profiles, sorted.
    fn names(&self) -> Vec<String>;

    /// Reads a profile with everything that it reaches.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    fn compile(&self, request: &ProfileRequest) -> Result<CompiledProfile, Problems>;

    /// Everything that is wrong with a profile that is in no file yet.
    fn check_text(&self, yaml: &str) -> Problems;

    /// The profile of a run, as it is by now.
    fn of_run(&self, run: &StoredRun) -> RecordedProfile;

    /// Opens everybody whom a profile asks.
    ///
    /// # Errors
    /// Who can't be asked.
    fn open(&self, plan: &Plan) -> Result<(Candidates, Vec<Consultant>), OpenError>;

    /// Documents at the same time, where nobody says.
    fn usual_jobs(&self, plan: &Plan, candidates: &Candidates, consultants: &[Consultant]) -> usize;
}
