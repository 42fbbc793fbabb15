//! How a running call learns that nobody waits for it any more.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::Failure;

/// Tells a running call that the host gave it up: deadline, Ctrl-C, or a document that is done.
#[derive(Debug, Default)]
pub struct Cancel {
    cancelled: Mutex<bool>,
    changed: Condvar,
}

impl Cancel {
    /// A token that nobody has cancelled, for the tests of a plugin.
    pub fn new() -> Self {
        Self::default()
    }

    /// Wakes every [`Cancel::wait`] of this call.
    pub fn cancel(&self) {
        *self.cancelled.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    /// Whether the host gave the call up.
    pub fn is_cancelled(&self) -> bool {
        *self.cancelled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// [`Failure::cancelled`] when the host gave the call up: `cancel.check()?` between the steps of long work.
    ///
    /// # Errors
    /// When the call is cancelled.
    pub fn check(&self) -> Result<(), Failure> {
        if self.is_cancelled() { Err(Failure::cancelled()) } else { Ok(()) }
    }

    /// Sleeps for `time`, or until cancelled; says whether it was cancelled.
    pub fn wait(&self, time: Duration) -> bool {
        let Some(end) = Instant::now().checked_add(time) else { return self.wait_forever() };
        let mut cancelled = self.cancelled.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if *cancelled || left.is_zero() {
                return *cancelled;
            }
            cancelled = self.changed.wait_timeout(cancelled, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn wait_forever(&self) -> bool {
        let mut cancelled = self.cancelled.lock().unwrap_or_else(PoisonError::into_inner);
        while !*cancelled {
            cancelled = self.changed.wait(cancelled).unwrap_or_else(PoisonError::into_inner);
        }
        true
    }
}
