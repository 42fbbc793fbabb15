//! Policies tried on recorded or invented assessments, without providers (`loopctl simulate`).
//!
//! A [`Trajectory`] holds the scores of the candidates of one document. [`simulate`] applies a policy to it with the
//! very functions that decide in a run; a [`Tally`] sums up many results for people. [`scenario`] checks policies and
//! rules against the expectations of experts. [`calibrate`] certifies thresholds from labels.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

// The crates below, under the paths that the modules know them by.
use loopctl_base::{decode_words, mapping};
use loopctl_core::{
    diag, engine, exchange, feedback, plan, policy, profile, repair, result, rules, score, stop, value,
};
use loopctl_read as ingest;

mod answer;
#[doc(hidden)]
pub mod calibrate;
mod decider;
#[doc(hidden)]
pub mod evaluate;
pub mod prove;
mod prompt_texts;
mod replay;
mod row;
#[doc(hidden)]
pub mod scenario;
mod simulate;
pub mod statistics;
#[doc(hidden)]
pub mod sweep;
mod tally;
mod trajectories;
mod trajectory;
mod trajectory_line;

pub use answer::Answer;
pub use decider::{Beyond, Decided, Decider};
#[doc(hidden)]
pub use prompt_texts::PromptTexts;
pub use replay::{differing_keys, prompt_names, told_otherwise, with_texts};
#[doc(hidden)]
pub use simulate::dimensions_used;
pub use simulate::{Simulated, simulate};
pub use tally::Tally;
pub use trajectories::Trajectories;
pub use trajectory::{IterationRecord, StepIssue, Trajectory, TrajectoryError};
#[doc(hidden)]
pub use trajectory::{LongestLine, raw_lines};
