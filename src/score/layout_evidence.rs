//! Values held against the rows, columns and labels of a document, where no rubric has words for its type.

use super::grounded::Source;
use super::grounding::{Finding, Method, Support, Verdict};
use loopctl_ground::{FieldNames, Support as Printed, Verdict as Place};
use serde_json::Value;
use std::collections::HashMap;

/// What the structure of a document says of each leaf of a candidate, by its path.
#[derive(Debug)]
pub(super) struct LayoutEvidence<'a> {
    source: &'a Source,
    places: HashMap<String, Place>,
}

impl<'a> LayoutEvidence<'a> {
    pub(super) fn read(candidate: &Value, source: &'a Source, names: &FieldNames) -> Self {
        let judged = loopctl_ground::judge(source.structure(), candidate, names);
        let places = judged.into_iter().map(|place| (place.pointer.clone(), place)).collect();
        LayoutEvidence { source, places }
    }

    /// The verdict on a leaf, given the one that its words and quotes led to: what the structure shows, but for a quote that the
    /// document does not have, for the text itself, and for truth values, which no document prints.
    pub(super) fn verdict(&self, pointer: &str, value: &Value, by_words: Verdict) -> Verdict {
        let is_whole = value.as_str().is_some_and(|text| text == self.source.text());
        let Some(place) = self.places.get(pointer).filter(|_| !is_whole) else { return by_words };
        let found = |support, finding| Verdict {
            support,
            finding,
            method: place.bytes.as_ref().map(|bytes| self.method(value, bytes)),
            bytes: place.bytes.clone(),
            other: None,
            by_quote: false,
            pattern: None,
        };
        match (by_words.finding, place.support) {
            // A paraphrase, whose quote a judge can read.
            (Finding::QuoteNotFound, _)
            | (Finding::QuoteUndecided, Printed::Undecided | Printed::Unsupported) => by_words,
            (_, Printed::Verified) => found(Support::Verified, Finding::Said),
            (_, Printed::Undecided) => found(Support::Undecided, Finding::NotBound),
            (_, Printed::Unsupported) => Verdict::not_found(),
        }
    }

    fn method(&self, value: &Value, bytes: &std::ops::Range<usize>) -> Method {
        let printed = self.source.text().get(bytes.clone()).unwrap_or_default();
        match value {
            Value::String(text) if text == printed => Method::Exact,
            Value::Number(number) if number.to_string() == printed => Method::Exact,
            Value::Number(_) => Method::Numeric,
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
                Method::Normalized
            }
        }
    }
}
