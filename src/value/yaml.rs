//! YAML text to a tree in which every key and value knows its place.
//!
//! Built on the events of `saphyr-parser`, with our own bounds, so that a hostile or broken file ends in a
//! [`Problem`] and never in a hang: bytes, nodes (counted after aliases are expanded, which defuses "billion
//! laughs") and depth are capped, duplicate keys are errors, and plain scalars follow the YAML 1.2 core schema
//! (`no` and `on` are text).

use crate::diag::{Code, Problem, Problems, SourceFile, Span};
use saphyr_parser::{Event, Parser, ScalarStyle, Tag};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// Largest YAML file read, in bytes. The largest file we ship has some 20 kB.
pub const MAX_BYTES: usize = 1 << 20;
/// Most nodes in one file, aliases expanded.
pub const MAX_NODES: usize = 100_000;
/// Deepest nesting.
pub const MAX_DEPTH: usize = 64;

/// A value with its place.
#[derive(Debug, Clone)]
pub struct Node {
    /// Where it stands. For a mapping or list: its first line.
    pub span: Span,
    /// What it is.
    pub data: Data,
}

/// What a node holds.
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
    /// Text. `plain` tells an unquoted scalar, whose type is resolved again after variables are filled in.
    Text {
        /// The text.
        text: String,
        /// Whether it stood without quotes.
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
    /// Where the key stands.
    pub key_span: Span,
    /// Its value.
    pub value: Node,
}

impl Node {
    /// What kind of thing this is, in words for messages.
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

/// Reads one YAML document. Every problem goes to `problems`; the tree is returned when there is one to work on
/// even so (after duplicate keys, say), so that later checks can add what they find.
pub fn parse(file: &Arc<SourceFile>, problems: &mut Problems) -> Option<Node> {
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

/// What the scanner says, in words for people who edit YAML and have never heard of scalars, with what to do. What it says
/// of rarer mistakes stays as it is.
fn in_plain_words(info: &str) -> (String, Option<&'static str>) {
    let known: [(&str, &str, &str); 7] = [
        (
            "tabs disallowed",
            "this line is indented with a tab",
            "YAML is indented with spaces: put two for each level",
        ),
        (
            "mapping values are not allowed",
            "a second `:` stands where only one can",
            "look at the line before, too: after a `:` comes a space, and a text with `: ` in it needs quotes",
        ),
        (
            "in quoted scalar",
            "this text is never closed with its quote",
            "put the closing quote at its end; a quote within quotes is doubled: 'it''s'",
        ),
        (
            "while scanning a quoted scalar",
            "this text is never closed with its quote",
            "put the closing quote at its end; a quote within quotes is doubled: 'it''s'",
        ),
        (
            "did not find expected key",
            "this line is not indented like those that it stands with",
            "begin each key of a mapping in the same column",
        ),
        (
            "did not find expected '-' indicator",
            "this line is not indented like the list that it stands in",
            "begin each `-` of a list in the same column",
        ),
        (
            "while parsing a flow",
            "a bracket or a comma is missing before this",
            "each `[` needs its `]`, each `{` its `}`, and commas between what stands inside",
        ),
    ];
    match known.into_iter().find(|(part, ..)| info.contains(part)) {
        Some((_, message, help)) => (message.to_owned(), Some(help)),
        None => (info.to_owned(), None),
    }
}

/// The type that the YAML 1.2 core schema gives to an unquoted scalar.
#[must_use]
pub fn resolve_plain(text: &str) -> Data {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Data::Null,
        "true" | "True" | "TRUE" => return Data::Bool(true),
        "false" | "False" | "FALSE" => return Data::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Data::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => return Data::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Data::Float(f64::NEG_INFINITY),
        _ => {}
    }
    let radix = |digits: &str, radix| i64::from_str_radix(digits, radix).ok().map(Data::Int);
    let number = if let Some(hex) = text.strip_prefix("0x") {
        radix(hex, 16)
    } else if let Some(octal) = text.strip_prefix("0o") {
        radix(octal, 8)
    } else {
        decimal(text)
    };
    number.unwrap_or_else(|| Data::Text { text: text.to_owned(), plain: true })
}

fn decimal(text: &str) -> Option<Data> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let starts_like_a_number = digits.starts_with(|c: char| c.is_ascii_digit())
        || (digits.starts_with('.') && digits.chars().nth(1).is_some_and(|c| c.is_ascii_digit()));
    let number_letters =
        digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'));
    if !starts_like_a_number || !number_letters {
        return None;
    }
    if digits.chars().all(|c| c.is_ascii_digit())
        && let Ok(int) = text.strip_prefix('+').unwrap_or(text).parse()
    {
        return Some(Data::Int(int));
    }
    text.parse().ok().map(Data::Float)
}

