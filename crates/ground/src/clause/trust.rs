//! Trust: how precise passages of a pattern are, from counts of labelled values.
//!
//! Labelled sets with planted mistakes have an invented share of mistakes, so a pattern's precision is computed from two rates, how
//! often it fires on right and on wrong values, and an assumed share of mistakes `m`: `l(1 − m) / (l(1 − m) + u·m)`, where `l` is
//! the lower bound of the one rate and `u` the upper bound of the other, each exact (Clopper and Pearson 1934) at 95 %.

use super::naming::Naming;
use super::passage::Pattern;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

const PATTERNS: &str = include_str!("../../words/patterns.txt");
/// A pattern with fewer labels than these is taken with the others of its naming, and a naming with fewer with all.
const ENOUGH: u64 = 40;
/// The error that each bound allows.
const ERROR: f64 = 0.05;
/// The steps in which a bound is searched for: finer than what is shown.
const STEPS: usize = 40;

/// Numbers of right and of wrong values of a pattern, among labelled ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Right values.
    pub right: u64,
    /// Wrong values.
    pub wrong: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.right += other.right;
        self.wrong += other.wrong;
    }
}

/// The precision of a pattern, as labelled values show it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precision {
    /// Its own counts.
    pub counts: Counts,
    /// The lower bound of its precision, in [0, 1].
    pub bound: f64,
}

/// The counts of each pattern, and the bounds that follow from them.
#[derive(Debug, Default)]
pub struct Trust {
    labelled: Counts,
    mistakes: f64,
    counts: HashMap<Pattern, Counts>,
    bounds: Mutex<HashMap<Pattern, f64>>,
}

impl Trust {
    /// The counts that ship.
    #[must_use]
    pub fn shipped() -> &'static Self {
        static SHIPPED: LazyLock<Trust> = LazyLock::new(|| Trust::read(PATTERNS));
        &SHIPPED
    }

    fn read(text: &str) -> Self {
        let mut trust = Trust::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let mut parts = line.split(' ');
            let (Some(name), Some(first)) = (parts.next(), parts.next()) else { continue };
            let counts = parts
                .next()
                .and_then(|wrong| Some(Counts { right: first.parse().ok()?, wrong: wrong.parse().ok()? }));
            match (name, counts) {
                ("mistakes", None) => trust.mistakes = first.parse().unwrap_or(1.0),
                ("labelled", Some(counts)) => trust.labelled = counts,
                (_, Some(counts)) => {
                    if let Ok(pattern) = name.parse() {
                        trust.counts.insert(pattern, counts);
                    }
                }
                (_, None) => {}
            }
        }
        trust
    }

    /// The precision of a pattern.
    #[must_use]
    pub fn of(&self, pattern: Pattern) -> Precision {
        let counts = self.counts.get(&pattern).copied().unwrap_or_default();
        let known = self.bounds.lock().unwrap_or_else(PoisonError::into_inner).get(&pattern).copied();
        let bound = known.unwrap_or_else(|| {
            let bound = self.bound(pattern, counts);
            self.bounds.lock().unwrap_or_else(PoisonError::into_inner).insert(pattern, bound);
            bound
        });
        Precision { counts, bound }
    }

    fn bound(&self, pattern: Pattern, own: Counts) -> f64 {
        if own.right + own.wrong >= ENOUGH {
            return self.precision(own);
        }
        // Its own counts may still speak against it.
        let rate = |part: u64, of: u64| share(part, of.max(1));
        let (right, wrong) = (rate(own.right, self.labelled.right), rate(own.wrong, self.labelled.wrong));
        let seen = if own.wrong == 0 { 1.0 } else { self.weigh(right, wrong) };
        self.precision(self.pooled(pattern.naming)).min(seen)
    }

    fn pooled(&self, naming: Naming) -> Counts {
        let of = |is_in: &dyn Fn(Naming) -> bool| {
            let mut sum = Counts::default();
            for (_, counts) in self.counts.iter().filter(|(known, _)| is_in(known.naming)) {
                sum += *counts;
            }
            sum
        };
        let own = of(&|known| known == naming);
        if own.right + own.wrong >= ENOUGH { own } else { of(&|_| true) }
    }

    fn precision(&self, counts: Counts) -> f64 {
        let right = lower_bound(counts.right, self.labelled.right);
        let wrong = upper_bound(counts.wrong, self.labelled.wrong);
        self.weigh(right, wrong)
    }

    fn weigh(&self, right: f64, wrong: f64) -> f64 {
        let (good, bad) = (right * (1.0 - self.mistakes), wrong * self.mistakes);
        if good + bad > 0.0 { good / (good + bad) } else { 0.0 }
    }
}

