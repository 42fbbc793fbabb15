//! Cutting text into tokens: words, numbers and the few signs that change what a number means.

use super::fold::{Class, Hash, class, fold_char, fold_str};
use super::number::unit_of_word;
use super::words::{Listed, listed_as, listing};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// Letters, possibly with digits: `G12`, `pT3`, `4R`, `2+`.
    Word,
    /// Digits with decimal or thousands separators; a percent sign beside it belongs to it.
    Number,
    /// Comparison and other signs.
    Symbol,
}

/// One token: where it is and what it hashes to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    /// First byte in the text.
    pub(super) start: u32,
    /// Byte after the last.
    pub(super) end: u32,
    /// Words and symbols: hash of the folded text. Numbers: hash of the significant digits, so that all
    /// powers of ten of one number (0.3 cm, 3 mm) meet.
    pub(super) hash: u32,
    /// What it is.
    pub(super) kind: TokenKind,
    /// A number written with a percent sign.
    pub(super) percent: bool,
    /// A word whose end is hyphenated over a line break.
    pub(super) broken: bool,
    /// What the lists say of a word, by number.
    pub(super) listing: u8,
}

impl Token {
    /// What the lists say of it: nothing but for words.
    pub(super) fn listed(self) -> Listed {
        if self.listing == 0 { Listed::default() } else { listed_as(self.listing) }
    }

    /// The token's own text.
    pub(super) fn text(self, of: &str) -> &str {
        of.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// How often each decimal separator was seen where it could be nothing else.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Style {
    comma: u32,
    dot: u32,
}

impl Style {
    /// Whether the text writes 1,5 for one and a half.
    pub(super) fn decimal_comma(self) -> bool {
        self.comma > self.dot
    }
}

fn char_at(text: &str, at: usize) -> Option<char> {
    text.get(at..).and_then(|rest| rest.chars().next())
}

fn char_before(text: &str, at: usize) -> Option<char> {
    text.get(..at).and_then(|rest| rest.chars().next_back())
}

fn is_digit_at(text: &str, at: usize) -> bool {
    char_at(text, at).is_some_and(|c| class(c) == Class::Digit)
}

/// The end of the run of characters that `keep` keeps.
fn run(text: &str, mut at: usize, keep: impl Fn(Class) -> bool) -> usize {
    while let Some(c) = char_at(text, at) {
        if !keep(class(c)) {
            break;
        }
        at += c.len_utf8();
    }
    at
}

/// Hash of a word: over its folded characters.
pub(super) fn word_hash(text: &str) -> u32 {
    let mut hash = Hash::default();
    fold_str(text, &mut |c| hash.push(c));
    hash.short()
}

/// Hash of a number: over its significant digits.
fn number_hash(text: &str) -> u32 {
    let mut hash = Hash::default();
    let mut zeros = 0_usize;
    let mut begun = false;
    fold_str(text, &mut |c| {
        if !c.is_ascii_digit() || (c == '0' && !begun) {
            return;
        }
        begun = true;
        if c == '0' {
            zeros += 1;
            return;
        }
        for _ in 0..std::mem::take(&mut zeros) {
            hash.push('0');
        }
        hash.push(c);
    });
    // Kept apart from the words: `x` and the number 5 never share a hash by construction of their first character.
    hash.push('\u{1}');
    hash.short()
}

/// Cuts `text` into tokens, in order. At most the first 4 GiB are read: offsets are 32 bits.
pub(super) fn tokenize(text: &str, style: &mut Style, emit: &mut impl FnMut(Token)) {
    let mut reader = Reader { text, style, emit, last: None };
    let mut at = 0;
    while let Some(c) = char_at(text, at) {
        if u32::try_from(at).is_err() {
            break;
        }
        at = match class(c) {
            Class::Digit => reader.number(at, at),
            Class::Letter | Class::Raised => reader.word(at),
            Class::Alone => {
                let end = run(text, at + c.len_utf8(), |class| class == Class::Skip);
                reader.push(TokenKind::Word, at, end, false)
            }
            Class::Symbol => reader.symbol(at, c),
            Class::Gap if c == '.' && is_digit_at(text, at + 1) && leads_number(text, at) => {
                reader.number(at, at + 1)
            }
            Class::Gap if matches!(c, '\'' | '\u{2019}') => possessive(text, at, at + c.len_utf8()),
            Class::Gap | Class::Skip => at + c.len_utf8(),
        };
    }
    reader.flush();
}

/// Whether the dot at `at` can start a number such as `.5`.
fn leads_number(text: &str, at: usize) -> bool {
    char_before(text, at).is_none_or(|c| {
        c.is_whitespace()
            || matches!(c, '(' | '[' | '<' | '>' | '=' | '~' | '\u{d7}' | '\u{2264}' | '\u{2265}')
    })
}

/// Where reading goes on after the apostrophe from `quote` to `at`: an English possessive `s` is no word.
fn possessive(text: &str, quote: usize, at: usize) -> usize {
    let is_s = matches!(char_at(text, at), Some('s' | 'S'));
    let ends = char_at(text, at + 1).is_none_or(|c| matches!(class(c), Class::Gap | Class::Symbol));
    if is_s && ends && char_before(text, quote).is_some_and(char::is_alphabetic) { at + 1 } else { at }
}

struct Reader<'a, F> {
    text: &'a str,
    style: &'a mut Style,
    emit: &'a mut F,
    last: Option<Token>,
}

