//! YAML and JSON values that remember their line.

use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use serde_json::{Map, Number, Value};

/// Deeper than any answer needs; keeps recursion over a node from ever exhausting the stack.
const MAX_DEPTH: usize = 64;

/// A value with its line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    /// From 1.
    pub(crate) line: usize,
    pub(crate) kind: NodeData,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum NodeData {
    Scalar(Value),
    List(Vec<Node>),
    /// In the file's order; keys are unique.
    Map(Vec<(String, Node)>),
}

/// A line, and what is wrong there.
pub(crate) type Problem = (usize, String);

impl Node {
    /// All of `value` on one line.
    pub(crate) fn from_json(line: usize, value: Value) -> Self {
        let kind = match value {
            Value::Array(items) => {
                NodeData::List(items.into_iter().map(|item| Self::from_json(line, item)).collect())
            }
            Value::Object(map) => NodeData::Map(
                map.into_iter().map(|(key, value)| (key, Self::from_json(line, value))).collect(),
            ),
            scalar => NodeData::Scalar(scalar),
        };
        Self { line, kind }
    }

    pub(crate) fn into_json(self) -> Value {
        match self.kind {
            NodeData::Scalar(value) => value,
            NodeData::List(items) => Value::Array(items.into_iter().map(Self::into_json).collect()),
            NodeData::Map(pairs) => Value::Object(
                pairs.into_iter().map(|(key, node)| (key, node.into_json())).collect::<Map<_, _>>(),
            ),
        }
    }

    /// The noun for it in a message.
    pub(crate) fn noun(&self) -> &'static str {
        match &self.kind {
            NodeData::Scalar(Value::Null) => "nothing",
            NodeData::Scalar(Value::Bool(_)) => "a boolean",
            NodeData::Scalar(Value::Number(_)) => "a number",
            NodeData::Scalar(_) => "a text",
            NodeData::List(_) => "a list",
            NodeData::Map(_) => "a mapping",
        }
    }
}

/// A collection that isn't closed yet.
struct OpenCollection {
    line: usize,
    kind: Partial,
}

enum Partial {
    List(Vec<Node>),
    Map { pairs: Vec<(String, Node)>, key: Option<(usize, String)> },
}

/// Reads one YAML document. Anchors, aliases and tags have no use in a script and are refused.
pub(crate) fn parse_yaml(text: &str) -> Result<Node, Problem> {
    let mut open: Vec<OpenCollection> = Vec::new();
    let mut root = None;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| (error.marker().line(), error.info().to_owned()))?;
        let line = span.start.line();
        let done = match event {
            Event::Alias(_) => {
                return Err((line, "aliases (`*name`) are not supported: write the value out".into()));
            }
            Event::Scalar(_, _, anchor, ref tag)
            | Event::SequenceStart(anchor, ref tag)
            | Event::MappingStart(anchor, ref tag)
                if anchor != 0 || tag.is_some() =>
            {
                return Err((
                    line,
                    "anchors (`&name`) and tags (`!name`) are not supported: remove it".into(),
                ));
            }
            Event::Scalar(text, style, ..) => {
                if let Some(OpenCollection { kind: Partial::Map { key: key @ None, .. }, .. }) =
                    open.last_mut()
                {
                    *key = Some((line, text.into_owned()));
                    continue;
                }
                Node { line, kind: NodeData::Scalar(scalar(&text, style, span)?) }
            }
            Event::SequenceStart(..) => {
                begin(&mut open, line, Partial::List(Vec::new()))?;
                continue;
            }
            Event::MappingStart(..) => {
                begin(&mut open, line, Partial::Map { pairs: Vec::new(), key: None })?;
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(OpenCollection { line, kind: Partial::List(items) }) => {
                    Node { line, kind: NodeData::List(items) }
                }
                Some(OpenCollection { line, kind: Partial::Map { pairs, .. } }) => {
                    Node { line, kind: NodeData::Map(pairs) }
                }
                None => continue,
            },
            Event::DocumentStart(_) if root.is_some() => {
                return Err((line, "a second document begins here: keep all answers in one list".into()));
            }
            _ => continue,
        };
        match open.last_mut().map(|parent| &mut parent.kind) {
            None => root = Some(done),
            Some(Partial::List(items)) => items.push(done),
            Some(Partial::Map { pairs, key }) => {
                let Some((line, name)) = key.take() else {
                    return Err((done.line, "a key must be a plain text".into()));
                };
                if pairs.iter().any(|(other, _)| *other == name) {
                    return Err((line, format!("the key `{name}` appears here twice")));
                }
                pairs.push((name, done));
            }
        }
    }
    Ok(root.unwrap_or(Node { line: 1, kind: NodeData::Scalar(Value::Null) }))
}

fn begin(open: &mut Vec<OpenCollection>, line: usize, kind: Partial) -> Result<(), Problem> {
    if let Some(OpenCollection { kind: Partial::Map { key: None, .. }, .. }) = open.last() {
        return Err((line, "a key must be a plain text".into()));
    }
    if open.len() >= MAX_DEPTH {
        return Err((line, format!("nested more than {MAX_DEPTH} deep")));
    }
    open.push(OpenCollection { line, kind });
    Ok(())
}

/// YAML 1.2's core schema, without its octal and hexadecimal numbers.
fn scalar(text: &str, style: ScalarStyle, span: Span) -> Result<Value, Problem> {
    if style != ScalarStyle::Plain {
        return Ok(Value::String(text.to_owned()));
    }
    Ok(match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        ".nan" | ".NaN" | ".NAN" | ".inf" | ".Inf" | ".INF" | "-.inf" | "-.Inf" | "-.INF" | "+.inf"
        | "+.Inf" | "+.INF" => {
            return Err((
                span.start.line(),
                format!("`{text}` is not a finite number: quote it if it is a text"),
            ));
        }
        _ if !text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first)) => {
            Value::String(text.to_owned())
        }
        _ => {
            let digits = text.strip_prefix('+').unwrap_or(text);
            if let Ok(whole) = digits.parse::<i64>() {
                Value::from(whole)
            } else if let Ok(whole) = digits.parse::<u64>() {
                Value::from(whole)
            } else {
                match digits.parse::<f64>().ok().and_then(Number::from_f64) {
                    Some(number) if digits.contains(|c: char| c.is_ascii_digit()) => Value::Number(number),
                    _ => Value::String(text.to_owned()),
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn scalars_are_those_of_yaml_1_2() {
        let node = parse_yaml("[1, -2, 1.5, '1', no, true, ~, 1.0.0, -x, 1e3, 3+]").unwrap();
        assert_eq!(node.into_json(), json!([1, -2, 1.5, "1", "no", true, null, "1.0.0", "-x", 1000.0, "3+"]));
    }

    #[test]
    fn problems_name_their_line() {
        for (text, line, part) in [
            ("a: 1\na: 2\n", 2, "twice"),
            ("a: &x 1\n", 1, "anchors"),
            ("- 1\n- *x\n", 2, "unknown anchor"),
            ("- .nan\n", 1, "finite"),
            ("a: [1\n", 2, ""),
            ("--- 1\n--- 2\n", 2, "second document"),
        ] {
            let (at, message) = parse_yaml(text).unwrap_err();
            assert_eq!(at, line, "{text:?}: {message}");
            assert!(message.contains(part), "{text:?}: {message}");
        }
    }

    #[test]
    fn deep_nesting_is_an_error() {
        assert!(parse_yaml(&"[".repeat(100_000)).is_err());
        assert!(parse_yaml(&"- ".repeat(100_000)).is_err());
    }
}
