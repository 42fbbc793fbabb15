//! Thresholds tested one after the other, the strictest first, each at the whole confidence, until one fails (fixed-sequence
//! testing: Maurer, Hothorn and Lehmacher, 1995; as "Learn then Test" for thresholds: Angelopoulos and others, 2021).
//!
//! The order is fixed before any label is seen. So the first mistake must be at the first threshold in the order that
//! breaks the promise, and that one test errs with a probability of at most δ: it need not be divided over the grid.
//!
//! A threshold that too few reviewed documents reach could not be certified whatever their labels are, and is left out.
//! That depends on scores only. It keeps the promise exactly where documents with a higher score are wrong no more
//! often than those with a lower one; for other shapes `examples/certificate_coverage` measures what becomes of it.

use super::distribution::{binomial_cdf, hypergeometric_cdf, least, real, whole};
use crate::value::EPSILON;
use serde::{Deserialize, Serialize};

/// A promise: at most `share` of the accepted documents are wrong, with an error probability of `delta`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Promise {
    /// The share, between 0 and 1.
    pub share: f64,
    /// One minus the confidence.
    pub delta: f64,
}

/// The counts at one threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Reviewed documents that would be accepted.
    pub accepted: u64,
    /// The number of these that hold a wrong value.
    pub wrong: u64,
    /// The number of documents of the batch that would be accepted, if the promise is about one batch; `None` if it is
    /// about all documents to come.
    pub batch: Option<u64>,
}

/// The evidence for a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// The probability of finding no more wrong ones than were found if the promise were broken: certified at δ or
    /// less.
    PValue(f64),
    /// The highest outcome of betting against a broken promise: certified at 1 / δ or more.
    EValue(f64),
}

/// The outcome at one threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// Too few reviewed documents reach it: no labels could certify it.
    TooFew,
    /// The promise holds with the confidence.
    Certified,
    /// It was tested, and is not shown to hold.
    NotCertified,
    /// A stricter one was not certified, so that it was not tested.
    NotTested,
}

impl Evidence {
    fn certifies(self, delta: f64) -> bool {
        match self {
            Evidence::PValue(p) => p <= delta,
            Evidence::EValue(e) => e >= 1.0 / delta,
        }
    }
}

impl Promise {
    /// The probability of finding at most so many wrong ones if the promise were broken.
    #[must_use]
    pub fn p_value(&self, counts: &Counts) -> f64 {
        match counts.batch {
            None => binomial_cdf(counts.wrong, counts.accepted, self.share),
            Some(batch) => {
                let allowed = whole(self.share * real(batch) + EPSILON);
                hypergeometric_cdf(counts.wrong, batch, allowed + 1, counts.accepted)
            }
        }
    }

    /// The fewest reviewed and accepted documents that certify with so many wrong ones among them.
    #[must_use]
    pub fn least_accepted(&self, wrong: u64, batch: Option<u64>) -> Option<u64> {
        let most = batch.unwrap_or(100_000_000);
        if wrong >= most {
            return None;
        }
        least(wrong + 1, most, |accepted| self.p_value(&Counts { accepted, wrong, batch }) <= self.delta)
    }

    /// The number of wrong documents that a threshold must be able to bear to be tested: one, or none if fewer than
    /// twice as many documents were reviewed as that needs. Testing a threshold that bears none stops at the first
    /// wrong document.
    #[must_use]
    pub fn bearable(&self, reviewed: u64) -> u64 {
        let needed = self.least_accepted(1, None).unwrap_or(u64::MAX);
        u64::from(reviewed >= needed.saturating_mul(2))
    }

    /// Tests thresholds in their order. `reviewed` is the number of reviewed documents, accepted or not.
    #[must_use]
    pub fn test_once(&self, thresholds: &[Counts], reviewed: u64) -> Vec<(Evidence, Verdict)> {
        let wrong = self.bearable(reviewed);
        let enough = |counts: &Counts| {
            let borne = Counts { wrong, ..*counts };
            counts.accepted > wrong && self.p_value(&borne) <= self.delta
        };
        // With none accepted nothing is found wrong, and nothing is shown.
        let evidence =
            |counts: &Counts| if counts.accepted == 0 { 1.0 } else { self.p_value(counts).min(1.0) };
        self.walk(thresholds.iter().map(|counts| (Evidence::PValue(evidence(counts)), enough(counts))))
    }

