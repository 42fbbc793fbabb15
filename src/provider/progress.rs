//! How far a call has come, for whoever made it and may have to give it up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Made by the caller, before the call. Clones tell of the same call.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    sent: AtomicBool,
    waited_ms: AtomicU64,
}

impl Progress {
    /// Whether the provider has been asked, so that there may be something to pay for. Until then the call waits for its
    /// turn, or for nobody to be asked at all because its answer is recorded.
    pub fn is_sent(&self) -> bool {
        self.shared.sent.load(Ordering::Relaxed)
    }

    /// How long it has waited for its turn.
    pub fn waited(&self) -> Duration {
        Duration::from_millis(self.shared.waited_ms.load(Ordering::Relaxed))
    }

    pub(super) fn sends(&self) {
        self.shared.sent.store(true, Ordering::Relaxed);
    }

    pub(super) fn waits(&self, time: Duration) {
        let time = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.shared.waited_ms.fetch_add(time, Ordering::Relaxed);
    }
}
