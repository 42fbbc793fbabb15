//! Texts as they are kept in cassettes: as JSON where they are JSON, so that people can read and compare
//! them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::value::is_deeper;

/// The deepest JSON that is kept as such. A cassette wraps it in more, and parsers stop at 128.
const DEEPEST: usize = 100;

/// A text. Of JSON, white space between its parts is not kept, and nothing else is lost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Body {
    /// It is this JSON, written without white space.
    Json(Value),
    /// It is this text.
    Text(String),
}

impl Body {
    pub(super) fn of(text: &str) -> Self {
        // Numbers and texts can be spelled in more than one way, and members can be there twice.
        let is_all = |value: &Value| {
            let compact = value.to_string();
            compact == without_space(text)
        };
        match serde_json::from_str::<Value>(text) {
            Ok(value) if !is_deeper(&value, DEEPEST) && is_all(&value) => Self::Json(value),
            _ => Self::Text(text.to_owned()),
        }
    }

    pub(super) fn to_text(&self) -> String {
        match self {
            Self::Json(value) => value.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

/// JSON without white space between its parts.
fn without_space(json: &str) -> String {
    let (mut in_text, mut escaped) = (false, false);
    json.chars()
        .filter(|c| {
            if in_text {
                in_text = escaped || *c != '"';
                escaped = !escaped && *c == '\\';
                return true;
            }
            in_text = *c == '"';
            !matches!(c, ' ' | '\t' | '\n' | '\r')
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn json_is_kept_as_json_when_nothing_is_lost() {
        for (text, kept) in [
            (r#"{"a":1}"#, true),
            ("{\n  \"b\": [1, 2.5],\n  \"a\": \"x \\\" y\\\\\"\n}\n", true),
            (r#"{"a":1.10}"#, false),
            (r#"{"a":1e2}"#, false),
            (r#"{"a":1,"a":2}"#, false),
            (r#"{"a":"\u00e9"}"#, false),
            ("<html>", false),
            ("", false),
        ] {
            assert_eq!(matches!(Body::of(text), Body::Json(_)), kept, "{text}");
        }
        assert_eq!(Body::of("{\"b\": 1, \"a\": \" \"}\n").to_text(), r#"{"b":1,"a":" "}"#);
    }

    #[test]
    fn json_that_a_cassette_could_not_hold_is_kept_as_text() {
        let deep = format!("{}{}", "[".repeat(110), "]".repeat(110));
        assert_eq!(Body::of(&deep), Body::Text(deep));
    }

    proptest! {
        #[test]
        fn a_text_comes_back_as_it_was(text in ".{0,40}|[\\[\\]{}:,\"\\\\ \n\ta0-9.eE+-]{0,16}") {
            let back = Body::of(&text).to_text();
            prop_assert!(back == text || (back == without_space(&text) && serde_json::from_str::<Value>(&text).is_ok()));
            let written = serde_json::to_string(&Body::of(&text)).unwrap();
            prop_assert_eq!(serde_json::from_str::<Body>(&written).unwrap().to_text(), back);
        }

        #[test]
        fn written_json_is_kept_as_json(texts in prop::collection::vec(".{0,8}", 0..4), number in any::<i64>()) {
            let value = json!({ "texts": texts, "number": number });
            prop_assert_eq!(Body::of(&value.to_string()), Body::Json(value.clone()));
            let written = serde_json::to_string_pretty(&value).unwrap() + "\n";
            prop_assert_eq!(Body::of(&written), Body::Json(value));
        }
    }
}
