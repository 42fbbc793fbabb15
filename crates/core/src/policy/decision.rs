//! The decision about a candidate, and the numbers behind it.

use super::Checks;
use crate::stop::Criterion;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::sync::Arc;

/// The status with which a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinalStatus {
    /// A candidate was accepted.
    Passed,
    /// The limit of iterations or corrections was reached.
    MaxIterationsReached,
    /// A criterion ended the loop.
    StoppedEarly,
    /// The document could not be handled.
    Failed,
    /// There was nothing to do.
    Skipped,
    /// Someone stopped it.
    Cancelled,
    /// A recorded trajectory ended before the policy did.
    Incomplete,
}

impl FinalStatus {
    /// Every status.
    pub const ALL: [FinalStatus; 7] = [
        FinalStatus::Passed,
        FinalStatus::MaxIterationsReached,
        FinalStatus::StoppedEarly,
        FinalStatus::Failed,
        FinalStatus::Skipped,
        FinalStatus::Cancelled,
        FinalStatus::Incomplete,
    ];

    /// Returns whether no one has to finish the document: it passed, or there was nothing to do.
    #[must_use]
    pub fn passes(self) -> bool {
        matches!(self, FinalStatus::Passed | FinalStatus::Skipped)
    }

    /// The word in results.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            FinalStatus::Passed => "passed",
            FinalStatus::MaxIterationsReached => "max_iterations_reached",
            FinalStatus::StoppedEarly => "stopped_early",
            FinalStatus::Failed => "failed",
            FinalStatus::Skipped => "skipped",
            FinalStatus::Cancelled => "cancelled",
            FinalStatus::Incomplete => "incomplete",
        }
    }
}

impl fmt::Display for FinalStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The prefix of the reasons of script criteria.
const SCRIPT: &str = "script";

/// The reason why a run ended. In results it is one text; two reasons are equal when they are written alike.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum StopReason {
    /// An issue that a person must decide.
    CriticalIssue,
    /// The gate was missed.
    Gate,
    /// Every line of `accept` holds.
    Accepted,
    /// The stop criterion with this reason: `max_iterations`, `unchanged` and so on.
    Criterion(&'static str),
    /// The script criterion of this name returned true: `script:NAME`.
    Script(Arc<str>),
    /// A group of criteria fired. The text names the members that did, joined with `+`.
    Group(Arc<str>),
    /// The `skip_when` of this stage holds: `skip:STAGE`.
    Skip(Arc<str>),
    /// The input could not be read.
    UnreadableInput,
    /// A call failed and its retries are spent.
    ProviderError,
    /// Someone stopped it.
    Cancelled,
    /// A recorded trajectory ended before the policy did.
    TrajectoryExhausted,
}

impl StopReason {
    /// Every reason that is one fixed word.
    fn fixed() -> impl Iterator<Item = StopReason> {
        let decided = [StopReason::CriticalIssue, StopReason::Gate, StopReason::Accepted];
        let outside = [
            StopReason::UnreadableInput,
            StopReason::ProviderError,
            StopReason::Cancelled,
            StopReason::TrajectoryExhausted,
        ];
        let mut reasons: Vec<&'static str> = crate::stop::reasons().map(|(reason, _)| reason).collect();
        // Limits of candidates share one; scripts have names of their own.
        reasons.dedup();
        reasons.retain(|reason| *reason != SCRIPT);
        decided.into_iter().chain(reasons.into_iter().map(StopReason::Criterion)).chain(outside)
    }

