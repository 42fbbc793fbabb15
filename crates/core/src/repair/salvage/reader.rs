//! The reader: objects, lists and the separators between values.

use super::look::{self, ahead, is_json_space, is_quote, is_space};
use super::{Notes, Unsalvageable};
use crate::repair::{RepairKind, TextPosition};
use crate::value::MAX_CANDIDATE_DEPTH;
use serde_json::Value;

/// The reason that reading ends.
#[derive(Debug)]
pub(super) enum Stop {
    /// For good.
    Refused(Unsalvageable),
    /// All of it is escaped as inside a string; the position of the first sign of that.
    Escaped(usize),
}

/// The enclosure of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inside {
    Root,
    Object,
    List,
    /// `( … )`.
    Tuple,
    /// A key of an object.
    Key,
}

pub(super) struct Reader<'t> {
    pub(super) text: &'t str,
    /// The byte that is read next.
    pub(super) at: usize,
    /// The open enclosures, outermost first.
    pub(super) open: Vec<Inside>,
    pub(super) notes: Notes,
    /// One level of escaping has been taken off already.
    pub(super) unescaped: bool,
    pub(super) rewinds: usize,
    /// The number of values that were not strict JSON.
    pub(super) strict_failures: usize,
    /// The number of brackets from which it was read to see whether it is a value.
    pub(super) looks: usize,
    /// A colon was read, and its value not yet.
    pub(super) wants_value: bool,
    /// The last position after the mark of a code block, and the space after it.
    pub(super) behind_fence: Option<usize>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str, notes: Notes) -> Self {
        Reader {
            text,
            at: 0,
            open: Vec::new(),
            notes,
            unescaped: false,
            rewinds: 0,
            strict_failures: 0,
            looks: 0,
            wants_value: false,
            behind_fence: None,
        }
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn skip(&mut self, c: char) {
        self.at += c.len_utf8();
    }

    pub(super) fn ahead(&self) -> &'t str {
        ahead(self.text, self.at)
    }

    pub(super) fn note(&mut self, kind: RepairKind) {
        self.note_at(kind, self.at);
    }

    pub(super) fn note_at(&mut self, kind: RepairKind, at: usize) {
        self.notes.add(kind, Some(at));
    }

    pub(super) fn inside(&self) -> Inside {
        self.open.last().copied().unwrap_or(Inside::Root)
    }

    pub(super) fn enter(&mut self, what: Inside) -> Result<(), Stop> {
        if self.open.len() >= MAX_CANDIDATE_DEPTH {
            return Err(Stop::Refused(Unsalvageable::TooDeep(TextPosition::of(self.text, self.at))));
        }
        self.open.push(what);
        Ok(())
    }

    /// Skips space, comments, marks of code blocks and, inside brackets, ellipses.
    pub(super) fn skip_space(&mut self) {
        let mut fence = false;
        self.skip_space_and(&mut fence);
        if fence {
            self.behind_fence = Some(self.at);
        }
    }

    fn skip_space_and(&mut self, fence: &mut bool) {
        while let Some(c) = self.peek() {
            let rest = self.rest();
            if is_json_space(c) {
                self.at += 1;
            } else if is_space(c) {
                self.note(if c == '\u{feff}' { RepairKind::ByteOrderMark } else { RepairKind::OddSpace });
                self.skip(c);
            } else if rest.starts_with("/*") {
                self.note(RepairKind::Comment);
                self.at += rest.find("*/").map_or(rest.len(), |end| end + 2);
            } else if rest.starts_with("//") || rest.starts_with("# ") {
                self.note(RepairKind::Comment);
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if let Some(length) = look::escaped_space(rest) {
                self.note(RepairKind::EscapedSpace);
                self.at += length;
            } else if let Some(length) = self.other_comment() {
                self.note(RepairKind::Comment);
                self.at += length;
            } else if rest.starts_with("```") {
                self.note(RepairKind::Fence);
                self.at += rest.find(|c| c != '`').unwrap_or(rest.len());
                self.at += language(self.rest());
                *fence = true;
            } else if !self.open.is_empty() && (rest.starts_with("...") || c == '…') {
                self.note(RepairKind::Ellipsis);
                self.at += rest.find(|c| c != '.' && c != '…').unwrap_or(rest.len());
            } else {
                return;
            }
        }
    }

    /// The length of the comment that begins here. In place of a value or item, `#fff,` is one of these.
    fn other_comment(&self) -> Option<usize> {
        let length = look::other_comment(self.rest())?;
        let (comment, after) = self.rest().split_at_checked(length)?;
        let is_value = match self.inside() {
            Inside::Root => true,
            Inside::Object if self.wants_value => {
                let next = look::trim(ahead(after, 0));
                comment.ends_with(',') || next.starts_with([',', '}', ']']) || look::key(next)
            }
            Inside::Object | Inside::Key => false,
            Inside::List | Inside::Tuple => comment.trim_end().ends_with(','),
        };
        (!is_value || comment.starts_with("<!--")).then_some(length)
    }

    /// The value that begins here; `None` when none does, and nothing but space has been read.
    pub(super) fn value(&mut self) -> Result<Option<Value>, Stop> {
        self.skip_space();
        self.wants_value = false;
        let Some(c) = self.peek() else { return Ok(None) };
        match c {
            '{' => self.object().map(Some),
            '[' => self.list().map(Some),
            '(' => self.tuple().map(Some),
            '}' | ']' | ')' | ',' | ':' => Ok(None),
            '\\' if self.rest().chars().nth(1).is_some_and(|c| c == '"' || c == '\'') && !self.unescaped => {
                Err(Stop::Escaped(self.at))
            }
            _ if is_quote(c) => self.text_value().map(Some),
            _ if self.is_call() => self.call().map(Some),
            _ => Ok(Some(self.bare_value())),
        }
    }

    /// Returns whether a function call begins here, with a value in it.
    fn is_call(&self) -> bool {
        let ahead = self.ahead();
        let end = ahead.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))).unwrap_or(0);
        let (name, after) = ahead.split_at(end);
        let begins = name.chars().next().is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '$'));
        let inner = after.trim_start_matches(' ').strip_prefix('(').map(look::trim);
        begins
            && inner.and_then(|inner| inner.chars().next()).is_some_and(|c| {
                is_quote(c)
                    || c.is_ascii_digit()
                    || matches!(c, '{' | '[' | '-')
                    || is_literal_call(inner.unwrap_or_default())
            })
    }

    /// `name(value)`: the value.
    fn call(&mut self) -> Result<Value, Stop> {
        self.note(RepairKind::Call);
        self.at += self.rest().find('(').unwrap_or_default();
        self.tuple()
    }

    /// `(a, b)`: a list; `(a)`: the value in it.
    fn tuple(&mut self) -> Result<Value, Stop> {
        self.enter(Inside::Tuple)?;
        let start = self.at;
        self.at += 1;
        let (mut items, commas) = self.items(')')?;
        self.open.pop();
        if items.len() == 1 && commas == 0 {
            return Ok(items.pop().unwrap_or_default());
        }
        self.note_at(RepairKind::Tuple, start);
        Ok(Value::Array(items))
    }

    pub(super) fn list(&mut self) -> Result<Value, Stop> {
        self.enter(Inside::List)?;
        self.at += 1;
        let (items, _) = self.items(']')?;
        self.open.pop();
        Ok(Value::Array(items))
    }

    /// The values up to `close`, which is read, and the number of commas between them.
    fn items(&mut self, close: char) -> Result<(Vec<Value>, usize), Stop> {
        let mut items = Vec::new();
        let mut commas = 0;
        // The position of a comma that no value has followed.
        let mut pending: Option<usize> = None;
        loop {
            self.skip_space();
            let Some(c) = self.peek().filter(|_| !self.ends_with_its_fence()) else {
                self.note_end();
                return Ok((items, commas));
            };
            match c {
                ',' => {
                    if items.is_empty() || pending.is_some() {
                        self.note(RepairKind::ExtraComma);
                    }
                    pending = Some(self.at);
                    commas += 1;
                    self.at += 1;
                    continue;
                }
                ']' | '}' | ')' => {
                    if let Some(at) = pending {
                        self.note_at(RepairKind::TrailingComma, at);
                    }
                    if c == close {
                        self.at += 1;
                        return Ok((items, commas));
                    }
                    if self.is_slip(c) {
                        self.note(RepairKind::WrongBracket);
                        self.at += 1;
                    } else {
                        self.note(RepairKind::MissingBracket);
                    }
                    return Ok((items, commas));
                }
                ':' => {
                    self.at += 1;
                    self.implied_object(&mut items)?;
                    pending = None;
                    continue;
                }
                _ => {}
            }
            if !items.is_empty() && pending.is_none() {
                self.note(RepairKind::MissingComma);
            }
            pending = None;
            match self.value()? {
                Some(value) => items.push(value),
                None => self.stray(c),
            }
        }
    }

    /// Checks that the code block that a value is in has ended before the value: at its mark the text ends, or turns
    /// into words.
    pub(super) fn ends_with_its_fence(&self) -> bool {
        self.behind_fence == Some(self.at) && self.peek().is_none_or(char::is_alphabetic)
    }

    /// Notes that the open enclosure lacks its end: it was left out where the text continues after the code block, and
    /// else the text was cut.
    pub(super) fn note_end(&mut self) {
        let is_cut = self.behind_fence != Some(self.at);
        self.note(if is_cut { RepairKind::Truncated } else { RepairKind::MissingBracket });
    }

    /// Returns whether a closing bracket of the wrong kind is a slip for the right one: nothing that it could close is
    /// open, or the following text still belongs to what is open.
    pub(super) fn is_slip(&self, c: char) -> bool {
        let closes = match c {
            '}' => Inside::Object,
            ']' => Inside::List,
            _ => Inside::Tuple,
        };
        let outer = self.open.split_last().map(|(_, outer)| outer).unwrap_or_default();
        if !outer.contains(&closes) {
            return true;
        }
        let after = look::trim(ahead(self.text, self.at + 1));
        let next = after.strip_prefix(',').map(look::trim);
        match outer.last() {
            Some(Inside::Object) if closes == Inside::Object => next.is_some_and(look::quoted_key),
            _ => false,
        }
    }

    /// `"key": value, …` in a list: an object without its brackets. The key has been read as the last value.
    fn implied_object(&mut self, items: &mut Vec<Value>) -> Result<(), Stop> {
        let Some(Value::String(key)) = items.last().cloned() else {
            self.note(RepairKind::Stray);
            return Ok(());
        };
        self.note(RepairKind::MissingBracket);
        items.pop();
        let members = self.members_after(key)?;
        items.push(Value::Object(members));
        Ok(())
    }

    /// Leaves out a character that belongs nowhere.
    pub(super) fn stray(&mut self, c: char) {
        self.note(RepairKind::Stray);
        self.skip(c);
    }
}

/// Returns whether a call begins with a literal or another call.
fn is_literal_call(inner: &str) -> bool {
    ["true", "false", "null", "True", "False", "None", ")"].iter().any(|word| inner.starts_with(word))
}

/// The length of the language after the marks of a code block, when JSON or the end of the line follows.
pub(super) fn language(text: &str) -> usize {
    let end = text
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+')))
        .unwrap_or(text.len());
    let after = text.get(end..).unwrap_or_default().trim_start_matches([' ', '\t', '\r']);
    if after.is_empty() || after.starts_with(['\n', '{', '[', '"']) { end } else { 0 }
}
