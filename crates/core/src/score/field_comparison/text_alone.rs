//! A text by itself, without a document around it: its words, a quantity, a date. For holding two values of one field against
//! each other.

use super::decimal::Decimal;
use crate::value::{PERCENT, Unit, unit_named};
use loopctl_ground::{Day, days_in, folded};
use std::ops::Range;

/// Longest text that may be a quantity or a date, in bytes.
const MOST_BYTES: usize = 80;

/// The unit of a bare number of a field: the one that is declared, or the one that its name ends with (`tumorSizeMm`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct UnitOfField(Unit);

impl UnitOfField {
    /// `None` for an unknown unit, and for a name without one.
    pub(super) fn of(declared: Option<&str>, key: &str) -> Option<Self> {
        let declared = declared.map(|unit| unit_of_word(unit.trim()));
        declared.unwrap_or_else(|| unit_in_key(key)).map(UnitOfField)
    }
}

/// A text by itself.
#[derive(Debug)]
pub(super) struct TextAlone {
    words: String,
    quantity: Option<Quantity>,
    /// The days that it can be; none of a text that says more than a day.
    days: Vec<Day>,
}

/// `66 mm`, `> 5 %`, `2.5 x 1 cm`.
#[derive(Debug)]
struct Quantity {
    /// `<`, `>=`, `~` before it, folded; empty without.
    comparison: String,
    numbers: Vec<Number>,
}

#[derive(Debug)]
struct Number {
    /// The number as written.
    written: Decimal,
    /// The number in the base unit of its quantity, with its own unit, where that is known.
    measured: Option<(Unit, Decimal)>,
}

/// A word, a number, or a sign.
#[derive(Debug, Clone, PartialEq)]
struct Token {
    kind: Kind,
    bytes: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Number,
    /// A sign that compares: `<`, `≥`, `~`.
    Comparison,
    Percent,
    Other,
}

impl TextAlone {
    /// Reads a text; a number without a unit is in `unit`.
    pub(super) fn read(text: &str, unit: Option<UnitOfField>) -> Self {
        let tokens = tokens(text);
        let is_short = text.len() <= MOST_BYTES && text.chars().any(char::is_numeric);
        let is_whole =
            |bytes: &Range<usize>| text.get(bytes.clone()) == Some(text.trim().trim_end_matches('.'));
        let days = || days_in(text).into_iter().filter(|(_, bytes)| is_whole(bytes)).map(|(day, _)| day);
        TextAlone {
            quantity: is_short.then(|| quantity(text, &tokens, unit)).flatten(),
            days: if is_short { days().collect() } else { Vec::new() },
            words: words(text, &tokens),
        }
    }

    /// Returns whether a text is a date, has one in it, or is a part of one, such as a month; a day that no calendar
    /// has (31 February) is none.
    pub(super) fn may_be_date(text: &str) -> bool {
        let days = days_in(text);
        if !days.is_empty() {
            return days.iter().any(|(day, _)| is_in_calendar(*day));
        }
        let numbers: Vec<Token> =
            tokens(text).into_iter().filter(|token| token.kind == Kind::Number).collect();
        let year = |token: &Token| text.get(token.bytes.clone()).and_then(|text| text.parse::<u32>().ok());
        let is_year = |token: &Token| year(token).is_some_and(|year| (1900..=2199).contains(&year));
        numbers.len() <= 2 && numbers.iter().any(is_year)
    }

    /// Returns whether both have the same words, whatever their case, accents, spaces and punctuation.
    pub(super) fn same_words(&self, other: &Self) -> bool {
        self.words == other.words
    }

    /// The words, folded, with one space between.
    pub(super) fn words(&self) -> &str {
        &self.words
    }

    /// Returns whether both are the same day; `None` where one is not a date. For `3/4/24`, whose day and month can't be
    /// told apart, either reading is taken.
    pub(super) fn same_date(&self, other: &Self) -> Option<bool> {
        let are_dates = !self.days.is_empty() && !other.days.is_empty();
        are_dates.then(|| self.days.iter().any(|day| other.days.contains(day)))
    }

