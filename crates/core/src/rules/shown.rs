//! Values as messages show them.

use crate::value::Item;
use serde_json::{Number, Value};
use std::fmt;

/// Longest value shown in a message, in characters.
const MAX_SHOWN: usize = 120;

/// `text` cut to `limit` characters.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A value in a message: as JSON, so that a text `10` differs from the number, and anything long cut.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text_as_json(text),
        other => cut(&other.to_string(), MAX_SHOWN),
    }
}

/// A text as JSON; a long one is cut within its quotes.
fn text_as_json(text: &str) -> String {
    Value::from(cut(text, MAX_SHOWN)).to_string()
}

/// A value as messages show it.
#[derive(Debug)]
pub(crate) enum Shown {
    Null,
    Bool(bool),
    Number(Number),
    Text(Box<str>),
    Other(Value),
    /// A list or mapping of which only the beginning was kept, as JSON.
    Cut(Box<str>),
}

impl Shown {
    pub(crate) fn of(value: Item<'_>) -> Self {
        match value {
            Item::Null => Shown::Null,
            Item::Bool(b) => Shown::Bool(b),
            Item::Number(number) => Shown::Number(number.clone()),
            Item::Text(text) => Shown::Text(cut(text, MAX_SHOWN).into()),
            Item::List(_) | Item::Map(_) => Shown::Other(value.to_value()),
        }
    }

    /// Like [`Shown::of`], for messages that are not templates, which show the beginning of long values.
    pub(crate) fn brief(value: Item<'_>) -> Self {
        match value.tree() {
            Some(tree) => Shown::Cut(shown(tree).into()),
            None => Shown::of(value),
        }
    }

    /// The value for templates.
    pub(crate) fn for_template(&self) -> minijinja::Value {
        match self {
            // An absent value has no text; templates show it as such instead of a word for nothing.
            Shown::Null => minijinja::Value::from(""),
            Shown::Bool(b) => minijinja::Value::from(*b),
            Shown::Number(number) => minijinja::Value::from(minijinja::value::Serde(number)),
            Shown::Text(text) | Shown::Cut(text) => minijinja::Value::from(&**text),
            Shown::Other(value) => minijinja::Value::from(minijinja::value::Serde(value)),
        }
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shown::Null => f.write_str("null"),
            Shown::Bool(b) => write!(f, "{b}"),
            Shown::Number(number) => write!(f, "{number}"),
            Shown::Text(text) => f.write_str(&text_as_json(text)),
            Shown::Cut(json) => f.write_str(json),
            Shown::Other(value) => f.write_str(&shown(value)),
        }
    }
}
