//! One result for a file whose sections were worked on as documents of their own.

use super::DocumentResult;
use crate::policy::FinalStatus;
use crate::profile::{MergeRule, MergeSettings};
use crate::score::SourceSpan;
use crate::value::DocumentId;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The result of a file, of those of its sections.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MergedResult {
    /// The file.
    pub id: DocumentId,
    /// The status of the whole.
    pub status: MergedStatus,
    /// The extraction of the whole: none of a section that has none.
    pub extraction: Value,
    /// The sections, in the order of the file.
    pub sections: Vec<MergedSection>,
    /// The fields whose values differ, and for which a person must decide.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<SectionConflict>,
}

/// The status of a file of several sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MergedStatus {
    /// All sections passed, and agree.
    Passed,
    /// All sections passed, and do not agree: a person must decide.
    Conflict,
    /// A section did not pass.
    NotPassed,
    /// A section has no result yet.
    Incomplete,
}

impl MergedStatus {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            MergedStatus::Passed => "passed",
            MergedStatus::Conflict => "conflict",
            MergedStatus::NotPassed => "not_passed",
            MergedStatus::Incomplete => "incomplete",
        }
    }
}

/// A section of a merged file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MergedSection {
    /// Its document.
    pub id: DocumentId,
    /// Its type; none if it has no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document_type: Option<String>,
    /// Its status; none if it has no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_status: Option<FinalStatus>,
}

/// A field whose values differ between sections.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SectionConflict {
    /// The field, as a JSON pointer.
    pub path: String,
    /// Its values.
    pub values: Vec<SectionValue>,
}

/// The value of a field in one section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SectionValue {
    /// The section's document.
    pub section: DocumentId,
    /// The value.
    pub value: Value,
    /// The passage that decided about it, in characters of the section's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<SourceSpan>,
    /// The quote that was offered for it, if it decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
}

impl MergedResult {
    /// The result of a file, of those of its sections in its order; `None` is one without a result.
    #[must_use]
    pub fn of(
        id: DocumentId,
        sections: &[(DocumentId, Option<DocumentResult>)],
        rules: &MergeSettings,
    ) -> Self {
        let extracted: Vec<SectionExtraction<'_>> = sections
            .iter()
            .filter_map(|(id, result)| {
                let result = result.as_ref()?;
                let value = result.best_extraction.as_deref()?;
                Some(SectionExtraction { id, result, value })
            })
            .collect();
        let mut merging = Merging { rules, conflicts: Vec::new() };
        let all: Vec<_> = extracted.iter().map(|one| (one, one.value)).collect();
        let extraction = merging.merge("", "", &all);
        let conflicts = merging.conflicts;
        let mut results = sections.iter().map(|(_, result)| result.as_ref());
        let status = if sections.iter().any(|(_, result)| result.is_none()) {
            MergedStatus::Incomplete
        } else if !results.all(|result| result.is_some_and(|result| result.final_status.passes())) {
            MergedStatus::NotPassed
        } else if !conflicts.is_empty() {
            MergedStatus::Conflict
        } else {
            MergedStatus::Passed
        };
        let sections = sections.iter().map(|(id, result)| MergedSection {
            id: id.clone(),
            document_type: result.as_ref().map(|result| result.document_type.clone()),
            final_status: result.as_ref().map(|result| result.final_status),
        });
        MergedResult { id, status, extraction, sections: sections.collect(), conflicts }
    }
}

/// The extraction of a section, with the result that it is part of.
struct SectionExtraction<'r> {
    id: &'r DocumentId,
    result: &'r DocumentResult,
    value: &'r Value,
}

