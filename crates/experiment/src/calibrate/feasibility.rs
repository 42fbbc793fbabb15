//! The feasibility of certificates: what can be certified at all, and how many further reviews it takes, of which kind.

use super::betting::{Against, Wealth};
use super::distribution::{least, real, whole};
use super::sequence::{Counts, Evidence, Promise, Verdict, certified};
use crate::profile::Looks;
use serde::{Deserialize, Serialize};

/// The most further reviews that are considered.
const MOST_REVIEWS: u64 = 10_000_000;

/// The requirements for certifying something about a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Feasibility {
    /// The fewest accepted documents that certify with 0, 1 and 2 wrong ones among them.
    pub least_accepted: Vec<u64>,
    /// The share of documents that must be held back in any case, if as many of all documents are wrong as of the
    /// reviewed ones: (μ − α) / (1 − α). 0 if all could be accepted.
    pub held_back_at_least: f64,
    /// The further reviews that would be needed, if that can be computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more: Option<MoreReviews>,
}

/// Further reviews that would certify a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MoreReviews {
    /// The threshold that is nearest to being certified.
    pub threshold: f64,
    /// `true` if they must be newly drawn, and those that were reviewed do not count: the promise allows one look at
    /// them, and the test failed.
    pub anew: bool,
    /// Reviewed documents that reach it so far.
    pub accepted: u64,
    /// The number of these that are wrong.
    pub wrong: u64,
    /// Further documents above it that certify it if none of them is wrong.
    pub if_none_is_wrong: u64,
    /// Like `if_none_is_wrong`, if they are wrong as often as those so far.
    pub at_this_rate: u64,
    /// Documents to draw at random so that, on average, `at_this_rate` of them reach the threshold.
    pub to_draw: u64,
}

impl Feasibility {
    /// Computes it. `reviewed` is the number of reviewed documents of the group and the number of these that are wrong;
    /// `tested` is the outcome at the thresholds.
    pub(super) fn of(
        promise: Promise,
        looks: Looks,
        reviewed: (u64, u64),
        grid: &[f64],
        counts: &[Counts],
        tested: &[(Evidence, Verdict)],
    ) -> Self {
        let batch = counts.last().and_then(|counts| counts.batch);
        // Fewer are not tested.
        let fewest = match looks {
            Looks::AnyTime => 0,
            _ => promise.least_accepted(promise.bearable(reviewed.0), batch).unwrap_or(u64::MAX),
        };
        let least_accepted = (0..3).filter_map(|wrong| promise.fewest(looks, wrong, batch)).collect();
        let base = real(reviewed.1) / real(reviewed.0.max(1));
        let held_back_at_least = ((base - promise.share) / (1.0 - promise.share)).max(0.0);
        // Where one failed, no more lenient one is tested before it passes. A stricter one had too few, and comes first with more.
        let failed = tested.iter().position(|(_, verdict)| *verdict == Verdict::NotCertified);
        let anew = failed.is_some() && looks == Looks::Once;
        let more = grid
            .iter()
            .zip(counts)
            .enumerate()
            .filter(|(place, _)| certified(tested).is_none() && failed.is_none_or(|failed| *place <= failed))
            .filter_map(|(_, (threshold, counts))| {
                MoreReviews::of(*threshold, counts, reviewed.0, anew, |counts| {
                    counts.accepted >= fewest && promise.passes(looks, counts)
                })
            })
            .min_by_key(|more| more.to_draw);
        Feasibility { least_accepted, held_back_at_least, more }
    }
}

impl Promise {
    /// Returns whether these counts alone certify a threshold.
    fn passes(&self, looks: Looks, counts: Counts) -> bool {
        match looks {
            Looks::AnyTime => {
                let right = counts.accepted - counts.wrong.min(counts.accepted);
                Wealth::after(Against::More, self.share, right, counts.wrong) >= 1.0 / self.delta
            }
            _ => self.p_value(&counts) <= self.delta,
        }
    }

    /// The fewest reviewed and accepted documents that certify with so many wrong ones among them.
    pub(super) fn fewest(&self, looks: Looks, wrong: u64, batch: Option<u64>) -> Option<u64> {
        let most = batch.unwrap_or(MOST_REVIEWS);
        if wrong >= most {
            return None;
        }
        least(wrong + 1, most, |accepted| self.passes(looks, Counts { accepted, wrong, batch }))
    }
}

