//! The common parts of codecs of chat APIs: settings, base URLs, the prompt, what is laid over a request, the meaning
//! of a failed answer, the usage of an answer, and schemas. All of it is pure.

mod adapted;
mod base_url;
pub mod batch;
mod failed;
mod json;
mod path;
mod prompt;
mod request;
pub mod schema;
mod settings;
mod tokens;

pub use adapted::AdaptedSchemas;
pub use base_url::BaseUrl;
pub use failed::{
    ApiError, Cut, WITHOUT_TEMPERATURE, broken_off, empty, error_body, error_status, is_quota_of_days,
    is_torn, parse_body, retry_after, sanitize_line, says_nothing,
};
pub use json::lenient_json;
pub use path::{escaped, segment};
pub use prompt::{Turn, apart, not_attachable, turns};
pub use request::{finish, model_of};
pub use settings::{JsonMode, configured, secret};
pub use tokens::{CacheWrites, Count, TokenCounts};

use serde_json::Value;

use crate::protocol::Completion;

/// The value at a JSON Pointer, whose names need no escapes; [`Value::pointer`] copies each name to undo them.
pub fn place<'a>(body: &'a Value, pointer: &str) -> Option<&'a Value> {
    debug_assert!(pointer.starts_with('/') && !pointer.contains('~'), "{pointer}");
    pointer.split('/').skip(1).try_fold(body, |value, name| match value {
        Value::Object(members) => members.get(name),
        Value::Array(items) => items.get(name.parse::<usize>().ok()?),
        _ => None,
    })
}

/// A count in an answer, such as `usage.prompt_tokens`; 0 when it is missing or no count.
pub fn count(body: &Value, pointer: &str) -> u64 {
    place(body, pointer).and_then(Value::as_u64).unwrap_or(0)
}

/// Returns whether the field is this very word, as in `{"type": "text"}`.
pub fn says(part: &Value, field: &str, word: &str) -> bool {
    part.get(field).and_then(Value::as_str) == Some(word)
}

/// A text in an answer that isn't empty.
pub fn word(body: &Value, pointer: &str) -> Option<String> {
    place(body, pointer).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The text of a model, as a completion: taken out of the [wrapper](schema::wrapped) if it is in one.
pub fn written(text: String) -> Completion {
    let value = serde_json::from_str::<Value>(&text).ok().as_ref().and_then(schema::unwrapped).cloned();
    Completion { text: value.is_none().then_some(text), value, ..Completion::default() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_model_wrote_is_taken_out_of_its_wrapper() {
        assert_eq!(written("{\"loopctl_answer\": [1]}".to_owned()).value, Some(json!([1])));
        for text in ["{\"a\": 1}", "no JSON", "{\"loopctl_answer\": 1, \"b\": 2}"] {
            let completion = written(text.to_owned());
            assert_eq!((completion.value, completion.text.as_deref()), (None, Some(text)));
        }
    }

    #[test]
    fn what_is_missing_or_odd_is_nothing() {
        let body = json!({"n": 3, "odd": [-1, 1.5, "7"], "word": "x", "empty": ""});
        assert_eq!(count(&body, "/n"), 3);
        for place in ["/odd/0", "/odd/1", "/odd/2", "/none"] {
            assert_eq!(count(&body, place), 0, "{place}");
        }
        assert_eq!(word(&body, "/word").as_deref(), Some("x"));
        assert_eq!((word(&body, "/empty"), word(&body, "/n")), (None, None));
        assert!(says(&body, "word", "x") && !says(&body, "word", "y") && !says(&body, "n", "3"));
    }
}
