//! Quotes: passages of the document that are offered for the leaves of a candidate.

use crate::value::is_blank;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Passages of the document, by the JSON Pointer of the leaf that each is offered for. A passage that is offered for an
/// object or a list counts for all leaves in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Quotes(BTreeMap<String, Vec<String>>);

impl Quotes {
    /// Reads `{"/grade": "grade II of III", "/margins": ["…", "…"]}`; anything that is not text is left out.
    #[must_use]
    pub fn of(members: &Map<String, Value>) -> Self {
        let mut quotes = Quotes::default();
        for (pointer, value) in members {
            match value {
                Value::String(text) => quotes.add(pointer, text),
                Value::Array(items) => {
                    items.iter().filter_map(Value::as_str).for_each(|text| quotes.add(pointer, text));
                }
                _ => {}
            }
        }
        quotes
    }

    /// Offers a passage for a leaf. A pointer may lack its first slash; a blank passage is none.
    pub fn add(&mut self, pointer: &str, quote: &str) {
        if is_blank(quote) {
            return;
        }
        let whole = pointer.is_empty() || pointer.starts_with('/');
        let pointer = if whole { pointer.to_owned() } else { format!("/{pointer}") };
        self.0.entry(pointer).or_default().push(quote.to_owned());
    }

    /// Returns whether nothing is offered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Pointers with their passages.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.0.iter().map(|(pointer, quotes)| (pointer.as_str(), quotes.as_slice()))
    }

    /// Returns these passages for a value that is at `pointer` of a greater one.
    #[must_use]
    pub fn under(&self, pointer: &str) -> Self {
        Quotes(self.0.iter().map(|(at, quotes)| (format!("{pointer}{at}"), quotes.clone())).collect())
    }

    /// Adds all of another value's.
    pub fn extend(&mut self, others: Quotes) {
        for (pointer, mut quotes) in others.0 {
            self.0.entry(pointer).or_default().append(&mut quotes);
        }
    }

    /// Keeps, where nothing is offered, the quotes for the same values of an earlier candidate: `before` and `now` are
    /// the two candidates.
    pub fn keep(&mut self, earlier: &Quotes, before: &Value, now: &Value) {
        for (pointer, quotes) in &earlier.0 {
            let value = now.pointer(pointer);
            if self.at(pointer).is_empty() && value.is_some() && value == before.pointer(pointer) {
                self.0.insert(pointer.clone(), quotes.clone());
            }
        }
    }

    /// The passages offered for the leaf at `pointer`: its own, else those of its holders.
    #[must_use]
    pub fn at(&self, pointer: &str) -> &[String] {
        let mut upto = pointer;
        loop {
            if let Some(quotes) = self.0.get(upto) {
                return quotes;
            }
            match upto.rfind('/') {
                Some(slash) if slash > 0 => upto = upto.get(..slash).unwrap_or_default(),
                _ => return &[],
            }
        }
    }
}

impl<'de> Deserialize<'de> for Quotes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Object(members) => Ok(Quotes::of(&members)),
            other => Err(D::Error::custom(format!(
                "expected an object of quotes by JSON Pointer, such as {{\"/grade\": \"grade II\"}}; found {other}"
            ))),
        }
    }
}
