//! Rules that can't fail, can't apply, repeat another, or find issues that no one is told of.

use super::language::rules;
use super::project::{Fields, Project};
use super::schema::Reach;
use crate::diag::{Code, Problem, Problems, Span};
use crate::lint::nodes::{entries, one_or_more};
use crate::profile::{IssueKind, Measure};
use crate::value::prose::listed;
use crate::value::yaml::{Data, Node};
use crate::value::{Disposition, JsonPath, PathStep, Severity};
use serde_json::Value;
use std::collections::BTreeMap;

/// Keys of a rule that describe its issues, not its question.
const WORDING: [&str; 7] = ["id", "message", "suggestion", "code", "severity", "disposition", "auto_fixable"];

pub(super) fn check(project: &Project<'_>, problems: &mut Problems) {
    same(project, problems);
    units_and_ranges(project, problems);
    let dimensions = &project.subject.loaded.profile.dimensions;
    let is_schema_asked =
        dimensions.iter().flat_map(|d| d.measure.parts()).any(|m| matches!(m, Measure::Schema { .. }));
    for file in &project.rules {
        for (rule, types) in project.rules_of(file) {
            let fields: Vec<&Fields<'_>> = types.iter().filter_map(|kind| project.fields.get(kind)).collect();
            let subject = match (rule.get("field"), rule.get("each")) {
                (Some(field), _) => field.as_text().map(|name| vec![PathStep::Key(name.to_owned())]),
                (None, Some(each)) => each.as_text().and_then(steps),
                (None, None) => None,
            };
            // If no measure holds answers against the schema, a rule that repeats it is asked in its place.
            let asked = Asked { fields: &fields, of_rule: is_schema_asked };
            conditions(rule, subject.as_deref(), asked, problems);
            unheard(project, rule, problems);
        }
    }
}

fn steps(path: &str) -> Option<Vec<PathStep>> {
    JsonPath::parse(path).ok()?.steps().map(<[PathStep]>::to_vec)
}

/// The context that conditions are checked in.
#[derive(Clone, Copy)]
struct Asked<'f> {
    /// The fields of each document type that the rule is for.
    fields: &'f [&'f Fields<'f>],
    /// `true` if these are checks of the rule, and the schema is measured besides: then its demands need not be asked
    /// again. A condition of a `when` that names every value still asks whether there is one.
    of_rule: bool,
}

/// Checks whose answer follows from the schema, or from another check beside them.
fn conditions(node: &Node, subject: Option<&[PathStep]>, asked: Asked<'_>, problems: &mut Problems) {
    let allowed = subject.and_then(|steps| allowed_by_schema(steps, asked.fields));
    let name = subject.map(path_of).unwrap_or_default();
    if let (Some(allowed), Some((wanted, ignore_case, at))) = (&allowed, literal(node)) {
        let same = |a: &Value, b: &Value| equal(a, b, ignore_case);
        let hits = allowed.iter().filter(|value| wanted.iter().any(|w| same(w, value))).count();
        let list = listed(allowed.iter().map(|value| plain(value)));
        if hits == 0 {
            problems.push(
                Problem::warning(
                    Code::DecidedCondition,
                    at,
                    format!("this never holds: by the schema `{name}` is one of {list}"),
                )
                .help("write the value as the schema has it"),
            );
        } else if hits == allowed.len() && asked.of_rule {
            problems.push(
                Problem::warning(
                    Code::DecidedCondition,
                    at,
                    format!(
                        "this always holds: by the schema `{name}` is one of {list}, and all of them are here"
                    ),
                )
                .help("take it out, or take out the values that are wrong"),
            );
        }
    }
    contradiction(node, problems);
    let below = |key: &str| node.get(key);
    for (key, subject) in [("when", None), ("not", subject), ("value", subject)] {
        if let Some(inner) = below(key) {
            // `when` applies to the target, unless it names a field.
            let own = inner.get("field").and_then(Node::as_text).and_then(place);
            let start =
                if key == "when" { own.or_else(|| target(node)) } else { own.or(subject.map(<[_]>::to_vec)) };
            let asked = Asked { of_rule: asked.of_rule && key != "when", ..asked };
            conditions(inner, start.as_deref(), asked, problems);
        }
    }
    for key in ["all", "any"] {
        for inner in below(key).map(one_or_more).unwrap_or_default() {
            let own = inner.get("field").and_then(Node::as_text).and_then(place);
            conditions(inner, own.as_deref().or(subject), asked, problems);
        }
    }
}

