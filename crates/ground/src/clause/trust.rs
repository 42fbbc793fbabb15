//! Trust: how precise passages of a pattern are, from counts of labelled values.
//!
//! Labelled sets with planted mistakes have an invented share of mistakes, so a pattern's precision is computed from
//! two rates, how often it fires on right and on wrong values, and an assumed share of mistakes `m`:
//! `l(1 − m) / (l(1 − m) + u·m)`, where `l` is the lower bound of the one rate and `u` the upper bound of the other,
//! each exact ([`crate::bounds`]) at 95 %.

use super::naming::Naming;
use super::passage::Pattern;
use crate::bounds::{lower_bound, real, upper_bound};
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{LazyLock, Mutex, PoisonError};

const PATTERNS: &str = include_str!("../../words/patterns.txt");
/// A pattern with fewer labels than these is taken with the others of its naming, and a naming with fewer with all.
const ENOUGH: u64 = 16;
/// The error that each bound allows.
const ERROR: f64 = 0.05;

/// Numbers of right and of wrong values of a pattern, among labelled ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Counts {
    /// Right values.
    pub right: u64,
    /// Wrong values.
    pub wrong: u64,
}

impl Counts {
    /// The number of values.
    #[must_use]
    pub fn all(self) -> u64 {
        self.right.saturating_add(self.wrong)
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.right = self.right.saturating_add(other.right);
        self.wrong = self.wrong.saturating_add(other.wrong);
    }
}

/// Labelled values: how many there are, and how many passages of each pattern held.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Labels {
    /// All that were inspected, with a pattern or without.
    pub labelled: Counts,
    /// Those of each pattern, by its name.
    pub patterns: BTreeMap<String, Counts>,
}

/// The labels that a bound was computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountedFrom {
    /// Those of the pattern.
    Pattern,
    /// Those of all patterns of its naming, because it has too few.
    Naming,
    /// All, because its naming has too few as well.
    All,
}

impl CountedFrom {
    /// The word for it in results.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            CountedFrom::Pattern => "pattern",
            CountedFrom::Naming => "naming",
            CountedFrom::All => "all",
        }
    }
}

/// The precision of a pattern, as labelled values show it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precision {
    /// Its own counts.
    pub counts: Counts,
    /// The lower bound of its precision, in [0, 1].
    pub bound: f64,
    /// The labels that the bound was computed from.
    pub from: CountedFrom,
}

/// The counts of each pattern, and the bounds that follow from them.
#[derive(Debug)]
pub struct Trust {
    mistakes: f64,
    /// Labels of the user's own, which decide about a pattern alone where there are enough.
    own: Option<Counted>,
    all: Counted,
    fingerprint: u64,
    bounds: Mutex<HashMap<Pattern, (f64, CountedFrom)>>,
}

/// Labels by pattern.
#[derive(Debug, Default, Clone)]
struct Counted {
    labelled: Counts,
    counts: HashMap<Pattern, Counts>,
}

impl Trust {
    /// The share of mistakes among values that is assumed by default.
    pub const MISTAKES: f64 = 0.05;

    /// The counts that ship.
    #[must_use]
    pub fn shipped() -> &'static Self {
        static SHIPPED: LazyLock<Trust> =
            LazyLock::new(|| Trust::new(None, Counted::of(&Labels::shipped()), Trust::MISTAKES));
        &SHIPPED
    }

    /// The shipped counts, at another share of mistakes.
    #[must_use]
    pub fn with_mistakes(mistakes: f64) -> Self {
        Trust::new(None, Counted::of(&Labels::shipped()), mistakes)
    }

    /// The counts of one's own labels: with the shipped ones where a pattern has too few of one's own, or alone.
    #[must_use]
    pub fn from_labels(labels: &Labels, beside_shipped: bool, mistakes: f64) -> Self {
        let own = Counted::of(labels);
        if !beside_shipped {
            return Trust::new(None, own, mistakes);
        }
        let mut all = Counted::of(&Labels::shipped());
        all.labelled += own.labelled;
        for (pattern, counts) in &own.counts {
            *all.counts.entry(*pattern).or_default() += *counts;
        }
        Trust::new(Some(own), all, mistakes)
    }

    fn new(own: Option<Counted>, all: Counted, mistakes: f64) -> Self {
        let mut hasher = DefaultHasher::new();
        mistakes.to_bits().hash(&mut hasher);
        for counted in own.iter().chain([&all]) {
            let mut counts: Vec<(String, Counts)> =
                counted.counts.iter().map(|(pattern, counts)| (pattern.to_string(), *counts)).collect();
            counts.sort();
            (counted.labelled, counts).hash(&mut hasher);
        }
        Trust { mistakes, own, all, fingerprint: hasher.finish(), bounds: Mutex::default() }
    }

    /// A number that differs where the counts or the share of mistakes do.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// The precision of a pattern.
    #[must_use]
    pub fn of(&self, pattern: Pattern) -> Precision {
        let counts = self.all.counts.get(&pattern).copied().unwrap_or_default();
        let own = self.own.as_ref().and_then(|own| own.counts.get(&pattern)).copied();
        let known = self.bounds.lock().unwrap_or_else(PoisonError::into_inner).get(&pattern).copied();
        let (bound, from) = known.unwrap_or_else(|| {
            let bound = self.bound(pattern, counts);
            self.bounds.lock().unwrap_or_else(PoisonError::into_inner).insert(pattern, bound);
            bound
        });
        let counts = own.filter(|own| own.all() >= ENOUGH).unwrap_or(counts);
        Precision { counts, bound, from }
    }

    fn bound(&self, pattern: Pattern, counts: Counts) -> (f64, CountedFrom) {
        if let Some(own) = &self.own {
            let of_pattern = own.counts.get(&pattern).copied().unwrap_or_default();
            if of_pattern.all() >= ENOUGH {
                return (self.at_least(of_pattern, own.labelled), CountedFrom::Pattern);
            }
        }
        let labelled = self.all.labelled;
        if counts.all() >= ENOUGH {
            return (self.at_least(counts, labelled), CountedFrom::Pattern);
        }
        // Its own counts may still speak against it.
        let rate = |part: u64, of: u64| real(part) / real(of.max(1));
        let (right, wrong) = (rate(counts.right, labelled.right), rate(counts.wrong, labelled.wrong));
        let seen = if counts.wrong == 0 { 1.0 } else { self.weigh(right, wrong) };
        let (pooled, from) = self.pooled(pattern.naming);
        (self.at_least(pooled, labelled).min(seen), from)
    }

    fn pooled(&self, naming: Naming) -> (Counts, CountedFrom) {
        let of = |is_in: &dyn Fn(Naming) -> bool| {
            let mut sum = Counts::default();
            for (_, counts) in self.all.counts.iter().filter(|(known, _)| is_in(known.naming)) {
                sum += *counts;
            }
            sum
        };
        let own = of(&|known| known == naming);
        if own.all() >= ENOUGH { (own, CountedFrom::Naming) } else { (of(&|_| true), CountedFrom::All) }
    }

    fn at_least(&self, counts: Counts, labelled: Counts) -> f64 {
        let right = lower_bound(counts.right, labelled.right, ERROR);
        let wrong = upper_bound(counts.wrong, labelled.wrong, ERROR);
        self.weigh(right, wrong)
    }

    fn weigh(&self, right: f64, wrong: f64) -> f64 {
        let (good, bad) = (right * (1.0 - self.mistakes), wrong * self.mistakes);
        if good + bad > 0.0 { good / (good + bad) } else { 0.0 }
    }
}

