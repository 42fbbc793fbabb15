//! Schemas in, schemas of the strict subset out.

use loopctl_openai::strict::adapted;
use loopctl_plugin_sdk::Value;
use loopctl_plugin_sdk::codec::schema::{WRAPPER, children};
use proptest::prelude::*;
use serde_json::json;

use crate::schemas::{self, takes};

/// Fails unless the schema is one that the API documents as acceptable.
fn is_strict(schema: &Value, is_root: bool) {
    const KNOWN: &[&str] = &[
        "$defs",
        "$ref",
        "additionalProperties",
        "anyOf",
        "description",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "items",
        "maxItems",
        "maximum",
        "minItems",
        "minimum",
        "multipleOf",
        "pattern",
        "properties",
        "required",
        "title",
        "type",
    ];
    let Some(keywords) = schema.as_object() else { panic!("{schema} is no object") };
    for keyword in keywords.keys() {
        assert!(KNOWN.contains(&keyword.as_str()), "`{keyword}` in {schema}");
    }
    assert!(["type", "anyOf", "$ref"].iter().any(|keyword| schema.get(keyword).is_some()), "{schema}");
    if is_root {
        assert_eq!(schema["type"], "object", "{schema}");
    }
    if schema.get("$ref").is_some() {
        assert_eq!(keywords.len(), 1, "{schema}");
    }
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        assert_eq!(schema["additionalProperties"], false, "{schema}");
        let names: Vec<_> = properties.keys().map(|name| json!(name)).collect();
        assert_eq!(schema["required"], json!(names));
    }
    if schema["type"] == "array" {
        assert!(schema["items"].is_object(), "{schema}");
    }
    for child in children(schema).into_iter().filter(|child| !child.is_boolean()) {
        is_strict(child, false);
    }
}

/// The answer with null for what it leaves out, as the strict schema wants it.
fn completed(answer: &Value, schema: &Value, root: &Value) -> Value {
    let fits = |schema: &Value, answer: &Value| {
        let mut whole = schema.clone();
        if let Some(definitions) = root.get("$defs") {
            whole["$defs"] = definitions.clone();
        }
        jsonschema::validator_for(&whole).unwrap().is_valid(answer)
    };
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        let target = if name == "#" { root } else { root.pointer(&name[1..]).unwrap() };
        return completed(answer, target, root);
    }
    if let Some(alternatives) = schema.get("anyOf").and_then(Value::as_array) {
        let mut tried = alternatives.iter().map(|schema| (schema, completed(answer, schema, root)));
        return tried
            .find(|(schema, answer)| fits(schema, answer))
            .map_or_else(|| answer.clone(), |(_, answer)| answer);
    }
    match (answer, schema.get("properties").and_then(Value::as_object)) {
        (Value::Object(fields), Some(properties)) => {
            let mut all = fields.clone();
            for (name, property) in properties {
                let value = fields.get(name).map_or(Value::Null, |value| completed(value, property, root));
                all.insert(name.clone(), value);
            }
            Value::Object(all)
        }
        (Value::Array(elements), _) => {
            elements.iter().map(|element| completed(element, &schema["items"], root)).collect()
        }
        _ => answer.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 100_000, ..ProptestConfig::with_cases(600) })]

    #[test]
    fn whatever_is_adapted_is_strict_and_takes_every_right_answer(case in schemas::cases()) {
        let Some(strict) = adapted(&case.schema) else { return Ok(()) };
        is_strict(&strict, true);
        let answer = match strict["properties"].get(WRAPPER) {
            Some(_) => json!({ WRAPPER: case.answer }),
            None => case.answer,
        };
        takes(&strict, &completed(&answer, &strict, &strict));
    }
}

/// Every shipped schema without a strict form: they have maps, `allOf`, or conditions.
#[test]
fn shipped_schemas() {
    let not_strict: Vec<String> = schemas::shipped()
        .into_iter()
        .filter(|(name, schema)| match adapted(schema) {
            Some(strict) => {
                is_strict(&strict, true);
                assert!(jsonschema::meta::is_valid(&strict), "{name}");
                false
            }
            None => true,
        })
        .map(|(name, _)| name)
        .collect();
    assert_eq!(
        not_strict,
        [
            "aas/aas-3.0-strict.schema.json",
            "aas/json-patch.schema.json",
            "definition/define.schema.json",
            "pathology.schema.json",
        ]
    );
}

