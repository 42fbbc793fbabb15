//! The limit on how often requests without a valid token are listened to.
//!
//! Tokens are too long to be guessed. But each refusal is kept in the access log, and no one without access may fill
//! the disk. Valid tokens are exempt, so that a client that hammers at the door locks no one out, not even from the
//! same address.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The number of refusals in a row that are kept: one page in every tab of a browser whose session has ended.
const AT_ONCE: f64 = 60.0;

/// The number that are kept in a second after that.
const PER_SECOND: f64 = 1.0;

/// Counts refusals.
#[derive(Default)]
pub(crate) struct Throttle(Mutex<Option<Bucket>>);

struct Bucket {
    left: f64,
    at: Instant,
    /// Refusals since one was kept.
    unlogged: u64,
}

/// The treatment of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ThrottleDecision {
    /// It is answered and kept; so many before it were not kept.
    Listen { unlogged: u64 },
    /// There were too many.
    TooOften,
}

impl Throttle {
    /// Counts a refusal.
    pub(super) fn refused(&self, now: Instant) -> ThrottleDecision {
        let mut bucket = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = bucket.get_or_insert(Bucket { left: AT_ONCE, at: now, unlogged: 0 });
        let since = now.saturating_duration_since(bucket.at).as_secs_f64();
        bucket.left = (bucket.left + since * PER_SECOND).min(AT_ONCE);
        bucket.at = now;
        if bucket.left < 1.0 {
            bucket.unlogged += 1;
            return ThrottleDecision::TooOften;
        }
        bucket.left -= 1.0;
        ThrottleDecision::Listen { unlogged: std::mem::take(&mut bucket.unlogged) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_burst_is_heard_and_then_one_a_second() {
        let (throttle, start) = (Throttle::default(), Instant::now());
        let refused = |seconds: u64| throttle.refused(start + Duration::from_secs(seconds));
        for _ in 0..60 {
            assert_eq!(refused(0), ThrottleDecision::Listen { unlogged: 0 });
        }
        for _ in 0..5 {
            assert_eq!(refused(0), ThrottleDecision::TooOften);
        }
        assert_eq!(refused(1), ThrottleDecision::Listen { unlogged: 5 });
        assert_eq!(refused(1), ThrottleDecision::TooOften);
        assert_eq!(refused(3), ThrottleDecision::Listen { unlogged: 1 });
    }
}
