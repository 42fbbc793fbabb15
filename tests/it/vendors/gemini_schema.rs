//! The schemas that Gemini takes: `Schema`, a subset of OpenAPI 3.0's (ai.google.dev/api/caching#Schema), and the JSON
//! Schema of `responseJsonSchema`.

use super::fields::{Checked, Object};
use serde_json::{Map, Value, json};

const TYPES: [&str; 14] = [
    "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL", "string", "number", "integer",
    "boolean", "array", "object", "null",
];

/// Checks a `Schema`.
pub(super) fn check(schema: &Value, at: &str) -> Checked<()> {
    let node = Object::of(schema, at, true)?;
    node.only(&[
        "type",
        "format",
        "title",
        "description",
        "nullable",
        "enum",
        "maxItems",
        "minItems",
        "properties",
        "required",
        "minProperties",
        "maxProperties",
        "minLength",
        "maxLength",
        "pattern",
        "example",
        "anyOf",
        "propertyOrdering",
        "default",
        "items",
        "minimum",
        "maximum",
    ])
    .map_err(|wrong| format!("Invalid JSON payload received. {wrong}: Cannot find field."))?;
    node.boolean("nullable")?;
    for key in ["title", "description", "pattern"] {
        node.text(key)?;
    }
    for key in ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"] {
        let whole =
            |value: &Value| value.is_u64() || value.as_str().is_some_and(|text| text.parse::<u64>().is_ok());
        if node.get(key).is_some_and(|value| !whole(value)) {
            return node.wrong(key, "expected an int64");
        }
    }
    for (number, branch) in node.list("anyOf")?.unwrap_or_default().iter().enumerate() {
        check(branch, &format!("{at}.anyOf[{number}]"))?;
    }
    let kind = match node.one_of("type", &TYPES)? {
        Some(kind) => kind.to_ascii_uppercase(),
        None if node.has("anyOf") => return Ok(()),
        None => return node.wrong("type", "missing field"),
    };
    let formats: &[&str] = match kind.as_str() {
        "STRING" => &["enum", "date-time"],
        "NUMBER" => &["float", "double"],
        "INTEGER" => &["int32", "int64"],
        _ => &[],
    };
    if node.text("format")?.is_some_and(|format| !formats.contains(&format)) {
        return node.wrong("format", &format!("only {formats:?} are supported for {kind} type"));
    }
    if let Some(values) = node.texts("enum")? {
        if kind != "STRING" {
            return node.wrong("enum", "only allowed for STRING type");
        }
        if let Some(number) = values.iter().position(|value| value.is_empty()) {
            return node.wrong(&format!("enum[{number}]"), "cannot be empty");
        }
    }
    let properties = node.get("properties").and_then(Value::as_object);
    for key in ["required", "propertyOrdering"] {
        for name in node.texts(key)?.unwrap_or_default() {
            if !properties.is_some_and(|properties| properties.contains_key(name)) {
                return node.wrong(&format!("{key}[{name}]"), "property is not defined");
            }
        }
    }
    match kind.as_str() {
        "OBJECT" if properties.is_none_or(Map::is_empty) => {
            node.wrong("properties", "should be non-empty for OBJECT type")
        }
        "ARRAY" if !node.has("items") => node.wrong("items", "missing field"),
        _ => {
            for (name, property) in properties.into_iter().flatten() {
                check(property, &format!("{at}.properties[{name}]"))?;
            }
            node.get("items").map_or(Ok(()), |items| check(items, &format!("{at}.items")))
        }
    }
}