impl Counted {
    fn of(labels: &Labels) -> Self {
        let known = labels.patterns.iter().filter_map(|(name, counts)| Some((name.parse().ok()?, *counts)));
        Counted { labelled: labels.labelled, counts: known.collect() }
    }
}

impl Labels {
    /// Those that ship.
    #[must_use]
    pub fn shipped() -> Self {
        Labels::read(PATTERNS)
    }

    fn read(text: &str) -> Self {
        let mut labels = Labels::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let mut parts = line.split(' ');
            let (Some(name), Some(right), Some(wrong)) = (parts.next(), parts.next(), parts.next()) else {
                continue;
            };
            let (Ok(right), Ok(wrong)) = (right.parse(), wrong.parse()) else { continue };
            let counts = Counts { right, wrong };
            if name == "labelled" {
                labels.labelled = counts;
            } else {
                labels.patterns.insert(name.to_owned(), counts);
            }
        }
        labels
    }

    /// Counts one value that a passage of this pattern held, or of which no passage was read.
    pub fn count(&mut self, pattern: Option<Pattern>, is_right: bool) {
        let one = Counts { right: u64::from(is_right), wrong: u64::from(!is_right) };
        self.labelled += one;
        if let Some(pattern) = pattern {
            *self.patterns.entry(pattern.to_string()).or_default() += one;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CountedFrom, Counts, Labels, Trust};
    use crate::clause::{Naming, Pattern, ValueKind};

    #[test]
    fn every_line_that_ships_is_a_pattern() {
        let shipped = Labels::shipped();
        assert!(shipped.patterns.keys().all(|name| name.parse::<Pattern>().is_ok()));
        assert_eq!(shipped.patterns.len(), Trust::shipped().all.counts.len());
    }

    fn labels() -> Labels {
        Labels::read(
            "labelled 1000 500\nnumber/statement 400 5\nnumber/elsewhere 50 30\ndate/statement 3 3\n",
        )
    }

    #[test]
    fn a_pattern_is_trusted_for_its_counts() {
        let trust = Trust::from_labels(&labels(), false, 0.05);
        let of = |kind, naming| trust.of(Pattern { kind, naming });
        assert!(of(ValueKind::Number, Naming::Statement).bound > 0.98);
        assert!(of(ValueKind::Number, Naming::Elsewhere).bound < 0.95);
        // Too few labels, and half of them wrong.
        assert!(of(ValueKind::Date, Naming::Statement).bound < 0.95);
        // None of its own: what holds for its naming.
        let pooled = of(ValueKind::Text, Naming::Statement);
        assert!(pooled.bound > 0.98 && pooled.from == CountedFrom::Naming);
        // None of its naming either: what holds for all.
        let pooled = of(ValueKind::Text, Naming::Unnamed);
        assert!((pooled.bound - 0.97).abs() < 0.02 && pooled.from == CountedFrom::All);
        // The more mistakes there are, the less a passage says.
        let doubtful = Trust::from_labels(&labels(), false, 0.3);
        let bound = |trust: &Trust| trust.of("number/statement".parse().unwrap()).bound;
        assert!(bound(&doubtful) < bound(&trust));
        assert_ne!(doubtful.fingerprint(), trust.fingerprint());
    }

    #[test]
    fn labels_of_ones_own_decide_where_there_are_enough() {
        let own = Labels::read("labelled 100 60\nnumber/statement 30 30\ncode/statement 4 0\n");
        let trust = Trust::from_labels(&own, true, 0.05);
        let of = |name: &str| trust.of(name.parse().unwrap());
        assert_eq!(of("number/statement").counts, Counts { right: 30, wrong: 30 });
        assert!(of("number/statement").bound < 0.95);
        // Too few of its own: with those that ship.
        let shipped = Labels::shipped().patterns["code/statement"];
        assert_eq!(of("code/statement").counts.right, shipped.right + 4);
        assert_eq!(of("code/statement").from, CountedFrom::Pattern);
    }
}
