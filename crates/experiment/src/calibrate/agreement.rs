//! The agreement of reviewers on documents that two of them inspected.

use super::distribution::{exact_interval, real};
use serde::{Deserialize, Serialize};

/// The verdicts of two reviewers on the same documents, compared.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// Documents that two reviewers inspected.
    pub documents: u64,
    /// The number of these on which they agreed.
    pub agreed: u64,
    /// The share on which they agree, with 95 % confidence: from, to.
    pub interval: (f64, f64),
    /// Cohen's kappa: 1 if they always agree, 0 if they agree as often as chance would have it. `None` if both gave one
    /// and the same verdict on all documents, so that chance explains it as well.
    pub kappa: Option<f64>,
}

impl Agreement {
    /// Compares pairs of verdicts, each `true` if the document is wrong; `None` if there are none.
    #[must_use]
    pub fn of(pairs: &[(bool, bool)]) -> Option<Self> {
        let count =
            |wanted: &dyn Fn(&(bool, bool)) -> bool| pairs.iter().filter(|pair| wanted(pair)).count() as u64;
        let documents = pairs.len() as u64;
        if documents == 0 {
            return None;
        }
        let agreed = count(&|(first, second)| first == second);
        let share = |count: u64| real(count) / real(documents);
        let (first, second) = (share(count(&|pair| pair.0)), share(count(&|pair| pair.1)));
        let chance = first * second + (1.0 - first) * (1.0 - second);
        let kappa = (chance < 1.0).then(|| (share(agreed) - chance) / (1.0 - chance));
        Some(Agreement { documents, agreed, interval: exact_interval(agreed, documents, 0.95), kappa })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kappa_is_that_of_the_textbook() {
        // Cohen (1960) for the table 20, 5, 10, 15: agreement 0.7, chance 0.5, kappa 0.4.
        let table = [((true, true), 20), ((true, false), 5), ((false, true), 10), ((false, false), 15)];
        let pairs: Vec<(bool, bool)> = table.iter().flat_map(|(pair, times)| vec![*pair; *times]).collect();
        let agreement = Agreement::of(&pairs).unwrap();
        assert_eq!((agreement.documents, agreement.agreed), (50, 35));
        assert!((agreement.kappa.unwrap() - 0.4).abs() < 1e-12);
        assert!(agreement.interval.0 < 0.7 && 0.7 < agreement.interval.1);
    }

    #[test]
    fn what_chance_explains_as_well_has_no_kappa() {
        assert_eq!(Agreement::of(&[(false, false), (false, false)]).unwrap().kappa, None);
        assert_eq!(Agreement::of(&[]), None);
    }
}
