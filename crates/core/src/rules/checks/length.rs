//! The check `length`: how many characters, elements or members a value has.

use super::Test;
use super::check::{CheckOfValue, Definition};
use super::range::{are_ordered, write_bounds};
use crate::mapping;
use crate::value::Item;
use crate::value::shape::{Key, Shape};
#[cfg(test)]
use serde_json::json;
use std::fmt;

pub(super) const LENGTH: Definition = Definition {
    key: Key::new(
        "length",
        || Shape::Mapping(Length::mapping()),
        "How many characters, elements or members there must be.",
    )
    .examples(&["{ max: 200 }"]),
    read: |node, problems| {
        let length = Length::read_mapping(node, problems)?;
        are_ordered(node, length.min.as_ref(), length.max.as_ref(), problems).then_some(Test::Length(length))
    },
    named: |_| None,
    #[cfg(test)]
    cases: || {
        vec![(
            "length: {min: 2, max: 3}",
            json!(["ab", "äöü", [1, 2], {"a": 1, "b": 2}]),
            json!(["a", "abcd", [1], 12, [1, null], [1, 2, "", 3], {"a": 1, "b": " "}]),
        )]
    },
};

mapping! {
    /// Bounds of a length, in characters, elements or members: `min`, `max` or both.
    "length" is "length";
    #[derive(Debug, Clone)]
    pub struct Length {
        /// The least. Without it there is none.
        #[key(examples(&["1"]))]
        min: Option<u64>,
        /// The greatest. Without it there is none.
        #[key(examples(&["200"]))]
        max: Option<u64>,
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a length")?;
        write_bounds(f, self.min.as_ref(), self.max.as_ref())
    }
}

impl CheckOfValue for Length {
    fn looks_inside(&self) -> bool {
        // Members with the same name count once.
        true
    }

    #[inline]
    fn holds(&self, item: Item<'_>, _room: &mut String) -> bool {
        let (min, max) = (self.min, self.max);
        let length = match item {
            // A text has at most as many characters as bytes.
            Item::Text(text) if min.is_none() && max.is_some_and(|max| text.len() as u64 <= max) => {
                return true;
            }
            Item::Text(text) => text.chars().count() as u64,
            Item::List(branch) | Item::Map(branch) => {
                // An element with nothing in it does not help to reach a number, and counts against one.
                let holds_min = min.is_none_or(|min| branch.present() as u64 >= min);
                return holds_min && max.is_none_or(|max| branch.len() as u64 <= max);
            }
            Item::Null | Item::Bool(_) | Item::Number(_) => return false,
        };
        min.is_none_or(|min| length >= min) && max.is_none_or(|max| length <= max)
    }
}
