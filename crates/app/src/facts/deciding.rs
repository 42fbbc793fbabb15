//! The acceptance of a candidate, the gate before that, and the candidate that is returned.

use super::fact::Facts;
use crate::plan::Plan;
use crate::profile::{Concerns, OnGateMiss, OnRegression, Returned, SelectKey, Ties};
use serde_json::{Value, json};

pub(super) fn acceptance(plan: &Plan, facts: &mut Facts) {
    let accept = &plan.policy.accept;
    let lines = accept.thresholds.len() + accept.issue_limits.len();
    facts.add("accept", "accept", json!({ "lines": lines }));
    for threshold in &accept.thresholds {
        let values = json!({ "of": threshold.target.name(), "at_least": threshold.bound });
        facts.add(threshold.line().to_string(), "threshold", values);
    }
    for (kind, limit) in &accept.issue_limits {
        let values = json!({ "issues": kind.as_str(), "at_most": limit });
        facts.add(format!("accept.{}_issues", kind.as_str()), "issue_limit", values);
    }
    for (condition, waived) in accept.conditions() {
        let matters = match condition.concerns {
            Concerns::Attachments => plan.attaches(),
            Concerns::DocumentTypes => plan.classifier.is_some(),
        };
        if matters {
            facts.add(condition.line(), condition.key.name, json!({ "accepted": waived }));
        }
    }
    let panel = !plan.panel.members().is_empty();
    let Some(gate) = &plan.policy.gate else {
        facts.add("gate", "no_gate", json!({ "panel": panel }));
        return;
    };
    let values = json!({ "dimension": gate.dimension, "bound": gate.bound, "panel": panel });
    facts.add("gate", "gate", values);
    let stops = gate.on_correction == OnGateMiss::Stop;
    let rollback = plan.policy.on_regression == OnRegression::Rollback;
    // A correction that ends the loop is not rolled back.
    let values = json!({ "stops": stops, "rollback": rollback && !stops });
    facts.add("gate.on_correction", "gate_correction", values);
}

pub(super) fn selection(plan: &Plan, facts: &mut Facts) {
    let select = &plan.policy.select;
    let last = select.returned == Returned::Last;
    facts.add("select.returned", "returned", json!({ "last": last }));
    let idle = last && plan.policy.on_regression == OnRegression::Keep;
    let keys: Vec<Value> = select
        .order
        .iter()
        .map(|key| {
            let (mut fewest, mut score) = (None, None);
            match key {
                SelectKey::NoCritical => {}
                SelectKey::Fewest(kind) => fewest = Some(kind.as_str()),
                SelectKey::Score(target) => score = Some(target.name()),
            }
            json!({ "no_critical": *key == SelectKey::NoCritical, "fewest": fewest, "score": score })
        })
        .collect();
    facts.add("select.order", "rank", json!({ "keys": keys, "idle": idle }));
    facts.add("select.ties", "ties", json!({ "last": select.ties == Ties::Last }));
}
