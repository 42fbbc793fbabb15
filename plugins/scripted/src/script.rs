//! The script file: from text to answers, with every mistake placed.

use std::collections::HashMap;
use std::time::Duration;

use loopctl_plugin_sdk::Value;
use loopctl_plugin_sdk::protocol::{Completion, Usage};

use crate::node::{Node, NodeData, Problem, parse_yaml};

/// The answer to one call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ScriptedAnswer {
    pub(crate) delay: Duration,
    pub(crate) outcome: ScriptedOutcome,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ScriptedOutcome {
    Complete(Box<Completion>),
    Fail(Fault),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Fault {
    Transient(String),
    RateLimited(String, Option<Duration>),
    Unauthorized(String),
    InvalidRequest(String),
    Permanent(String),
    /// A status that the ABI doesn't know.
    WrongStatus(i32),
    Panic,
    Hang,
    /// Bytes that aren't JSON.
    Garbage,
    /// An answer of this many bytes.
    Huge(usize),
}

const KEYS: &[&str] = &[
    "id",
    "stage",
    "value",
    "text",
    "fault",
    "message",
    "retry_after_ms",
    "status",
    "bytes",
    "tokens",
    "cost_usd",
    "model",
    "notes",
    "delay_ms",
];
const FAULTS: &[&str] = &[
    "transient",
    "rate_limited",
    "unauthorized",
    "invalid_request",
    "permanent",
    "wrong_status",
    "panic",
    "hang",
    "garbage",
    "not_json_text",
    "empty",
    "huge",
];

/// The addressee of an answer: a document and a stage, or `None` for any that has no answers of its own.
type Addressee = (Option<String>, Option<String>);

/// Lists of answers, each for one addressee.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Script {
    lists: HashMap<Addressee, Vec<ScriptedAnswer>>,
}

impl Script {
    /// Reads a list of YAML records.
    pub(crate) fn from_yaml(text: &str) -> Result<Self, Problem> {
        let root = parse_yaml(text)?;
        match root.kind {
            NodeData::List(records) => Self::from_records(records),
            NodeData::Scalar(Value::Null) => Err((1, "the script is empty: write a list of answers".into())),
            _ => Err((
                root.line,
                format!("expected a list of answers, found {}: begin each with `- `", root.noun()),
            )),
        }
    }

    /// Reads one JSON record per line; blank lines are skipped.
    pub(crate) fn from_jsonl(text: &str) -> Result<Self, Problem> {
        let mut records = Vec::new();
        for (index, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let number = index.saturating_add(1);
            let value = serde_json::from_str(line).map_err(|error| {
                (number, format!("not a JSON record (column {}): one object per line", error.column()))
            })?;
            records.push(Node::from_json(number, value));
        }
        if records.is_empty() {
            return Err((1, "the script is empty: write one answer per line".into()));
        }
        Self::from_records(records)
    }

    fn from_records(records: Vec<Node>) -> Result<Self, Problem> {
        let mut script = Self::default();
        for record in records {
            let (addressee, answer) = RecordFields::of(record)?.into_answer()?;
            script.lists.entry(addressee).or_default().push(answer);
        }
        Ok(script)
    }

    /// The list for a stage of a document, and its addressee: the most specific one, where a document counts more than
    /// a stage.
    pub(crate) fn list(&self, document: &str, stage: &str) -> (&[ScriptedAnswer], Addressee) {
        let (document, stage) = (Some(document.to_owned()), Some(stage.to_owned()));
        let addressees = [(document.clone(), stage.clone()), (document, None), (None, stage), (None, None)];
        for addressee in addressees {
            if let Some(answers) = self.lists.get(&addressee) {
                return (answers, addressee);
            }
        }
        (&[], (None, None))
    }
}

/// The keys of one record, taken out as they are understood.
struct RecordFields {
    line: usize,
    pairs: Vec<(String, Node)>,
}

impl RecordFields {
    fn of(node: Node) -> Result<Self, Problem> {
        let (line, noun) = (node.line, node.noun());
        match node.kind {
            NodeData::Map(pairs) => Ok(Self { line, pairs }),
            _ => Err((line, format!("expected an answer such as `value: {{…}}`, found {noun}"))),
        }
    }

    fn take(&mut self, key: &str) -> Option<Node> {
        let at = self.pairs.iter().position(|(name, _)| name == key)?;
        Some(self.pairs.remove(at).1)
    }