    /// Returns whether both are the same quantity, each number give or take `tolerance`, which is in the unit of the
    /// field (or, without one, of the numbers as written); `None` where one is not a quantity.
    pub(super) fn same_quantity(
        &self,
        other: &Self,
        unit: Option<UnitOfField>,
        tolerance: f64,
    ) -> Option<bool> {
        let (own, other) = (self.quantity.as_ref()?, other.quantity.as_ref()?);
        let same = |(own, other): (&Number, &Number)| match (own.measured, other.measured) {
            (Some((own_unit, own)), Some((other_unit, other))) => {
                let dimension = own_unit.dimension;
                let of_field = unit.map(|unit| unit.0).filter(|unit| unit.dimension == dimension);
                let scale = of_field.unwrap_or(own_unit).power;
                dimension == other_unit.dimension && own.is_near(other, tolerance * 10_f64.powi(scale))
            }
            // The unit of one of them is unknown.
            _ => own.written.is_near(other.written, tolerance),
        };
        Some(
            own.comparison == other.comparison
                && own.numbers.len() == other.numbers.len()
                && own.numbers.iter().zip(&other.numbers).all(same),
        )
    }
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or_default();
        let is_digit = |c: char| c.is_ascii_digit();
        let begins_fraction =
            matches!(c, '.' | ',') && rest.get(1..).is_some_and(|rest| rest.starts_with(is_digit));
        let beside = tokens.last().is_some_and(|last| last.bytes.end == at);
        let (kind, length) = if is_digit(c) || begins_fraction && !beside {
            (Kind::Number, number_length(rest))
        } else if matches!(c, 'x' | 'X') && is_between_digits(text, at) {
            (Kind::Word, 1)
        } else if c.is_alphanumeric() {
            (Kind::Word, rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len()))
        } else {
            let kind = match c {
                '<' | '>' | '=' | '≤' | '≥' | '~' | '≈' | '±' => Kind::Comparison,
                '%' => Kind::Percent,
                _ => Kind::Other,
            };
            (kind, c.len_utf8())
        };
        if !c.is_whitespace() {
            tokens.push(Token { kind, bytes: at..at + length });
        }
        at += length;
    }
    tokens
}

/// Returns whether a byte is between two digits: the sign of `2.5x1`.
fn is_between_digits(text: &str, at: usize) -> bool {
    let digit = |at: Option<usize>| at.and_then(|at| text.as_bytes().get(at)).is_some_and(u8::is_ascii_digit);
    digit(at.checked_sub(1)) && digit(Some(at + 1))
}

/// The bytes of the number that a text begins with: digits, with points and commas between them.
fn number_length(text: &str) -> usize {
    let mut end = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().is_some_and(|(_, next)| next.is_ascii_digit());
        match c {
            c if c.is_ascii_digit() => end = at + 1,
            '.' | ',' if next => {}
            _ => break,
        }
    }
    end
}

/// Returns whether a minus sign is right before a number, and neither a hyphen nor a range.
fn is_negative(text: &str, number: &Token) -> bool {
    let before = text.get(..number.bytes.start).unwrap_or_default();
    let Some(rest) = before.strip_suffix(is_dash) else { return false };
    rest.chars()
        .next_back()
        .is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '[' | ':' | '=' | '<' | '>' | '~' | ','))
}

fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}

/// The words of a text, folded, with a space between. Signs between two numbers are kept: `1:80` is not `1/80`.
fn words(text: &str, tokens: &[Token]) -> String {
    let mut words = String::with_capacity(text.len());
    // The signs since the last word, and whether that was a number.
    let (mut signs, mut after_number) = (String::new(), false);
    for token in tokens {
        let written = text.get(token.bytes.clone()).unwrap_or_default();
        match token.kind {
            Kind::Other => signs.extend(written.chars().map(|c| if is_dash(c) { '-' } else { c })),
            Kind::Percent if after_number => words.push('%'),
            Kind::Word | Kind::Number | Kind::Comparison | Kind::Percent => {
                if !words.is_empty() {
                    words.push(' ');
                }
                let is_number = token.kind == Kind::Number;
                if is_number && is_negative(text, token) {
                    words.push('-');
                } else if is_number && after_number && !signs.is_empty() {
                    words.push_str(&signs);
                    words.push(' ');
                }
                words.push_str(&folded(written));
                (signs, after_number) = (String::new(), is_number);
            }
        }
    }
    if words.is_empty() { text.trim().to_owned() } else { words }
}

fn quantity(text: &str, tokens: &[Token], unit: Option<UnitOfField>) -> Option<Quantity> {
    let written = |token: &Token| text.get(token.bytes.clone()).unwrap_or_default();
    let decimal_comma = tokens.iter().any(|token| {
        let comma = written(token).split_once(',').filter(|_| token.kind == Kind::Number);
        comma.is_some_and(|(_, rest)| rest.len() != 3 && !rest.contains([',', '.']))
    });
    // Dashes and full stops between a number and its unit mean nothing.
    let is_silent = |token: &Token| token.kind == Kind::Other && matches!(written(token), "-" | "." | "−");
    let mut rest = tokens.iter().filter(|token| !is_silent(token)).peekable();
    let mut comparison = String::new();
    while let Some(sign) = rest.next_if(|token| token.kind == Kind::Comparison) {
        comparison.push_str(match written(sign) {
            "≤" => "<=",
            "≥" => ">=",
            "≈" => "~",
            sign => sign,
        });
    }
    let mut numbers: Vec<(Decimal, Option<Unit>)> = Vec::new();
    loop {
        let number = rest.next_if(|token| token.kind == Kind::Number)?;
        let decimal = Decimal::parse(written(number), decimal_comma)?.signed(is_negative(text, number));
        let own = rest.peek().and_then(|token| match token.kind {
            Kind::Percent => Some(PERCENT),
            Kind::Word => unit_of_word(written(token)),
            Kind::Number | Kind::Comparison | Kind::Other => None,
        });
        numbers.push((decimal, own));
        if own.is_some() {
            rest.next();
        }
        let is_times = |token: &&Token| matches!(written(token), "x" | "X" | "\u{d7}" | "by" | "por");
        if rest.next_if(is_times).is_none() {
            break;
        }
    }
    // The unit after the last of several numbers is that of all.
    let of_all = numbers.last().and_then(|(_, unit)| *unit).or(unit.map(|unit| unit.0));
    let read = |(written, own): (Decimal, Option<Unit>)| Number {
        written,
        measured: own.or(of_all).map(|unit| (unit, written.scaled(unit.power))),
    };
    let numbers = numbers.into_iter().map(read).collect();
    rest.next().is_none().then_some(Quantity { comparison, numbers })
}

