//! The recorded documents that would end otherwise under another policy.

use crate::experiment::{Simulated, Tally, Trajectory, simulate};
use crate::policy::{FinalStatus, ScriptCriteria, StopReason};
use crate::profile::LoopPolicy;
use serde::Serialize;
use serde_json::Value;

/// Documents under two policies.
#[derive(Debug, Clone, Default)]
pub struct Documents {
    before: Tally,
    after: Tally,
    moved: Vec<Moved>,
    sum: Sum,
    most: usize,
}

/// The totals of the documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Sum {
    /// All of them.
    pub documents: u64,
    /// Those that end otherwise: with another status, reason, chosen candidate or number of candidates.
    pub differ: u64,
    /// Candidates that the second policy saves, over the documents for which it makes fewer.
    pub candidates_fewer: u64,
    /// Candidates that it makes more, over the documents for which it makes more.
    pub candidates_more: u64,
    /// Documents that are accepted by the second policy alone.
    pub newly_accepted: u64,
    /// Documents that are accepted by the first policy alone.
    pub no_longer_accepted: u64,
}

/// A document that ends otherwise.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Moved {
    /// Its id.
    pub id: Value,
    /// Its end under the first policy.
    pub before: Ended,
    /// Its end under the second.
    pub after: Ended,
}

/// The end of a document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ended {
    /// The final status.
    pub final_status: FinalStatus,
    /// The stop reason.
    pub stop_reason: StopReason,
    /// The number of assessed candidates.
    pub iteration_count: usize,
    /// The candidate that is returned; `None` where there is none.
    pub best_iteration: Option<usize>,
    /// The score of that one.
    pub overall: Option<f64>,
}

impl Ended {
    fn of(simulated: &Simulated) -> Self {
        let outcome = &simulated.outcome;
        Ended {
            final_status: outcome.final_status,
            stop_reason: outcome.stop_reason.clone(),
            iteration_count: outcome.iteration_count,
            best_iteration: outcome.best_iteration,
            // Without the rounding errors of decimal fractions.
            overall: outcome
                .best_iteration
                .and_then(|best| outcome.improvement_trajectory.get(best))
                .map(|overall| (overall * 1e12).round() / 1e12),
        }
    }
}

impl Ended {
    /// Returns whether a document ends alike, even if the returned candidate has another overall score.
    fn is_like(&self, other: &Ended) -> bool {
        let how = |ended: &Ended| (ended.final_status, ended.iteration_count, ended.best_iteration);
        how(self) == how(other) && self.stop_reason == other.stop_reason
    }
}

impl Documents {
    /// None yet; at most `most` of those that end otherwise are kept by name.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Documents { most, ..Self::default() }
    }

    /// Adds a document, and returns what each policy made of it. Each comes with the functions of its script criteria.
    pub fn add(
        &mut self,
        before: (&LoopPolicy, &ScriptCriteria),
        after: (&LoopPolicy, &ScriptCriteria),
        trajectory: &Trajectory,
    ) -> [Simulated; 2] {
        let first = simulate(before.0, before.1, trajectory);
        let second = simulate(after.0, after.1, trajectory);
        self.before.add(&first);
        self.after.add(&second);
        let (was, is) = (Ended::of(&first), Ended::of(&second));
        self.sum.documents += 1;
        if was.is_like(&is) {
            return [first, second];
        }
        self.sum.differ += 1;
        let (made, makes) = (was.iteration_count as u64, is.iteration_count as u64);
        self.sum.candidates_fewer += made.saturating_sub(makes);
        self.sum.candidates_more += makes.saturating_sub(made);
        let accepted = |ended: &Ended| ended.stop_reason == StopReason::Accepted;
        self.sum.newly_accepted += u64::from(accepted(&is) && !accepted(&was));
        self.sum.no_longer_accepted += u64::from(accepted(&was) && !accepted(&is));
        if self.moved.len() < self.most {
            self.moved.push(Moved { id: trajectory.id.clone(), before: was, after: is });
        }
        [first, second]
    }

    /// The totals.
    #[must_use]
    pub fn sum(&self) -> Sum {
        self.sum
    }

    /// Those that end otherwise, in the order of the files, as many as are kept.
    #[must_use]
    pub fn moved(&self) -> &[Moved] {
        &self.moved
    }

    /// The ends of all of them under each of the two.
    #[must_use]
    pub fn tallies(&self) -> (&Tally, &Tally) {
        (&self.before, &self.after)
    }
}
