//! McNemar's exact test: do two policies pass equally many of the same documents?

use loopctl_ground::bounds::binomial_cdf;

/// Documents that one of two policies passes and the other does not. Those on which both agree say nothing about which is better.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Discordant {
    /// Passed by the first alone.
    pub first_only: usize,
    /// Passed by the second alone.
    pub second_only: usize,
}

/// The two-sided p-value of no difference: twice the probability that of so many fair coins at most the smaller count
/// falls on one side, at most 1. Exact at any number of documents (McNemar 1947; the binomial form).
#[must_use]
pub fn mcnemar_exact(discordant: Discordant) -> f64 {
    let Discordant { first_only, second_only } = discordant;
    let (all, fewer) = (first_only + second_only, first_only.min(second_only));
    (2.0 * binomial_cdf(fewer as u64, all as u64, 0.5)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::super::{numbers, oracle};
    use super::*;

    #[test]
    fn p_values_are_those_of_scipy() {
        for row in oracle("mcnemar_exact") {
            let [first, second, expected] = numbers(&row)[..] else { panic!() };
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small counts")]
            let discordant = Discordant { first_only: first as usize, second_only: second as usize };
            let found = mcnemar_exact(discordant);
            assert!((found - expected).abs() <= 1e-9 * expected, "{discordant:?}: {found}, not {expected}");
        }
    }
}