/// A `Schema` that was checked, in JSON Schema's terms. Objects have no members besides their properties.
pub(super) fn json_schema(schema: &Value) -> Value {
    let Some(map) = schema.as_object() else { return json!({}) };
    let mut out = Map::new();
    for (key, value) in map {
        let value = match key.as_str() {
            "nullable" | "format" | "example" | "default" | "propertyOrdering" => continue,
            "type" => json!(value.as_str().unwrap_or_default().to_ascii_lowercase()),
            "items" => json_schema(value),
            "properties" => {
                let pairs = value.as_object().into_iter().flatten();
                pairs.map(|(name, inner)| (name.clone(), json_schema(inner))).collect()
            }
            "anyOf" => value.as_array().into_iter().flatten().map(json_schema).collect(),
            "minItems" | "maxItems" | "minLength" | "maxLength" | "minProperties" | "maxProperties" => {
                value.as_str().and_then(|text| text.parse::<u64>().ok()).map_or(value.clone(), Value::from)
            }
            _ => value.clone(),
        };
        out.insert(key.clone(), value);
    }
    if out.get("type").is_some_and(|kind| kind == "object") {
        out.insert("additionalProperties".to_owned(), json!(false));
    }
    match map.get("nullable") {
        Some(Value::Bool(true)) => json!({ "anyOf": [out, { "type": "null" }] }),
        _ => Value::Object(out),
    }
}

/// Checks a JSON Schema. Keywords that the API does not heed may be sent; beside a `$ref` only those that start with
/// `$`.
pub(super) fn check_json_schema(schema: &Value, at: &str) -> Checked<()> {
    if let Err(error) = jsonschema::draft202012::meta::validate(schema) {
        return Err(format!("{at}: {error}"));
    }
    references(schema, at)
}

fn references(schema: &Value, at: &str) -> Checked<()> {
    match schema {
        Value::Object(map) => {
            if map.contains_key("$ref") && map.keys().any(|key| !key.starts_with('$')) {
                return Err(format!("{at}: beside $ref only properties that start with $ may be set"));
            }
            map.iter().try_for_each(|(key, value)| references(value, &format!("{at}.{key}")))
        }
        Value::Array(items) => items.iter().try_for_each(|item| references(item, at)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_example_is_taken_and_read() {
        let schema = json!({
            "type": "ARRAY",
            "minItems": "1",
            "items": {
                "type": "OBJECT",
                "properties": { "name": { "type": "STRING", "nullable": true }, "kind": { "type": "string", "enum": ["a"] } },
                "required": ["name"],
                "propertyOrdering": ["name", "kind"],
            },
        });
        check(&schema, "s").unwrap();
        let read = json_schema(&schema);
        assert!(jsonschema::is_valid(&read, &json!([{ "name": null }])));
        assert!(!jsonschema::is_valid(&read, &json!([{ "name": "x", "more": 1 }])));
        assert!(!jsonschema::is_valid(&read, &json!([])));
    }

    #[test]
    fn what_the_subset_lacks_is_named() {
        let with = |property: Value| json!({ "type": "OBJECT", "properties": { "a": property } });
        for (schema, part) in [
            (json!({ "type": ["STRING", "NULL"] }), "type"),
            (json!({ "type": "OBJECT" }), "non-empty"),
            (
                json!({ "type": "OBJECT", "properties": { "a": { "type": "STRING" } }, "required": ["b"] }),
                "not defined",
            ),
            (with(json!({ "type": "OBJECT", "additionalProperties": false })), "additionalProperties"),
            (with(json!({ "$ref": "#" })), "$ref"),
            (with(json!({ "type": "STRING", "const": "x" })), "const"),
            (with(json!({ "type": "STRING", "format": "date" })), "format"),
            (with(json!({ "type": "INTEGER", "enum": ["1"] })), "only allowed for STRING"),
            (with(json!({ "type": "STRING", "enum": ["a", null] })), "enum"),
            (with(json!({ "type": "ARRAY" })), "items"),
            (with(json!({ "description": "x" })), "type"),
        ] {
            let wrong = check(&schema, "s").unwrap_err();
            assert!(wrong.contains(part), "{part}: {wrong}");
        }
        let beside =
            json!({ "$defs": { "a": {} }, "properties": { "x": { "$ref": "#/$defs/a", "type": "string" } } });
        assert!(check_json_schema(&beside, "s").unwrap_err().contains("$ref"));
    }
}
