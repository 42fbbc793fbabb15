//! What keeps a promise from being shown though no run was found that breaks it.

use serde::{Serialize, Serializer};
use std::fmt;

/// Something that was not tried, or can't be by trying values.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Gap {
    /// Only every run of up to so many candidates was tried, within the decisions that were allowed.
    Depth {
        /// So many.
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
    /// A bound allows more issues than are tried.
    ManyIssues,
    /// The policy has criteria that are functions of its author: what they tell apart is not known.
    StopScripts,
    /// A function that is a criterion gives no answer.
    ScriptFailed(String),
    /// The promise is a function of its author: what it tells apart is not known.
    PromiseScript,
    /// The promise computes with scores or counts, or compares two of them: it may tell apart values that lie between those
    /// that were tried.
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
