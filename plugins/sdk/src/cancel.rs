//! Tells a running call that it is no longer awaited.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::Failure;

/// Tells a running call that the host gave it up: deadline, Ctrl-C, or a document that is done.
#[derive(Debug, Default)]
pub struct Cancel {
    state: Mutex<CancelState>,
    changed: Condvar,
}

#[derive(Default)]
struct CancelState {
    cancelled: bool,
    /// The actions to take then.
    stops: Vec<Box<dyn FnOnce() + Send>>,
}

impl std::fmt::Debug for CancelState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("cancelled", &self.cancelled).finish_non_exhaustive()
    }
}

impl Cancel {
    /// A token that has not been cancelled, for the tests of a plugin.
    pub fn new() -> Self {
        Self::default()
    }

    /// Wakes every [`Cancel::wait`] of this call, and does what [`Cancel::on_cancel`] asked for.
    pub fn cancel(&self) {
        let stops = {
            let mut state = self.state();
            state.cancelled = true;
            std::mem::take(&mut state.stops)
        };
        self.changed.notify_all();
        for stop in stops {
            stop();
        }
    }

    /// Returns whether the host gave the call up.
    pub fn is_cancelled(&self) -> bool {
        self.state().cancelled
    }

    /// Has `stop` done when the host gives the call up, or at once if it has. It runs on the host's thread, which
    /// continues only when it returns: so that what it ends, such as another process, has ended before loopctl itself
    /// does. It must not wait for anything.
    pub fn on_cancel(&self, stop: impl FnOnce() + Send + 'static) {
        let mut state = self.state();
        if state.cancelled {
            drop(state);
            stop();
        } else {
            state.stops.push(Box::new(stop));
        }
    }

    fn state(&self) -> MutexGuard<'_, CancelState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// [`Failure::cancelled`] when the host gave the call up: `cancel.check()?` between the steps of long work.
    ///
    /// # Errors
    /// When the call is cancelled.
    pub fn check(&self) -> Result<(), Failure> {
        if self.is_cancelled() { Err(Failure::cancelled()) } else { Ok(()) }
    }

    /// Sleeps for `time`, or until cancelled; returns whether it was cancelled.
    pub fn wait(&self, time: Duration) -> bool {
        let Some(end) = Instant::now().checked_add(time) else { return self.wait_forever() };
        let mut state = self.state();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if state.cancelled || left.is_zero() {
                return state.cancelled;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn wait_forever(&self) -> bool {
        let mut state = self.state();
        while !state.cancelled {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn what_is_to_be_done_is_done_once_and_before_cancel_returns() {
        let (cancel, done) = (Cancel::new(), Arc::new(AtomicU32::new(0)));
        let count = |done: &Arc<AtomicU32>| {
            let done = Arc::clone(done);
            move || {
                done.fetch_add(1, Ordering::SeqCst);
            }
        };
        cancel.on_cancel(count(&done));
        assert_eq!(done.load(Ordering::SeqCst), 0);
        cancel.cancel();
        cancel.cancel();
        assert_eq!(done.load(Ordering::SeqCst), 1);
        cancel.on_cancel(count(&done));
        assert_eq!(done.load(Ordering::SeqCst), 2);
        assert!(cancel.wait(Duration::MAX));
    }
}
