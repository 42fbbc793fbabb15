//! A run over candidates that are tried, and what of it still matters.

use super::Subject;
use super::candidates::{Candidate, Candidates, Content};
use crate::policy::{Decision, History, IterationSummary, PromiseKind, Promises, Spent, decide, memory};
use crate::simulate::RunningTotal;
use crate::stop::Costly;
use crate::trajectory::{IterationRecord, Trajectory};
use crate::value::Digest;
use serde_json::{Value, json};
use smallvec::SmallVec;
use std::sync::Arc;

/// A run so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Walk {
    pub history: History,
    pub total: RunningTotal,
    pub spent: Spent,
    /// The candidates that were tried, by their indices in the list.
    pub tried: SmallVec<[u32; 8]>,
    /// The class of each of them.
    classes: SmallVec<[u32; 8]>,
    /// The contents of each of them: equal numbers are equal candidates. Empty if candidates are not compared.
    pub contents: SmallVec<[Contents; 8]>,
}

/// The contents of a candidate: a value that may go back to an earlier one, and a number that only an equal one has,
/// too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Contents {
    value: u32,
    number: u32,
}

impl Contents {
    fn json(self) -> Arc<Value> {
        Arc::new(json!({ "value": self.value, "number": self.number }))
    }
}

/// The facts that the rest of a run depends on: runs with the same key continue alike.
pub(super) type Key = SmallVec<[u64; 16]>;

impl Walk {
    /// The contents of the next candidate; `None` if nothing before it fits, `Some(None)` if candidates are not
    /// compared.
    fn next_contents(&self, content: Content) -> Option<Option<Contents>> {
        let number = u32::try_from(self.contents.len()).unwrap_or(u32::MAX);
        let latest = self.contents.last();
        let contents = match content {
            Content::Unknown => return Some(None),
            Content::New => Contents { value: number, number },
            Content::Stay => Contents { value: latest?.value, number },
            Content::Back => {
                let latest = latest?.value;
                let before =
                    self.contents.iter().rev().map(|one| one.value).find(|value| *value != latest)?;
                Contents { value: before, number }
            }
            Content::SameAsBest | Content::SameAsLatest => *self.contents.get(self.repeated(content)?)?,
        };
        Some(Some(contents))
    }

    /// The earlier candidate that is repeated, if one is.
    fn repeated(&self, content: Content) -> Option<usize> {
        match content {
            Content::SameAsBest => (!self.classes.is_empty()).then(|| self.history.best()),
            Content::SameAsLatest => self.classes.len().checked_sub(1),
            _ => None,
        }
    }

    /// The run with one more candidate, and the decision then; `None` if this candidate can't come next. `of` is the
    /// index of the policy among those that are tried together.
    pub(super) fn step(
        &self,
        subject: &Subject<'_>,
        of: usize,
        number: usize,
        candidate: &Candidate,
    ) -> Option<(Walk, Decision)> {
        let contents = self.next_contents(candidate.content)?;
        // A candidate that equals an earlier one scores as that did.
        let (facts, class) = match self.repeated(candidate.content) {
            Some(at) => (self.history.iterations().get(at)?.facts.clone(), *self.classes.get(at)?),
            None => (candidate.facts.get(of)?.clone(), candidate.class),
        };
        let mut walk = self.clone();
        walk.tried.push(u32::try_from(number).unwrap_or(u32::MAX));
        walk.classes.push(class);
        let decision = walk.push(subject, facts, contents, &candidate.record);
        Some((walk, decision))
    }

    /// Adds a candidate and decides.
    pub(super) fn push(
        &mut self,
        subject: &Subject<'_>,
        mut facts: IterationSummary,
        contents: Option<Contents>,
        record: &IterationRecord,
    ) -> Decision {
        if let Some(contents) = contents {
            self.contents.push(contents);
            let candidate = contents.json();
            facts.digest = subject.policy.stop.looks_at(Costly::Equality).then(|| Digest::of(&candidate));
            facts.candidate = Some(candidate);
        }
        self.spent = self.total.add(record);
        self.history.push(subject.policy, facts);
        decide(subject.policy, &mut self.history, self.spent, subject.scripts)
    }

