//! Presence of values: the one definition that rubrics, rules, locks, reviews, exports and measures share.
//!
//! *Present* is a value that has something in it: not null, not a text in which nothing can be seen, not a list or mapping
//! without a present value in it, however deep. Numbers and truth values always say something.

use super::item::{Branch, Item, ReadNode, ReadValue};
use serde_json::Value;

/// Returns whether a value counts as present.
#[must_use]
pub fn is_present(value: &Value) -> bool {
    Item::from(value).is_present()
}

/// Returns whether nothing of a text can be seen: white space, line breaks, and what has no width.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    text.chars().all(is_unseen)
}

/// Returns whether a character is invisible: white space of any kind, what Unicode has renderers ignore
/// (`Default_Ignorable_Code_Point`), and the Braille pattern without dots.
#[must_use]
pub fn is_unseen(c: char) -> bool {
    // Nearly every character that is asked about is visible, and among the first.
    if ('!'..='~').contains(&c) {
        return false;
    }
    c.is_whitespace()
        || matches!(c,
            '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

impl Item<'_> {
    /// Returns whether it counts as present.
    #[inline]
    #[must_use]
    pub fn is_present(self) -> bool {
        match self {
            Item::Null => false,
            Item::Text(text) => !is_blank(text),
            Item::List(branch) | Item::Map(branch) => branch.has_present(),
            Item::Bool(_) | Item::Number(_) => true,
        }
    }
}

impl Branch<'_> {
    /// Returns whether one of its elements or members is present. A value that was read in part knows this for all of
    /// them.
    fn has_present(self) -> bool {
        match self {
            Branch::Tree(Value::Array(items)) => items.iter().any(is_present),
            Branch::Tree(Value::Object(members)) => members.values().any(is_present),
            Branch::Tree(_) => false,
            Branch::Read(nodes) => nodes.first().is_some_and(ReadNode::is_present),
        }
    }
}

impl Branch<'_> {
    /// The number of its elements or members that are present.
    pub fn present(self) -> usize {
        match self {
            Branch::Tree(_) => self.children().filter(|(_, value)| value.is_present()).count(),
            Branch::Read(nodes) => match nodes.first().map(|node| &node.value) {
                Some(ReadValue::List { present, .. } | ReadValue::Map { present, .. }) => *present,
                _ => 0,
            },
        }
    }
}

impl ReadNode<'_> {
    /// Returns whether the value counts as present.
    #[must_use]
    pub fn is_present(&self) -> bool {
        match &self.value {
            ReadValue::Null => false,
            ReadValue::Bool(_) | ReadValue::Number(_) => true,
            ReadValue::Text(text) => !is_blank(text),
            ReadValue::List { present, .. } | ReadValue::Map { present, .. } => *present > 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_has_nothing_in_it_is_absent() {
        let blanks = [
            "",
            " ",
            " \t\r\n",
            "\u{a0}",
            "\u{202f}",
            "\u{2007}\u{2003}",
            "\u{3000}",
            "\u{1680}",
            "\u{200b}",
            "\u{200c}\u{200d}",
            "\u{2060}",
            "\u{feff}",
            "\u{2028}\u{2029}",
            "\u{85}",
            "\u{ad}",
            "\u{180e}",
            "\u{3164}",
            "\u{115f}\u{1160}",
            "\u{2800}",
            "\u{200e}\u{202a}\u{202c}",
            "\u{fe0f}",
        ];
        for text in blanks {
            assert!(is_blank(text), "{text:?}");
            for absent in [json!(text), json!([text]), json!({ "a": text }), json!([null, { "a": [text] }])] {
                assert!(!is_present(&absent), "{absent}");
            }
        }
        for absent in [
            json!(null),
            json!([]),
            json!({}),
            json!([null]),
            json!([[], {}]),
            json!({ "a": null, "b": [{}] }),
        ] {
            assert!(!is_present(&absent), "{absent}");
        }
    }

    #[test]
    fn what_has_anything_in_it_is_present() {
        for present in [
            json!(0),
            json!(false),
            json!("-"),
            json!("+"),
            json!("0"),
            json!("\u{a0}x"),
            json!("\u{200b}\u{5d0}"),
            json!("\u{301}"),
            json!("\u{1}"),
            json!([null, 0]),
            json!(["", { "a": [false] }]),
            json!({ "": "x" }),
            json!({ " ": { "a": " ", "b": 1 } }),
        ] {
            assert!(is_present(&present), "{present}");
        }
    }
}
