//! The fields of an extraction, as a reviewer goes through them.

use super::field_path::FieldPath;
use crate::plan::Plan;
use crate::value::{index_of, is_present};
use serde_json::Value;
use std::collections::BTreeSet;

/// Suffix of the member by which an extraction says that it has no value for a field: `grade_status`.
const STATUS: &str = "_status";

/// The status by which an extraction reports that the document has nothing about a field.
const NOT_PRESENT: &str = "not_present";

/// The values of such a member.
const STATUSES: [&str; 3] = ["present", NOT_PRESENT, "ambiguous"];

/// A field to decide about.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewField {
    /// Its path.
    pub path: FieldPath,
    /// Its value; `None` where nothing was extracted.
    pub value: Option<Value>,
}

/// The declarations of a profile about the fields of documents of one type. Empty where the profile is not known.
#[derive(Debug, Clone, Default)]
pub struct DeclaredFields {
    /// Members that the host fills in: they are not extracted.
    filled_in: BTreeSet<String>,
    /// Fields of the rubrics.
    rubric: BTreeSet<String>,
    /// The schemas of an extraction.
    schemas: Vec<Value>,
}

impl DeclaredFields {
    /// Of documents of a type.
    pub fn of(plan: &Plan, document_type: &str) -> Self {
        let fields = || plan.scoring.rules().program(document_type).rubric_fields();
        let filled_in = fields().filter(|field| field.from.is_some()).map(|field| field.name.to_string());
        let schemas = plan.stages.iter().filter_map(|stage| {
            stage.schemas.get(document_type).or_else(|| stage.schemas.get(crate::ingest::UNKNOWN))
        });
        DeclaredFields {
            filled_in: filled_in.collect(),
            rubric: fields().map(|field| field.name.to_string()).collect(),
            schemas: schemas.cloned().collect(),
        }
    }

    /// Names of fields at the top of an extraction that a reviewer may name.
    pub fn names(&self) -> BTreeSet<&str> {
        let properties = self.schemas.iter().filter_map(|schema| schema.get("properties")?.as_object());
        let names = properties.flat_map(|properties| properties.keys().map(String::as_str));
        names
            .chain(self.rubric.iter().map(String::as_str))
            .filter(|name| !name.ends_with(STATUS) && !self.filled_in.contains(*name))
            .collect()
    }

    /// Returns whether the host fills in a member at the top.
    pub fn is_filled_in(&self, name: &str) -> bool {
        self.filled_in.contains(name)
    }

    /// The schema of a value at a path, as far as that is declared in plain words of JSON Schema.
    pub fn schema_at(&self, path: &FieldPath) -> Option<&Value> {
        self.schemas.iter().find_map(|schema| schema_below(schema, path))
    }

    /// Returns whether `NAME_status: not_present` reports that the document has no value for a member at the top.
    fn has_status(&self, name: &str, extraction: &Value) -> bool {
        let says_how = |(key, value): (&String, &Value)| key.ends_with(STATUS) && is_status(value);
        self.rubric.contains(name)
            || extraction.as_object().is_some_and(|members| members.iter().any(says_how))
    }
}

fn schema_below<'s>(schema: &'s Value, path: &FieldPath) -> Option<&'s Value> {
    let Some((parent, step)) = path.parent() else { return Some(schema) };
    let above = schema_below(schema, &parent)?;
    let member = above.get("properties").and_then(|properties| properties.get(&step));
    let others = above.get("additionalProperties").filter(|others| others.is_object());
    let items = above.get("items").filter(|items| items.is_object() && index_of(&step).is_some());
    member.or(items).or(others)
}

fn is_status(value: &Value) -> bool {
    value.as_str().is_some_and(|text| STATUSES.contains(&text))
}

/// The fields of an extraction: each value in it, a list of plain values as one; then those that it reports as absent,
/// and those that the rubric misses (`missing`).
pub(super) fn fields_of<'m>(
    extraction: &Value,
    missing: impl IntoIterator<Item = &'m str>,
    declared: &DeclaredFields,
) -> Vec<ReviewField> {
    let mut found = Found { fields: Vec::new(), absent: Vec::new() };
    found.walk(FieldPath::root(), extraction);
    found.fields.retain(|field| !declared.is_filled_in(&field.path.top()));
    // A rubric names what is deeper by a path of its own.
    let missing = missing.into_iter().filter(|name| !name.contains(['.', '[', '/', '$']));
    found.absent.extend(missing.map(FieldPath::named));
    let mut seen: BTreeSet<FieldPath> = found.fields.iter().map(|field| field.path.clone()).collect();
    let holds = |path: &FieldPath, seen: &BTreeSet<FieldPath>| {
        let below = path.child("");
        let is_below = |other: &FieldPath| other.pointer().starts_with(below.pointer());
        seen.contains(path) || seen.range(&below..).next().is_some_and(is_below)
    };
    for path in found.absent {
        if !declared.is_filled_in(&path.top()) && !holds(&path, &seen) {
            seen.insert(path.clone());
            found.fields.push(ReviewField { path, value: None });
        }
    }
    found.fields
}

