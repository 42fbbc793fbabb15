//! Walking JSON Schemas, for codecs that adapt them to what an API accepts, and the wrapper round answers that APIs want
//! to be objects.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// The only key of the object that holds an answer whose schema isn't an object's. A codec that decodes knows nothing of
/// the request, so it knows a wrapped answer by this.
pub const WRAPPER: &str = "loopctl_answer";

/// Keywords whose value is a schema.
const ONE: &[&str] = &[
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords whose value is a list of schemas; `items` is one in drafts before 2020-12.
const LIST: &[&str] = &["allOf", "anyOf", "items", "oneOf", "prefixItems"];

/// Keywords whose value is an object of schemas by name; of `dependencies` those that are schemas.
const NAMED: &[&str] =
    &["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];

/// Takes over into `to` what an API understands as it is: these keywords, and `format` when it is one of these.
pub fn keep(from: &Map<String, Value>, keywords: &[&str], formats: &[&str], to: &mut Map<String, Value>) {
    for keyword in keywords {
        if let Some(value) = from.get(*keyword) {
            to.insert((*keyword).to_owned(), value.clone());
        }
    }
    let known = |format: &&Value| format.as_str().is_some_and(|format| formats.contains(&format));
    if let Some(format) = from.get("format").filter(known) {
        to.insert("format".to_owned(), format.clone());
    }
}

/// JSON Schema's name for the type of a value.
pub fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The values that `enum` and `const` allow. `None` inside means any; outside, that they are unknown.
pub fn values_of(schema: &Map<String, Value>) -> Option<Option<Vec<Value>>> {
    match (schema.get("enum"), schema.get("const")) {
        (Some(Value::Array(values)), None) => Some(Some(values.clone())),
        (None, Some(value)) => Some(Some(vec![value.clone()])),
        (None, None) => Some(None),
        _ => None,
    }
}

/// The types that a schema names, else those of its `values`, else `object` for one with properties. `None` when it
/// names none.
pub fn types_of<'a>(schema: &'a Map<String, Value>, values: Option<&[Value]>) -> Option<BTreeSet<&'a str>> {
    let types: BTreeSet<&str> = match (schema.get("type"), values) {
        (Some(Value::String(one)), _) => BTreeSet::from([one.as_str()]),
        (Some(Value::Array(several)), _) => several.iter().map(Value::as_str).collect::<Option<_>>()?,
        (Some(_), _) => return None,
        (None, Some(values)) => values.iter().map(type_of).collect(),
        (None, None) if schema.contains_key("properties") => BTreeSet::from(["object"]),
        (None, None) => return None,
    };
    (!types.is_empty()).then_some(types)
}

/// Types as the value of `type`: one by itself, several as a list.
pub fn types_value(types: &BTreeSet<&str>) -> Value {
    let mut types: Vec<Value> = types.iter().map(|name| json!(name)).collect();
    if types.len() == 1 { types.swap_remove(0) } else { Value::Array(types) }
}

/// The schemas directly in a schema.
pub fn children(schema: &Value) -> Vec<&Value> {
    let Some(keywords) = schema.as_object() else { return Vec::new() };
    let mut found = Vec::new();
    for (keyword, value) in keywords {
        match value {
            Value::Array(list) if LIST.contains(&keyword.as_str()) => found.extend(list),
            Value::Object(named) if NAMED.contains(&keyword.as_str()) => {
                found.extend(named.values().filter(|value| is_schema(value)));
            }
            value if ONE.contains(&keyword.as_str()) && is_schema(value) => found.push(value),
            _ => {}
        }
    }
    found
}

/// [`children`], to be changed.
pub fn children_mut(schema: &mut Value) -> Vec<&mut Value> {
    let Some(keywords) = schema.as_object_mut() else { return Vec::new() };
    let mut found: Vec<&mut Value> = Vec::new();
    for (keyword, value) in keywords {
        let keyword = keyword.as_str();
        if ONE.contains(&keyword) && is_schema(value) {
            found.push(value);
            continue;
        }
        match value {
            Value::Array(list) if LIST.contains(&keyword) => found.extend(list),
            Value::Object(named) if NAMED.contains(&keyword) => {
                found.extend(named.values_mut().filter(|value| is_schema(value)));
            }
            _ => {}
        }
    }
    found
}

fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

/// Returns whether the schema or one within it, at any depth, passes the test.
pub fn any(schema: &Value, test: &mut dyn FnMut(&Value) -> bool) -> bool {
    test(schema) || children(schema).into_iter().any(|child| any(child, test))
}

