//! Binomial and hypergeometric tails, and the exact bounds that follow from them (Clopper and Pearson, 1934).
//!
//! Each tail is a sum of weights that follow from one another by a ratio, beginning at the most likely value with weight 1 and
//! divided by the sum of all. So no gamma function and no incomplete beta function is needed, nothing overflows, and a step
//! loses no more than a rounding: `tests/it/calibrate/oracle.json` has what scipy says.

/// How often a bound is halved: the interval is then narrower than the last digit of a share.
const HALVINGS: u32 = 60;

/// P(X ≤ k), where X is how many of `n` draws are wrong and each is with chance `p`.
#[must_use]
pub fn binomial_cdf(k: u64, n: u64, p: f64) -> f64 {
    if k >= n || p <= 0.0 {
        return 1.0;
    }
    if p >= 1.0 {
        return 0.0;
    }
    let odds = p / (1.0 - p);
    let mode = whole((real(n) + 1.0) * p).min(n);
    cumulated(k, (0, n), mode, |x| real(n - x) / (real(x) + 1.0) * odds)
}

/// P(X ≤ k), where X is how many of `drawn` are wrong, drawn without returning them from `population`, of which `wrong` are.
/// More than there are can't be drawn or wrong.
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

/// The share of the weight at or below `k`. `ratio(x)` is the weight of x + 1 divided by that of x.
fn cumulated(k: u64, (low, high): (u64, u64), mode: u64, ratio: impl Fn(u64) -> f64) -> f64 {
    let (mut below, mut above) = (0.0, 0.0);
    let mut add = |x: u64, weight: f64| if x <= k { below += weight } else { above += weight };
    add(mode, 1.0);
    let mut weight = 1.0;
    for x in (low..mode).rev() {
        weight /= ratio(x);
        // Smaller ones change nothing, unless they are all that is asked for.
        if weight == 0.0 || (mode <= k && weight < f64::EPSILON * f64::EPSILON) {
            break;
        }
        add(x, weight);
    }
    weight = 1.0;
    for x in mode..high {
        weight *= ratio(x);
        if weight < f64::EPSILON * f64::EPSILON {
            break;
        }
        add(x + 1, weight);
    }
    below / (below + above)
}

/// The largest share of wrong ones that `k` wrong among `n` do not speak against at confidence 1 − `delta`: an upper bound, exact
/// on one side. 1 where nothing was looked at.
#[must_use]
pub fn upper_bound(k: u64, n: u64, delta: f64) -> f64 {
    if k >= n {
        return 1.0;
    }
    let (mut low, mut high) = (real(k) / real(n), 1.0);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if binomial_cdf(k, n, middle) > delta { low = middle } else { high = middle }
    }
    high
}

/// The same from below: 0 where none is wrong.
#[must_use]
pub fn lower_bound(k: u64, n: u64, delta: f64) -> f64 {
    if k == 0 { 0.0 } else { 1.0 - upper_bound(n.saturating_sub(k), n, delta) }
}

/// Where a share lies with this confidence: both bounds, each missed half as often as both together may be.
#[must_use]
pub fn exact_interval(k: u64, n: u64, confidence: f64) -> (f64, f64) {
    let tail = (1.0 - confidence) / 2.0;
    (lower_bound(k, n, tail), upper_bound(k, n, tail))
}

/// The most of a `population` that may be wrong where `k` of `n` that were drawn from it are, at confidence 1 − `delta`.
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

/// The least number that has a property which all larger ones have, too; `None` where `most` has it not.
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

/// A count as a number to reckon with.
#[expect(clippy::cast_precision_loss, reason = "nobody reviews 2^53 documents")]
pub(super) fn real(count: u64) -> f64 {
    count as f64
}

/// The whole part of a number that is not negative.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast stops at the bounds")]
pub(super) fn whole(number: f64) -> u64 {
    number as u64
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