impl<F: FnMut(Token)> Reader<'_, F> {
    /// Emits one token and returns its end. One token is held back to learn whether a line break split it.
    fn push(&mut self, kind: TokenKind, start: usize, end: usize, percent: bool) -> usize {
        let part = self.text.get(start..end).unwrap_or_default();
        let (hash, listing) = if kind == TokenKind::Number {
            (number_hash(part), 0)
        } else {
            let hash = word_hash(part);
            (hash, listing(hash, part))
        };
        let (Ok(first), Ok(after)) = (u32::try_from(start), u32::try_from(end)) else {
            return end;
        };
        if let Some(mut last) = self.last.take() {
            last.broken = last.kind == TokenKind::Word
                && kind == TokenKind::Word
                && self.splits_word(last, start, part);
            (self.emit)(last);
        }
        self.last = Some(Token { start: first, end: after, hash, kind, percent, broken: false, listing });
        end
    }

    fn flush(&mut self) {
        if let Some(last) = self.last.take() {
            (self.emit)(last);
        }
    }

    /// Whether only a hyphen and one line break stand between `last` and the word `next` at `start`, and `next` is
    /// written as the rest of a word would be: in lower case, or in capitals after capitals.
    fn splits_word(&self, last: Token, start: usize, next: &str) -> bool {
        let soft = last.text(self.text).ends_with('\u{ad}');
        let gap = self.text.get(last.end as usize..start).unwrap_or_default();
        if gap.len() > 200 || gap.matches('\n').count() != 1 {
            return false;
        }
        let rest = gap.strip_prefix(['-', '\u{2010}', '\u{2011}']);
        let blank = |part: &str| part.chars().all(char::is_whitespace);
        let joined = if soft { blank(gap) } else { rest.is_some_and(blank) };
        let capitals = |part: &str| {
            part.chars().filter(|c| c.is_uppercase()).count() >= 3
                && part.chars().all(|c| c.is_uppercase() || c == '\u{ad}')
        };
        let goes_on =
            next.starts_with(char::is_lowercase) || (capitals(last.text(self.text)) && capitals(next));
        joined && goes_on
    }

    fn word(&mut self, at: usize) -> usize {
        let mut end = run(self.text, at, |class| {
            matches!(class, Class::Letter | Class::Digit | Class::Raised | Class::Skip)
        });
        // `13x12` arrives here as `x12` when the number before it has been read.
        let after_number =
            self.last.is_some_and(|last| last.kind == TokenKind::Number && last.end as usize == at);
        if after_number
            && self.text.get(at..).is_some_and(|rest| rest.starts_with(['x', 'X']))
            && self.times(at, end)
        {
            end = at + 1;
        }
        self.push(TokenKind::Word, at, end, false)
    }

    /// Whether the `x` at `at`, in a run ending at `end`, stands between two numbers.
    fn times(&self, at: usize, end: usize) -> bool {
        if end > at + 1 {
            return is_digit_at(self.text, at + 1);
        }
        let next = run_spaces(self.text, end);
        is_digit_at(self.text, next)
    }

    fn symbol(&mut self, at: usize, c: char) -> usize {
        if c == '%'
            && is_digit_at(self.text, at + 1)
            && char_before(self.text, at).is_none_or(|c| class(c) != Class::Digit)
        {
            // Turkish writes %90.
            return self.number(at, at + 1);
        }
        let mut end = at + c.len_utf8();
        if matches!(c, '<' | '>') && self.text.get(end..).is_some_and(|rest| rest.starts_with('=')) {
            end += 1;
        }
        self.push(TokenKind::Symbol, at, end, false)
    }

    /// Reads a number whose first digit is at `digits`; `start` is before it when a dot or a percent sign leads.
    fn number(&mut self, start: usize, digits: usize) -> usize {
        let is_digit = |class| matches!(class, Class::Digit | Class::Skip);
        let first_end = run(self.text, digits, is_digit);
        let mut end = first_end;
        let mut groups = Groups::default();
        groups.push(digits, first_end, None);
        while let Some(separator @ ('.' | ',')) = char_at(self.text, end) {
            if !is_digit_at(self.text, end + 1)
                || (start < digits && self.text.get(start..digits) == Some("."))
            {
                break;
            }
            let group_end = run(self.text, end + 1, is_digit);
            groups.push(end + 1, group_end, Some(separator));
            end = group_end;
        }
        if !groups.is_one_number() {
            // A date (01.03.2024), a list (1,2,3) or a section number: the parts are numbers of their own.
            let mut last = self.push(TokenKind::Number, start, first_end, false);
            while last < end {
                last = self.push(TokenKind::Number, last + 1, run(self.text, last + 1, is_digit), false);
            }
            return end;
        }
        let letters =
            run(self.text, end, |class| matches!(class, Class::Letter | Class::Digit | Class::Skip));
        if letters > end {
            let suffix = self.text.get(end..letters).unwrap_or_default();
            let is_times = suffix.starts_with(['x', 'X']) && self.times(end, letters);
            // The time of day after a date, as in 2016-09-06T08:00, is no part of the day.
            let is_time = suffix
                .strip_prefix('T')
                .is_some_and(|hour| hour.len() >= 2 && hour.chars().all(|c| c.is_ascii_digit()));
            let is_age = TIMES.iter().any(|unit| suffix.eq_ignore_ascii_case(unit));
            if !is_times && !is_time && !is_age && unit_of_word(suffix).is_none() {
                let whole = run(self.text, end, |class| {
                    matches!(class, Class::Letter | Class::Digit | Class::Raised | Class::Skip)
                });
                return self.push(TokenKind::Word, start, whole, false);
            }
        }
        let next = char_at(self.text, end);
        if next == Some('+')
            && char_at(self.text, end + 1).is_none_or(|c| matches!(class(c), Class::Gap | Class::Symbol))
        {
            // The score 2+ is not the number 2.
            return self.push(TokenKind::Word, start, end + 1, false);
        }
        groups.count(self.text, self.style);
        let mut percent = self.text.get(start..).is_some_and(|rest| rest.starts_with('%'));
        let sign = if next == Some(' ') { end + 1 } else { end };
        if !percent && char_at(self.text, sign) == Some('%') && !is_digit_at(self.text, sign + 1) {
            percent = true;
            end = sign + 1;
        }
        self.push(TokenKind::Number, start, end, percent)
    }
}