fn share(part: u64, of: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "counts of labels are far below 2^52")]
    let share = part as f64 / of as f64;
    share
}

/// The probability of at most `part` of `of` at a rate in (0, 1).
fn at_most(part: u64, of: u64, rate: f64) -> f64 {
    let odds = rate.ln() - (1.0 - rate).ln();
    let mut log = share(of, 1) * (1.0 - rate).ln();
    let mut sum = log.exp();
    for at in 0..part.min(of) {
        log += (share(of - at, at + 1)).ln() + odds;
        sum += log.exp();
    }
    sum.min(1.0)
}

/// The rate at which a probability that falls with it is `ERROR`.
fn crossing(probability: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    for _ in 0..STEPS {
        let middle = low.midpoint(high);
        if probability(middle) > ERROR { low = middle } else { high = middle }
    }
    low.midpoint(high)
}

fn upper_bound(part: u64, of: u64) -> f64 {
    if part >= of { 1.0 } else { crossing(|rate| at_most(part, of, rate)) }
}

fn lower_bound(part: u64, of: u64) -> f64 {
    let Some(fewer) = part.checked_sub(1) else { return 0.0 };
    // From above: at least `part` becomes unlikely as the rate falls.
    1.0 - crossing(|rest| 1.0 - at_most(fewer, of, 1.0 - rest))
}

#[cfg(test)]
mod tests {
    use super::{Trust, lower_bound, upper_bound};
    use crate::clause::{Naming, Pattern, ValueKind};

    #[test]
    fn bounds_are_those_of_the_tables() {
        // Clopper and Pearson, one-sided 95 %: 0 of 10, 10 of 10, 5 of 10.
        let near = |a: f64, b: f64| (a - b).abs() < 5e-4;
        assert!(near(upper_bound(0, 10), 0.2589) && near(lower_bound(10, 10), 0.7411));
        assert!(near(upper_bound(5, 10), 0.7776) && near(lower_bound(5, 10), 0.2224));
        assert!(near(lower_bound(0, 10), 0.0) && near(upper_bound(10, 10), 1.0));
    }

    #[test]
    fn every_line_that_ships_is_a_pattern() {
        let lines =
            super::PATTERNS.lines().filter(|line| line.contains('/') && !line.starts_with('#')).count();
        assert_eq!(lines, Trust::shipped().counts.len());
    }

    #[test]
    fn a_pattern_is_trusted_for_its_counts() {
        let text = "labelled 1000 500\nmistakes 0.05\nnumber/statement 400 5\nnumber/elsewhere 50 30\ndate/statement 3 3\n";
        let trust = Trust::read(text);
        let bound = |kind, naming| trust.of(Pattern { kind, naming }).bound;
        assert!(bound(ValueKind::Number, Naming::Statement) > 0.98);
        assert!(bound(ValueKind::Number, Naming::Elsewhere) < 0.95);
        // Too few labels, and half of them wrong.
        assert!(bound(ValueKind::Date, Naming::Statement) < 0.95);
        // None of its own: what holds for its naming.
        assert!(bound(ValueKind::Text, Naming::Statement) > 0.98);
        // None of its naming either: what holds for all.
        assert!((bound(ValueKind::Text, Naming::Unnamed) - 0.97).abs() < 0.02);
    }
}
