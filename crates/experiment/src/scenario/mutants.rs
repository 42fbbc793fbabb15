//! A profile changed in one place, in every way that a slip could change it.

use crate::diag::{Problems, SourceFile};
use crate::profile::{IssueKind, Profile};
use crate::value::prose::cut;
use crate::value::shape::Shape;
use crate::value::yaml::{Data, Node, parse};
use regex::Regex;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

/// A profile with one change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutant {
    /// The line of the change, from 1.
    pub line: usize,
    /// The change, such as `stop.max_iterations: 5 → 6`.
    pub name: String,
    /// The changed profile.
    pub text: String,
}

/// Keys that can't change what a scenario decides, each with the reason. The last part of a path, or a whole path.
const EXEMPT: [(&str, &str); 12] = [
    ("name", "is shown to people"),
    ("description", "is shown to people"),
    ("promises", "is proved, and decides nothing"),
    ("provider", "who answers; a case brings the answers itself"),
    ("config", "belongs to a provider"),
    ("options", "belongs to a provider"),
    ("deadline", "how long a provider may take"),
    ("retries", "how often a provider is asked again after a failure"),
    ("retry", "how often a provider is asked again after a failure"),
    ("patterns", "what the provider `pattern` looks for"),
    ("command", "a program outside; a case brings its answer itself"),
    ("script", "a program outside; a case brings its answer itself"),
];

/// The reason why a setting can't be guarded by cases; `None` for those that can.
#[must_use]
pub(crate) fn exemption(path: &str) -> Option<&'static str> {
    let last = path.rsplit('.').next().unwrap_or(path);
    let of_provider =
        path.starts_with("stages.") || path.starts_with("judges.") || path.starts_with("validators.");
    EXEMPT
        .iter()
        .find(|(key, _)| match *key {
            "name" | "description" | "promises" => path == *key,
            key => of_provider && (last == key || path.contains(&format!(".{key}."))),
        })
        .map(|(_, reason)| *reason)
}

/// Lists whose order means something.
const IN_ORDER: [&str; 2] = ["select.order", "stages"];

/// The other words that may replace one, as the profile's keys are declared.
fn alternatives(path: &[String], word: &str) -> Vec<String> {
    let mut shapes = vec![Shape::Mapping(Profile::mapping())];
    for part in path {
        shapes = shapes.iter().flat_map(|shape| inside(shape, part)).collect();
    }
    let words = shapes.iter().flat_map(words_of).collect::<BTreeSet<_>>();
    if !words.contains(word) {
        return Vec::new();
    }
    words.into_iter().filter(|other| *other != word).map(str::to_owned).collect()
}

/// The values that may be under a key of a mapping, or at an index of a list.
fn inside(shape: &Shape, part: &str) -> Vec<Shape> {
    match shape {
        Shape::Mapping(mapping) => {
            let key = mapping.key(part).map(|key| key.shape());
            key.or_else(|| mapping.open.map(|open| (open.shape)())).into_iter().collect()
        }
        Shape::Map(open) => vec![(open.shape)()],
        Shape::List(item) if part.parse::<usize>().is_ok() => vec![(**item).clone()],
        Shape::AnyOf(shapes) => shapes.iter().flat_map(|shape| inside(shape, part)).collect(),
        _ => Vec::new(),
    }
}

fn words_of(shape: &Shape) -> Vec<&'static str> {
    match shape {
        Shape::Words(words) => words.iter().map(|word| word.word).collect(),
        Shape::AnyOf(shapes) => shapes.iter().flat_map(words_of).collect(),
        _ => Vec::new(),
    }
}

