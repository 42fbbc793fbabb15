//! When the loop stops, in the order in which its reasons are looked at (LOOP, The decision).

use super::candidate::is_patch;
use super::fact::{Ending, Facts};
use crate::plan::{JudgePlan, Plan};
use crate::policy::{FinalStatus, StopReason};
use crate::profile::{
    AfterRetries, Baseline, Budget, Criterion, GroupMember, OnEscalate, OnGateMiss, OnRegression,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) fn add(plan: &Plan, facts: &mut Facts) {
    facts.add("stop.order", "order", json!({}));
    let policy = &plan.policy;
    if policy.on_escalate == OnEscalate::Stop {
        facts.ends("stop.on_escalate", "escalated", json!({}), StopReason::CriticalIssue);
    }
    if let Some(gate) = &policy.gate {
        let values = json!({ "first_only": gate.on_correction == OnGateMiss::Rollback });
        facts.ends("stop.gate", "missed_gate", values, StopReason::Gate);
    }
    let gate = policy.gate.is_some();
    facts.ends("stop.accepted", "accepted", json!({ "gate": gate }), StopReason::Accepted);
    for criterion in policy.stop.before_rollback().chain(policy.stop.after_rollback()) {
        let Some((key, reason)) = key_and_reason(&criterion) else { continue };
        let keep = policy.on_regression == OnRegression::Keep;
        let never = keep && matches!(criterion, Criterion::Rollbacks(_));
        let values = json!({ "criterion": value(&criterion), "never": never });
        facts.ends(key, "criterion", values, reason);
    }
    groups(plan, facts);
    if !plan.stages.is_empty() {
        facts.add("stop.otherwise", "otherwise_corrected", json!({}));
        let gate = policy.gate.as_ref().is_some_and(|gate| gate.on_correction == OnGateMiss::Rollback);
        let values = json!({ "keep": policy.on_regression == OnRegression::Keep, "gate": gate });
        facts.add("on_regression", "regression", values);
    }
    outside(plan, facts);
}

/// A criterion, as templates name it.
pub(super) fn value(criterion: &Criterion) -> Value {
    match criterion {
        Criterion::MaxIterations(most) => json!({ "kind": "max_iterations", "most": most }),
        Criterion::MaxCorrections(most) => json!({ "kind": "max_corrections", "most": most }),
        Criterion::Unchanged => json!({ "kind": "unchanged" }),
        Criterion::Rollbacks(most) => json!({ "kind": "rollbacks", "most": most }),
        Criterion::Stagnation(it) => {
            json!({ "kind": "stagnation", "window": it.window, "epsilon": it.epsilon })
        }
        Criterion::MinImprovement(it) => json!({
            "kind": "min_improvement",
            "delta": it.delta,
            "best": it.baseline == Baseline::Best,
            "patience": it.patience,
        }),
        Criterion::Decline(length) => json!({ "kind": "decline", "length": length }),
        Criterion::Oscillation(it) => json!({
            "kind": "oscillation",
            "window": it.window,
            "flips": it.flips,
            "amplitude": it.amplitude,
        }),
        Criterion::FlipFlop(often) => json!({ "kind": "flip_flop", "often": often }),
        Criterion::Script(script) => {
            json!({ "kind": "script_criterion", "function": format!("rules/{}", script.function.value) })
        }
        Criterion::Timeout(limit) => json!({ "kind": "timeout", "limit": limit.0 }),
        Criterion::Budget(budget) => json!({ "kind": "budget", "budget": amounts(budget) }),
    }
}

/// What may be used up.
pub(super) fn amounts(budget: &Budget) -> Value {
    json!({ "money": budget.cost_usd, "tokens": budget.tokens, "calls": budget.calls })
}

fn member(one: &GroupMember) -> Value {
    match one {
        GroupMember::One(criterion) => value(criterion),
        GroupMember::Any(members) => json!({ "kind": "any", "members": list(members) }),
        GroupMember::All(members) => json!({ "kind": "all", "members": list(members) }),
    }
}

fn list(members: &[GroupMember]) -> Vec<Value> {
    members.iter().map(member).collect()
}

