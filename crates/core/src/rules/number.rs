//! Values as checks read them: numbers, which may be written as texts, and texts, which may be numbers.

use crate::value::{Decimal, Digits, Item, compare_numbers};
use std::cmp::Ordering;
use std::fmt::Write;

/// A number, or a text that wholly is one; compared as written.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Number<'a> {
    Json(&'a serde_json::Number),
    Text(&'a str),
}

impl Number<'_> {
    /// Compares two numbers as they are written.
    pub(super) fn compare(self, other: Number<'_>) -> Option<Ordering> {
        if let (Number::Json(a), Number::Json(b)) = (self, other) {
            return compare_numbers(a, b);
        }
        let (mut room, mut others) = (Digits::default(), Digits::default());
        Some(self.decimal(&mut room)?.compare(&other.decimal(&mut others)?))
    }

    fn decimal<'r>(&'r self, room: &'r mut Digits) -> Option<Decimal<'r>> {
        match self {
            Number::Json(number) => Decimal::of_number(number, room),
            Number::Text(text) => Decimal::of_text(text),
        }
    }
}

/// The number that a value is, or that its text wholly is.
#[inline]
pub(super) fn exact(item: Item<'_>) -> Option<Number<'_>> {
    match item {
        Item::Number(number) => Some(Number::Json(number)),
        Item::Text(text) => {
            let text = text.trim();
            Decimal::of_text(text).map(|_| Number::Text(text))
        }
        _ => None,
    }
}

/// The number of a value as [`f64`], to calculate with.
pub(super) fn number(item: Item<'_>) -> Option<f64> {
    let number = match item {
        Item::Number(number) => number.as_f64()?,
        Item::Text(text) => {
            let text = text.trim();
            // The standard library also reads `inf`, `nan` and `infinity`.
            if text.contains(|c: char| c.is_alphabetic() && !matches!(c, 'e' | 'E')) {
                return None;
            }
            text.parse().ok()?
        }
        _ => return None,
    };
    number.is_finite().then_some(number)
}

/// The text of a text, number or truth value, as JSON writes it.
#[inline]
pub(super) fn text_of<'t>(item: Item<'t>, room: &'t mut String) -> Option<&'t str> {
    match item {
        Item::Text(text) => Some(text),
        Item::Bool(b) => Some(if b { "true" } else { "false" }),
        Item::Number(number) => {
            room.clear();
            // Writing to a String can't fail.
            let _ = write!(room, "{number}");
            Some(room)
        }
        Item::Null | Item::List(_) | Item::Map(_) => None,
    }
}
