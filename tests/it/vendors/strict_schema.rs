//! The subset of JSON Schema that OpenAI's structured outputs take when `strict` is set (guide to structured outputs,
//! "Supported schemas").

use super::fields::Checked;
use serde_json::Value;

const KEYWORDS: [&str; 21] = [
    "$schema",
    "$defs",
    "definitions",
    "$ref",
    "type",
    "title",
    "description",
    "enum",
    "const",
    "anyOf",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "minItems",
    "maxItems",
    "pattern",
    "format",
    "multipleOf",
    "minimum",
    "maximum",
];
const EXCLUSIVE: [&str; 2] = ["exclusiveMinimum", "exclusiveMaximum"];
const FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
const TYPES: [&str; 7] = ["string", "number", "boolean", "integer", "object", "array", "null"];
const MOST_NESTED: usize = 10;
const MOST_PROPERTIES: usize = 5000;
const MOST_ENUM_VALUES: usize = 1000;
const MOST_TEXT: usize = 120_000;

/// The counts over the whole schema.
#[derive(Default)]
struct Counted {
    properties: usize,
    enum_values: usize,
    text: usize,
}

/// Checks a schema for strict mode.
pub(super) fn check(schema: &Value) -> Checked<()> {
    if schema.get("type") != Some(&Value::from("object")) {
        return Err("schema must be a JSON Schema of 'type: \"object\"'".to_owned());
    }
    if schema.get("anyOf").is_some() {
        return Err("the root must not be anyOf".to_owned());
    }
    let mut counted = Counted::default();
    node(schema, schema, "()", 0, &mut counted)?;
    let limits = [
        (counted.properties, MOST_PROPERTIES, "object properties"),
        (counted.enum_values, MOST_ENUM_VALUES, "enum values"),
        (counted.text, MOST_TEXT, "characters in names and enum values"),
    ];
    match limits.iter().find(|(count, most, _)| count > most) {
        Some((count, most, what)) => Err(format!("{count} {what} are more than {most}")),
        None => Ok(()),
    }
}

fn node(root: &Value, schema: &Value, at: &str, depth: usize, counted: &mut Counted) -> Checked<()> {
    let wrong = |what: String| Err(format!("In context={at}, {what}"));
    let Some(map) = schema.as_object() else { return wrong("a schema must be an object".to_owned()) };
    if depth > MOST_NESTED {
        return wrong(format!("nested more than {MOST_NESTED} deep"));
    }
    let known = |key: &&String| KEYWORDS.contains(&key.as_str()) || EXCLUSIVE.contains(&key.as_str());
    if let Some(key) = map.keys().find(|key| !known(key)) {
        return wrong(format!("'{key}' is not permitted"));
    }
    for definitions in ["$defs", "definitions"] {
        for (name, definition) in map.get(definitions).and_then(Value::as_object).into_iter().flatten() {
            counted.text += name.len();
            node(root, definition, &format!("{at}/{definitions}/{name}"), depth, counted)?;
        }
    }
    if let Some(reference) = map.get("$ref") {
        if map.len() > 1 {
            return wrong("$ref cannot have other keywords beside it".to_owned());
        }
        let pointer = reference.as_str().and_then(|text| text.strip_prefix('#'));
        return match pointer.and_then(|pointer| root.pointer(pointer)) {
            Some(_) => Ok(()),
            None => wrong(format!("reference {reference} does not point into the schema")),
        };
    }
    if let Some(branches) = map.get("anyOf") {
        let Some(branches) = branches.as_array().filter(|branches| !branches.is_empty()) else {
            return wrong("'anyOf' must be a list of schemas".to_owned());
        };
        for (number, branch) in branches.iter().enumerate() {
            node(root, branch, &format!("{at}/anyOf/{number}"), depth, counted)?;
        }
        return Ok(());
    }
    let types: Vec<&str> = match map.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if types.is_empty() && !map.contains_key("enum") && !map.contains_key("const") {
        return wrong("schema must have a 'type' key".to_owned());
    }
    if let Some(unknown) = types.iter().find(|name| !TYPES.contains(name)) {
        return wrong(format!("'{unknown}' is not a type"));
    }
    if let Some(format) = map.get("format")
        && !format.as_str().is_some_and(|format| FORMATS.contains(&format))
    {
        return wrong(format!("format {format} is not supported"));
    }
    if let Some(values) = map.get("enum") {
        let Some(values) = values.as_array().filter(|values| !values.is_empty()) else {
            return wrong("'enum' must be a list of values".to_owned());
        };
        counted.enum_values += values.len();
        counted.text += values.iter().filter_map(Value::as_str).map(str::len).sum::<usize>();
        if let Some(value) = values.iter().find(|value| !types.is_empty() && !is_of(value, &types)) {
            return wrong(format!("enum value {value} does not validate against the type"));
        }
    }
    if types.contains(&"object") {
        object(root, schema, at, depth, counted)?;
    }
    if types.contains(&"array") {
        match map.get("items") {
            Some(items) => node(root, items, &format!("{at}/items"), depth + 1, counted)?,
            None => return wrong("array schema missing items".to_owned()),
        }
    }
    Ok(())
}

