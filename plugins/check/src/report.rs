//! The outcome of each check.

use std::path::PathBuf;

use loopctl_plugin_sdk::protocol::Manifest;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::value::path_text;

/// The outcome of all checks of one plugin.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConformanceReport {
    /// The library, with symbolic links resolved.
    #[serde(with = "crate::value::path_serde")]
    pub path: PathBuf,
    /// SHA-256 of its bytes, if it could be read as a plugin.
    pub sha256: Option<String>,
    /// The plugin's description of itself, if it could be read as a plugin.
    pub manifest: Option<Manifest>,
    /// One for each check that is about plugins of its kind, in the order in which they were run.
    pub findings: Vec<CheckFinding>,
}

impl ConformanceReport {
    /// The number of checks with this outcome.
    #[must_use]
    pub fn count(&self, outcome: CheckOutcome) -> usize {
        self.findings.iter().filter(|finding| finding.outcome == outcome).count()
    }

    /// The report for programs.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "conforms": self.conforms(),
            "path": path_text(&self.path),
            "sha256": self.sha256,
            "manifest": self.manifest,
            "passed": self.count(CheckOutcome::Passed),
            "failed": self.count(CheckOutcome::Failed),
            "skipped": self.count(CheckOutcome::Skipped),
            "checks": self.findings,
        })
    }

    /// Returns whether no check failed. Skipped checks don't count.
    #[must_use]
    pub fn conforms(&self) -> bool {
        self.count(CheckOutcome::Failed) == 0
    }
}

/// The outcome of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckFinding {
    /// `group.promise`, the same in every version.
    pub id: &'static str,
    /// The outcome: whether the promise is kept.
    pub outcome: CheckOutcome,
    /// The contract's demand, in one sentence.
    pub asks: &'static str,
    /// The plugin's behaviour, or the reason why the check was skipped.
    pub found: String,
    /// Advice on what to do, if it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<&'static str>,
}

/// The outcome of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckOutcome {
    /// The promise is kept.
    Passed,
    /// The promise is broken.
    Failed,
    /// It can't be determined: what it rests on failed, or doesn't apply.
    Skipped,
}

impl CheckOutcome {
    /// `passed`, `failed` or `skipped`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}