/// Units of time as they are written right after a number: `72y/o`, `6mo`.
const TIMES: [&str; 10] = ["y", "yo", "yr", "yrs", "mo", "wk", "wks", "hr", "hrs", "min"];

fn run_spaces(text: &str, mut at: usize) -> usize {
    while let Some(c) = char_at(text, at).filter(|c| c.is_whitespace()) {
        at += c.len_utf8();
    }
    at
}

/// The shape of the digit groups of one number.
#[derive(Default)]
struct Groups {
    count: usize,
    first_len: usize,
    first_zero: bool,
    last_len: usize,
    /// Separators so far; the last one is apart.
    separator: Option<char>,
    last_separator: Option<char>,
    middle_ok: bool,
    first_at: usize,
}

impl Groups {
    fn push(&mut self, start: usize, end: usize, separator: Option<char>) {
        let len = end - start;
        if self.count == 0 {
            self.first_len = len;
            self.first_at = start;
            self.middle_ok = true;
        } else {
            if self.count >= 2 {
                self.middle_ok &= self.last_len == 3
                    && self.separator.is_none_or(|before| Some(before) == self.last_separator);
                self.separator = self.last_separator;
            }
            self.last_len = len;
            self.last_separator = separator;
        }
        self.count += 1;
    }

    /// `12`, `1.5`, `1,234,567`, `1,234.5` are one number; `1,2,3` and `01.03.2024` are not.
    fn is_one_number(&self) -> bool {
        if self.count <= 2 {
            return true;
        }
        let uniform = self.separator == self.last_separator;
        self.first_len <= 3 && self.middle_ok && (!uniform || self.last_len == 3)
    }

    /// Counts the separator where it can only be a decimal one.
    fn count(&mut self, text: &str, style: &mut Style) {
        self.first_zero = text.get(self.first_at..).is_some_and(|rest| rest.starts_with('0'));
        let decimal = self.count == 2 && (self.last_len != 3 || self.first_zero || self.first_len > 3)
            || self.count > 2 && self.separator != self.last_separator;
        match self.last_separator {
            Some(',') if decimal => style.comma = style.comma.saturating_add(1),
            Some('.') if decimal => style.dot = style.dot.saturating_add(1),
            _ => {}
        }
    }
}

/// The number of letters in a folded text. An ideograph says as much as two letters.
pub(super) fn letters(text: &str) -> usize {
    let mut count = 0;
    for c in text.chars() {
        fold_char(c, &mut |c| {
            count += if matches!(c, '\u{3400}'..='\u{9fff}') { 2 } else { usize::from(c.is_alphabetic()) }
        });
    }
    count
}
