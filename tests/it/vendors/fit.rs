//! The answer of a model that means a value and is held to a schema. A codec that rewrites schemas to what its API
//! accepts gets answers of the rewritten form, as it would from the real API.

use super::fields::Checked;
use serde_json::{Map, Value, json};

/// `value` as an answer under `schema`; or why no such answer is possible.
pub(super) fn fit(schema: &Value, value: &Value) -> Checked<Value> {
    let fitted = node(schema, schema, &quoted(schema, value));
    match jsonschema::validate(schema, &fitted) {
        Ok(()) => Ok(fitted),
        Err(error) => Err(format!(
            "the schema that was sent does not let the model say what the script has it say: {error} at `{}`",
            error.instance_path()
        )),
    }
}

/// With no quotes, where the schema wants them beside the value.
fn quoted(schema: &Value, value: &Value) -> Value {
    let wants = |key: &str| schema["properties"].get(key).is_some() && value.get(key).is_none();
    if wants("extraction") && wants("evidence") {
        return json!({ "extraction": value, "evidence": [] });
    }
    value.clone()
}

fn node(root: &Value, schema: &Value, value: &Value) -> Value {
    let schema = resolved(root, schema);
    for key in ["anyOf", "oneOf"] {
        if let Some(branches) = schema.get(key).and_then(Value::as_array) {
            let fitted = branches.iter().map(|branch| (branch, node(root, branch, value)));
            let mut taken =
                fitted.filter(|(branch, fitted)| is_valid(root, branch, fitted)).map(|(_, fitted)| fitted);
            if let Some(fitted) = taken.next() {
                return fitted;
            }
        }
    }
    let has = |kind: &str| match schema.get("type") {
        Some(Value::String(one)) => one == kind,
        Some(Value::Array(several)) => several.contains(&json!(kind)),
        _ => false,
    };
    match value {
        Value::Object(map) if has("object") || schema.get("properties").is_some() => {
            object(root, schema, map)
        }
        // An answer that is no object where one must be goes into its only member.
        _ if !value.is_object() && wrapper(schema).is_some() => match wrapper(schema) {
            Some((name, inner)) => json!({ name: node(root, inner, value) }),
            None => value.clone(),
        },
        Value::Object(map) if has("array") => pairs(root, schema, map).unwrap_or_else(|| value.clone()),
        // What the schema has no room for comes as JSON in a text.
        Value::Object(_) | Value::Array(_) if has("string") && !has("object") && !has("array") => {
            json!(value.to_string())
        }
        Value::Array(items) => {
            let Some(schema) = schema.get("items") else { return value.clone() };
            items.iter().map(|item| node(root, schema, item)).collect()
        }
        _ => value.clone(),
    }
}

fn object(root: &Value, schema: &Value, map: &Map<String, Value>) -> Value {
    let properties = schema.get("properties").and_then(Value::as_object);
    let other = schema.get("additionalProperties").filter(|other| other.is_object());
    let mut out: Map<String, Value> = map
        .iter()
        .map(|(name, value)| {
            let schema = properties.and_then(|properties| properties.get(name)).or(other);
            (name.clone(), schema.map_or_else(|| value.clone(), |schema| node(root, schema, value)))
        })
        .collect();
    // A member that must be there and has no value is null, where the schema has room for that.
    for name in
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    {
        let property = properties.and_then(|properties| properties.get(name));
        if !out.contains_key(name) && property.is_some_and(|property| is_valid(root, property, &Value::Null))
        {
            out.insert(name.to_owned(), Value::Null);
        }
    }
    Value::Object(out)
}

/// The only member of an object's schema.
fn wrapper(schema: &Value) -> Option<(&String, &Value)> {
    let properties = schema.get("properties")?.as_object().filter(|properties| properties.len() == 1)?;
    properties.iter().next().filter(|_| schema.get("type").is_some_and(|kind| kind == "object"))
}

/// A mapping as a list of its entries: objects of two members, the name first.
fn pairs(root: &Value, schema: &Value, map: &Map<String, Value>) -> Option<Value> {
    let entry = resolved(root, schema.get("items")?);
    let properties = entry.get("properties")?.as_object().filter(|properties| properties.len() == 2)?;
    let (name, content) = (properties.keys().next()?, properties.keys().nth(1)?);
    let inner = properties.get(content)?;
    Some(map.iter().map(|(key, value)| json!({ name: key, content: node(root, inner, value) })).collect())
}

fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let pointer = schema.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix('#'));
    pointer.and_then(|pointer| root.pointer(pointer)).unwrap_or(schema)
}

/// Returns whether a value is valid under a part of a schema, whose references are the root's.
fn is_valid(root: &Value, schema: &Value, value: &Value) -> bool {
    let mut alone = schema.clone();
    if let Some(map) = alone.as_object_mut() {
        for key in ["$defs", "definitions"] {
            root.get(key).into_iter().for_each(|definitions| {
                map.insert(key.to_owned(), definitions.clone());
            });
        }
    }
    jsonschema::is_valid(&alone, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_strict_schema_demands_is_filled_in() {
        let schema = json!({
            "type": "object",
            "properties": {
                "grade": { "type": ["string", "null"] },
                "site": { "anyOf": [{ "$ref": "#/$defs/site" }, { "type": "null" }] },
                "markers": { "type": "array", "items": { "type": "object",
                    "properties": { "name": { "type": "string" }, "value": { "type": "string" } } } },
                "more": { "type": "string" },
            },
            "required": ["grade", "site"],
            "$defs": { "site": { "type": "object", "properties": { "side": { "type": ["string", "null"] } },
                "required": ["side"] } },
        });
        let means = json!({ "markers": { "ER": "positive" }, "site": {}, "more": [1] });
        assert_eq!(
            fit(&schema, &means).unwrap(),
            json!({ "markers": [{ "name": "ER", "value": "positive" }], "site": { "side": null }, "more": "[1]",
                "grade": null })
        );
    }

    #[test]
    fn a_list_stands_in_the_only_member_of_an_object() {
        let schema = json!({ "type": "object", "properties": { "items": { "type": "array" } }, "required": ["items"] });
        assert_eq!(fit(&schema, &json!([1, 2])).unwrap(), json!({ "items": [1, 2] }));
    }

    #[test]
    fn what_can_not_be_said_is_a_complaint() {
        let schema =
            json!({ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] });
        assert!(fit(&schema, &json!({})).unwrap_err().contains("does not let the model say"));
    }
}
