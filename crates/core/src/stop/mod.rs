//! Reasons to end the loop without a candidate that is good enough: the keys of `stop` in a profile.
//!
//! Each criterion is one file: its key with bounds, default and example; what it inspects and when it holds; the reason
//! that appears in results; the words with which it is explained; and what lints and proofs must know of it. A new one is
//! such a file, its `mod` and its line in the list below.

mod budget;
mod criteria;
mod criterion;
mod decline;
mod doubt;
mod ending;
mod flip_flop;
mod group;
mod max_corrections;
mod max_iterations;
mod min_improvement;
mod oscillation;
mod place;
mod rollbacks;
mod rule;
mod script;
mod stagnation;
mod timeout;
mod unchanged;

#[doc(hidden)]
pub use budget::UNKNOWN_COST;
#[doc(hidden)]
pub use criteria::STOP;
pub use criteria::StopCriteria;
#[doc(hidden)]
pub use criterion::Kind;
#[doc(hidden)]
pub use doubt::{Doubt, Ground, Overtakes};
#[doc(hidden)]
pub use ending::EndingLine;
#[doc(hidden)]
pub use flip_flop::FlipFlops;
#[doc(hidden)]
pub use group::clause_of_all;
pub use min_improvement::Baseline;
#[doc(hidden)]
pub use place::Placed;
#[doc(hidden)]
pub use rule::{Constant, Costly, Declared, Memory, Part, Progress, Properties};
pub use timeout::Waiting;

use crate::diag::Problems;
use crate::value::shape::Key;
use crate::value::yaml::Node;
use rule::Rule;

// In the order in which they are evaluated (`docs/how-the-loop-decides.md`). Limits on candidates come before the
// rollback is settled.
criterion::criteria! {
    MaxIterations(max_iterations::MaxIterations),
    MaxCorrections(max_corrections::MaxCorrections),
    Unchanged(unchanged::Unchanged),
    Rollbacks(rollbacks::Rollbacks),
    Stagnation(stagnation::Stagnation),
    MinImprovement(min_improvement::MinImprovement),
    Decline(decline::Decline),
    Oscillation(oscillation::Oscillation),
    FlipFlop(flip_flop::FlipFlop),
    Script(script::ScriptCriterion),
    Timeout(timeout::Timeout),
    Budget(budget::Budget),
}
