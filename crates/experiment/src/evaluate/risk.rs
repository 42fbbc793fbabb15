//! Risk against coverage: of the documents with the highest scores, how many are wrong?

use super::clusters::ClusterSizes;
use super::evaluation::rounded;
use crate::statistics::{self, Interval, real};
use serde::Serialize;

/// Documents sorted by their score, the highest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RiskCoverage {
    /// The area under the curve: the mean over all coverages of the share that is wrong, from 0 to 1. Documents of one score are taken in
    /// no order. `None` without documents.
    pub area: Option<f64>,
    /// The area if every right document had a higher score than every wrong one.
    pub least_area: Option<f64>,
    /// The share of all documents that is wrong, which is the area if scores said nothing.
    pub share_wrong: Option<f64>,
    /// For each score, the documents with that score or a higher one. Those without a score come last.
    pub points: Vec<RiskPoint>,
}

/// A document with its score.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scored {
    pub(super) score: Option<f64>,
    pub(super) is_wrong: bool,
    pub(super) cluster: Option<usize>,
}

/// All documents with some score or a higher one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RiskPoint {
    /// The lowest score among them; `None` where some have none.
    pub score: Option<f64>,
    /// Their number.
    pub documents: u64,
    /// Their share of all documents.
    pub coverage: f64,
    /// The number that are wrong.
    pub wrong: u64,
    /// The share of them that is wrong.
    pub risk: f64,
    /// The interval of that share, for this point alone.
    pub interval: Interval,
}

impl RiskCoverage {
    /// The curve of scored documents.
    pub(super) fn of(mut documents: Vec<Scored>, confidence: f64) -> Self {
        // A missing score is below every other.
        documents.sort_by(|a, b| b.score.unwrap_or(-1.0).total_cmp(&a.score.unwrap_or(-1.0)));
        let all = documents.len() as u64;
        let mut curve = RiskCoverage::default();
        let mut clusters = ClusterSizes::default();
        let (mut taken, mut wrong, mut area) = (0_u64, 0_u64, 0.0);
        for tied in documents.chunk_by(|a, b| a.score == b.score) {
            let wrong_here = tied.iter().filter(|one| one.is_wrong).count() as u64;
            tied.iter().for_each(|one| clusters.add(one.cluster));
            // The expected number of wrong ones among the first, over all orders of the documents with one score.
            for number in 1..=tied.len() as u64 {
                let expected = real(wrong) + share(wrong_here, tied.len() as u64) * real(number);
                area += expected / real(taken + number);
            }
            taken += tied.len() as u64;
            wrong += wrong_here;
            let Some(interval) = clusters.interval(wrong, taken, confidence) else { continue };
            curve.points.push(RiskPoint {
                score: tied.first().and_then(|one| one.score).map(rounded),
                documents: taken,
                coverage: rounded(share(taken, all)),
                wrong,
                risk: rounded(share(wrong, taken)),
                interval,
            });
        }
        if all > 0 {
            let least: f64 = (all - wrong + 1..=all).map(|taken| share(taken + wrong - all, taken)).sum();
            curve.area = Some(rounded(area / real(all)));
            curve.least_area = Some(rounded(least / real(all)));
            curve.share_wrong = Some(rounded(share(wrong, all)));
        }
        curve
    }

    /// The points at which at least each tenth of all documents is taken, each once.
    pub fn tenths(&self) -> Vec<RiskPoint> {
        let mut tenths: Vec<RiskPoint> = Vec::new();
        for tenth in 1..=10_u32 {
            let asked = f64::from(tenth) / 10.0;
            let point = self.points.iter().find(|point| point.coverage >= asked - 1e-9);
            if let Some(point) = point.filter(|point| tenths.last() != Some(point)) {
                tenths.push(*point);
            }
        }
        tenths
    }
}

fn share(part: u64, whole: u64) -> f64 {
    statistics::share(part, whole).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scored(score: Option<f64>, is_wrong: bool) -> Scored {
        Scored { score, is_wrong, cluster: None }
    }

    fn curve(documents: &[(f64, bool)]) -> RiskCoverage {
        let documents = documents.iter().map(|(score, is_wrong)| scored(Some(*score), *is_wrong));
        RiskCoverage::of(documents.collect(), 0.95)
    }

    #[test]
    fn by_hand() {
        let found = curve(&[(0.9, false), (0.7, true), (0.8, false), (0.6, false)]);
        // 0/1, 0/2, 1/3, 1/4; at best 0, 0, 0, 1/4.
        assert_eq!(found.area, Some(rounded((1.0 / 3.0 + 0.25) / 4.0)));
        assert_eq!(found.least_area, Some(0.0625));
        assert_eq!(found.share_wrong, Some(0.25));
        let points: Vec<_> = found.points.iter().map(|p| (p.score, p.documents, p.wrong)).collect();
        assert_eq!(points, [(Some(0.9), 1, 0), (Some(0.8), 2, 0), (Some(0.7), 3, 1), (Some(0.6), 4, 1)]);
        assert_eq!(found.tenths().len(), 4);
        assert_eq!(RiskCoverage::of(Vec::new(), 0.95), RiskCoverage::default());
    }

    #[test]
    fn scores_that_say_nothing_have_the_area_of_the_share_that_is_wrong() {
        let found = curve(&[(1.0, true), (1.0, false), (1.0, false), (1.0, true)]);
        assert_eq!((found.area, found.share_wrong, found.points.len()), (Some(0.5), Some(0.5), 1));
    }

    #[test]
    fn what_has_no_score_comes_last() {
        let found = RiskCoverage::of(vec![scored(None, true), scored(Some(0.0), false)], 0.95);
        assert_eq!(
            found.points.iter().map(|p| (p.score, p.wrong)).collect::<Vec<_>>(),
            [(Some(0.0), 0), (None, 1)]
        );
    }

    proptest! {
        #[test]
        fn no_order_is_better_than_the_best(documents in prop::collection::vec((0..5_u8, any::<bool>()), 1..60)) {
            let documents: Vec<(f64, bool)> = documents.iter().map(|(s, w)| (f64::from(*s) / 4.0, *w)).collect();
            let found = curve(&documents);
            prop_assert!(found.least_area.unwrap() <= found.area.unwrap() + 1e-6);
            let last = found.points.last().unwrap();
            prop_assert_eq!(last.documents, documents.len() as u64);
            prop_assert!(found.points.windows(2).all(|two| two[0].coverage < two[1].coverage));
        }
    }
}
