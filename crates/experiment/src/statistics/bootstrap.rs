//! Intervals of means by resampling documents: the percentile bootstrap (Efron 1979).

use super::{Seeded, number, sign_flip};

/// The parameters of a bootstrap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bootstrap {
    /// The number of samples that are drawn.
    pub samples: usize,
    /// The share of samples whose mean lies in the interval, such as 0.95.
    pub confidence: f64,
    /// The seed that determines the samples.
    pub seed: u64,
}

/// The documents that belong together, so that they are drawn together: documents of one id, say. A cluster is named by
/// its number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Clusters {
    /// The cluster of each document.
    of: Vec<usize>,
    /// The number of documents of each cluster.
    sizes: Vec<usize>,
}

impl Clusters {
    /// Documents with the same key belong together.
    pub fn by<K: Ord>(keys: impl IntoIterator<Item = K>) -> Self {
        let mut known = std::collections::BTreeMap::new();
        let mut clusters = Clusters::default();
        for key in keys {
            let next = known.len();
            let at = *known.entry(key).or_insert(next);
            clusters.of.push(at);
            match clusters.sizes.get_mut(at) {
                Some(size) => *size += 1,
                None => clusters.sizes.push(1),
            }
        }
        clusters
    }

    /// The number of clusters.
    #[must_use]
    pub fn count(&self) -> usize {
        self.sizes.len()
    }

    /// The sum of the values of each cluster, such that their mean is that of the documents.
    #[must_use]
    pub fn shares(&self, values: &[f64]) -> Vec<f64> {
        let scale = number(self.sizes.len()) / number(self.of.len().max(1));
        self.sums(values).into_iter().map(|sum| sum * scale).collect()
    }

    /// The sum of the values of each cluster.
    fn sums(&self, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.sizes.len()];
        for (value, cluster) in values.iter().zip(&self.of) {
            if let Some(sum) = sums.get_mut(*cluster) {
                *sum += value;
            }
        }
        sums
    }
}

/// A mean with its interval.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Estimate {
    /// The mean over the documents.
    pub mean: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// The two-sided p-value of a mean of 0, by [`sign_flip`]: the bootstrap's own is far too small with few documents.
    /// It has a meaning for differences only.
    pub p_value: f64,
}

impl Bootstrap {
    /// The mean of each column with its interval. All columns are of the same documents, one value each, and see the
    /// same samples; empty without documents.
    #[must_use]
    pub fn means(&self, clusters: &Clusters, columns: &[Vec<f64>]) -> Vec<Estimate> {
        let documents = clusters.of.len();
        if documents == 0 {
            return Vec::new();
        }
        let sums: Vec<Vec<f64>> = columns.iter().map(|column| clusters.sums(column)).collect();
        let mut drawn: Vec<Vec<f64>> = vec![Vec::with_capacity(self.samples); columns.len()];
        let mut seeded = Seeded::new(self.seed);
        let mut times = vec![0_usize; clusters.count()];
        for _ in 0..self.samples {
            times.fill(0);
            for _ in 0..clusters.count() {
                if let Some(time) = times.get_mut(seeded.below(clusters.count())) {
                    *time += 1;
                }
            }
            let sampled: usize = times.iter().zip(&clusters.sizes).map(|(times, size)| times * size).sum();
            for (sums, drawn) in sums.iter().zip(&mut drawn) {
                let sum: f64 = times.iter().zip(sums).map(|(times, sum)| number(*times) * sum).sum();
                drawn.push(sum / number(sampled));
            }
        }
        let means = columns.iter().map(|column| column.iter().sum::<f64>() / number(documents));
        let estimates = means.zip(drawn).zip(&sums);
        estimates.map(|((mean, drawn), sums)| self.estimate(mean, drawn, sums)).collect()
    }

    fn estimate(&self, mean: f64, mut drawn: Vec<f64>, sums: &[f64]) -> Estimate {
        drawn.sort_unstable_by(f64::total_cmp);
        let outside = (1.0 - self.confidence) / 2.0;
        Estimate {
            mean,
            low: quantile(&drawn, outside).unwrap_or(mean),
            high: quantile(&drawn, 1.0 - outside).unwrap_or(mean),
            p_value: sign_flip(sums, self.samples, self.seed),
        }
    }
}

