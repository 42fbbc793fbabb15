//! The stop criteria that look at the course of the overall scores.

use crate::profile::{Baseline, MinImprovement, Oscillation, Stagnation};
use crate::value::{at_least, below};

/// The spread of the last `window` overalls; `None` while there are fewer.
pub(super) fn spread(criterion: Stagnation, overalls: &[f64]) -> Option<f64> {
    let recent = overalls.get(overalls.len().checked_sub(criterion.window)?..)?;
    let (low, high) =
        recent.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    Some(high - low)
}

/// The latest gain over the baseline, and how often in a row (the latest included) the gain was below `delta`.
/// `None` for candidate 0, which has no baseline.
pub(super) fn gain(criterion: MinImprovement, overalls: &[f64]) -> Option<(f64, usize)> {
    let gain_at = |at: usize| {
        let before = overalls.get(..at)?;
        let baseline = match criterion.baseline {
            Baseline::Previous => *before.last()?,
            Baseline::Best => before.iter().copied().reduce(f64::max)?,
        };
        Some(overalls.get(at)? - baseline)
    };
    let latest = gain_at(overalls.len().checked_sub(1)?)?;
    let misses =
        (0..overalls.len()).rev().map_while(gain_at).take_while(|gain| below(*gain, criterion.delta)).count();
    Some((latest, misses))
}

/// How many overalls at the end strictly fall, counting the first of them: 1 when the last one did not fall.
pub(super) fn falling(overalls: &[f64]) -> usize {
    let falls = overalls.windows(2).rev().take_while(|pair| matches!(pair, [a, b] if below(*b, *a))).count();
    falls + usize::from(!overalls.is_empty())
}

/// Changes of direction among the last `window` overalls. Two neighbouring differences of opposite sign, each at
/// least `amplitude` in size, are one change. Overalls that are equal, as comparisons of scores go, have no direction.
pub(super) fn flips(criterion: Oscillation, overalls: &[f64]) -> usize {
    let recent = overalls.get(overalls.len().saturating_sub(criterion.window)..).unwrap_or_default();
    let differences: Vec<f64> =
        recent.windows(2).map(|pair| if let [a, b] = pair { b - a } else { 0.0 }).collect();
    let counts =
        |difference: f64| below(0.0, difference.abs()) && at_least(difference.abs(), criterion.amplitude);
    differences
        .windows(2)
        .filter(|pair| matches!(pair, [a, b] if counts(*a) && counts(*b) && (a.signum() != b.signum())))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gain_of_exactly_delta_is_enough() {
        let criterion = MinImprovement { delta: 0.05, patience: 1, baseline: Baseline::Previous };
        assert_eq!(gain(criterion, &[0.80]), None);
        assert_eq!(gain(criterion, &[0.80, 0.85]).unwrap().1, 0);
        assert_eq!(gain(criterion, &[0.80, 0.8499]).unwrap().1, 1);
        assert_eq!(gain(criterion, &[0.80, 0.81, 0.82, 0.90, 0.91, 0.92]).unwrap().1, 2);
    }

    #[test]
    fn the_best_before_is_another_baseline_than_the_one_before() {
        let course = [0.80, 0.90, 0.70, 0.80];
        let previous = MinImprovement { delta: 0.05, patience: 1, baseline: Baseline::Previous };
        let best = MinImprovement { baseline: Baseline::Best, ..previous };
        assert_eq!(gain(previous, &course).unwrap().1, 0);
        assert_eq!(gain(best, &course).unwrap().1, 2);
    }

    #[test]
    fn spread_needs_its_whole_window() {
        let criterion = Stagnation { window: 3, epsilon: 0.05 };
        assert_eq!(spread(criterion, &[0.5, 0.5]), None);
        assert!((spread(criterion, &[0.1, 0.5, 0.52, 0.54]).unwrap() - 0.04).abs() < 1e-12);
    }

    #[test]
    fn falling_counts_scores_not_steps() {
        assert_eq!(falling(&[]), 0);
        assert_eq!(falling(&[0.5]), 1);
        assert_eq!(falling(&[0.9, 0.5, 0.6, 0.5, 0.4]), 3);
        assert_eq!(falling(&[0.5, 0.5]), 1);
    }

    #[test]
    fn small_differences_are_no_flips() {
        let criterion = Oscillation { window: 4, flips: 2, amplitude: 0.05 };
        assert_eq!(flips(criterion, &[0.5, 0.6, 0.5, 0.6]), 2);
        assert_eq!(flips(criterion, &[0.5, 0.6, 0.58, 0.68]), 0);
        assert_eq!(flips(criterion, &[0.6, 0.5, 0.6, 0.7, 0.8]), 0);
    }
}
