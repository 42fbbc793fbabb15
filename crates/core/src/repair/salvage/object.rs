//! Objects: their members, keys and ends.

use super::look::{self, ahead, is_quote};
use super::reader::{Inside, Reader, Stop};
use crate::repair::RepairKind;
use serde_json::{Map, Value};

impl Reader<'_> {
    /// The members of an object without its brackets, the first of whose keys and colon have been read.
    pub(super) fn members_after(&mut self, key: String) -> Result<Map<String, Value>, Stop> {
        self.enter(Inside::Object)?;
        let mut members = Map::new();
        let first = self.value()?.unwrap_or_else(|| {
            self.note(RepairKind::MissingValue);
            Value::Null
        });
        members.insert(key, first);
        loop {
            self.skip_space();
            let after_comma =
                self.rest().strip_prefix(',').map(|_| look::trim(ahead(self.text, self.at + 1)));
            if !after_comma.is_some_and(look::quoted_key) {
                break;
            }
            self.at += 1;
            self.skip_space();
            self.member(&mut members, &mut Vec::new(), true)?;
        }
        self.open.pop();
        Ok(members)
    }

    pub(super) fn object(&mut self) -> Result<Value, Stop> {
        self.enter(Inside::Object)?;
        let start = self.at;
        self.at += 1;
        let mut members = Map::new();
        // Values without keys: `{1, 2}`.
        let mut set = Vec::new();
        self.members(&mut members, &mut set)?;
        self.open.pop();
        if set.is_empty() {
            return Ok(Value::Object(members));
        }
        self.note_at(RepairKind::Tuple, start);
        if members.is_empty() {
            return Ok(Value::Array(set));
        }
        // Some have keys, some don't: those that don't are keys without values, if they can be.
        for value in set {
            if let Value::String(key) = value {
                members.entry(key).or_insert(Value::Null);
            }
        }
        Ok(Value::Object(members))
    }

    fn members(&mut self, members: &mut Map<String, Value>, set: &mut Vec<Value>) -> Result<(), Stop> {
        let mut pending: Option<usize> = None;
        loop {
            self.skip_space();
            let Some(c) = self.peek().filter(|_| !self.ends_with_its_fence()) else {
                self.note_end();
                return Ok(());
            };
            let is_empty = members.is_empty() && set.is_empty();
            match c {
                ',' => {
                    if is_empty || pending.is_some() {
                        self.note(RepairKind::ExtraComma);
                    }
                    pending = Some(self.at);
                    self.at += 1;
                    continue;
                }
                '}' => {
                    if let Some(at) = pending {
                        self.note_at(RepairKind::TrailingComma, at);
                    }
                    self.at += 1;
                    if !self.goes_on() {
                        return Ok(());
                    }
                    self.note(RepairKind::Reunited);
                    pending = None;
                    continue;
                }
                ']' | ')' => {
                    if let Some(at) = pending {
                        self.note_at(RepairKind::TrailingComma, at);
                    }
                    if self.is_slip(c) {
                        self.note(RepairKind::WrongBracket);
                        self.at += 1;
                    } else {
                        self.note(RepairKind::MissingBracket);
                    }
                    return Ok(());
                }
                '{' if !is_empty => {
                    // The next object of a list, and this one lacks its end.
                    self.note(RepairKind::MissingBracket);
                    return Ok(());
                }
                '{' => {
                    self.note(RepairKind::ExtraBracket);
                    if let Value::Object(inner) = self.object()? {
                        members.extend(inner);
                    }
                    continue;
                }
                '[' => {
                    let list = self.list()?;
                    self.note(RepairKind::Reunited);
                    match (members.values_mut().next_back(), list) {
                        (Some(Value::Array(items)), Value::Array(more)) => items.extend(more),
                        (_, list) => set.push(list),
                    }
                    pending = None;
                    continue;
                }
                ':' => {
                    self.stray(c);
                    continue;
                }
                _ => {}
            }
            let after_comma = is_empty || pending.is_some();
            pending = None;
            self.member(members, set, after_comma)?;
        }
    }

    /// Returns whether the members of an object continue after its closing bracket.
    fn goes_on(&self) -> bool {
        let outer = self.open.split_last().and_then(|(_, outer)| outer.last());
        outer != Some(&Inside::Object) && look::members_go_on(self.ahead(), outer.is_none())
    }

    /// One member. `expected` says that a comma or the opening bracket came before it.
    fn member(
        &mut self,
        members: &mut Map<String, Value>,
        set: &mut Vec<Value>,
        expected: bool,
    ) -> Result<(), Stop> {
        let start = self.at;
        let Some((key, cut)) = self.key(expected, members.is_empty())? else { return Ok(()) };
        if !expected {
            self.note_at(RepairKind::MissingComma, start);
        }
        self.skip_space();
        let rest = self.rest();
        match self.peek() {
            Some(':') => self.at += 1,
            Some('=') => {
                self.note(RepairKind::MissingColon);
                self.at += if rest.starts_with("=>") { 2 } else { 1 };
            }
            Some(',' | '}') if members.is_empty() => {
                let quoted =
                    self.text.get(start..).and_then(|text| text.chars().next()).is_some_and(is_quote);
                set.push(if quoted { Value::String(key) } else { self.word(&key, start) });
                return Ok(());
            }
            None if cut && key.is_empty() => return Ok(()),
            Some(',' | '}' | ']' | ')') => {}
            Some(_) => self.note(RepairKind::MissingColon),
            None => {}
        }
        self.wants_value = true;
        let value = self.value()?;
        self.wants_value = false;
        if value.is_none() {
            if self.peek().is_none() && cut && members.contains_key(&key) {
                return Ok(());
            }
            let is_cut = self.ends_with_its_fence();
            self.note(if is_cut { RepairKind::Truncated } else { RepairKind::MissingValue });
        }
        let value = value.unwrap_or(Value::Null);
        match members.get_mut(&key) {
            Some(known) => {
                self.note_at(RepairKind::DuplicateKey, start);
                *known = value;
            }
            None => {
                members.insert(key, value);
            }
        }
        Ok(())
    }

    /// The key that begins here, and whether the text ends in it; `None` for text that is none, which is left out.
    fn key(&mut self, expected: bool, first: bool) -> Result<Option<(String, bool)>, Stop> {
        let Some(c) = self.peek() else { return Ok(None) };
        if c == '\\' && !self.unescaped && self.rest().starts_with("\\\"") {
            return Err(Stop::Escaped(self.at));
        }
        if is_quote(c) {
            self.open.push(Inside::Key);
            let key = self.text();
            self.open.pop();
            return Ok(Some((key, self.at >= self.text.len())));
        }
        let start = self.at;
        let rest = self.rest();
        let length = rest
            .find(|c: char| matches!(c, ':' | ',' | '{' | '}' | '[' | ']' | '\n' | '=') || is_quote(c))
            .unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        let after = rest.get(length..).unwrap_or_default();
        self.at += length;
        let mut end = after.chars().next();
        if end.is_some_and(is_quote) {
            let behind = after.get(end.map_or(0, char::len_utf8)..).unwrap_or_default();
            let closing = behind.trim_start_matches([' ', '\t']).starts_with(':');
            if closing && !word.ends_with(' ') {
                // `b": 1`: a key that lacks its first quote.
                self.at += end.map_or(0, char::len_utf8);
                end = Some(':');
            } else if look::quoted_key(ahead(after, 0)) || word.trim().is_empty() {
                // A stray word before the key.
                self.note_at(RepairKind::Stray, start);
                return Ok(None);
            }
        }
        let is_key = match end {
            Some(':' | '=') => true,
            Some('\n') => look::trim(ahead(after, 0)).starts_with(':'),
            Some(',' | '}') => expected && first,
            Some(_) => expected,
            None => expected && first,
        };
        if !is_key || word.trim().is_empty() {
            if word.is_empty()
                && let Some(c) = end
            {
                self.skip(c);
            }
            self.note_at(RepairKind::Stray, start);
            return Ok(None);
        }
        self.note_at(RepairKind::UnquotedKey, start);
        Ok(Some((word.trim().to_owned(), end.is_none())))
    }
}
