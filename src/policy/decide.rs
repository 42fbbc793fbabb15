//! The decision table: `docs/how-the-loop-decides.md`, "The order of decisions".

use super::accept::accepted;
use super::{Check, Checks, Decision, History, ScriptCriteria, StopReason, Verdict};
use crate::profile::{IssueKind, LoopPolicy, OnEscalate, OnGateMiss, OnRegression};
use crate::stop::{Criterion, Progress};
use crate::value::{Disposition, Millis, Usage};

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
    // `on_escalate`
    if policy.on_escalate == OnEscalate::Stop {
        let escalated = latest.facts.issues.get(IssueKind::Disposition(Disposition::Escalate));
        if checks.look("on_escalate", escalated > 0, number(escalated), 0.0) {
            return Some(StopReason::CriticalIssue);
        }
    }
    // `gate`
    if let Some(gate) = &policy.gate {
        let is_first = history.iterations().len() == 1;
        let ends = missed_gate && (is_first || gate.on_correction == OnGateMiss::Stop);
        if checks.look("gate", ends, latest.facts.gated, gate.bound.get()) {
            return Some(StopReason::Gate);
        }
    }
    // `accept`
    if accepted(&policy.accept, &latest.facts, checks) && !missed_gate {
        return Some(StopReason::Accepted);
    }
    // Limits of candidates, and `unchanged`.
    let stop = &policy.stop;
    let fired = walk(history, spent, scripts, record, |walk| {
        stop.before_rollback().find(|criterion| walk.is_met(criterion, "stop"))
    });
    if let Some(criterion) = fired {
        return Some(StopReason::of(criterion));
    }
    // The rollback is settled: a candidate that ended the loop above is not counted.
    let rollback = policy.on_regression == OnRegression::Rollback && (missed_gate || below_best);
    history.apply_rollback(rollback);
    // All other criteria, and after them the groups.
    walk(history, spent, scripts, record, |walk| {
        if let Some(criterion) = stop.after_rollback().find(|criterion| walk.is_met(criterion, "stop")) {
            return Some(StopReason::of(criterion));
        }
        let fired = walk.any(stop.any(), "stop.any");
        let all = |walk: &mut CriterionWalk<'_>| {
            if stop.all().is_empty() { None } else { walk.all(stop.all(), "stop.all") }
        };
        fired.or_else(|| all(walk)).map(|members| StopReason::Group(members.into()))
    })
}

/// Criteria looked at one after the other, each with a note of what it saw.
struct CriterionWalk<'a> {
    run: Progress<'a>,
    record: &'a mut Record,
}

/// Walks over criteria with what there is to be looked at.
fn walk<T>(
    history: &History,
    spent: Spent,
    scripts: &ScriptCriteria,
    record: &mut Record,
    over: impl FnOnce(&mut CriterionWalk<'_>) -> T,
) -> T {
    let overalls: Vec<f64> = history.overalls().collect();
    let run = Progress {
        overalls: &overalls,
        equals: equal_before(history),
        rollbacks: history.consecutive_rollbacks(),
        flip_flop: history.flip_flop(),
        elapsed: spent.elapsed,
        usage: spent.usage,
        script: &|criterion| scripts.holds(criterion, history, spent),
    };
    over(&mut CriterionWalk { run, record })
}

impl CriterionWalk<'_> {
    /// Names the first member of a group that fires, if one does.
    fn any(&mut self, members: &[Criterion], line: &str) -> Option<String> {
        members.iter().enumerate().find_map(|(at, member)| self.member(member, &format!("{line}[{at}]")))
    }

    /// Names all members of a group if all fire. Looks at every one of them, so that all that is missing can be shown.
    fn all(&mut self, members: &[Criterion], line: &str) -> Option<String> {
        let fired: Vec<Option<String>> = members
            .iter()
            .enumerate()
            .map(|(at, member)| self.member(member, &format!("{line}[{at}]")))
            .collect();
        fired.into_iter().collect::<Option<Vec<String>>>().map(|names| names.join("+"))
    }

    fn member(&mut self, member: &Criterion, line: &str) -> Option<String> {
        match member {
            Criterion::Any(members) => self.any(members, &format!("{line}.any")),
            Criterion::All(members) => self.all(members, &format!("{line}.all")),
            criterion => self.is_met(criterion, line).then(|| criterion.reason()),
        }
    }

    /// Whether a criterion applies. `line` is where it stands in the profile.
    fn is_met(&mut self, criterion: &Criterion, line: &str) -> bool {
        let looked = criterion.look(&self.run);
        let holds = looked.holds();
        let notes = &mut self.record.notes;
        if let Some(note) = looked.note.filter(|note| !notes.contains(note)) {
            notes.push(note);
        }
        if let Some(why) = looked.failed {
            notes.push(format!("the criterion `{line}.{}` was not looked at: {why}", criterion.place()));
        }
        let checks = looked.seen.into_iter().map(|seen| Check {
            line: format!("{line}.{}", seen.key),
            holds: seen.holds,
            value: seen.value,
            bound: seen.bound,
            path: seen.path,
        });
        self.record.checks.0.extend(checks);
        holds
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
