//! Reasons to end the loop without a candidate that is good enough: the keys of `stop` in a profile.
//!
//! Each criterion is one file: its key with bounds, default and example; what it looks at and when it holds; the reason that
//! stands in results; and the clause with which it is explained. A new one is such a file, its `mod` below and its line in
//! the list of `criterion.rs`, which has the order in which they are looked at.

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

pub(crate) use budget::UNKNOWN_COST;
pub(crate) use criteria::STOP;
pub use criteria::StopCriteria;
pub use criterion::*;
pub(crate) use flip_flop::FlipFlops;
pub(crate) use group::clause_of_all;
pub use min_improvement::Baseline;
pub(crate) use rule::Progress;
pub use timeout::Waiting;
