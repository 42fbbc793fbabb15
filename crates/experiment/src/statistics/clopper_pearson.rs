//! The exact interval of a share (Clopper and Pearson 1934, doi:10.1093/biomet/26.4.404).

use super::beta::regularised_beta;
use super::real;
use serde::{Deserialize, Serialize};

/// The range in which a number may lie.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The least.
    pub low: f64,
    /// The greatest.
    pub high: f64,
}

/// The exact two-sided interval of a share of which `successes` among `trials` independent draws were seen: whatever the true share
/// is, it lies within in at least `confidence` of all samples. Shares and the confidence are from 0 to 1. `None` without trials, with
/// more successes than trials, or with a confidence that is not between 0 and 1.
#[must_use]
pub fn clopper_pearson(successes: u64, trials: u64, confidence: f64) -> Option<Interval> {
    if trials == 0 || successes > trials || !(confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    Some(interval(real(successes), real(trials), confidence))
}

/// Like [`clopper_pearson`], for a share that was seen among so many trials as `effective` independent ones are worth,
/// which need not be a whole number (Korn and Graubard 1998). `None` as there, and without an effective number above 0.
#[must_use]
pub fn clopper_pearson_of_share(
    successes: u64,
    trials: u64,
    effective: f64,
    confidence: f64,
) -> Option<Interval> {
    if trials == 0
        || successes > trials
        || !(confidence > 0.0 && confidence < 1.0)
        || effective.is_nan()
        || effective <= 0.0
    {
        return None;
    }
    Some(interval(real(successes) / real(trials) * effective, effective, confidence))
}

fn interval(k: f64, n: f64, confidence: f64) -> Interval {
    let tail = (1.0 - confidence) / 2.0;
    let low = if k <= 0.0 { 0.0 } else { quantile(tail, k, n - k + 1.0) };
    let high = if k >= n { 1.0 } else { quantile(1.0 - tail, k + 1.0, n - k) };
    Interval { low, high }
}

/// The quantile of Beta(a, b) by bisection, which is slow, but right wherever the distribution function is.
fn quantile(probability: f64, a: f64, b: f64) -> f64 {
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high || high - low < 1e-15 {
            return middle;
        }
        if regularised_beta(middle, a, b) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The values of scipy, written by `clopper_pearson.py` beside this file.
    const ORACLE: &str = include_str!("clopper_pearson.csv");

    #[test]
    fn agrees_with_scipy() {
        let mut rows = 0;
        for row in ORACLE.lines().skip(1) {
            let cells: Vec<&str> = row.split(',').collect();
            let number = |at: usize| cells[at].parse::<f64>().unwrap();
            let count = |at: usize| cells[at].parse::<u64>().unwrap();
            let found = clopper_pearson(count(0), count(1), number(2)).unwrap();
            for (own, scipy) in [(found.low, number(3)), (found.high, number(4))] {
                assert!((own - scipy).abs() < 1e-9, "{row}: {own} is not {scipy}");
            }
            rows += 1;
        }
        assert!(rows > 100, "{rows} rows");
    }

    #[test]
    fn fewer_effective_trials_say_less() {
        let plain = clopper_pearson(3, 60, 0.95).unwrap();
        let all = clopper_pearson_of_share(3, 60, 60.0, 0.95).unwrap();
        assert!((plain.low - all.low).abs() < 1e-12 && (plain.high - all.high).abs() < 1e-12);
        let few = clopper_pearson_of_share(3, 60, 17.5, 0.95).unwrap();
        assert!(few.low < plain.low && few.high > plain.high);
        // None of sixty in six clusters says as much as none of six.
        assert_eq!(clopper_pearson_of_share(0, 60, 6.0, 0.95), clopper_pearson(0, 6, 0.95));
        assert_eq!(clopper_pearson_of_share(0, 60, 0.0, 0.95), None);
    }

    #[test]
    fn nothing_is_said_of_nothing() {
        assert_eq!(clopper_pearson(0, 0, 0.95), None);
        assert_eq!(clopper_pearson(2, 1, 0.95), None);
        assert_eq!(clopper_pearson(1, 2, 1.0), None);
        assert_eq!(clopper_pearson(1, 2, f64::NAN), None);
    }

    proptest! {
        #[test]
        fn it_holds_the_share_that_was_seen_and_grows_with_confidence(
            (successes, trials) in (1_u64..3_000).prop_flat_map(|trials| (0..=trials, Just(trials))),
            confidence in 0.01_f64..0.99,
        ) {
            let inner = clopper_pearson(successes, trials, confidence).unwrap();
            let outer = clopper_pearson(successes, trials, confidence + 0.009).unwrap();
            let seen = successes as f64 / trials as f64;
            prop_assert!(0.0 <= inner.low && inner.low <= seen && seen <= inner.high && inner.high <= 1.0);
            prop_assert!(outer.low <= inner.low && inner.high <= outer.high);
            // The same from the other side.
            let mirrored = clopper_pearson(trials - successes, trials, confidence).unwrap();
            prop_assert!((1.0 - mirrored.high - inner.low).abs() < 1e-9);
        }
    }
}