struct Builder<'a> {
    file: &'a Arc<SourceFile>,
    problems: &'a mut Problems,
    /// Byte offset of each character, when the text is not plain ASCII.
    offsets: Option<Vec<usize>>,
    anchors: HashMap<usize, Node>,
    nodes: usize,
}

enum Open {
    List {
        anchor: usize,
        start: usize,
        items: Vec<Node>,
    },
    Map {
        anchor: usize,
        start: usize,
        entries: Vec<Entry>,
        key: Option<(String, Span)>,
        first_seen: HashMap<String, Span>,
    },
}

/// Why reading ended early; the problem has been pushed.
struct Abandoned;

impl<'a> Builder<'a> {
    fn new(file: &'a Arc<SourceFile>, problems: &'a mut Problems) -> Self {
        let text = file.text();
        let offsets = (!text.is_ascii())
            .then(|| text.char_indices().map(|(at, _)| at).chain(std::iter::once(text.len())).collect());
        Builder { file, problems, offsets, anchors: HashMap::new(), nodes: 0 }
    }

    fn span(&self, span: &saphyr_parser::Span) -> Span {
        Span::new(self.file, self.byte(span.start.index()), self.byte(span.end.index()))
    }

    fn byte(&self, character: usize) -> usize {
        match &self.offsets {
            Some(offsets) => offsets.get(character).copied().unwrap_or(self.file.text().len()),
            None => character,
        }
    }

    fn run(mut self) -> Option<Node> {
        let text = self.file.text();
        // The scanner counts a leading byte order mark as a character, so it stays in the text.
        let mut parser = Parser::new_from_str(text);
        let mut stack: Vec<Open> = Vec::new();
        let mut root: Option<Node> = None;
        let mut documents = 0;
        loop {
            let (event, span) = match parser.next_event() {
                None => break,
                Some(Ok(event)) => event,
                Some(Err(error)) => {
                    let at = self.byte(error.marker().index());
                    let (message, help) = in_plain_words(error.info());
                    if let Some(problem) = stack.last().and_then(|open| self.left_open(open, at)) {
                        self.problems.push(problem);
                        return None;
                    }
                    let problem = Problem::error(Code::Syntax, &Span::new(self.file, at, at + 1), message);
                    let is_column = error.info().contains("did not find expected key")
                        || error.info().contains("did not find expected '-' indicator");
                    if let Some(dash) = self.dash_above(at).filter(|_| is_column) {
                        let message = "the keys of this list item don't begin in the same column";
                        let problem = Problem::error(Code::Syntax, &dash, message)
                            .related(&Span::new(self.file, at, at + 1), "this one")
                            .help("put them below the first letter after the `- `");
                        self.problems.push(problem);
                        return None;
                    }
                    let problem = match help {
                        Some(help) => problem.help(help),
                        None => problem,
                    };
                    self.problems.push(problem.label("YAML can't be read past this place"));
                    return None;
                }
            };
            let span = self.span(&span);
            let finished = match event {
                Event::DocumentStart(_) => {
                    documents += 1;
                    if documents > 1 {
                        self.problems.push(
                            Problem::error(Code::Syntax, &span, "a second YAML document starts here")
                                .help("keep one document in a file"),
                        );
                        return root;
                    }
                    None
                }
                Event::Scalar(text, style, anchor, tag) => {
                    let node = self.scalar(&text, style, tag.as_ref(), span);
                    self.remember(anchor, &node);
                    Some(node)
                }
                Event::Alias(anchor) => Some(self.alias(anchor, span).ok()?),
                Event::SequenceStart(anchor, _) => {
                    stack.push(Open::List { anchor, start: span.start(), items: Vec::new() });
                    None
                }
                Event::MappingStart(anchor, _) => {
                    let (entries, first_seen) = (Vec::new(), HashMap::new());
                    stack.push(Open::Map { anchor, start: span.start(), entries, key: None, first_seen });
                    None
                }
                Event::SequenceEnd | Event::MappingEnd => stack.pop().map(|open| self.close(open, &span)),
                Event::StreamStart | Event::StreamEnd | Event::DocumentEnd | Event::Nothing => None,
            };
            if stack.len() > MAX_DEPTH {
                let place = Span::new(self.file, parser_position(&stack), parser_position(&stack) + 1);
                let problem =
                    Problem::error(Code::TooLarge, &place, format!("nested more than {MAX_DEPTH} deep"));
                self.problems
                    .push(problem.help("write it flatter, and look for a bracket that was never closed"));
                return None;
            }
            let Some(node) = finished else { continue };
            self.count(1, &node.span).ok()?;
            match stack.last_mut() {
                None => root = Some(node),
                Some(Open::List { items, .. }) => items.push(node),
                Some(Open::Map { entries, key, first_seen, .. }) => match key.take() {
                    None => *key = self.key(node).ok(),
                    Some((name, key_span)) => {
                        if let Some(last) = entries.last_mut()
                            && let Some(problem) = decimal_comma(last, &key_span, &node)
                        {
                            self.problems.push(problem);
                        } else if let Some(first) = first_seen.get(&name) {
                            self.problems.push(
                                Problem::error(
                                    Code::DuplicateKey,
                                    &key_span,
                                    format!("the key `{name}` stands twice"),
                                )
                                .related(first, "first here")
                                .help("remove one of the two"),
                            );
                        } else {
                            first_seen.insert(name.clone(), key_span.clone());
                            entries.push(Entry { key: name, key_span, value: node });
                        }
                    }
                },
            }
        }
        Some(root.unwrap_or_else(|| Node { span: Span::new(self.file, 0, 0), data: Data::Null }))
    }

