//! Judges and validators, and the providers that they and stages name.

use super::fact::Facts;
use super::secrets::shown_value;
use crate::plan::Plan;
use crate::profile::{
    AfterRetries, Asked, Call, Grounding, Judge, Measure, Options, Scale, Sees, Unasked, Validator,
};
use serde_json::{Map, Value, json};

/// Returns whether a name under `judges` or `validators` is asked at all.
pub(super) fn is_asked(plan: &Plan, member: &str) -> bool {
    plan.panel.members().iter().any(|known| *known.id == *member)
}

/// A number as JSON, without decimals if it is whole.
pub(crate) fn number(value: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "whole and small")]
    if value.fract() == 0.0 && value.abs() < 1e15 { json!(value as i64) } else { json!(value) }
}

/// The providers that are asked, and those that replace them.
pub(super) fn asked(call: &Call) -> Value {
    let providers = call.providers.iter().map(|choice| {
        let name = &choice.name.value;
        json!({ "name": name, "plugin": name.split(':').next() })
    });
    json!({ "kind": "providers", "providers": providers.collect::<Vec<_>>() })
}

/// The time that a call may take and the number of its repetitions.
pub(super) fn attempts(facts: &mut Facts, key: &str, call: &Call, retries: u32) {
    let chained = call.providers.len() > 1;
    let values = json!({ "deadline": call.deadline.0, "retries": retries, "chained": chained });
    facts.add(format!("{key}.attempts"), "attempts", values);
}

/// The settings for the model and the plugin.
pub(super) fn call_settings(facts: &mut Facts, key: &str, call: &Call) {
    let Options { model, temperature, seed, max_tokens, extra_body, extra_headers } = &call.options;
    let said = [
        model.is_some(),
        temperature.is_some(),
        seed.is_some(),
        max_tokens.is_some(),
        !extra_body.is_empty(),
        !extra_headers.is_empty(),
    ];
    if said.contains(&true) {
        let values = json!({
            "model": model,
            "temperature": temperature.map(number),
            "seed": seed,
            "max_tokens": max_tokens,
            "body": pairs("extra_body", extra_body),
            "headers": extra_headers.keys().collect::<Vec<_>>(),
        });
        facts.add(format!("{key}.options"), "options", values);
    }
    for choice in &call.providers {
        let Some(members) = choice.config.as_object().filter(|members| !members.is_empty()) else { continue };
        let name = &choice.name.value;
        let values = json!({ "provider": name, "settings": pairs("config", members) });
        facts.add(format!("{key}.config.{name}"), "config", values);
    }
    match call.attach.as_ref().map(|attach| attach.value.pages()) {
        None => {}
        Some(None) => facts.add(format!("{key}.attach"), "attach", json!({})),
        Some(Some(pages)) => {
            let chosen = (!pages.pages.takes_all()).then(|| pages.pages.to_string());
            let values = json!({ "chosen": chosen, "pixels": pages.pixels });
            facts.add(format!("{key}.attach"), "attach_pages", values);
        }
    }
}

/// Settings in a form that may be shown.
fn pairs(path: &str, members: &Map<String, Value>) -> Vec<[String; 2]> {
    let shown = |(key, value): (&String, &Value)| [key.clone(), shown_value(&format!("{path}.{key}"), value)];
    members.iter().map(shown).collect()
}

pub(super) fn members(plan: &Plan, facts: &mut Facts) {
    for validator in &plan.profile.validators {
        one_validator(plan, validator, facts);
    }
    for judge in &plan.profile.judges {
        one_judge(plan, judge, facts);
    }
}

