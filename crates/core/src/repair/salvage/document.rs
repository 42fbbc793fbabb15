//! The search for the JSON in a text.

use super::Unsalvageable;
use super::choose::{ChosenValue, SeparateValue, Separator, choose};
use super::digits;
use super::keys::has_a_key_twice;
use super::look::{self, ahead, is_quote, is_space, only_space};
use super::notes::{Note, Notes};
use super::reader::{Reader, Stop, language};
use crate::repair::RepairKind;
use crate::value::{MAX_CANDIDATE_DEPTH, is_deeper};
use serde_json::Value;

/// Most failed attempts to read a value as strict JSON, each of which costs the length of the remaining text.
const MAX_STRICT_FAILURES: usize = 32;
/// Most failed readings from a bracket in the prose, and the most brackets after it that are inspected.
const MAX_LOOKS: usize = 32;

/// The outcome of reading a value as strict JSON.
enum Strict {
    Whole(Value),
    /// It is strict JSON as far as the text goes.
    Cut,
    Not,
}

impl Reader<'_> {
    /// Reads the whole text.
    pub(super) fn document(&mut self) -> Result<ChosenValue, Stop> {
        self.skip_space();
        let start = self.at;
        let quoted = !self.begins_here() && self.is_quoted();
        let mut pieces = if quoted { Vec::new() } else { self.pieces()? };
        if pieces.is_empty() {
            self.at = start;
            pieces = self.scalars()?;
        }
        choose(pieces, &mut self.notes).ok_or(Stop::Refused(Unsalvageable::NoJson))
    }

    /// Returns whether the text is one in quotes, or begins with a key: then all of its brackets are inside.
    fn is_quoted(&self) -> bool {
        let text = self.rest().trim_end_matches(is_space);
        let (Some(first), Some(last)) = (text.chars().next(), text.chars().next_back()) else { return false };
        // Code within a line is not text.
        let is_code = first == '`' && text.get(1..).is_some_and(|code| code.starts_with(['{', '[']));
        is_quote(first) && !is_code && (look::closes(first, last) || look::quoted_key(self.ahead()))
    }

    /// Returns whether an object or a list begins at this position, and not a bracket in prose.
    pub(super) fn begins_here(&self) -> bool {
        let text = self.ahead();
        let mut chars = text.chars();
        let bracket = chars.next();
        let inner = look::trim(chars.as_str());
        match (bracket, inner.chars().next()) {
            (Some('{'), first) => {
                first.is_none_or(|c| {
                    is_quote(c)
                        || matches!(c, '}' | ']' | '\\' | ',' | ':' | '{' | '.' | '…' | '`' | '0'..='9')
                }) || look::bare_key(inner)
                    || (self.at == 0 && !inner.contains(' '))
                    || unquoted_member(inner)
            }
            (Some('['), first) => {
                first.is_none_or(|c| {
                    is_quote(c)
                        || matches!(
                            c,
                            ']' | '[' | '{' | '}' | '\\' | '-' | '.' | '…' | '`' | '(' | ',' | '0'..='9'
                        )
                }) || is_list_of_words(inner)
            }
            (Some('('), first) => {
                self.only_comments_before()
                    && first
                        .is_some_and(|c| is_quote(c) || matches!(c, '(' | '[' | '{' | '-' | '0'..='9' | ')'))
            }
            _ => false,
        }
    }

    fn only_comments_before(&self) -> bool {
        look::only_space(self.text.get(..self.at).unwrap_or_default())
    }

    /// Advances to the next bracket that JSON begins with.
    fn seek_bracket(&mut self) -> bool {
        while let Some(found) = self.rest().find(['{', '[']) {
            self.at += found;
            if self.begins_here() {
                return true;
            }
            self.at += 1;
        }
        false
    }

    /// The values from here on, in code blocks and outside of them. Between them is space, a comma, or text.
    fn pieces(&mut self) -> Result<Vec<SeparateValue>, Stop> {
        let mut pieces: Vec<SeparateValue> = Vec::new();
        let mut separator = Separator::Nothing;
        let mut from = self.at;
        while self.begins_here() || self.seek_bracket() {
            let at = self.at;
            let fence = self.fence_before(at);
            let block = fence.filter(|mark| *mark >= from);
            let between = self.text.get(from..block.unwrap_or(at)).unwrap_or_default().trim_matches('`');
            let is_prose = !only_space(between);
            let turn = self.notes.turn();
            let after = if is_prose || block.is_some() { Separator::Prose } else { separator };
            let alone = pieces.is_empty() && !is_prose;
            let Some((value, notes)) = self.read_value(alone, pieces.is_empty())? else {
                self.at = at + 1;
                continue;
            };
            if is_prose {
                self.notes.add_in_turn(RepairKind::Prose, Some(from), turn);
            }
            if let Some(mark) = block {
                self.notes.add_in_turn(RepairKind::Fence, Some(mark), turn);
            }
            pieces.push(SeparateValue { value, at, after, fenced: fence.is_some(), notes, turn });
            // Every closing bracket that is still there is superfluous.
            separator = self.between();
            from = self.at;
        }
        if !pieces.is_empty() && from < self.text.len() {
            self.note_at(RepairKind::Prose, from);
        }
        self.at = self.text.len();
        Ok(pieces)
    }

    /// Finds the marks of the code block that begins at a position.
    fn fence_before(&self, at: usize) -> Option<usize> {
        let mut before = self.text.get(..at)?;
        loop {
            let trimmed = before.trim_end_matches(is_space);
            let shorter = ["\\n", "\\r", "\\t"].iter().find_map(|escape| trimmed.strip_suffix(escape));
            before = shorter.unwrap_or(trimmed);
            if shorter.is_none() {
                break;
            }
        }
        let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+');
        let marks = before.trim_end_matches(word);
        marks.ends_with("```").then(|| marks.trim_end_matches('`').len())
    }

    /// The value that begins here and the damage found in it; `None` for a bracket in prose. `alone` says that no words
    /// and no value precede it, `first` that no value does.
    fn read_value(&mut self, alone: bool, first: bool) -> Result<Option<(Value, Vec<Note>)>, Stop> {
        if !alone && self.is_quoted_bracket(self.at) {
            return Ok(None);
        }
        let outside = self.notes.take();
        let rewinds = self.rewinds;
        self.over_bracket_round_fence();
        let start = self.at;
        let (value, guessed) = match self.strict_value() {
            Strict::Whole(value) => (Some(value), None),
            Strict::Cut => (self.value()?, Some(true)),
            Strict::Not => (self.value()?, Some(false)),
        };
        let notes = self.notes.replace(outside);
        let is_prose = |is_cut| self.is_prose(start, alone, first, is_cut);
        match value {
            Some(value) if !guessed.is_some_and(is_prose) => Ok(Some((value, notes))),
            _ => {
                self.rewinds = rewinds;
                Ok(None)
            }
        }
    }

    /// Checks whether the bracket at `start`, from which a value was made out up to here, is only part of the prose: no
    /// value begins with it and one begins after it, or it has no end and a value follows that is not part of what it
    /// could open. A text that is JSON as far as it goes was cut.
    fn is_prose(&mut self, start: usize, alone: bool, first: bool, is_cut: bool) -> bool {
        let text = ahead(self.text, start);
        if is_cut {
            return false;
        }
        let is_weak = !alone && !look::begins_value(text);
        let read = self.text.get(start..self.at).unwrap_or_default();
        let is_closed = match read.chars().next() {
            Some('{') => read.ends_with('}'),
            Some('[') => read.ends_with(']'),
            _ => true,
        };
        if is_closed && !is_weak {
            return false;
        }
        let mut from = 1;
        while self.looks < MAX_LOOKS
            && let Some(found) = read.get(from..).and_then(|rest| rest.find(['{', '[']))
        {
            let at = start + from + found;
            from += found + 1;
            if (is_weak || self.stands_apart(at)) && look::begins_value(ahead(self.text, at)) {
                self.looks += 1;
                if self.is_whole(at) {
                    return true;
                }
            }
        }
        if is_weak && !is_closed && !first && self.looks < MAX_LOOKS {
            self.looks += 1;
            return true;
        }
        false
    }

    /// Checks for a bracket alone in quotes: `"["`.
    fn is_quoted_bracket(&self, at: usize) -> bool {
        let before = self.text.get(..at).and_then(|text| text.chars().next_back());
        let mut after = self.text.get(at + 1..).unwrap_or_default().chars();
        let is_end = |c: char| is_space(c) || c.is_ascii_punctuation();
        match (before, after.next()) {
            (Some(before), Some(next)) => {
                is_quote(before) && look::closes(before, next) && after.next().is_none_or(is_end)
            }
            // An emoticon, as far as one can tell.
            (Some(before), None) => !is_space(before),
            _ => false,
        }
    }

    /// Checks that the text before a position is nothing that a part of a list or object follows.
    fn stands_apart(&self, at: usize) -> bool {
        let before = self.text.get(..at).unwrap_or_default().trim_end_matches(is_space);
        !before.ends_with(['{', '[', '(', ',', ':', '=', '`'])
    }

    /// Checks that a value begins at a position and has its end.
    fn is_whole(&self, at: usize) -> bool {
        let rest = self.text.get(at..).unwrap_or_default();
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<serde::de::IgnoredAny>();
        if values.next().is_some_and(|value| value.is_ok()) {
            return true;
        }
        let mut reader = Reader::new(self.text, Notes::default());
        (reader.at, reader.unescaped) = (at, self.unescaped);
        let is_value = matches!(reader.value(), Ok(Some(Value::Object(_) | Value::Array(_))));
        is_value && !reader.notes.has(RepairKind::Truncated)
    }

    /// The list or object that begins here, if it is strict JSON: a whole value is never guessed at. After
    /// [`MAX_STRICT_FAILURES`] that are not, no other is tried.
    fn strict_value(&mut self) -> Strict {
        if self.strict_failures >= MAX_STRICT_FAILURES || !self.rest().starts_with(['{', '[']) {
            return Strict::Not;
        }
        let mut values = serde_json::Deserializer::from_str(self.rest()).into_iter::<Value>();
        let value = values.next();
        let is_cut = matches!(&value, Some(Err(error)) if error.is_eof());
        let value = value.and_then(Result::ok).filter(|value| !is_deeper(value, MAX_CANDIDATE_DEPTH));
        let end = self.at + values.byte_offset();
        // Members after the end of their object belong to it.
        match value.filter(|_| !look::members_go_on(ahead(self.text, end), true)) {
            Some(value) => {
                let strict = self.text.get(self.at..end).unwrap_or_default();
                for at in digits::lost(strict) {
                    self.note_at(RepairKind::LostDigits, self.at + at);
                }
                if has_a_key_twice(strict.as_bytes()) {
                    self.note(RepairKind::DuplicateKey);
                }
                self.at = end;
                Strict::Whole(value)
            }
            None => {
                self.strict_failures += 1;
                if is_cut { Strict::Cut } else { Strict::Not }
            }
        }
    }

    /// Leaves out a `{` or `[` around a code block.
    fn over_bracket_round_fence(&mut self) {
        let rest = self.rest();
        if let Some(inner) = rest.strip_prefix(['{', '[']).map(|inner| inner.trim_start_matches(is_space))
            && let Some(marks) = inner.strip_prefix("```")
        {
            let body = marks.get(language(marks)..).unwrap_or_default().trim_start_matches(is_space);
            if body.starts_with(['{', '[']) {
                self.note(RepairKind::ExtraBracket);
                self.note(RepairKind::Fence);
                self.at = self.text.len() - body.len();
            }
        }
    }

    /// Skips the text between two values, and returns the kind of separator.
    fn between(&mut self) -> Separator {
        let mut separator = Separator::Nothing;
        loop {
            let start = self.at;
            self.skip_space();
            if self.text.get(start..self.at).is_some_and(|space| space.contains('\n')) {
                separator = Separator::List;
            }
            match self.peek() {
                Some(',') => {
                    separator = Separator::List;
                    if look::trim(ahead(self.text, self.at + 1)).is_empty() {
                        self.note(RepairKind::TrailingComma);
                    }
                    self.at += 1;
                }
                Some(c @ ('}' | ']' | ')')) => {
                    self.note(RepairKind::ExtraBracket);
                    self.skip(c);
                }
                Some(';') => self.at += 1,
                _ => return separator,
            }
        }
    }

    /// A text without lists and objects: one value, or several with commas between. Prose is refused.
    fn scalars(&mut self) -> Result<Vec<SeparateValue>, Stop> {
        let refused = Err(Stop::Refused(Unsalvageable::NoJson));
        let mut pieces = Vec::new();
        let mut after = Separator::Nothing;
        let mut bare = false;
        let piece =
            |value, at, after| SeparateValue { value, at, after, fenced: false, notes: Vec::new(), turn: 0 };
        loop {
            let at = self.at;
            let quoted = self.peek().is_some_and(is_quote);
            let Some(value) = self.value()? else { return refused };
            if quoted
                && let Value::String(key) = &value
                && self.rest().trim_start_matches(is_space).starts_with(':')
            {
                // Members that lack the brackets around them.
                self.note_at(RepairKind::MissingBracket, at);
                self.skip_space();
                self.at += 1;
                let members = self.members_after(key.clone())?;
                pieces.push(piece(Value::Object(members), at, after));
            } else {
                let token = self.text.get(at..self.at).unwrap_or_default();
                if !token.contains(|c: char| c.is_alphanumeric() || matches!(c, '(' | '/')) {
                    return refused;
                }
                if let (false, Value::String(text)) = (quoted, &value) {
                    if text.contains(is_space) {
                        return refused;
                    }
                    bare = true;
                }
                pieces.push(piece(value, at, after));
            }
            after = self.between();
            match self.peek() {
                None => break,
                Some(_) if after == Separator::List => {}
                Some(_) => return refused,
            }
        }
        // Words without quotes are one word, or prose.
        if bare && pieces.len() > 1 { refused } else { Ok(pieces) }
    }
}

/// Returns whether members without quotes begin here: `a b: 1`.
fn unquoted_member(inner: &str) -> bool {
    let line = inner.split(['\n', '{', '}', ',', '.']).next().unwrap_or_default();
    line.split_once(':').is_some_and(|(key, _)| key.split_whitespace().count() <= 3 && !key.contains("//"))
        || inner.split_whitespace().nth(1).is_some_and(|second| second.starts_with(['"', '\'', '“']))
}

/// Returns whether a list of words without quotes begins here, and no link or note in prose.
fn is_list_of_words(inner: &str) -> bool {
    let Some((body, after)) = inner.split_once(']') else { return true };
    !after.starts_with('(')
        && (body.contains([',', '\n', '"'])
            || matches!(
                body.trim(),
                "true" | "false" | "null" | "True" | "False" | "None" | "NaN" | "undefined"
            )
            || after.trim_start_matches(is_space).chars().next().is_none_or(|c| matches!(c, ',' | ';' | ')')))
}
