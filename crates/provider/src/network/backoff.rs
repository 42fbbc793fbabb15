//! The pause before a failed call is made again, when the server asks for none: exponential backoff with full jitter
//! (M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015).

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use sha2::{Digest, Sha256};

const BASE: Duration = Duration::from_millis(500);
const CAP: Duration = Duration::from_secs(20);

/// The seed that makes the pauses of one process differ from those of another; two with the same seed pause
/// alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seed(pub(crate) u64);

impl Seed {
    /// Another one in each process.
    pub(crate) fn random() -> Self {
        Self(RandomState::new().hash_one(0_u8))
    }
}

/// A pause between 0 and `min(20 s, 500 ms · 2^failed)`, `failed` being the attempts that failed before this one. It
/// depends on nothing but the arguments: `call` says which call it is, so that calls at the same time pause differently
/// and a run can be repeated, however its calls interleave.
pub(super) fn pause(Seed(seed): Seed, call: &str, failed: u32) -> Duration {
    let most = BASE.saturating_mul(2_u32.checked_pow(failed).unwrap_or(u32::MAX)).min(CAP);
    most.mul_f64(fraction(seed, call, failed))
}

/// From 0 up to, but not, 1: 53 bits of a hash.
fn fraction(seed: u64, call: &str, failed: u32) -> f64 {
    let hash = Sha256::new()
        .chain_update(seed.to_le_bytes())
        .chain_update(failed.to_le_bytes())
        .chain_update(call)
        .finalize();
    let bits = hash.iter().take(8).fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    let fraction = (bits >> 11) as f64 / (1_u64 << 53) as f64;
    fraction
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_pause_stays_within_its_bounds_and_repeats(seed: u64, call in ".{0,20}", failed: u32) {
            let most = BASE.saturating_mul(1 << failed.min(20)).min(CAP);
            let found = pause(Seed(seed), &call, failed);
            prop_assert!(found <= most, "{found:?} of {most:?}");
            prop_assert_eq!(found, pause(Seed(seed), &call, failed));
        }
    }

    #[test]
    fn pauses_are_spread_over_the_whole_range() {
        let pauses: Vec<Duration> = (0..2_000).map(|call| pause(Seed(7), &call.to_string(), 0)).collect();
        let within = |low: f64, high: f64| {
            pauses.iter().filter(|found| **found >= BASE.mul_f64(low) && **found < BASE.mul_f64(high)).count()
        };
        for quarter in 0..4 {
            let low = f64::from(quarter) / 4.0;
            let count = within(low, low + 0.25);
            assert!((400..600).contains(&count), "{count} of 2000 from {low}");
        }
        assert_ne!(pause(Seed(1), "a", 3), pause(Seed(2), "a", 3));
        assert_ne!(pause(Seed(1), "a", 3), pause(Seed(1), "b", 3));
    }
}
