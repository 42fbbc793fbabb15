//! Numbers as documents print them: grouped, signed, in brackets, with a decimal point or comma as the document has it.

use crate::document::{Document, TextCell, width};
use crate::fold::{ascii_digit, ascii_digits};
use std::borrow::Cow;
use std::ops::Range;

/// A number where the document prints one. What could be read in two ways appears twice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Number {
    pub(crate) value: f64,
    pub(crate) cell: usize,
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Printed with a sign or in brackets.
    pub(crate) is_negative: bool,
    /// Part of a code, a date, a time, a fraction or a range: no value of its own.
    pub(crate) is_part: bool,
}

/// Most digits of a number; longer runs are codes.
const MOST_DIGITS: usize = 18;

/// The weight of a number with groups of thousands as evidence of the decimal sign, against one without: `2.1` may be a
/// section's.
const GROUPED: usize = 3;

/// The decimal sign that a document uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DecimalSign {
    Point,
    Comma,
}

/// Digits and separators of one printed number.
#[derive(Debug)]
struct Printed<'a> {
    /// Its digits as ASCII has them.
    text: Cow<'a, str>,
    start: usize,
    end: usize,
}

/// The key of a value in an index: equal for values that differ in less than a millionth, regardless of their sign.
pub(crate) fn value_key(value: f64) -> u64 {
    (value.abs() * 1e6).round().to_bits()
}

pub(crate) fn read(document: &Document) -> Vec<Number> {
    let mut printed = Vec::new();
    for (at, cell) in document.cells.iter().enumerate() {
        each_printed(document, cell, |found| printed.push((at, found)));
    }
    let decimal = decimal_of(printed.iter().map(|(_, found)| found.text.as_ref()));
    let mut numbers = Vec::new();
    let mut columns = ColumnCounter { document, cell: usize::MAX, byte: 0, column: 0 };
    for (at, found) in printed {
        if document.cells.get(at).is_none() {
            continue;
        }
        add(&mut columns, at, found.start..found.end, &found.text, decimal, &mut numbers);
        if found.text.len() != found.end - found.start {
            continue;
        }
        // `1 234` is one number, or two in a table without gaps.
        let blanks =
            found.text.match_indices([' ', '\u{a0}', '\u{202f}']).map(|(at, blank)| (at, at + blank.len()));
        let mut from = 0;
        let cuts: Vec<_> = blanks.collect();
        if cuts.is_empty() {
            continue;
        }
        for (cut, next) in cuts.into_iter().chain([(found.text.len(), found.text.len())]) {
            let piece = found.text.get(from..cut).unwrap_or_default();
            let start = found.start + from;
            add(&mut columns, at, start..start + piece.len(), piece, decimal, &mut numbers);
            from = next;
        }
    }
    numbers
}

/// The column of the last byte that was asked for, from which the next ones are counted: a word may be as long as its cell.
struct ColumnCounter<'d> {
    document: &'d Document,
    cell: usize,
    byte: usize,
    column: u32,
}

impl ColumnCounter<'_> {
    fn of(&mut self, cell: usize, byte: usize) -> u32 {
        if self.cell != cell {
            let own = self.document.cells.get(cell);
            (self.byte, self.column) = own.map_or((byte, 0), |own| (own.start, own.from));
            self.cell = cell;
        }
        self.column = if byte >= self.byte {
            self.column.saturating_add(width(self.document.slice(self.byte, byte)))
        } else {
            self.column.saturating_sub(width(self.document.slice(byte, self.byte)))
        };
        self.byte = byte;
        self.column
    }
}

fn add(
    columns: &mut ColumnCounter<'_>,
    at: usize,
    Range { start, end }: Range<usize>,
    text: &str,
    decimal: Option<DecimalSign>,
    into: &mut Vec<Number>,
) {
    if text.bytes().filter(u8::is_ascii_digit).count() > MOST_DIGITS {
        return;
    }
    let (is_negative, is_part) = surroundings(columns.document, start, end);
    let (from, to) = (columns.of(at, start), columns.of(at, end));
    for value in readings(text, decimal).into_iter().flatten() {
        let value = if is_negative { -value } else { value };
        into.push(Number { value, cell: at, from, to, start, end, is_negative, is_part });
    }
}

