//! The decision table: `docs/how-the-loop-decides.md`, "The order of decisions".

use super::accept::accepted;
use super::criteria::{falling, flips, gain, spread};
use super::{Checks, Decision, History, ScriptCriteria, StopReason, Verdict};
use crate::profile::{
    Budget, Criterion, GroupMember, IssueKind, LoopPolicy, OnEscalate, OnGateMiss, OnRegression,
    ScriptCriterion,
};
use crate::value::{Disposition, Millis, Usage, at_least, below};
use std::sync::Arc;

/// What the run has used up when the decision is made.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spent {
    /// Time since the run started.
    pub elapsed: Millis,
    /// Calls, tokens and money.
    pub usage: Usage,
}

/// Decides what follows from the latest candidate of `history`, which [`History::push`] has just added, and settles
/// its rollback. With nothing in the history there is nothing to decide and the run goes on from iteration 0.
/// `scripts` are those that the policy's script criteria name; one that is not there, or fails, never ends the loop and
/// is noted.
pub fn decide(
    policy: &LoopPolicy,
    history: &mut History,
    spent: Spent,
    scripts: &ScriptCriteria,
) -> Decision {
    let mut record = Record::default();
    let reason = table(policy, history, spent, scripts, &mut record);
    let iteration = history.iterations().len().saturating_sub(1);
    Decision {
        iteration,
        verdict: match reason {
            Some(reason) => Verdict::Stop { reason },
            None => Verdict::Continue { base: history.base() },
        },
        checks: record.checks.0,
        notes: record.notes,
        best: history.best(),
        rolled_back: history.latest().is_some_and(|latest| latest.rolled_back),
    }
}

/// What was looked at on the way down the table.
#[derive(Debug, Default)]
struct Record {
    checks: Checks,
    notes: Vec<String>,
}

/// Walks down the table; the first line that applies ends the walk.
fn table(
    policy: &LoopPolicy,
    history: &mut History,
    spent: Spent,
    scripts: &ScriptCriteria,
    record: &mut Record,
) -> Option<StopReason> {
    let latest = history.latest()?;
    let (missed_gate, below_best) = (latest.missed_gate, latest.below_best);
    let checks = &mut record.checks;
    // 1
    if policy.on_escalate == OnEscalate::Stop {
        let escalated = latest.facts.issues.get(IssueKind::Disposition(Disposition::Escalate));
        if checks.look("on_escalate", escalated > 0, number(escalated), 0.0) {
            return Some(StopReason::CriticalIssue);
        }
    }
    // 2
    if let Some(gate) = &policy.gate {
        let is_first = history.iterations().len() == 1;
        let ends = missed_gate && (is_first || gate.on_correction == OnGateMiss::Stop);
        if checks.look("gate", ends, latest.facts.gated, gate.bound.get()) {
            return Some(StopReason::Gate);
        }
    }
    // 3
    if accepted(&policy.accept, &latest.facts, checks) && !missed_gate {
        return Some(StopReason::Accepted);
    }
    // 4 and 5
    let stop = &policy.stop;
    let mut walk = CriterionWalk::new(history, spent, scripts, record);
    if let Some(criterion) = stop.before_rollback().find(|criterion| walk.is_met(criterion, "stop")) {
        return Some(reason(&criterion));
    }
    // Between 5 and 6 the rollback is settled: a candidate that ended the loop above is not counted.
    let rollback = policy.on_regression == OnRegression::Rollback && (missed_gate || below_best);
    history.apply_rollback(rollback);
    // 6 to 13
    let mut walk = CriterionWalk::new(history, spent, scripts, record);
    if let Some(criterion) = stop.after_rollback().find(|criterion| walk.is_met(criterion, "stop")) {
        return Some(reason(&criterion));
    }
    // After 13: the groups.
    let fired = walk.any(&stop.any, "stop.any");
    let fired = fired.or_else(|| if stop.all.is_empty() { None } else { walk.all(&stop.all, "stop.all") });
    fired.map(|members| StopReason::Group(members.into()))
}

/// Said where a budget of money is looked at and not all that was spent is known. Always in the same words, so that it
/// is shown once.
const UNKNOWN_COST: &str = "the budget `cost_usd` can't be kept, because the cost of some calls is unknown: only what is \
     known counts; add prices to `prices.yaml`, or limit `tokens` or `calls`";

/// The reason that goes with a criterion.
fn reason(criterion: &Criterion) -> StopReason {
    match criterion {
        Criterion::MaxIterations(_) | Criterion::MaxCorrections(_) => StopReason::MaxIterations,
        Criterion::Unchanged => StopReason::Unchanged,
        Criterion::Rollbacks(_) => StopReason::Rollbacks,
        Criterion::Stagnation(_) => StopReason::Stagnation,
        Criterion::MinImprovement(_) => StopReason::MinImprovement,
        Criterion::Decline(_) => StopReason::Decline,
        Criterion::Oscillation(_) => StopReason::Oscillation,
        Criterion::FlipFlop(_) => StopReason::FlipFlop,
        Criterion::Script(script) => StopReason::Script(Arc::clone(&script.name)),
        Criterion::Timeout(_) => StopReason::Timeout,
        Criterion::Budget(_) => StopReason::Budget,
    }
}

/// Criteria looked at one after the other, each with a note of what it saw.
struct CriterionWalk<'a> {
    history: &'a History,
    overalls: Vec<f64>,
    spent: Spent,
    scripts: &'a ScriptCriteria,
    record: &'a mut Record,
}

impl<'a> CriterionWalk<'a> {
    fn new(history: &'a History, spent: Spent, scripts: &'a ScriptCriteria, record: &'a mut Record) -> Self {
        CriterionWalk { history, overalls: history.overalls().collect(), spent, scripts, record }
    }

