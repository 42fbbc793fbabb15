//! Additions to YAML that a user wrote: only whole lines are inserted (or one word is replaced), so that comments and
//! layout are kept. The result is parsed again, and must be the earlier content with the addition, and nothing else.

use crate::diag::{Problems, SourceFile};
use crate::value::yaml::{Data, Entry, Node, parse};
use serde_json::Value;

/// The reason why a text can't be added to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfit {
    /// It is not YAML, or not the YAML that it should be.
    NotYaml,
    /// There is no mapping or list under that key.
    Absent(String),
    /// It is written in one line, `{…}` or `[…]`.
    InOneLine(String),
    /// A key exists already.
    Occupied(String),
    /// It would have changed something else.
    Unsafe,
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unfit::NotYaml => f.write_str("it is not the YAML that was expected"),
            Unfit::Absent(key) => write!(f, "there is nothing to add to under `{key}`"),
            Unfit::InOneLine(key) => write!(f, "`{key}` is written between brackets"),
            Unfit::Occupied(key) => write!(f, "`{key}` is there already"),
            Unfit::Unsafe => f.write_str("the file is laid out in a way that can't be added to safely"),
        }
    }
}

/// Adds entries to the mapping under `path` (the whole file, if it is empty). `entries` is their text without indentation, comments
/// and all.
///
/// # Errors
/// The reason why the user must add to the text. Nothing is half added.
pub(super) fn into_mapping(text: &str, path: &[&str], entries: &str) -> Result<String, Unfit> {
    let root = tree(text)?;
    let added = match tree(entries)?.to_json() {
        Value::Object(added) => added,
        _ => return Err(Unfit::NotYaml),
    };
    let mut expected = root.to_json();
    let place = find(&root, path)?;
    match pointed(&mut expected, path).ok_or(Unfit::NotYaml)? {
        Value::Object(known) => {
            for (key, value) in added {
                if known.contains_key(&key) {
                    return Err(Unfit::Occupied(key));
                }
                known.insert(key, value);
            }
        }
        nothing @ Value::Null => *nothing = Value::Object(added),
        _ => return Err(Unfit::Absent(shown(path))),
    }
    let indent = match &place.node.data {
        Data::Map(known) => known.first().map_or(0, |first| column(text, first.key_span.start())),
        _ => place.indent_below(text),
    };
    insert(text, &place, path, indent, entries, &expected)
}

/// Adds an item at the end of the list under `path`. `item` is its text without dash and indentation.
///
/// # Errors
/// The reason why the user must add to the text. Nothing is half added.
pub(super) fn into_list(text: &str, path: &[&str], item: &str) -> Result<String, Unfit> {
    let root = tree(text)?;
    let added = tree(item)?.to_json();
    let mut expected = root.to_json();
    let place = find(&root, path)?;
    match pointed(&mut expected, path).ok_or(Unfit::NotYaml)? {
        Value::Array(known) => known.push(added),
        nothing @ Value::Null => *nothing = Value::Array(vec![added]),
        _ => return Err(Unfit::Absent(shown(path))),
    }
    let indent = match &place.node.data {
        Data::List(items) => match items.first() {
            Some(first) => dash_column(text, first.span.start()).unwrap_or_default(),
            None => 0,
        },
        _ => place.indent_below(text),
    };
    let mut lines = item.lines();
    let mut dashed = format!("- {}\n", lines.next().unwrap_or_default());
    for line in lines {
        dashed.push_str(if line.is_empty() { "" } else { "  " });
        dashed.push_str(line);
        dashed.push('\n');
    }
    if stand_apart(text, place.node) {
        let apart = insert(text, &place, path, indent, &format!("\n{dashed}"), &expected);
        // A blank line is part of a text above it that keeps its last lines.
        if apart.is_ok() {
            return apart;
        }
    }
    insert(text, &place, path, indent, &dashed, &expected)
}

/// Returns whether the items of a list have blank lines between them; of a list with one item, whether that has several
/// lines.
fn stand_apart(text: &str, list: &Node) -> bool {
    let Data::List(items) = &list.data else { return false };
    match items.as_slice() {
        [] => false,
        [only] => {
            text.get(only.span.start()..last_byte(only)).is_some_and(|item| item.trim_end().contains('\n'))
        }
        [.., before, last] => {
            let between = text.get(last_byte(before)..last.span.start()).unwrap_or_default();
            between.lines().skip(1).any(|line| line.trim().is_empty())
        }
    }
}