/// The other known names that could replace `name`, if it is that of a score or of a kind of issues: the last part of
/// `path` if `is_key`, else the value there. Names beside it are left out: that would say one thing twice.
fn other_names(
    path: &[String],
    name: &str,
    is_key: bool,
    beside: &[String],
    dimensions: &[String],
) -> Vec<String> {
    let parts: Vec<&str> = path.iter().map(String::as_str).collect();
    let scores = || {
        let dimensions = dimensions.iter().filter(|name| *name != "overall");
        std::iter::once("overall".to_owned()).chain(dimensions.cloned())
    };
    let kinds = || IssueKind::ALL.iter().map(|kind| kind.as_str().to_owned());
    let known: Vec<String> = match (parts.as_slice(), is_key) {
        (["select", "order", _], false) => {
            std::iter::once("no_critical".to_owned()).chain(scores()).collect()
        }
        (["select", "order", _, "fewest"], false) => kinds().collect(),
        (["accept", _], true) => scores().chain(kinds().map(|kind| format!("{kind}_issues"))).collect(),
        (["gate", _] | ["overall", _], true) | (["overall", "from"], false) => dimensions.to_vec(),
        _ => return Vec::new(),
    };
    if !known.iter().any(|other| other == name) {
        return Vec::new();
    }
    known.into_iter().filter(|other| other != name && !beside.contains(other)).collect()
}

/// Every mutant of a profile with these dimensions: each number a bit up and down, each word and each name of a score
/// or of a kind of issues replaced by another, each item and key left out, two neighbours in a list whose order matters
/// exchanged. Empty if the file is not YAML.
#[must_use]
pub fn mutants(file: &Arc<SourceFile>, dimensions: &[String]) -> Vec<Mutant> {
    let Some(root) = parse(file, &mut Problems::new()) else { return Vec::new() };
    let whole = root.to_json();
    let mut found = Vec::new();
    walk(&root, &mut Vec::new(), dimensions, &mut |path, node, change| {
        let mut changed = whole.clone();
        let place = path.join(".");
        let before = short(&node.to_json());
        let after = match &change {
            Change::Set(value) => format!("{before} → {}", short(value)),
            Change::Remove => "left out".to_owned(),
            Change::Rename(name) => format!("called `{name}`"),
            Change::Swap => "exchanged with the one after it".to_owned(),
        };
        if apply(&mut changed, path, change).is_some() {
            let line = node.span.location().line;
            found.push(Mutant { line, name: format!("{place}: {after}"), text: changed.to_string() });
        }
    });
    found
}

enum Change {
    Set(Value),
    Remove,
    /// Another key.
    Rename(String),
    /// Exchange a list item with the one after it.
    Swap,
}

fn walk(
    node: &Node,
    path: &mut Vec<String>,
    dimensions: &[String],
    out: &mut dyn FnMut(&[String], &Node, Change),
) {
    if !path.is_empty() && exemption(&path.join(".")).is_some() {
        return;
    }
    match &node.data {
        Data::Map(entries) => {
            let keys: Vec<String> = entries.iter().map(|entry| entry.key.clone()).collect();
            for entry in entries {
                path.push(entry.key.clone());
                for other in other_names(path, &entry.key, true, &keys, dimensions) {
                    out(path, &entry.value, Change::Rename(other));
                }
                if exemption(&path.join(".")).is_none() {
                    out(path, &entry.value, Change::Remove);
                }
                walk(&entry.value, path, dimensions, out);
                path.pop();
            }
        }
        Data::List(items) => {
            let place = path.join(".");
            let words: Vec<String> = items.iter().filter_map(Node::as_text).map(str::to_owned).collect();
            let in_order = IN_ORDER.contains(&place.as_str());
            for (at, item) in items.iter().enumerate() {
                path.push(at.to_string());
                out(path, item, Change::Remove);
                if in_order && at + 1 < items.len() {
                    out(path, item, Change::Swap);
                }
                let others = item.as_text().map(|word| other_names(path, word, false, &words, dimensions));
                for other in others.unwrap_or_default() {
                    out(path, item, Change::Set(other.into()));
                }
                walk(item, path, dimensions, out);
                path.pop();
            }
        }
        Data::Bool(value) => out(path, node, Change::Set((!value).into())),
        Data::Int(number) => {
            // A byte more or less of some thousand is not a likely slip.
            let step = if *number >= 20 { number / 10 } else { 1 };
            out(path, node, Change::Set((number + step).into()));
            out(path, node, Change::Set((number - step).into()));
        }
        Data::Float(number) => {
            let step = if number.abs() > 1.0 { 1.0 } else { 0.01 };
            for changed in [number + step, number - step] {
                out(path, node, Change::Set(((changed * 1e6).round() / 1e6).into()));
            }
        }
        Data::Text { text, .. } => {
            let key = path.last().map(String::as_str).unwrap_or_default();
            // Those of a list's items were made there, where its other items are known.
            let others = match path.as_slice() {
                [.., last] if last.parse::<usize>().is_ok() => Vec::new(),
                _ => other_names(path, text, false, &[], dimensions),
            };
            let others = if others.is_empty() { changed_texts(path, key, text) } else { others };
            for changed in others {
                out(path, node, Change::Set(changed.into()));
            }
        }
        Data::Null => {}
    }
}

