//! The basis that a certificate is bound to: everything that decides how a document is made and scored.

use crate::profile::{Profile, Reached};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The policy under which documents were made and scored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Basis {
    /// The profile's name.
    pub profile: String,
    /// SHA-256 of each top-level setting that decides about a document (all but `name`, `description`, `extends`, `budget`, `review`
    /// and `certify`).
    pub settings: BTreeMap<String, String>,
    /// The files of rules, prompts, schemas and scripts that the profile reads. The version covers those that ship with
    /// loopctl.
    pub files: Vec<FileDigest>,
    /// The version of loopctl.
    pub loopctl_version: String,
    /// The service and model that each stage and judge asks, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub providers: Option<Value>,
    /// The plugins that ask them, with their digests, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plugins: Option<Value>,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileDigest {
    /// Its name, without folders.
    pub name: String,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
}

impl Basis {
    /// The basis of a profile, with what loading and compiling it read. `named` is the profile, if it is named by its
    /// path.
    #[must_use]
    pub fn of(profile: &Profile, reached: &Reached, named: &Path) -> Self {
        let file = |(name, sha256): (String, String)| FileDigest { name, sha256 };
        Basis {
            profile: profile.name.clone(),
            settings: profile.setting_digests.clone(),
            files: reached.digests(named).into_iter().map(file).collect(),
            loopctl_version: env!("CARGO_PKG_VERSION").to_owned(),
            providers: None,
            plugins: None,
        }
    }

    /// Adds the services and models that are asked, and the plugins that ask them.
    #[must_use]
    pub fn asking(self, providers: Value, plugins: Value) -> Self {
        Basis { providers: Some(providers), plugins: Some(plugins), ..self }
    }

    /// The differences in `later`, each in a few words such as `the setting accept`; empty if all is the same.
    /// Providers and plugins that only one of the two knows are not compared.
    #[must_use]
    pub fn changes(&self, later: &Basis) -> Vec<String> {
        let mut changes = Vec::new();
        let keys: BTreeSet<&String> = self.settings.keys().chain(later.settings.keys()).collect();
        for key in keys {
            if self.settings.get(key) != later.settings.get(key) {
                changes.push(format!("the setting `{key}`"));
            }
        }
        let files = |of: &Basis, other: &Basis| -> BTreeSet<String> {
            of.files.iter().filter(|file| !other.files.contains(file)).map(|file| file.name.clone()).collect()
        };
        for name in files(self, later).union(&files(later, self)) {
            changes.push(format!("the file `{name}`"));
        }
        if self.loopctl_version != later.loopctl_version {
            changes.push(format!("loopctl ({} is now {})", self.loopctl_version, later.loopctl_version));
        }
        let differ = |before: &Option<Value>, after: &Option<Value>| matches!((before, after), (Some(before), Some(after)) if before != after);
        if differ(&self.providers, &later.providers) {
            changes.push("the models".to_owned());
        }
        if differ(&self.plugins, &later.plugins) {
            changes.push("the provider plugins".to_owned());
        }
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_kind_of_change_is_named_and_what_one_does_not_know_is_none() {
        let before = Basis {
            profile: "clinic".into(),
            settings: [("accept", "1"), ("stages", "2")].map(|(k, v)| (k.to_owned(), v.to_owned())).into(),
            files: vec![FileDigest { name: "extract.md".into(), sha256: "a".into() }],
            loopctl_version: "1.0.0".into(),
            providers: Some(json!(["small"])),
            plugins: None,
        };
        assert_eq!(before.changes(&before), Vec::<String>::new());
        let mut later = before.clone();
        later.settings.insert("accept".into(), "3".into());
        later.settings.insert("gate".into(), "4".into());
        later.files = vec![FileDigest { name: "extract.md".into(), sha256: "b".into() }];
        later.loopctl_version = "1.1.0".into();
        later.providers = Some(json!(["large"]));
        later.plugins = Some(json!([]));
        let expected = [
            "the setting `accept`",
            "the setting `gate`",
            "the file `extract.md`",
            "loopctl (1.0.0 is now 1.1.0)",
            "the models",
        ];
        assert_eq!(before.changes(&later), expected);
    }
}