/// What a criterion is known by, and the reason that it gives; `None` for a budget without any limit.
fn key_and_reason(criterion: &Criterion) -> Option<(String, StopReason)> {
    let (key, reason) = match criterion {
        Criterion::MaxIterations(_) => ("max_iterations", StopReason::MaxIterations),
        Criterion::MaxCorrections(_) => ("max_corrections", StopReason::MaxIterations),
        Criterion::Unchanged => ("unchanged", StopReason::Unchanged),
        Criterion::Rollbacks(_) => ("rollbacks", StopReason::Rollbacks),
        Criterion::Stagnation(_) => ("stagnation", StopReason::Stagnation),
        Criterion::MinImprovement(_) => ("min_improvement", StopReason::MinImprovement),
        Criterion::Decline(_) => ("decline", StopReason::Decline),
        Criterion::Oscillation(_) => ("oscillation", StopReason::Oscillation),
        Criterion::FlipFlop(_) => ("flip_flop", StopReason::FlipFlop),
        Criterion::Script(script) => {
            return Some((
                format!("stop.script.{}", script.name),
                StopReason::Script(Arc::clone(&script.name)),
            ));
        }
        Criterion::Timeout(_) => ("timeout", StopReason::Timeout),
        Criterion::Budget(budget) if *budget == Budget::default() => return None,
        Criterion::Budget(_) => ("budget", StopReason::Budget),
    };
    Some((format!("stop.{key}"), reason))
}

fn groups(plan: &Plan, facts: &mut Facts) {
    let stop = &plan.policy.stop;
    let early = |names: Vec<String>| Ending {
        final_status: FinalStatus::StoppedEarly,
        stop_reason: match names.as_slice() {
            several if several.len() > MOST_NAMES => "the names of those that hold, joined by +".to_owned(),
            names => names.join(" or "),
        },
    };
    for (at, one) in stop.any.iter().enumerate() {
        let values = json!({ "criterion": member(one), "never": false });
        facts.ends(format!("stop.any.{at}"), "criterion", values, early(named(one)));
    }
    if !stop.all.is_empty() {
        facts.ends("stop.all", "together", json!({ "members": list(&stop.all) }), early(together(&stop.all)));
    }
}

/// More names than this are not spelt out.
const MOST_NAMES: usize = 8;

/// The names by which a member of a group may stand in results. Of members that are groups of their own, which of theirs
/// it is depends on the run. At most one more than are spelt out.
fn named(member: &GroupMember) -> Vec<String> {
    let mut names: Vec<String> = match member {
        GroupMember::One(criterion) => {
            key_and_reason(criterion).map(|(_, reason)| reason.to_string()).into_iter().collect()
        }
        GroupMember::All(members) => together(members),
        GroupMember::Any(members) => members.iter().flat_map(named).collect(),
    };
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names.truncate(MOST_NAMES + 1);
    names
}

/// The names of a list whose members must all hold: one of each, joined.
fn together(members: &[GroupMember]) -> Vec<String> {
    let joined = members.iter().map(named).reduce(|before, names| {
        let pairs = before.iter().flat_map(|one| names.iter().map(move |other| format!("{one}+{other}")));
        pairs.take(MOST_NAMES + 1).collect()
    });
    joined.unwrap_or_default()
}

fn outside(plan: &Plan, facts: &mut Facts) {
    facts.add("stop.outside", "outside", json!({}));
    for planned in &plan.stages {
        let stage = &planned.stage;
        let Some(when) = &stage.skip_when else { continue };
        let id = stage.id.value.as_str();
        let when = when.value.split_whitespace().collect::<Vec<_>>().join(" ");
        let values = json!({ "stage": id, "when": when });
        facts.ends(format!("stop.skip.{id}"), "skipped", values, StopReason::Skip(id.into()));
    }
    let values = json!({ "patch": is_patch(plan) });
    facts.ends("stop.unreadable_input", "unreadable", values, StopReason::UnreadableInput);
    if !plan.stages.is_empty() {
        facts.ends("stop.provider_error", "stage_failed", json!({}), StopReason::ProviderError);
    }
    let needed = |judge: &&JudgePlan| judge.judge.on_failure.then == AfterRetries::Escalate;
    let (said, unsaid): (Vec<_>, Vec<_>) =
        plan.judges.iter().filter(needed).partition(|judge| judge.judge.on_failure.said);
    for (judges, key, reason) in [
        (unsaid, "stop.judge_failed", StopReason::ProviderError),
        (said, "stop.judge_failed.escalated", StopReason::CriticalIssue),
    ] {
        if !judges.is_empty() {
            let names: Vec<&str> = judges.iter().map(|judge| judge.judge.id.value.as_str()).collect();
            facts.ends(key, "judge_failed", json!({ "judges": names }), reason);
        }
    }
    facts.ends("stop.cancelled", "cancelled", json!({}), StopReason::Cancelled);
}
