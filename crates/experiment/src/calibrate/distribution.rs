//! Binomial and hypergeometric tails, and the exact bounds that follow from them (Clopper and Pearson, 1934): those of
//! grounding ([`loopctl_ground::bounds`]), and what samples of a run need besides. `tests/it/calibrate/oracle.json` has
//! the values of scipy.

use loopctl_ground::bounds::cumulated;
pub use loopctl_ground::bounds::{binomial_cdf, lower_bound, upper_bound};
pub(super) use loopctl_ground::bounds::{real, whole};

/// P(X ≤ k), where X is the number of wrong ones among `drawn`, drawn without replacement from `population`, of which
/// `wrong` are wrong. No more than there are can be drawn or wrong.
#[must_use]
pub fn hypergeometric_cdf(k: u64, population: u64, wrong: u64, drawn: u64) -> f64 {
    let (wrong, drawn) = (wrong.min(population), drawn.min(population));
    let low = (wrong + drawn).saturating_sub(population);
    let high = wrong.min(drawn);
    if k >= high {
        return 1.0;
    }
    if k < low {
        return 0.0;
    }
    let mode = whole((real(drawn) + 1.0) * (real(wrong) + 1.0) / (real(population) + 2.0)).clamp(low, high);
    let right = population - wrong;
    cumulated(k, (low, high), mode, |x| {
        real(wrong - x) * real(drawn - x) / ((real(x) + 1.0) * (real(right + x + 1) - real(drawn)))
    })
}

/// The interval of a share at this confidence: both bounds, each missed half as often as both together may be.
#[must_use]
pub fn exact_interval(k: u64, n: u64, confidence: f64) -> (f64, f64) {
    let tail = (1.0 - confidence) / 2.0;
    (lower_bound(k, n, tail), upper_bound(k, n, tail))
}

/// The most of a `population` that may be wrong if `k` of `n` drawn from it are, at confidence 1 − `delta`.
#[must_use]
pub fn most_wrong(k: u64, n: u64, population: u64, delta: f64) -> u64 {
    let (n, k) = (n.min(population), k.min(n));
    // Those that are known to be right can't be wrong.
    let (mut possible, mut impossible) = (k, population - (n - k) + 1);
    while possible + 1 < impossible {
        let middle = possible + (impossible - possible) / 2;
        if hypergeometric_cdf(k, population, middle, n) > delta {
            possible = middle;
        } else {
            impossible = middle;
        }
    }
    possible
}

/// The least number with a property that all larger ones have, too; `None` if `most` does not have it.
pub(super) fn least(from: u64, most: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    if holds(from) {
        return Some(from);
    }
    let (mut fails, mut step) = (from, 1_u64);
    let mut found = loop {
        let next = fails.saturating_add(step).min(most);
        if holds(next) {
            break next;
        }
        if next >= most {
            return None;
        }
        (fails, step) = (next, step.saturating_mul(2));
    };
    while fails + 1 < found {
        let middle = fails + (found - fails) / 2;
        if holds(middle) { found = middle } else { fails = middle }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_least_samples_come_out() {
        // n ≥ ln δ / ln(1 − α) where none is wrong.
        let least_sample = |k: u64, share: f64| least(k + 1, 10_000, |n| binomial_cdf(k, n, share) <= 0.05);
        assert_eq!([0, 1, 2].map(|k| least_sample(k, 0.02)), [Some(149), Some(236), Some(313)]);
        assert_eq!([0, 1, 2].map(|k| least_sample(k, 0.05)), [Some(59), Some(93), Some(124)]);
        assert_eq!(least(1, 100, |n| n > 1_000), None);
    }

    #[test]
    fn nothing_looked_at_says_nothing_and_all_looked_at_says_all() {
        assert_eq!((upper_bound(0, 0, 0.05), lower_bound(0, 0, 0.05)), (1.0, 0.0));
        assert_eq!(most_wrong(0, 0, 50, 0.05), 50);
        assert_eq!(most_wrong(3, 50, 50, 0.05), 3);
        assert_eq!(hypergeometric_cdf(0, 10, 0, 10), 1.0);
        assert_eq!(binomial_cdf(0, 3, 1.0), 0.0);
    }

    proptest! {
        #[test]
        fn a_tail_is_a_share_that_grows_with_k_and_falls_with_the_chance(n in 1_u64..3_000, k in 0_u64..3_000, p in 0.0_f64..1.0) {
            let tail = binomial_cdf(k, n, p);
            prop_assert!((0.0..=1.0).contains(&tail));
            prop_assert!(binomial_cdf(k + 1, n, p) >= tail - 1e-12);
            prop_assert!(binomial_cdf(k, n, (p + 0.01).min(1.0)) <= tail + 1e-12);
        }

        #[test]
        fn a_large_population_is_like_drawing_with_returning(n in 1_u64..200, k in 0_u64..20, p in 0.01_f64..0.5) {
            let population = 100_000_000_u64;
            let without = hypergeometric_cdf(k, population, whole(p * 1e8), n);
            prop_assert!((without - binomial_cdf(k, n, p)).abs() < 1e-4);
        }
    }
}
