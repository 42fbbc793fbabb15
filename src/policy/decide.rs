//! The decision table (LOOP, The decision, in this order).

use super::accept::accepted;
use super::criteria::{falling, flips, gain, spread};
use super::{Checks, Decision, History, StopReason, Verdict};
use crate::profile::{IssueKind, LoopPolicy, OnEscalate, OnGateMiss, OnRegression};
use crate::value::{Disposition, Millis, Usage, at_least, below};

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
pub fn decide(policy: &LoopPolicy, history: &mut History, spent: Spent) -> Decision {
    let mut checks = Checks::default();
    let reason = table(policy, history, spent, &mut checks);
    let iteration = history.iterations().len().saturating_sub(1);
    Decision {
        iteration,
        verdict: match reason {
            Some(reason) => Verdict::Stop { reason },
            None => Verdict::Continue { base: history.base() },
        },
        checks: checks.0,
        best: history.best(),
        rolled_back: history.latest().is_some_and(|latest| latest.rolled_back),
    }
}

/// Walks down the table; the first line that applies ends the walk.
fn table(
    policy: &LoopPolicy,
    history: &mut History,
    spent: Spent,
    checks: &mut Checks,
) -> Option<StopReason> {
    let latest = history.latest()?.clone();
    let count = history.iterations().len();
    let stop = &policy.stop;
    // 1
    if policy.on_escalate == OnEscalate::Stop {
        let escalated = latest.facts.issues.get(IssueKind::Disposition(Disposition::Escalate));
        if checks.look("on_escalate", escalated > 0, number(escalated), 0.0) {
            return Some(StopReason::CriticalIssue);
        }
    }
    // 2
    if let Some(gate) = &policy.gate {
        let ends = latest.missed_gate && (count == 1 || gate.on_correction == OnGateMiss::Stop);
        if checks.look("gate", ends, latest.facts.score(&gate.dimension), gate.bound.get()) {
            return Some(StopReason::Gate);
        }
    }
    // 3
    if accepted(&policy.accept, &latest.facts, checks) && !latest.missed_gate {
        return Some(StopReason::Accepted);
    }
    // 4
    let (assessed, corrections) = (count as u64, count as u64 - 1);
    if let Some(limit) = stop.max_iterations
        && checks.look("stop.max_iterations", assessed >= limit, number(assessed), number(limit))
    {
        return Some(StopReason::MaxIterations);
    }
    if let Some(limit) = stop.max_corrections
        && checks.look("stop.max_corrections", corrections >= limit, number(corrections), number(limit))
    {
        return Some(StopReason::MaxIterations);
    }
    // 5
    if stop.unchanged {
        let earlier = history.iterations().split_last().map(|(_, earlier)| earlier).unwrap_or_default();
        let equal = latest
            .facts
            .digest
            .and_then(|digest| earlier.iter().position(|e| e.facts.digest == Some(digest)));
        // The value is the iteration that it equals, −1 for none.
        if checks.look("stop.unchanged", equal.is_some(), equal.map_or(-1.0, |at| number(at as u64)), 0.0) {
            return Some(StopReason::Unchanged);
        }
    }
    // Between 5 and 6 the rollback is settled: a candidate that ended the loop above is not counted.
    let rollback =
        policy.on_regression == OnRegression::Rollback && (latest.missed_gate || latest.below_best);
    history.settle_rollback(rollback);
    // 6
    if let Some(limit) = stop.rollbacks {
        let consecutive = history.consecutive_rollbacks();
        if checks.look("stop.rollbacks", consecutive >= limit, number(consecutive), number(limit)) {
            return Some(StopReason::Rollbacks);
        }
    }
    let overalls: Vec<f64> = history.overalls().collect();
    // 7
    if let Some(criterion) = stop.stagnation
        && let Some(spread) = spread(criterion, &overalls)
        && checks.look("stop.stagnation", below(spread, criterion.epsilon), spread, criterion.epsilon)
    {
        return Some(StopReason::Stagnation);
    }
    // 8
    if let Some(criterion) = stop.min_improvement
        && let Some((gain, misses)) = gain(criterion, &overalls)
        && checks.look("stop.min_improvement", misses >= criterion.patience, gain, criterion.delta)
    {
        return Some(StopReason::MinImprovement);
    }
    // 9
    if let Some(length) = stop.decline {
        let falling = falling(&overalls);
        if checks.look("stop.decline", falling >= length, number(falling as u64), number(length as u64)) {
            return Some(StopReason::Decline);
        }
    }
    // 10
    if let Some(criterion) = stop.oscillation {
        let flips = flips(criterion, &overalls);
        if checks.look(
            "stop.oscillation",
            flips >= criterion.flips,
            number(flips as u64),
            number(criterion.flips as u64),
        ) {
            return Some(StopReason::Oscillation);
        }
    }
    // 13
    if let Some(limit) = stop.timeout
        && checks.look("stop.timeout", spent.elapsed > limit, number(spent.elapsed.0), number(limit.0))
    {
        return Some(StopReason::Timeout);
    }
    let budget = &stop.budget;
    if let Some(limit) = budget.cost_usd {
        let cost = spent.usage.cost_usd.get();
        if checks.look("stop.budget.cost_usd", at_least(cost, limit.get()), cost, limit.get()) {
            return Some(StopReason::Budget);
        }
    }
    for (line, used, limit) in [
        ("stop.budget.tokens", spent.usage.tokens, budget.tokens),
        ("stop.budget.calls", spent.usage.calls, budget.calls),
    ] {
        if let Some(limit) = limit
            && checks.look(line, used >= limit, number(used), number(limit))
        {
            return Some(StopReason::Budget);
        }
    }
    None
}

/// Counts and milliseconds as they stand in events.
#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn number(count: u64) -> f64 {
    count as f64
}