impl SectionExtraction<'_> {
    /// A value of this section, with the passage that was found for it, or for the first value in it.
    fn conflicting(&self, pointer: &str, value: &Value) -> SectionValue {
        let evidence = self.result.best_validation.iter().flat_map(|assessment| assessment.evidence.iter());
        let found = evidence
            .filter(|(path, _)| {
                path.strip_prefix(pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
            .map(|(_, leaf)| (leaf.span, leaf.quote.map(str::to_owned)))
            .next();
        let (span, quote) = found.unwrap_or_default();
        SectionValue { section: self.id.clone(), value: value.clone(), span, quote }
    }
}

struct Merging<'r> {
    rules: &'r MergeSettings,
    conflicts: Vec<SectionConflict>,
}

impl Merging<'_> {
    /// The value of a field, of its values in some sections. `name` is the field with dots, `pointer` its JSON pointer.
    fn merge(&mut self, name: &str, pointer: &str, values: &[(&SectionExtraction<'_>, &Value)]) -> Value {
        let values: Vec<_> = values.iter().copied().filter(|(_, value)| !is_empty(value)).collect();
        let rule = self.rules.fields.get(name).copied();
        let all_objects = values.iter().all(|(_, value)| value.is_object());
        if rule.is_none() && all_objects && !values.is_empty() {
            return Value::Object(self.members(name, pointer, &values));
        }
        match rule.unwrap_or(self.rules.default) {
            MergeRule::First => values.first().map_or(Value::Null, |(_, value)| (*value).clone()),
            MergeRule::PreferLater => values.last().map_or(Value::Null, |(_, value)| (*value).clone()),
            MergeRule::All => all_of(values.iter().map(|(_, value)| *value)),
            MergeRule::Conflict => self.agreed(pointer, &values),
        }
    }

    /// The members of several objects, merged by their names, in the order in which they come.
    fn members(
        &mut self,
        name: &str,
        pointer: &str,
        values: &[(&SectionExtraction<'_>, &Value)],
    ) -> Map<String, Value> {
        let mut keys: Vec<&String> = Vec::new();
        for key in values.iter().filter_map(|(_, value)| value.as_object()).flat_map(Map::keys) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let mut merged = Map::new();
        for key in keys {
            let dotted = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
            let escaped = key.replace('~', "~0").replace('/', "~1");
            let own: Vec<_> =
                values.iter().filter_map(|(section, value)| Some((*section, value.get(key)?))).collect();
            merged.insert(key.clone(), self.merge(&dotted, &format!("{pointer}/{escaped}"), &own));
        }
        merged
    }

    /// The value that all agree on.
    fn agreed(&mut self, pointer: &str, values: &[(&SectionExtraction<'_>, &Value)]) -> Value {
        let Some(((_, first), others)) = values.split_first() else { return Value::Null };
        if others.iter().all(|(_, other)| other == first) {
            return (*first).clone();
        }
        let values = values.iter().map(|(section, value)| section.conflicting(pointer, value));
        self.conflicts.push(SectionConflict { path: pointer.to_owned(), values: values.collect() });
        Value::Null
    }
}

/// Several values as a list without repeats; lists give their items.
fn all_of<'v>(values: impl Iterator<Item = &'v Value>) -> Value {
    let mut all: Vec<Value> = Vec::new();
    for value in values {
        let items = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        for item in items {
            if !all.contains(item) {
                all.push(item.clone());
            }
        }
    }
    Value::Array(all)
}

/// Returns whether a value says nothing.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn result(id: &str, status: &str, extraction: &Value) -> (DocumentId, Option<DocumentResult>) {
        let result = json!({
            "id": id, "document_type": "pathology", "profile": "p", "final_status": status,
            "stop_reason": "accepted", "iteration_count": 1, "best_iteration": 0, "selection_reason": null,
            "best_extraction": extraction,
            "best_validation": {
                "scores": {}, "overall": 1.0,
                "evidence": { "/site": { "support": "verified", "start": 3, "end": 7, "quote": id } },
            },
            "iterations": [], "improvement_trajectory": [], "rollbacks": 0,
            "usage": crate::value::Usage::default(), "elapsed_ms": 0, "review": false,
            "warnings": [],
        });
        (DocumentId::new(id), Some(serde_json::from_value(result).unwrap()))
    }

    fn merged(rules: &MergeSettings, sections: &[(DocumentId, Option<DocumentResult>)]) -> MergedResult {
        MergedResult::of(DocumentId::new("f"), sections, rules)
    }

    fn rules(default: MergeRule, fields: &[(&str, MergeRule)]) -> MergeSettings {
        let fields = fields.iter().map(|(name, rule)| ((*name).to_owned(), *rule)).collect();
        MergeSettings { default, fields }
    }

    #[test]
    fn each_field_is_merged_by_its_rule() {
        let sections = [
            result("f#1", "passed", &json!({ "site": "colon", "n": { "t": 1, "u": null }, "labs": [1, 2] })),
            result(
                "f#2",
                "passed",
                &json!({ "site": "liver", "n": { "t": 2, "u": 5 }, "labs": [2, 3], "x": " " }),
            ),
        ];
        let fields = [("labs", MergeRule::All), ("n.t", MergeRule::PreferLater)];
        let found = merged(&rules(MergeRule::First, &fields), &sections);
        let expected = json!({ "site": "colon", "n": { "t": 2, "u": 5 }, "labs": [1, 2, 3], "x": null });
        assert_eq!(found.extraction, expected);
        assert_eq!((found.status, found.conflicts), (MergedStatus::Passed, vec![]));
    }

    #[test]
    fn values_that_differ_are_a_conflict_with_both_passages() {
        let sections = [
            result("f#1", "passed", &json!({ "site": "colon", "grade": 2 })),
            result("f#2", "passed", &json!({ "site": "liver", "grade": 2 })),
        ];
        let found = merged(&rules(MergeRule::Conflict, &[]), &sections);
        assert_eq!(found.status, MergedStatus::Conflict);
        assert_eq!(found.extraction, json!({ "site": null, "grade": 2 }));
        let conflicts = serde_json::to_value(&found.conflicts).unwrap();
        assert_eq!(conflicts[0]["path"], "/site");
        assert_eq!(conflicts[0]["values"][1]["value"], "liver");
        assert_eq!(conflicts[0]["values"][1]["quote"], "f#2");
        assert_eq!(conflicts[0]["values"][0]["quote"], "f#1");
    }

    #[test]
    fn a_file_passes_only_if_all_its_sections_do() {
        let one = result("f#1", "passed", &json!({ "site": "colon" }));
        let failed = result("f#2", "failed", &Value::Null);
        let absent = (DocumentId::new("f#3"), None);
        let rules = rules(MergeRule::Conflict, &[]);
        assert_eq!(merged(&rules, &[one.clone(), failed.clone()]).status, MergedStatus::NotPassed);
        assert_eq!(merged(&rules, &[one.clone(), failed, absent.clone()]).status, MergedStatus::Incomplete);
        assert_eq!(merged(&rules, &[one, absent]).status, MergedStatus::Incomplete);
    }
}
