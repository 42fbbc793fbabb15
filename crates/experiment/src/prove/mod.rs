//! Promises of a policy, checked against every run over representative candidates (`loopctl prove`).
//!
//! [`prove`] tries, candidate by candidate, every course of scores, issues and costs over a grid of values: each
//! constant that the policy compares something with, just below it and just above it, and the ends of what can be
//! scored (`values.rs`). All decisions are made by the functions that decide in a run. Runs that differ in nothing that
//! can still matter are followed once (`walk.rs`), so that all runs to the limit of candidates are covered by few
//! decisions. The first run found that breaks a promise is a shortest one. Beyond the grid, random runs are tried, from
//! a seed.
//!
//! [`compare`] does the same with two policies side by side.

mod candidates;
mod checks;
mod compare;
mod dead;
mod gap;
mod grid;
mod issues;
mod monotone;
mod proof;
mod random;
mod search;
mod spending;
mod values;
mod walk;

pub use compare::{Acceptance, Comparison, Difference, compare};
pub use dead::lines;
pub use gap::Gap;
pub use proof::{Broken, Counterexample, Enumerated, Proof, Proved, Quantity, Shown, prove};

use crate::policy::{PromiseKind, Promises, ScriptCriteria};
use crate::profile::LoopPolicy;
use crate::stop::Criterion;

/// A policy that is tried.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The deciding policy.
    pub policy: &'a LoopPolicy,
    /// The functions of its script criteria.
    pub scripts: &'a ScriptCriteria,
    /// The lowest and the highest score that a dimension can have, by its name.
    pub range: &'a dyn Fn(&str) -> (f64, f64),
}

impl std::fmt::Debug for Subject<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subject").field("policy", self.policy).finish_non_exhaustive()
    }
}

/// The effort of a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// The most decisions of the complete search.
    pub decisions: u64,
    /// The number of random runs.
    pub random: u64,
    /// The seed of the random runs: the same seed tries the same runs.
    pub seed: u64,
}

/// The cost of a decision that calls functions of the policy's author, in decisions that do not.
const SCRIPT_EFFORT: u64 = 20;

impl Effort {
    /// The most decisions, fewer if the subjects or the promises call functions of the policy's author.
    fn decisions_of(self, subjects: &[Subject<'_>], promises: &Promises) -> u64 {
        let calls = subjects.iter().any(|subject| !subject.scripts.is_empty())
            || promises.list.iter().any(|promise| matches!(promise.kind, PromiseKind::Script(_)));
        if calls { self.decisions / SCRIPT_EFFORT } else { self.decisions }
    }
}

impl Default for Effort {
    fn default() -> Self {
        Effort { decisions: 5_000_000, random: 2_000, seed: 1 }
    }
}

/// The most candidates of a run. Every profile has a limit outside of groups.
#[must_use]
fn limit_of(policy: &LoopPolicy) -> u64 {
    let limits = policy.stop.ungrouped().filter(|criterion| criterion.is_limit());
    limits.map(Criterion::earliest).min().unwrap_or(u64::MAX)
}
