//! Policies that race: all run on the same documents, and those that fall behind are dropped.

use super::file::Goal;
use super::measured::Measured;
use super::schedule::Schedule;
use super::trial::Goals;
use crate::statistics::{paired_t, real};
use serde::Serialize;
use std::cmp::Ordering;

/// A race of policies, which are named by their numbers. The caller that runs documents asks [`Race::is_on`] and
/// [`Race::policies`], and reports the numbers of each document with [`Race::add`].
///
/// Within a round a policy that is shown to be worse than the best one in the first objective is dropped at once: by
/// the paired t-test on all documents so far, corrected (Bonferroni) for all policies that race and for every document
/// after which it is made. Whichever policy happens to lead, the one that is really the best is thus dropped with a
/// probability of at most `1 − confidence` in the whole race, as far as the t-test's own holds. At the end of a round
/// the rest of the worse half is dropped, whatever is shown.
#[derive(Debug, Clone)]
pub struct Race<'g> {
    goals: &'g Goals,
    schedule: Schedule,
    /// The highest corrected p-value that shows a difference after a document.
    level: f64,
    /// The numbers of each document, for every policy.
    measured: Vec<Vec<Measured>>,
    reference: Vec<Measured>,
    racing: Vec<usize>,
    /// The number of policies that began the current round.
    began: usize,
    rounds: Vec<Round>,
    dropped: Vec<Dropped>,
    is_over: bool,
}

/// A round that is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Round {
    /// The number of policies that began it.
    pub policies: usize,
    /// The number of documents that they have run on at its end, including those of earlier rounds.
    pub documents: usize,
    /// Dropped within it, because they were shown to be worse than the best one.
    pub shown_worse: usize,
    /// Dropped at its end, because they were in the worse half.
    pub worse_half: usize,
    /// The number of policies that continue.
    pub left: usize,
}

/// The reason why a policy was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Drop {
    /// It was shown to be worse than the best one.
    ShownWorse,
    /// It was in the worse half when a round ended.
    WorseHalf,
}

/// A policy that was dropped.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Dropped {
    /// The number of the policy.
    #[serde(skip)]
    pub policy: usize,
    /// The round, from 1.
    pub round: usize,
    /// The number of documents that it had run on.
    pub documents: usize,
    /// The reason.
    pub why: Drop,
    /// Its mean in each objective until then.
    pub means: Vec<f64>,
}

/// The course of a choice for which documents were run.
#[derive(Debug, Clone, Serialize)]
pub struct RaceFindings {
    /// The most that might be spent.
    pub budget: Limits,
    /// The usage, including the reference and judging.
    pub spent: crate::value::Usage,
    /// The number of policies that raced.
    pub policies: usize,
    /// `true` if they were drawn from a larger space.
    pub is_drawn: bool,
    /// The seed that determines which policies were drawn, and the order of the documents.
    pub seed: u64,
    /// The number of documents that the schedule has for the race.
    pub planned_documents: usize,
    /// `true` if the race ended before its schedule did, because the budget was spent.
    pub is_cut_short: bool,
    /// Documents to judge on that were not run, because the budget was spent.
    pub not_judged_on: usize,
    /// The number of runs of a document that ended because a provider failed. Each counts as one without a candidate.
    pub provider_errors: usize,
    /// The course of each round.
    pub rounds: Vec<Round>,
    /// The policies that were dropped, in that order.
    pub dropped: Vec<DroppedPolicy>,
}

/// The most that might be spent; `None` where nothing limits it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Limits {
    /// Calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    /// Tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// A policy that was dropped, by its name.
#[derive(Debug, Clone, Serialize)]
pub struct DroppedPolicy {
    /// Its profile.
    pub profile: String,
    /// The settings of the space that it has.
    pub settings: serde_json::Map<String, serde_json::Value>,
    /// The round in which it was dropped, and the reason.
    #[serde(flatten)]
    pub dropped: Dropped,
}

impl From<crate::profile::Budget> for Limits {
    fn from(budget: crate::profile::Budget) -> Self {
        let crate::profile::Budget { calls, tokens, cost_usd } = budget;
        Limits { calls, tokens, cost_usd: cost_usd.map(crate::value::Usd::get) }
    }
}

impl<'g> Race<'g> {
    /// A race of so many policies; `confidence` is that of all that is shown within it.
    #[must_use]
    pub fn new(goals: &'g Goals, policies: usize, schedule: Schedule, confidence: f64) -> Self {
        let looks = real(schedule.documents().max(1) as u64);
        Race {
            goals,
            level: (1.0 - confidence) / looks,
            measured: vec![Vec::new(); policies],
            reference: Vec::new(),
            racing: (0..policies).collect(),
            began: policies,
            rounds: Vec::new(),
            dropped: Vec::new(),
            is_over: schedule.heats().is_empty(),
            schedule,
        }
    }

    /// Returns whether another document is to be run.
    #[must_use]
    pub fn is_on(&self) -> bool {
        !self.is_over
    }

    /// The policies that the next document is run with, besides the reference; at the end those that are left.
    #[must_use]
    pub fn policies(&self) -> &[usize] {
        &self.racing
    }

    /// The numbers of the documents of the race under a policy.
    #[must_use]
    pub fn measured(&self, policy: usize) -> &[Measured] {
        self.measured.get(policy).map_or(&[], Vec::as_slice)
    }

    /// Their numbers under the reference.
    #[must_use]
    pub fn reference(&self) -> &[Measured] {
        &self.reference
    }

    /// The rounds that are over.
    #[must_use]
    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// The policies that were dropped, in that order.
    #[must_use]
    pub fn dropped(&self) -> &[Dropped] {
        &self.dropped
    }