    /// Names the first member of a group that fires, if one does.
    fn any(&mut self, members: &[GroupMember], line: &str) -> Option<String> {
        members.iter().enumerate().find_map(|(at, member)| self.member(member, &format!("{line}[{at}]")))
    }

    /// Names all members of a group if all fire. Looks at every one of them, so that all that is missing can be shown.
    fn all(&mut self, members: &[GroupMember], line: &str) -> Option<String> {
        let fired: Vec<Option<String>> = members
            .iter()
            .enumerate()
            .map(|(at, member)| self.member(member, &format!("{line}[{at}]")))
            .collect();
        fired.into_iter().collect::<Option<Vec<String>>>().map(|names| names.join("+"))
    }

    fn member(&mut self, member: &GroupMember, line: &str) -> Option<String> {
        match member {
            GroupMember::One(criterion) => {
                self.is_met(criterion, line).then(|| reason(criterion).to_string())
            }
            GroupMember::Any(members) => self.any(members, &format!("{line}.any")),
            GroupMember::All(members) => self.all(members, &format!("{line}.all")),
        }
    }

    /// Whether a criterion applies. `line` is where it stands in the profile.
    fn is_met(&mut self, criterion: &Criterion, line: &str) -> bool {
        let count = self.overalls.len() as u64;
        match criterion {
            Criterion::MaxIterations(limit) => self.at_limit(line, "max_iterations", count, *limit),
            Criterion::MaxCorrections(limit) => {
                self.at_limit(line, "max_corrections", count.saturating_sub(1), *limit)
            }
            Criterion::Unchanged => {
                let equal = equal_before(self.history);
                // The value is the iteration that it equals, −1 for none.
                let value = equal.map_or(-1.0, |at| number(at as u64));
                self.look(line, "unchanged", equal.is_some(), value, 0.0)
            }
            Criterion::Rollbacks(limit) => {
                self.at_limit(line, "rollbacks", self.history.consecutive_rollbacks(), *limit)
            }
            Criterion::Stagnation(criterion) => spread(*criterion, &self.overalls).is_some_and(|spread| {
                let holds = below(spread, criterion.epsilon);
                self.look(line, "stagnation", holds, spread, criterion.epsilon)
            }),
            Criterion::MinImprovement(criterion) => {
                gain(*criterion, &self.overalls).is_some_and(|(gain, misses)| {
                    let holds = misses >= criterion.patience;
                    self.look(line, "min_improvement", holds, gain, criterion.delta)
                })
            }
            Criterion::Decline(length) => {
                self.at_limit(line, "decline", falling(&self.overalls) as u64, *length as u64)
            }
            Criterion::Oscillation(criterion) => {
                let flips = flips(*criterion, &self.overalls);
                self.at_limit(line, "oscillation", flips as u64, criterion.flips as u64)
            }
            Criterion::FlipFlop(times) => {
                let (path, most) = self.history.flip_flop().unwrap_or_default();
                let path = (most > 0 && !path.is_empty()).then(|| path.to_owned());
                let holds = self.at_limit(line, "flip_flop", most, *times);
                if let Some(check) = self.record.checks.0.last_mut() {
                    check.path = path;
                }
                holds
            }
            Criterion::Script(script) => self.runs(line, script),
            Criterion::Timeout(limit) => {
                let elapsed = self.spent.elapsed;
                self.look(line, "timeout", elapsed > *limit, number(elapsed.0), number(limit.0))
            }
            Criterion::Budget(budget) => self.over_budget(line, budget),
        }
    }

    fn runs(&mut self, line: &str, script: &ScriptCriterion) -> bool {
        let key = format!("script.{}", script.name);
        match self.scripts.holds(script, self.history, self.spent) {
            Ok(holds) => self.look(line, &key, holds, f64::from(u8::from(holds)), 1.0),
            // What could not be looked at does not end the loop, and is not passed over in silence.
            Err(why) => {
                self.record.notes.push(format!("the criterion `{line}.{key}` was not looked at: {why}"));
                false
            }
        }
    }

    fn over_budget(&mut self, line: &str, budget: &Budget) -> bool {
        let used = self.spent.usage;
        if let Some(limit) = budget.cost_usd {
            if used.calls_of_unknown_cost > 0 && !self.record.notes.iter().any(|note| note == UNKNOWN_COST) {
                self.record.notes.push(UNKNOWN_COST.to_owned());
            }
            let (cost, limit) = (used.known_cost_usd.get(), limit.get());
            if self.look(line, "budget.cost_usd", at_least(cost, limit), cost, limit) {
                return true;
            }
        }
        let counts =
            [("budget.tokens", used.tokens, budget.tokens), ("budget.calls", used.calls, budget.calls)];
        counts
            .into_iter()
            .any(|(key, used, limit)| limit.is_some_and(|limit| self.at_limit(line, key, used, limit)))
    }

    fn at_limit(&mut self, line: &str, key: &str, value: u64, bound: u64) -> bool {
        self.look(line, key, value >= bound, number(value), number(bound))
    }

    fn look(&mut self, line: &str, key: &str, holds: bool, value: f64, bound: f64) -> bool {
        self.record.checks.look(&format!("{line}.{key}"), holds, value, bound)
    }
}

/// The first iteration whose candidate the latest one equals.
fn equal_before(history: &History) -> Option<usize> {
    let (latest, earlier) = history.iterations().split_last()?;
    let digest = latest.facts.digest?;
    earlier.iter().position(|earlier| earlier.facts.digest == Some(digest))
}

/// Counts and milliseconds as they stand in events.
#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn number(count: u64) -> f64 {
    count as f64
}