/// Digits with separators between them; a blank separates only groups of three.
fn each_printed<'a>(document: &'a Document, cell: &TextCell, mut visit: impl FnMut(Printed<'a>)) {
    let own = document.slice(cell.start, cell.end);
    let bytes = own.as_bytes();
    let char_at = |at: usize| own.get(at..).and_then(|rest| rest.chars().next());
    // The bytes of the digit there.
    let digit = |at: usize| match bytes.get(at) {
        Some(byte) if byte.is_ascii() => usize::from(byte.is_ascii_digit()),
        Some(_) => char_at(at).filter(|c| ascii_digit(*c).is_some()).map_or(0, char::len_utf8),
        None => 0,
    };
    let mut at = 0;
    while at < own.len() {
        if digit(at) == 0 {
            at += char_at(at).map_or(1, char::len_utf8);
            continue;
        }
        let from = at;
        let (mut groups, mut in_group) = (0, 0);
        while at < own.len() {
            let width = digit(at);
            if width > 0 {
                in_group += 1;
                at += width;
                continue;
            }
            let Some(c) = char_at(at) else { break };
            let next = at + c.len_utf8();
            let joins = match c {
                '.' | ',' | '\'' | '\u{2019}' | '\u{66b}' | '\u{66c}' => digit(next) > 0,
                ' ' | '\u{a0}' | '\u{202f}' => {
                    let is = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
                    let three = is(next) && is(next + 1) && is(next + 2) && !is(next + 3);
                    three && in_group <= 3 && (groups == 0 || in_group == 3)
                }
                _ => false,
            };
            if !joins {
                break;
            }
            groups += 1;
            in_group = 0;
            at = next;
        }
        let text = own.get(from..at).unwrap_or_default();
        visit(Printed { text: ascii_digits(text), start: cell.start + from, end: cell.start + at });
    }
}

/// The decimal sign of the numbers that can be read in one way only.
fn decimal_of<'a>(texts: impl Iterator<Item = &'a str>) -> Option<DecimalSign> {
    let (mut points, mut commas) = (0usize, 0usize);
    for text in texts {
        let last = text.rfind(['.', ',']);
        let Some((at, sign)) = last.and_then(|at| Some((at, text.get(at..=at)?))) else { continue };
        let other = if sign == "." { ',' } else { '.' };
        let after = text.len() - at - 1;
        let times = text.matches(sign).count();
        // Groups of thousands show what the decimal sign is not.
        if times > 1 && after == 3 && !text.contains(other) {
            if sign == "." { commas += GROUPED } else { points += GROUPED }
        } else if times == 1 && (text.contains(other) || after != 3) {
            let weight = if text.contains(other) { GROUPED } else { 1 };
            if sign == "." { points += weight } else { commas += weight }
        }
    }
    // A single `1,2` may be two notes.
    let decides = |more: usize, less: usize| more >= GROUPED && more >= GROUPED * less;
    if decides(points, commas) {
        Some(DecimalSign::Point)
    } else if decides(commas, points) {
        Some(DecimalSign::Comma)
    } else {
        None
    }
}

/// The numbers that digits with separators can be, given the document's decimal sign.
fn readings(text: &str, decimal: Option<DecimalSign>) -> [Option<f64>; 2] {
    let plain = |decimal: Option<char>| {
        let kept: String = text
            .chars()
            .filter_map(|c| if Some(c) == decimal { Some('.') } else { c.is_ascii_digit().then_some(c) })
            .collect();
        kept.parse::<f64>().ok()
    };
    let (points, commas) = (text.matches('.').count(), text.matches(',').count());
    let (sign, count) = match (points, commas) {
        (0, 0) => return [plain(None), None],
        (_, 0) => ('.', points),
        (0, _) => (',', commas),
        (_, _) => {
            let last = if text.rfind('.') > text.rfind(',') { '.' } else { ',' };
            return [plain(Some(last)), None];
        }
    };
    let after = text.rfind(sign).map_or(0, |at| text.len() - at - 1);
    let whole = text.find(sign).and_then(|at| text.get(..at)).unwrap_or_default();
    if count > 1 {
        return [plain(None), None];
    }
    if after != 3 || whole == "0" || whole.len() > 3 {
        return [plain(Some(sign)), None];
    }
    match (decimal, sign) {
        (Some(DecimalSign::Point), '.') | (Some(DecimalSign::Comma), ',') => [plain(Some(sign)), None],
        (Some(_), _) => [plain(None), None],
        (None, _) => [plain(None), plain(Some(sign))],
    }
}

