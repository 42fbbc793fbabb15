//! The candidates assessed so far, and which of them is the best.

use super::rank::{Ranked, compare};
use super::{CandidateFacts, SelectionReason, Verdict};
use crate::profile::{ConditionSet, IssueKind, LoopPolicy, Returned, Ties};
use crate::score::{Assessment, Scores};
use crate::stop::{Costly, FlipFlops};
use crate::value::{Digest, Disposition, Score, Severity, below};
use serde_json::Value;
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The facts about one assessed candidate that deciding needs.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct IterationSummary {
    /// Its dimensions.
    pub scores: Scores,
    /// The gated dimension, if the policy has a gate; 0 if it was not measured.
    pub gated: f64,
    /// Its overall score.
    pub overall: f64,
    /// Its issues by kind.
    pub issues: IssueCounts,
    /// The conditions of `accept` that its issues break.
    pub broken_conditions: ConditionSet,
    /// The candidate itself, if it is known (a trajectory need not carry candidates).
    pub candidate: Option<Arc<Value>>,
    /// Its content, if a criterion compares it: most of what a decision costs.
    pub digest: Option<Digest>,
}

impl IterationSummary {
    /// Replaces the gated dimension by that measured in `tier1`: the gate comes before judges and validators, so their
    /// view of the dimension does not open or close it.
    #[must_use]
    pub fn gated_by(self, policy: &LoopPolicy, tier1: &Scores) -> Self {
        IterationSummary { gated: gated(policy, tier1), ..self }
    }

    /// The summary of an assessment, which has its overall score.
    #[must_use]
    pub fn of(policy: &LoopPolicy, assessment: &Assessment, candidate: Option<Arc<Value>>) -> Self {
        IterationSummary {
            scores: assessment.scores.clone(),
            gated: gated(policy, &assessment.scores),
            overall: assessment.overall,
            issues: IssueCounts::of(assessment),
            broken_conditions: assessment.broken_conditions(),
            digest: candidate.as_deref().filter(|_| policy.stop.looks_at(Costly::Equality)).map(Digest::of),
            candidate,
        }
    }

    /// The score that a name means; a dimension that was not measured counts as 0.
    #[must_use]
    pub fn score(&self, dimension: &str) -> f64 {
        self.scores.get(dimension).unwrap_or(Score::ZERO).get()
    }
}

fn gated(policy: &LoopPolicy, scores: &Scores) -> f64 {
    policy.gate.as_ref().and_then(|gate| scores.get(&gate.dimension)).map_or(0.0, Score::get)
}

fn is_below_gate(policy: &LoopPolicy, gated: f64) -> bool {
    policy.gate.as_ref().is_some_and(|gate| below(gated, gate.bound.get()))
}

/// Returns whether a candidate with these scores of tier 1 misses the policy's gate.
#[must_use]
pub fn misses_gate(policy: &LoopPolicy, tier1: &Scores) -> bool {
    is_below_gate(policy, gated(policy, tier1))
}

/// The number of issues of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IssueCounts {
    severities: [u64; 3],
    dispositions: [u64; 3],
}

impl IssueCounts {
    /// Counts the issues of an assessment that say that something is wrong.
    #[must_use]
    pub fn of(assessment: &Assessment) -> Self {
        let mut counts = IssueCounts::default();
        assessment.issues.iter().for_each(|issue| counts.add(issue.severity, issue.disposition));
        counts
    }

    /// Counts one more, if it says that something is wrong.
    pub fn add(&mut self, severity: Severity, disposition: Disposition) {
        let severity = match severity {
            Severity::Info => return,
            Severity::Critical => &mut self.severities[0],
            Severity::Major => &mut self.severities[1],
            Severity::Minor => &mut self.severities[2],
        };
        *severity += 1;
        let disposition = match disposition {
            Disposition::Correct => &mut self.dispositions[0],
            Disposition::Escalate => &mut self.dispositions[1],
            Disposition::Warn => &mut self.dispositions[2],
        };
        *disposition += 1;
    }

