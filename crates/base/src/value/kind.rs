//! The kind of a JSON value, for messages that must not show the value itself.

use serde_json::Value;

/// The kind of a value in words: `a list`.
#[must_use]
pub fn kind_in_words(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