/// Other texts that could be there: another word of the same kind, other numbers and operators in a condition or a
/// duration; for anything else (names of files, fields and dimensions) one that means nothing.
fn changed_texts(path: &[String], key: &str, text: &str) -> Vec<String> {
    static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\d+(?:\.\d+)?").ok());
    let words = alternatives(path, text);
    if !words.is_empty() {
        return words;
    }
    let condition = matches!(key, "when" | "skip_when");
    let duration = crate::value::Millis::parse(text).is_some();
    if !condition && !duration {
        // A pointer stays one.
        return vec![if text.starts_with('/') { format!("{text}x") } else { format!("x{text}") }];
    }
    let mut changed = Vec::new();
    for number in NUMBER.as_ref().into_iter().flat_map(|pattern| pattern.find_iter(text)) {
        let Ok(value) = number.as_str().parse::<f64>() else { continue };
        let (step, decimals) = if number.as_str().contains('.') { (0.01, 2) } else { (1.0, 0) };
        for other in [value + step, value - step] {
            let (before, after) = (text.get(..number.start()), text.get(number.end()..));
            changed.push(format!(
                "{}{other:.decimals$}{}",
                before.unwrap_or_default(),
                after.unwrap_or_default()
            ));
        }
    }
    if condition {
        for (operator, other) in
            [("!=", "=="), ("==", "!="), ("<", ">"), (" or ", " and "), (" and ", " or ")]
        {
            if text.contains(operator) {
                changed.push(text.replacen(operator, other, 1));
            }
        }
    }
    changed
}

