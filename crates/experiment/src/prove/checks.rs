//! Promises, checked against the outcome of each run.

use super::candidates::Candidates;
use super::dead::Deciding;
use super::monotone::Pairs;
use super::search::{Observer, Tried};
use super::walk::Walk;
use super::{Subject, limit_of};
use crate::policy::{
    Decision, Ended, History, PromiseKind, Promises, Selection, Spent, StopReason, Verdict, ranks_below,
};
use crate::profile::{Criterion, IssueKind, LoopPolicy, OnEscalate, ShippedPromise, Target};
use crate::stop::{Constant, Kind};
use crate::value::{Disposition, at_least, below};
use std::collections::HashMap;

/// A run in which a promise does not hold.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub walk: Walk,
    /// For a promise about two candidates: the run with the worse one.
    pub beside: Option<Walk>,
    pub why: String,
}

/// Checks promises against runs.
pub(super) struct Checks<'a> {
    subject: &'a Subject<'a>,
    promises: &'a Promises,
    /// For each promise, the first run that breaks it.
    pub found: Vec<Option<Found>>,
    pub deciding: Deciding,
    pairs: Vec<Option<Pairs>>,
    /// The answers of each condition, by the values of its names.
    answers: Vec<HashMap<String, Option<bool>>>,
    limit: u64,
    /// The reason why a criterion that is a function gives no answer.
    pub script_failed: Option<String>,
}

impl<'a> Checks<'a> {
    pub(super) fn new(subject: &'a Subject<'a>, promises: &'a Promises, candidates: &Candidates) -> Self {
        let pairs = promises.list.iter().map(|promise| match &promise.kind {
            PromiseKind::Shipped(ShippedPromise::Monotone) => Some(Pairs::of(candidates, None)),
            PromiseKind::Monotone(target) => Some(Pairs::of(candidates, Some(target))),
            _ => None,
        });
        Checks {
            subject,
            promises,
            found: promises.list.iter().map(|_| None).collect(),
            deciding: Deciding::default(),
            pairs: pairs.collect(),
            answers: promises.list.iter().map(|_| HashMap::new()).collect(),
            limit: limit_of(subject.policy),
            script_failed: None,
        }
    }

    /// Checks every promise about a single run against one, and records what decided.
    pub(super) fn look(&mut self, tried: &Tried) {
        self.deciding.look(tried);
        let Tried { walk, decision } = tried;
        for at in 0..self.promises.list.len() {
            if self.found.get(at).is_some_and(Option::is_some) {
                continue;
            }
            if let Some(why) = self.broken(at, walk, decision)
                && let Some(found) = self.found.get_mut(at)
            {
                *found = Some(Found { walk: walk.clone(), beside: None, why });
            }
        }
    }

    /// The reason why a promise does not hold for a run.
    fn broken(&mut self, at: usize, walk: &Walk, decision: &Decision) -> Option<String> {
        let kind = &self.promises.list.get(at)?.kind;
        let policy = self.subject.policy;
        let Verdict::Stop { reason } = &decision.verdict else {
            return match kind {
                PromiseKind::Shipped(ShippedPromise::WithinBudget) => over(policy, walk.spent),
                PromiseKind::Shipped(ShippedPromise::Ends) => {
                    goes_on(self.limit, walk.history.iterations().len())
                }
                _ => None,
            };
        };
        let selection = walk.history.selection(policy, *reason == StopReason::Accepted);
        let ended = Ended { history: &walk.history, reason, selection, spent: walk.spent };
        match kind {
            PromiseKind::Always(condition) | PromiseKind::Never(condition) => {
                let values = condition.values(&ended);
                let answers = self.answers.get_mut(at)?;
                let text = serde_json::to_string(&values).unwrap_or_default();
                let holds = *answers.entry(text).or_insert_with(|| condition.holds_of(&values));
                let wanted = matches!(kind, PromiseKind::Always(_));
                match holds {
                    Some(holds) if holds == wanted => None,
                    Some(_) => Some(told(&values)),
                    None => Some("it can't be computed of this run".to_owned()),
                }
            }
            PromiseKind::Script(function) => match self.promises.script_holds(*function, &ended) {
                Ok(true) => None,
                Ok(false) => Some("the function returns false".to_owned()),
                Err(why) => Some(why),
            },
            PromiseKind::Shipped(ShippedPromise::ReturnsBest) => {
                returns_worse(policy, &walk.history, selection, reason)
            }
            PromiseKind::Shipped(ShippedPromise::AcceptsByEveryLine) if *reason == StopReason::Accepted => {
                accepts_wrongly(policy, &walk.history)
            }
            PromiseKind::Shipped(_) | PromiseKind::Monotone(_) => None,
        }
    }
}

impl Observer for Checks<'_> {
    fn tried(&mut self, tried: &[Option<Tried>]) {
        for one in tried.iter().flatten() {
            self.look(one);
        }
        for (found, pairs) in self.found.iter_mut().zip(&self.pairs) {
            let (None, Some(pairs)) = (&*found, pairs) else { continue };
            let Some((worse, better, why)) = pairs.first_worse(self.subject, tried) else { continue };
            let walk = |at: usize| tried.get(at).and_then(|one| one.as_ref().map(|one| one.walk.clone()));
            if let Some(walk_of_better) = walk(better) {
                *found = Some(Found { walk: walk_of_better, beside: walk(worse), why: why.to_owned() });
            }
        }
    }

    fn fails(&mut self, decision: &Decision) -> bool {
        self.script_failed = script_failure(self.subject, decision);
        self.script_failed.is_some()
    }
}