    /// The bracket that is still open at `at`, where reading ended, and is not closed in that line either.
    fn left_open(&self, open: &Open, at: usize) -> Option<Problem> {
        let (Open::List { start, .. } | Open::Map { start, .. }) = open;
        let text = self.file.text();
        let rest = text.get(*start..)?;
        let bracket = rest.chars().next().filter(|c| matches!(c, '{' | '['))?;
        let close = if bracket == '{' { '}' } else { ']' };
        let end = text.get(at..)?.find('\n').map_or(text.len(), |line| at + line);
        let (mut depth, mut quote) = (0_usize, None);
        for c in text.get(*start..end)?.chars() {
            match quote {
                Some(open) if c == open => quote = None,
                Some(_) => {}
                None if matches!(c, '"') => quote = Some(c),
                None if matches!(c, '{' | '[') => depth += 1,
                None if matches!(c, '}' | ']') => depth = depth.saturating_sub(1),
                None => {}
            }
            if depth == 0 {
                return None;
            }
        }
        let message = format!("this `{bracket}` is never closed with `{close}`");
        let span = Span::new(self.file, *start, *start + 1);
        let problem =
            Problem::error(Code::Syntax, &span, message).help(format!("put the `{close}` where it ends"));
        Some(problem.related(&Span::new(self.file, at, at + 1), "YAML can't be read past this place"))
    }

    /// The `-` in the line above that in which reading ended.
    fn dash_above(&self, at: usize) -> Option<Span> {
        let before = self.file.text().get(..at)?;
        let line = before.rfind('\n')?;
        let above = before.get(..line)?;
        let start = above.rfind('\n').map_or(0, |end| end + 1);
        let text = above.get(start..)?;
        let dash = start + (text.len() - text.trim_start().len());
        text.trim_start().starts_with("- ").then(|| Span::new(self.file, dash, dash + 1))
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, tag: Option<&Cow<'_, Tag>>, span: Span) -> Node {
        let mut data = match style {
            ScalarStyle::Plain => resolve_plain(text),
            _ => Data::Text { text: text.to_owned(), plain: false },
        };
        if let Some(tag) = tag {
            if tag.is_yaml_core_schema() && tag.suffix == "str" {
                data = Data::Text { text: text.to_owned(), plain: false };
            } else {
                self.problems.push(
                    Problem::error(
                        Code::Syntax,
                        &span,
                        format!("the tag `{}{}` has no meaning here", tag.handle, tag.suffix),
                    )
                    .help("remove the tag"),
                );
            }
        }
        Node { span, data }
    }

