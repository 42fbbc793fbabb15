//! Every rule in its own words, and whether a candidate that breaks it can still be accepted.

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

/// A rule that is the same for several document types.
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
    // If a judge has a say, several measures make up the score, or the issue costs in several dimensions, one rule does
    // not determine the score.
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
            let but: Vec<&str> = programs(plan)
                .map(|program| program.document_type.as_ref())
                .filter(|one| !types.contains(one))
                .collect();
            let is_shorter = !but.is_empty() && but.len() < types.len();
            members.insert("but".to_owned(), if is_shorter { json!(but) } else { Value::Null });
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

/// The rule set of a dimension that has no other measure.
fn rules_of(measure: &Measure) -> Option<&String> {
    if let Measure::Rules { name, .. } = measure { Some(&name.value) } else { None }
}

/// The number of measures of a profile that are of a kind.
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
        let says = match (&text.says, &text.message, expected, &rule.schema) {
            (Some(says), ..) => says.to_string(),
            (None, Some(message), ..) => in_general(message.source()).unwrap_or_else(|| named(&text.rule)),
            (None, None, Some(check), _) => format!("expected {}", check.expected),
            (None, None, None, Some(schema)) => {
                format!("what the schema `{}` does not allow", schema.schema.name)
            }
            (None, None, None, None) => named(&text.rule),
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

/// A description of what a rule forbids, as far as its id tells.
fn named(rule: &str) -> String {
    format!("it does not hold that: {}", rule.replace('-', " "))
}

/// A message in words that hold for every candidate: without the value at its end and the path at its beginning. `None`
/// where the rule computes the message.
fn in_general(message: &str) -> Option<String> {
    let mut text = message.trim().to_owned();
    // "`{{ path }}` is `{{ value }}`; what must be": what must be is enough.
    if text.starts_with("`{{ path }}")
        && let Some(at) = [": ", "; "].iter().filter_map(|end| text.find(end).map(|at| at + end.len())).min()
    {
        text = text.split_off(at);
    }
    for end in [
        ": \"{{ value }}\"",
        ": {{ value }}",
        ", found {{ value }}",
        ": `{{ value }}`",
        ": {{ json }}",
        ", which `{{ value }}` is not",
    ] {
        if let Some(rest) = text.strip_suffix(end) {
            text = rest.to_owned();
        }
    }
    for (variable, word) in [
        ("\"{{ value }}\"", "the value"),
        ("`{{ value }}`", "the value"),
        ("{{ value }}", "the value"),
        ("`{{ json }}`", "the value"),
        ("{{ json }}", "the value"),
        ("`{{ path }}`", "a value"),
        ("{{ path }}", "a value"),
        ("`{{ key }}`", "a field"),
        ("{{ key }}", "a field"),
        ("`{{ field }}`", "a field"),
        ("{{ field }}", "a field"),
    ] {
        text = text.replace(variable, word);
    }
    let works_out = text.contains("{{") || text.contains("{%");
    (!works_out && !text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_said_of_every_candidate() {
        for (message, says) in [
            ("the note says nothing", Some("the note says nothing")),
            ("not a DOI: \"{{ value }}\"", Some("not a DOI")),
            ("a p-value lies between 0 and 1, found {{ value }}", Some("a p-value lies between 0 and 1")),
            ("{{ key }} is not a date: \"{{ value }}\"", Some("a field is not a date")),
            ("invalid MSI status: {{ json }}", Some("invalid MSI status")),
            ("{{ json }} is not a date", Some("the value is not a date")),
            (
                "`{{ path }}` is `{{ value }}`; it is a CONSTANT (AASd-090)",
                Some("it is a CONSTANT (AASd-090)"),
            ),
            ("`{{ path }}/value`: after a list comes a number", Some("after a list comes a number")),
            ("`{{ path }}` is not base64", Some("a value is not base64")),
            ("the submodel `{{ value }}` is not here", Some("the submodel the value is not here")),
            ("{% if value %}a{% endif %}", None),
            ("{{ value | upper }}", None),
            ("{{ value }}", Some("the value")),
        ] {
            assert_eq!(in_general(message).as_deref(), says, "{message}");
        }
        assert_eq!(named("arms-add-up"), "it does not hold that: arms add up");
    }
}
