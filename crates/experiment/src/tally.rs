//! Many simulated documents summed up.

use super::decider::Decided;
use crate::policy::{FinalStatus, StopReason};
use crate::statistics::real;
use std::collections::BTreeMap;

/// The endings of the documents of one policy, counted in constant memory: the texts of its keys are those that a
/// policy can give.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Tally {
    documents: u64,
    assessed: u64,
    accepted: u64,
    iterations: u64,
    cost_usd: f64,
    overall: f64,
    endings: BTreeMap<(usize, String), u64>,
}

impl Tally {
    /// Adds one document that was decided about; `overalls` are the overall scores of its candidates.
    pub fn add(&mut self, decided: &Decided, overalls: impl Iterator<Item = f64>) {
        let reason = &decided.stop_reason;
        self.documents += 1;
        self.accepted += u64::from(*reason == StopReason::Accepted);
        self.iterations += decided.iteration_count as u64;
        self.cost_usd += decided.spent.usage.known_cost_usd.get();
        if let Some(overall) = decided.returned(overalls) {
            self.assessed += 1;
            self.overall += overall;
        }
        let status = FinalStatus::ALL.iter().position(|status| *status == reason.status());
        *self.endings.entry((status.unwrap_or_default(), reason.to_string())).or_default() += 1;
    }

    /// The number of documents.
    #[must_use]
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// The share whose candidate was accepted, from 0 to 1; `None` without documents.
    #[must_use]
    pub fn share_accepted(&self) -> Option<f64> {
        mean(real(self.accepted), self.documents)
    }

    /// The mean number of candidates assessed per document.
    #[must_use]
    pub fn mean_iterations(&self) -> Option<f64> {
        mean(real(self.iterations), self.documents)
    }

    /// The mean cost per document, in US dollars.
    #[must_use]
    pub fn mean_cost_usd(&self) -> Option<f64> {
        mean(self.cost_usd, self.documents)
    }

    /// The mean overall score of the returned candidates, over the documents that have one.
    #[must_use]
    pub fn mean_overall(&self) -> Option<f64> {
        mean(self.overall, self.assessed)
    }

    /// The number of documents that ended with each status and reason, in the order of [`FinalStatus::ALL`], then by
    /// reason.
    pub fn endings(&self) -> impl Iterator<Item = (FinalStatus, &str, u64)> {
        self.endings.iter().filter_map(|((status, reason), count)| {
            Some((*FinalStatus::ALL.get(*status)?, reason.as_str(), *count))
        })
    }
}

fn mean(sum: f64, count: u64) -> Option<f64> {
    (count > 0).then(|| sum / real(count))
}
