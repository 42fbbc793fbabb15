//! The identity of the policy that decides about the documents of a run.

use serde_json::Value;

/// The keys of a run's settings for its digests.
pub const FILES_DIGEST: &str = "files_digest";
/// The key for [`RunIdentity::texts_digest`].
pub const TEXTS_DIGEST: &str = "texts_digest";

/// The digests of everything that decides about documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunIdentity<'a> {
    /// The digest of the profile with the settings laid over it.
    pub profile_digest: &'a str,
    /// The digest of every file that the profile reaches; `None` if a record lacks it.
    pub files_digest: Option<&'a str>,
    /// The digest of both, with prompts by their texts, regardless of file names.
    pub texts_digest: Option<&'a str>,
}

impl<'a> RunIdentity<'a> {
    /// The identity that a run's record gives.
    pub fn of_record(profile_digest: &'a str, settings: &'a Value) -> Self {
        let text = |key: &str| settings.get(key).and_then(Value::as_str);
        RunIdentity { profile_digest, files_digest: text(FILES_DIGEST), texts_digest: text(TEXTS_DIGEST) }
    }

    /// Returns whether documents are decided as those of a recorded run were.
    pub fn decides_as(&self, recorded: &RunIdentity<'_>) -> bool {
        self.profile_digest == recorded.profile_digest
            && recorded.files_digest.is_none_or(|digest| self.files_digest == Some(digest))
    }

    /// Returns whether candidates are asked for and measured as those of a recorded run were; this also holds if only
    /// prompt files have other names.
    pub fn asks_as(&self, recorded: &RunIdentity<'_>) -> bool {
        self.decides_as(recorded)
            || recorded.texts_digest.is_some_and(|digest| self.texts_digest == Some(digest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_policy_is_the_same_by_its_digests_and_prompts_by_their_texts() {
        let settings = json!({"files_digest": "f", "texts_digest": "t"});
        let recorded = RunIdentity::of_record("p", &settings);
        let now = |profile_digest, files, texts| RunIdentity {
            profile_digest,
            files_digest: Some(files),
            texts_digest: Some(texts),
        };
        assert!(now("p", "f", "x").decides_as(&recorded));
        assert!(!now("p", "g", "t").decides_as(&recorded) && now("p", "g", "t").asks_as(&recorded));
        assert!(!now("q", "f", "x").asks_as(&recorded));
        // A record without digests is decided by the profile.
        let none = json!({});
        assert!(now("p", "f", "x").decides_as(&RunIdentity::of_record("p", &none)));
    }
}
