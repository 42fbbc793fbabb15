//! Compiled profiles of runs, kept for a while: a page of a document needs that of its run.

use crate::profiles::ServedProfiles;
use crate::store::{RunId, StoredRun};
use loopctl_app::profiles::RecordedProfile;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time for which a compiled profile is reused before its files are checked again.
const FRESH: Duration = Duration::from_secs(20);

/// The most profiles that are kept.
const MOST: usize = 8;

/// Profiles of runs.
#[derive(Default)]
pub(super) struct Plans {
    kept: Mutex<Vec<(RunId, Instant, RecordedProfile)>>,
}

impl Plans {
    /// The profile of a run.
    pub(super) fn of_run(&self, source: &ServedProfiles, run: &StoredRun) -> RecordedProfile {
        let lock = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut kept = lock();
            kept.retain(|(_, at, _)| at.elapsed() < FRESH);
            if let Some((.., profile)) = kept.iter().find(|(id, ..)| *id == run.id) {
                return profile.clone();
            }
        }
        let profile = source.of_run(run);
        let mut kept = lock();
        kept.retain(|(id, ..)| *id != run.id);
        if kept.len() >= MOST {
            kept.remove(0);
        }
        kept.push((run.id.clone(), Instant::now(), profile.clone()));
        profile
    }
}
