//! Fisher's randomization test: do paired differences have a mean of 0?
//!
//! If two policies were alike, each difference could as well have had the other sign. The p-value is the share of all
//! ways to set the signs whose sum is at least as far from 0 as the one seen (Fisher 1935; Davison and Hinkley 1997,
//! 4.4). It is valid with any number of differences: with two, it is never below 0.5.

use super::{Discordant, Seeded, mcnemar_exact, number};

/// The most differences for which every way to set their signs is tried.
const MOST_EXACT: usize = 12;

/// The two-sided p-value. With more than twelve differences of different sizes, `samples` ways are drawn by `seed`, and the one
/// seen counts as one more, so that it is never 0. Differences of one size are counted exactly: the sign test, which McNemar's is.
#[must_use]
pub fn sign_flip(differences: &[f64], samples: usize, seed: u64) -> f64 {
    // A rounding error of additions is no difference.
    let differences: Vec<f64> = differences.iter().copied().filter(|value| value.abs() > 1e-12).collect();
    let Some(first) = differences.first().map(|value| value.abs()) else { return 1.0 };
    if differences.iter().all(|value| (value.abs() - first).abs() <= 1e-9 * first) {
        let first_only = differences.iter().filter(|value| **value > 0.0).count();
        return mcnemar_exact(Discordant { first_only, second_only: differences.len() - first_only });
    }
    let seen = differences.iter().sum::<f64>().abs();
    let dust = 1e-9 * differences.iter().map(|value| value.abs()).sum::<f64>();
    let is_as_far = |signs: &mut dyn FnMut() -> bool| {
        let sum: f64 = differences.iter().map(|value| if signs() { *value } else { -value }).sum();
        sum.abs() >= seen - dust
    };
    if differences.len() <= MOST_EXACT {
        let ways = 1_usize << differences.len();
        let far = (0..ways).filter(|way| {
            let mut left = *way;
            is_as_far(&mut || {
                let sign = left & 1 == 1;
                left >>= 1;
                sign
            })
        });
        return number(far.count()) / number(ways);
    }
    let mut seeded = Seeded::new(seed);
    let far = (0..samples).filter(|_| {
        let (mut bits, mut left) = (0, 0);
        is_as_far(&mut || {
            if left == 0 {
                (bits, left) = (seeded.next_bits(), 64);
            }
            left -= 1;
            bits >> left & 1 == 1
        })
    });
    number(1 + far.count()) / number(1 + samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_differences_show_little_whatever_their_size() {
        assert_eq!(sign_flip(&[], 100, 1), 1.0);
        assert_eq!(sign_flip(&[0.0, 1e-15], 100, 1), 1.0);
        assert_eq!(sign_flip(&[-2.0, -1.0], 100, 1), 0.5);
        assert_eq!(sign_flip(&[1.0, 2.0, 3.0], 100, 1), 0.25);
        // Of 8 ways, 3 + 2 - 1 = 4 is reached by ±6 and ±4.
        assert_eq!(sign_flip(&[3.0, 2.0, -1.0], 100, 1), 0.5);
    }

    #[test]
    fn differences_of_one_size_are_held_to_mcnemar() {
        let eight = mcnemar_exact(Discordant { first_only: 0, second_only: 8 });
        assert_eq!(sign_flip(&[-0.5; 8], 100, 1), eight);
        assert!((eight - 2.0 / 256.0).abs() < 1e-15);
    }

    /// For numbers around 0, one p-value in twenty is below 0.05; drawn p-values are near the exact ones.
    #[test]
    fn it_holds_what_it_promises() {
        let mut seeded = Seeded::new(5);
        let mut draw = move || number(seeded.below(2_001)) - 1_000.0;
        let mut below = 0;
        for seed in 0..400 {
            let values: Vec<f64> = (0..30).map(|_| draw()).collect();
            below += usize::from(sign_flip(&values, 400, seed) <= 0.05);
        }
        assert!((8..=36).contains(&below), "{below} of 400");
        let values: Vec<f64> = (0..12).map(|_| draw() + 300.0).collect();
        let exact = sign_flip(&values, 0, 0);
        let more: Vec<f64> = values.iter().copied().chain([1e-9]).collect();
        let drawn = sign_flip(&more, 20_000, 3);
        assert!((exact - drawn).abs() < 0.02, "{exact} {drawn}");
    }
}
