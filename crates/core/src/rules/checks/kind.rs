//! The check `type`: the kind of a value.

use super::Test;
use super::check::{CheckOfValue, Definition};
use super::pattern::one_or_more;
use crate::decode_words;
use crate::rules::number::exact;
use crate::value::Item;
use crate::value::decode::Decode;
use crate::value::shape::{Key, Shape};
#[cfg(test)]
use serde_json::json;
use std::fmt;

pub(super) const TYPE: Definition = Definition {
    key: Key::new(
        "type",
        || Shape::one_or_more(JsonType::shape()),
        "The value must be of this type, or of one of these.",
    )
    .examples(&["number", "[integer, numeric]"]),
    read: |node, problems| one_or_more(node, problems).map(|kinds| Test::OfType(OfType(kinds))),
    named: |_| None,
    #[cfg(test)]
    cases: || {
        vec![
            ("type: text", json!(["a"]), json!([1, true, [1], {"a": 1}])),
            ("type: number", json!([1, 1.5]), json!(["1", true])),
            ("type: integer", json!([1, 2.0, -3]), json!([1.5, "1"])),
            ("type: boolean", json!([true, false]), json!([0, "true"])),
            ("type: list", json!([[1]]), json!(["a", {"a": 1}])),
            ("type: mapping", json!([{"a": 1}]), json!(["a", [1]])),
            (
                "type: numeric",
                json!([1, "2.5", " 3 ", "-1e3", "+4"]),
                json!(["2.5 mm", "NaN", "inf", "1,5", true, [1]]),
            ),
            ("type: [text, number]", json!(["a", 1]), json!([true])),
        ]
    },
};

/// It is of one of these kinds.
#[derive(Debug, Clone)]
pub struct OfType(Vec<JsonType>);

/// Kinds of JSON values, as rules name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JsonType {
    /// A JSON string.
    Text,
    /// A JSON number.
    Number,
    /// A JSON number without a fraction.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// A JSON array.
    List,
    /// A JSON object.
    Mapping,
    /// A JSON number, or a text that is wholly one.
    Numeric,
}

decode_words!(JsonType, "type", {
    "text": "Text." => JsonType::Text,
    "number": "A number." => JsonType::Number,
    "integer": "A number without a fraction." => JsonType::Integer,
    "boolean": "`true` or `false`." => JsonType::Boolean,
    "list": "A list." => JsonType::List,
    "mapping": "A mapping (a JSON object)." => JsonType::Mapping,
    "numeric": "A number, or a text that is wholly one, such as `12.5`." => JsonType::Numeric,
});

impl JsonType {
    /// The word in a rule.
    fn as_str(self) -> &'static str {
        match self {
            JsonType::Text => "text",
            JsonType::Number => "number",
            JsonType::Integer => "integer",
            JsonType::Boolean => "boolean",
            JsonType::List => "list",
            JsonType::Mapping => "mapping",
            JsonType::Numeric => "numeric",
        }
    }
}

impl fmt::Display for OfType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.0.iter().map(|kind| kind.as_str()).collect();
        f.write_str(&words.join(" or "))
    }
}

impl CheckOfValue for OfType {
    fn looks_inside(&self) -> bool {
        false
    }

    #[inline]
    fn holds(&self, item: Item<'_>, _room: &mut String) -> bool {
        self.0.iter().any(|kind| is_of(item, *kind))
    }
}

#[inline]
fn is_of(item: Item<'_>, kind: JsonType) -> bool {
    match (kind, item) {
        (JsonType::Text, Item::Text(_))
        | (JsonType::Number, Item::Number(_))
        | (JsonType::Boolean, Item::Bool(_))
        | (JsonType::List, Item::List(_))
        | (JsonType::Mapping, Item::Map(_)) => true,
        (JsonType::Integer, Item::Number(number)) => {
            number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|f| f.fract() == 0.0)
        }
        (JsonType::Numeric, item) => exact(item).is_some(),
        _ => false,
    }
}
