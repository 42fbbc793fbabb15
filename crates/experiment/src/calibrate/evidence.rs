//! The patterns of passages on labelled values: how often each was right, and whether it is trusted.

use loopctl_ground::{Counts, Labels, Pattern, Precision, Trust};
use serde::Serialize;

/// The counts of a pattern on labelled values.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PatternTrust {
    /// Its name, such as `number/statement`.
    pub pattern: String,
    /// Values that passages of it held, and that reviewers kept.
    pub right: u64,
    /// Values that passages of it held, and that reviewers corrected.
    pub wrong: u64,
    /// The lower bound of its precision by these values alone; `None` if there are too few.
    pub bound: Option<f64>,
    /// The counts that ship for it.
    pub shipped: ShippedTrust,
    /// The bound that holds with the table in use.
    pub in_use: f64,
    /// The source of that bound: `pattern`, or if it has too few labels its `naming`, or `all`.
    pub from: &'static str,
    /// `true` if the bound is as high as the profile asks for: a passage of the pattern verifies its value.
    pub trusted: bool,
}

/// The shipped counts of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ShippedTrust {
    /// Right values.
    pub right: u64,
    /// Wrong values.
    pub wrong: u64,
    /// The lower bound of its precision.
    pub bound: f64,
}

/// The counts of all patterns on labelled values.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EvidenceCalibration {
    /// Labelled values that are right.
    pub right: u64,
    /// Labelled values that are wrong.
    pub wrong: u64,
    /// The number of these in whose passage no pattern was read.
    pub without_pattern: u64,
    /// The assumed share of mistakes.
    pub mistakes: f64,
    /// The precision that the profile asks for.
    pub trust: f64,
    /// The patterns, by name.
    pub patterns: Vec<PatternTrust>,
}

impl EvidenceCalibration {
    /// Compares labels with the precision that a profile asks for. `in_use` is the trust that the new table gives.
    #[must_use]
    pub fn of(labels: &Labels, in_use: &Trust, (trust, mistakes): (f64, f64)) -> Self {
        let (alone, shipped) = (Trust::from_labels(labels, false, mistakes), Trust::with_mistakes(mistakes));
        let counts_shipped = Labels::shipped();
        let row = |(name, counts): (&String, &Counts)| {
            let pattern: Pattern = name.parse().ok()?;
            let (own, used) = (alone.of(pattern), in_use.of(pattern));
            let known = counts_shipped.patterns.get(name).copied().unwrap_or_default();
            Some(PatternTrust {
                pattern: name.clone(),
                right: counts.right,
                wrong: counts.wrong,
                bound: is_of_its_own(&own).then(|| rounded(own.bound)),
                shipped: ShippedTrust {
                    right: known.right,
                    wrong: known.wrong,
                    bound: rounded(shipped.of(pattern).bound),
                },
                in_use: rounded(used.bound),
                from: used.from.as_str(),
                trusted: used.bound >= trust,
            })
        };
        let mut with_pattern = Counts::default();
        labels.patterns.values().for_each(|counts| with_pattern += *counts);
        let Counts { right, wrong } = labels.labelled;
        EvidenceCalibration {
            right,
            wrong,
            without_pattern: labels.labelled.all().saturating_sub(with_pattern.all()),
            mistakes,
            trust,
            patterns: labels.patterns.iter().filter_map(row).collect(),
        }
    }
}

fn is_of_its_own(precision: &Precision) -> bool {
    precision.from == loopctl_ground::CountedFrom::Pattern
}

fn rounded(bound: f64) -> f64 {
    (bound * 1e4).round() / 1e4
}
