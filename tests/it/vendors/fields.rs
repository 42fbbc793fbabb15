//! Checks of JSON objects in requests: which members they have, and of what type. The first mistake is reported.

use serde_json::{Map, Value};
use std::ops::RangeInclusive;

/// The result of a check, or what is wrong with the request.
pub(super) type Checked<T> = Result<T, String>;

/// An object in a request, and its location.
#[derive(Debug, Clone)]
pub(super) struct Object<'a> {
    pub(super) at: String,
    map: &'a Map<String, Value>,
    /// `true` if `null` stands for a member that is left out.
    nulls: bool,
}

impl<'a> Object<'a> {
    pub(super) fn of(value: &'a Value, at: impl Into<String>, nulls: bool) -> Checked<Self> {
        let at = at.into();
        match value {
            Value::Object(map) => Ok(Object { at, map, nulls }),
            other => Err(format!("{at}: expected an object, found {}", kind(other))),
        }
    }

    fn at(&self, key: &str) -> String {
        if self.at.is_empty() { key.to_owned() } else { format!("{}.{key}", self.at) }
    }

    /// No members but these.
    pub(super) fn only(&self, known: &[&str]) -> Checked<()> {
        match self.map.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => Err(format!("{}: unknown field", self.at(key))),
            None => Ok(()),
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key).filter(|value| !(self.nulls && value.is_null()))
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub(super) fn required(&self, key: &str) -> Checked<&'a Value> {
        self.get(key).ok_or_else(|| format!("{}: field required", self.at(key)))
    }

    fn typed<T>(
        &self,
        key: &str,
        expected: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Checked<Option<T>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        match read(value) {
            Some(read) => Ok(Some(read)),
            None => Err(format!("{}: expected {expected}, found {}", self.at(key), kind(value))),
        }
    }

    pub(super) fn text(&self, key: &str) -> Checked<Option<&'a str>> {
        self.typed(key, "a string", Value::as_str)
    }

    /// A required text that is not empty.
    pub(super) fn words(&self, key: &str) -> Checked<&'a str> {
        self.required(key)?;
        let text = self.text(key)?.unwrap_or_default();
        if text.trim().is_empty() { Err(format!("{}: must not be empty", self.at(key))) } else { Ok(text) }
    }

    pub(super) fn boolean(&self, key: &str) -> Checked<Option<bool>> {
        self.typed(key, "a boolean", Value::as_bool)
    }

    pub(super) fn integer(&self, key: &str, range: RangeInclusive<i64>) -> Checked<Option<i64>> {
        let expected = format!("an integer from {} to {}", range.start(), range.end());
        self.typed(key, &expected, |value| value.as_i64().filter(|number| range.contains(number)))
    }

    pub(super) fn number(&self, key: &str, range: RangeInclusive<f64>) -> Checked<Option<f64>> {
        let expected = format!("a number from {} to {}", range.start(), range.end());
        self.typed(key, &expected, |value| value.as_f64().filter(|number| range.contains(number)))
    }

    pub(super) fn one_of(&self, key: &str, words: &[&str]) -> Checked<Option<&'a str>> {
        let expected = format!("one of {}", words.join(", "));
        self.typed(key, &expected, |value| value.as_str().filter(|word| words.contains(word)))
    }

    pub(super) fn list(&self, key: &str) -> Checked<Option<&'a [Value]>> {
        self.typed(key, "an array", |value| value.as_array().map(Vec::as_slice))
    }

    pub(super) fn texts(&self, key: &str) -> Checked<Option<Vec<&'a str>>> {
        self.typed(key, "an array of strings", |value| value.as_array()?.iter().map(Value::as_str).collect())
    }

    pub(super) fn object(&self, key: &str) -> Checked<Option<Object<'a>>> {
        self.get(key).map(|value| Object::of(value, self.at(key), self.nulls)).transpose()
    }

    /// The objects of a list.
    pub(super) fn objects(&self, key: &str) -> Checked<Option<Vec<Object<'a>>>> {
        let Some(items) = self.list(key)? else { return Ok(None) };
        let at = |number| format!("{}.{number}", self.at(key));
        let objects = items.iter().enumerate().map(|(number, item)| Object::of(item, at(number), self.nulls));
        objects.collect::<Checked<Vec<_>>>().map(Some)
    }

    pub(super) fn wrong<T>(&self, key: &str, what: &str) -> Checked<T> {
        Err(format!("{}: {what}", self.at(key)))
    }
}

pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number out of range",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// A name of 1 to `most` letters, digits, `_` and `-`.
pub(super) fn is_name(name: &str, most: usize) -> bool {
    (1..=most).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

/// The bytes of a Base64 text (RFC 4648, with padding).
pub(super) fn bytes(text: &str) -> Option<Vec<u8>> {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.decode(text).ok().filter(|bytes| !bytes.is_empty())
}
