//! The numbers that a text prints, to be searched for one of them.
//!
//! A number is found whole or not at all: 0.5 is not printed in `1.5`, `0.55` or `10.5`, nor 20 in `120`. Its spelling
//! does not matter: `1`, `1.0` and `1.00` are one number, `0.78`, `.78`, `0·78` and `0,78` as well, `1234`, `1,234` and
//! `1'234` too.

use super::figures::figures;
use super::spelled::spelled;
use std::collections::HashMap;

/// A number in its digits, so that no rounding makes two numbers equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Number {
    is_negative: bool,
    /// Without zeros at either end; empty for zero.
    digits: String,
    /// The power of ten of the last digit.
    exponent: i64,
}

impl Number {
    /// The number with these digits before and after the point, times ten to that power.
    pub(super) fn new(whole: &str, fraction: &str, power: i64) -> Self {
        let all = format!("{whole}{fraction}");
        let kept = all.trim_start_matches('0').trim_end_matches('0');
        let zeros = all.len() - all.trim_end_matches('0').len();
        let count = |length: usize| i64::try_from(length).unwrap_or(i64::MAX);
        let exponent = power.saturating_sub(count(fraction.len())).saturating_add(count(zeros));
        Number {
            is_negative: false,
            digits: kept.to_owned(),
            exponent: if kept.is_empty() { 0 } else { exponent },
        }
    }

    /// The number with a minus. Zero has none.
    pub(super) fn negated(self) -> Self {
        Number { is_negative: !self.digits.is_empty(), ..self }
    }

    fn of_fraction(value: f64) -> Option<Self> {
        // The shortest decimal that is this number and no other: 0.1, not 0.1000000000000000055.
        let written = value.is_finite().then(|| format!("{}", value.abs()))?;
        let (whole, fraction) = written.split_once('.').unwrap_or((&written, ""));
        let number = Number::new(whole, fraction, 0);
        Some(if value < 0.0 { number.negated() } else { number })
    }

    /// Returns whether it is a whole number.
    fn is_whole(&self) -> bool {
        self.exponent >= 0
    }
}

/// The bound that the text expresses with a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Bound {
    /// The number is the value that is meant.
    Exact,
    /// The value that is meant is below it, or equal to it.
    Below,
    /// The value that is meant is above it, or equal to it.
    Above,
}

/// A number as it is printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Printed {
    /// The numbers that it may be: a dash before a number can be a minus or not.
    pub(super) readings: Vec<Number>,
    pub(super) bound: Bound,
    /// True if a `%` follows.
    pub(super) is_percent: bool,
}

/// The ways in which a number is printed, wherever it appears.
#[derive(Debug, Clone, Copy, Default)]
struct Uses {
    exact: bool,
    below: bool,
    above: bool,
    /// Without a `%`.
    plain: bool,
}

/// The numbers that a text prints.
#[derive(Debug, Clone, Default)]
pub struct PrintedNumbers {
    uses: HashMap<Number, Uses>,
    decimal_comma: bool,
}