fn object(root: &Value, schema: &Value, at: &str, depth: usize, counted: &mut Counted) -> Checked<()> {
    let wrong = |what: String| Err(format!("In context={at}, {what}"));
    if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        return wrong("'additionalProperties' is required to be supplied and to be false".to_owned());
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    for (name, property) in properties.into_iter().flatten() {
        counted.properties += 1;
        counted.text += name.len();
        if !required.contains(&name.as_str()) {
            return wrong(format!(
                "'required' is required to be supplied and to be an array including every key in properties. Missing '{name}'"
            ));
        }
        node(root, property, &format!("{at}/properties/{name}"), depth + 1, counted)?;
    }
    match required.iter().find(|name| !properties.is_some_and(|all| all.contains_key(**name))) {
        Some(name) => wrong(format!("extra required key '{name}' supplied")),
        None => Ok(()),
    }
}

fn is_of(value: &Value, types: &[&str]) -> bool {
    match value {
        Value::Null => types.contains(&"null"),
        Value::Bool(_) => types.contains(&"boolean"),
        Value::Number(number) => {
            types.contains(&"number") || (types.contains(&"integer") && !number.is_f64())
        }
        Value::String(_) => types.contains(&"string"),
        Value::Array(_) => types.contains(&"array"),
        Value::Object(_) => types.contains(&"object"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_the_guide_shows_is_taken() {
        check(&json!({
            "type": "object",
            "properties": {
                "unit": { "type": ["string", "null"], "enum": ["F", "C", null], "description": "of temperature" },
                "steps": { "type": "array", "items": { "$ref": "#/$defs/step" }, "minItems": 1 },
                "item": { "anyOf": [{ "$ref": "#/$defs/step" }, { "type": "null" }] },
                "next": { "anyOf": [{ "$ref": "#" }, { "type": "null" }] },
            },
            "$defs": { "step": { "type": "object", "properties": { "output": { "type": "string" } },
                "required": ["output"], "additionalProperties": false } },
            "required": ["unit", "steps", "item", "next"],
            "additionalProperties": false,
        }))
        .unwrap();
    }

    #[test]
    fn what_strict_mode_forbids_is_named() {
        let with = |property: Value| json!({ "type": "object", "properties": { "a": property }, "required": ["a"], "additionalProperties": false });
        for (schema, part) in [
            (json!({ "type": "array", "items": { "type": "string" } }), "type: \"object\""),
            (json!({ "type": "object", "properties": {} }), "additionalProperties"),
            (
                json!({ "type": "object", "properties": { "a": { "type": "string" } }, "required": [],
                "additionalProperties": false }),
                "Missing 'a'",
            ),
            (
                json!({ "type": "object", "properties": {}, "required": ["a"], "additionalProperties": false }),
                "extra",
            ),
            (with(json!({ "type": "string", "minLength": 1 })), "'minLength' is not permitted"),
            (with(json!({ "oneOf": [{ "type": "string" }] })), "'oneOf' is not permitted"),
            (
                with(json!({ "type": "object", "additionalProperties": { "type": "string" } })),
                "additionalProperties",
            ),
            (with(json!({ "type": "string", "format": "uri" })), "format"),
            (with(json!({ "type": "string", "enum": ["a", null] })), "enum value"),
            (with(json!({ "type": "array" })), "missing items"),
            (with(json!({})), "'type' key"),
            (with(json!({ "$ref": "#/$defs/none" })), "does not point"),
            (with(json!({ "$ref": "#", "description": "x" })), "$ref cannot"),
        ] {
            let wrong = check(&schema).unwrap_err();
            assert!(wrong.contains(part), "{part}: {wrong}");
        }
    }
}
