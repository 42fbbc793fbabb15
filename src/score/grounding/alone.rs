//! What a text says by itself, without a document around it: words, a quantity, a date. For holding two values of one field against
//! each other.

use super::date::{self, DateHere};
use super::fold::fold_str;
use super::index::{SourceIndex, gap, is_negative};
use super::names::{Vocabulary, unit_in_key};
use super::number::{Decimal, Dimension, Unit, unit_of_phrase};
use super::probe::{is_times, number_at, unit_at};
use super::token::{Style, Token, TokenKind, tokenize};

/// Longest text that may be a quantity or a date, in bytes.
const MOST_BYTES: usize = 80;

/// The unit of a bare number of a field: the one that is declared, or the one that its name ends with (`tumorSizeMm`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct UnitOfField(Unit);

impl UnitOfField {
    /// `None` of a unit that is not known, and of a name without one.
    pub(crate) fn of(declared: Option<&str>, key: &str) -> Option<Self> {
        let declared = declared.map(unit_of_phrase);
        declared.unwrap_or_else(|| unit_in_key(key).map(|(unit, _)| unit)).map(UnitOfField)
    }
}

/// A text by itself.
#[derive(Debug)]
pub(crate) struct TextAlone {
    words: String,
    quantity: Option<Quantity>,
    date: Option<DateHere>,
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
    /// As it is written.
    written: Decimal,
    /// In the base unit of what it measures, where its unit is known.
    measured: Option<(Dimension, Decimal)>,
}

impl TextAlone {
    /// Reads a text; a number without a unit is in `unit`.
    pub(crate) fn read(text: &str, unit: Option<UnitOfField>) -> Self {
        let (mut tokens, mut style) = (Vec::new(), Style::default());
        tokenize(text, &mut style, &mut |token| tokens.push(token));
        let is_short = text.len() <= MOST_BYTES && text.bytes().any(|byte| byte.is_ascii_digit());
        TextAlone {
            quantity: is_short.then(|| quantity(text, &tokens, style.decimal_comma(), unit)).flatten(),
            date: is_short.then(|| date_of(text, tokens.len())).flatten(),
            words: words(text, &tokens),
        }
    }

    /// Whether a text is a date, has one in it, or is a part of one, such as a month; a day that no calendar has (31 February) is none.
    pub(crate) fn may_be_date(text: &str) -> bool {
        let index = SourceIndex::new(text, &Vocabulary::default());
        let mut dates = (0..index.tokens().len()).filter_map(|at| date::at(&index, at)).peekable();
        if dates.peek().is_some() {
            return dates.any(|date| date.is_in_calendar());
        }
        let numbers = || index.tokens().iter().filter(|token| token.kind == TokenKind::Number);
        let is_year =
            |token: &Token| token.text(text).parse::<u32>().is_ok_and(|year| (1900..=2199).contains(&year));
        numbers().count() <= 2 && numbers().any(is_year)
    }

    /// Whether both have the same words, whatever their case, accents, spaces and punctuation.
    pub(crate) fn same_words(&self, other: &Self) -> bool {
        self.words == other.words
    }

    /// The words, folded, with one space between.
    pub(crate) fn words(&self) -> &str {
        &self.words
    }

    /// Whether both are the same day; `None` where one is no date. Of `3/4/24`, whose day and month nothing tells apart, either reading is
    /// taken.
    pub(crate) fn same_date(&self, other: &Self) -> Option<bool> {
        Some(self.date.as_ref()?.is_same_day(other.date.as_ref()?))
    }

    /// Whether both are the same quantity, each number give or take `tolerance`, which is in the unit of the field (or, without one, of
    /// the numbers as they are written); `None` where one is no quantity.
    pub(crate) fn same_quantity(
        &self,
        other: &Self,
        unit: Option<UnitOfField>,
        tolerance: f64,
    ) -> Option<bool> {
        let (own, other) = (self.quantity.as_ref()?, other.quantity.as_ref()?);
        let same = |(own, other): (&Number, &Number)| match (own.measured, other.measured) {
            (Some((dimension, own)), Some((other_dimension, other))) => {
                let scale = unit.filter(|unit| unit.0.dimension == dimension).map_or(0, |unit| unit.0.power);
                dimension == other_dimension && is_near(own, other, tolerance * 10_f64.powi(scale))
            }
            // Nothing says in which unit one of them is.
            _ => is_near(own.written, other.written, tolerance),
        };
        Some(
            own.comparison == other.comparison
                && own.numbers.len() == other.numbers.len()
                && own.numbers.iter().zip(&other.numbers).all(same),
        )
    }
}

fn is_near(own: Decimal, other: Decimal, tolerance: f64) -> bool {
    own == other
        || tolerance > 0.0 && (own.approximate() - other.approximate()).abs() <= tolerance * (1.0 + 1e-12)
}

/// The words of a text, folded, with a space between. What stands between two numbers is kept: `1:80` is not `1/80`.
fn words(text: &str, tokens: &[Token]) -> String {
    let mut words = String::with_capacity(text.len());
    for (at, token) in tokens.iter().enumerate() {
        if at > 0 {
            let is_number = |at: usize| tokens.get(at).is_some_and(|token| token.kind == TokenKind::Number);
            let between = gap(text, tokens, at - 1);
            let kept = between.chars().filter(|c| !c.is_whitespace());
            words.push(' ');
            if is_number(at - 1) && is_number(at) {
                words.extend(kept.map(|c| if super::sequence::is_dash(c) { '-' } else { c }));
                words.push(' ');
            }
        }
        if is_negative(text, *token) {
            words.push('-');
        }
        fold_str(token.text(text), &mut |c| words.push(c));
        if token.percent && !words.ends_with('%') {
            words.push('%');
        }
    }
    if tokens.is_empty() { text.trim().to_owned() } else { words }
}

fn quantity(
    text: &str,
    tokens: &[Token],
    decimal_comma: bool,
    unit: Option<UnitOfField>,
) -> Option<Quantity> {
    let mut at = tokens.iter().take_while(|token| token.kind == TokenKind::Symbol).count();
    let mut comparison = String::new();
    for token in tokens.iter().take(at) {
        fold_str(token.text(text), &mut |c| comparison.push(c));
    }
    let mut numbers = Vec::new();
    loop {
        let token = tokens.get(at).filter(|token| token.kind == TokenKind::Number)?;
        let written = number_at(text, tokens, at, decimal_comma)?;
        let own = unit_at(text, tokens, at).or(unit.map(|unit| unit.0));
        numbers
            .push(Number { written, measured: own.map(|unit| (unit.dimension, written.scaled(unit.power))) });
        at += 1;
        if !token.percent && tokens.get(at).is_some_and(|next| next.listed().unit.is_some()) {
            at += 1;
        }
        if !is_times(text, tokens, at) {
            break;
        }
        at += 1;
    }
    (at == tokens.len()).then_some(Quantity { comparison, numbers })
}

/// The date that a whole text is.
fn date_of(text: &str, tokens: usize) -> Option<DateHere> {
    let index = SourceIndex::new(text, &Vocabulary::default());
    date::at(&index, 0).filter(|date| date.tokens.from == 0 && date.tokens.to == tokens)
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