impl MoreReviews {
    fn of(
        threshold: f64,
        counts: &Counts,
        reviewed: u64,
        anew: bool,
        passes: impl Fn(Counts) -> bool,
    ) -> Option<Self> {
        let Counts { accepted, wrong, batch } = *counts;
        if accepted == 0 {
            return None;
        }
        let begin = if anew { (0, 0) } else { (accepted, wrong) };
        let most = batch.map_or(MOST_REVIEWS, |batch| batch - begin.0.min(batch));
        let with = |more: u64, wrong: u64| {
            passes(Counts { accepted: begin.0 + more, wrong: begin.1 + wrong, batch })
        };
        let if_none_is_wrong = least(u64::from(anew), most, |more| with(more, 0))?;
        let at_this_rate = least(if_none_is_wrong, most, |more| {
            let share = real(wrong) / real(accepted);
            with(more, whole((real(more) * share).ceil()))
        })?;
        let to_draw = whole((real(at_this_rate) * real(reviewed) / real(accepted)).ceil());
        Some(MoreReviews { threshold, anew, accepted, wrong, if_none_is_wrong, at_this_rate, to_draw })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROMISE: Promise = Promise { share: 0.02, delta: 0.05 };

    fn feasibility(looks: Looks, reviewed: (u64, u64), counts: &[(u64, u64)]) -> Feasibility {
        let grid: Vec<f64> = (0..counts.len()).map(|k| [0.98, 0.93, 0.88][k]).collect();
        let counts: Vec<Counts> = counts
            .iter()
            .map(|(accepted, wrong)| Counts { accepted: *accepted, wrong: *wrong, batch: None })
            .collect();
        let tested = match looks {
            Looks::Once => PROMISE.test_once(&counts, reviewed.0),
            _ => PROMISE.test_any_time(&vec![1.0; counts.len()]),
        };
        Feasibility::of(PROMISE, looks, reviewed, &grid, &counts, &tested)
    }

    #[test]
    fn the_threshold_that_takes_the_fewest_draws_is_named() {
        let found = feasibility(Looks::Once, (200, 20), &[(20, 0), (100, 0), (150, 6)]);
        assert_eq!(found.least_accepted, [149, 236, 313]);
        let more = found.more.unwrap();
        assert_eq!(
            (more.threshold, more.if_none_is_wrong, more.at_this_rate, more.to_draw),
            // The last one was tested and failed: 149 others, and not 49 more.
            (0.93, 149, 149, 298)
        );
        assert!((found.held_back_at_least - 0.08 / 0.98).abs() < 1e-12);
    }

    #[test]
    fn no_number_of_reviews_helps_where_too_many_are_wrong() {
        assert_eq!(feasibility(Looks::Once, (200, 20), &[(100, 4), (150, 9)]).more, None);
        assert_eq!(feasibility(Looks::Once, (200, 20), &[(0, 0)]).more, None);
        // One wrong of a hundred is less than two of a hundred, and it takes many to tell.
        let more = feasibility(Looks::Once, (200, 2), &[(100, 1)]).more.unwrap();
        assert!(more.at_this_rate > more.if_none_is_wrong && more.if_none_is_wrong == 136, "{more:?}");
    }

    #[test]
    fn where_one_failed_it_is_that_one_that_needs_more() {
        // The second would pass by itself, and is not tested before the first does.
        let found = feasibility(Looks::Once, (900, 7), &[(240, 3), (800, 7)]);
        let more = found.more.unwrap();
        // These labels were inspected, and count no longer: as many again as would have sufficed.
        assert!(more.anew && more.threshold == 0.98 && more.if_none_is_wrong == 236, "{more:?}");
        assert!(more.at_this_rate > 240 && more.to_draw >= more.at_this_rate * 900 / 240, "{more:?}");
        assert_eq!(feasibility(Looks::Once, (900, 7), &[(240, 7), (800, 7)]).more, None);
        assert_eq!(feasibility(Looks::Once, (300, 0), &[(200, 0)]).more, None);
        // With so many reviews a threshold must be able to bear a wrong one.
        let more = feasibility(Looks::Once, (900, 0), &[(200, 0)]).more.unwrap();
        assert_eq!((more.if_none_is_wrong, more.at_this_rate), (36, 36));
    }

    #[test]
    fn looking_at_any_time_takes_more() {
        let found = feasibility(Looks::AnyTime, (200, 0), &[(100, 0)]);
        assert_eq!(found.least_accepted.first(), Some(&220));
        assert_eq!(found.more.map(|more| more.at_this_rate), Some(120));
    }
}
