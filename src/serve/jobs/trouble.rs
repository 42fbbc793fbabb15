//! What keeps the documents of a profile from being worked on.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Why documents of a profile wait, by its name.
#[derive(Debug, Default)]
pub(super) struct Troubles(Mutex<BTreeMap<String, String>>);

impl Troubles {
    /// Its documents wait for this reason.
    pub(super) fn set(&self, profile: &str, why: String) {
        tracing::warn!(event = "profile_waits", profile, why);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(profile.to_owned(), why);
    }

    /// Its documents are worked on.
    pub(super) fn clear(&self, profile: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(profile);
    }

    /// Every profile whose documents wait, and why.
    pub(super) fn all(&self) -> Vec<(String, String)> {
        let troubles = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        troubles.iter().map(|(profile, why)| (profile.clone(), why.clone())).collect()
    }
}