impl PrintedNumbers {
    /// Those of a text without markup.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let (printed, decimal_comma) = figures(text, None);
        let mut numbers = PrintedNumbers { uses: HashMap::new(), decimal_comma };
        let in_words = spelled(text).into_iter().map(|number| Printed {
            readings: vec![number],
            bound: Bound::Exact,
            is_percent: false,
        });
        for one in printed.into_iter().chain(in_words) {
            for number in one.readings {
                let uses = numbers.uses.entry(number).or_default();
                match one.bound {
                    Bound::Exact => uses.exact = true,
                    Bound::Below => uses.below = true,
                    Bound::Above => uses.above = true,
                }
                uses.plain |= !one.is_percent;
            }
        }
        numbers
    }

    /// Returns whether a number is printed.
    #[must_use]
    pub fn has(&self, value: f64) -> bool {
        Number::of_fraction(value).is_some_and(|number| self.uses.contains_key(&number))
    }

    /// Returns whether it is printed as a number of things: whole, and without a `%`.
    #[must_use]
    pub fn has_count(&self, value: f64) -> bool {
        Number::of_fraction(value)
            .filter(Number::is_whole)
            .and_then(|number| self.uses.get(&number))
            .is_some_and(|uses| uses.plain)
    }

    /// Returns whether every number of a text is printed, with `<` or `>` before it where the text has that. True for a
    /// text without numbers.
    #[must_use]
    pub fn has_all_of(&self, text: &str) -> bool {
        let (asked, _) = figures(text, Some(self.decimal_comma));
        let is_equated = text.contains('=');
        asked.iter().all(|one| {
            one.readings.iter().any(|number| {
                self.uses.get(number).is_some_and(|uses| match one.bound {
                    Bound::Below => uses.below,
                    Bound::Above => uses.above,
                    Bound::Exact => uses.exact || !is_equated,
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_whole() {
        for (text, has, lacks) in [
            ("HR 1.5 (95% CI 1.2 to 1.9)", &[1.5, 1.2, 1.9, 95.0][..], &[0.5, 0.2, 0.9, 5.0, 1.0, 15.0][..]),
            ("10.5 and 0.55 of 120", &[10.5, 0.55, 120.0], &[0.5, 5.0, 20.0, 12.0, 10.0]),
            ("0.99 to 1.00, 2.0, 3", &[0.99, 1.0, 2.0, 3.0], &[0.0, 99.0]),
            ("p=.05, (.5) 0·78", &[0.05, 0.5, 0.78], &[5.0, 78.0]),
            (
                "1,234 and 1'234'567 and 5\u{2009}678, 12\u{a0}345",
                &[1234.0, 1_234_567.0, 5678.0, 12345.0],
                &[234.0, 1.0, 345.0],
            ),
            ("1 234 patients", &[1234.0], &[23.0]),
            ("In 2012 34 sites", &[2012.0, 34.0], &[201_234.0, 1234.0]),
            (
                "HR 0,5 (95%-KI 0,2–0,9), 1.200 Patienten, 3,25",
                &[0.5, 0.2, 0.9, 1200.0, 3.25],
                &[1.2, 5.0, 325.0],
            ),
            ("as shown [1,5] before, HR 0.7", &[1.0, 5.0, 0.7], &[1.5]),
            ("0.5 (0.2,0.9) and 1,204", &[0.2, 0.9, 1204.0], &[1.204]),
            ("mean difference −1·5 days; change -2.5; –3", &[-1.5, -2.5, -3.0], &[1.5, 2.5, 3.0]),
            (
                "1.2–1.9, 3-4, -3.0–-1.0, −5−−4",
                &[1.2, 1.9, 3.0, 4.0, -3.0, -1.0, -5.0, -4.0],
                &[-1.9, -4.0e9, 5.0],
            ),
            ("1.2 -1.9", &[1.9, -1.9], &[-1.2]),
            ("MD − 1.5", &[-1.5], &[1.5]),
            (
                "COVID-19, SF-36, IL6, CD4, T120, p53, H1N1, n_5",
                &[],
                &[19.0, 36.0, 6.0, 4.0, 120.0, 53.0, 1.0, 5.0],
            ),
            (
                "2023-05-11, 11/05/2023, 11.05.2023, 0000-0002-1825-0097",
                &[],
                &[2023.0, 5.0, 11.0, 97.0, 11.05],
            ),
            ("doi:10.1000/test.123 https://x.org/45/6 v1.2.3", &[], &[10.1, 123.0, 45.0, 6.0, 1.2, 3.0]),
            ("18/60 (30%), 2:1, n=12, 120-patient trial", &[18.0, 60.0, 30.0, 2.0, 12.0, 120.0], &[]),
            ("the 4th of 3D, 5HT, 12mm", &[12.0], &[4.0, 3.0, 5.0]),
            ("1.2 × 10−5, 3.4x10^-6, 2e-8, 5 × 10⁻⁷, 10⁵", &[1.2e-5, 3.4e-6, 2e-8, 5e-7, 1e5], &[10.0]),
            ("p = 2.0E−8", &[2e-8], &[2.0]),
            ("patients.12 were, 120³ in m²", &[120.0], &[12.0, 2.0, 3.0]),
            ("One hundred and twenty-one patients", &[121.0], &[100.0, 20.0]),
            ("1,20,000 people", &[120_000.0, 1.0], &[]),
            ("٣ und ５", &[], &[3.0, 5.0]),
            ("", &[], &[0.0]),
        ] {
            let numbers = PrintedNumbers::of(text);
            for value in has {
                assert!(numbers.has(*value), "{value} is printed in {text}");
            }
            for value in lacks {
                assert!(!numbers.has(*value), "{value} is not printed in {text}");
            }
        }
    }

    #[test]
    fn counts_are_whole_and_no_percentages() {
        let numbers = PrintedNumbers::of("45 of 60 (75%), 80 percent, 12.5, 95 % CI, twelve");
        for (value, is_count) in [
            (45.0, true),
            (60.0, true),
            (75.0, false),
            (80.0, false),
            (12.5, false),
            (95.0, false),
            (12.0, true),
        ] {
            assert_eq!(numbers.has_count(value), is_count, "{value}");
        }
    }

    #[test]
    fn numbers_in_a_value_are_asked_for_with_their_signs() {
        for (text, asked, is_printed) in [
            ("p = 0.04", "<0.001", false),
            ("p = 0.04", "p=.04", true),
            ("P<0.001", "< 0.001", true),
            ("P < .001", "p < 0.001", true),
            ("p less than 0.001", "<0.001", true),
            ("p ≤ 0.001", "<0.001", true),
            ("p > 0.05", "<0.05", false),
            ("p = 0.05", "<0.05", false),
            ("p < 0.05", "p = 0.05", false),
            ("p < 0.05", "0.05", true),
            ("p=0,04; HR 0,5", "0,04", true),
            ("p = 1.2 × 10⁻⁵", "1.2e-5", true),
            ("p = 0.04", "not significant", true),
        ] {
            assert_eq!(PrintedNumbers::of(text).has_all_of(asked), is_printed, "{asked} in {text}");
        }
    }

    #[test]
    fn long_texts_are_read_once() {
        for part in ["1 234 ", "1,2", "1-2-", "10.", "10.1234/", "−", "× 10", "1.", "http", "five ", "1e"]
        {
            assert!(!PrintedNumbers::of(&part.repeat(300_000)).has(77.0));
        }
    }
}
