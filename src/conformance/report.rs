//! What came of each check.

use std::path::PathBuf;

use loopctl_plugin_sdk::protocol::Manifest;
use serde::{Deserialize, Serialize};

/// What came of all checks of one plugin.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Conforms {
    /// The library, with symbolic links resolved.
    #[serde(with = "crate::value::path_serde")]
    pub path: PathBuf,
    /// SHA-256 of its bytes, if it could be read as a plugin.
    pub sha256: Option<String>,
    /// What it says about itself, if it could be read as a plugin.
    pub manifest: Option<Manifest>,
    /// One for each check that is about plugins of its kind, in the order in which they were run.
    pub findings: Vec<Finding>,
}

impl Conforms {
    /// How many checks came to this.
    #[must_use]
    pub(crate) fn count(&self, outcome: Outcome) -> usize {
        self.findings.iter().filter(|finding| finding.outcome == outcome).count()
    }

    /// Whether no check failed, and none had to be left out for want of another.
    #[must_use]
    pub(crate) fn conforms(&self) -> bool {
        self.count(Outcome::Failed) == 0
    }
}

/// What came of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    /// `group.promise`, the same in every version.
    pub id: &'static str,
    /// Whether the promise is kept.
    pub outcome: Outcome,
    /// What the contract asks, in one sentence.
    pub asks: &'static str,
    /// What the plugin did; or why the check was skipped.
    pub found: String,
    /// What to do, if it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<&'static str>,
}

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    /// The promise is kept.
    Passed,
    /// The promise is broken.
    Failed,
    /// It can't be told: what it rests on failed, or doesn't apply.
    Skipped,
}

impl Outcome {
    /// `passed`, `failed` or `skipped`.
    #[must_use]
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}
