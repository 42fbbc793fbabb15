//! References: what a rule inspects besides its target, as people write it.

use super::field_trie::Slots;
use super::program::Index;
use crate::diag::{Code, Problem, Problems};
use crate::value::JsonPath;
use crate::value::decode::Decode;
use crate::value::shape::Shape;
use crate::value::yaml::{Data, Node};
use std::fmt;

/// Something a rule points at besides its target.
#[derive(Debug, Clone)]
pub enum Reference {
    /// A top-level field of the candidate.
    Field {
        /// Its name.
        name: String,
        /// Its slot in the program's [`super::FieldTrie`], once the rule is compiled.
        slot: Option<Index>,
    },
    /// A path from the candidate, written `$.a.b`.
    Root {
        /// The path.
        path: JsonPath,
        /// The slots of the fields that the path begins with, if it begins with names, once the rule is compiled.
        slots: Slots,
    },
    /// A path from the rule's target, written `@.b`.
    Target(JsonPath),
    /// A path from the list or mapping that the target is in, written `^.b`; `^^.b` from what holds that.
    Holder {
        /// The number of levels up, at least 1.
        up: usize,
        /// The path from there.
        path: JsonPath,
    },
    /// A path from the element before the target in its list, written `<.b`.
    Before(JsonPath),
}

impl Reference {
    /// Returns whether it starts from the location of a target, not from a value.
    #[must_use]
    pub fn looks_around(&self) -> bool {
        matches!(self, Reference::Holder { .. } | Reference::Before(_))
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reference::Field { name, .. } => f.write_str(name),
            Reference::Root { path, .. } => f.write_str(path.as_str()),
            Reference::Target(path) => write!(f, "@{}", path.as_str().trim_start_matches('$')),
            Reference::Holder { up, path } => {
                write!(f, "{}{}", "^".repeat(*up), path.as_str().trim_start_matches('$'))
            }
            Reference::Before(path) => write!(f, "<{}", path.as_str().trim_start_matches('$')),
        }
    }
}

/// The shape of what [`reference`] reads.
pub(super) fn place() -> Shape {
    Shape::text("a field or a path (`$.a`, `@.a`, `^.a`, `<.a`)")
}

/// The shape of what [`references`] reads.
pub(super) fn places() -> Shape {
    Shape::one_or_more(place())
}

/// Reads a field name, `$.path`, `@.path`, `^.path` or `<.path`.
pub(super) fn reference(node: &Node, problems: &mut Problems) -> Option<Reference> {
    let text = String::decode(node, problems)?;
    if text.is_empty() {
        problems.push(Problem::error(
            Code::BadPath,
            &node.span,
            "expected the name of a field, found nothing",
        ));
        return None;
    }
    if text.starts_with('$') {
        return path(node, problems).map(|path| Reference::Root { path, slots: Slots::default() });
    }
    if let Some(rest) = text.strip_prefix('@') {
        return parse_path(&format!("${rest}"), node, problems).map(Reference::Target);
    }
    if text.starts_with('^') {
        let rest = text.trim_start_matches('^');
        let up = text.len() - rest.len();
        let path = parse_path(&format!("${rest}"), node, problems)?;
        return Some(Reference::Holder { up, path });
    }
    if let Some(rest) = text.strip_prefix('<') {
        return parse_path(&format!("${rest}"), node, problems).map(Reference::Before);
    }
    Some(Reference::Field { name: text, slot: None })
}

/// Reads one or more of what [`reference`] reads.
pub(super) fn references(node: &Node, problems: &mut Problems) -> Option<Vec<Reference>> {
    let found: Vec<Reference> = match &node.data {
        Data::List(items) => items.iter().filter_map(|item| reference(item, problems)).collect(),
        _ => vec![reference(node, problems)?],
    };
    if found.is_empty() {
        problems.push(Problem::error(Code::Empty, &node.span, "expected at least one field"));
        return None;
    }
    Some(found)
}

/// Reads an RFC 9535 path.
pub(super) fn path(node: &Node, problems: &mut Problems) -> Option<JsonPath> {
    let text = String::decode(node, problems)?;
    parse_path(&text, node, problems)
}

/// Reads the text of a path, which is written at `node`.
pub(super) fn parse_path(text: &str, node: &Node, problems: &mut Problems) -> Option<JsonPath> {
    match JsonPath::parse(text) {
        Ok(path) => Some(path),
        Err(error) => {
            let rooted = format!("$.{text}");
            if !text.starts_with('$') && JsonPath::parse(&rooted).is_ok() {
                problems.push(
                    Problem::error(
                        Code::BadPath,
                        &node.span,
                        "a path begins at the whole answer, which is `$`",
                    )
                    .help(format!("write `{rooted}`")),
                );
                return None;
            }
            problems.push(
                Problem::error(
                    Code::BadPath,
                    &node.span,
                    format!("`{text}` is not a JSONPath: {}", error.message),
                )
                .help(format!(
                    "it goes wrong at character {}; a path looks like `$.measurements[*].size`",
                    error.position + 1
                )),
            );
            None
        }
    }
}
