//! Where in a text the JSON is.

use super::Unsalvageable;
use super::choose::{Piece, SalvagedValues, Separator, choose};
use super::digits;
use super::keys::has_a_key_twice;
use super::look::{self, ahead, is_quote, is_space, only_space};
use super::reader::{Reader, Stop, language};
use crate::repair::RepairKind;
use crate::value::{MAX_CANDIDATE_DEPTH, is_deeper};
use serde::de::IgnoredAny;
use serde_json::Value;

/// How often a value is tried as strict JSON in vain, which costs the length of what is left of the text.
const MAX_STRICT_FAILURES: usize = 8;

impl Reader<'_> {
    /// Reads the whole text.
    pub(super) fn document(&mut self) -> Result<SalvagedValues, Stop> {
        self.skip_space();
        let pieces = if self.begins_here() && !self.is_prose_before_a_fence() {
            self.pieces(false, Separator::Nothing)?
        } else if self.is_quoted() {
            None
        } else {
            self.fenced_or_in_prose()?
        };
        let pieces = match pieces {
            Some(pieces) => pieces,
            None => self.scalars()?,
        };
        choose(pieces, self).ok_or(Stop::Refused(Unsalvageable::NoJson))
    }

    /// Whether what begins here is complete, goes over into words, and is followed by a code block with an object or
    /// list: `{thinking}. The answer:`, or a reference. What is in a code block is what was meant. Where the block says
    /// which language it is in, it does not end one, and there need be no words.
    fn is_prose_before_a_fence(&mut self) -> bool {
        let text = self.rest();
        let Some(mark) = text.find("```") else { return false };
        let before = text.get(..mark).unwrap_or_default();
        let Some(words) = after_whole_value(before).or_else(|| after_last_bracket(before)) else {
            return false;
        };
        let begins_line = words.trim_end_matches([' ', '\t']).ends_with('\n');
        let marks = text.get(mark..).map_or(0, |rest| rest.find(|c| c != '`').unwrap_or(rest.len()));
        let tag = text.get(mark + marks..).map_or(0, language);
        if !begins_line || (tag == 0 && !words.contains(char::is_alphabetic)) {
            return false;
        }
        let start = self.at;
        self.at += mark + marks + tag;
        let body = self.rest();
        self.at += body.len() - body.trim_start_matches(is_space).len();
        let holds_json = self.begins_here();
        self.at = start;
        holds_json
    }

    /// Whether the text is one in quotes, or begins with a key: what brackets it holds stand inside.
    fn is_quoted(&self) -> bool {
        let text = self.rest().trim_end_matches(is_space);
        let (Some(first), Some(last)) = (text.chars().next(), text.chars().next_back()) else { return false };
        is_quote(first) && (look::closes(first, last) || look::quoted_key(self.ahead()))
    }

    /// Whether an object or a list stands at this place, and not a bracket in prose.
    fn begins_here(&self) -> bool {
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

    /// The values in code blocks, or those in the text when no block holds any; `None` when there is none at all.
    fn fenced_or_in_prose(&mut self) -> Result<Option<Vec<Piece>>, Stop> {
        let start = self.at;
        if self.seek_fence() {
            return self.pieces(true, Separator::Nothing);
        }
        self.at = start;
        if !self.seek_bracket() {
            self.at = start;
            return Ok(None);
        }
        let mut after = Separator::Nothing;
        if !only_space(self.text.get(start..self.at).unwrap_or_default()) {
            self.note_at(RepairKind::Prose, start);
            after = Separator::Prose;
        }
        self.pieces(false, after)
    }

    /// Goes to the next JSON that a code block begins with.
    fn seek_fence(&mut self) -> bool {
        let start = self.at;
        while let Some(found) = self.rest().find("```") {
            let mark = self.at + found;
            self.at = mark
                + self.rest().get(found..).map_or(3, |rest| rest.find(|c| c != '`').unwrap_or(rest.len()));
            let after = self.at + language(self.rest());
            let body = self.text.get(after..).unwrap_or_default();
            let space = body.len() - body.trim_start_matches(is_space).len();
            let before = std::mem::replace(&mut self.at, after + space);
            if self.begins_here() {
                if !only_space(self.text.get(start..mark).unwrap_or_default().trim_matches('`')) {
                    self.note_at(RepairKind::Prose, start);
                }
                self.note_at(RepairKind::Fence, mark);
                return true;
            }
            self.at = before;
        }
        false
    }

    /// Goes to the next bracket that JSON begins with.
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

    /// The values from here on. Between them stands space, a comma, or text.
    fn pieces(&mut self, fenced: bool, mut after: Separator) -> Result<Option<Vec<Piece>>, Stop> {
        let mut pieces: Vec<Piece> = Vec::new();
        loop {
            let at = self.at;
            self.over_bracket_round_fence();
            if let Some(value) = self.strict_value() {
                pieces.push(Piece { value, at, after });
            } else if let Some(value) = self.value()? {
                pieces.push(Piece { value, at, after });
            }
            // Every closing bracket that is still there is one too many.
            let end = self.at;
            after = self.between();
            if self.peek().is_none() {
                return Ok(Some(pieces));
            }
            if !fenced && self.begins_here() {
                continue;
            }
            let start = self.at;
            if !(if fenced { self.seek_fence() } else { self.seek_bracket() }) {
                self.note_at(RepairKind::Prose, start.max(end));
                self.at = self.text.len();
                return Ok(Some(pieces));
            }
            if !fenced {
                self.note_at(RepairKind::Prose, start);
            }
            after = Separator::Prose;
        }
    }

    /// The list or object that begins here, if it is strict JSON: what is whole is never guessed at. After
    /// [`MAX_STRICT_FAILURES`] that are not, no other is tried.
    fn strict_value(&mut self) -> Option<Value> {
        if self.strict_failures >= MAX_STRICT_FAILURES || !self.rest().starts_with(['{', '[']) {
            return None;
        }
        let mut values = serde_json::Deserializer::from_str(self.rest()).into_iter::<Value>();
        let value = values.next().and_then(Result::ok).filter(|value| !is_deeper(value, MAX_CANDIDATE_DEPTH));
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
                Some(value)
            }
            None => {
                self.strict_failures += 1;
                None
            }
        }
    }

    /// `{` or `[` around a code block is left out.
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

    /// Goes over what is between two values, and says what it was.
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
    fn scalars(&mut self) -> Result<Vec<Piece>, Stop> {
        let refused = Err(Stop::Refused(Unsalvageable::NoJson));
        let mut pieces = Vec::new();
        let mut after = Separator::Nothing;
        let mut bare = false;
        loop {
            let at = self.at;
            let quoted = self.peek().is_some_and(is_quote);
            let Some(value) = self.value()? else { return refused };
            if quoted
                && let Value::String(key) = &value
                && self.rest().trim_start_matches(is_space).starts_with(':')
            {
                // Members without the brackets around them.
                self.note_at(RepairKind::MissingBracket, at);
                self.skip_space();
                self.at += 1;
                let members = self.members_after(key.clone())?;
                pieces.push(Piece { value: Value::Object(members), at, after });
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
                pieces.push(Piece { value, at, after });
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

/// What stands behind a value of strict JSON with which a text begins. Quotes there are none of its own.
fn after_whole_value(text: &str) -> Option<&str> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    text.get(values.byte_offset()..).filter(|after| !look::members_go_on(ahead(after, 0), true))
}

/// What stands behind the last bracket, where each has its end. In a text of JSON that holds a code block, a bracket or a
/// quote is open.
fn after_last_bracket(text: &str) -> Option<&str> {
    let count = |brackets: [char; 2]| text.matches(brackets).count();
    let after = text.rsplit(['}', ']']).next().unwrap_or_default();
    (count(['{', '[']) == count(['}', ']']) && !after.contains(['"', '\''])).then_some(after)
}

/// Whether members without quotes begin here: `a b: 1`.
fn unquoted_member(inner: &str) -> bool {
    let line = inner.split(['\n', '{', '}', ',', '.']).next().unwrap_or_default();
    line.split_once(':').is_some_and(|(key, _)| key.split_whitespace().count() <= 3 && !key.contains("//"))
        || inner.split_whitespace().nth(1).is_some_and(|second| second.starts_with(['"', '\'', '“']))
}

/// Whether a list of words without quotes begins here, and no link or note in prose.
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
