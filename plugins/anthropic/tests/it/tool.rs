//! Schemas in, a tool's input out.

use loopctl_anthropic::tool::{definition, input_schema};
use loopctl_plugin_sdk::Value;
use loopctl_plugin_sdk::codec::schema::WRAPPER;
use proptest::prelude::*;
use serde_json::json;

use crate::schemas::{self, takes};

fn is_input(schema: &Value) {
    assert_eq!(schema["type"], "object", "{schema}");
    for keyword in ["oneOf", "anyOf", "allOf", "$ref", "$schema", "$id", "definitions"] {
        assert_eq!(schema.get(keyword), None, "{schema}");
    }
    assert!(jsonschema::meta::is_valid(schema), "{schema}");
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 100_000, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn whatever_the_schema_the_tool_takes_every_right_answer(case in schemas::cases()) {
        let tool = definition(&case.schema);
        let input = &tool["input_schema"];
        is_input(input);
        let is_wrapped = input["properties"].get(WRAPPER).is_some();
        takes(input, &if is_wrapped { json!({ WRAPPER: case.answer }) } else { case.answer });
    }
}

#[test]
fn shipped_schemas_are_told_by_the_tool_itself() {
    let mut wrapped = Vec::new();
    for (name, schema) in schemas::shipped() {
        let input = input_schema(&schema).unwrap_or_else(|| panic!("{name}"));
        is_input(&input);
        if input["properties"].get(WRAPPER).is_some() {
            wrapped.push(name);
        }
    }
    assert_eq!(wrapped, ["aas/aas-3.0-strict.schema.json", "aas/json-patch.schema.json"]);
}

#[test]
fn adapted_schemas() {
    let cases = [
        (
            json!({"type": "array", "items": [{"type": "string"}], "additionalItems": {"$ref": "#/definitions/n"},
                "definitions": {"n": {"type": "number", "minimum": 0, "exclusiveMinimum": true}}}),
            Some(json!({"type": "object", "properties": {WRAPPER: {"type": "array",
                    "prefixItems": [{"type": "string"}], "items": {"$ref": "#/$defs/n"}}},
                "required": [WRAPPER], "additionalProperties": false,
                "$defs": {"n": {"type": "number", "exclusiveMinimum": 0}}})),
        ),
        (
            json!({"type": "object", "anyOf": [{"required": ["a"]}]}),
            Some(
                json!({"type": "object", "properties": {WRAPPER: {"type": "object", "anyOf": [{"required": ["a"]}]}},
                "required": [WRAPPER], "additionalProperties": false}),
            ),
        ),
        (json!({"type": "object", "properties": {"Größe": {}}}), None),
        (json!({"type": "object", "properties": {"a": {"properties": {"a b": {}}}}}), None),
        (json!({"$ref": "https://example.com/x.json"}), None),
    ];
    for (schema, expected) in cases {
        assert_eq!(input_schema(&schema), expected, "{schema}");
    }
}

#[test]
fn a_schema_that_tools_do_not_take_is_told_in_words() {
    let schema = json!({"type": "object", "properties": {"Größe": {"type": "number"}}});
    let tool = definition(&schema);
    assert_eq!(
        tool["input_schema"],
        json!({"type": "object", "properties": {WRAPPER: {}}, "required": [WRAPPER], "additionalProperties": false})
    );
    assert!(tool["description"].as_str().unwrap().ends_with(&schema.to_string()));
}
