//! Scores, durations and money: numbers that can't be mixed up or out of range.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, Sub};

/// The amount by which two scores may differ and still count as equal (every comparison of scores allows 1e-9).
pub const EPSILON: f64 = 1e-9;

/// `a ≥ b`, allowing [`EPSILON`].
#[must_use]
pub fn at_least(a: f64, b: f64) -> bool {
    a >= b - EPSILON
}

/// `a < b`, allowing [`EPSILON`].
#[must_use]
pub fn below(a: f64, b: f64) -> bool {
    a < b - EPSILON
}

/// A score: finite, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Score(f64);

impl Score {
    /// The worst.
    pub const ZERO: Score = Score(0.0);
    /// The best.
    pub const ONE: Score = Score(1.0);

    /// `None` if the number is not finite or lies outside [0, 1].
    #[must_use]
    pub fn new(value: f64) -> Option<Self> {
        (0.0..=1.0).contains(&value).then_some(Score(value))
    }

    /// Moves the number into [0, 1]; NaN becomes 0.
    #[must_use]
    pub fn clamped(value: f64) -> Self {
        if value.is_nan() { Score::ZERO } else { Score(value.clamp(0.0, 1.0)) }
    }

    /// The number.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

impl<'de> Deserialize<'de> for Score {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = f64::deserialize(deserializer)?;
        Score::new(value)
            .ok_or_else(|| serde::de::Error::custom(format!("expected a score from 0 to 1, found {value}")))
    }
}

impl fmt::Display for Score {
    /// Three decimals.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.0)
    }
}

/// A duration, or a point in time counted from the start of a run, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millis(pub u64);

impl Millis {
    /// Reads `30s`, `500ms`, `2m`, `1h`, `1.5s`. `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let unit_at = text.find(|c: char| c.is_ascii_alphabetic())?;
        let (number, unit) = text.split_at(unit_at);
        let factor = match unit {
            "ms" => 1.0,
            "s" => 1_000.0,
            "m" | "min" => 60_000.0,
            "h" => 3_600_000.0,
            _ => return None,
        };
        let value: f64 = number.trim().parse().ok()?;
        let millis = value * factor;
        if !(0.0..=1e15).contains(&millis) {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range was checked")]
        Some(Millis(millis.round() as u64))
    }

    /// As the standard library's duration.
    #[must_use]
    pub fn duration(self) -> std::time::Duration {
        std::time::Duration::from_millis(self.0)
    }

    /// Later by `other`, stopping at the largest time.
    #[must_use]
    pub fn saturating_add(self, other: Millis) -> Millis {
        Millis(self.0.saturating_add(other.0))
    }
}

impl Sub for Millis {
    type Output = Millis;

    /// Time between two points; zero when the second is later.
    fn sub(self, other: Millis) -> Millis {
        Millis(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            ms if ms < 1_000 => write!(f, "{ms} ms"),
            #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
            ms => write!(f, "{:.1} s", ms as f64 / 1_000.0),
        }
    }
}

/// An amount of money in US dollars: finite, not negative, without the dust of adding (a millionth of a millionth).
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Usd(f64);

impl Usd {
    /// `None` if the number is negative or not finite.
    #[must_use]
    pub fn new(value: f64) -> Option<Self> {
        (value.is_finite() && value >= 0.0).then_some(Usd(rounded(value)))
    }

    /// The number of dollars.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

impl<'de> Deserialize<'de> for Usd {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = f64::deserialize(deserializer)?;
        Usd::new(value)
            .ok_or_else(|| serde::de::Error::custom(format!("expected an amount of money, found {value}")))
    }
}

impl Add for Usd {
    type Output = Usd;

    fn add(self, other: Usd) -> Usd {
        Usd(rounded((self.0 + other.0).min(f64::MAX)))
    }
}

/// Amounts so great that a number has no room for twelve decimals stay as they are.
fn rounded(dollars: f64) -> f64 {
    if dollars < 1000.0 { (dollars * 1e12).round() / 1e12 } else { dollars }
}

/// The name of a document in results, artifacts and the journal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DocumentId(String);

impl DocumentId {
    /// Any text; use `DocumentId::file_stem` where it becomes part of a file name.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        DocumentId(id.into())
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id with everything that a file name can't hold replaced by `_`, never empty, at most 120 characters.
    #[must_use]
    pub fn file_stem(&self) -> String {
        let keep = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
        let stem: String = self.0.trim_start_matches('.').chars().map(keep).take(120).collect();
        if stem.is_empty() { "document".to_owned() } else { stem }
    }
}

impl fmt::Display for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_need_a_unit() {
        for (text, expected) in [
            ("30s", Some(30_000)),
            ("500ms", Some(500)),
            ("1.5s", Some(1_500)),
            ("2 m", Some(120_000)),
            ("1h", Some(3_600_000)),
            ("30", None),
            ("-1s", None),
            ("s", None),
            ("1e30s", None),
            ("NaNs", None),
        ] {
            assert_eq!(Millis::parse(text), expected.map(Millis), "{text}");
        }
    }

    #[test]
    fn a_step_of_exactly_the_delta_is_enough() {
        assert!(!below(0.85 - 0.80, 0.05));
        assert!(at_least(0.1 + 0.2, 0.3) && at_least(0.3, 0.1 + 0.2));
    }

    #[test]
    fn money_gathers_no_dust() {
        let usd = |dollars: f64| Usd::new(dollars).unwrap();
        let third = usd(0.0132) + usd(0.0132) + usd(0.0132);
        assert_eq!(third, usd(0.0396));
        assert_eq!(usd(0.0012 + f64::EPSILON / 1024.0).get().to_string(), "0.0012");
        assert_eq!(usd(1e300).get(), 1e300);
        assert_eq!(usd(f64::MAX) + usd(f64::MAX), usd(f64::MAX));
    }

    #[test]
    fn scores_stay_in_range() {
        assert!(Score::new(f64::NAN).is_none() && Score::new(1.000_001).is_none());
        assert_eq!(Score::clamped(f64::NAN), Score::ZERO);
        assert_eq!(Score::clamped(7.0), Score::ONE);
    }

    #[test]
    fn file_stems_hold_no_path() {
        assert_eq!(DocumentId::new("../../etc/passwd").file_stem(), "_.._etc_passwd");
        assert_eq!(DocumentId::new("..").file_stem(), "document");
    }
}
