//! Every rule in its own words, and whether a candidate can be accepted all the same.

use super::fact::Facts;
use super::outlook::Outlook;
use super::scoring::asked_sources;
use crate::plan::Plan;
use crate::profile::{Counts, Dimension, Measure};
use crate::rules::{CompiledMeasure, CompiledTarget, IssueText, Program};
use crate::value::Disposition;
use serde_json::{Value, json};

pub(super) fn programs(plan: &Plan) -> impl Iterator<Item = &Program> {
    let rules = plan.scoring.rules();
    rules.document_types().map(move |document_type| rules.program(document_type).as_ref())
}

/// A rule as it is the same for several document types.
struct Rule<'a> {
    types: Vec<&'a str>,
    values: Value,
}

/// Adds the rules of the `nth` rule set of a dimension; `takes` is what its first issue takes off, and which issues do.
pub(super) fn add(
    plan: &Plan,
    dimension: &Dimension,
    key: &str,
    nth: usize,
    takes: (f64, Counts),
    facts: &mut Facts,
) {
    // Of what a judge has a say in, what several measures make, and what costs in several dimensions, one rule does not
    // tell the score.
    let own = |measure: &Measure| matches!(measure, Measure::Rules { name, .. } if Some(&name.value) == rules_of(&dimension.measure));
    let plain = count(plan, own) == 1 && asked_sources(plan, dimension).is_empty();
    let outlook = if plain { Outlook::of(plan) } else { None };
    let mut found: Vec<Rule<'_>> = Vec::new();
    let mut without = Vec::new();
    for program in programs(plan) {
        let rules = of_program(plan, program, &dimension.name, nth, |handled, text| {
            let (drop, counts) = takes;
            let severity = text.severity;
            let counted = text.costs && (counts == Counts::All || handled != Disposition::Warn);
            let drop = if counted { drop } else { 0.0 };
            outlook.as_ref().map(|all| all.passes(&dimension.name, drop, Some((severity, handled))))
        });
        if rules.is_empty() {
            without.push(program.document_type.as_ref());
        }
        for values in rules {
            match found.iter_mut().find(|known| known.values == values) {
                Some(known) => known.types.push(&program.document_type),
                None => found.push(Rule { types: vec![&program.document_type], values }),
            }
        }
    }
    let all = programs(plan).count();
    let none = found.is_empty();
    for Rule { types, mut values } in found {
        if let Some(members) = values.as_object_mut() {
            let types = if types.len() == all { Value::Null } else { json!(types) };
            members.insert("types".to_owned(), types);
        }
        let id = values.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        facts.add(format!("{key}.rule.{id}"), "rule", values);
    }
    if !without.is_empty() && !none {
        facts.add(format!("{key}.no_rules"), "no_rules", json!({ "types": without }));
    }
}

/// The rule set of a dimension that has one and nothing else.
fn rules_of(measure: &Measure) -> Option<&String> {
    if let Measure::Rules { name, .. } = measure { Some(&name.value) } else { None }
}

/// How many measures of a profile are of a kind.
pub(super) fn count(plan: &Plan, is_so: impl Fn(&Measure) -> bool) -> usize {
    plan.profile
        .dimensions
        .iter()
        .flat_map(|dimension| dimension.measure.parts())
        .filter(|part| is_so(part))
        .count()
}

/// The rules of a rule set for one document type.
fn of_program(
    plan: &Plan,
    program: &Program,
    dimension: &str,
    nth: usize,
    passes: impl Fn(Disposition, &IssueText) -> Option<bool>,
) -> Vec<Value> {
    let sets =
        program.measures_of(dimension).filter(|measure| matches!(measure, CompiledMeasure::Rules { .. }));
    let mut rules: Vec<Value> = Vec::new();
    for rule in sets.skip(nth).take(1).flat_map(CompiledMeasure::rules) {
        let (text, expected) = (&rule.issue, rule.all_checks().next());
        let about = match &rule.target {
            CompiledTarget::Candidate => None,
            CompiledTarget::Field { name, .. } => Some(name.to_string()),
            CompiledTarget::Each { path, .. } => Some(path.as_str().to_owned()),
        };
        let says = match (&text.message, expected) {
            (Some(message), _) => without_values(message.source()),
            (None, Some(check)) => format!("expected {}", check.expected),
            (None, None) => format!("issues with the code {}", text.code),
        };
        let handled =
            text.disposition.unwrap_or_else(|| plan.policy.dispositions.of(&text.code, text.auto_fixable));
        rules.push(json!({
            "id": text.rule,
            "about": about,
            "says": says,
            "severity": text.severity.as_str(),
            "handled": handled.as_str(),
            "costs": text.costs,
            "passes": passes(handled, text),
        }));
    }
    rules
}

/// A message with `…` for what is only known of a candidate.
fn without_values(message: &str) -> String {
    let mut out = String::new();
    let mut rest = message;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        out.push('…');
        rest = after.split_once("}}").map_or("", |(_, rest)| rest);
    }
    out.push_str(rest);
    out
}
