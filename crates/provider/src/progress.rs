//! The progress of a call, for its caller, who may have to give it up.

use std::future::Future;
use std::ops::Range;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Made by the caller, before the call. Clones report on the same call.
#[derive(Debug, Clone, Default)]
pub struct CallProgress {
    shared: Arc<ProgressState>,
    store: Option<Arc<dyn AnswerStore>>,
}

/// Keeps the answer to a call before it is inspected, and knows the one that an earlier process kept.
pub trait AnswerStore: std::fmt::Debug + Send + Sync {
    /// The answer that was kept to this question, which is then not asked again.
    fn kept(&self, question: &[u8]) -> Option<Vec<u8>>;

    /// Keeps an answer. A failure to keep it is left to the store's owner.
    fn keep(&self, question: Vec<u8>, answer: Vec<u8>) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}

#[derive(Debug, Default)]
struct ProgressState {
    sent: AtomicBool,
    waited: Mutex<Option<Range<Instant>>>,
}

impl CallProgress {
    /// The progress of a call whose answer is kept.
    pub fn keeping(store: Option<Arc<dyn AnswerStore>>) -> Self {
        CallProgress { store, ..Self::default() }
    }

    /// The store that keeps its answer.
    pub(super) fn store(&self) -> Option<&Arc<dyn AnswerStore>> {
        self.store.as_ref()
    }

    /// Returns whether the provider has been asked, so that there may be something to pay for. Until then the call
    /// waits for its turn, or is never sent because its answer is recorded.
    pub fn is_sent(&self) -> bool {
        self.shared.sent.load(Ordering::Relaxed)
    }

    /// The interval during which it waited for its turn, if it has had it.
    pub fn waited(&self) -> Option<Range<Instant>> {
        self.shared.waited.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The time that it waited for its turn.
    pub(super) fn waited_for(&self) -> Duration {
        self.waited().map_or(Duration::ZERO, |waited| waited.end.saturating_duration_since(waited.start))
    }

    pub(super) fn sends(&self) {
        self.shared.sent.store(true, Ordering::Relaxed);
    }

    /// Notes that its turn has come, after this wait.
    pub(super) fn has_its_turn(&self, waited: Duration) {
        let now = Instant::now();
        let waited = now.checked_sub(waited).map(|since| since..now);
        *self.shared.waited.lock().unwrap_or_else(PoisonError::into_inner) = waited;
    }
}
