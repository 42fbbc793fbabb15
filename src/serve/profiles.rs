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
    /// The digest of every file that it reaches beside profiles.
    pub(crate) files_digest: String,
    /// Every file that was inspected, to tell whether it is still as it was.
    pub(crate) reached: Reached,
    /// The settings in the record of a run, with which other verbs resume the run, explain it and try other policies on
    /// it.
    pub(crate) settings: Value,
}

impl CompiledProfile {
    /// Returns whether a file that it reaches has changed by now, or has appeared where none was.
    pub(crate) fn has_changed(&self) -> bool {
        !self.reached.clone().changed().is_empty()
    }
}

/// The profile of a run that is in the journal.
#[derive(Clone)]
pub(crate) struct RecordedProfile {
    /// As it is by now; `None` where it can't be used any more.
    pub(crate) plan: Option<Arc<Plan>>,
    /// The reason why it can't say what the run would: it has changed, is gone, or is unknown.
    pub(crate) differs: Option<String>,
}

/// The source of profiles, and of the providers that they ask.
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

    /// Opens every provider and consultant that a profile asks.
    ///
    /// # Errors
    /// The one that can't be asked.
    fn open(&self, plan: &Plan) -> Result<(Candidates, Vec<Consultant>), OpenError>;

    /// The number of documents at the same time, where it is not set.
    fn usual_jobs(&self, plan: &Plan, candidates: &Candidates, consultants: &[Consultant]) -> usize;
}
