//! The gaps that keep a promise from being shown although no run was found that breaks it.

use serde::{Serialize, Serializer};
use std::fmt;

/// Something that was not tried, or can't be by trying values.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Gap {
    /// Only every run of up to so many candidates was tried, within the decisions that were allowed.
    Depth {
        /// The number of candidates.
        candidates: u64,
        /// The most candidates of a run.
        limit: u64,
    },
    /// These lines decided no run that was tried.
    NoRun(Vec<String>),
    /// There are more combinations of the values than can be tried.
    ManyCandidates,
    /// Scores far below the constants were left out, because there would be too many combinations.
    FarBelow,
    /// No candidate that is tried has an overall score close to this constant.
    Unreached(String),
    /// Scores can fall more often than there are tried scores.
    FewLevels,
    /// No run of the tried scores comes to the limit, and runs whose scores rise more often may.
    FewRises {
        /// The longest run that was tried.
        candidates: u64,
        /// The most candidates of a run.
        limit: u64,
    },
    /// Candidates that equal an earlier one, but neither the best nor the latest, are not tried, and something may depend on them.
    OtherRepeats,
    /// Two policies give different dispositions to issues that have none of their own.
    Dispositions,
    /// A bound allows more issues than are tried.
    ManyIssues,
    /// The policy has criteria that are functions of its author: what they tell apart is unknown.
    StopScripts,
    /// A function that is a criterion gives no answer.
    ScriptFailed(String),
    /// The promise is a function of its author: what it tells apart is unknown.
    PromiseScript,
    /// The promise computes with scores or counts, or compares two of them: it may tell apart values that are between
    /// those that were tried.
    Computed,
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Gap::Depth { candidates, limit } => write!(
                f,
                "only every run of up to {candidates} of {limit} candidates was tried; `--decisions` allows for more"
            ),
            Gap::NoRun(lines) => write!(f, "`{}` decided no run that was tried", lines.join("`, `")),
            Gap::ManyCandidates => {
                f.write_str("there are more combinations of these values than were tried at each place")
            }
            Gap::FarBelow => f.write_str(
                "scores far below the constants were left out: with them there are too many combinations",
            ),
            Gap::Unreached(constant) => {
                write!(f, "no candidate was tried whose overall score lies at or just below {constant}")
            }
            Gap::FewLevels => f.write_str("scores were not tried that fall as often as `stop.decline` asks for"),
            Gap::FewRises { candidates, limit } => write!(
                f,
                "runs over the tried scores end after {candidates} of {limit} candidates, and scores that rise more often were not tried"
            ),
            Gap::OtherRepeats => f.write_str(
                "of candidates that equal an earlier one, only those were tried that equal the best or the latest",
            ),
            Gap::Dispositions => f.write_str(
                "the two give issues that have no disposition of their own different ones (`dispositions`), and no such issue was tried",
            ),
            Gap::ManyIssues => f.write_str("no candidate with more than 100 issues of a kind was tried"),
            Gap::StopScripts => {
                f.write_str("what the functions in `stop.script` tell apart beyond these values is not known")
            }
            Gap::ScriptFailed(why) => write!(f, "the search ended: {why}"),
            Gap::PromiseScript => f.write_str("what the function tells apart beyond these values is not known"),
            Gap::Computed => f.write_str(
                "it computes, or compares other things than with constants: what lies between these values may break it",
            ),
        }
    }
}

impl Serialize for Gap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
