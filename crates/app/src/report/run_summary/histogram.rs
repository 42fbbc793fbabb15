//! Distributions of scores, iterations and times.

use super::bounded::Count;
use crate::experiment::statistics::real;
use crate::value::{EPSILON, Millis};
use serde::{Deserialize, Serialize};

/// Bins of scores.
pub(super) const SCORE_BINS: usize = 20;
/// Numbers of iterations that are counted separately, from 0; the last is for all above it, too.
pub(super) const ITERATION_BINS: usize = 22;

/// Overall scores in bins of 0.05, each without its upper end; 1 is in the last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct ScoreHistogram(pub [u64; SCORE_BINS]);

impl ScoreHistogram {
    pub(super) fn add(&mut self, score: f64) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within 0..=20")]
        let bin = ((score.clamp(0.0, 1.0) + EPSILON) * 20.0) as usize;
        if let Some(count) = self.0.get_mut(bin.min(SCORE_BINS - 1)) {
            *count = count.saturating_add(1);
        }
    }
}

impl Count for ScoreHistogram {
    fn absorb(&mut self, other: Self) {
        add_all(&mut self.0, &other.0);
    }
}

/// Documents by their number of iterations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct IterationHistogram(pub [u64; ITERATION_BINS]);

impl IterationHistogram {
    pub(super) fn add(&mut self, iterations: usize) {
        if let Some(count) = self.0.get_mut(iterations.min(ITERATION_BINS - 1)) {
            *count = count.saturating_add(1);
        }
    }

    /// Numbers of iterations that occur, in words, with the number of documents that took them.
    pub(super) fn lines(&self) -> impl Iterator<Item = (String, u64)> {
        let all = self.0.iter().enumerate().filter(|(_, documents)| **documents > 0);
        all.map(|(iterations, documents)| match iterations {
            most if most + 1 == ITERATION_BINS => (format!("{most} or more"), *documents),
            few => (few.to_string(), *documents),
        })
    }
}

impl Count for IterationHistogram {
    fn absorb(&mut self, other: Self) {
        add_all(&mut self.0, &other.0);
    }
}

/// Upper ends of the bins of times, in milliseconds; longer times have a bin of their own.
const TIMES: [u64; 22] = [
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000,
    500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000,
];

/// Documents by the time that they took, in bins that grow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<TimeBin>", into = "Vec<TimeBin>")]
pub struct TimeHistogram([u64; TIMES.len() + 1]);

/// A bin as it is written: empty ones are left out.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct TimeBin {
    /// Its upper end, which is not in it; none where there is none.
    under_ms: Option<u64>,
    /// The number of documents.
    documents: u64,
}

impl TimeHistogram {
    pub(super) fn add(&mut self, time: Millis) {
        let bin = TIMES.partition_point(|end| *end <= time.0);
        if let Some(count) = self.0.get_mut(bin) {
            *count = count.saturating_add(1);
        }
    }

    /// The upper end of the bin below which this share of the documents is; `None` where there is no document, or no end.
    pub(super) fn under(&self, share: f64) -> Option<Millis> {
        let all: u64 = self.0.iter().sum();
        let wanted = real(all) * share;
        let mut sum = 0;
        let bin = self.0.iter().position(|count| {
            sum += count;
            sum > 0 && real(sum) >= wanted
        })?;
        TIMES.get(bin).copied().map(Millis)
    }
}

impl Count for TimeHistogram {
    fn absorb(&mut self, other: Self) {
        add_all(&mut self.0, &other.0);
    }
}

impl From<TimeHistogram> for Vec<TimeBin> {
    fn from(times: TimeHistogram) -> Self {
        let ends = TIMES.iter().copied().map(Some).chain([None]);
        let bins = ends.zip(times.0).filter(|(_, documents)| *documents > 0);
        bins.map(|(under_ms, documents)| TimeBin { under_ms, documents }).collect()
    }
}

impl From<Vec<TimeBin>> for TimeHistogram {
    fn from(bins: Vec<TimeBin>) -> Self {
        let mut times = TimeHistogram::default();
        for TimeBin { under_ms, documents } in bins {
            // An end that this version does not know is put into the bin that contains it.
            let bin = under_ms.map_or(TIMES.len(), |end| TIMES.partition_point(|known| *known < end));
            if let Some(count) = times.0.get_mut(bin) {
                *count = count.saturating_add(documents);
            }
        }
        times
    }
}

fn add_all(counts: &mut [u64], others: &[u64]) {
    counts.iter_mut().zip(others).for_each(|(count, other)| *count = count.saturating_add(*other));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_at_the_lower_end_of_a_bin_is_in_it() {
        for (score, bin) in
            [(0.0, 0), (0.049, 0), (0.05, 1), (0.1 + 0.2, 6), (0.95, 19), (1.0, 19), (7.0, 19)]
        {
            let mut scores = ScoreHistogram::default();
            scores.add(score);
            assert_eq!(scores.0.iter().position(|count| *count == 1), Some(bin), "{score}");
        }
        let mut scores = ScoreHistogram::default();
        scores.add(f64::NAN);
        assert_eq!(scores.0.iter().sum::<u64>(), 1);
    }

    #[test]
    fn times_are_in_bins_that_say_their_ends() {
        let mut times = TimeHistogram::default();
        for time in [0, 4, 4, 5, 1_500, 20_000_000] {
            times.add(Millis(time));
        }
        let written = serde_json::to_string(&times).unwrap();
        assert_eq!(
            written,
            r#"[{"under_ms":1,"documents":1},{"under_ms":5,"documents":2},{"under_ms":10,"documents":1},{"under_ms":2000,"documents":1},{"under_ms":null,"documents":1}]"#
        );
        assert_eq!(serde_json::from_str::<TimeHistogram>(&written).unwrap(), times);
        assert_eq!((times.under(0.5), times.under(0.9)), (Some(Millis(5)), None));
        assert_eq!(TimeHistogram::default().under(0.5), None);
    }
}
