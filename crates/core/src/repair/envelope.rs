//! Envelopes that models put around an answer: `{"extraction": …, "evidence": …}`, a call of a tool, a list of one.

use serde_json::{Map, Value};

/// Most envelopes in one another.
const MAX_ENVELOPES: usize = 8;

/// The member of an answer with quotes that is the extraction.
pub const EXTRACTION: &str = "extraction";
/// The member of an answer with quotes that holds them.
pub const EVIDENCE: &str = "evidence";

/// The members in which calls of tools hold their arguments; beside them, a call names the tool.
const CONTENTS: [&str; 5] = ["arguments", "parameters", "input", "args", "tool_input"];
/// The members in which calls of tools name the tool.
const NAMES: [&str; 5] = ["name", "tool", "tool_name", "function", "recipient_name"];
/// Other members that a call may have.
const OTHERS: [&str; 5] = ["type", "id", "index", "call_id", "status"];
/// Members around a call.
const AROUND: [&str; 3] = ["function", "function_call", "tool_calls"];

/// An envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Envelope {
    /// The one that is asked for where quotes are.
    Evidence,
    /// A call of a tool.
    Call,
    /// The wrapping of a call.
    Around,
    /// A list of one.
    List,
}

/// A value that an envelope held.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Opened {
    /// The envelope that it was in.
    pub(super) envelope: Envelope,
    /// The value.
    pub(super) value: Value,
    /// The member that it was.
    pub(super) member: Option<String>,
    /// The evidence beside it.
    pub(super) evidence: Option<Value>,
}

/// The values in the envelopes of a value, outermost first.
pub(super) fn opened(value: &Value) -> Vec<Opened> {
    let mut found: Vec<Opened> = Vec::new();
    while found.len() < MAX_ENVELOPES {
        let inner = open(found.last().map_or(value, |last| &last.value));
        match inner {
            Some(inner) => found.push(inner),
            None => break,
        }
    }
    found
}

/// Takes one envelope off.
fn open(value: &Value) -> Option<Opened> {
    match value {
        Value::Array(items) => match items.as_slice() {
            [one @ Value::Object(_)] => Some(opened_from(Envelope::List, one.clone(), None)),
            _ => None,
        },
        Value::Object(members) => {
            let named = |wanted: &str| members.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
            if let Some((name, inner)) = named(EXTRACTION) {
                let evidence = named(EVIDENCE).map(|(_, evidence)| evidence.clone());
                return Some(Opened {
                    evidence,
                    ..opened_from(Envelope::Evidence, inner.clone(), Some(name))
                });
            }
            let Some((name, content)) = CONTENTS.iter().find_map(|content| named(content)) else {
                return around(members);
            };
            let is_name =
                |(member, value): &(&String, &Value)| is_one_of(member, &NAMES) && value.is_string();
            let names = members.iter().filter(is_name).count();
            let others = members.keys().filter(|member| is_one_of(member, &OTHERS)).count();
            let is_call = names == 1 && members.len() == names + others + 1;
            match is_call.then(|| called_with(content)).flatten() {
                Some(inner) => Some(opened_from(Envelope::Call, inner, Some(name))),
                None => around(members),
            }
        }
        _ => None,
    }
}

/// The call inside the wrapping of a chat API.
fn around(members: &Map<String, Value>) -> Option<Opened> {
    let (name, inner) = members.iter().find(|(name, _)| is_one_of(name, &AROUND))?;
    let is_all = members.keys().all(|other| other == name || is_one_of(other, &OTHERS));
    let is_call = |value: &Value| {
        let inner = match value.as_array().map(Vec::as_slice) {
            Some([one]) => one,
            _ => value,
        };
        open(inner).is_some_and(|inner| matches!(inner.envelope, Envelope::Call | Envelope::Around))
    };
    (is_all && is_call(inner)).then(|| opened_from(Envelope::Around, inner.clone(), Some(name)))
}

fn opened_from(envelope: Envelope, value: Value, member: Option<&String>) -> Opened {
    Opened { envelope, value, member: member.cloned(), evidence: None }
}

/// The arguments of a call: an object, or the text of one.
fn called_with(content: &Value) -> Option<Value> {
    match content {
        Value::Object(_) | Value::Array(_) => Some(content.clone()),
        Value::String(text) => {
            let read = super::salvage(text).ok()?;
            let is_sure =
                read.several.is_empty() && !read.steps.iter().any(|step| step.kind.misses_something());
            (is_sure && (read.value.is_object() || read.value.is_array())).then_some(read.value)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn is_one_of(name: &str, words: &[&str]) -> bool {
    words.iter().any(|word| name.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn innermost(value: &Value) -> Value {
        opened(value).pop().map_or(Value::Null, |opened| opened.value)
    }

    #[test]
    fn envelopes_are_opened_and_what_is_none_is_left_alone() {
        let inner = json!({ "a": 1 });
        let text = inner.to_string();
        for whole in [
            json!({ "extraction": inner, "evidence": [] }),
            json!({ "Extraction": inner, "EVIDENCE": [] }),
            json!([{ "extraction": inner }]),
            json!({ "extraction": { "extraction": inner, "evidence": [] } }),
            json!({ "name": "answer", "arguments": inner }),
            json!({ "name": "answer", "arguments": text }),
            json!({ "tool": "answer", "parameters": inner }),
            json!({ "type": "tool_use", "id": "t1", "name": "answer", "input": inner }),
            json!({ "type": "function", "function": { "name": "answer", "arguments": text } }),
            json!({ "tool_calls": [{ "id": "c", "type": "function", "function": { "name": "x", "arguments": text } }] }),
            json!({ "name": "answer", "arguments": { "extraction": inner, "evidence": [] } }),
            json!([inner]),
        ] {
            assert_eq!(innermost(&whole), inner, "{whole}");
        }
        for none in [
            json!({ "name": "Ann", "arguments": inner, "age": 3 }),
            json!({ "arguments": inner }),
            json!({ "name": "answer", "arguments": "{\"a\": " }),
            json!([inner, inner]),
            json!([1]),
            json!({ "function": "kidney", "input": 3 }),
            json!("extraction"),
        ] {
            assert_eq!(opened(&none), [], "{none}");
        }
        let deep = (0..20).fold(inner, |value, _| json!({ "extraction": value }));
        assert_eq!(opened(&deep).len(), MAX_ENVELOPES);
    }
}
