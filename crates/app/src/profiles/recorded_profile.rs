//! The present profile of a recorded run.

use super::LocatedProfile;
use crate::context::Context;
use crate::diag::Problems;
use crate::plan::Plan;
use crate::profile::FileTracker;
use crate::requests::RunIdentity;
use crate::store::StoredRun;
use crate::value::sanitize_line;
use std::path::Path;
use std::sync::Arc;

/// The profile of a run that is in the journal.
#[derive(Debug, Clone)]
pub struct RecordedProfile {
    /// The plan of the present profile; `None` where it can't be used any more.
    pub plan: Option<Arc<Plan>>,
    /// The reason why it can't say what the run would: it has changed, is gone, or is unknown.
    pub differs: Option<String>,
}

impl RecordedProfile {
    /// Reads the profile of a run, from the folder in which the run began. Its problems are pushed.
    pub fn of_run(context: &Context, run: &StoredRun, problems: &mut Problems) -> Self {
        let gone = |differs: String| RecordedProfile { plan: None, differs: Some(differs) };
        let Some(LocatedProfile { profile, library }) = LocatedProfile::of(context, &run.record.settings)
        else {
            return gone("the journal does not say which profile the run had".to_owned());
        };
        let name = sanitize_line(&run.record.profile);
        let notes = FileTracker::default();
        let Some(plan) = profile.compile(context, &library.noted_in(&notes), &[], problems) else {
            return gone(format!("the profile `{name}` can't be used any more"));
        };
        let files_digest = notes.take().digest(Path::new(profile.name()));
        let identity = RunIdentity {
            profile_digest: &plan.profile.digest,
            files_digest: Some(&files_digest),
            texts_digest: None,
        };
        let was = RunIdentity::of_record(&run.record.profile_digest, &run.record.settings);
        let differs = (!identity.decides_as(&was))
            .then(|| format!("the profile `{name}`, or a file that it reaches, has changed since the run"));
        RecordedProfile { plan: Some(Arc::new(plan)), differs }
    }
}
