//! The parser's events to a tree, within bounds.

use super::mistakes::{decimal_comma, unreadable};
use super::placeholders;
use super::scalar::resolve_plain;
use super::{Data, Entry, MAX_DEPTH, MAX_NODES, Node};
use crate::diag::{Code, Problem, Problems, SourceFile, Span};
use saphyr_parser::{Event, Parser, ScalarStyle, Tag};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

pub(super) struct Builder<'a> {
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

impl Open {
    /// The position at which it begins, in bytes.
    fn start(&self) -> usize {
        match self {
            Open::List { start, .. } | Open::Map { start, .. } => *start,
        }
    }
}

/// A sign that reading ended early; the problem has been pushed.
struct Abandoned;

impl<'a> Builder<'a> {
    pub(super) fn new(file: &'a Arc<SourceFile>, problems: &'a mut Problems) -> Self {
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

    pub(super) fn run(mut self) -> Option<Node> {
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
                    let open = stack.last().map(Open::start);
                    self.problems.push(unreadable(self.file, open, at, error.info()));
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
                    if let Some(problem) = placeholders::as_mapping(self.file, span.start()) {
                        self.problems.push(problem);
                        return None;
                    }
                    let (entries, first_seen) = (Vec::new(), HashMap::new());
                    stack.push(Open::Map { anchor, start: span.start(), entries, key: None, first_seen });
                    None
                }
                Event::SequenceEnd | Event::MappingEnd => stack.pop().map(|open| self.close(open, &span)),
                Event::StreamStart | Event::StreamEnd | Event::DocumentEnd | Event::Nothing => None,
            };
            if stack.len() > MAX_DEPTH {
                let start = stack.last().map(Open::start).unwrap_or_default();
                let place = Span::new(self.file, start, start + 1);
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
                                    format!("the key `{name}` appears twice"),
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
                Problem::error(Code::Syntax, &span, "this alias is inside the value that it refers to")
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
