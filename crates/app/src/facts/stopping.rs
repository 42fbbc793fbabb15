//! The reasons for which the loop stops, in the order in which they are checked (`docs/how-the-loop-decides.md`).

use super::candidate::is_patch;
use super::fact::{Ending, Facts};
use crate::plan::{JudgePlan, Plan};
use crate::policy::{FinalStatus, StopReason};
use crate::profile::{AfterRetries, OnEscalate, OnGateMiss, OnRegression};
use crate::stop::{Criterion, Kind, clause_of_all};
use crate::value::prose::collapsed;
use serde_json::json;
use std::collections::BTreeSet;

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
    for criterion in policy.stop.ungrouped() {
        let never = criterion.needs_rollback() && policy.on_regression == OnRegression::Keep;
        let values = json!({ "when": criterion.clause(), "never": never });
        let key = format!("stop.{}", criterion.place());
        facts.ends(key, "criterion", values, StopReason::of(criterion));
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

fn groups(plan: &Plan, facts: &mut Facts) {
    let stop = &plan.policy.stop;
    let early = |names: Vec<String>| Ending {
        final_status: FinalStatus::StoppedEarly,
        stop_reason: match names.as_slice() {
            several if several.len() > MOST_NAMES => "the names of those that hold, joined by +".to_owned(),
            names => names.join(" or "),
        },
    };
    for (at, one) in stop.any().iter().enumerate() {
        let values = json!({ "when": one.clause(), "never": false });
        facts.ends(format!("stop.any.{at}"), "criterion", values, early(named(one)));
    }
    if !stop.all().is_empty() {
        let values = json!({ "when": clause_of_all(stop.all(), "and") });
        facts.ends("stop.all", "together", values, early(together(stop.all())));
    }
}

/// More names than this are not spelt out.
const MOST_NAMES: usize = 8;

/// The names under which a member of a group may appear in results. For members that are groups themselves, the one
/// that applies depends on the run. At most one more than are spelt out.
fn named(member: &Criterion) -> Vec<String> {
    let mut names: Vec<String> = match member.kind() {
        Kind::All(members) => together(members),
        Kind::Any(members) => members.iter().flat_map(named).collect(),
        Kind::Rule(_) => vec![member.reason()],
    };
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names.truncate(MOST_NAMES + 1);
    names
}

/// The names of a list whose members must all hold: one of each, joined.
fn together(members: &[Criterion]) -> Vec<String> {
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
        let when = collapsed(&when.value);
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
