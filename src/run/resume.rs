//! The run that goes on with the rest of an earlier one: what is finished in its folder of artifacts is left out.

use super::batch_end::BatchEnd;
use super::provider_gone::unheard;
use crate::disk;
use crate::ingest::Input;
use crate::policy::{FinalStatus, StopReason};
use crate::score::Issue;
use crate::store::{Artifact, Artifacts};
use serde::Deserialize;

/// Largest result that is looked at, in bytes.
const MOST_BYTES: u64 = 64 << 20;

/// Documents that are not tried again.
#[derive(Debug, Default)]
pub(crate) struct Earlier {
    finished: usize,
    passed: usize,
}

/// What a result says of how its document ended.
#[derive(Deserialize)]
struct Ended {
    profile: String,
    final_status: FinalStatus,
    stop_reason: StopReason,
    best_validation: Option<Validation>,
}

#[derive(Deserialize)]
struct Validation {
    issues: Vec<Issue>,
}

impl Earlier {
    /// Leaves out the documents that this profile has finished: those with a result, unless they were stopped, the
    /// provider failed, or a judge for whom nothing stands in.
    pub(crate) fn leave_out(artifacts: &Artifacts, profile: &str, inputs: &mut Vec<Input>) -> Self {
        let mut earlier = Self::default();
        inputs.retain(|input| {
            let file = artifacts.path(input.id(), Artifact::Result);
            // What can't be read is done again.
            let read = disk::read(&file, MOST_BYTES).ok();
            let ended = read.and_then(|bytes| serde_json::from_slice::<Ended>(&bytes).ok());
            let Some(ended) = ended.filter(|ended| ended.profile == profile && !ended.is_unfinished()) else {
                return true;
            };
            earlier.finished += 1;
            earlier.passed += usize::from(ended.final_status.passes());
            false
        });
        earlier
    }

    /// What to say of it, if there is anything.
    pub(crate) fn line(&self, artifacts: &Artifacts) -> Option<String> {
        let folder = artifacts.folder().display();
        match self.finished {
            0 => None,
            1 => Some(format!("1 document skipped: it is already finished in `{folder}`")),
            more => Some(format!("{more} documents skipped: they are already finished in `{folder}`")),
        }
    }

    /// Counts them among what this run came to.
    pub(crate) fn add_to(&self, end: &mut BatchEnd) {
        end.finished += self.finished;
        end.passed += self.passed;
    }
}

impl Ended {
    fn is_unfinished(&self) -> bool {
        let issues = self.best_validation.as_ref().map_or(&[][..], |validation| &validation.issues);
        self.stop_reason == StopReason::ProviderError
            || self.final_status == FinalStatus::Cancelled
            || unheard(issues).is_some()
    }
}