    fn text(&mut self, key: &str) -> Result<Option<String>, Problem> {
        let Some(node) = self.take(key) else { return Ok(None) };
        match node.kind {
            NodeData::Scalar(Value::String(text)) => Ok(Some(text)),
            // An id such as 17 is a number to YAML and a name to everyone else.
            NodeData::Scalar(Value::Number(number)) if key == "id" => Ok(Some(number.to_string())),
            _ => Err((
                node.line,
                format!("expected a text for `{key}`, found {}: put it in quotes", node.noun()),
            )),
        }
    }

    fn whole(&mut self, key: &str) -> Result<Option<u64>, Problem> {
        let Some(node) = self.take(key) else { return Ok(None) };
        match &node.kind {
            NodeData::Scalar(Value::Number(number)) if number.is_u64() => Ok(number.as_u64()),
            _ => {
                Err((node.line, format!("expected a whole number from 0 for `{key}`, found {}", node.noun())))
            }
        }
    }

    fn finish(self, known: &[&str]) -> Result<(), Problem> {
        match self.pairs.first() {
            None => Ok(()),
            Some((key, node)) if known.contains(&key.as_str()) => {
                Err((node.line, format!("`{key}` has no meaning in this answer: remove it")))
            }
            Some((key, node)) => {
                Err((node.line, format!("unknown key `{key}`: use one of {}", known.join(", "))))
            }
        }
    }

    fn into_answer(mut self) -> Result<(Addressee, ScriptedAnswer), Problem> {
        let line = self.line;
        let addressee = (self.text("id")?, self.text("stage")?);
        let delay = Duration::from_millis(self.whole("delay_ms")?.unwrap_or(0));
        let fault = self.take("fault");
        let value = self.take("value");
        let text = self.text("text")?;
        let outcome = match (value, text, fault) {
            (Some(value), None, None) => ScriptedOutcome::Complete(Box::new(Completion {
                value: Some(value.into_json()),
                ..self.completion()?
            })),
            (None, Some(text), None) => {
                ScriptedOutcome::Complete(Box::new(Completion { text: Some(text), ..self.completion()? }))
            }
            (None, None, Some(fault)) => self.fault(fault)?,
            // A key that nearly says it is likelier the mistake than its absence.
            (None, None, None) => {
                self.finish(KEYS)?;
                return Err((line, "an answer needs one of `value`, `text` and `fault`".into()));
            }
            _ => return Err((line, "an answer has only one of `value`, `text` and `fault`".into())),
        };
        self.finish(KEYS)?;
        Ok((addressee, ScriptedAnswer { delay, outcome }))
    }

    fn completion(&mut self) -> Result<Completion, Problem> {
        let mut usage = Usage::default();
        if let Some(tokens) = self.take("tokens") {
            let mut tokens = RecordFields::of(tokens)
                .map_err(|(line, _)| (line, "expected `tokens: {input: 812, output: 96}`".to_owned()))?;
            usage.input_tokens = tokens.whole("input")?.unwrap_or(0);
            usage.output_tokens = tokens.whole("output")?.unwrap_or(0);
            tokens.finish(&["input", "output"])?;
        }
        if let Some(cost) = self.take("cost_usd") {
            usage.cost_usd = match &cost.kind {
                NodeData::Scalar(Value::Number(number)) => number.as_f64().filter(|cost| *cost >= 0.0),
                _ => None,
            };
            if usage.cost_usd.is_none() {
                return Err((cost.line, "expected a number from 0 for `cost_usd`".into()));
            }
        }
        let mut notes = Vec::new();
        if let Some(node) = self.take("notes") {
            match node.into_json_texts() {
                Ok(texts) => notes = texts,
                Err(line) => return Err((line, "expected a list of texts for `notes`".into())),
            }
        }
        Ok(Completion { usage, model: self.text("model")?, notes, ..Completion::default() })
    }