fn target(rule: &Node) -> Option<Vec<PathStep>> {
    match (rule.get("field"), rule.get("each")) {
        (Some(field), _) => field.as_text().and_then(place),
        (None, Some(each)) => each.as_text().and_then(steps),
        (None, None) => None,
    }
}

/// A field name or a path from the candidate.
fn place(text: &str) -> Option<Vec<PathStep>> {
    match text.chars().next()? {
        '$' => steps(text),
        '@' | '^' | '<' => None,
        _ => Some(vec![PathStep::Key(text.to_owned())]),
    }
}

fn path_of(steps: &[PathStep]) -> String {
    let parts: Vec<String> = steps
        .iter()
        .map(|step| match step {
            PathStep::Key(key) => key.clone(),
            PathStep::Keys(keys) => keys.join(","),
            PathStep::Index(index) => index.to_string(),
            PathStep::Wildcard => "*".to_owned(),
        })
        .collect();
    parts.join(".")
}

/// The only values that the schemas of all types allow there.
fn allowed_by_schema<'v>(steps: &[PathStep], fields: &[&Fields<'v>]) -> Option<Vec<&'v Value>> {
    let mut all: Vec<&Value> = Vec::new();
    for fields in fields {
        let Reach::Places(places) = fields.reach(steps) else { return None };
        for place in places {
            for value in place.values()? {
                if !all.contains(&value) {
                    all.push(value);
                }
            }
        }
    }
    (!all.is_empty()).then_some(all)
}

/// The values that `equals` or `one_of` asks for, whether case is ignored, and their position.
fn literal(node: &Node) -> Option<(Vec<Value>, bool, &Span)> {
    if let Some(value) = node.get("equals") {
        return Some((vec![value.to_json()], false, &value.span));
    }
    let list = node.get("one_of")?;
    let ignore_case = matches!(list.get("ignore_case").map(|n| &n.data), Some(Data::Bool(true)));
    let values = one_or_more(list.get("values").unwrap_or(list)).iter().map(Node::to_json).collect();
    Some((values, ignore_case, &list.span))
}

