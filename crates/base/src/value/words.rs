//! The words in which the loop describes issues.

use serde::{Deserialize, Serialize};

/// The severity of an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Nothing is wrong; it says where points went. It never counts, and is not fed back.
    Info,
    /// Untidy; the content is right.
    Minor,
    /// Wrong, and the loop should correct it.
    Major,
    /// Wrong in a way that makes the whole candidate unusable.
    Critical,
}

impl Severity {
    /// From the worst down.
    pub const ALL: [Severity; 4] = [Severity::Critical, Severity::Major, Severity::Minor, Severity::Info];

    /// Those of issues that say that something is wrong, from the worst down.
    pub const WRONG: [Severity; 3] = [Severity::Critical, Severity::Major, Severity::Minor];

    /// The word in YAML and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Critical => "critical",
            Severity::Major => "major",
            Severity::Minor => "minor",
            Severity::Info => "info",
        }
    }
}

crate::decode_words!(Severity, "severity", {
    "critical": "The result is unusable or harmful as it stands." => Severity::Critical,
    "major": "Something is wrong or missing that matters." => Severity::Major,
    "minor": "Untidy; the content is right." => Severity::Minor,
    "info": "Nothing is wrong; it says where points went. It is shown, never counts, and is not fed back." => Severity::Info,
});

/// The way an issue is handled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Disposition {
    /// The loop feeds it back.
    #[default]
    Correct,
    /// A person must decide.
    Escalate,
    /// Shown, never blocks.
    Warn,
}

impl Disposition {
    /// The word in YAML and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Disposition::Correct => "correct",
            Disposition::Escalate => "escalate",
            Disposition::Warn => "warn",
        }
    }
}

crate::decode_words!(Disposition, "disposition", {
    "correct": "The loop feeds it back, so that the next candidate puts it right." => Disposition::Correct,
    "escalate": "A person must decide; it is not fed back." => Disposition::Escalate,
    "warn": "It is shown and blocks nothing; no one has to act." => Disposition::Warn,
});