fn one_judge(plan: &Plan, judge: &Judge, facts: &mut Facts) {
    let id = &judge.id.value;
    let key = format!("judge.{id}");
    let (with_quorum, without) = measured_by(plan, id);
    if !judge.is_asked() {
        let measures = [with_quorum, without].concat();
        let because = match judge.unasked {
            Some(Unasked::NoModel) => "no_model",
            Some(Unasked::NotNamed) => "not_named",
            None => "no_provider",
        };
        facts.add(key, "silent_judge", json!({ "id": id, "measures": measures, "because": because }));
        return;
    }
    if plan.profile.value_judge().is_some_and(|named| named.value == *id) {
        value_judge(plan, judge, &key, facts);
        return;
    }
    let masked = !plan.profile.mask.is_empty();
    let sees = match judge.sees {
        Sees::Unmasked if masked => "the whole document, with what is withheld from the stages",
        _ if masked => "the document without what is withheld",
        _ => "the document",
    };
    let values = json!({
        "id": id,
        "asked": asked(&judge.call),
        "gate": plan.policy.gate.is_some(),
        "sees": sees,
        "prompt": judge.call.prompt.as_ref().map(|prompt| format!("prompts/{}", prompt.value)),
        "reference": judge.reference.as_ref().map(|file| file.value.as_str()),
        "output": judge.call.output.as_ref().map(|schema| schema.value.as_str()),
    });
    facts.add(key.clone(), "judge", values);
    facts.add(format!("{key}.withhold"), "withheld", json!({ "fields": judge.withhold }));
    if judge.scale != Scale::default() {
        let (low, high) = judge.scale.bounds();
        let values = json!({ "low": number(low), "high": number(high) });
        facts.add(format!("{key}.scale"), "judge_scale", values);
    }
    let values = json!({
        "at": judge.issues.as_ref().map(|pointer| pointer.value.as_str()),
        "severity": judge.severity.as_str(),
        "sees_more": judge.reference.is_some() || judge.sees == Sees::Unmasked,
    });
    facts.add(format!("{key}.issues"), "judge_issues", values);
    attempts(facts, &key, &judge.call, judge.on_failure.retry);
    let stand_in = match &judge.on_failure.then {
        AfterRetries::Escalate => Value::Null,
        AfterRetries::Score(score) => json!({ "kind": "stand_in", "score": score, "dimension": null }),
        AfterRetries::Dimension(name) => json!({ "kind": "stand_in", "score": null, "dimension": name }),
    };
    let values = json!({ "stand_in": stand_in, "with_quorum": with_quorum, "without": without });
    facts.follows(&[&format!("judges.{id}.on_failure")], format!("{key}.failure"), "judge_failure", values);
    call_settings(facts, &key, &judge.call);
}

/// A judge that is shown single values and their passages, and scores nothing.
fn value_judge(plan: &Plan, judge: &Judge, key: &str, facts: &mut Facts) {
    let values = json!({
        "id": judge.id.value,
        "asked": asked(&judge.call),
        "gate": plan.policy.gate.is_some(),
        "at_once": judge.values.at_once,
        "calls": judge.values.calls,
        "words": judge.values.words.iter().map(|(word, verdict)| json!({ "word": word, "verdict": verdict.as_str() })).collect::<Vec<_>>(),
        "prompt": judge.call.prompt.as_ref().map(|prompt| format!("prompts/{}", prompt.value)),
        "output": judge.call.output.as_ref().map(|schema| schema.value.as_str()),
    });
    facts.add(key.to_owned(), "value_judge", values);
    attempts(facts, key, &judge.call, judge.on_failure.retry);
    let values = json!({ "escalates": judge.on_failure.then == AfterRetries::Escalate });
    let follows = format!("judges.{}.on_failure", judge.id.value);
    facts.follows(&[&follows], format!("{key}.failure"), "value_judge_failure", values);
    call_settings(facts, key, &judge.call);
}

fn one_validator(plan: &Plan, validator: &Validator, facts: &mut Facts) {
    let id = &validator.id.value;
    let key = format!("validator.{id}");
    let mut values = json!({ "id": id, "gate": plan.policy.gate.is_some(), "program": null });
    let more = match &validator.asked {
        Asked::Command { command, script } => json!({
            "program": shown_value("command", &command.join(" ").into()),
            "script": script.as_ref().map(|file| format!("rules/{}", file.value)),
        }),
        Asked::Service { config, .. } => {
            let text = |key: &str| config.get(key).and_then(Value::as_str).unwrap_or_default();
            let yes = |key: &str| config.get(key).and_then(Value::as_bool) == Some(true);
            let url = shown_value("url", &format!("{}{}", text("base_url"), text("path")).into());
            json!({ "url": url, "token": yes("token"), "plain": yes("allow_http") })
        }
    };
    if let (Value::Object(values), Value::Object(more)) = (&mut values, more) {
        values.extend(more);
    }
    facts.add(key.clone(), "validator", values);
    facts.add(format!("{key}.stages"), "validator_stages", json!({ "stages": validator.stages }));
    let values = json!({ "deadline": validator.deadline.0, "retries": validator.retries });
    facts.add(format!("{key}.attempts"), "validator_attempts", values);
}

/// The dimensions that a judge has, or would have, a say in: those with a quorum, and the others.
fn measured_by<'a>(plan: &'a Plan, judge: &str) -> (Vec<&'a str>, Vec<&'a str>) {
    let (mut with_quorum, mut without) = (Vec::new(), Vec::new());
    for dimension in &plan.profile.dimensions {
        let names = |part: &Measure| matches!(part, Measure::Grounding(Grounding { judge: Some(named), .. }) if named.value == judge);
        if dimension.measure.parts().any(names) {
            without.push(dimension.name.as_str());
        }
        let Some(second) = &dimension.second else { continue };
        if second.sources.iter().any(|source| source.name.value == judge) {
            let found = if second.quorum.is_some() { &mut with_quorum } else { &mut without };
            found.push(dimension.name.as_str());
        }
    }
    (with_quorum, without)
}
