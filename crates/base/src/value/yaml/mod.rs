//! YAML text to a tree in which every key and value knows its location.
//!
//! Built on the events of `saphyr-parser`, with our own bounds, so that a hostile or broken file ends in a
//! [`Problem`] and never in a hang: bytes, nodes (counted after aliases are expanded, which defuses "billion
//! laughs") and depth are capped, duplicate keys are errors, and plain scalars follow the YAML 1.2 core schema
//! (`no` and `on` are text).

mod builder;
mod columns;
mod mistakes;
mod placeholders;
mod scalar;
mod shipped;
mod slips;

pub use scalar::resolve_plain;

use crate::diag::{Code, Problem, Problems, SourceFile, Span};
use builder::Builder;
use serde_json::Value;
use std::sync::Arc;

/// Largest YAML file read, in bytes. The largest file we ship has some 20 kB.
pub const MAX_BYTES: usize = 1 << 20;
/// Most nodes in one file, aliases expanded.
pub const MAX_NODES: usize = 100_000;
/// Deepest nesting.
pub const MAX_DEPTH: usize = 64;

/// A value with its location.
#[derive(Debug, Clone)]
pub struct Node {
    /// Its location. For a mapping or list: its first line.
    pub span: Span,
    /// Its content.
    pub data: Data,
}

/// The content of a node.
#[derive(Debug, Clone)]
pub enum Data {
    /// `null`, `~` or nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number, infinities and NaN included.
    Float(f64),
    /// Text. `plain` marks an unquoted scalar, whose type is resolved again after variables are filled in.
    Text {
        /// The text.
        text: String,
        /// `true` if it was written without quotes.
        plain: bool,
    },
    /// A list.
    List(Vec<Node>),
    /// A mapping, in file order, keys unique.
    Map(Vec<Entry>),
}

/// One key and its value.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// The location of the key.
    pub key_span: Span,
    /// Its value.
    pub value: Node,
}

impl Node {
    /// The kind of the value, in words for messages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match &self.data {
            Data::Null => "nothing",
            Data::Bool(_) => "true or false",
            Data::Int(_) | Data::Float(_) => "a number",
            Data::Text { .. } => "text",
            Data::List(_) => "a list",
            Data::Map(_) => "a mapping",
        }
    }

    /// The value under `key`, if this is a mapping that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.data {
            Data::Map(entries) => entries.iter().find(|e| e.key == key).map(|e| &e.value),
            _ => None,
        }
    }

    /// The text, if this is text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match &self.data {
            Data::Text { text, .. } => Some(text),
            _ => None,
        }
    }

    /// As JSON. Infinities and NaN, which JSON lacks, become `null`; decoders refuse them before.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match &self.data {
            Data::Null => Value::Null,
            Data::Bool(b) => Value::Bool(*b),
            Data::Int(i) => Value::from(*i),
            Data::Float(f) => serde_json::Number::from_f64(*f).map_or(Value::Null, Value::Number),
            Data::Text { text, .. } => Value::String(text.clone()),
            Data::List(items) => items.iter().map(Node::to_json).collect(),
            Data::Map(entries) => {
                Value::Object(entries.iter().map(|e| (e.key.clone(), e.value.to_json())).collect())
            }
        }
    }

    fn node_count(&self) -> usize {
        1 + match &self.data {
            Data::List(items) => items.iter().map(Node::node_count).sum(),
            Data::Map(entries) => entries.iter().map(|e| e.value.node_count()).sum(),
            _ => 0,
        }
    }

    fn depth(&self) -> usize {
        1 + match &self.data {
            Data::List(items) => items.iter().map(Node::depth).max().unwrap_or(0),
            Data::Map(entries) => entries.iter().map(|e| e.value.depth()).max().unwrap_or(0),
            _ => 0,
        }
    }
}

/// Reads one YAML document. Every problem goes to `problems`; the tree is returned when there is one to work on even so
/// (after duplicate keys, say), so that later checks can add what they find.
///
/// A file in the executable is read once per process, however many profiles name it.
pub fn parse(file: &Arc<SourceFile>, problems: &mut Problems) -> Option<Node> {
    if file.is_shipped() { shipped::parse(file, problems) } else { read(file, problems) }
}

