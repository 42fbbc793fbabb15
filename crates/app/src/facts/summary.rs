//! The summary that gets signed: what passes, what is refused, when a person reviews, what it costs at most. It follows
//! from the facts before it.

use super::fact::Facts;
use super::limits::{calls, every_call};
use super::people::reviewed;
use crate::plan::Plan;
use crate::profile::{Measure, OnEscalate, Returned};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) fn add(plan: &Plan, facts: &mut Facts) {
    let policy = &plan.policy;
    let said = plan.profile.description.trim().replace('\n', " ");
    facts.follows(&["description"], "short.purpose", "in_short_purpose", json!({ "said": said }));
    facts.follows(&["accept", "gate"], "short.passes", "in_short_passes", passes(plan));
    facts.follows(&["assess", "overall"], "short.meaning", "in_short_meaning", meaning(plan));
    if let Some(values) = fields(facts) {
        facts.follows(&["assess", "accept"], "short.fields", "in_short_fields", values);
    }
    if let Some(values) = rules(facts) {
        facts.follows(&["assess", "accept"], "short.rules", "in_short_rules", values);
    }
    let made = !plan.stages.is_empty();
    let values = json!({
        "most": made.then(|| super::calls::most_candidates(plan)),
        "time": policy.stop.timeout().map(|limit| limit.0),
        "last": policy.select.returned == Returned::Last,
    });
    facts.follows(&["stop", "select"], "short.refused", "in_short_refused", values);
    let mut values = reviewed(plan);
    if let Some(members) = values.as_object_mut() {
        members.insert("stops".to_owned(), (policy.on_escalate == OnEscalate::Stop).into());
    }
    facts.follows(&["review", "on_escalate"], "short.review", "in_short_review", values);
    asked(plan, facts);
    if made {
        let money = facts.of_kind("money").next().cloned();
        let values = json!({
            "calls": calls(plan),
            "within": policy.stop.budget().calls,
            "free": money.is_none(),
            "limit": money.as_ref().map(|money| money.value("limit")),
            "written": money.as_ref().map(|money| money.value("written")),
        });
        facts.follows(&["stop", "stages", "judges"], "short.cost", "in_short_cost", values);
    }
}

fn passes(plan: &Plan) -> Value {
    let accept = &plan.policy.accept;
    let bounds = accept.thresholds.iter();
    let bounds = bounds.map(
        |threshold| json!({ "kind": "reaches", "of": threshold.target.name(), "at_least": threshold.bound }),
    );
    let limits = accept.issue_limits.iter();
    let limits =
        limits.map(|(kind, most)| json!({ "kind": "limited", "issues": kind.as_str(), "at_most": most }));
    let gate = plan.policy.gate.as_ref();
    let gate = gate.map(|gate| json!({ "dimension": gate.dimension, "bound": gate.bound }));
    json!({ "lines": bounds.chain(limits).collect::<Vec<_>>(), "gate": gate })
}

fn meaning(plan: &Plan) -> Value {
    let weighed = super::scoring::weights(plan);
    let counted = plan.profile.dimensions.iter().filter(|dimension| {
        let weighs = weighed.iter().any(|(name, weight)| *name == dimension.name && *weight > 0.0);
        let bounds = &plan.policy.accept.thresholds;
        let bounded = bounds.iter().any(|threshold| threshold.target.name() == dimension.name);
        weighs || bounded
    });
    let parts: Vec<&Measure> = counted.flat_map(|dimension| dimension.measure.parts()).collect();
    let has = |wanted: fn(&Measure) -> bool| parts.iter().any(|part| wanted(part));
    // The verdicts of the judge of single values are part of what the document supports.
    let judged = plan.panel.members().iter().filter(|member| !member.is_value_judge());
    let judged: Vec<String> = judged.map(|member| member.id.to_string()).collect();
    json!({
        "complete": has(|part| matches!(part, Measure::Rubric { .. })),
        "consistent": has(|part| matches!(part, Measure::Rules { .. })),
        "supported": has(|part| matches!(part, Measure::Grounding(_))),
        "judged": judged,
    })
}

/// The fields whose absence alone keeps every candidate from passing, whatever the document's type.
fn fields(facts: &Facts) -> Option<Value> {
    let mut found: BTreeMap<&str, (bool, bool)> = BTreeMap::new();
    for fact in facts.of_kind("missing") {
        let names = |key: &str| fact.value(key).as_array().into_iter().flatten().filter_map(Value::as_str);
        names("refused").for_each(|name| found.entry(name).or_default().0 = true);
        names("passing").for_each(|name| found.entry(name).or_default().1 = true);
    }
    let such = |wanted: (bool, bool)| -> Vec<&str> {
        found.iter().filter(|(_, known)| **known == wanted).map(|(name, _)| *name).collect()
    };
    let values = json!({
        "refused": such((true, false)),
        "passing": such((false, true)),
        "mixed": such((true, true)),
        "by_type": facts.of_kind("missing").count() > 1,
    });
    (!found.is_empty()).then_some(values)
}

fn rules(facts: &Facts) -> Option<Value> {
    let mut ids: Vec<&str> = facts.of_kind("rule").filter_map(|fact| fact.value("id").as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    let such = |wanted: bool| -> Vec<&str> {
        let rules = facts.of_kind("rule").filter(|fact| fact.value("passes").as_bool() == Some(wanted));
        rules.filter_map(|fact| fact.value("id").as_str()).collect()
    };
    let values = json!({ "all": ids.len(), "refusing": such(false), "passing": such(true) });
    (!ids.is_empty()).then_some(values)
}

fn asked(plan: &Plan, facts: &mut Facts) {
    let mut providers: Vec<&str> = Vec::new();
    for choice in every_call(plan).flat_map(|call| &call.providers) {
        if !providers.contains(&choice.name.value.as_str()) {
            providers.push(&choice.name.value);
        }
    }
    if providers.is_empty() {
        return;
    }
    let validators = plan.profile.validators.iter().map(|validator| validator.id.value.as_str());
    let values = json!({
        "providers": providers,
        "local": providers.iter().all(|name| ["pattern", "scripted"].contains(name)),
        "validators": validators.collect::<Vec<_>>(),
        "masked": !plan.profile.mask.is_empty(),
    });
    facts.follows(&["stages", "judges", "validators"], "short.asked", "in_short_asked", values);
}
