//! The tool through which the model answers: its input is the answer.
//!
//! Tools take JSON Schema of draft 2020-12 nearly as it is. Their input is always an object, so any other answer is
//! wrapped; alternatives at the root are wrapped, too, and older drafts are brought up to date. Where the API would
//! refuse the schema nonetheless (names of properties that it doesn't take, references to other documents), the tool
//! takes anything and its description contains the schema. The engine checks every answer against the whole schema.

use loopctl_plugin_sdk::Value;
use loopctl_plugin_sdk::codec::schema::{any, children_mut, gathered, is_plain_object, wrapped};
use serde_json::json;

/// The tool's name.
pub const NAME: &str = "answer";
const DESCRIPTION: &str = "Takes the answer. Call it once, with the whole answer as its input.";
/// The longest name of a property; they match `^[a-zA-Z0-9_.-]{1,64}$`.
const MAX_NAME: usize = 64;

/// The tool's definition.
pub fn definition(schema: &Value) -> Value {
    let Some(input) = input_schema(schema) else {
        return json!({
            "name": NAME,
            "description": format!("{DESCRIPTION} The answer follows this JSON Schema:\n{schema}"),
            "input_schema": wrapped(json!({})),
        });
    };
    json!({ "name": NAME, "description": DESCRIPTION, "input_schema": input })
}

/// The schema as a tool's input may have it; none when the API would refuse it.
pub fn input_schema(schema: &Value) -> Option<Value> {
    let mut schema = gathered(schema)?;
    let misnamed = any(&schema, &mut |part| {
        part.get("properties")
            .and_then(Value::as_object)
            .is_some_and(|properties| properties.keys().any(|name| !is_name(name)))
    });
    if misnamed {
        return None;
    }
    modernise(&mut schema);
    Some(if is_plain_object(&schema) { schema } else { wrapped(schema) })
}

fn is_name(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}

/// Keywords of older drafts as 2020-12 writes them.
fn modernise(schema: &mut Value) {
    if let Some(keywords) = schema.as_object_mut() {
        if keywords.get("items").is_some_and(Value::is_array)
            && let Some(items) = keywords.shift_remove("items")
        {
            keywords.insert("prefixItems".to_owned(), items);
            if let Some(rest) = keywords.shift_remove("additionalItems") {
                keywords.insert("items".to_owned(), rest);
            }
        }
        for (exclusive, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
            if let Some(Value::Bool(strictly)) = keywords.get(exclusive).cloned() {
                keywords.shift_remove(exclusive);
                if strictly && let Some(limit) = keywords.shift_remove(bound) {
                    keywords.insert(exclusive.to_owned(), limit);
                }
            }
        }
    }
    for child in children_mut(schema) {
        modernise(child);
    }
}
