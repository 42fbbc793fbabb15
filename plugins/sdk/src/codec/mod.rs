//! What codecs of chat APIs have in common: where they talk to, what is laid over a request, what a failed answer
//! means, and schemas. All of it is pure.

mod base_url;
mod failed;
mod request;
pub mod schema;

pub use base_url::BaseUrl;
pub use failed::{ApiError, Cut, WITHOUT_TEMPERATURE, empty, parse_body, retry_after, tame};
pub use request::{configured, finish, model_of};

use serde_json::Value;

/// A count in an answer, such as `usage.prompt_tokens`; 0 when it is missing or no count.
pub fn count(body: &Value, pointer: &str) -> u64 {
    body.pointer(pointer).and_then(Value::as_u64).unwrap_or(0)
}

/// Whether the field is this very word, as in `{"type": "text"}`.
pub fn says(part: &Value, field: &str, word: &str) -> bool {
    part.get(field).and_then(Value::as_str) == Some(word)
}

/// A text in an answer that isn't empty.
pub fn word(body: &Value, pointer: &str) -> Option<String> {
    body.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}