/// Returns whether the schema only takes objects and says so plainly, at its root, as APIs want it: by `type` alone,
/// not by way of a reference or of alternatives.
pub fn is_plain_object(schema: &Value) -> bool {
    const INDIRECT: &[&str] =
        &["$ref", "$dynamicRef", "allOf", "anyOf", "const", "else", "enum", "if", "not", "oneOf", "then"];
    schema.get("type").and_then(Value::as_str) == Some("object")
        && INDIRECT.iter().all(|keyword| schema.get(keyword).is_none())
}

/// The schema with all definitions under `$defs` at its root, and every `$ref` either `#` or `#/$defs/NAME`. None when
/// it refers to anything else (other documents, anchors, into the middle of a schema), or names don't fit together.
pub fn gathered(schema: &Value) -> Option<Value> {
    const RESOLVES_ELSEWHERE: &[&str] = &["$anchor", "$dynamicRef", "$recursiveRef"];
    let mut gathered = schema.clone();
    let Some(root) = gathered.as_object_mut() else { return Some(gathered) };
    let mut definitions = Map::new();
    for keyword in ["$defs", "definitions"] {
        match root.shift_remove(keyword) {
            Some(Value::Object(named)) => {
                for (name, definition) in named {
                    if definitions.insert(name, definition).is_some() {
                        return None;
                    }
                }
            }
            Some(_) => return None,
            None => {}
        }
    }
    root.shift_remove("$schema");
    root.shift_remove("$id");
    if !definitions.is_empty() {
        root.insert("$defs".to_owned(), Value::Object(definitions));
    }
    let names: Vec<String> = root
        .get("$defs")
        .and_then(Value::as_object)
        .map(|definitions| definitions.keys().cloned().collect())
        .unwrap_or_default();
    let foreign = any(&gathered, &mut |part| {
        part.get("$id").is_some_and(Value::is_string)
            || RESOLVES_ELSEWHERE.iter().any(|keyword| part.get(keyword).is_some())
    });
    (!foreign && point_home(&mut gathered, &names)).then_some(gathered)
}

fn point_home(schema: &mut Value, names: &[String]) -> bool {
    if let Some(reference) = schema.get_mut("$ref") {
        let Some(target) = reference.as_str() else { return false };
        if !matches!(target, "#" | "#/") {
            let Some(name) =
                target.strip_prefix("#/$defs/").or_else(|| target.strip_prefix("#/definitions/"))
            else {
                return false;
            };
            let plain = !name.contains(['/', '%', '~']);
            if !plain || !names.iter().any(|known| known == name) {
                return false;
            }
            *reference = Value::String(format!("#/$defs/{name}"));
        } else if target == "#/" {
            // A property with an empty name, strictly.
            return false;
        }
    }
    children_mut(schema).into_iter().all(|child| point_home(child, names))
}

/// The definition that a `$ref` of a [`gathered`] schema means.
pub fn definition<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    if reference == "#" {
        return Some(root);
    }
    root.get("$defs")?.get(reference.strip_prefix("#/$defs/")?)
}

/// An object's schema whose one property [`WRAPPER`] is the [`gathered`] schema.
pub fn wrapped(schema: Value) -> Value {
    let (schema, definitions) = as_part(schema, WRAPPER);
    let mut whole = Map::from_iter([
        ("type".to_owned(), json!("object")),
        ("properties".to_owned(), json!({ WRAPPER: schema })),
        ("required".to_owned(), json!([WRAPPER])),
        ("additionalProperties".to_owned(), json!(false)),
    ]);
    if !definitions.is_empty() {
        whole.insert("$defs".to_owned(), Value::Object(definitions));
    }
    Value::Object(whole)
}

/// The [`gathered`] schema as a part of a greater one: what replaces it, and the definitions that the greater one then
/// needs under `$defs`. If it refers to itself it becomes one of them, under `name`.
pub fn as_part(mut schema: Value, name: &str) -> (Value, Map<String, Value>) {
    let mut definitions = match schema.as_object_mut().and_then(|root| root.shift_remove("$defs")) {
        Some(Value::Object(definitions)) => definitions,
        _ => Map::new(),
    };
    let to_root = |part: &Value| part.get("$ref").and_then(Value::as_str) == Some("#");
    let recursive = any(&schema, &mut |part| to_root(part))
        || definitions.values().any(|definition| any(definition, &mut |part| to_root(part)));
    if recursive {
        let target = format!("#/$defs/{name}");
        definitions.insert(name.to_owned(), schema);
        for definition in definitions.values_mut() {
            root_moves(definition, &target);
        }
        schema = json!({ "$ref": target });
    }
    (schema, definitions)
}