    /// Adds the numbers of a document under the reference and under each of [`Race::policies`], in their order.
    ///
    /// # Errors
    /// The index of a constraint that can't be computed, after the objectives.
    pub fn add(&mut self, reference: Measured, of_policies: Vec<Measured>) -> Result<(), usize> {
        if self.is_over {
            return Ok(());
        }
        self.reference.push(reference);
        for (policy, measured) in self.racing.iter().zip(of_policies) {
            if let Some(list) = self.measured.get_mut(*policy) {
                list.push(measured);
            }
        }
        let ranking = self.ranking()?;
        for policy in self.shown_worse(&ranking)? {
            self.drop(policy, Drop::ShownWorse);
        }
        let heats = self.schedule.heats();
        let ends = heats.get(self.rounds.len()).is_none_or(|heat| self.reference.len() >= heat.documents);
        let next = heats.get(self.rounds.len() + 1).copied();
        if ends && let Some(next) = next {
            let ranking = ranking.into_iter().filter(|policy| self.racing.contains(policy));
            for policy in ranking.skip(next.policies).collect::<Vec<_>>() {
                self.drop(policy, Drop::WorseHalf);
            }
        }
        let is_last = ends && next.is_none() || self.racing.len() <= 1;
        if ends || is_last {
            self.close_round();
        }
        self.is_over = is_last;
        Ok(())
    }

    /// Ends the race before its schedule does. No policy is dropped.
    pub fn stop(&mut self) {
        let counted = self.rounds.last().map_or(0, |round| round.documents);
        if !self.is_over && self.reference.len() > counted {
            self.close_round();
        }
        self.is_over = true;
    }

    fn close_round(&mut self) {
        let round = self.rounds.len() + 1;
        let dropped = |why| self.dropped.iter().filter(|one| one.round == round && one.why == why).count();
        self.rounds.push(Round {
            policies: self.began,
            documents: self.reference.len(),
            shown_worse: dropped(Drop::ShownWorse),
            worse_half: dropped(Drop::WorseHalf),
            left: self.racing.len(),
        });
        self.began = self.racing.len();
    }

    fn drop(&mut self, policy: usize, why: Drop) {
        self.racing.retain(|one| *one != policy);
        let documents = self.reference.len();
        let means = self.means(policy);
        self.dropped.push(Dropped { policy, round: self.rounds.len() + 1, documents, why, means });
    }

    /// The mean of a policy in each objective.
    #[must_use]
    pub fn means(&self, policy: usize) -> Vec<f64> {
        let documents = self.measured(policy);
        let column = |at: usize| documents.iter().filter_map(move |one| one.objectives.get(at));
        let count = real(documents.len().max(1) as u64);
        (0..self.goals.objectives.len()).map(|at| column(at).sum::<f64>() / count).collect()
    }

    /// Returns whether the means of a policy keep every constraint on the documents so far.
    ///
    /// # Errors
    /// As for [`Race::add`].
    pub fn keeps_constraints(&self, policy: usize) -> Result<bool, usize> {
        let goals = self.goals.with_measured_reference(&self.reference);
        goals.keep_constraints(self.measured(policy))
    }

    /// The policies that are left, the best one first: those that keep the constraints, then by the objectives in their order.
    ///
    /// # Errors
    /// As for [`Race::add`].
    pub fn ranking(&self) -> Result<Vec<usize>, usize> {
        let mut ranked = Vec::with_capacity(self.racing.len());
        for policy in &self.racing {
            ranked.push((*policy, self.keeps_constraints(*policy)?, self.means(*policy)));
        }
        ranked.sort_by(|(_, keeps, means), (_, other_keeps, other_means)| {
            let by_means =
                self.goals.goals().zip(means.iter().zip(other_means)).map(|(goal, (own, other))| {
                    // A rounding error of additions makes no policy better.
                    if (own - other).abs() <= 1e-12 {
                        Ordering::Equal
                    } else {
                        better_first(goal, *own, *other)
                    }
                });
            other_keeps.cmp(keeps).then(by_means.fold(Ordering::Equal, Ordering::then))
        });
        Ok(ranked.into_iter().map(|(policy, ..)| policy).collect())
    }

    /// The policies that are shown to be worse than the best one. None as long as that one misses a constraint: it may
    /// not be the choice.
    fn shown_worse(&self, ranking: &[usize]) -> Result<Vec<usize>, usize> {
        let Some((best, others)) = ranking.split_first() else { return Ok(Vec::new()) };
        let Some(goal) = self.goals.goals().next() else { return Ok(Vec::new()) };
        if !self.keeps_constraints(*best)? {
            return Ok(Vec::new());
        }
        let first =
            |policy: usize| self.measured(policy).iter().filter_map(|one| one.objectives.first()).copied();
        let compared = real(others.len() as u64);
        let is_shown_worse = |policy: &&usize| {
            let pairs = first(**policy).zip(first(*best));
            let differences: Vec<f64> = pairs.map(|(own, best)| own - best).collect();
            let sum: f64 = differences.iter().sum();
            let is_worse = match goal {
                Goal::Maximize => sum < 0.0,
                Goal::Minimize => sum > 0.0,
            };
            is_worse && paired_t(&differences) * compared <= self.level
        };
        Ok(others.iter().filter(is_shown_worse).copied().collect())
    }
}

fn better_first(goal: Goal, own: f64, other: f64) -> Ordering {
    match goal {
        Goal::Maximize => other.total_cmp(&own),
        Goal::Minimize => own.total_cmp(&other),
    }
}

#[cfg(test)]
#[path = "race_tests.rs"]
mod tests;
