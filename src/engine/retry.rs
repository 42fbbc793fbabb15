//! When a call that failed is made again.

use super::event::{CallFailed, WakeReason};
use crate::value::Millis;

/// How often a call that failed with a transient error is made again, and how long the first pause is. Each further
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
    pub(crate) const LONGEST_PAUSE: Millis = Millis(60_000);
    /// Longest pause, whatever a provider asks for.
    pub(crate) const LONGEST_ASKED: Millis = Millis(600_000);

    /// How long to wait after a failed call, `attempt` others before it, and why.
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
