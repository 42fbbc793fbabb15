//! Policies tried on recorded or invented assessments, without providers (`loopctl simulate`).
//!
//! A [`Trajectory`] is what the candidates of one document would score. [`simulate`] asks the very functions that
//! decide in a run what a policy makes of it; a [`Tally`] sums up many of them for people. [`scenario`] holds policies
//! and rules to what experts expect of them. [`calibrate`] certifies thresholds from labels.

mod answer;
#[cfg(feature = "cli")]
pub(crate) mod evaluate;
#[doc(hidden)]
pub mod calibrate;
#[doc(hidden)]
pub mod scenario;
pub mod prove;
mod simulate;
#[cfg(feature = "cli")]
pub(crate) mod statistics;
mod tally;
mod trajectory;
mod trajectory_line;

pub use answer::Answer;
pub(crate) use simulate::dimensions_used;
pub use simulate::{Simulated, simulate};
pub use tally::Tally;
pub use trajectory::{IterationRecord, StepIssue, Trajectory, TrajectoryError};
pub(crate) use trajectory::{LongestLine, lines};