    /// The number of issues of one kind.
    #[must_use]
    pub fn get(&self, kind: IssueKind) -> u64 {
        let [critical, major, minor] = self.severities;
        let [correct, escalate, warn] = self.dispositions;
        match kind {
            IssueKind::Severity(Severity::Critical) => critical,
            IssueKind::Severity(Severity::Major) => major,
            IssueKind::Severity(Severity::Minor) => minor,
            IssueKind::Severity(Severity::Info) => 0,
            IssueKind::Disposition(Disposition::Correct) => correct,
            IssueKind::Disposition(Disposition::Escalate) => escalate,
            IssueKind::Disposition(Disposition::Warn) => warn,
        }
    }
}

/// One assessed candidate and what the loop made of it.
#[derive(Debug, Clone)]
pub struct Iteration<F = IterationSummary> {
    /// The facts about it, such as its scores.
    pub facts: F,
    /// The iteration that it was corrected from; for candidate 0 itself.
    pub base: usize,
    /// `true` if it missed the gate.
    pub missed_gate: bool,
    /// `true` if it ranked strictly below the best before it.
    pub below_best: bool,
    /// `true` if it was rolled back.
    pub rolled_back: bool,
}

/// All assessed candidates of a run. For each it keeps `F`: all that was measured, or a row of a table that has it.
#[derive(Debug, Clone)]
pub struct History<F = IterationSummary> {
    iterations: Vec<Iteration<F>>,
    /// The overall scores of all of them, as criteria read them.
    overalls: SmallVec<[f64; 8]>,
    /// The highest score up to each of them.
    highest: SmallVec<[f64; 8]>,
    best: usize,
    best_before_latest: usize,
    base: usize,
    consecutive_rollbacks: u64,
    rollbacks: u64,
    /// The iteration in which each candidate was first seen, and the one that the latest candidate equals. Kept, like
    /// what follows, only for policies with a criterion that inspects it.
    first_seen: BTreeMap<Digest, usize>,
    equal_before: Option<usize>,
    flip_flops: FlipFlops,
}

/// The candidate that a run returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selection {
    /// Its iteration.
    pub iteration: usize,
    /// The reason for selecting it.
    pub reason: SelectionReason,
}

impl<F> Default for History<F> {
    fn default() -> Self {
        History {
            iterations: Vec::new(),
            overalls: SmallVec::new(),
            highest: SmallVec::new(),
            best: 0,
            best_before_latest: 0,
            base: 0,
            consecutive_rollbacks: 0,
            rollbacks: 0,
            first_seen: BTreeMap::new(),
            equal_before: None,
            flip_flops: FlipFlops::default(),
        }
    }
}

impl<F: CandidateFacts> History<F> {
    /// Adds a candidate and finds its standing: gate, rank, best.
    pub fn push(&mut self, policy: &LoopPolicy, facts: F) {
        let missed_gate = is_below_gate(policy, facts.gated());
        if let Some(candidate) = facts.candidate()
            && policy.stop.looks_at(Costly::FlipFlops)
        {
            self.flip_flops.push(candidate);
        }
        let against_best = self.iterations.get(self.best).map(|best| {
            let best = Ranked { facts: &best.facts, missed_gate: best.missed_gate };
            compare(&policy.select, &Ranked { facts: &facts, missed_gate }, &best)
        });
        let becomes_best = match against_best {
            None | Some(Ordering::Greater) => true,
            Some(Ordering::Equal) => policy.select.ties == Ties::Last,
            Some(Ordering::Less) => false,
        };
        self.best_before_latest = self.best;
        if becomes_best {
            self.best = self.iterations.len();
        }
        let below_best = against_best == Some(Ordering::Less);
        let base = self.base;
        let latest = self.iterations.len();
        let first = facts.digest().map(|digest| *self.first_seen.entry(digest).or_insert(latest));
        self.equal_before = first.filter(|first| *first < latest);
        let overall = facts.overall();
        self.highest.push(self.highest.last().map_or(overall, |highest| highest.max(overall)));
        self.overalls.push(overall);
        self.iterations.push(Iteration { facts, base, missed_gate, below_best, rolled_back: false });
    }
}