/// Makes the change at `path`; `None` if nothing is there.
fn apply(root: &mut Value, path: &[String], change: Change) -> Option<()> {
    let (last, above) = path.split_last()?;
    let mut parent = root;
    for part in above {
        parent = match parent {
            Value::Object(members) => members.get_mut(part)?,
            Value::Array(items) => items.get_mut(part.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    match (parent, change) {
        (Value::Object(members), Change::Set(value)) => *members.get_mut(last)? = value,
        (Value::Object(members), Change::Remove) => {
            members.shift_remove(last)?;
        }
        (Value::Object(members), Change::Rename(name)) => {
            let entries = std::mem::take(members).into_iter();
            *members =
                entries.map(|(key, value)| (if key == *last { name.clone() } else { key }, value)).collect();
        }
        (Value::Array(items), change) => {
            let at: usize = last.parse().ok()?;
            match change {
                Change::Set(value) => *items.get_mut(at)? = value,
                Change::Remove if at < items.len() => {
                    items.remove(at);
                }
                Change::Swap if at + 1 < items.len() => items.swap(at, at + 1),
                Change::Remove | Change::Rename(_) | Change::Swap => return None,
            }
        }
        _ => return None,
    }
    Some(())
}

fn short(value: &Value) -> String {
    value.as_str().map_or_else(|| cut(&value.to_string(), 60), |text| cut(text, 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(yaml: &str) -> Vec<String> {
        mutants(&SourceFile::new("p.yaml", yaml), &["accuracy".to_owned()])
            .into_iter()
            .map(|m| format!("{} {}", m.line, m.name))
            .collect()
    }

    #[test]
    fn every_value_is_changed_and_every_key_left_out() {
        assert_eq!(
            names(
                "name: x\naccept: { overall: 0.95 }\nselect:\n  order: [no_critical, overall]\n  ties: last\n"
            ),
            [
                "2 accept: left out",
                "2 accept.overall: called `accuracy`",
                "2 accept.overall: called `critical_issues`",
                "2 accept.overall: called `major_issues`",
                "2 accept.overall: called `minor_issues`",
                "2 accept.overall: called `correct_issues`",
                "2 accept.overall: called `escalate_issues`",
                "2 accept.overall: called `warn_issues`",
                "2 accept.overall: left out",
                "2 accept.overall: 0.95 → 0.96",
                "2 accept.overall: 0.95 → 0.94",
                "4 select: left out",
                "4 select.order: left out",
                "4 select.order.0: left out",
                "4 select.order.0: exchanged with the one after it",
                "4 select.order.0: no_critical → accuracy",
                "4 select.order.0: no_critical → xno_critical",
                "4 select.order.1: left out",
                "4 select.order.1: overall → accuracy",
                "4 select.order.1: overall → xoverall",
                "5 select.ties: left out",
                "5 select.ties: last → first",
            ]
        );
        assert_eq!(
            names("review: { when: overall < 0.80 or status != passed }\nstop: { timeout: 30s }"),
            [
                "1 review: left out",
                "1 review.when: left out",
                "1 review.when: overall < 0.80 or status != passed → overall < 0.81 or status != passed",
                "1 review.when: overall < 0.80 or status != passed → overall < 0.79 or status != passed",
                "1 review.when: overall < 0.80 or status != passed → overall < 0.80 or status == passed",
                "1 review.when: overall < 0.80 or status != passed → overall > 0.80 or status != passed",
                "1 review.when: overall < 0.80 or status != passed → overall < 0.80 and status != passed",
                "2 stop: left out",
                "2 stop.timeout: left out",
                "2 stop.timeout: 30s → 31s",
                "2 stop.timeout: 30s → 29s",
            ]
        );
    }

    #[test]
    fn names_of_scores_and_issues_are_exchanged_for_others() {
        let dimensions = ["a", "b", "overall"].map(str::to_owned);
        let yaml = "gate: { a: 0.5, on_correction: stop }\noverall: { from: b }\nselect: { order: [{ fewest: warn }] }";
        let file = SourceFile::new("p.yaml", yaml);
        let found: Vec<String> = mutants(&file, &dimensions).into_iter().map(|m| m.name).collect();
        for name in [
            "gate.a: called `b`",
            "overall.from: b → a",
            "overall.from: b → overall",
            "select.order.0.fewest: warn → critical",
            "select.order.0.fewest: warn → correct",
        ] {
            assert_eq!(found.iter().filter(|other| *other == name).count(), 1, "{name}: {found:#?}");
        }
        assert!(!found.iter().any(|name| name.starts_with("gate.on_correction: called")), "{found:#?}");
        let renamed = mutants(&file, &dimensions).into_iter().find(|m| m.name == "gate.a: called `b`");
        assert!(renamed.is_some_and(|m| m.text.contains(r#""gate":{"b":0.5,"on_correction":"stop"}"#)));
    }

    #[test]
    fn words_are_exchanged_for_those_that_their_key_is_declared_with() {
        let yaml = "candidate: value\nassess: { a: { ensemble: { members: [], combine: mean } }, v: { rules: r, counts: blocking } }\non_regression: rollback\n";
        let found = names(yaml);
        for name in [
            "1 candidate: value → patch",
            "2 assess.a.ensemble.combine: mean → weighted",
            "2 assess.v.counts: blocking → all",
            "3 on_regression: rollback → keep",
        ] {
            assert!(found.iter().any(|other| other == name), "{name}: {found:#?}");
        }
        assert!(!found.iter().any(|name| name.contains("xvalue")), "{found:#?}");
    }

    #[test]
    fn what_no_case_can_guard_is_left_alone_with_a_reason() {
        let stage = "stages:\n  - { id: extract, provider: p, config: { provider: x }, deadline: 5s, options: { seed: 1 } }\n";
        assert!(names(stage).iter().all(|name| name.contains("stages: ")
            || name.contains("stages.0: ")
            || name.contains("stages.0.id")));
        assert_eq!(exemption("description"), Some("is shown to people"));
        assert_eq!(exemption("stages.0.config.file"), Some("belongs to a provider"));
        assert_eq!(exemption("assess.validity.script"), None);
        assert_eq!(exemption("stop.script"), None);
    }
}