/// Replaces the text under `path` by another.
///
/// # Errors
/// The reason why the user must do it.
pub(super) fn replace_text(text: &str, path: &[&str], word: &str) -> Result<String, Unfit> {
    let root = tree(text)?;
    let mut expected = root.to_json();
    let place = find(&root, path)?;
    if place.node.as_text().is_none() {
        return Err(Unfit::Absent(shown(path)));
    }
    *pointed(&mut expected, path).ok_or(Unfit::NotYaml)? = Value::from(word);
    let (start, end) = (place.node.span.start(), place.node.span.end());
    let (before, after) = (text.get(..start).ok_or(Unfit::Unsafe)?, text.get(end..).ok_or(Unfit::Unsafe)?);
    let changed = format!("{before}{word}{after}");
    if tree(&changed)?.to_json() == expected { Ok(changed) } else { Err(Unfit::Unsafe) }
}

/// A node and the entry that holds it.
pub(super) struct InsertionPoint<'n> {
    pub(super) node: &'n Node,
    pub(super) entry: Option<&'n Entry>,
}

impl InsertionPoint<'_> {
    /// The indentation of the first entry below an empty key.
    fn indent_below(&self, text: &str) -> usize {
        self.entry.map_or(0, |entry| column(text, entry.key_span.start()) + 2)
    }
}

pub(super) fn tree(text: &str) -> Result<Node, Unfit> {
    let mut problems = Problems::new();
    let node = parse(&SourceFile::new("", text), &mut problems);
    node.filter(|_| !problems.has_errors()).ok_or(Unfit::NotYaml)
}

pub(super) fn find<'n>(root: &'n Node, path: &[&str]) -> Result<InsertionPoint<'n>, Unfit> {
    let mut place = InsertionPoint { node: root, entry: None };
    for key in path {
        let Data::Map(entries) = &place.node.data else { return Err(Unfit::Absent(shown(path))) };
        let entry =
            entries.iter().find(|entry| entry.key == *key).ok_or_else(|| Unfit::Absent(shown(path)))?;
        place = InsertionPoint { node: &entry.value, entry: Some(entry) };
    }
    Ok(place)
}

fn pointed<'v>(value: &'v mut Value, path: &[&str]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, key| value.get_mut(*key))
}

pub(super) fn shown(path: &[&str]) -> String {
    path.join(".")
}

fn insert(
    text: &str,
    place: &InsertionPoint<'_>,
    path: &[&str],
    indent: usize,
    lines: &str,
    expected: &Value,
) -> Result<String, Unfit> {
    if is_flow(place.node) {
        return Err(Unfit::InOneLine(shown(path)));
    }
    let end = last_byte(place.node).max(place.entry.map_or(0, |entry| entry.key_span.end()));
    // An empty file may still have comments, which are kept above.
    let end = if path.is_empty() && matches!(place.node.data, Data::Null) { text.len() } else { end };
    let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let (before, after) = text.split_at_checked(line_end(text, end)).ok_or(Unfit::Unsafe)?;
    let mut changed = before.to_owned();
    if !changed.is_empty() && !changed.ends_with('\n') {
        changed.push_str(ending);
    }
    for line in lines.lines() {
        if !line.is_empty() {
            changed.push_str(&" ".repeat(indent));
            changed.push_str(line);
        }
        changed.push_str(ending);
    }
    changed.push_str(after);
    if tree(&changed)?.to_json() == *expected { Ok(changed) } else { Err(Unfit::Unsafe) }
}

pub(super) fn is_flow(node: &Node) -> bool {
    matches!(node.data, Data::Map(_) | Data::List(_)) && node.span.text().starts_with(['{', '['])
}

/// The end of the text of a node. The parser ends a block where the next node begins, so the last leaf counts.
fn last_byte(node: &Node) -> usize {
    if is_flow(node) {
        return node.span.end();
    }
    match &node.data {
        Data::Map(entries) => {
            entries.iter().map(|entry| last_byte(&entry.value).max(entry.key_span.end())).max().unwrap_or(0)
        }
        Data::List(items) => items.iter().map(last_byte).max().unwrap_or(0),
        _ => node.span.end(),
    }
}

/// The beginning of the line after the one that contains the byte before `at`.
fn line_end(text: &str, at: usize) -> usize {
    let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
    if before.is_empty() || before.ends_with('\n') {
        return before.len();
    }
    after.find('\n').map_or(text.len(), |found| at + found + 1)
}

fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |found| found + 1)
}

/// The number of bytes before a position in its line.
fn column(text: &str, at: usize) -> usize {
    let start = line_start(text, at);
    // A byte order mark is not indentation.
    let mark = if start == 0 && text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    at.saturating_sub(start + mark)
}

