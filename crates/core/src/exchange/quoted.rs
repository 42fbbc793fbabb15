//! Answers that bring quotes: `{"extraction": …, "evidence": [{"path": "/grade", "quote": "grade II of III"}]}`.
//!
//! A list is asked for, because providers that let a model write only what a schema allows take no object of free keys. An
//! object by JSON Pointer is accepted as well, and so is an answer that is the extraction alone.

use crate::repair::{EVIDENCE, EXTRACTION, Repaired};
use crate::score::Quotes;
use crate::value::kind_in_words;
use loopctl_plugin_sdk::codec::schema::{as_part, gathered};
use serde_json::{Map, Value, json};

/// Most quotes of one answer; the others are left out.
const MOST_QUOTES: usize = 2_000;
/// Longest quote in bytes. A longer one is not a passage that supports one value, and is left out.
const LONGEST_QUOTE: usize = 4_000;

/// The value of an answer and the quotes that came with it.
#[derive(Debug, Clone)]
pub struct QuotedAnswer {
    /// The value, repaired.
    pub repaired: Repaired,
    /// Its quotes.
    pub quotes: Quotes,
}

impl From<Repaired> for QuotedAnswer {
    fn from(repaired: Repaired) -> Self {
        QuotedAnswer { repaired, quotes: Quotes::default() }
    }
}

/// The schema of an answer whose extraction follows `schema`.
pub(super) fn wrapped_schema(schema: &Value) -> Value {
    let (part, definitions) = match gathered(schema) {
        Some(gathered) => as_part(gathered, EXTRACTION),
        None => (as_resource(schema), Map::new()),
    };
    let quote = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["path", "quote"],
        "properties": {
            "path": { "type": "string", "description": "JSON Pointer of the value within `extraction`, such as /grade." },
            "quote": { "type": "string", "description": "The passage that says the value, copied word for word." },
        },
    });
    let mut whole = json!({
        "type": "object",
        "additionalProperties": false,
        "required": [EXTRACTION, EVIDENCE],
        "properties": {
            EXTRACTION: part,
            EVIDENCE: { "type": "array", "items": quote, "description": "A quote for each value." },
        },
    });
    if let (false, Value::Object(members)) = (definitions.is_empty(), &mut whole) {
        members.insert("$defs".to_owned(), Value::Object(definitions));
    }
    whole
}

/// A schema whose references can't be moved stays a resource of its own, in which they resolve.
fn as_resource(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Value::Object(members) = &mut schema {
        members.entry("$id").or_insert_with(|| json!("extraction.schema.json"));
    }
    schema
}

/// The quotes in the evidence beside an extraction, if they were asked for. A pointer into the whole answer
/// means the same as one into the extraction.
pub(super) fn quotes_in(evidence: &[Value], extraction: &Value, asked: bool) -> Quotes {
    let mut quotes = Quotes::default();
    for said in evidence.iter().filter(|_| asked).map(read) {
        for (pointer, passages) in said.iter() {
            let mut at = pointer;
            while extraction.pointer(at).is_none()
                && let Some(inner) = in_envelope(at)
            {
                at = inner;
            }
            let at = if extraction.pointer(at).is_some() { at } else { pointer };
            passages.iter().for_each(|passage| quotes.add(at, passage));
        }
    }
    quotes
}

/// A pointer without its first part, if that is the envelope.
fn in_envelope(pointer: &str) -> Option<&str> {
    let rest = pointer.strip_prefix('/')?;
    let (first, inner) = rest.split_at_checked(rest.find('/').unwrap_or(rest.len()))?;
    (first == "0" || first.eq_ignore_ascii_case(EXTRACTION)).then_some(inner)
}

/// The usable quotes in the evidence of a model.
fn read(evidence: &Value) -> Quotes {
    let mut quotes = Quotes::default();
    let mut number = 0;
    each(evidence, &mut |pointer, quote| {
        if let (Some(pointer), Value::String(quote)) = (pointer, quote)
            && quote.len() <= LONGEST_QUOTE
            && number < MOST_QUOTES
        {
            number += 1;
            quotes.add(pointer, quote);
        }
    });
    quotes
}

