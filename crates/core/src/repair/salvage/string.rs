//! Texts in quotes: their end when their quotes are not escaped, and their content.

use super::MAX_REWINDS;
use super::look::{self, ahead, closes, is_space};
use super::reader::{Inside, Reader, Stop};
use crate::repair::RepairKind;
use serde_json::Value;

/// The role of a quote inside a text.
enum QuoteRole {
    /// The end of the text.
    Closing,
    /// Part of the text.
    Inner,
    /// The beginning of the next thing: the text already ended at this mark.
    Missed(Checkpoint),
}

/// A position in the text that is read and in the result.
#[derive(Clone, Copy)]
struct Checkpoint {
    at: usize,
    length: usize,
}

/// A text being read.
struct Draft {
    open: char,
    start: usize,
    out: String,
    /// Quotes in it so far that were not escaped.
    inner: usize,
    first_comma: Option<Checkpoint>,
    /// The last comma or line break that nothing but space has followed.
    border: Option<Checkpoint>,
    /// The character before.
    previous: char,
}

impl Reader<'_> {
    /// A text with the texts that are joined to it by `+`.
    pub(super) fn text_value(&mut self) -> Result<Value, Stop> {
        let mut text = self.text();
        loop {
            let before = self.at;
            let noted = self.notes.len();
            self.skip_space();
            let after = self.rest().strip_prefix('+').map(|_| look::trim(ahead(self.text, self.at + 1)));
            match after.and_then(|after| after.chars().next()) {
                Some(c) if look::is_quote(c) => {
                    self.note(RepairKind::Concatenation);
                    self.at += 1;
                    self.skip_space();
                    text.push_str(&self.text());
                }
                _ if after.is_some() => {
                    let c = '+';
                    self.stray(c);
                    return Ok(Value::String(text));
                }
                _ => {
                    // The caller skips the space, and notes its contents.
                    if self.notes.len() == noted {
                        self.at = before;
                    }
                    return Ok(Value::String(text));
                }
            }
        }
    }

    /// A text in quotes, or a key.
    pub(super) fn text(&mut self) -> String {
        let Some(open) = self.peek() else { return String::new() };
        if open != '"' {
            self.note(RepairKind::Quotes);
        }
        let start = self.at;
        let mut marks = self.repeated(open);
        self.at += open.len_utf8() * marks;
        if marks > 2 {
            self.note_at(RepairKind::RepeatedQuotes, start);
        }
        let mut draft = Draft {
            open,
            start,
            out: String::new(),
            inner: 0,
            first_comma: None,
            border: None,
            previous: open,
        };
        while let Some(c) = self.peek() {
            let mark = Checkpoint { at: self.at, length: draft.out.len() };
            if c == '\\' {
                self.escape(&mut draft.out);
                draft.border = None;
            } else if closes(open, c) && marks > 1 {
                let closing = self.rest().chars().take_while(|next| *next == c).count();
                if closing >= marks {
                    if marks == 2 {
                        self.note_at(RepairKind::RepeatedQuotes, start);
                    }
                    self.at += c.len_utf8() * marks;
                    return draft.out;
                }
                if marks == 2 {
                    if matches!(self.verdict(c, &draft), QuoteRole::Closing) {
                        // Only the opening quote is doubled.
                        self.note_at(RepairKind::RepeatedQuotes, start);
                        self.skip(c);
                        return draft.out;
                    }
                    // The second quote opens a quotation that ends here.
                    self.note_at(RepairKind::UnescapedQuote, start);
                    draft.out.insert(0, open);
                    draft.inner = 1;
                    marks = 1;
                    continue;
                }
                draft.out.push(c);
                self.skip(c);
            } else if closes(open, c) {
                match self.verdict(c, &draft) {
                    QuoteRole::Closing => {
                        self.skip(c);
                        return draft.out;
                    }
                    QuoteRole::Inner if self.is_doubled_end(c, &draft) => {
                        self.note(RepairKind::RepeatedQuotes);
                        self.at += c.len_utf8() * 2;
                        return draft.out;
                    }
                    QuoteRole::Inner => {
                        self.note(RepairKind::UnescapedQuote);
                        draft.inner += 1;
                        draft.border = None;
                        draft.out.push(c);
                        self.skip(c);
                    }
                    QuoteRole::Missed(mark) => return self.end_at(mark, draft),
                }
            } else {
                if c.is_control() && (c as u32) < 0x20 {
                    self.note(RepairKind::UnescapedControl);
                }
                if c == ',' {
                    draft.first_comma.get_or_insert(mark);
                    draft.border = Some(mark);
                } else if c == '\n' {
                    draft.border.get_or_insert(mark);
                } else if !is_space(c) {
                    draft.border = None;
                }
                draft.out.push(c);
                self.skip(c);
            }
            draft.previous = c;
        }
        self.unclosed(draft)
    }

    /// The number of quotes that open the text: two or three where they are repeated.
    fn repeated(&self, open: char) -> usize {
        let count = self.rest().chars().take_while(|c| *c == open).take(4).count();
        let next = self.rest().chars().nth(count);
        match count {
            3 if open != '`' => 3,
            2 if next.is_some_and(char::is_alphanumeric) => 2,
            _ => 1,
        }
    }

    /// Checks for a closing quote that is doubled. After a digit the first is the sign of inches, and one that closes a
    /// quotation is a part of the text.
    fn is_doubled_end(&self, c: char, draft: &Draft) -> bool {
        let after = self.rest().get(c.len_utf8()..).and_then(|rest| rest.strip_prefix(c));
        draft.inner.is_multiple_of(2)
            && !draft.previous.is_ascii_digit()
            && after.is_some_and(|after| {
                let after = look::trim(ahead(after, 0));
                match self.inside() {
                    Inside::Object => {
                        after.starts_with('}')
                            || after.strip_prefix(',').is_some_and(|rest| look::quoted_key(look::trim(rest)))
                    }
                    Inside::List | Inside::Tuple => after.starts_with([',', ']']),
                    Inside::Root | Inside::Key => false,
                }
            })
    }

    /// Ends a text before the position at which its quote was found missing.
    fn end_at(&mut self, mark: Checkpoint, mut draft: Draft) -> String {
        self.note_at(RepairKind::MissingQuote, mark.at);
        draft.out.truncate(mark.length);
        self.at = mark.at;
        draft.out
    }

    /// The role of a quote that may close the text, by its surroundings.
    fn verdict(&self, c: char, draft: &Draft) -> QuoteRole {
        let inside = self.inside();
        let ahead = ahead(self.text, self.at + c.len_utf8());
        let next = look::trim(ahead);
        let Some(first) = next.chars().next() else { return QuoteRole::Closing };
        if first == '+' {
            let joined = look::trim(next.get(1..).unwrap_or_default()).chars().next();
            if joined.is_none_or(look::is_quote) {
                return QuoteRole::Closing;
            }
        }
        if next.starts_with("```") {
            return QuoteRole::Closing;
        }
        match inside {
            Inside::Key => self.verdict_in_key(first, ahead, draft),
            Inside::Object => self.verdict_in_object(c, ahead, next, first, draft),
            Inside::List | Inside::Tuple => self.verdict_in_list(c, ahead, next, first, draft),
            Inside::Root => {
                let last = !ahead.contains(c);
                let closing = match first {
                    ',' => look::item_after_comma(next.get(1..).unwrap_or_default()),
                    ':' => true,
                    _ => last,
                };
                if closing { QuoteRole::Closing } else { QuoteRole::Inner }
            }
        }
    }

    fn verdict_in_key(&self, first: char, ahead: &str, draft: &Draft) -> QuoteRole {
        let trimmed = draft.out.trim_end();
        if trimmed.ends_with(':') && first != ':' {
            // `"key:"value"`: the colon is inside, so the closing quote is missing before it.
            let behind = draft.out.len() - trimmed.len() + 1;
            return QuoteRole::Missed(Checkpoint { at: self.at - behind, length: draft.out.len() - behind });
        }
        if matches!(first, ':' | ',' | '}' | ']' | '=') || look::is_quote(first) {
            return QuoteRole::Closing;
        }
        // Another quote with the colon after it is the closing one.
        let word = ahead.split(['\n', ',', '{', '}']).next().unwrap_or_default();
        let later = word.char_indices().any(|(at, c)| {
            closes(draft.open, c)
                && word.get(at + c.len_utf8()..).is_some_and(|after| after.trim_start().starts_with(':'))
        });
        if later { QuoteRole::Inner } else { QuoteRole::Closing }
    }

    /// Returns whether the quote that opens the next key is here, so that this text has ended before.
    fn missed(&self, draft: &Draft) -> Option<QuoteRole> {
        let is_key = look::quoted_key(self.ahead());
        if let Some(border) = draft.border {
            return is_key.then_some(QuoteRole::Missed(border));
        }
        // Without a comma before it, the whole member must be there.
        let here = Checkpoint { at: self.at, length: draft.out.len() };
        (is_key && draft.inner.is_multiple_of(2) && look::plain_member(self.ahead()))
            .then_some(QuoteRole::Missed(here))
    }

    fn verdict_in_object(&self, c: char, ahead: &str, next: &str, first: char, draft: &Draft) -> QuoteRole {
        let after_first = next.get(first.len_utf8()..).unwrap_or_default();
        let closing = match first {
            ',' => look::member_after_comma(after_first),
            '}' | ']' => !after_first.starts_with(c) && look::after_bracket(after_first, self.still_open()),
            _ if look::quoted_key(next) => true,
            _ => {
                let between = ahead.get(..ahead.len() - next.len()).unwrap_or_default();
                let line_ends = between.contains('\n');
                (line_ends && look::bare_key(next)) || self.is_before_stray(ahead, next, draft)
            }
        };
        if closing {
            return QuoteRole::Closing;
        }
        self.missed(draft).unwrap_or(QuoteRole::Inner)
    }

    /// The number of brackets that stay open when the innermost is closed.
    fn still_open(&self) -> usize {
        self.open.len().saturating_sub(1)
    }

    /// Returns whether words come between this quote and the next key or the end of the object.
    fn is_before_stray(&self, ahead: &str, next: &str, draft: &Draft) -> bool {
        if draft.inner % 2 == 1 || !self.looks_closing(ahead, draft) {
            return false;
        }
        let Some(end) = next.find(['"', ',', '}', '\n']) else { return false };
        let rest = next.get(end..).unwrap_or_default();
        match rest.chars().next() {
            Some('"') => look::quoted_key(rest),
            Some(',') => look::key(look::trim(rest.get(1..).unwrap_or_default())),
            Some('}') => {
                !next.starts_with(['{', '[']) && look::after_bracket(rest.get(1..).unwrap_or_default(), 0)
            }
            _ => false,
        }
    }

    /// Returns whether space follows a quote and none precedes it.
    fn looks_closing(&self, ahead: &str, draft: &Draft) -> bool {
        ahead.starts_with(is_space) && !is_space(draft.previous)
    }

    fn verdict_in_list(&self, c: char, ahead: &str, next: &str, first: char, draft: &Draft) -> QuoteRole {
        let after_first = next.get(first.len_utf8()..).unwrap_or_default();
        let pair_open = draft.inner % 2 == 1;
        let closing = match first {
            ',' => look::item_after_comma(after_first),
            ']' | '}' | ')' => {
                !after_first.starts_with(c)
                    && look::after_bracket(after_first, self.still_open())
                    && !(first == ')' && self.inside() != Inside::Tuple)
            }
            ':' => true,
            _ if pair_open => false,
            _ if look::is_quote(first) => {
                !after_first.trim_start_matches(is_space).starts_with([',', ']', '}'])
            }
            '{' | '[' => true,
            _ => self.looks_closing(ahead, draft),
        };
        if closing {
            return QuoteRole::Closing;
        }
        match draft.border {
            Some(border) if draft.inner == 0 => QuoteRole::Missed(border),
            _ => QuoteRole::Inner,
        }
    }

    /// The text ends without a closing quote: it was cut off, or, when brackets are at its end, only the quote is
    /// missing.
    fn unclosed(&mut self, mut draft: Draft) -> String {
        let inside = self.inside();
        let trimmed = self.text.trim_end_matches(|c| is_space(c) || c == '`');
        let body = trimmed.trim_end_matches(|c| is_space(c) || matches!(c, '}' | ']' | ','));
        let brackets =
            trimmed.get(body.len()..).unwrap_or_default().chars().filter(|c| matches!(c, '}' | ']')).count();
        let own = draft.out.chars().filter(|c| matches!(c, '{' | '[')).count();
        let is_cut = inside == Inside::Root || inside == Inside::Key || brackets == 0 || own > 0;
        if is_cut || self.rewinds >= MAX_REWINDS || body.len() <= draft.start {
            if trimmed.len() < self.text.len() && trimmed.len() > draft.start && self.text.ends_with("```") {
                // The mark that ends a code block does not belong to the text.
                let marks = self.text.len() - trimmed.len();
                draft.out.truncate(draft.out.len().saturating_sub(marks));
            }
            self.note_at(RepairKind::Truncated, draft.start);
            return draft.out;
        }
        self.rewinds += 1;
        match draft.first_comma {
            Some(comma) if inside == Inside::List && draft.inner == 0 => self.end_at(comma, draft),
            _ => {
                let behind = self.text.len() - body.len();
                let length = draft.out.len().saturating_sub(behind);
                self.end_at(Checkpoint { at: body.len(), length }, draft)
            }
        }
    }

    /// One escape.
    fn escape(&mut self, out: &mut String) {
        let start = self.at;
        self.at += 1;
        let Some(c) = self.peek() else {
            self.note_at(RepairKind::Truncated, start);
            return;
        };
        self.skip(c);
        match c {
            '"' | '\\' | '/' => out.push(c),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'u' => self.unicode(start, out),
            '\'' | '`' | '\n' => {
                self.note_at(RepairKind::BadEscape, start);
                out.push(c);
            }
            c => {
                self.note_at(RepairKind::BadEscape, start);
                out.extend(['\\', c]);
            }
        }
    }

    /// `\uXXXX`, of which `\u` has been read.
    fn unicode(&mut self, start: usize, out: &mut String) {
        let Some(unit) = self.hex() else {
            if self.rest().len() < 4 && self.rest().chars().all(|c| c.is_ascii_hexdigit()) {
                self.note_at(RepairKind::Truncated, start);
                self.at = self.text.len();
            } else {
                self.note_at(RepairKind::BadEscape, start);
                out.push_str("\\u");
            }
            return;
        };
        self.at += 4;
        let mut units = vec![unit];
        if (0xd800..0xdc00).contains(&unit)
            && let Some(after) = self.rest().strip_prefix("\\u")
            && let Some(low) = hex_of(after).filter(|low| (0xdc00..0xe000).contains(low))
        {
            self.at += 6;
            units.push(low);
        }
        for c in char::decode_utf16(units) {
            out.push(c.unwrap_or_else(|_| {
                self.note_at(RepairKind::BadCharacter, start);
                char::REPLACEMENT_CHARACTER
            }));
        }
    }

    fn hex(&self) -> Option<u16> {
        hex_of(self.rest())
    }
}

fn hex_of(text: &str) -> Option<u16> {
    text.get(..4)
        .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
        .and_then(|digits| u16::from_str_radix(digits, 16).ok())
}
