//! Student's t-test for a mean of paired differences of 0, limited to what so few documents can show.

use super::beta::regularised_beta;
use super::{Spread, number};

/// The two-sided p-value of a mean difference of 0 by the paired t-test (Student 1908), but never below 2^(1 − n): a
/// test that only supposes that the sign of each of n differences falls as a fair coin does (Fisher 1935) can't come
/// below it either. So a handful of equal differences, whose deviation is 0, shows no more than they do. 1 for fewer
/// than two differences.
#[must_use]
pub fn paired_t(differences: &[f64]) -> f64 {
    let Some(Spread { mean, deviation }) = Spread::of(differences) else { return 1.0 };
    // A rounding error of additions is no difference.
    if mean.abs() <= 1e-12 {
        return 1.0;
    }
    let count = number(differences.len());
    let degrees = count - 1.0;
    let t = mean / (deviation / count.sqrt());
    let student = if deviation <= 1e-12 {
        0.0
    } else {
        regularised_beta(degrees / (degrees + t * t), degrees / 2.0, 0.5)
    };
    student.max((1.0 - count).exp2()).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Differences with a mean of 1 and a t of this size, an even number of them.
    fn with_t(count: usize, t: f64) -> Vec<f64> {
        // Half of them a step above the mean, half below: the deviation is step · √(n / (n − 1)).
        let step = (number(count) - 1.0).sqrt() / t;
        (0..count).map(|at| if at % 2 == 0 { 1.0 + step } else { 1.0 - step }).collect()
    }

    /// The quantiles of every table of Student's distribution.
    #[test]
    fn p_values_are_those_of_the_tables() {
        for (count, t, expected) in [(10, 2.262_157, 0.05), (20, 2.093_024, 0.05), (20, 2.860_935, 0.01)] {
            let found = paired_t(&with_t(count, t));
            assert!((found - expected).abs() < 1e-6, "{count}, {t}: {found}");
        }
    }

    #[test]
    fn few_documents_show_little_however_equal_their_differences_are() {
        assert!((paired_t(&[1.0; 5]) - 0.0625).abs() < 1e-12);
        assert!((paired_t(&[0.0; 5]) - 1.0).abs() < 1e-12);
        assert!((paired_t(&[1.0]) - 1.0).abs() < 1e-12);
        assert!(paired_t(&[1.0; 20]) < 1e-5);
    }
}