/// The reason why a criterion that is a function gave no answer. Costs are known here, so nothing else is noted.
pub(super) fn script_failure(subject: &Subject<'_>, decision: &Decision) -> Option<String> {
    (!subject.scripts.is_empty()).then(|| decision.notes.first().cloned()).flatten()
}

/// `calls: 7`, for each name that a condition uses.
fn told(values: &serde_json::Map<String, serde_json::Value>) -> String {
    let statuses = |name: &str| crate::policy::FinalStatus::ALL.iter().any(|status| status.as_str() == name);
    let told = values.iter().map(|(name, value)| match value {
        serde_json::Value::String(text) if statuses(name) => format!("{name}: {}", !text.is_empty()),
        serde_json::Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .filter(|(_, count)| count.as_u64() != Some(0))
                .map(|(kind, count)| format!("{name}.{kind}: {count}"))
                .collect();
            if members.is_empty() { format!("{name}: none") } else { members.join(", ") }
        }
        other => format!("{name}: {other}"),
    });
    told.collect::<Vec<_>>().join(", ")
}

/// The criteria that end a run by themselves.
fn ending_alone(policy: &LoopPolicy) -> Vec<&Criterion> {
    fn add<'a>(criterion: &'a Criterion, found: &mut Vec<&'a Criterion>) {
        match criterion.kind() {
            Kind::Any(members) => members.iter().for_each(|member| add(member, found)),
            // All of its members must hold.
            Kind::All(_) => {}
            Kind::Rule(_) => found.push(criterion),
        }
    }
    let mut found = Vec::new();
    policy.stop.iter().for_each(|criterion| add(criterion, &mut found));
    found
}

/// The limit that is used up although the run continues, in words.
fn over(policy: &LoopPolicy, spent: Spent) -> Option<String> {
    let used_up = || "the budget is used up, and the run continues".to_owned();
    ending_alone(policy).into_iter().flat_map(Criterion::constants).find_map(|constant| match constant {
        Constant::Elapsed(after) => (spent.elapsed > after)
            .then(|| format!("{} ms of {} ms have passed, and the run continues", spent.elapsed.0, after.0)),
        Constant::Cost(limit) => at_least(spent.usage.known_cost_usd.get(), limit.get()).then(used_up),
        Constant::Tokens(limit) => (spent.usage.tokens >= limit).then(used_up),
        Constant::Calls(limit) => (spent.usage.calls >= limit).then(used_up),
        Constant::Gain(_) | Constant::Falls(_) | Constant::Count(_) | Constant::Unknown => None,
    })
}

fn goes_on(limit: u64, candidates: usize) -> Option<String> {
    (candidates as u64 >= limit)
        .then(|| format!("the limit of {limit} candidates is reached, and the run continues"))
}

/// The candidate that ranks above the returned one, in words. One that was accepted is the one that may be returned.
fn returns_worse(
    policy: &LoopPolicy,
    history: &History,
    selection: Option<Selection>,
    reason: &StopReason,
) -> Option<String> {
    let iterations = history.iterations();
    let at = selection?.iteration;
    if *reason == StopReason::Accepted {
        return (at + 1 != iterations.len())
            .then(|| "another candidate is returned than the accepted one".to_owned());
    }
    let returned = iterations.get(at)?;
    let better = iterations.iter().position(|one| ranks_below(&policy.select, returned, one))?;
    Some(format!("candidate {at} is returned, and candidate {better} ranks above it"))
}

/// The lines that an accepted candidate does not meet, in words, read one by one.
fn accepts_wrongly(policy: &LoopPolicy, history: &History) -> Option<String> {
    let facts = &history.latest()?.facts;
    let score = |target: &Target| match target {
        Target::Dimension(name) => facts.score(name),
        _ => facts.overall,
    };
    let thresholds = policy.accept.thresholds.iter();
    let mut missed: Vec<String> = thresholds
        .filter(|threshold| below(score(&threshold.target), threshold.bound.get()))
        .map(|threshold| threshold.line().to_string())
        .collect();
    let limits = policy.accept.issue_limits.iter();
    missed.extend(
        limits
            .filter(|(kind, limit)| facts.issues.get(*kind) > *limit)
            .map(|(kind, _)| format!("accept.{}_issues", kind.as_str())),
    );
    let conditions = policy.accept.conditions().zip(facts.broken_conditions);
    missed.extend(
        conditions
            .filter(|((_, waived), broken)| *broken && !waived)
            .map(|((condition, _), _)| condition.line()),
    );
    if policy.gate.as_ref().is_some_and(|gate| below(facts.gated, gate.bound.get())) {
        missed.push("gate".to_owned());
    }
    let escalated = facts.issues.get(IssueKind::Disposition(Disposition::Escalate));
    if policy.on_escalate == OnEscalate::Stop && escalated > 0 {
        missed.push("on_escalate".to_owned());
    }
    (!missed.is_empty()).then(|| format!("it is accepted and does not meet `{}`", missed.join("`, `")))
}
