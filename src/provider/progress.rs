//! How far a call has come, for whoever made it and may have to give it up.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Made by the caller, before the call. Clones tell of the same call.
#[derive(Debug, Clone, Default)]
pub(crate) struct Progress {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    sent: AtomicBool,
    waited: Mutex<Option<Range<Instant>>>,
}

impl Progress {
    /// Whether the provider has been asked, so that there may be something to pay for. Until then the call waits for its
    /// turn, or for nobody to be asked at all because its answer is recorded.
    pub(crate) fn is_sent(&self) -> bool {
        self.shared.sent.load(Ordering::Relaxed)
    }

    /// From when to when it waited for its turn, if it has had it.
    pub(crate) fn waited(&self) -> Option<Range<Instant>> {
        self.shared.waited.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How long that was.
    pub(super) fn waited_for(&self) -> Duration {
        self.waited().map_or(Duration::ZERO, |waited| waited.end.saturating_duration_since(waited.start))
    }

    pub(super) fn sends(&self) {
        self.shared.sent.store(true, Ordering::Relaxed);
    }

    /// It has its turn now, for which it waited so long.
    pub(super) fn has_its_turn(&self, waited: Duration) {
        let now = Instant::now();
        let waited = now.checked_sub(waited).map(|since| since..now);
        *self.shared.waited.lock().unwrap_or_else(PoisonError::into_inner) = waited;
    }
}
