//! Values without quotes: literals, numbers, text.

use super::digits;
use super::look::{self, ahead, is_quote, is_space};
use super::reader::{Inside, Reader};
use crate::repair::RepairKind;
use serde_json::{Number, Value};

impl Reader<'_> {
    /// A value without quotes. At least one character is read.
    pub(super) fn bare_value(&mut self) -> Value {
        let start = self.at;
        let rest = self.rest();
        let token_end = rest
            .find(|c: char| {
                is_space(c) || matches!(c, ',' | '}' | ']' | ')' | '{' | '[' | '\\') || is_quote(c)
            })
            .unwrap_or(rest.len());
        let token = rest.get(..token_end).unwrap_or_default();
        let mut read = 0;
        if is_numeric(token) && self.ends_after(start + token_end) {
            read = token_end + self.further_digits(start + token_end);
            if read == token_end {
                self.at += token_end;
                return self.number(token, start);
            }
        }
        let end = match self.inside() {
            Inside::Object | Inside::Key => self.text_in_object(read),
            Inside::List | Inside::Tuple => self.text_in_list(),
            Inside::Root => rest.find([',', '\n', ';']).unwrap_or(rest.len()),
        };
        let length = if end == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { end };
        let text = rest.get(..length).unwrap_or_default();
        self.at += length;
        self.word(text.trim_end_matches(is_space), start)
    }

    /// The value of a text without quotes.
    pub(super) fn word(&mut self, text: &str, start: usize) -> Value {
        if let Some(value) = literal(text) {
            match text {
                "true" | "false" | "null" => {}
                "NaN" | "nan" | "NAN" | "Infinity" | "-Infinity" | "+Infinity" | "inf" | "-inf" => {
                    self.note_at(RepairKind::NotANumber, start);
                }
                _ => self.note_at(RepairKind::Literal, start),
            }
            return value;
        }
        if is_numeric(text) {
            return self.number(text, start);
        }
        let are_digits = text.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '.' | '+' | '-' | ' '));
        self.note_at(if are_digits { RepairKind::NumberAsText } else { RepairKind::UnquotedText }, start);
        // `text"` lacks its first quote.
        let inner = text.strip_suffix('"').filter(|inner| !inner.contains('"')).unwrap_or(text);
        Value::String(inner.to_owned())
    }

    /// Returns whether a number that ends at a position is all of the value, and not the beginning of `5 mg`.
    fn ends_after(&self, at: usize) -> bool {
        let after = look::trim(ahead(self.text, at));
        let line = ahead(self.text, at).trim_start_matches([' ', '\t', '\r']);
        match after.chars().next() {
            None | Some(',' | '}' | ']' | ')' | ':') => true,
            _ if line.starts_with(['\n', '/', '#', '\\'])
                || line.starts_with("--")
                || line.starts_with("<!--") =>
            {
                true
            }
            Some(c) if is_quote(c) || matches!(c, '{' | '[') => self.inside() != Inside::Root,
            Some(c) => self.inside() == Inside::List && (c.is_ascii_digit() || c == '-'),
        }
    }

    /// The length of a text without quotes in a list.
    fn text_in_list(&self) -> usize {
        let tuple = self.inside() == Inside::Tuple;
        let rest = self.rest();
        let mut depth = 0_usize;
        let mut previous = ' ';
        for (at, c) in rest.char_indices() {
            match c {
                '{' | '(' | '[' if at > 0 => depth += 1,
                ')' if depth == 0 && tuple => return at,
                '}' | ')' | ']' if depth > 0 => depth -= 1,
                ']' | '}' => return at,
                ',' | '\n' if depth == 0 => return at,
                '"' if previous == ' ' || previous == '"' => return at,
                '/' if is_space(previous) && is_comment(rest, at) => return at,
                _ => {}
            }
            previous = c;
        }
        rest.len()
    }

    /// The length of further digits that follow a member's number after a comma, and are not a key: whether the comma of
    /// `1,500` separates thousands or a fraction is unknown.
    fn further_digits(&self, at: usize) -> usize {
        let mut length = 0;
        while let (Inside::Object, Some(more)) =
            (self.inside(), digits_after_comma(ahead(self.text, at + length)))
        {
            length += more;
        }
        length
    }

    /// The length of a text without quotes that is a member's value: to the next member or the end of the object. Of
    /// its first bytes, `read` have been read already.
    fn text_in_object(&self, read: usize) -> usize {
        let rest = self.rest();
        if read > 0 && look::key(look::trim(ahead(rest, read))) {
            return read;
        }
        let mut depth = 0_usize;
        let mut previous = ' ';
        for (at, c) in rest.char_indices().skip_while(|(at, _)| *at < read) {
            let after = || ahead(rest, at + c.len_utf8());
            match c {
                '{' | '(' | '[' if at > 0 => depth += 1,
                '}' | ')' | ']' if depth > 0 => depth -= 1,
                '}' | ']' => return at,
                ',' if depth == 0 && look::member_after_comma(after()) => return at,
                '\n' => {
                    let next = look::trim(after());
                    if look::key(next)
                        || next.is_empty()
                        || next.starts_with(['}', ']', '`'])
                        || (next.starts_with('{') && look::begins_value(next))
                    {
                        return at;
                    }
                }
                '\\' if look::escaped_space(ahead(rest, at)).is_some() => {
                    let next = look::trim(ahead(rest, at));
                    if look::key(next) || next.starts_with(['}', ']', ',']) {
                        return at;
                    }
                }
                '"' if look::quoted_key(ahead(rest, at)) => return at,
                '/' if is_space(previous) && is_comment(rest, at) => return at,
                _ => {}
            }
            previous = c;
        }
        rest.len()
    }

    /// A number as models write it; text where JSON has no number for it.
    fn number(&mut self, token: &str, start: usize) -> Value {
        if digits::survive(token)
            && let Ok(number) = token.parse::<Number>()
        {
            return Value::Number(number);
        }
        let plain: String = token.chars().filter(|c| *c != '_').collect();
        let digits = plain.trim_start_matches(['+', '-']);
        let sign = if plain.starts_with('-') { "-" } else { "" };
        let leading_zero = digits.len() > 1
            && digits.starts_with('0')
            && digits.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
        if !leading_zero {
            let whole = digits.trim_end_matches(['+', '-']).trim_end_matches(['e', 'E']);
            let cut = whole.len() < digits.len() || whole.ends_with('.') || whole.is_empty();
            let body = whole.strip_suffix('.').map_or_else(|| whole.to_owned(), |body| format!("{body}.0"));
            let body = if body.starts_with('.') { format!("0{body}") } else { body };
            if body.is_empty() || whole == "." {
                self.note_at(RepairKind::CutNumber, start);
                return Value::Null;
            }
            let written = format!("{sign}{body}");
            if digits::survive(&written)
                && let Ok(number) = written.parse::<Number>()
            {
                self.note_at(if cut { RepairKind::CutNumber } else { RepairKind::NumberForm }, start);
                return Value::Number(number);
            }
        }
        self.note_at(RepairKind::NumberAsText, start);
        Value::String(token.to_owned())
    }
}