struct Found {
    fields: Vec<ReviewField>,
    absent: Vec<FieldPath>,
}

impl Found {
    fn walk(&mut self, path: FieldPath, value: &Value) {
        match value {
            Value::Object(members) if !members.is_empty() => {
                for (name, value) in members {
                    match name.strip_suffix(STATUS).filter(|_| is_status(value)) {
                        Some(field) => self.absent.push(path.child(field)),
                        None => self.walk(path.child(name), value),
                    }
                }
            }
            Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
                items.iter().enumerate().for_each(|(at, item)| self.walk(path.child(&at.to_string()), item));
            }
            value if is_present(value) => self.fields.push(ReviewField { path, value: Some(value.clone()) }),
            // Nothing at all was extracted: that is not a field.
            _ if path.pointer().is_empty() => {}
            _ => self.absent.push(path),
        }
    }
}

/// Puts values into an extraction, or removes them, in this order. An absent value is marked where extractions do so.
/// Items that are taken out of a list leave `null`, so that the others keep their numbers.
pub(super) fn with_values<'d>(
    extraction: &Value,
    values: impl IntoIterator<Item = (&'d FieldPath, Option<&'d Value>)>,
    declared: &DeclaredFields,
) -> Value {
    let mut corrected = extraction.clone();
    for (path, value) in values {
        let status = path.parent().map(|(parent, name)| parent.child(&format!("{name}{STATUS}")));
        match value {
            Some(value) => {
                path.set(&mut corrected, value.clone());
                if let Some(status) = status.filter(|status| status.of(&corrected).is_some_and(is_status)) {
                    status.remove(&mut corrected);
                }
            }
            None => {
                path.remove(&mut corrected);
                let says_so = path.is_top() && declared.has_status(&path.top(), extraction);
                if let Some(status) = status.filter(|_| says_so) {
                    status.set(&mut corrected, NOT_PRESENT.into());
                }
            }
        }
    }
    corrected
}

/// Without the items that were taken out of lists.
pub(super) fn without_gaps<'d>(
    mut corrected: Value,
    emptied: impl IntoIterator<Item = &'d FieldPath>,
) -> Value {
    let lists: BTreeSet<FieldPath> =
        emptied.into_iter().filter_map(|path| path.parent()).map(|(parent, _)| parent).collect();
    // The deepest first: what is above may move.
    for list in lists.iter().rev() {
        if let Some(Value::Array(items)) = corrected.pointer_mut(list.pointer()) {
            items.retain(|item| !item.is_null());
        }
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn names(extraction: &Value, missing: &[&str]) -> Vec<(String, Option<Value>)> {
        let declared =
            DeclaredFields { filled_in: BTreeSet::from(["rawText".to_owned()]), ..DeclaredFields::default() };
        let fields = fields_of(extraction, missing.iter().copied(), &declared);
        fields.into_iter().map(|field| (field.path.to_string(), field.value)).collect()
    }

    #[test]
    fn every_value_is_a_field_and_what_is_missing_too() {
        let extraction = json!({
            "histology": "carcinoma", "grade_status": "not_present", "markers": {"ER": "positive"},
            "sites": ["a", "b"], "specimens": [{"part": "1", "margins": "negative"}], "date": null,
            "rawText": "all of it"
        });
        let found = names(&extraction, &["grade", "institution", "markers", "a.b"]);
        let shown: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            shown,
            [
                "histology",
                "/markers/ER",
                "sites",
                "/specimens/0/part",
                "/specimens/0/margins",
                "grade",
                "date",
                "institution"
            ]
        );
        assert_eq!(found[2].1, Some(json!(["a", "b"])));
        assert_eq!(found[5].1, None);
        assert_eq!(names(&Value::Null, &[]), []);
    }

    #[test]
    fn corrections_say_what_is_not_there() {
        let extraction =
            json!({"grade": "2", "date_status": "not_present", "list": [{"a": 1}, {"a": 2}, {"a": 3}]});
        let (grade, date) = (FieldPath::named("grade"), FieldPath::named("date"));
        let (first, last) = (FieldPath::named("/list/0"), FieldPath::named("/list/2/a"));
        let (day, nine) = (json!("2026-01-01"), json!(9));
        let values = [(&grade, None), (&date, Some(&day)), (&first, None), (&last, Some(&nine))];
        let corrected = with_values(&extraction, values, &DeclaredFields::default());
        assert_eq!(
            without_gaps(corrected, [&first, &grade]),
            json!({"list": [{"a": 2}, {"a": 9}], "date": "2026-01-01", "grade_status": "not_present"})
        );
    }
}
