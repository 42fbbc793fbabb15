//! Several tests at once: Holm's step-down procedure.

use super::number;

/// Adjusted p-values such that, if each is compared with α, the probability that any difference is seen where there is
/// none is at most α, however the tests depend on each other (Holm 1979). In the order of `p_values`.
#[must_use]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    let p = |at: usize| p_values.get(at).copied().unwrap_or(1.0);
    order.sort_by(|a, b| p(*a).total_cmp(&p(*b)));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut highest = 0.0_f64;
    for (rank, at) in order.into_iter().enumerate() {
        highest = highest.max(p(at) * number(p_values.len() - rank)).min(1.0);
        if let Some(place) = adjusted.get_mut(at) {
            *place = highest;
        }
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::super::{numbers, oracle};
    use super::*;

    #[test]
    fn adjusted_p_values_are_those_of_the_definition() {
        for row in oracle("holm") {
            let (given, expected) = (numbers(&row[0]), numbers(&row[1]));
            let found = holm(&given);
            assert!(
                found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12),
                "{given:?}: {found:?}, not {expected:?}"
            );
        }
        assert!(holm(&[]).is_empty());
    }
}