/// Reads a text that is a number and nothing else, but for a currency or percent sign around it.
pub(crate) fn of_text(text: &str) -> [Option<f64>; 2] {
    let text = ascii_digits(text.trim());
    let text = text.as_ref();
    let is_sign = |c: char| matches!(c, '-' | '\u{2212}' | '\u{2013}');
    let in_brackets = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let bare = in_brackets.unwrap_or(text);
    let negative = in_brackets.is_some() || bare.starts_with(is_sign) || bare.ends_with(is_sign);
    let bare = bare
        .trim_matches(|c: char| is_sign(c) || c.is_whitespace() || matches!(c, '%' | '+') || is_currency(c));
    let digits =
        bare.starts_with(|c: char| c.is_ascii_digit()) && bare.ends_with(|c: char| c.is_ascii_digit());
    let clean = bare
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | ' ' | '\u{a0}' | '\u{202f}'));
    if !digits || !clean || bare.len() > MOST_DIGITS + 8 {
        return [None, None];
    }
    readings(bare, None).map(|value| value.map(|value| if negative { -value } else { value }))
}

pub(crate) fn is_currency(c: char) -> bool {
    matches!(c, '$' | '¢' | '£' | '¥' | '€' | '₩' | '₹' | '₽' | '₺' | '₪' | '฿' | '₫' | '₴')
}

/// Returns whether a printed number is negative, and if it is only part of something.
fn surroundings(document: &Document, start: usize, end: usize) -> (bool, bool) {
    let before = document.char_before(start);
    let after = document.char_at(end);
    let dash = |c: char| matches!(c, '-' | '\u{2212}' | '\u{2013}' | '\u{2010}' | '\u{2011}');
    let two_before = before.and_then(|c| document.char_before(start - c.len_utf8()));
    let two_after = after.and_then(|c| document.char_at(end + c.len_utf8()));
    let alnum = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let mut negative = false;
    let mut part = false;
    match before {
        Some(c) if dash(c) => {
            if alnum(two_before) {
                part = true;
            } else {
                negative = true;
            }
        }
        Some('/' | ':' | '.' | ',') => part = alnum(two_before),
        Some('(') => negative = after == Some(')') && is_accounting(document, start, end),
        Some('#' | '_') => part = alnum(two_before),
        Some(c) if c.is_alphabetic() => part = true,
        Some(c) if is_currency(c) => {
            negative = two_before.is_some_and(dash) || two_before == Some('(') && after == Some(')')
        }
        Some(_) | None => {}
    }
    match after {
        Some(c) if dash(c) => {
            if two_after.is_some_and(|c| c.is_ascii_digit()) || alnum(two_after) {
                part = true;
            } else {
                negative = true;
            }
        }
        Some('/' | ':') => part |= two_after.is_some_and(|c| c.is_ascii_digit()),
        Some(_) | None => {}
    }
    (negative, part)
}

/// `(1,234.00)` is negative; `(2)` may be a note's number.
fn is_accounting(document: &Document, start: usize, end: usize) -> bool {
    document.slice(start, end).contains(['.', ',']) || end - start > 2
}

#[cfg(test)]
mod tests {
    use super::{of_text, read};
    use crate::document::Document;

    fn values(text: &str) -> Vec<f64> {
        read(&Document::read(text))
            .iter()
            .filter(|number| !number.is_part)
            .map(|number| number.value)
            .collect()
    }

    #[test]
    fn the_document_decides_what_a_comma_is() {
        assert_eq!(values("1.234,56  2.000"), [1234.56, 2000.0]);
        assert_eq!(values("1,234.56  2,000"), [1234.56, 2000.0]);
        assert_eq!(values("2,000"), [2000.0, 2.0]);
    }

    #[test]
    fn signs_stand_before_behind_and_around() {
        assert_eq!(values("-45.00  (1,234.50)  17.50-  €-3.10"), [-45.0, -1234.5, -17.5, -3.1]);
        assert_eq!(of_text("(12.50)")[0], Some(-12.5));
        assert_eq!(of_text("$ 1,200.00")[0], Some(1200.0));
        assert_eq!(of_text("12 of 13"), [None, None]);
    }

    #[test]
    fn parts_of_codes_are_no_numbers() {
        assert_eq!(values("INV-2024-0817  12:30  3/4  MS20500"), Vec::<f64>::new());
    }

    #[test]
    fn a_blank_may_group() {
        assert_eq!(values("12 345,00"), [12345.0, 12.0, 345.0]);
    }
}