#[test]
fn adapted_schemas() {
    let cases = [
        // Optional becomes nullable, by the shortest way.
        (
            json!({"type": "object", "required": ["a"], "$schema": "x", "properties": {
                "a": {"type": "string", "minLength": 1, "default": ""},
                "b": {"type": "string", "enum": ["x"]},
                "c": {"$ref": "#/definitions/C", "description": "said"},
                "d": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
                "e": {"type": ["null", "integer"]},
                "f": {"const": 3},
            }, "definitions": {"C": {"type": "array", "items": {"type": "number", "minimum": 0}, "uniqueItems": true}}}),
            json!({"type": "object", "properties": {
                "a": {"type": "string"},
                "b": {"type": ["string", "null"], "enum": ["x", null]},
                "c": {"anyOf": [{"$ref": "#/$defs/C"}, {"type": "null"}]},
                "d": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
                "e": {"type": ["integer", "null"]},
                "f": {"type": ["number", "null"], "enum": [3, null]},
            }, "required": ["a", "b", "c", "d", "e", "f"], "additionalProperties": false,
               "$defs": {"C": {"type": "array", "items": {"minimum": 0, "type": "number"}}}}),
        ),
        // A root that isn't an object's is wrapped, and a tree still finds itself.
        (
            json!({"type": "array", "items": {"$ref": "#"}}),
            json!({"type": "object", "properties": {WRAPPER: {"$ref": "#/$defs/loopctl_answer"}},
                "required": [WRAPPER], "additionalProperties": false,
                "$defs": {WRAPPER: {"type": "array", "items": {"$ref": "#/$defs/loopctl_answer"}}}}),
        ),
        (
            json!({"oneOf": [{"type": "string", "format": "uuid"}, {"type": "string", "format": "iri"}]}),
            json!({"type": "object", "properties": {WRAPPER: {"anyOf": [
                {"type": "string", "format": "uuid"}, {"type": "string"}]}},
                "required": [WRAPPER], "additionalProperties": false}),
        ),
        // Values that the type forbids make the API refuse the whole.
        (
            json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "integer", "enum": [1, "x", null]}}}),
            json!({"type": "object", "properties": {"a": {"type": "integer", "enum": [1]}}, "required": ["a"],
                "additionalProperties": false}),
        ),
        // A pattern that engines read differently is left to the validator.
        (
            json!({"type": "object", "additionalProperties": false, "required": ["a", "b"], "properties": {
                "a": {"type": "string", "pattern": "^\\d{3}-[A-Z]+$"}, "b": {"type": "string", "pattern": "(?i)^\\p{L}$"}}}),
            json!({"type": "object", "properties": {
                "a": {"pattern": "^\\d{3}-[A-Z]+$", "type": "string"}, "b": {"type": "string"}},
                "required": ["a", "b"], "additionalProperties": false}),
        ),
    ];
    for (schema, expected) in cases {
        assert_eq!(adapted(&schema), Some(expected), "{schema}");
    }
}

#[test]
fn schemas_without_a_strict_form() {
    let within =
        |property: Value| json!({"type": "object", "properties": {"a": property}, "required": ["a"]});
    let many: Vec<String> = (0..1001).map(|n| n.to_string()).collect();
    let deep = (0..11).fold(json!({"type": "string"}), |inner, _| within(inner));
    for schema in [
        json!({"type": "object", "additionalProperties": {"type": "string"}}),
        json!({"type": "object"}),
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": true}),
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "patternProperties": {"^x": {}}}),
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]}),
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "dependentRequired": {"a": ["b"]}}),
        within(json!({})),
        within(json!(true)),
        within(json!({"type": "array"})),
        within(json!({"type": "array", "prefixItems": [{"type": "string"}]})),
        within(json!({"allOf": [{"type": "string"}]})),
        within(json!({"enum": [{"a": 1}]})),
        within(json!({"$ref": "https://example.com/other.json"})),
        within(json!({"enum": many})),
        // The API chooses between objects by their first property.
        within(json!({"anyOf": [within(json!({"type": "string"})), within(json!({"type": "number"}))]})),
        // A null for `b` could not be taken back: the other alternative requires it.
        json!({"anyOf": [
            {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a"]},
            {"type": "object", "properties": {"b": {"type": "string"}, "c": {"type": "string"}}, "required": ["b", "c"]},
        ]}),
        deep,
        json!(true),
    ] {
        assert_eq!(adapted(&schema), None, "{schema}");
    }
}

#[test]
fn an_extraction_with_quotes_beside_it_keeps_its_strict_form() {
    let closed = |properties: Value, required: Value| json!({ "type": "object", "additionalProperties": false, "properties": properties, "required": required });
    let text = json!({ "type": "string" });
    let quote = closed(json!({ "path": text, "quote": text }), json!(["path", "quote"]));
    let extraction = closed(json!({ "grade": { "$ref": "#/$defs/grade" } }), json!([]));
    let mut schema = closed(
        json!({ "extraction": extraction, "evidence": { "type": "array", "items": quote } }),
        json!(["extraction", "evidence"]),
    );
    schema["$defs"] = json!({ "grade": { "enum": ["1", "2"] } });
    let strict = adapted(&schema).unwrap();
    is_strict(&strict, true);
    assert_eq!(strict["required"], json!(["extraction", "evidence"]));
    // An object of quotes by pointer would have none.
    schema["properties"]["evidence"] =
        json!({ "type": "object", "additionalProperties": { "type": "string" } });
    assert_eq!(adapted(&schema), None);
}
