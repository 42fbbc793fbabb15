//! The scores that a dimension can have.

use crate::profile::{CandidateKind, Combine, Dimension, Measure};

/// All scores from `low` to `high`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The lowest score, inclusive.
    pub low: f64,
    /// The highest score, inclusive.
    pub high: f64,
}

impl Range {
    /// Every score.
    pub const FULL: Range = Range { low: 0.0, high: 1.0 };
    /// The starting value of a sum.
    pub const NOTHING: Range = Range { low: 0.0, high: 0.0 };

    /// The greatest distance between two scores.
    pub fn width(self) -> f64 {
        self.high - self.low
    }
}

/// The scores of a dimension. Where a judge or a validator has a say, every score is possible, because one that can't be
/// had counts 0; a patch that does not apply scores 0, too.
pub fn range_of(dimension: &Dimension, candidate: CandidateKind) -> Range {
    if dimension.second.is_some() {
        return Range::FULL;
    }
    let range = of_measure(&dimension.measure);
    match candidate {
        CandidateKind::Patch => Range { low: 0.0, ..range },
        CandidateKind::Value => range,
    }
}

fn of_measure(measure: &Measure) -> Range {
    match measure {
        Measure::Rules { penalty, .. } if penalty.get() == 0.0 => Range { low: 1.0, high: 1.0 },
        Measure::Rules { floor, .. } => Range { low: floor.get(), high: 1.0 },
        Measure::Ensemble { members, combine, .. } => {
            let ranges = || members.iter().map(|(member, _)| of_measure(member));
            let (least, most) = (f64::min as fn(f64, f64) -> f64, f64::max as fn(f64, f64) -> f64);
            let (lower, higher) = match combine {
                Combine::Min => (least, least),
                Combine::Max => (most, most),
                // Between the lowest and the highest; where exactly is unknown.
                Combine::Mean | Combine::Median | Combine::Weighted | Combine::First => (least, most),
            };
            Range {
                low: ranges().map(|range| range.low).reduce(lower).unwrap_or(0.0),
                high: ranges().map(|range| range.high).reduce(higher).unwrap_or(1.0),
            }
        }
        Measure::Rubric { .. }
        | Measure::Schema { .. }
        | Measure::Grounding(_)
        | Measure::Script { .. }
        | Measure::Given => Range::FULL,
    }
}
