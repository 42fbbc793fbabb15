//! Members that a model could only leave out by writing null.
//!
//! Some APIs accept only schemas whose members are all required, so codecs let optional ones be null instead. Here
//! such answers become what the engine asked for: a null that the schema of the request has no room for, in a member
//! that may be missing, means that the member is absent.

use std::collections::{BTreeSet, HashMap, HashSet};

use loopctl_plugin_sdk::protocol::Completion;
use serde_json::Value;

use crate::rules::Schema;

/// The completion as if the model had been able to leave members out. A text stays as the model wrote it unless it has
/// such a null.
pub(super) fn without_absent(mut completion: Completion, schema: Option<&Value>) -> Completion {
    match (completion.value.take(), &completion.text) {
        (Some(value), _) => completion.value = Some(left_out(value, schema)),
        (None, Some(text)) if text.contains("null") => {
            let meant = serde_json::from_str::<Value>(text).ok().and_then(|said| {
                let meant = left_out(said.clone(), schema);
                (meant != said).then_some(meant)
            });
            if meant.is_some() {
                (completion.value, completion.text) = (meant, None);
            }
        }
        (None, _) => {}
    }
    completion
}

/// The most work spent on finding the nulls that mean nothing: values in the answer, times kinds of null. Some ten
/// times that of an answer at a model's limits, and a moment's work. An answer that would take more is left as it is,
/// and the caller reports what is wrong with it.
const MOST_WORK: usize = 1_000_000;

/// `value` without the nulls that mean nothing: those of members that the schema names. What it allows, or wants, stays
/// as it is.
fn left_out(value: Value, schema: Option<&Value>) -> Value {
    let Some(schema) = schema else { return value };
    let mut named = HashSet::new();
    names(schema, &mut named);
    let mut found = AnswerShape::default();
    found.look(&value, ROOT, &named);
    if found.nulls.is_empty() || found.nulls.len().saturating_mul(found.values) > MOST_WORK {
        return value;
    }
    // A schema that isn't valid was reported when the profile was read.
    let Ok(schema) = Schema::compile("", schema) else { return value };
    let Ok(validator) = schema.for_value(&value) else { return value };
    if validator.is_valid(&value) {
        return value;
    }
    let errors = |out: &BTreeSet<ShapeId>| validator.iter_errors(&found.without(&value, ROOT, out)).count();
    let mut out = found.nulls.clone();
    let mut least = errors(&out);
    for kind in &found.nulls {
        // Put back where they do no harm: the schema allows them, or what is wrong without them is that they are missing.
        out.remove(kind);
        let with = errors(&out);
        if with <= least {
            least = with;
        } else {
            out.insert(*kind);
        }
    }
    found.without(&value, ROOT, &out)
}

/// All members that a schema names, at any depth.
fn names<'s>(schema: &'s Value, named: &mut HashSet<&'s str>) {
    match schema {
        Value::Object(keywords) => {
            if let Some(Value::Object(properties)) = keywords.get("properties") {
                named.extend(properties.keys().map(String::as_str));
            }
            keywords.values().for_each(|inner| names(inner, named));
        }
        Value::Array(items) => items.iter().for_each(|inner| names(inner, named)),
        _ => {}
    }
}

/// A position in an answer, by the names of members. The elements of one list share a position.
type ShapeId = usize;

const ROOT: ShapeId = 0;

/// The shape of an answer.
#[derive(Default)]
struct AnswerShape<'v> {
    /// The position of what is under a name, or in a list, at another position.
    kinds: HashMap<(ShapeId, Option<&'v str>), ShapeId>,
    /// The positions of those null members that the schema names.
    nulls: BTreeSet<ShapeId>,
    /// The number of values.
    values: usize,
}

