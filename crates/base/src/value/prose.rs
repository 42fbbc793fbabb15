//! Numbers, names and lists in British English, and texts cut to what people read.

use super::{Millis, Usd};
use crate::diag::nearest;
use std::fmt::Display;

/// A name, set apart from the words around it.
#[must_use]
pub fn name(text: &str) -> String {
    // A backtick in a name would end it.
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// A score, bound or weight: two decimals, or as many as it takes.
#[must_use]
pub fn score(value: f64) -> String {
    // Residue of computing with tenths is not part of the number.
    let exact = (value * 1e12).round() / 1e12;
    let short = format!("{exact:.2}");
    match short.parse::<f64>() {
        Ok(same) if (same - exact).abs() < 1e-12 => short,
        _ => exact.to_string(),
    }
}

/// A number with at most so many decimals and without trailing zeros: `0.5`, `3`; never `-0`.
#[must_use]
pub fn decimals(value: f64, most: usize) -> String {
    let text = format!("{value:.most$}");
    let short =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text.as_str() };
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

/// A count with what is counted: `1 candidate`, `3 candidates`, `2 policies`.
#[must_use]
pub fn count(number: u64, what: &str) -> String {
    format!("{} {}", whole(number), plural(number, what))
}

/// The name of what is counted, without the number.
#[must_use]
pub fn plural(number: u64, what: &str) -> String {
    match what.strip_suffix('y') {
        _ if number == 1 => what.to_owned(),
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        Some(_) | None => format!("{what}s"),
    }
}

/// A whole number with its thousands set apart.
#[must_use]
pub fn whole(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `once`, `twice`, `3 times`.
#[must_use]
pub fn times(number: u64) -> String {
    match number {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{} times", whole(more)),
    }
}

/// `a`, `a and b`, `a, b and c`.
#[must_use]
pub fn list(items: &[String], last: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., end] => format!("{} {last} {end}", rest.join(", ")),
    }
}

/// Texts as names, each in backticks.
#[must_use]
pub fn names<T: Display>(texts: impl IntoIterator<Item = T>) -> Vec<String> {
    texts.into_iter().map(|text| format!("`{text}`")).collect()
}

/// Names in backticks, with commas between them: `` `a`, `b` ``.
#[must_use]
pub fn listed<T: Display>(texts: impl IntoIterator<Item = T>) -> String {
    names(texts).join(", ")
}

/// At most so many names in backticks, and the number of the others: `` `a`, `b` and 3 more ``.
#[must_use]
pub fn first_listed<T: Display>(texts: impl IntoIterator<Item = T>, most: usize) -> String {
    let all = names(texts);
    match all.get(..most) {
        Some(first) if all.len() > most => format!("{} and {} more", first.join(", "), all.len() - most),
        _ => all.join(", "),
    }
}

/// The question whether a known name was meant, where one is near what was written; else another text.
#[must_use]
pub fn did_you_mean<'k>(
    written: &str,
    known: impl IntoIterator<Item = &'k str>,
    otherwise: impl Into<String>,
) -> String {
    nearest(written, known).map_or_else(|| otherwise.into(), |guess| format!("did you mean `{guess}`?"))
}

/// The first letter in upper case.
#[must_use]
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// White space of any length as one space, none at the ends.
#[must_use]
pub fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text of at most so many characters: the last of a longer one is `…`.
#[must_use]
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => beginning(text, most.saturating_sub(1)),
    }
}

/// The first characters of a text, and `…` after them where there are more.
#[must_use]
pub fn beginning(text: &str, length: usize) -> String {
    match text.char_indices().nth(length) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// The cells of a table, each as wide as its column: they begin at the left, and those of a column of numbers (`true`) end at
/// the right.
#[must_use]
pub fn padded(rows: &[Vec<String>], numbers: &[bool]) -> Vec<Vec<String>> {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..numbers.len()).map(width).collect();
    let cell = |((cell, width), is_number): ((&String, &usize), &bool)| {
        if *is_number { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
    };
    rows.iter().map(|row| row.iter().zip(&widths).zip(numbers).map(cell).collect()).collect()
}

/// A duration in the largest unit in which it is a whole number.
#[must_use]
pub fn duration(time: Millis) -> String {
    match time.0 {
        ms if ms > 0 && ms.is_multiple_of(3_600_000) => count(ms / 3_600_000, "hour"),
        ms if ms > 0 && ms.is_multiple_of(60_000) => count(ms / 60_000, "minute"),
        ms if ms.is_multiple_of(1_000) => count(ms / 1_000, "second"),
        ms if ms > 1_000 => {
            let text = format!("{}.{:03}", ms / 1_000, ms % 1_000);
            format!("{} seconds", text.trim_end_matches('0'))
        }
        ms => count(ms, "millisecond"),
    }
}

/// An amount of money.
#[must_use]
pub fn dollars(amount: Usd) -> String {
    format!("US${}", score(amount.get()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact_and_plain() {
        assert_eq!([0.5, 0.95, 0.005, 1.0, 0.1 + 0.2].map(score), ["0.50", "0.95", "0.005", "1.00", "0.30"]);
        assert_eq!(
            [0, 999, 1_000, 20_000, 1_234_567].map(whole),
            ["0", "999", "1,000", "20,000", "1,234,567"]
        );
        let durations = [0, 500, 1_500, 30_000, 60_000, 90_000, 7_200_000].map(Millis).map(duration);
        assert_eq!(
            durations,
            [
                "0 seconds",
                "500 milliseconds",
                "1.5 seconds",
                "30 seconds",
                "1 minute",
                "90 seconds",
                "2 hours"
            ]
        );
        assert_eq!([count(1, "call"), count(2_000, "call")], ["1 call", "2,000 calls"]);
    }
    #[test]
    fn a_number_has_the_decimals_that_say_something() {
        for (value, most, expected) in
            [(0.98, 4, "0.98"), (3.0, 4, "3"), (-0.000_01, 4, "0"), (100.0, 0, "100"), (99.95, 3, "99.95")]
        {
            assert_eq!(decimals(value, most), expected);
        }
    }

    #[test]
    fn names_are_listed_and_counted() {
        assert_eq!(listed(["a", "b"]), "`a`, `b`");
        assert_eq!(first_listed(["a", "b", "c"], 2), "`a`, `b` and 1 more");
        assert_eq!(first_listed(["a", "b"], 2), "`a`, `b`");
        assert_eq!(did_you_mean("grad", ["grade"], "add it"), "did you mean `grade`?");
        assert_eq!(did_you_mean("size", ["grade"], "add it"), "add it");
        assert_eq!(capital("the overall score"), "The overall score");
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(["äöü", "äöüß"].map(|text| cut(text, 3)), ["äöü", "äö…"]);
        assert_eq!(["äöü", "äöüß"].map(|text| beginning(text, 3)), ["äöü", "äöü…"]);
        assert_eq!((cut("ä", 0), collapsed(" a\n  b ")), ("…".to_owned(), "a b".to_owned()));
    }

    #[test]
    fn cells_are_as_wide_as_their_columns() {
        let rows = [["field", "n"], ["größe", "12"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(padded(&rows, &[false, true]), [["field", " n"], ["größe", "12"]]);
    }
}
