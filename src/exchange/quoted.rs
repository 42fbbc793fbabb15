//! Answers that bring quotes: `{"extraction": …, "evidence": [{"path": "/grade", "quote": "grade II of III"}]}`.
//!
//! A list is asked for, because providers that let a model write only what a schema allows take no object of free keys. An
//! object by JSON Pointer is accepted as well, and so is an answer that is the extraction alone.

use crate::repair::{Operation, Repaired, Salvaged};
use crate::score::Quotes;
use loopctl_plugin_sdk::codec::schema::{as_part, gathered};
use serde_json::{Map, Value, json};

/// The member of an answer that is the candidate.
const EXTRACTION: &str = "extraction";
/// The member that holds the quotes.
const EVIDENCE: &str = "evidence";
/// Most quotes of one answer; the others are left out.
const MOST_QUOTES: usize = 2_000;
/// Longest quote in bytes. What is longer is no passage that supports one value, and is left out.
const LONGEST_QUOTE: usize = 4_000;

/// The value of an answer and the quotes that came with it.
#[derive(Debug, Clone)]
pub(crate) struct QuotedAnswer {
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

/// Takes the quotes out of what a stage said that was asked for them. `schema` is the extraction's.
pub(super) fn take_quotes(said: &mut Salvaged, schema: Option<&Value>) -> Vec<(Value, Quotes)> {
    let declared = schema.is_some_and(|schema| schema["properties"].get(EXTRACTION).is_some());
    let whole = std::mem::take(&mut said.value);
    let mut taken = vec![split(whole.clone(), declared)];
    taken.extend(said.several.drain(..).map(|value| split(value, declared)));
    if let Some((value, _)) = taken.first() {
        said.value = value.clone();
    }
    said.several = taken.iter().skip(1).map(|(value, _)| value.clone()).collect();
    // What puts the value in the text's place puts the extraction there.
    for operation in said.steps.iter_mut().flat_map(|step| &mut step.patch) {
        if let Operation::Add { path, value } | Operation::Replace { path, value } = operation
            && path.is_empty()
            && *value == whole
        {
            *value = said.value.clone();
        }
    }
    taken
}

/// The extraction in an answer, and its quotes. `declared` says that the extraction may have a member of that name itself.
fn split(answer: Value, declared: bool) -> (Value, Quotes) {
    let mut members = match answer {
        Value::Object(members) => members,
        other => return (other, Quotes::default()),
    };
    if !members.contains_key(EXTRACTION) || (declared && !members.contains_key(EVIDENCE)) {
        return (Value::Object(members), Quotes::default());
    }
    let extraction = members.remove(EXTRACTION).unwrap_or_default();
    let said = members.remove(EVIDENCE).map(|evidence| read(&evidence)).unwrap_or_default();
    // A pointer into the whole answer means the same.
    let prefix = format!("/{EXTRACTION}");
    let mut quotes = Quotes::default();
    for (pointer, passages) in said.iter() {
        let inner = pointer.strip_prefix(&prefix).filter(|rest| rest.starts_with('/'));
        let at = inner.filter(|_| extraction.pointer(pointer).is_none()).unwrap_or(pointer);
        passages.iter().for_each(|passage| quotes.add(at, passage));
    }
    (extraction, quotes)
}

/// What can be used of what a model gave as evidence.
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
/// What was expected and what was found, without any text of it.
pub(crate) fn checked_quotes(evidence: &Value) -> Result<Quotes, String> {
    let mut quotes = Quotes::default();
    let mut wrong = None;
    if !matches!(evidence, Value::Object(_) | Value::Array(_)) {
        let expected = "an object from JSON Pointers to quotes, or a list of objects with `path` and `quote`";
        return Err(format!("expected {expected}, found {}", kind_of(evidence)));
    }
    let mut place = 0;
    each(evidence, &mut |pointer, quote| {
        place += 1;
        match (pointer, quote) {
            (Some(pointer), Value::String(quote)) => quotes.add(pointer, quote),
            (Some(pointer), other) => {
                wrong = wrong.take().or_else(|| {
                    Some(format!("expected text or a list of texts at `{pointer}`, found {}", kind_of(other)))
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

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(quotes: &Quotes) -> Value {
        serde_json::to_value(quotes).unwrap()
    }

    #[test]
    fn both_forms_and_the_bare_extraction_are_taken() {
        let list = json!({ "extraction": { "grade": "2" }, "evidence": [
            { "path": "/grade", "quote": "grade II" }, { "path": "/extraction/grade", "quote": "II of III" },
            { "path": 3, "quote": "x" }, { "path": "/grade" }, "x",
        ]});
        let (extraction, quotes) = split(list, false);
        assert_eq!(extraction, json!({ "grade": "2" }));
        assert_eq!(offered(&quotes), json!({ "/grade": ["II of III", "grade II"] }));
        let object = json!({ "extraction": [1], "evidence": { "0": ["one", 2], "/1": {} }, "notes": "none" });
        let (extraction, quotes) = split(object, false);
        assert_eq!((extraction, offered(&quotes)), (json!([1]), json!({ "/0": ["one"] })));
        for bare in [json!({ "grade": "2" }), json!([1]), json!(null), json!({ "evidence": "x" })] {
            let (extraction, quotes) = split(bare.clone(), false);
            assert_eq!((extraction, quotes.is_empty()), (bare, true));
        }
        let (extraction, quotes) = split(json!({ "extraction": { "a": 1 }, "evidence": "no" }), false);
        assert_eq!((extraction, quotes.is_empty()), (json!({ "a": 1 }), true));
        // A member of that name of its own.
        let own = json!({ "extraction": "of a tooth" });
        assert_eq!(split(own.clone(), true).0, own);
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
