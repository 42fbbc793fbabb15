//! `schemas/aas/aas-3.0-strict.schema.json` is made from the official schema, which lies beside this file unchanged and
//! does not ship, because its patterns can't be compiled here.
//!
//! Three things are added. Members that a class does not have are refused: the metamodel knows none, the official
//! schema lets them pass. Where several classes are allowed, `modelType` decides by `if` and `then` instead of `oneOf`,
//! so that an error names the member that is wrong, and the time a check takes stays in proportion to the document. The
//! root may also be an event payload. Patterns that spell characters beyond U+FFFF as surrogate pairs are written with
//! code points.

use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

const OFFICIAL: &str = "tests/it/aas/aas-3.0.schema.json";
const STRICT: &str = "schemas/aas/aas-3.0-strict.schema.json";
const XML_TEXT: &str = r"^([\x09\x0a\x0d\x20-\ud7ff\ue000-\ufffd]|\ud800[\udc00-\udfff]|[\ud801-\udbfe][\udc00-\udfff]|\udbff[\udc00-\udfff])*$";
const XML_TEXT_BY_CODE_POINTS: &str = r"^[\x09\x0a\x0d\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$";

fn path(name: &str) -> String {
    format!("{}/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn target(reference: &Value) -> Option<&str> {
    reference.get("$ref")?.as_str()?.strip_prefix("#/definitions/")
}

/// Classes that others are made of, by `allOf` or as another name.
fn bases(definitions: &Map<String, Value>) -> BTreeSet<String> {
    let parts = definitions.values().flat_map(|definition| {
        let all = definition.get("allOf").and_then(Value::as_array);
        all.into_iter().flatten().chain(std::iter::once(definition)).filter_map(target)
    });
    parts.map(str::to_owned).collect()
}

/// Every member that a class has by itself or from what it is made of.
fn members(definition: &Value, definitions: &Map<String, Value>, found: &mut BTreeSet<String>) {
    if let Some(properties) = definition.get("properties").and_then(Value::as_object) {
        found.extend(properties.keys().cloned());
    }
    if let Some(base) = target(definition) {
        members(&definitions[base], definitions, found);
    }
    for part in definition.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        members(part, definitions, found);
    }
}

fn by_model_type(choice: &[Value]) -> Value {
    let names: Vec<&str> = choice.iter().filter_map(target).collect();
    let branches: Vec<Value> = names
        .iter()
        .map(|name| {
            json!({
                "if": {"properties": {"modelType": {"const": name}}, "required": ["modelType"]},
                "then": {"$ref": format!("#/definitions/{name}")}
            })
        })
        .collect();
    json!({"type": "object", "properties": {"modelType": {"enum": names}}, "required": ["modelType"], "allOf": branches})
}

fn rewrite_patterns(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                match member {
                    Value::String(text) if key == "pattern" && text == XML_TEXT => {
                        *text = XML_TEXT_BY_CODE_POINTS.to_owned();
                    }
                    other => rewrite_patterns(other),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(rewrite_patterns),
        _ => {}
    }
}

fn strict(official: &Value) -> Value {
    let definitions = official["definitions"].as_object().unwrap();
    let bases = bases(definitions);
    let mut out = Map::new();
    for (name, definition) in definitions {
        if let Some(choice) = definition.get("oneOf").and_then(Value::as_array) {
            out.insert(name.clone(), by_model_type(choice));
            continue;
        }
        let mut known = BTreeSet::new();
        members(definition, definitions, &mut known);
        let mut closed = definition.clone();
        if !known.is_empty() && !bases.contains(name) {
            let known: Map<String, Value> =
                known.into_iter().map(|member| (member, Value::Bool(true))).collect();
            let rest = json!({"properties": known, "additionalProperties": false});
            match closed.get_mut("allOf").and_then(Value::as_array_mut) {
                Some(parts) => parts.push(rest),
                None => closed["additionalProperties"] = Value::Bool(false),
            }
        }
        out.insert(name.clone(), closed);
    }
    let mut strict = json!({
        "$schema": official["$schema"],
        "$comment": "Made from aas-3.0.schema.json (IDTA, CC BY 4.0; see README.md) by tests/it/aas/schema.rs; don't edit.",
        "title": "AAS 3.0 environment or event payload, without members that the metamodel does not have",
        "type": "object",
        "if": {"anyOf": [{"required": ["source"]}, {"required": ["observableReference"]}, {"required": ["timeStamp"]}]},
        "then": {"$ref": "#/definitions/EventPayload"},
        "else": {"$ref": "#/definitions/Environment"},
        "definitions": out
    });
    rewrite_patterns(&mut strict);
    strict
}

#[test]
fn the_strict_schema_is_made_from_the_official_one() {
    let official: Value = serde_json::from_str(&std::fs::read_to_string(path(OFFICIAL)).unwrap()).unwrap();
    let expected = serde_json::to_string_pretty(&strict(&official)).unwrap() + "\n";
    if std::env::var_os("LOOPCTL_UPDATE").is_some() {
        std::fs::write(path(STRICT), &expected).unwrap();
    }
    let found = std::fs::read_to_string(path(STRICT)).unwrap_or_default();
    assert!(found == expected, "{STRICT} is stale: run `LOOPCTL_UPDATE=1 cargo test --test it aas::schema`");
}
