//! The reasons why there is no work on the documents of a profile.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The reasons why documents of profiles wait, by the profile's name.
#[derive(Debug, Default)]
pub(super) struct ProfileErrors(Mutex<BTreeMap<String, String>>);

impl ProfileErrors {
    /// Records that its documents wait for this reason.
    pub(super) fn set(&self, profile: &str, why: String) {
        tracing::warn!(target: "loopctl", event = "profile_waits", profile, why);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(profile.to_owned(), why);
    }

    /// Records that its documents are worked on.
    pub(super) fn clear(&self, profile: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(profile);
    }

    /// Every profile whose documents wait, and why.
    pub(super) fn all(&self) -> Vec<(String, String)> {
        let profile_errors = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        profile_errors.iter().map(|(profile, why)| (profile.clone(), why.clone())).collect()
    }
}