fn equal(a: &Value, b: &Value, ignore_case: bool) -> bool {
    match (a, b) {
        (Value::String(a), Value::String(b)) if ignore_case => a.to_lowercase() == b.to_lowercase(),
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        _ => a == b,
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Checks beside each other of which one rules the other out.
fn contradiction(node: &Node, problems: &mut Problems) {
    let Some((wanted, ignore_case, at)) = literal(node) else { return };
    let mut other = None;
    if let (Some(equals), Some(list)) = (node.get("equals"), node.get("one_of")) {
        let values = one_or_more(list.get("values").unwrap_or(list));
        if !values.iter().any(|value| equal(&value.to_json(), &equals.to_json(), ignore_case)) {
            other = Some(("one_of", list));
        }
    }
    if let Some(range) = node.get("range") {
        let bound = |key: &str| range.get(key).and_then(|n| n.to_json().as_f64());
        let (low, high) = (bound("min").unwrap_or(f64::MIN), bound("max").unwrap_or(f64::MAX));
        let inside = |value: &Value| value.as_f64().is_none_or(|number| (low..=high).contains(&number));
        if !wanted.iter().any(inside) {
            other = Some(("range", range));
        }
    }
    if let Some(matches) = node.get("matches") {
        let pattern = matches.get("pattern").unwrap_or(matches).as_text().unwrap_or_default();
        let any_case = matches!(matches.get("ignore_case").map(|n| &n.data), Some(Data::Bool(true)));
        let built = regex::RegexBuilder::new(pattern).case_insensitive(any_case).size_limit(1 << 20).build();
        if let Ok(regex) = built
            && !wanted.iter().any(|value| regex.is_match(&plain(value)))
        {
            other = Some(("matches", matches));
        }
    }
    if let Some((key, place)) = other {
        problems.push(
            Problem::warning(
                Code::DecidedCondition,
                at,
                format!("this and `{key}` beside it can't both hold"),
            )
            .related(&place.span, "the other")
            .help("keep one of the two, or put them under `any:`"),
        );
    }
}

/// Two rules that ask the same of the same documents.
fn same(project: &Project<'_>, problems: &mut Problems) {
    let mut known: BTreeMap<String, &Node> = BTreeMap::new();
    for rule in project.rules.iter().flat_map(|file| rules(&file.root)) {
        let mut asks = BTreeMap::new();
        for entry in entries(Some(rule)).filter(|entry| !WORDING.contains(&entry.key.as_str())) {
            let mut value = entry.value.to_json();
            if entry.key == "for" {
                let mut types = super::language::texts(Some(&entry.value));
                types.sort_unstable();
                value = types.into();
            }
            asks.insert(entry.key.as_str(), value);
        }
        let key = serde_json::to_string(&asks).unwrap_or_default();
        let Some(id) = rule.get("id") else { continue };
        match known.get(&key) {
            None => {
                known.insert(key, id);
            }
            Some(first) => problems.push(
                Problem::warning(
                    Code::SameRule,
                    &id.span,
                    format!(
                        "`{}` asks the same as `{}`, so one mistake costs twice",
                        id.as_text().unwrap_or_default(),
                        first.as_text().unwrap_or_default()
                    ),
                )
                .related(&first.span, "the other rule")
                .help("take one of them out"),
            ),
        }
    }
}

/// Rules of which one asks a unit of a target and another a range: no value satisfies both.
fn units_and_ranges(project: &Project<'_>, problems: &mut Problems) {
    let always: Vec<&Node> = project
        .rules
        .iter()
        .flat_map(|file| rules(&file.root))
        .filter(|rule| rule.get("when").is_none())
        .collect();
    let target = |rule: &Node| {
        let named = rule.get("field").or_else(|| rule.get("each"));
        named.and_then(Node::as_text).map(str::to_owned)
    };
    let meet = |a: &Node, b: &Node| {
        let (a, b) = (super::language::texts(a.get("for")), super::language::texts(b.get("for")));
        a.is_empty() || b.is_empty() || a.iter().any(|kind| b.contains(kind))
    };
    for (rule, unit) in always.iter().filter_map(|rule| Some((*rule, rule.get("unit")?))) {
        // Within one rule it is reported when the rule is read.
        let others = always.iter().filter(|other| !std::ptr::eq(**other, rule));
        let range = others
            .filter(|other| target(other).is_some() && target(other) == target(rule) && meet(other, rule))
            .find_map(|other| other.get("range"));
        let Some(range) = range else { continue };
        let message = "no value has this unit and is within the range that another rule asks of it: a range is of numbers alone";
        problems.push(
            Problem::warning(Code::DecidedCondition, &unit.span, message)
                .related(&range.span, "the range")
                .help("write one rule with `quantity: { units: [mm, cm], min: 1, max: 500, in: mm }`"),
        );
    }
}

/// Issues that keep a candidate from being accepted, and that no one is told of.
fn unheard(project: &Project<'_>, rule: &Node, problems: &mut Problems) {
    let Some(disposition) = rule.get("disposition") else { return };
    if disposition.as_text() != Some(Disposition::Warn.as_str()) {
        return;
    }
    let severity = rule.get("severity").and_then(Node::as_text).unwrap_or(Severity::Major.as_str());
    let limits = &project.subject.loaded.profile.policy.accept.issue_limits;
    if limits.iter().any(|(kind, _)| matches!(kind, IssueKind::Severity(s) if s.as_str() == severity)) {
        problems.push(
            Problem::warning(
                Code::IdleRule,
                &disposition.span,
                format!(
                    "`accept` counts {severity} issues, and by `disposition: warn` the model is never told of this one"
                ),
            )
            .help("write `disposition: correct` (the loop) or `escalate` (a person), or a smaller severity"),
        );
    }
}