    /// Every reason that is one fixed word, as it is written.
    pub fn words() -> impl Iterator<Item = &'static str> {
        Self::fixed().map(|reason| reason.parts().0)
    }

    /// The reason of a criterion that is not a group.
    #[must_use]
    pub fn of(criterion: &Criterion) -> Self {
        let Criterion::Script(script) = criterion else {
            return StopReason::Criterion(criterion.fixed_reason());
        };
        StopReason::Script(Arc::clone(&script.name))
    }

    /// The text in results: a fixed part and a name, either of which may be empty.
    fn parts(&self) -> (&'static str, &str) {
        match self {
            StopReason::CriticalIssue => ("critical_issue", ""),
            StopReason::Gate => ("gate", ""),
            StopReason::Accepted => ("accepted", ""),
            StopReason::Criterion(reason) => (reason, ""),
            StopReason::Script(name) => ("script:", name),
            StopReason::Group(members) => ("", members),
            StopReason::Skip(stage) => ("skip:", stage),
            StopReason::UnreadableInput => ("unreadable_input", ""),
            StopReason::ProviderError => ("provider_error", ""),
            StopReason::Cancelled => ("cancelled", ""),
            StopReason::TrajectoryExhausted => ("trajectory_exhausted", ""),
        }
    }

    /// The status that goes with it.
    #[must_use]
    pub fn status(&self) -> FinalStatus {
        match self {
            StopReason::Accepted => FinalStatus::Passed,
            StopReason::Criterion(reason) if crate::stop::reasons().any(|known| known == (*reason, true)) => {
                FinalStatus::MaxIterationsReached
            }
            StopReason::CriticalIssue
            | StopReason::Gate
            | StopReason::UnreadableInput
            | StopReason::ProviderError => FinalStatus::Failed,
            StopReason::Skip(_) => FinalStatus::Skipped,
            StopReason::Cancelled => FinalStatus::Cancelled,
            StopReason::TrajectoryExhausted => FinalStatus::Incomplete,
            StopReason::Criterion(_) | StopReason::Script(_) | StopReason::Group(_) => {
                FinalStatus::StoppedEarly
            }
        }
    }

    /// Reads what [`fmt::Display`] writes; `None` for a text that is not a reason.
    fn parse(text: &str) -> Option<Self> {
        if let Some(word) = Self::fixed().find(|reason| reason.parts().0 == text) {
            return Some(word);
        }
        match text.split_once(':') {
            _ if text.contains('+') => Some(StopReason::Group(text.into())),
            Some((SCRIPT, name)) => Some(StopReason::Script(name.into())),
            Some(("skip", stage)) => Some(StopReason::Skip(stage.into())),
            _ => None,
        }
    }
}

impl PartialEq for StopReason {
    fn eq(&self, other: &Self) -> bool {
        let ((fixed, name), (other_fixed, other_name)) = (self.parts(), other.parts());
        fixed.bytes().chain(name.bytes()).eq(other_fixed.bytes().chain(other_name.bytes()))
    }
}

impl Eq for StopReason {}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (fixed, name) = self.parts();
        write!(f, "{fixed}{name}")
    }
}

impl Serialize for StopReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for StopReason {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("unknown reason to stop `{text}`")))
    }
}

/// The reason why the selected candidate was selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectionReason {
    /// There was no other.
    OnlyIteration,
    /// The last one is the best.
    FinalIterationBest,
    /// An earlier one is better than the last.
    QualityPeakedAt(usize),
}

impl fmt::Display for SelectionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SelectionReason::OnlyIteration => f.write_str("only_iteration"),
            SelectionReason::FinalIterationBest => f.write_str("final_iteration_best"),
            SelectionReason::QualityPeakedAt(iteration) => {
                write!(f, "quality_peaked_at_iteration_{iteration}")
            }
        }
    }
}

impl Serialize for SelectionReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SelectionReason {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.as_str() {
            "only_iteration" => Ok(SelectionReason::OnlyIteration),
            "final_iteration_best" => Ok(SelectionReason::FinalIterationBest),
            other => other
                .strip_prefix("quality_peaked_at_iteration_")
                .and_then(|number| number.parse().ok())
                .map(SelectionReason::QualityPeakedAt)
                .ok_or_else(|| serde::de::Error::custom(format!("unknown selection reason `{other}`"))),
        }
    }
}

/// The decision whether the loop continues.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
#[must_use]
pub enum Verdict {
    /// Correct the candidate of this iteration.
    Continue {
        /// The iteration that the next correction starts from.
        base: usize,
    },
    /// End the loop.
    Stop {
        /// The reason.
        reason: StopReason,
    },
}

/// One decision with all the numbers it used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The iteration that it is about.
    pub iteration: usize,
    /// The decision whether the loop continues.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// The evaluated lines, in the order of the table, up to the one that ended the loop.
    pub checks: Checks,
    /// Remarks on how it was made that a person should know: criteria that could not be evaluated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The best iteration so far.
    pub best: usize,
    /// `true` if this candidate was rolled back.
    pub rolled_back: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_read_as_they_are_written() {
        let named = ["script:plateau", "skip:tagger", "stagnation+decline", "script:a+script:b"];
        let words = StopReason::words().map(str::to_owned).collect::<Vec<_>>();
        for text in words.iter().map(String::as_str).chain(named) {
            let json = format!("\"{text}\"");
            let reason: StopReason = serde_json::from_str(&json).unwrap();
            assert_eq!((reason.to_string().as_str(), serde_json::to_string(&reason).unwrap()), (text, json));
        }
        assert!(serde_json::from_str::<StopReason>("\"weariness\"").is_err());
        assert_eq!(StopReason::Group("timeout".into()), StopReason::Criterion("timeout"));
        assert_ne!(StopReason::Script("a".into()), StopReason::Skip("a".into()));
    }
}
