//! The timing of retries of a failed call.

use super::event::{CallFailed, WakeReason};
use crate::value::Millis;

/// The number of retries of a call that failed with a transient error, and the length of the first pause. Each further
/// pause is twice as long, at most `Retry::LONGEST_PAUSE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// Attempts after the first.
    pub attempts: u32,
    /// The first pause.
    pub pause: Millis,
}

impl Retry {
    /// Longest pause, unless a provider asks for more.
    pub const LONGEST_PAUSE: Millis = Millis(60_000);
    /// Longest pause, even if a provider asks for more.
    pub const LONGEST_ASKED: Millis = Millis(600_000);

    /// The wait after a failed call, with `attempt` others before it, and its reason.
    pub(super) fn pause_after(&self, attempt: u32, failure: &CallFailed) -> (Millis, WakeReason) {
        match (failure.retry_after, failure.backoff) {
            (Some(pause), _) => (pause.min(Self::LONGEST_ASKED), WakeReason::RetryAfter),
            (None, Some(pause)) => (pause.min(Self::LONGEST_PAUSE), WakeReason::Backoff),
            (None, None) => (self.pause_before(attempt), WakeReason::Backoff),
        }
    }

    fn pause_before(&self, attempt: u32) -> Millis {
        let doubled = self.pause.0.saturating_mul(1_u64.checked_shl(attempt).unwrap_or(u64::MAX));
        Millis(doubled.min(Self::LONGEST_PAUSE.0))
    }
}
