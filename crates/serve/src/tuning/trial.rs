//! The effects of another policy on recorded documents, beside the policy that they were run by.

use crate::experiment::{Beyond, Decided, Decider, Trajectories};
use crate::policy::{FinalStatus, ScriptCriteria};
use crate::profile::LoopPolicy;

/// The most documents that are shown of those that end differently.
const MOST_MOVED: usize = 200;

/// A policy with the functions of its script criteria.
pub(super) type PolicyWithScripts<'a> = (&'a LoopPolicy, &'a ScriptCriteria);

/// The differences between two policies.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct PolicyTrial {
    /// Documents that were tried.
    pub documents: u64,
    /// Documents of the run that were not: there are too many.
    pub left_out: u64,
    /// Documents without a candidate, about which no policy decides.
    pub without_candidate: u64,
    /// The sums under the policy that the documents were run by.
    pub before: TrialSums,
    /// The sums under the policy that is tried.
    pub after: TrialSums,
    /// Documents whose end is known under both policies: iterations, scores, cost and time are those of these.
    pub compared: u64,
    /// The number of these that end differently.
    pub differ: u64,
    /// The first of them.
    pub moved: Vec<MovedDocument>,
    /// The keys of the profile by which feedback would have said something else.
    pub told_otherwise: Vec<&'static str>,
}

/// The sums over the documents under a policy.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct TrialSums {
    pub passed: u64,
    pub not_passed: u64,
    /// Those whose end the record does not tell.
    pub unknown: u64,
    pub iterations: u64,
    /// Documents whose returned candidate has a score, and the sum of these.
    pub scored: u64,
    pub score: f64,
    pub cost_usd: f64,
    pub calls: u64,
    pub calls_of_unknown_cost: u64,
    pub elapsed_ms: u64,
}

/// A document that ends differently.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MovedDocument {
    pub id: String,
    pub before: TrialEnd,
    pub after: TrialEnd,
}

/// The end of a document under a policy.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TrialEnd {
    /// `None` where the record does not say.
    pub status: Option<FinalStatus>,
    /// The reason why it ends, or why that is unknown.
    pub reason: String,
    pub iterations: usize,
    pub best: Option<usize>,
    pub overall: Option<f64>,
    pub cost_usd: f64,
}

impl TrialEnd {
    fn of(decided: &Decided, overalls: impl Iterator<Item = f64>) -> Self {
        let reason = match decided.beyond {
            None => decided.stop_reason.to_string(),
            Some(Beyond::Exhausted) => "continues after the last recorded candidate".to_owned(),
            Some(Beyond::OtherBase) => "corrects another candidate".to_owned(),
            Some(Beyond::OtherFeedback) => "feedback tells it something else".to_owned(),
        };
        TrialEnd {
            status: decided.beyond.is_none().then(|| decided.stop_reason.status()),
            reason,
            iterations: decided.iteration_count,
            best: decided.selection.map(|selection| selection.iteration),
            overall: decided.returned(overalls),
            cost_usd: decided.spent.usage.known_cost_usd.get(),
        }
    }

    /// Returns whether a document ends alike, even if the returned candidate gets another score.
    fn is_like(&self, other: &TrialEnd) -> bool {
        (self.status, &self.reason, self.iterations, self.best)
            == (other.status, &other.reason, other.iterations, other.best)
    }
}

impl TrialSums {
    fn count(&mut self, end: &TrialEnd) {
        match end.status {
            None => self.unknown += 1,
            Some(status) if status.passes() => self.passed += 1,
            Some(_) => self.not_passed += 1,
        }
    }

    fn add(&mut self, end: &TrialEnd, decided: &Decided) {
        self.iterations += end.iterations as u64;
        if let Some(overall) = end.overall {
            self.scored += 1;
            self.score += overall;
        }
        let usage = decided.spent.usage;
        self.cost_usd += end.cost_usd;
        self.calls += usage.calls;
        self.calls_of_unknown_cost += usage.calls_of_unknown_cost;
        self.elapsed_ms += decided.spent.elapsed.0;
    }
}

impl PolicyTrial {
    /// Tries both policies on recorded documents. If `told_otherwise` is not empty, nothing is known of corrections
    /// under the second.
    pub(crate) fn of(
        trajectories: &Trajectories,
        before: PolicyWithScripts<'_>,
        after: PolicyWithScripts<'_>,
        told_otherwise: Vec<&'static str>,
    ) -> Self {
        let mut trial = PolicyTrial::default();
        let mut first = Decider::new(trajectories, before.0, before.1);
        let mut second =
            Decider::new(trajectories, after.0, after.1).told_otherwise(!told_otherwise.is_empty());
        for document in 0..trajectories.documents() {
            let (Some(id), Some(was)) = (trajectories.id(document), first.decide(document)) else { continue };
            let Some(is) = second.decide(document) else { continue };
            let (was_end, is_end) =
                (TrialEnd::of(&was, first.overalls()), TrialEnd::of(&is, second.overalls()));
            trial.documents += 1;
            trial.before.count(&was_end);
            trial.after.count(&is_end);
            if was_end.status.is_none() || is_end.status.is_none() {
                continue;
            }
            trial.compared += 1;
            trial.before.add(&was_end, &was);
            trial.after.add(&is_end, &is);
            if was_end.is_like(&is_end) {
                continue;
            }
            trial.differ += 1;
            if trial.moved.len() < MOST_MOVED {
                let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
                trial.moved.push(MovedDocument { id, before: was_end, after: is_end });
            }
        }
        trial.told_otherwise = told_otherwise;
        trial
    }
}
