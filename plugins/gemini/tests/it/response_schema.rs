//! Schemas in, schemas of the subset out.

use loopctl_gemini::response_schema::adapted;
use loopctl_plugin_sdk::Value;
use loopctl_plugin_sdk::codec::schema::children;
use proptest::prelude::*;
use serde_json::json;

use crate::schemas::{self, takes};

/// Fails unless the schema only has what the API documents.
fn is_of_the_subset(schema: &Value) {
    const KNOWN: &[&str] = &[
        "$defs",
        "$ref",
        "additionalProperties",
        "anyOf",
        "description",
        "enum",
        "format",
        "items",
        "maxItems",
        "maximum",
        "minItems",
        "minimum",
        "prefixItems",
        "properties",
        "required",
        "title",
        "type",
    ];
    let Some(keywords) = schema.as_object() else { panic!("{schema} is no object") };
    for keyword in keywords.keys() {
        assert!(KNOWN.contains(&keyword.as_str()), "`{keyword}` in {schema}");
    }
    if keywords.contains_key("$ref") {
        assert!(keywords.keys().all(|keyword| keyword.starts_with('$')), "{schema}");
    }
    for value in schema["enum"].as_array().into_iter().flatten() {
        assert!(value.is_string() || value.is_number(), "{schema}");
    }
    for child in children(schema).into_iter().filter(|child| !child.is_boolean()) {
        is_of_the_subset(child);
    }
}

/// Rewrites the schema as a validator must read it: the API means null by a type, whatever the enum says.
fn nulls_in_enums(schema: &mut Value) {
    let nullable = schema["type"].as_array().is_some_and(|types| types.contains(&json!("null")));
    if nullable && let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        values.push(Value::Null);
    }
    for child in loopctl_plugin_sdk::codec::schema::children_mut(schema) {
        if child.is_object() {
            nulls_in_enums(child);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 100_000, ..ProptestConfig::with_cases(600) })]

    #[test]
    fn whatever_is_adapted_is_of_the_subset_and_takes_every_right_answer(case in schemas::cases()) {
        let Some(mut schema) = adapted(&case.schema) else { return Ok(()) };
        is_of_the_subset(&schema);
        nulls_in_enums(&mut schema);
        takes(&schema, &case.answer);
    }
}

/// Every shipped schema that must go into the prompt.
#[test]
fn shipped_schemas() {
    let in_words: Vec<String> = schemas::shipped()
        .into_iter()
        .filter(|(name, schema)| match adapted(schema) {
            Some(adapted) => {
                is_of_the_subset(&adapted);
                assert!(jsonschema::meta::is_valid(&adapted), "{name}");
                false
            }
            None => true,
        })
        .map(|(name, _)| name)
        .collect();
    assert_eq!(in_words, ["aas/aas-3.0-strict.schema.json", "aas/json-patch.schema.json"]);
}

#[test]
fn adapted_schemas() {
    let cases = [
        (
            json!({"$schema": "x", "type": "object", "additionalProperties": false, "required": ["a"], "properties": {
                "a": {"type": "string", "pattern": "^x", "minLength": 1, "format": "uuid", "default": ""},
                "b": {"enum": ["x", null]},
                "c": {"const": true},
                "d": {"type": ["integer", "null"], "minimum": 0, "exclusiveMaximum": 9},
                "e": {"oneOf": [{"type": "string", "format": "date"}, {"type": "number"}], "description": "either"},
                "f": {"$ref": "#/definitions/F", "description": "said"},
                "g": {"type": "object"},
                "h": {"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": true},
            }, "definitions": {"F": {"type": "object", "additionalProperties": {"type": "string", "maxLength": 3}}},
               "anyOf": [{"required": ["b"]}, {"required": ["c"]}]}),
            json!({"$defs": {"F": {"type": "object", "additionalProperties": {"type": "string"}}},
                "type": "object", "properties": {
                "a": {"type": "string"},
                "b": {"type": ["null", "string"], "enum": ["x"]},
                "c": {"type": "boolean"},
                "d": {"minimum": 0, "type": ["integer", "null"]},
                "e": {"description": "either", "anyOf": [{"format": "date", "type": "string"}, {"type": "number"}]},
                "f": {"$ref": "#/$defs/F"},
                "g": {"type": "object", "additionalProperties": true},
                "h": {"minItems": 1, "type": "array", "items": {"type": "string"}},
            }, "required": ["a"], "additionalProperties": false}),
        ),
        // A tree may end: what holds its branches isn't required.
        (
            json!({"type": "object", "properties": {"branches": {"type": "array", "items": {"$ref": "#"}}}}),
            json!({"type": "object", "properties": {"branches": {"type": "array", "items": {"$ref": "#"}}}}),
        ),
        (
            json!({"type": "array", "items": [{"type": "string"}], "additionalItems": false}),
            json!({"type": "array", "prefixItems": [{"type": "string"}]}),
        ),
    ];
    for (schema, expected) in cases {
        assert_eq!(adapted(&schema), Some(expected), "{schema}");
    }
}

#[test]
fn schemas_without_a_form() {
    let within =
        |property: Value| json!({"type": "object", "properties": {"a": property}, "required": ["a"]});
    for schema in [
        within(json!({})),
        within(json!(true)),
        within(json!({"type": "array"})),
        within(json!({"enum": [{"a": 1}]})),
        within(json!({"enum": ["a", 1]})),
        within(json!({"allOf": [{"type": "string"}]})),
        within(json!({"$ref": "other.json"})),
        within(json!({"$ref": "#"})),
        within(json!({"type": "array", "items": {"$ref": "#"}})),
        json!({"type": "object", "patternProperties": {"^x": {"type": "string"}}}),
        json!({"type": "object", "if": {"required": ["a"]}, "then": {"properties": {"b": {"type": "string"}}}}),
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "oneOf": [{"properties": {"b": {}}}]}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}]}, "b": {"$ref": "#/$defs/a"}}}),
    ] {
        assert_eq!(adapted(&schema), None, "{schema}");
    }
}
