//! The recorded documents that would end otherwise under another policy.

use crate::experiment::Decided;
use crate::policy::{FinalStatus, StopReason};
use serde::Serialize;
use serde_json::Value;

/// Documents under two policies.
#[derive(Debug, Clone, Default)]
pub struct Documents {
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
    /// The end of a document that was decided about; `overalls` are the overall scores of its candidates.
    fn of((decided, overalls): &(Decided, Vec<f64>)) -> Self {
        Ended {
            final_status: decided.stop_reason.status(),
            stop_reason: decided.stop_reason.clone(),
            iteration_count: decided.iteration_count,
            best_iteration: decided.selection.map(|selection| selection.iteration),
            // Without the rounding errors of decimal fractions.
            overall: decided
                .returned(overalls.iter().copied())
                .map(|overall| (overall * 1e12).round() / 1e12),
        }
    }

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

    /// Adds a document, with what each policy decided and the overall scores of its candidates.
    pub fn add(&mut self, id: &Value, before: &(Decided, Vec<f64>), after: &(Decided, Vec<f64>)) {
        let (was, is) = (Ended::of(before), Ended::of(after));
        self.sum.documents += 1;
        if was.is_like(&is) {
            return;
        }
        self.sum.differ += 1;
        let (made, makes) = (was.iteration_count as u64, is.iteration_count as u64);
        self.sum.candidates_fewer += made.saturating_sub(makes);
        self.sum.candidates_more += makes.saturating_sub(made);
        let accepted = |ended: &Ended| ended.stop_reason == StopReason::Accepted;
        self.sum.newly_accepted += u64::from(accepted(&is) && !accepted(&was));
        self.sum.no_longer_accepted += u64::from(accepted(&was) && !accepted(&is));
        if self.moved.len() < self.most {
            self.moved.push(Moved { id: id.clone(), before: was, after: is });
        }
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
}