fn read(file: &Arc<SourceFile>, problems: &mut Problems) -> Option<Node> {
    let text = file.text();
    if text.len() > MAX_BYTES {
        problems.push(
            Problem::error(
                Code::TooLarge,
                &Span::new(file, 0, 0),
                format!("the file has {} bytes; at most {MAX_BYTES} are read", text.len()),
            )
            .help("split it, or check that this is the file you meant"),
        );
        return None;
    }
    if let Some(at) = text.find('\0') {
        problems.push(Problem::error(
            Code::Syntax,
            &Span::new(file, at, at + 1),
            "the file holds a zero byte; it is not text",
        ));
        return None;
    }
    Builder::new(file, problems).run()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn read(text: &str) -> (Option<Node>, Problems) {
        let mut problems = Problems::new();
        let node = parse(&SourceFile::new("t.yaml", text), &mut problems);
        (node, problems)
    }

    #[test]
    fn scalars_follow_yaml_1_2() {
        let (node, problems) =
            read("a: no\nb: 0x1F\nc: 1e3\nd: '5'\ne: ~\nf: 1_000\ng: +7\nh: .5\ni: on\nj: 012\n");
        assert!(problems.is_empty());
        assert_eq!(
            node.unwrap().to_json(),
            json!({"a": "no", "b": 31, "c": 1000.0, "d": "5", "e": null, "f": "1_000", "g": 7, "h": 0.5, "i": "on", "j": 12})
        );
    }

    #[test]
    fn every_duplicate_key_is_reported_with_its_first_place() {
        let (node, problems) = read("a: 1\nb: 2\na: 3\nb: 4\n");
        assert_eq!(problems.len(), 2);
        assert_eq!(problems.iter().next().unwrap().related.len(), 1);
        assert_eq!(node.unwrap().to_json(), json!({"a": 1, "b": 2}));
    }

    #[test]
    fn a_decimal_comma_is_said_once_and_mended() {
        let (node, problems) = read("accept: { overall: 0,95, accuracy: 0, 95, x: -1,5, list: 7,}\n");
        assert_eq!(
            node.unwrap().to_json(),
            json!({"accept": {"overall": 0.95, "accuracy": 0.95, "x": -1.5, "list": 7}})
        );
        let said: Vec<&str> = problems.iter().filter_map(|p| p.help.as_deref()).collect();
        assert_eq!(said.len(), 3);
        assert_eq!(said[0], "a decimal number is written with a point: `0.95`");
        for text in ["a: 0\n95:\n", "{ a: 0, 95: 1 }", "{ a: 0, 95: null }", "{ a: x, 95 }", "[0,95]"] {
            assert!(read(text).1.is_empty(), "{text}");
        }
    }

    #[test]
    fn a_billion_laughs_end_in_a_problem() {
        let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for i in 1..12 {
            let inner = vec![format!("*a{}", i - 1); 10].join(", ");
            text.push_str(&format!("a{i}: &a{i} [{inner}]\n"));
        }
        let (node, problems) = read(&text);
        assert!(node.is_none());
        assert_eq!(problems.iter().next().unwrap().code, Code::TooLarge);
    }

    #[test]
    fn deep_and_large_files_end_in_a_problem() {
        for text in [
            "[".repeat(10_000),
            format!("a: {}", "x".repeat(MAX_BYTES)),
            "- ".repeat(5_000),
            "{".repeat(50_000),
        ] {
            let (_, problems) = read(&text);
            assert!(problems.has_errors());
        }
        let (_, problems) = read(&"- 1\n".repeat(MAX_NODES + 10));
        assert_eq!(problems.iter().next().unwrap().code, Code::TooLarge);
    }

    #[test]
    fn an_alias_inside_its_own_anchor_is_an_error() {
        let (_, problems) = read("a: &x\n  b: *x\n");
        assert!(problems.has_errors());
    }

    #[test]
    fn places_are_right_after_wide_characters() {
        let (node, _) = read("träge: ß\nnext: 1\n");
        let node = node.unwrap();
        assert_eq!(node.get("träge").unwrap().span.text(), "ß");
        assert_eq!(node.get("next").unwrap().span.location().to_string(), "t.yaml:2:7");
        let (node, problems) = read("\u{feff}a: 1\r\nb: two\r\n");
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(node.unwrap().get("b").unwrap().span.text(), "two");
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC*|[-:\\[\\]{}&*!|>'\"#%@`, \n\tabc0-9.]{0,200}") {
            let _ = read(&text);
        }
    }
}