/// The quantile of sorted numbers, interpolated between two of them (Hyndman and Fan's type 7, as numpy's default).
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share.clamp(0.0, 1.0) * number(sorted.len().checked_sub(1)?);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the list")]
    let below = place.floor() as usize;
    let (low, high) = (sorted.get(below)?, sorted.get(below + 1).or_else(|| sorted.get(below))?);
    Some(low + (high - low) * (place - number(below)))
}

#[cfg(test)]
mod tests {
    use super::super::{numbers, oracle};
    use super::*;

    const USUAL: Bootstrap = Bootstrap { samples: 2_000, confidence: 0.95, seed: 7 };

    #[test]
    fn quantiles_are_those_of_numpy() {
        for row in oracle("quantile") {
            let (sorted, share, expected) =
                (numbers(&row[0]), row[1].as_f64().unwrap(), row[2].as_f64().unwrap());
            assert!((quantile(&sorted, share).unwrap() - expected).abs() < 1e-12, "{row}");
        }
        assert_eq!(quantile(&[], 0.5), None);
    }

    /// Of means, the percentile bootstrap and scipy's draw different samples: their ends lie within a few hundredths of a standard
    /// error of each other.
    #[test]
    fn intervals_are_near_those_of_scipy() {
        for row in oracle("bootstrap_mean") {
            let (values, low, high) = (numbers(&row[0]), row[1].as_f64().unwrap(), row[2].as_f64().unwrap());
            let clusters = Clusters::by(0..values.len());
            let many = Bootstrap { samples: 20_000, ..USUAL };
            let found = many.means(&clusters, std::slice::from_ref(&values))[0];
            let near = (high - low) * 0.03;
            assert!(
                (found.low - low).abs() < near && (found.high - high).abs() < near,
                "{found:?}, not {low} to {high}"
            );
        }
    }

    #[test]
    fn what_is_equal_is_not_told_apart_and_what_differs_always_is() {
        let clusters = Clusters::by(0..50);
        let columns = vec![vec![0.0; 50], vec![1.0; 50]];
        let [equal, differs] = USUAL.means(&clusters, &columns)[..] else { panic!() };
        assert_eq!(equal, Estimate { mean: 0.0, low: 0.0, high: 0.0, p_value: 1.0 });
        assert_eq!((differs.low, differs.high), (1.0, 1.0));
        assert!(differs.p_value < 1e-12);
        assert!(USUAL.means(&Clusters::default(), &columns).is_empty());
    }

    /// Ten documents of one cluster say no more than one.
    #[test]
    fn documents_of_a_cluster_are_drawn_together() {
        let values: Vec<f64> = (0..200).map(|at| f64::from(at / 10 % 2)).collect();
        let apart = USUAL.means(&Clusters::by(0..200), std::slice::from_ref(&values))[0];
        let together =
            USUAL.means(&Clusters::by((0..200).map(|at| at / 10)), std::slice::from_ref(&values))[0];
        assert_eq!(apart.mean, together.mean);
        assert!(together.high - together.low > 2.5 * (apart.high - apart.low), "{apart:?} {together:?}");
    }

    /// In 400 samples of normal-like numbers, some 5 % of the intervals miss the mean.
    #[test]
    fn intervals_hold_what_they_promise() {
        let mut seeded = Seeded::new(3);
        let mut missed = 0;
        for seed in 0..400 {
            let mut draw =
                || f64::from(u32::try_from(seeded.next_bits() >> 32).unwrap()) / f64::from(u32::MAX) - 0.5;
            let values: Vec<f64> = (0..80).map(|_| draw() + draw() + draw()).collect();
            let found =
                Bootstrap { samples: 400, confidence: 0.95, seed }.means(&Clusters::by(0..80), &[values])[0];
            missed += usize::from(found.low > 0.0 || found.high < 0.0);
        }
        assert!((8..=40).contains(&missed), "{missed} of 400");
    }
}