/// The column of the dash of the item that begins at `at`.
fn dash_column(text: &str, at: usize) -> Option<usize> {
    let start = line_start(text, at);
    let before = text.get(start..at)?;
    before.find('-').filter(|found| before.get(..*found).is_some_and(|blank| blank.trim().is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn entries_go_after_the_last_and_everything_else_stays() {
        let text = "# head\ntypes:\n    a: { x: [1] }   # of a\n    # between\n    b:\n        x: |\n            long\n\n# foot\nfields: {}\n";
        assert_eq!(
            into_mapping(text, &["types"], "c:\n  y: 1   # of c\n").unwrap(),
            "# head\ntypes:\n    a: { x: [1] }   # of a\n    # between\n    b:\n        x: |\n            long\n\n    c:\n      y: 1   # of c\n# foot\nfields: {}\n"
        );
        assert_eq!(into_mapping("a: 1", &[], "b: 2\n").unwrap(), "a: 1\nb: 2\n");
        assert_eq!(into_mapping("a:\nb: 1\n", &["a"], "c: 2\n").unwrap(), "a:\n  c: 2\nb: 1\n");
        assert_eq!(into_mapping("# only this\n", &[], "c: 2\n").unwrap(), "# only this\nc: 2\n");
        assert_eq!(into_mapping("\u{feff}a: 1\r\n", &[], "b: 2\n").unwrap(), "\u{feff}a: 1\r\nb: 2\r\n");
        assert_eq!(
            into_mapping("a: {\n  x: 1\n}\nb: 1\n", &[], "c: 2\n").unwrap(),
            "a: {\n  x: 1\n}\nb: 1\nc: 2\n"
        );
    }

    #[test]
    fn items_go_after_the_last() {
        let text = "cases:\n- name: a\n  of: [1,\n    2]\n\n# end\n";
        assert_eq!(
            into_list(text, &["cases"], "name: b\nsource: |\n  x\n\n  y\n").unwrap(),
            "cases:\n- name: a\n  of: [1,\n    2]\n\n- name: b\n  source: |\n    x\n\n    y\n\n# end\n"
        );
        assert_eq!(
            into_list("a:\n  - b: 1\n\n  # c\n  - b: 2\n", &["a"], "b: 3").unwrap(),
            "a:\n  - b: 1\n\n  # c\n  - b: 2\n\n  - b: 3\n"
        );
        assert_eq!(
            into_list("a:\n  - b: 1\n    c: |+\n      x\n", &["a"], "b: 3").unwrap(),
            "a:\n  - b: 1\n    c: |+\n      x\n  - b: 3\n"
        );
        assert_eq!(
            into_list("cases:\n  - 1\nx: 2\n", &["cases"], "3").unwrap(),
            "cases:\n  - 1\n  - 3\nx: 2\n"
        );
        assert_eq!(into_list("cases:\n", &["cases"], "3").unwrap(), "cases:\n  - 3\n");
    }

    #[test]
    fn a_word_is_replaced() {
        let text = "a: one # first\nb: { c: 'two', d: 1 }\n";
        assert_eq!(replace_text(text, &["a"], "three").unwrap(), "a: three # first\nb: { c: 'two', d: 1 }\n");
        assert_eq!(replace_text(text, &["b", "c"], "x").unwrap(), "a: one # first\nb: { c: x, d: 1 }\n");
        assert_eq!(replace_text(text, &["b", "d"], "x"), Err(Unfit::Absent("b.d".to_owned())));
        assert_eq!(replace_text(text, &["a"], "3"), Err(Unfit::Unsafe));
    }

    #[test]
    fn what_can_not_be_added_to_is_left_alone() {
        let one_line = || Err(Unfit::InOneLine("a".to_owned()));
        assert_eq!(into_mapping("a: { b: 1 }\n", &["a"], "c: 2\n"), one_line());
        assert_eq!(into_list("a: []\n", &["a"], "2"), one_line());
        assert_eq!(into_mapping("a: { b: 1 }\n", &["x"], "c: 2\n"), Err(Unfit::Absent("x".to_owned())));
        assert_eq!(into_mapping("a: [\n", &[], "c: 2\n"), Err(Unfit::NotYaml));
        assert_eq!(into_mapping("a: 1\n", &[], "a: 2\n"), Err(Unfit::Occupied("a".to_owned())));
        assert_eq!(into_mapping("a: 1\n", &["a"], "b: 2\n"), Err(Unfit::Absent("a".to_owned())));
    }

    proptest! {
        /// For any file: nothing that was there is lost, or nothing is done.
        #[test]
        fn every_line_that_was_there_is_still_there(text in "(((a|b|  c|  d|    e):( 1| \\|| >| \\[1\\]| 'x'| # y)?|  - [a-c]( # z)?|    text|# note|)(\n|\r\n)){0,12}") {
            let attempts = [into_mapping(&text, &[], "new: { a: 1 }\n"), into_mapping(&text, &["a"], "new: 1\n"), into_list(&text, &["a"], "new")];
            for changed in attempts.into_iter().flatten() {
                // A blank line may be inserted besides.
                let is_old = |line: &&str| !line.is_empty() && !line.contains("new");
                let kept: Vec<&str> = changed.lines().filter(is_old).collect();
                prop_assert_eq!(kept, text.lines().filter(is_old).collect::<Vec<_>>());
            }
        }
    }
}