/// Reads evidence that a person or a program hands over, in either form.
///
/// # Errors
/// Names the expected and the actual form, without any text of the evidence.
pub fn checked_quotes(evidence: &Value) -> Result<Quotes, String> {
    let mut quotes = Quotes::default();
    let mut wrong = None;
    if !matches!(evidence, Value::Object(_) | Value::Array(_)) {
        let expected = "an object from JSON Pointers to quotes, or a list of objects with `path` and `quote`";
        return Err(format!("expected {expected}, found {}", kind_in_words(evidence)));
    }
    let mut place = 0;
    each(evidence, &mut |pointer, quote| {
        place += 1;
        match (pointer, quote) {
            (Some(pointer), Value::String(quote)) => quotes.add(pointer, quote),
            (Some(pointer), other) => {
                wrong = wrong.take().or_else(|| {
                    Some(format!(
                        "expected text or a list of texts at `{pointer}`, found {}",
                        kind_in_words(other)
                    ))
                });
            }
            (None, _) => {
                wrong = wrong.take().or_else(|| {
                    Some(format!("expected an object with `path` and `quote` as entry {place} of the list"))
                });
            }
        }
    });
    wrong.map_or(Ok(quotes), Err)
}

/// Every quote with its pointer; `None` for an entry of a list that names none.
fn each(evidence: &Value, visit: &mut dyn FnMut(Option<&str>, &Value)) {
    let mut quoted = |pointer: Option<&str>, quote: &Value| match quote {
        Value::Array(quotes) => quotes.iter().for_each(|quote| visit(pointer, quote)),
        one => visit(pointer, one),
    };
    match evidence {
        Value::Object(members) => members.iter().for_each(|(pointer, quote)| quoted(Some(pointer), quote)),
        Value::Array(items) => {
            for item in items {
                let pointer = item.get("path").and_then(Value::as_str);
                quoted(pointer, item.get("quote").or_else(|| item.get("quotes")).unwrap_or(&Value::Null));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(quotes: &Quotes) -> Value {
        serde_json::to_value(quotes).unwrap()
    }

    #[test]
    fn pointers_of_both_forms_lead_into_the_extraction() {
        let extraction = json!({ "grade": "2", "0": { "x": 1 } });
        let list = json!([
            { "path": "/grade", "quote": "grade II" }, { "path": "/extraction/grade", "quote": "II of III" },
            { "path": "/0/Extraction/grade", "quote": "III" }, { "path": "/extraction/side", "quote": "left" },
            { "path": 3, "quote": "x" }, { "path": "/grade" }, "x",
        ]);
        let found = quotes_in(std::slice::from_ref(&list), &extraction, true);
        assert_eq!(
            offered(&found),
            json!({ "/extraction/side": ["left"], "/grade": ["III", "II of III", "grade II"] })
        );
        assert!(quotes_in(&[list], &extraction, false).is_empty());
        let object = json!({ "0": ["one", 2], "/1": {} });
        assert_eq!(offered(&quotes_in(&[object], &json!([1]), true)), json!({ "/0": ["one"] }));
    }

    #[test]
    fn what_is_no_quote_is_left_out() {
        let long = "x".repeat(LONGEST_QUOTE + 1);
        let many: Vec<Value> =
            (0..MOST_QUOTES + 5).map(|at| json!({ "path": format!("/{at}"), "quote": "q" })).collect();
        assert_eq!(read(&json!(many)).iter().count(), MOST_QUOTES);
        assert!(read(&json!({ "/a": long })).is_empty());
    }

    #[test]
    fn references_resolve_in_the_wrapped_schema() {
        for schema in [
            json!({ "type": "object", "properties": { "a": { "$ref": "#/definitions/A" }, "b": { "$ref": "#" } },
                    "definitions": { "A": { "type": "integer" } } }),
            json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/A" } }, "$defs": { "A": { "type": "integer" } } }),
            json!({ "properties": { "a": { "$ref": "#/properties/c" }, "c": { "type": "integer" } } }),
        ] {
            let wrapped = jsonschema::validator_for(&wrapped_schema(&schema)).unwrap();
            let answer =
                |a: Value| json!({ "extraction": { "a": a }, "evidence": [{ "path": "/a", "quote": "q" }] });
            assert!(wrapped.is_valid(&answer(json!(1))), "{schema}");
            assert!(!wrapped.is_valid(&answer(json!("1"))), "{schema}");
        }
    }
}