    /// The candidates so far and their scores, as in a line for `simulate`.
    pub(super) fn trajectory(
        &self,
        id: &str,
        record: impl Fn(usize) -> Option<IterationRecord>,
    ) -> Trajectory {
        let records = (0..self.history.iterations().len()).filter_map(|at| {
            let contents = self.contents.get(at);
            let first = contents.and_then(|one| self.contents.iter().position(|earlier| earlier == one));
            let own = record(at)?;
            let scored = match first.filter(|first| *first < at) {
                Some(first) => record(first)?,
                None => own.clone(),
            };
            let candidate = contents.map(|contents| contents.json());
            Some(IterationRecord { candidate, scores: scored.scores, issues: scored.issues, ..own })
        });
        Trajectory { id: id.into(), iterations: records.collect(), slips: Vec::new() }
    }
}

/// The facts about a run that decide how it continues, and what will be promised about it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct KeyRule {
    /// `true` if a promise may depend on the whole history.
    everything: bool,
    /// `true` if it matters which iteration is the best, not only its score.
    exact_best: bool,
    /// `true` if the score of the latest candidate matters, besides what the criteria remember of it.
    latest: bool,
    first: bool,
    best_seen: bool,
    rollbacks: bool,
    elapsed: bool,
    cost: bool,
    tokens: bool,
}

impl KeyRule {
    /// The facts that these promises depend on besides the returned candidate and the latest one.
    pub(super) fn of(promises: &Promises, candidates: &Candidates) -> Self {
        let repeats_latest = candidates.list.iter().any(|one| one.content == Content::SameAsLatest);
        let mut rule = KeyRule { latest: repeats_latest, ..KeyRule::default() };
        for promise in &promises.list {
            match &promise.kind {
                PromiseKind::Always(condition) | PromiseKind::Never(condition) => {
                    rule.first |= condition.uses("first");
                    rule.best_seen |= condition.uses("best_seen");
                    rule.rollbacks |= condition.uses("rollbacks");
                    rule.elapsed |= condition.uses("elapsed_ms");
                    rule.cost |= condition.uses("cost_usd");
                    rule.tokens |= condition.uses("tokens");
                }
                PromiseKind::Script(_) => rule.everything = true,
                PromiseKind::Monotone(_) | PromiseKind::Shipped(_) => {}
            }
        }
        rule
    }

    /// The rule for two policies side by side.
    pub(super) fn exact(candidates: &Candidates) -> Self {
        KeyRule { exact_best: true, ..KeyRule::of(&Promises::default(), candidates) }
    }

    /// Adds what a run depends on. `looks` is `true` if any criterion but a limit of candidates is still evaluated.
    pub(super) fn add(&self, walk: &Walk, subject: &Subject<'_>, looks: bool, key: &mut Key) {
        let class = |at: usize| walk.classes.get(at).copied().map_or(0, u64::from);
        let best = walk.history.best();
        key.push(class(best));
        if self.exact_best {
            key.push(best as u64);
        }
        let remembered = if looks {
            memory(subject.policy, &walk.history, walk.spent)
        } else {
            crate::stop::Memory::default()
        };
        if remembered.everything || self.everything {
            key.extend(walk.tried.iter().map(|number| u64::from(*number)));
        }
        key.extend(remembered.numbers.iter().map(|number| number.to_bits()));
        if remembered.candidates || remembered.everything || self.everything {
            key.extend(walk.contents.iter().map(|one| u64::from(one.value) << 32 | u64::from(one.number)));
        }
        if self.latest && looks {
            key.extend(walk.classes.last().copied().map(u64::from));
        }
        let usage = walk.spent.usage;
        let overalls = || walk.history.iterations().iter().filter(|one| !one.missed_gate);
        let extra = [
            (self.first, class(0)),
            (self.best_seen, overalls().map(|one| one.facts.overall).fold(0.0, f64::max).to_bits()),
            (self.rollbacks, walk.history.rollbacks()),
            (self.elapsed, walk.spent.elapsed.0),
            (self.cost, usage.known_cost_usd.get().to_bits()),
            (self.tokens, usage.tokens),
        ];
        key.extend(extra.into_iter().filter(|(is, _)| *is).map(|(_, value)| value));
    }
}
