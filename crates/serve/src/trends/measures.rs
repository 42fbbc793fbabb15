//! The five numbers by which the reliability loop is watched: what each is, and the bound from which it asks for
//! attention.

use crate::store::FigureTotals;
use serde::{Deserialize, Serialize};

/// One of the five numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TrendMeasure {
    /// The average number of candidates that a document needs.
    IterationCount,
    /// The overall score of the returned candidate, on average.
    FinalScore,
    /// The share of documents that passed.
    ThresholdMetRate,
    /// The average time that a document takes.
    ProcessingTime,
    /// The average change of the overall score from one candidate to the next.
    ImprovementPerIteration,
}

/// The side of its bound on which a number asks for attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BoundSide {
    /// The number is greater.
    Above,
    /// The number is less.
    Below,
}

/// The unit of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MeasureUnit {
    /// Candidates.
    Iterations,
    /// A score from 0 to 1, or a difference of two.
    Score,
    /// A share from 0 to 1, shown in percent.
    Share,
    /// Seconds.
    Seconds,
}

impl TrendMeasure {
    /// Every one, in the order in which they are shown.
    pub(crate) const ALL: [TrendMeasure; 5] = [
        TrendMeasure::IterationCount,
        TrendMeasure::FinalScore,
        TrendMeasure::ThresholdMetRate,
        TrendMeasure::ProcessingTime,
        TrendMeasure::ImprovementPerIteration,
    ];

    /// Its name in settings, addresses and the bodies of webhooks.
    pub(crate) fn key(self) -> &'static str {
        match self {
            TrendMeasure::IterationCount => "iteration_count",
            TrendMeasure::FinalScore => "final_score",
            TrendMeasure::ThresholdMetRate => "threshold_met_rate",
            TrendMeasure::ProcessingTime => "processing_time",
            TrendMeasure::ImprovementPerIteration => "improvement_per_iteration",
        }
    }

    /// Its name as a metric; OTLP has the same with a point after `marc`. The time is in milliseconds there.
    pub(crate) fn metric(self) -> &'static str {
        match self {
            TrendMeasure::IterationCount => "marc_iteration_count",
            TrendMeasure::FinalScore => "marc_final_score",
            TrendMeasure::ThresholdMetRate => "marc_threshold_met_rate",
            TrendMeasure::ProcessingTime => "marc_processing_time_ms",
            TrendMeasure::ImprovementPerIteration => "marc_improvement_per_iteration",
        }
    }

    /// Its title, for people.
    pub(crate) fn title(self) -> &'static str {
        match self {
            TrendMeasure::IterationCount => "Iterations per document",
            TrendMeasure::FinalScore => "Final score",
            TrendMeasure::ThresholdMetRate => "Threshold met",
            TrendMeasure::ProcessingTime => "Time per document",
            TrendMeasure::ImprovementPerIteration => "Improvement per iteration",
        }
    }

    /// Its meaning, in a sentence.
    pub(crate) fn meaning(self) -> &'static str {
        match self {
            TrendMeasure::IterationCount => {
                "Average number of candidates per document, over documents that have one."
            }
            TrendMeasure::FinalScore => "Average overall score of the returned candidate.",
            TrendMeasure::ThresholdMetRate => {
                "Share of documents that passed, without those that were skipped or stopped."
            }
            TrendMeasure::ProcessingTime => "Average time from the start of a document to its result.",
            TrendMeasure::ImprovementPerIteration => {
                "Average change of the overall score from one candidate to the next."
            }
        }
    }

    /// Its unit.
    pub(crate) fn unit(self) -> MeasureUnit {
        match self {
            TrendMeasure::IterationCount => MeasureUnit::Iterations,
            TrendMeasure::FinalScore | TrendMeasure::ImprovementPerIteration => MeasureUnit::Score,
            TrendMeasure::ThresholdMetRate => MeasureUnit::Share,
            TrendMeasure::ProcessingTime => MeasureUnit::Seconds,
        }
    }

    /// The side of the bound on which it asks for attention.
    pub(crate) fn side(self) -> BoundSide {
        match self {
            TrendMeasure::IterationCount | TrendMeasure::ProcessingTime => BoundSide::Above,
            TrendMeasure::FinalScore
            | TrendMeasure::ThresholdMetRate
            | TrendMeasure::ImprovementPerIteration => BoundSide::Below,
        }
    }

    /// The reliability loop's own bound.
    pub(crate) fn usual_bound(self) -> f64 {
        match self {
            TrendMeasure::IterationCount => 3.0,
            TrendMeasure::FinalScore => 0.8,
            TrendMeasure::ThresholdMetRate => 0.9,
            TrendMeasure::ProcessingTime => 45.0,
            TrendMeasure::ImprovementPerIteration => 0.02,
        }
    }

    /// The greatest bound that makes sense; the least is 0.
    pub(crate) fn greatest_bound(self) -> f64 {
        match self.unit() {
            MeasureUnit::Iterations => 1_000.0,
            MeasureUnit::Score | MeasureUnit::Share => 1.0,
            MeasureUnit::Seconds => 1_000_000.0,
        }
    }

    /// Returns whether a value is on the wrong side of a bound.
    pub(crate) fn is_crossed(self, value: f64, bound: f64) -> bool {
        match self.side() {
            BoundSide::Above => value > bound,
            BoundSide::Below => value < bound,
        }
    }

    /// The value over some documents; `None` where none of them has one.
    pub(crate) fn of(self, totals: &FigureTotals) -> Option<f64> {
        match self {
            TrendMeasure::IterationCount => mean(count(totals.iterations), totals.with_candidates),
            TrendMeasure::FinalScore => mean(totals.score, totals.scored),
            TrendMeasure::ThresholdMetRate => mean(count(totals.met), totals.counted),
            TrendMeasure::ProcessingTime => mean(count(totals.elapsed_ms) / 1_000.0, totals.counted),
            TrendMeasure::ImprovementPerIteration => mean(totals.improvement, totals.corrections),
        }
    }
}

fn mean(sum: f64, of: u64) -> Option<f64> {
    (of > 0).then(|| sum / count(of))
}

fn count(number: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a mean needs no more digits")]
    let number = number as f64;
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_reliability_loop() {
        let totals = FigureTotals {
            counted: 4,
            met: 3,
            elapsed_ms: 10_000,
            with_candidates: 4,
            iterations: 10,
            scored: 4,
            score: 3.4,
            corrections: 6,
            improvement: 0.3,
        };
        let values: Vec<f64> = TrendMeasure::ALL.iter().filter_map(|measure| measure.of(&totals)).collect();
        let expected = [2.5, 0.85, 0.75, 2.5, 0.05];
        assert!(values.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{values:?}");
        let mut twice = totals;
        twice.absorb(&totals);
        assert_eq!(
            TrendMeasure::ALL.map(|measure| measure.of(&twice)),
            TrendMeasure::ALL.map(|m| m.of(&totals))
        );
        assert_eq!(TrendMeasure::ALL.map(|measure| measure.of(&FigureTotals::default())), [None; 5]);
    }

    #[test]
    fn a_bound_itself_is_not_crossed() {
        for measure in TrendMeasure::ALL {
            let bound = measure.usual_bound();
            assert!(!measure.is_crossed(bound, bound) && bound <= measure.greatest_bound());
            let worse = match measure.side() {
                BoundSide::Above => bound + 0.001,
                BoundSide::Below => bound - 0.001,
            };
            assert!(measure.is_crossed(worse, bound), "{measure:?}");
        }
    }
}