    /// Like [`Promise::test_once`], with the outcome of betting at each threshold. None is left out: which ones have
    /// enough documents differs from look to look, and the order must not.
    #[must_use]
    pub fn test_any_time(&self, wealth: &[f64]) -> Vec<(Evidence, Verdict)> {
        self.walk(wealth.iter().map(|wealth| (Evidence::EValue(*wealth), true)))
    }

    fn walk(&self, thresholds: impl Iterator<Item = (Evidence, bool)>) -> Vec<(Evidence, Verdict)> {
        let (mut begun, mut failed) = (false, false);
        thresholds
            .map(|(evidence, enough)| {
                let verdict = match (failed, begun || enough) {
                    (true, _) => Verdict::NotTested,
                    (false, false) => Verdict::TooFew,
                    (false, true) if evidence.certifies(self.delta) => Verdict::Certified,
                    (false, true) => Verdict::NotCertified,
                };
                begun |= verdict != Verdict::TooFew;
                failed |= verdict == Verdict::NotCertified;
                (evidence, verdict)
            })
            .collect()
    }
}

/// The most lenient threshold that is certified: its index in the order.
#[must_use]
pub fn certified(tested: &[(Evidence, Verdict)]) -> Option<usize> {
    tested.iter().rposition(|(_, verdict)| *verdict == Verdict::Certified)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROMISE: Promise = Promise { share: 0.02, delta: 0.05 };

    fn counts(pairs: &[(u64, u64)]) -> Vec<Counts> {
        pairs
            .iter()
            .map(|(accepted, wrong)| Counts { accepted: *accepted, wrong: *wrong, batch: None })
            .collect()
    }

    fn verdicts(tested: &[(Evidence, Verdict)]) -> Vec<Verdict> {
        tested.iter().map(|(_, verdict)| *verdict).collect()
    }

    #[test]
    fn the_walk_leaves_out_what_is_too_small_and_ends_at_the_first_failure() {
        let tested =
            PROMISE.test_once(&counts(&[(0, 0), (100, 0), (240, 1), (320, 2), (400, 9), (700, 9)]), 1_000);
        use Verdict::{Certified, NotCertified, NotTested, TooFew};
        assert_eq!(verdicts(&tested), [TooFew, TooFew, Certified, Certified, NotCertified, NotTested]);
        assert_eq!(certified(&tested), Some(3));
    }

    #[test]
    fn few_reviews_must_bear_no_wrong_one_to_be_tested() {
        assert_eq!((PROMISE.bearable(471), PROMISE.bearable(472)), (0, 1));
        let some = counts(&[(149, 0)]);
        assert_eq!(certified(&PROMISE.test_once(&some, 300)), Some(0));
        // With more reviews, it is left out: a threshold that bears none would end the walk too often.
        assert_eq!(verdicts(&PROMISE.test_once(&some, 1_000)), [Verdict::TooFew]);
    }

    #[test]
    fn one_batch_needs_fewer_and_a_batch_looked_at_whole_needs_no_luck() {
        assert_eq!(PROMISE.least_accepted(0, None), Some(149));
        assert_eq!(PROMISE.least_accepted(0, Some(1_000)), Some(132));
        assert_eq!(PROMISE.least_accepted(0, Some(500)), Some(119));
        let whole = [
            Counts { accepted: 100, wrong: 2, batch: Some(100) },
            Counts { accepted: 120, wrong: 3, batch: Some(120) },
        ];
        assert_eq!(verdicts(&PROMISE.test_once(&whole, 120)), [Verdict::Certified, Verdict::NotCertified]);
    }

    #[test]
    fn betting_is_tested_in_the_order_without_leaving_any_out() {
        let tested = PROMISE.test_any_time(&[25.0, 19.0, 300.0]);
        assert_eq!(verdicts(&tested), [Verdict::Certified, Verdict::NotCertified, Verdict::NotTested]);
    }
}
