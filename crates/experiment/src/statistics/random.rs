//! Numbers that a seed determines: the same on every machine.

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): small, fast and good
/// enough to draw samples with. Not for secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seeded(u64);

impl Seeded {
    /// The numbers of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Seeded(seed)
    }

    /// The next 64 bits.
    pub fn next_bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number below `end`, all equally likely (but for 2⁻³² of it); 0 for an `end` of 0. `end` must be below 2³².
    pub fn below(&mut self, end: usize) -> usize {
        let bits = u128::from(self.next_bits());
        // The upper half of a product is below the factor.
        usize::try_from((bits * end as u128) >> 64).unwrap_or_default()
    }

    /// Shuffles a list, with all orders equally likely (Fisher and Yates).
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_determines_its_numbers() {
        // The reference implementation's first numbers for the seed 1234567.
        let mut seeded = Seeded::new(1_234_567);
        let first: [u64; 3] = std::array::from_fn(|_| seeded.next_bits());
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn each_number_is_as_likely() {
        let mut seeded = Seeded::new(1);
        let mut counts = [0; 7];
        for _ in 0..70_000 {
            counts[seeded.below(7)] += 1;
        }
        assert!(counts.iter().all(|count| (9_500..10_500).contains(count)), "{counts:?}");
        assert_eq!(seeded.below(0), 0);
        let mut list: Vec<u8> = (0..50).collect();
        seeded.shuffle(&mut list);
        assert_ne!(list, (0..50).collect::<Vec<_>>());
        list.sort_unstable();
        assert_eq!(list, (0..50).collect::<Vec<_>>());
    }
}
