//! What codecs of chat APIs have in common: settings, where they talk to, the prompt, what is laid over a request, what
//! a failed answer means, and schemas. All of it is pure.

mod base_url;
mod failed;
mod path;
mod prompt;
mod request;
pub mod schema;
mod settings;

pub use base_url::BaseUrl;
pub use failed::{
    ApiError, Cut, WITHOUT_TEMPERATURE, broken_off, empty, error_body, error_status, is_torn, parse_body,
    retry_after, tame,
};
pub use path::{escaped, segment};
pub use prompt::{Turn, apart, not_attachable, turns};
pub use request::{finish, model_of};
pub use settings::{JsonMode, configured, secret};

use serde_json::Value;

use crate::protocol::Completion;

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

/// What the model wrote, as a completion: taken out of the [wrapper](schema::wrapped) if it is in one.
pub fn written(text: String) -> Completion {
    let value = serde_json::from_str::<Value>(&text).ok().as_ref().and_then(schema::unwrapped).cloned();
    Completion { text: value.is_none().then_some(text), value, ..Completion::default() }
}