/// The unit that a word names, in any case.
fn unit_of_word(word: &str) -> Option<Unit> {
    if word == "%" { Some(PERCENT) } else { unit_named(&folded(word)) }
}

/// The unit that the last word of a key names: `sizeMm`, `weight_g`; for `doseMgPerKg` that of its number. A key of one
/// word names none.
fn unit_in_key(key: &str) -> Option<Unit> {
    let (at, c) = key.char_indices().rev().find(|(_, c)| c.is_uppercase() || matches!(c, '_' | '-' | ' '))?;
    let from = if c.is_uppercase() { at } else { at + c.len_utf8() };
    let stem =
        key.get(..at).filter(|stem| stem.ends_with(|c: char| c.is_lowercase() || c.is_ascii_digit()))?;
    let unit = unit_of_word(key.get(from..)?)?;
    let share = ["Per", "per"].iter().find_map(|per| stem.strip_suffix(per));
    match share.map(|of| of.trim_end_matches(['_', '-', ' '])) {
        Some(of) => unit_in_key(of),
        None => Some(unit),
    }
}

/// Returns whether a day exists.
fn is_in_calendar((year, month, day): Day) -> bool {
    let parts = (i16::try_from(year), i8::try_from(month), i8::try_from(day));
    matches!(parts, (Ok(year), Ok(month), Ok(day)) if jiff::civil::Date::new(year, month, day).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(key: &str, unit: Option<&str>, tolerance: f64, a: &str, b: &str) -> Option<bool> {
        let unit = UnitOfField::of(unit, key);
        TextAlone::read(a, unit).same_quantity(&TextAlone::read(b, unit), unit, tolerance)
    }

    #[test]
    fn quantities_are_held_against_each_other_in_their_units() {
        for (key, a, b, expected) in [
            ("size", "6.6 cm", "66 mm", Some(true)),
            ("tumorSizeMm", "66", "6.6 cm", Some(true)),
            ("tumorSizeMm", "6.6", "6.6 cm", Some(false)),
            ("size", "66", "66 mm", Some(true)),
            ("size", "2.5 x 1 cm", "25 x 10 mm", Some(true)),
            ("size", "2.5 x 1 cm", "1 x 2.5 cm", Some(false)),
            ("size", "2.5x1 cm", "25 x 10 mm", Some(true)),
            ("share", "≤ 5 %", "<= 5%", Some(true)),
            ("share", "90%", "90 %", Some(true)),
            ("share", "> 90 %", "90 %", Some(false)),
            ("weight", "1,5 kg", "1500 g", Some(true)),
            ("size", "5 mm", "5 mg", Some(false)),
            ("change", "-5", "5", Some(false)),
            ("size", "about 5 mm", "5 mm", None),
        ] {
            assert_eq!(same(key, None, 0.0, a, b), expected, "{a} against {b}");
        }
        assert_eq!(same("size", Some("mm"), 0.0, "12", "1.2 cm"), Some(true));
    }

    #[test]
    fn a_tolerance_is_in_the_unit_of_the_field() {
        assert_eq!(same("size", Some("mm"), 1.0, "12", "1.3 cm"), Some(true));
        assert_eq!(same("size", Some("mm"), 1.0, "12", "1.4 cm"), Some(false));
        assert_eq!(same("age", None, 0.5, "61", "61.5"), Some(true));
        assert_eq!(same("age", None, 0.5, "61", "62"), Some(false));
        assert_eq!(same("size", None, 0.5, "6.6 cm", "9.9 cm"), Some(false));
    }

    #[test]
    fn dates_are_the_same_however_they_are_written() {
        let same = |a: &str, b: &str| TextAlone::read(a, None).same_date(&TextAlone::read(b, None));
        assert_eq!(same("2024-03-01", "March 1, 2024"), Some(true));
        assert_eq!(same("2024-03-01", "01.03.2024"), Some(true));
        assert_eq!(same("2024-03-01", "1 de marzo de 2024"), Some(true));
        assert_eq!(same("2024-03-01", "2024-03-02"), Some(false));
        assert_eq!(same("2024-03-01", "spring of 2024"), None);
    }

    #[test]
    fn words_differ_by_more_than_case_and_punctuation() {
        let same = |a: &str, b: &str| TextAlone::read(a, None).same_words(&TextAlone::read(b, None));
        assert!(same("Invasive ductal carcinoma.", "invasive  DUCTAL\ncarcinoma"));
        assert!(same("Käse-Brot", "kase brot"));
        assert!(!same("1:80", "1/80"));
        assert!(!same("-", "."));
        assert!(!same("ER positive", "ER negative"));
    }
}