fn root_moves(schema: &mut Value, target: &str) {
    if let Some(reference) = schema.get_mut("$ref")
        && reference.as_str() == Some("#")
    {
        *reference = Value::String(target.to_owned());
    }
    for child in children_mut(schema) {
        root_moves(child, target);
    }
}

/// The content of the wrapper, if this is one.
pub fn unwrapped(answer: &Value) -> Option<&Value> {
    let fields = answer.as_object()?;
    if fields.len() == 1 { fields.get(WRAPPER) } else { None }
}

/// For prompts: what the answer is to look like, when the API can't be told otherwise.
pub fn instruction(schema: &Value) -> String {
    format!("Answer with one JSON value that follows this JSON Schema, and with nothing else:\n{schema}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_properties_are_not_keywords() {
        let schema = json!({
            "properties": {"items": {"type": "string"}, "anyOf": {"type": "null"}},
            "enum": [{"not": {}}],
            "items": [{"type": "array"}, true],
        });
        let found: Vec<_> = children(&schema).into_iter().cloned().collect();
        assert_eq!(
            found,
            [json!({"type": "string"}), json!({"type": "null"}), json!({"type": "array"}), json!(true)]
        );
    }

    #[test]
    fn types_are_declared_or_those_of_the_values() {
        for (schema, types) in [
            (json!({"type": "string"}), Some(json!("string"))),
            (json!({"type": ["string", "null"], "enum": [1]}), Some(json!(["null", "string"]))),
            (json!({"enum": ["a", null, 1]}), Some(json!(["null", "number", "string"]))),
            (json!({"const": [true]}), Some(json!("array"))),
            (json!({"properties": {}}), Some(json!("object"))),
            (json!({"enum": []}), None),
            (json!({"type": 1}), None),
            (json!({"type": [1]}), None),
            (json!({}), None),
        ] {
            let keywords = schema.as_object().unwrap();
            let values = values_of(keywords).unwrap();
            assert_eq!(types_of(keywords, values.as_deref()).as_ref().map(types_value), types, "{schema}");
        }
        assert_eq!(values_of(json!({"enum": [1], "const": 1}).as_object().unwrap()), None);
    }

    #[test]
    fn definitions_are_gathered() {
        let schema = json!({
            "$schema": "x", "type": "object",
            "properties": {"a": {"$ref": "#/definitions/A"}, "b": {"$ref": "#"}, "$ref": {"type": "string"}},
            "definitions": {"A": {"$ref": "#/$defs/B"}}, "$defs": {"B": {"type": "string"}},
        });
        assert_eq!(
            gathered(&schema).unwrap(),
            json!({
                "type": "object",
                "properties": {"a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#"}, "$ref": {"type": "string"}},
                "$defs": {"B": {"type": "string"}, "A": {"$ref": "#/$defs/B"}},
            })
        );
        for elsewhere in [
            json!({"$ref": "other.json"}),
            json!({"$ref": "#/properties/a"}),
            json!({"$ref": "#/$defs/missing"}),
            json!({"$anchor": "x"}),
            json!({"$dynamicRef": "#x"}),
            json!({"$defs": {"A": {}}, "definitions": {"A": {}}}),
            json!({"properties": {"a": {"$id": "https://x.example"}}}),
        ] {
            assert_eq!(gathered(&elsewhere), None, "{elsewhere}");
        }
    }

    #[test]
    fn wrapping_keeps_references() {
        let list =
            json!({"type": "array", "items": {"$ref": "#/$defs/A"}, "$defs": {"A": {"type": "string"}}});
        assert_eq!(
            wrapped(list),
            json!({
                "type": "object",
                "properties": {WRAPPER: {"type": "array", "items": {"$ref": "#/$defs/A"}}},
                "required": [WRAPPER],
                "additionalProperties": false,
                "$defs": {"A": {"type": "string"}},
            })
        );
        let tree = wrapped(json!({"type": "array", "items": {"$ref": "#"}}));
        assert_eq!(tree["properties"][WRAPPER], json!({"$ref": "#/$defs/loopctl_answer"}));
        assert_eq!(tree["$defs"][WRAPPER]["items"], json!({"$ref": "#/$defs/loopctl_answer"}));
    }

    #[test]
    fn only_a_wrapper_is_unwrapped() {
        assert_eq!(unwrapped(&json!({WRAPPER: [1]})), Some(&json!([1])));
        assert_eq!(unwrapped(&json!({WRAPPER: 1, "more": 2})), None);
        assert_eq!(unwrapped(&json!([WRAPPER])), None);
    }
}
