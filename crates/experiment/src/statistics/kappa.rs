//! Agreement of two raters beyond chance (Cohen 1960, doi:10.1177/001316446002000104).

use super::number;
use std::collections::BTreeMap;

/// Cohen's kappa of the ratings that two raters gave the same things: 1 if they always agree, 0 if they agree as often
/// as by chance, less if they agree more rarely. `None` for no ratings, and if both always gave one and the same,
/// because then chance explains all.
#[must_use]
pub fn cohen_kappa<C: Ord>(said: &[(C, C)]) -> Option<f64> {
    let count = number(said.len());
    let mut by: BTreeMap<&C, (f64, f64)> = BTreeMap::new();
    let mut same = 0.0;
    for (one, other) in said {
        by.entry(one).or_default().0 += 1.0;
        by.entry(other).or_default().1 += 1.0;
        same += f64::from(u8::from(one == other));
    }
    let by_chance: f64 = by.values().map(|(one, other)| one * other).sum::<f64>() / (count * count);
    let kappa = (same / count - by_chance) / (1.0 - by_chance);
    kappa.is_finite().then_some(kappa)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(counts: [[usize; 2]; 2]) -> Vec<(usize, usize)> {
        let cells = (0..2).flat_map(|one| (0..2).map(move |other| (one, other)));
        cells.flat_map(|(one, other)| std::iter::repeat_n((one, other), counts[one][other])).collect()
    }

    #[test]
    fn agreement_is_counted_beyond_chance() {
        let kappa = |counts| cohen_kappa(&table(counts)).unwrap();
        assert!((kappa([[20, 5], [10, 15]]) - 0.4).abs() < 1e-12);
        assert!((kappa([[45, 15], [25, 15]]) - 0.130_434_782_608_695_65).abs() < 1e-12);
        assert!((kappa([[10, 0], [0, 10]]) - 1.0).abs() < 1e-12);
        assert!((kappa([[0, 5], [5, 0]]) + 1.0).abs() < 1e-12);
        assert_eq!(cohen_kappa::<usize>(&[]), None);
        assert_eq!(cohen_kappa(&table([[9, 0], [0, 0]])), None);
    }
}