    fn fault(&mut self, node: Node) -> Result<ScriptedOutcome, Problem> {
        let name = match &node.kind {
            NodeData::Scalar(Value::String(name)) => name.as_str(),
            _ => return Err((node.line, format!("expected a fault's name, found {}", node.noun()))),
        };
        let mut message = |otherwise: &str| -> Result<String, Problem> {
            Ok(self.text("message")?.unwrap_or_else(|| format!("scripted: {otherwise}")))
        };
        let fault = match name {
            "transient" => Fault::Transient(message("a fault that may pass")?),
            "unauthorized" => Fault::Unauthorized(message("the key is refused")?),
            "invalid_request" => Fault::InvalidRequest(message("the request is refused")?),
            "permanent" => Fault::Permanent(message("a fault that stays")?),
            "rate_limited" => {
                let message = message("too many requests")?;
                Fault::RateLimited(message, self.whole("retry_after_ms")?.map(Duration::from_millis))
            }
            "wrong_status" => {
                let status = self.whole("status")?.unwrap_or(4242);
                let status = i32::try_from(status)
                    .map_err(|_| (node.line, format!("`status` goes up to {}", i32::MAX)))?;
                Fault::WrongStatus(status)
            }
            "huge" => {
                let bytes = self.whole("bytes")?.unwrap_or(32 << 20);
                let bytes = usize::try_from(bytes)
                    .ok()
                    .filter(|bytes| *bytes <= 1 << 30)
                    .ok_or((node.line, "`bytes` goes up to 1073741824".to_owned()))?;
                Fault::Huge(bytes)
            }
            "panic" => Fault::Panic,
            "hang" => Fault::Hang,
            "garbage" => Fault::Garbage,
            "not_json_text" => {
                let text = "I'm sorry, but I can't find a report in what you sent.".to_owned();
                return Ok(ScriptedOutcome::Complete(Box::new(Completion {
                    text: Some(text),
                    ..self.completion()?
                })));
            }
            "empty" => {
                return Ok(ScriptedOutcome::Complete(Box::new(Completion {
                    text: Some(String::new()),
                    ..self.completion()?
                })));
            }
            _ => {
                return Err((node.line, format!("unknown fault `{name}`: use one of {}", FAULTS.join(", "))));
            }
        };
        Ok(ScriptedOutcome::Fail(fault))
    }
}

impl Node {
    /// The texts of a list of texts, or the line of anything else.
    fn into_json_texts(self) -> Result<Vec<String>, usize> {
        let NodeData::List(items) = self.kind else { return Err(self.line) };
        items
            .into_iter()
            .map(|item| match item.kind {
                NodeData::Scalar(Value::String(text)) => Ok(text),
                _ => Err(item.line),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_and_jsonl_say_the_same() {
        let yaml = "- id: a\n  value: {grade: \"2\"}\n  tokens: {input: 3, output: 4}\n  cost_usd: 0.5\n\
                    - fault: rate_limited\n  retry_after_ms: 250\n  delay_ms: 7\n";
        let jsonl = concat!(
            r#"{"id": "a", "value": {"grade": "2"}, "tokens": {"input": 3, "output": 4}, "cost_usd": 0.5}"#,
            "\n\n",
            r#"{"fault": "rate_limited", "retry_after_ms": 250, "delay_ms": 7}"#,
            "\n"
        );
        let script = Script::from_yaml(yaml).unwrap();
        assert_eq!(script, Script::from_jsonl(jsonl).unwrap());
        assert_eq!(script.list("a", "s").0.len(), 1);
        assert_eq!(script.list("b", "s").0[0].delay, Duration::from_millis(7));
    }

    #[test]
    fn mistakes_are_placed() {
        for (text, line, part) in [
            ("", 1, "empty"),
            ("value: 1\n", 1, "list of answers"),
            ("- value: 1\n- valeu: 2\n", 2, "unknown key `valeu`"),
            ("- value: 1\n  text: x\n", 1, "only one of"),
            ("- id: a\n", 1, "needs one of"),
            ("- fault: explode\n", 1, "unknown fault `explode`"),
            ("- value: 1\n  retry_after_ms: 5\n", 2, "no meaning"),
            ("- value: 1\n  delay_ms: -5\n", 2, "whole number"),
            ("- value: 1\n  cost_usd: -5\n", 2, "from 0"),
            ("- value: 1\n  tokens: 12\n", 2, "input: 812"),
            ("- value: 1\n  notes: [1]\n", 2, "list of texts"),
            ("- just text\n", 1, "found a text"),
        ] {
            let (at, message) = Script::from_yaml(text).unwrap_err();
            assert_eq!(at, line, "{text:?}: {message}");
            assert!(message.contains(part), "{text:?}: {message}");
        }
        assert_eq!(Script::from_jsonl("{\"value\": 1}\nnot json\n").unwrap_err().0, 2);
    }
}