impl<'v> AnswerShape<'v> {
    fn look(&mut self, value: &'v Value, at: ShapeId, named: &HashSet<&str>) {
        self.values += 1;
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    let kind = self.kind(at, Some(name));
                    if member.is_null() && named.contains(name.as_str()) {
                        self.nulls.insert(kind);
                    }
                    self.look(member, kind, named);
                }
            }
            Value::Array(items) => {
                let kind = self.kind(at, None);
                items.iter().for_each(|item| self.look(item, kind, named));
            }
            _ => {}
        }
    }

    fn kind(&mut self, at: ShapeId, name: Option<&'v str>) -> ShapeId {
        let next = self.kinds.len() + 1;
        *self.kinds.entry((at, name)).or_insert(next)
    }

    /// A copy without the null members at these positions.
    fn without(&self, value: &'v Value, at: ShapeId, out: &BTreeSet<ShapeId>) -> Value {
        let inner = |name| self.kinds.get(&(at, name)).copied();
        match value {
            Value::Object(members) => {
                let left = members.iter().filter_map(|(name, member)| {
                    let kind = inner(Some(name.as_str()))?;
                    let stays = !(member.is_null() && out.contains(&kind));
                    stays.then(|| (name.clone(), self.without(member, kind, out)))
                });
                Value::Object(left.collect())
            }
            Value::Array(items) => match inner(None) {
                Some(kind) => items.iter().map(|item| self.without(item, kind, out)).collect(),
                None => value.clone(),
            },
            other => other.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, json};

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "score": { "type": "number" },
                "reason": { "type": "string" },
                "unsure": { "type": ["string", "null"] },
                "issues": { "type": "array", "items": { "anyOf": [
                    { "type": "object", "properties": { "code": { "type": "string" }, "path": { "type": "string" } },
                        "required": ["code"] },
                    { "type": "object", "properties": { "text": { "type": "string" }, "fix": { "type": "string" } },
                        "required": ["text"] },
                ] } },
            },
            "required": ["score"],
            "additionalProperties": false,
        })
    }

    #[test]
    fn a_null_that_the_schema_has_no_room_for_is_left_out() {
        let said = json!({
            "reason": null,
            "score": 0.5,
            "unsure": null,
            "issues": [{ "code": "A", "path": null }, { "text": "b", "fix": null }, { "code": "C", "path": "/c" }],
        });
        let meant = json!({
            "score": 0.5,
            "unsure": null,
            "issues": [{ "code": "A" }, { "text": "b" }, { "code": "C", "path": "/c" }],
        });
        assert_eq!(left_out(said, Some(&schema())).to_string(), meant.to_string());
    }

    #[test]
    fn a_text_stays_as_it_was_written_unless_something_is_left_out() {
        let told = |text: &str| {
            let completion = Completion { text: Some(text.to_owned()), ..Completion::default() };
            without_absent(completion, Some(&schema()))
        };
        for text in ["{ \"score\":\t1 }", "null and void", r#"{"score": 1, "unsure": null}"#] {
            assert_eq!(told(text).text.as_deref(), Some(text));
        }
        let told = told(r#"{"score": 1, "reason": null}"#);
        assert_eq!((told.value, told.text), (Some(json!({ "score": 1 })), None));
    }

    #[test]
    fn a_null_that_is_an_answer_stays() {
        for said in [
            // It must be present, and be a number: reporting that is up to the caller.
            json!({ "reason": "x", "score": null }),
            json!({ "score": 1, "unsure": null }),
            json!(null),
            json!([null]),
        ] {
            assert_eq!(left_out(said.clone(), Some(&schema())), said);
            assert_eq!(left_out(said.clone(), None), said);
        }
        let free = json!({ "type": "object" });
        let said = json!({ "b": null, "a": { "c": null } });
        assert_eq!(left_out(said.clone(), Some(&free)).to_string(), said.to_string());
    }

    /// Each would be at a position of its own.
    #[test]
    fn any_number_of_nulls_is_gone_through_in_good_time() {
        let many: Map<String, Value> = (0..100_000).map(|n| (format!("a{n}"), Value::Null)).collect();
        // None of them is named by the schema, and one is.
        let said = Value::Object(many.clone());
        assert_eq!(left_out(said.clone(), Some(&schema())), said);
        let mut said = many.clone();
        said.insert("reason".to_owned(), Value::Null);
        assert_eq!(left_out(Value::Object(said), Some(&schema())), Value::Object(many.clone()));
        // The schema names them all, and wants something else.
        let properties: Map<String, Value> =
            many.keys().map(|name| (name.clone(), json!({ "type": "string" }))).collect();
        let strict = json!({ "type": "object", "properties": properties });
        let said = Value::Object(many);
        assert_eq!(left_out(said.clone(), Some(&strict)), said);
        // In a list they share a position.
        let said: Value = (0..100_000).map(|_| json!({ "code": "A", "path": null })).collect();
        let meant: Value = (0..100_000).map(|_| json!({ "code": "A" })).collect();
        let list = json!({ "type": "array", "items": schema()["properties"]["issues"]["items"] });
        assert_eq!(left_out(said, Some(&list)), meant);
    }
}
