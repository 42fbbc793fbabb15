//! Members that a model could only leave out by writing null.
//!
//! Where an API takes schemas only whose members are all required, a codec lets optional ones be null instead. Its
//! answers get back here what the engine asked for: a null that the schema of the request has no room for, in a member
//! that may be missing, says that there is none.

use std::collections::BTreeMap;

use loopctl_plugin_sdk::protocol::Completion;
use serde_json::{Map, Value};

use crate::rules::Schema;

/// The completion as it would be had the model been able to leave members out. A text stays the one that the model wrote
/// unless it has such a null.
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

/// `value` without the nulls that stand for nothing. What the schema allows, or wants, stays as it is.
fn left_out(mut value: Value, schema: Option<&Value>) -> Value {
    let mut nulls = BTreeMap::new();
    find(&value, &mut Vec::new(), &mut String::new(), &mut nulls);
    // A schema that is none was reported when the profile was read.
    let (false, Some(Ok(schema))) = (nulls.is_empty(), schema.map(|schema| Schema::compile("", schema)))
    else {
        return value;
    };
    let whole = value.clone();
    nulls.values().flatten().for_each(|path| remove(&mut value, path));
    for alike in nulls.values() {
        // Put back where they do no harm: the schema allows them, or what is wrong without them is that they are missing.
        let mut with = value.clone();
        alike.iter().for_each(|path| restore(&mut with, &whole, path));
        if errors(&schema, &with) <= errors(&schema, &value) {
            value = with;
        }
    }
    value
}

fn errors(schema: &Schema, value: &Value) -> usize {
    schema.validator.iter_errors(value).count()
}

/// Where something stands: names of members and numbers of elements.
type Path = Vec<Part>;

#[derive(Debug, Clone)]
enum Part {
    Member(String),
    Element(usize),
}

/// Finds all members that are null. Those in different elements of one list are alike.
fn find(value: &Value, path: &mut Path, kind: &mut String, nulls: &mut BTreeMap<String, Vec<Path>>) {
    let length = kind.len();
    match value {
        Value::Object(map) => {
            for (name, member) in map {
                path.push(Part::Member(name.clone()));
                kind.push('/');
                kind.push_str(name);
                if member.is_null() {
                    nulls.entry(kind.clone()).or_default().push(path.clone());
                } else {
                    find(member, path, kind, nulls);
                }
                kind.truncate(length);
                path.pop();
            }
        }
        Value::Array(items) => {
            kind.push_str("/*");
            for (number, item) in items.iter().enumerate() {
                path.push(Part::Element(number));
                find(item, path, kind, nulls);
                path.pop();
            }
            kind.truncate(length);
        }
        _ => {}
    }
}

fn remove(value: &mut Value, path: &[Part]) {
    if let Some((Part::Member(name), holder)) = path.split_last()
        && let Some(members) = members(value, holder)
    {
        members.shift_remove(name);
    }
}

/// Puts back a null, at its place among the members.
fn restore(value: &mut Value, whole: &Value, path: &[Part]) {
    let Some((Part::Member(name), holder)) = path.split_last() else { return };
    let Some(original) = at(whole, holder).and_then(Value::as_object) else { return };
    let Some(members) = members(value, holder) else { return };
    let place =
        original.keys().take_while(|key| *key != name).filter(|key| members.contains_key(*key)).count();
    members.shift_insert(place, name.clone(), Value::Null);
}

fn at<'a>(value: &'a Value, path: &[Part]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, part| match part {
        Part::Member(name) => value.get(name),
        Part::Element(number) => value.get(number),
    })
}

fn members<'a>(value: &'a mut Value, path: &[Part]) -> Option<&'a mut Map<String, Value>> {
    let holder = path.iter().try_fold(value, |value, part| match part {
        Part::Member(name) => value.get_mut(name),
        Part::Element(number) => value.get_mut(number),
    });
    holder.and_then(Value::as_object_mut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
            // It must be there, and be a number: that is for whoever asked to say.
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
}
