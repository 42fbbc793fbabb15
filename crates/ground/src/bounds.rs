//! Exact bounds of a rate that was seen in a sample (Clopper and Pearson, 1934).
//!
//! A tail is a sum of weights that follow from one another by a ratio, beginning at the most likely value with weight 1
//! and divided by the sum of all. So no gamma function and no incomplete beta function is needed, nothing overflows,
//! and a step loses no more than a rounding.

/// The number of times that a bound is halved: the interval is then narrower than the last digit of a share.
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

/// The share of the weight at or below `k` of the values from `low` to `high`. `ratio(x)` is the weight of x + 1
/// divided by that of x, and `mode` the value with the greatest weight.
#[must_use]
pub fn cumulated(k: u64, (low, high): (u64, u64), mode: u64, ratio: impl Fn(u64) -> f64) -> f64 {
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

/// The largest rate that `k` among `n` do not speak against at confidence 1 − `delta`: an upper bound, exact on one
/// side. 1 where nothing was inspected.
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

/// The smallest rate that `k` among `n` do not speak against: 0 where there is none.
#[must_use]
pub fn lower_bound(k: u64, n: u64, delta: f64) -> f64 {
    if k == 0 { 0.0 } else { 1.0 - upper_bound(n.saturating_sub(k), n, delta) }
}

/// A count as a number to reckon with.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "no one counts to 2^53")]
pub fn real(count: u64) -> f64 {
    count as f64
}

/// The whole part of a number that is not negative.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast stops at the bounds")]
pub fn whole(number: f64) -> u64 {
    number as u64
}

#[cfg(test)]
mod tests {
    use super::{lower_bound, upper_bound};

    #[test]
    fn bounds_are_those_of_the_tables() {
        // Clopper and Pearson, one-sided 95 %: 0 of 10, 10 of 10, 5 of 10.
        let near = |a: f64, b: f64| (a - b).abs() < 5e-4;
        assert!(near(upper_bound(0, 10, 0.05), 0.2589) && near(lower_bound(10, 10, 0.05), 0.7411));
        assert!(near(upper_bound(5, 10, 0.05), 0.7776) && near(lower_bound(5, 10, 0.05), 0.2224));
        assert!(near(lower_bound(0, 10, 0.05), 0.0) && near(upper_bound(10, 10, 0.05), 1.0));
    }
}
