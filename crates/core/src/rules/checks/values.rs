//! Comparisons with values that the rule gives: `one_of`, `equals` and `contains`.

use super::Test;
use super::check::{CheckOfValue, Definition};
use super::pattern::pattern;
use crate::diag::{Code, Problem, Problems};
use crate::mapping;
use crate::rules::number::text_of;
use crate::value::decode::{Decode, Spanned};
use crate::value::shape::{Key, Shape};
use crate::value::yaml::{Data, Node};
use crate::value::{Item, TextPattern};
use serde_json::Value;
#[cfg(test)]
use serde_json::json;
use std::fmt;

pub(super) const ONE_OF: Definition = Definition {
    key: Key::new(
        "one_of",
        || Shape::AnyOf(vec![Shape::list(Shape::Any), Shape::Mapping(OneOf::mapping())]),
        "The value must be one of these.",
    )
    .examples(&["[left, right, bilateral]", "{ values: [left, right], ignore_case: true }"]),
    read: one_of,
    named: |_| None,
    #[cfg(test)]
    cases: || {
        vec![
            ("one_of: [a, 1, true]", json!(["a", 1, 1.0, true]), json!(["A", "1", 2, false])),
            ("one_of: {values: [Straße], ignore_case: true}", json!(["STRAßE", "straße"]), json!(["weg"])),
        ]
    },
};

pub(super) const EQUALS: Definition = Definition {
    key: Key::new("equals", || Shape::Any, "The value must equal this, as JSON.").examples(&["1", "final"]),
    read: |node, problems| Value::decode(node, problems).map(|value| Test::Equals(Equals(value))),
    named: |_| None,
    #[cfg(test)]
    cases: || {
        vec![(
            "equals: {a: [1, x]}",
            json!([{"a": [1.0, "x"]}]),
            json!([{"a": [1, "x"], "b": 1}, {"a": [1]}, "x"]),
        )]
    },
};

pub(super) const CONTAINS: Definition = Definition {
    key: Key::new(
        "contains",
        || Shape::Any,
        "A text must contain this, in upper or lower case; a list must have such an element.",
    )
    .examples(&["carcinoma"]),
    read: contains,
    named: |_| None,
    #[cfg(test)]
    cases: || {
        vec![
            (
                "contains: Carcinoma",
                json!(["ductal CARCINOMA in situ", ["carcinoma", 1]]),
                json!(["adenoma", ["carcinomas"], {"a": "carcinoma"}]),
            ),
            ("contains: a.b", json!(["xA.Bx"]), json!(["aXb"])),
            ("contains: 12", json!([[12.0], "no 123", 512]), json!([["12"], "1 2"])),
        ]
    },
};

mapping! {
    /// The values that are allowed.
    "one_of" is "list of allowed values";
    #[derive(Debug, Clone)]
    pub struct OneOf {
        /// The allowed values, at least one.
        #[key(shaped(|| Shape::list(Shape::Any)), required, examples(&["[left, right]"]))]
        pub(crate) values: Spanned<Vec<Value>>,
        /// Treats upper and lower case as the same.
        #[key(default("false"), examples(&["true"]))]
        pub(crate) ignore_case: bool,
    }
}

/// It equals this, as JSON (`1` equals `1.0`).
#[derive(Debug, Clone)]
pub struct Equals(pub(crate) Value);

/// A text that holds this text in any case, or a list with an element equal to it (texts in any case).
#[derive(Debug, Clone)]
pub struct Contains {
    /// Finds the text within a text.
    pattern: Option<TextPattern>,
    /// The element, or the text.
    value: Value,
}

impl fmt::Display for OneOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.values.value.iter().map(|value| format!("`{value}`")).collect();
        write!(f, "one of {}{}", words.join(", "), if self.ignore_case { " in any case" } else { "" })
    }
}

impl CheckOfValue for OneOf {
    fn looks_inside(&self) -> bool {
        self.values.value.iter().any(has_parts)
    }

    #[inline]
    fn holds(&self, item: Item<'_>, _room: &mut String) -> bool {
        self.values.value.iter().any(|value| item.equals(value.into(), self.ignore_case))
    }
}

impl fmt::Display for Equals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.0)
    }
}

impl CheckOfValue for Equals {
    fn looks_inside(&self) -> bool {
        has_parts(&self.0)
    }

    #[inline]
    fn holds(&self, item: Item<'_>, _room: &mut String) -> bool {
        item.equals((&self.0).into(), false)
    }
}

impl fmt::Display for Contains {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "something that contains `{}`", self.value)
    }
}

impl CheckOfValue for Contains {
    fn looks_inside(&self) -> bool {
        true
    }

    #[inline]
    fn holds(&self, item: Item<'_>, room: &mut String) -> bool {
        match item {
            Item::List(_) => item.elements().any(|one| one.equals((&self.value).into(), true)),
            other => self
                .pattern
                .as_ref()
                .is_some_and(|pattern| text_of(other, room).is_some_and(|text| pattern.is_match(text))),
        }
    }
}

fn has_parts(value: &Value) -> bool {
    value.is_array() || value.is_object()
}

fn one_of(node: &Node, problems: &mut Problems) -> Option<Test> {
    let one_of = match &node.data {
        Data::Map(_) => OneOf::read_mapping(node, problems)?,
        _ => OneOf { values: Decode::decode(node, problems)?, ignore_case: false },
    };
    if one_of.values.value.is_empty() {
        let problem = Problem::error(Code::Empty, &one_of.values.span, "`one_of` needs at least one value");
        problems
            .push(problem.help("list what is allowed, such as `one_of: [I, II, III]`, or take the line out"));
        return None;
    }
    Some(Test::OneOf(one_of))
}

fn contains(node: &Node, problems: &mut Problems) -> Option<Test> {
    let value = Value::decode(node, problems)?;
    let text = match &value {
        Value::String(text) if text.is_empty() => {
            problems.push(Problem::error(Code::Empty, &node.span, "everything contains an empty text"));
            return None;
        }
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let pattern = match text {
        Some(text) => Some(pattern(&regex::escape(&text), true, &node.span, problems)?),
        None => None,
    };
    Some(Test::Contains(Contains { pattern, value }))
}
