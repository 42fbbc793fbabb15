//! Reasons to end the loop without a candidate that is good enough: the keys of `stop` in a profile.
//!
//! Each criterion is one file: its key with bounds, default and example; what it looks at and when it holds; the reason that
//! stands in results; and the clause with which it is explained. A new one is such a file and its line in the list of
//! `criterion.rs`, which has the order in which they are looked at.

mod budget;
mod criteria;
mod criterion;
mod decline;
mod flip_flop;
mod group;
mod max_corrections;
mod max_iterations;
mod min_improvement;
mod oscillation;
mod rollbacks;
mod rule;
mod script;
mod stagnation;
mod timeout;
mod unchanged;

pub use budget::Budget;
pub(crate) use criteria::STOP;
pub use criteria::StopCriteria;
pub use criterion::Criterion;
pub(crate) use criterion::{keys_about_corrections, reasons};
pub use decline::Decline;
pub use flip_flop::FlipFlop;
pub(crate) use flip_flop::FlipFlops;
pub(crate) use group::clause_of_all;
pub use max_corrections::MaxCorrections;
pub use max_iterations::MaxIterations;
pub use min_improvement::{Baseline, MinImprovement};
pub use oscillation::Oscillation;
pub use rollbacks::Rollbacks;
pub(crate) use rule::Progress;
pub use script::ScriptCriterion;
pub use stagnation::Stagnation;
pub use timeout::{Timeout, Waiting};
pub use unchanged::Unchanged;
