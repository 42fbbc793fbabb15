//! Schemas for the tests of codecs that adapt them: made up, each with a right answer, and those that are shipped.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A schema and an answer that it takes.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) schema: Value,
    pub(crate) answer: Value,
}

fn case(schema: Value, answer: Value) -> Case {
    Case { schema, answer }
}

/// Any schema that a profile might have, often with a definition that it refers to.
pub(crate) fn cases() -> impl Strategy<Value = Case> {
    (any_case(), leaf(), any::<bool>(), any::<bool>())
        .prop_map(|(mut main, shared, refers, old)| {
            let keyword = if old { "definitions" } else { "$defs" };
            if refers && let Some(schema) = main.schema.as_object_mut() {
                schema.insert(keyword.to_owned(), json!({ "shared": shared.schema }));
                let reference = json!({ "$ref": format!("#/{keyword}/shared") });
                let takes_more = schema.get("properties").is_some_and(Value::is_object);
                if takes_more && let Some(answer) = main.answer.as_object_mut() {
                    schema["properties"]["shared"] = reference;
                    answer.insert("shared".to_owned(), shared.answer);
                }
            }
            main
        })
        .prop_filter("the answer follows the schema", |case| {
            jsonschema::validator_for(&case.schema).is_ok_and(|schema| schema.is_valid(&case.answer))
        })
}

fn any_case() -> impl Strategy<Value = Case> {
    leaf().prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            4 => object(inner.clone()),
            2 => list(inner.clone()),
            1 => choice(inner.clone()),
            1 => embellished(inner),
        ]
    })
}

fn leaf() -> impl Strategy<Value = Case> {
    let text = "[a-z]{1,6}".prop_map(|text: String| json!(text));
    prop_oneof![
        4 => (text, any::<bool>()).prop_map(|(text, bounded)| {
            let schema = if bounded {
                json!({"type": "string", "minLength": 1, "maxLength": 20, "pattern": "^[a-z]+$"})
            } else {
                json!({"type": "string"})
            };
            case(schema, text)
        }),
        3 => (0_i64..100)
            .prop_map(|n| case(json!({"type": "integer", "minimum": 0, "exclusiveMaximum": 100}), json!(n))),
        3 => Just(case(json!({"type": "number", "multipleOf": 0.5}), json!(2.5))),
        3 => Just(case(json!({"type": "boolean"}), json!(true))),
        3 => Just(case(json!({"type": ["string", "null"]}), Value::Null)),
        3 => Just(case(json!({"type": ["string", "number"], "format": "date"}), json!("2026-01-02"))),
        3 => Just(case(json!({"enum": ["a", "b", null]}), Value::Null)),
        3 => Just(case(json!({"type": "string", "enum": ["x", "y"]}), json!("y"))),
        3 => Just(case(json!({"const": 7}), json!(7))),
        3 => Just(case(json!({"const": false}), json!(false))),
        1 => Just(case(json!({"enum": ["one", 2]}), json!(2))),
        1 => Just(case(json!({"enum": [{"a": 1}]}), json!({"a": 1}))),
        1 => Just(case(json!({"type": "array"}), json!([1, "two"]))),
        1 => Just(case(json!({"type": "object"}), json!({"any": "thing"}))),
        1 => Just(case(json!({}), json!("anything"))),
        1 => Just(case(json!(true), json!([null]))),
    ]
}

fn object(inner: impl Strategy<Value = Case> + Clone) -> impl Strategy<Value = Case> {
    let field = ("[a-e]{1,2}", inner.clone(), any::<bool>(), any::<bool>());
    (prop::collection::vec(field, 0..5), inner, 0_u8..8).prop_map(|(fields, rest, shape)| {
        let (mut properties, mut required, mut answer) = (Map::new(), Vec::new(), Map::new());
        for (name, case, is_required, is_there) in fields {
            if properties.contains_key(&name) {
                continue;
            }
            if is_required {
                required.push(json!(name));
            }
            if is_required || is_there {
                answer.insert(name.clone(), case.answer);
            }
            properties.insert(name, case.schema);
        }
        let mut schema = json!({ "type": "object", "properties": properties });
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        match shape {
            0..=2 => schema["additionalProperties"] = json!(false),
            3 => {
                schema["additionalProperties"] = rest.schema;
                answer.insert("Other".to_owned(), rest.answer);
            }
            4 => {
                schema["patternProperties"] = json!({ "^X": rest.schema });
                answer.insert("Xtra".to_owned(), rest.answer);
            }
            5 => {
                schema["minProperties"] = json!(0);
                schema["propertyNames"] = json!({ "maxLength": 40 });
            }
            _ => {}
        }
        case(schema, Value::Object(answer))
    })
}

fn list(inner: impl Strategy<Value = Case>) -> impl Strategy<Value = Case> {
    (inner, 0_usize..3, 0_u8..4).prop_map(|(element, count, shape)| {
        let elements = vec![element.answer.clone(); count];
        match shape {
            0 => case(
                json!({"type": "array", "prefixItems": [element.schema], "items": false}),
                json!([element.answer]),
            ),
            1 => case(json!({"type": "array", "items": element.schema, "maxItems": 4}), json!(elements)),
            _ => case(json!({"type": "array", "items": element.schema}), json!(elements)),
        }
    })
}

fn choice(inner: impl Strategy<Value = Case> + Clone) -> impl Strategy<Value = Case> {
    (inner.clone(), inner, any::<bool>()).prop_map(|(one, other, either)| {
        let keyword = if either { "oneOf" } else { "anyOf" };
        case(json!({ keyword: [other.schema, one.schema], "description": "either" }), one.answer)
    })
}

/// With keywords that few APIs know.
fn embellished(inner: impl Strategy<Value = Case>) -> impl Strategy<Value = Case> {
    (inner, 0_u8..6).prop_map(|(case, which)| {
        let Case { mut schema, answer } = case;
        if let Some(keywords) = schema.as_object_mut() {
            let (keyword, value) = match which {
                0 => ("not", json!({"const": "never"})),
                1 => ("allOf", json!([{"title": "nothing more"}])),
                2 => ("default", json!(1)),
                3 => ("if", json!({"type": "string"})),
                4 => ("examples", json!([1, 2])),
                _ => ("$comment", json!("by hand")),
            };
            keywords.insert(keyword.to_owned(), value);
        }
        Case { schema, answer }
    })
}

/// Every schema of the repository's `schemas` folder that an answer is asked by, with its path there. Those of our own YAML files,
/// which are for editors (draft-07), no model gets to see.
pub(crate) fn shipped() -> Vec<(String, Value)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
    let mut found = Vec::new();
    gather(&root, &mut found);
    found.sort();
    assert!(found.len() > 15, "only {} schemas in {}", found.len(), root.display());
    found
        .into_iter()
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            let name = path.strip_prefix(&root).unwrap().display().to_string();
            (name, serde_json::from_str(&text).unwrap())
        })
        .filter(|(_, schema): &(String, Value)| {
            !schema["$schema"].as_str().is_some_and(|draft| draft.contains("draft-07"))
        })
        .collect()
}

fn gather(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gather(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "json") {
            found.push(path);
        }
    }
}

/// Fails unless this is a JSON Schema of draft 2020-12 that takes the answer.
pub(crate) fn takes(schema: &Value, answer: &Value) {
    assert!(jsonschema::meta::is_valid(schema), "no JSON Schema: {schema}");
    let validator = jsonschema::validator_for(schema).unwrap();
    if let Err(error) = validator.validate(answer) {
        panic!("{error}\nanswer {answer}\nschema {schema}");
    }
}
