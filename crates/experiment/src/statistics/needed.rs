//! The number of documents that it takes to tell two policies apart.

use super::{normal_quantile, number};

/// The spread of the paired differences of documents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation (of the sample: n − 1).
    pub deviation: f64,
}

impl Spread {
    /// The spread of some differences; `None` for fewer than two.
    #[must_use]
    pub fn of(differences: &[f64]) -> Option<Self> {
        let count = number(differences.len());
        if differences.len() < 2 {
            return None;
        }
        let mean = differences.iter().sum::<f64>() / count;
        let squares: f64 = differences.iter().map(|difference| (difference - mean).powi(2)).sum();
        Some(Spread { mean, deviation: (squares / (count - 1.0)).sqrt() })
    }
}

/// The number of documents with which a mean difference of this size is seen with probability `power` by a two-sided
/// paired test that is wrong with probability `alpha` if there is none: `((z(1 − α/2) + z(power)) · s / |d|)²`, rounded
/// up, and at least 2. `None` if there is no difference to be seen, or 10¹⁵ documents or more would be needed.
#[must_use]
pub fn documents_needed(spread: Spread, alpha: f64, power: f64) -> Option<u64> {
    let z = normal_quantile(1.0 - alpha / 2.0) + normal_quantile(power);
    let ratio = z * spread.deviation / spread.mean.abs();
    let needed = (ratio * ratio).ceil().max(2.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
    (spread.mean != 0.0 && needed < 1e15).then_some(needed as u64)
}

#[cfg(test)]
mod tests {
    use super::super::{numbers, oracle};
    use super::*;

    #[test]
    fn numbers_of_documents_are_those_of_the_formula_with_scipy_s_quantiles() {
        for row in oracle("documents_needed") {
            let [mean, deviation, alpha, power, expected] = numbers(&row)[..] else { panic!() };
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
            let expected = Some(expected as u64);
            assert_eq!(documents_needed(Spread { mean, deviation }, alpha, power), expected, "{row}");
        }
        assert_eq!(documents_needed(Spread { mean: 0.0, deviation: 1.0 }, 0.05, 0.8), None);
        assert_eq!(Spread::of(&[1.0]), None);
        assert_eq!(Spread::of(&[1.0, 3.0]), Some(Spread { mean: 2.0, deviation: 2.0_f64.sqrt() }));
    }
}
