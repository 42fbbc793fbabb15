//! The verdicts of a judge on single values beside the passages that were quoted for them, and the memory of these.

use super::assessment::Assessment;
use super::issue::SourceSpan;
use crate::value::unescape;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Keys of a list's item that say what the item is about.
const LABELS: [&str; 8] = ["name", "test", "marker", "gene", "analyte", "label", "id", "title"];

/// The relation of a passage to a value, in the eyes of a judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PassageVerdict {
    /// It states the value.
    Supports,
    /// It states another value, or the opposite.
    Contradicts,
    /// It says nothing about it.
    Neither,
}

/// A value and the passage that was quoted for it. The document is one for all.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    field: String,
    value: String,
    passage: (usize, usize),
}

/// The verdicts of a judge on values beside passages of one document. Nothing in here is asked again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Judged {
    pairs: BTreeMap<Pair, PassageVerdict>,
}

/// A value that a judge is to be asked about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UndecidedValue<'a> {
    /// Its JSON Pointer.
    pub path: &'a str,
    /// The value.
    pub value: &'a Value,
    /// The passage that was quoted for it.
    pub passage: SourceSpan,
}

impl Judged {
    pub(super) fn of(
        &self,
        candidate: &Value,
        path: &str,
        value: &Value,
        passage: SourceSpan,
    ) -> Option<PassageVerdict> {
        if self.pairs.is_empty() {
            return None;
        }
        self.pairs.get(&Pair::of(candidate, path, value, passage)).copied()
    }

    /// Takes in an answer to the question about the first `at_once` undecided values of an assessment. A value that the
    /// answer omits is neither supported nor contradicted.
    pub fn learn(&mut self, candidate: &Value, assessment: &Assessment, at_once: usize, answer: &Value) {
        let said = read(answer).unwrap_or_default();
        for asked in undecided(candidate, assessment, at_once) {
            let verdict = said.get(asked.path).copied().unwrap_or(PassageVerdict::Neither);
            let pair = Pair::of(candidate, asked.path, asked.value, asked.passage);
            self.pairs.entry(pair).or_insert(verdict);
        }
    }
}

impl Pair {
    fn of(candidate: &Value, path: &str, value: &Value, passage: SourceSpan) -> Self {
        let field = field_of(candidate, path);
        Pair { field, value: value.to_string(), passage: (passage.start, passage.end) }
    }
}

/// Returns whether there is anything to ask about.
pub fn has_undecided(assessment: &Assessment) -> bool {
    assessment.evidence.iter().any(|(_, leaf)| leaf.unjudged && leaf.span.is_some())
}

/// The first `at_once` values that a judge is to be asked about, each beside its passage once.
pub fn undecided<'a>(
    candidate: &'a Value,
    assessment: &'a Assessment,
    at_once: usize,
) -> Vec<UndecidedValue<'a>> {
    let mut seen = BTreeSet::new();
    let leaves = assessment.evidence.iter().filter(|(_, leaf)| leaf.unjudged);
    let asked = leaves.filter_map(|(path, leaf)| {
        Some(UndecidedValue { path, value: candidate.pointer(path)?, passage: leaf.span? })
    });
    asked
        .filter(|asked| seen.insert(Pair::of(candidate, asked.path, asked.value, asked.passage)))
        .take(at_once)
        .collect()
}

/// The field at a path, for people: `biomarkers [HER2] result`. An item of a list is named by its label, wherever that
/// is.
pub fn field_of(candidate: &Value, path: &str) -> String {
    let (mut at, mut field) = (Some(candidate), String::new());
    for step in path.split('/').skip(1) {
        let step = unescape(step);
        let inner = match at {
            Some(Value::Array(items)) => {
                let item = step.parse().ok().and_then(|index: usize| items.get(index));
                let about = item.and_then(Value::as_object).and_then(label);
                add(&mut field, &format!("[{}]", about.unwrap_or_default()));
                item
            }
            Some(Value::Object(members)) => {
                add(&mut field, &step);
                members.get(step.as_ref())
            }
            _ => None,
        };
        at = inner;
    }
    field
}

fn add(field: &mut String, step: &str) {
    if !field.is_empty() {
        field.push(' ');
    }
    field.push_str(step);
}

fn label(item: &Map<String, Value>) -> Option<&str> {
    LABELS.into_iter().find_map(|key| item.get(key)?.as_str())
}

/// The verdicts of a judge on a candidate's values in several calls, as one answer. For a value in both, the later
/// verdict holds.
pub fn joined(earlier: &Value, later: &Value) -> Value {
    let values = |answer: &Value| answer.get("values").and_then(Value::as_array).cloned().unwrap_or_default();
    let said = values(later);
    let is_said = |value: &Value| said.iter().any(|known| known.get("path") == value.get("path"));
    let mut all: Vec<Value> = values(earlier);
    all.retain(|value| !is_said(value));
    all.extend(said.iter().cloned());
    serde_json::json!({ "values": all })
}

/// An answer as verdicts by path.
///
/// # Errors
/// The reason that it can't be read, as the end of "the answer has"; without any of its text.
pub fn read(answer: &Value) -> Result<BTreeMap<&str, PassageVerdict>, String> {
    let Some(values) = answer.get("values").and_then(Value::as_array) else {
        return Err("no list `values`".to_owned());
    };
    let mut said = BTreeMap::new();
    for value in values {
        let path = value.get("path").and_then(Value::as_str);
        let verdict = value.get("verdict").and_then(|verdict| PassageVerdict::deserialize(verdict).ok());
        let (Some(path), Some(verdict)) = (path, verdict) else {
            return Err(
                "a value without a `path`, or without a `verdict` of `supports`, `contradicts` or `neither`"
                    .to_owned(),
            );
        };
        // Either could be meant.
        if said.insert(path, verdict).is_some() {
            return Err("a value twice".to_owned());
        }
    }
    Ok(said)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_item_of_a_list_goes_by_what_it_is_about() {
        let candidate = json!({"a/b": {"c": 1}, "markers": [{"name": "ER", "result": "+"}, {"result": "-"}]});
        for (path, field) in [
            ("/a~1b/c", "a/b c"),
            ("/markers/0/result", "markers [ER] result"),
            ("/markers/1/result", "markers [] result"),
        ] {
            assert_eq!(field_of(&candidate, path), field);
        }
    }

    #[test]
    fn answers_are_read_strictly() {
        let one = |verdict: &str| json!({"values": [{"path": "/a", "verdict": verdict}]});
        assert_eq!(read(&one("supports")).unwrap().get("/a"), Some(&PassageVerdict::Supports));
        for unreadable in [
            one("yes"),
            one("Supports"),
            json!({}),
            json!([]),
            json!({"values": {"/a": "supports"}}),
            json!({"values": ["/a"]}),
            json!({"values": [{"path": "/a"}]}),
            json!({"values": [{"path": "/a", "verdict": "supports"}, {"path": "/a", "verdict": "supports"}]}),
        ] {
            assert!(read(&unreadable).is_err(), "{unreadable}");
        }
    }
}
