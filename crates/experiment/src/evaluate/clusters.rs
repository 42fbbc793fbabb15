//! Documents that belong together, such as those of a patient, and how much a figure over them shows.

use super::evaluation::rounded;
use crate::statistics::{Interval, clopper_pearson, clopper_pearson_of_share, real};
use std::collections::BTreeMap;

/// The number of documents of each cluster in a figure. A document without a cluster is one by itself. It is empty if
/// labels name no cluster at all: documents then count as independent.
#[derive(Debug, Clone, Default)]
pub(super) struct ClusterSizes {
    sizes: BTreeMap<usize, u64>,
    documents: u64,
    /// The sum of the squares of the sizes.
    squares: u64,
}

impl ClusterSizes {
    /// Adds a document of a cluster.
    pub(super) fn add(&mut self, cluster: Option<usize>) {
        if let Some(cluster) = cluster {
            self.add_all(cluster, 1);
        }
    }

    /// Adds all documents of `other`.
    pub(super) fn absorb(&mut self, other: &ClusterSizes) {
        other.sizes.iter().for_each(|(cluster, count)| self.add_all(*cluster, *count));
    }

    fn add_all(&mut self, cluster: usize, count: u64) {
        let size = self.sizes.entry(cluster).or_default();
        self.squares += count * (2 * *size + count);
        *size += count;
        self.documents += count;
    }

    /// The number of their clusters; `None` if labels name none.
    pub(super) fn count(&self) -> Option<u64> {
        (!self.sizes.is_empty()).then_some(self.sizes.len() as u64)
    }

    /// The interval of a share of `whole`, rounded. The documents count as many independent ones as if those of a
    /// cluster all came to the same, which is the worst case: (Σm)²/Σm² for clusters of sizes m (Kish 1965).
    pub(super) fn interval(&self, part: u64, whole: u64, confidence: f64) -> Option<Interval> {
        let found = match self.squares {
            0 => clopper_pearson(part, whole, confidence),
            squares => {
                let effective = real(self.documents).powi(2) / real(squares);
                clopper_pearson_of_share(part, whole, effective, confidence)
            }
        };
        let Interval { low, high } = found?;
        Some(Interval { low: rounded(low), high: rounded(high) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Seeded;

    fn sizes(of: &[u64]) -> ClusterSizes {
        let mut sizes = ClusterSizes::default();
        for (cluster, count) in of.iter().enumerate() {
            (0..*count).for_each(|_| sizes.add(Some(cluster)));
        }
        sizes
    }

    #[test]
    fn without_clusters_and_with_clusters_of_one_it_is_the_exact_interval() {
        let exact = clopper_pearson(2, 9, 0.95).map(|of| (rounded(of.low), rounded(of.high)));
        for of in [ClusterSizes::default(), sizes(&[1; 9])] {
            assert_eq!(of.interval(2, 9, 0.95).map(|of| (of.low, of.high)), exact);
        }
        assert_eq!((ClusterSizes::default().count(), sizes(&[1; 9]).count()), (None, Some(9)));
    }

    #[test]
    fn ten_documents_of_each_of_five_patients_say_as_much_as_five() {
        let found = sizes(&[10; 5]).interval(0, 50, 0.95).unwrap();
        let five = clopper_pearson(0, 5, 0.95).unwrap();
        assert_eq!(found.high, rounded(five.high));
        // One large cluster weighs more than many small ones.
        let uneven = sizes(&[46, 1, 1, 1, 1]).interval(0, 50, 0.95).unwrap();
        assert!(uneven.high > found.high);
        let mut both = sizes(&[10; 5]);
        both.absorb(&sizes(&[10; 5]));
        assert_eq!(both.interval(0, 100, 0.95).unwrap(), found);
    }

    /// Patients have one to nine documents, of which all or none are wrong: in at most some 5 % of 1,000 samples the interval misses the
    /// share, and one that takes documents to be independent misses it far more often.
    #[test]
    fn the_interval_holds_where_documents_of_a_cluster_come_to_the_same() {
        let mut seeded = Seeded::new(11);
        let (mut missed, mut missed_if_independent) = (0, 0);
        for _ in 0..1_000 {
            let (mut found, mut wrong, mut all) = (ClusterSizes::default(), 0, 0);
            for cluster in 0..60 {
                let (size, is_wrong) = (1 + seeded.below(9), seeded.below(5) == 0);
                for _ in 0..size {
                    found.add(Some(cluster));
                    all += 1;
                    wrong += u64::from(is_wrong);
                }
            }
            let misses = |of: Interval| usize::from(of.low > 0.2 || of.high < 0.2);
            missed += misses(found.interval(wrong, all, 0.95).unwrap());
            missed_if_independent += misses(clopper_pearson(wrong, all, 0.95).unwrap());
        }
        assert!(missed <= 60 && missed_if_independent > 200, "{missed}, {missed_if_independent}");
    }
}