impl<F> History<F> {
    /// A history without candidates.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets every candidate, and keeps the memory for those of the next run.
    pub fn clear(&mut self) {
        self.iterations.clear();
        self.overalls.clear();
        self.highest.clear();
        (self.best, self.best_before_latest, self.base) = (0, 0, 0);
        (self.consecutive_rollbacks, self.rollbacks) = (0, 0);
        self.first_seen.clear();
        self.equal_before = None;
        self.flip_flops = FlipFlops::default();
    }

    /// Settles whether the latest candidate is a rollback, and with it the base and the count (criteria that limit
    /// candidates, and `unchanged`, are evaluated before it, all others after it).
    pub(super) fn apply_rollback(&mut self, rollback: bool) {
        let latest = self.iterations.len().saturating_sub(1);
        if rollback {
            self.consecutive_rollbacks += 1;
            self.rollbacks += 1;
            self.base = self.best_before_latest;
        } else {
            self.consecutive_rollbacks = 0;
            self.base = latest;
        }
        if let Some(iteration) = self.iterations.last_mut() {
            iteration.rolled_back = rollback;
        }
    }

    /// Every assessed candidate.
    #[must_use]
    pub fn iterations(&self) -> &[Iteration<F>] {
        &self.iterations
    }

    /// The latest candidate.
    #[must_use]
    pub fn latest(&self) -> Option<&Iteration<F>> {
        self.iterations.last()
    }

    /// The best iteration so far.
    #[must_use]
    pub fn best(&self) -> usize {
        self.best
    }

    /// The iteration that the next correction starts from.
    #[must_use]
    pub fn base(&self) -> usize {
        self.base
    }

    /// Rollbacks in a row, up to the latest candidate.
    #[must_use]
    pub fn consecutive_rollbacks(&self) -> u64 {
        self.consecutive_rollbacks
    }

    /// Rollbacks of the whole run.
    #[must_use]
    pub fn rollbacks(&self) -> u64 {
        self.rollbacks
    }

    /// The iterations that were rolled back, each with the iteration that it started from.
    #[must_use]
    pub fn rolled_back(&self) -> Vec<(usize, usize)> {
        let standings = self.iterations.iter().enumerate();
        standings
            .filter(|(_, standing)| standing.rolled_back)
            .map(|(at, standing)| (at, standing.base))
            .collect()
    }

    /// The path of the candidate that went back and forth between two values most often, and how often; `None` if none
    /// did, or no criterion asks.
    pub(super) fn flip_flop(&self) -> Option<(&str, u64)> {
        self.flip_flops.most()
    }

    /// The overall scores in order.
    pub fn overalls(&self) -> impl DoubleEndedIterator<Item = f64> + ExactSizeIterator {
        self.overalls.iter().copied()
    }

    /// Like [`History::overalls`], as a slice.
    pub(super) fn overall_scores(&self) -> &[f64] {
        &self.overalls
    }

    /// The highest overall score up to each candidate.
    pub(super) fn highest_scores(&self) -> &[f64] {
        &self.highest
    }

    /// The first iteration whose candidate the latest one equals.
    pub(super) fn equal_before(&self) -> Option<usize> {
        self.equal_before
    }

    /// The candidate to return; `None` if none was assessed. `accepted` means that the latest one was.
    #[must_use]
    pub fn selection(&self, policy: &LoopPolicy, accepted: bool) -> Option<Selection> {
        let latest = self.iterations.len().checked_sub(1)?;
        let iteration = match policy.select.returned {
            _ if accepted => latest,
            Returned::Last => latest,
            Returned::Best => self.best,
        };
        let reason = if latest == 0 {
            SelectionReason::OnlyIteration
        } else if iteration == latest {
            SelectionReason::FinalIterationBest
        } else {
            SelectionReason::QualityPeakedAt(iteration)
        };
        Some(Selection { iteration, reason })
    }
}

impl Verdict {
    /// Returns whether this verdict accepts the latest candidate.
    #[must_use]
    pub fn accepts(&self) -> bool {
        matches!(self, Verdict::Stop { reason: super::StopReason::Accepted })
    }
}