/// The length of a comma with the digits after it, unless they begin a key.
fn digits_after_comma(text: &str) -> Option<usize> {
    let word = text.strip_prefix(',')?.trim_start_matches([' ', '\t']);
    let digits = word.trim_start_matches(['-', '+', '.']);
    let after = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    if after.len() == digits.len() || word.len() > digits.len() + 2 {
        return None;
    }
    // A key extends as far as the reader of keys takes it.
    let end = after.find([':', ',', '{', '}', '[', ']', '\n', '=', '"', '\'']).unwrap_or(after.len());
    let stop = after.get(end..).unwrap_or_default();
    let quoted = stop.strip_prefix(['"', '\'']).map(|rest| rest.trim_start_matches([' ', '\t']));
    let is_key = quoted.unwrap_or(stop).starts_with([':', '='])
        || (stop.starts_with('\n') && look::trim(stop).starts_with(':'));
    (!is_key).then_some(text.len() - after.len())
}

fn is_comment(text: &str, at: usize) -> bool {
    text.get(at + 1..).is_some_and(|rest| rest.starts_with(['/', '*']))
}

/// Returns whether a text consists of characters of numbers, and is at least the beginning of one.
fn is_numeric(text: &str) -> bool {
    let digits = text.trim_start_matches(['+', '-']);
    text.len() <= digits.len() + 1
        && !(digits.starts_with(['e', 'E', '_']) || digits.ends_with('_'))
        && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E' | '_'))
        && !text.is_empty()
}

/// The literals of JSON, Python and JavaScript.
fn literal(text: &str) -> Option<Value> {
    Some(match text {
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        "null" | "Null" | "NULL" | "None" | "none" | "NONE" | "nil" | "undefined" | "Undefined" | "NaN"
        | "nan" | "NAN" | "Infinity" | "-Infinity" | "+Infinity" | "inf" | "-inf" => Value::Null,
        _ => return None,
    })
}