    fn remember(&mut self, anchor: usize, node: &Node) {
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Result<Node, Abandoned> {
        let Some(target) = self.anchors.get(&anchor) else {
            self.problems.push(
                Problem::error(Code::Syntax, &span, "this alias stands inside the value that it refers to")
                    .help("write the value out"),
            );
            return Err(Abandoned);
        };
        let size = target.node_count();
        let too_deep = target.depth() > MAX_DEPTH;
        let data = if self.nodes.saturating_add(size) > MAX_NODES || too_deep {
            None
        } else {
            Some(target.data.clone())
        };
        match data {
            Some(data) => {
                self.count(size.saturating_sub(1), &span)?;
                Ok(Node { span, data })
            }
            None => {
                self.problems.push(
                    Problem::error(
                        Code::TooLarge,
                        &span,
                        format!("with its aliases written out the file has more than {MAX_NODES} values"),
                    )
                    .help("use fewer aliases"),
                );
                Err(Abandoned)
            }
        }
    }

    fn count(&mut self, nodes: usize, at: &Span) -> Result<(), Abandoned> {
        self.nodes += nodes;
        if self.nodes > MAX_NODES {
            self.problems.push(Problem::error(
                Code::TooLarge,
                at,
                format!("the file has more than {MAX_NODES} values"),
            ));
            return Err(Abandoned);
        }
        Ok(())
    }

    fn close(&mut self, open: Open, end: &Span) -> Node {
        let (anchor, start, data) = match open {
            Open::List { anchor, start, items } => (anchor, start, Data::List(items)),
            Open::Map { anchor, start, entries, .. } => (anchor, start, Data::Map(entries)),
        };
        let node = Node { span: Span::new(self.file, start, end.end().max(start)), data };
        self.remember(anchor, &node);
        node
    }

    fn key(&mut self, node: Node) -> Result<(String, Span), Abandoned> {
        let written = node.span.text().to_owned();
        let name = match node.data {
            Data::Text { text, plain } => {
                if plain && text == "<<" {
                    self.problems.push(
                        Problem::error(Code::Syntax, &node.span, "merge keys (`<<`) are not supported")
                            .help("write the keys out, or put them in a parent and use `extends`"),
                    );
                }
                text
            }
            Data::Null | Data::Bool(_) | Data::Int(_) | Data::Float(_) => written,
            Data::List(_) | Data::Map(_) => {
                self.problems.push(Problem::error(
                    Code::Syntax,
                    &node.span,
                    "a key must be text, not a list or mapping",
                ));
                String::from("?")
            }
        };
        Ok((name, node.span))
    }
}

/// Whether an entry is the rest of a number that was written with a decimal comma: `{ overall: 0,95 }` is `overall: 0`
/// and a key `95` to YAML. The number before is mended, so that nothing else is said of it.
fn decimal_comma(last: &mut Entry, key: &Span, value: &Node) -> Option<Problem> {
    let digits = key.text();
    let after = key.file().text().get(key.end()..).unwrap_or_default().trim_start();
    let is_rest = matches!(value.data, Data::Null)
        && after.starts_with([',', '}'])
        && matches!(last.value.data, Data::Int(_) | Data::Float(_))
        && !digits.is_empty()
        && digits.chars().all(|c| c.is_ascii_digit());
    let between = key.file().text().get(last.value.span.end()..key.start())?;
    if !is_rest || between.trim() != "," {
        return None;
    }
    let whole = last.value.span.text().to_owned();
    let span = Span::new(key.file(), last.value.span.start(), key.end());
    let message = format!("`{digits}` is no setting: a comma ends the number before it");
    let problem = Problem::error(Code::WrongType, &span, message);
    Some(match format!("{whole}.{digits}").parse() {
        Ok(number) if matches!(last.value.data, Data::Int(_)) => {
            last.value = Node { span, data: Data::Float(number) };
            problem.help(format!("a decimal number is written with a point: `{whole}.{digits}`"))
        }
        _ => problem.help("a decimal number is written with a point, and with one only"),
    })
}

fn parser_position(stack: &[Open]) -> usize {
    match stack.last() {
        Some(Open::List { start, .. } | Open::Map { start, .. }) => *start,
        None => 0,
    }
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
