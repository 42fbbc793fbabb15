//! Functions of plugins that have not returned in their time. A thread can't be ended from outside, and may use a core
//! forever: so a plugin that keeps one gets no more calls until it lets go, and a process gets only so many.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

/// The most threads that hang in plugins at once, in this process. Beyond that no function of a plugin is
/// called.
pub(super) const MOST: usize = 32;

/// Of all plugins.
static ALL: AtomicUsize = AtomicUsize::new(0);

/// Checks that not too many functions hang already.
///
/// # Errors
/// A message, if they do.
pub(super) fn check_room() -> Result<(), String> {
    match ALL.load(Ordering::Relaxed) {
        hanging if hanging < MOST => Ok(()),
        hanging => {
            Err(format!("{hanging} functions of plugins hang in this process, which calls none any more"))
        }
    }
}

/// The hanging functions of one plugin.
#[derive(Debug, Default)]
pub(super) struct HangingCalls {
    hanging: Mutex<HangState>,
    freed: Notify,
}

#[derive(Debug, Default)]
struct HangState {
    count: usize,
    /// The time since which there has been one.
    since: Option<Instant>,
}

/// The watch on one function that runs on a thread of its own. The thread reports when it is back, and the waiter when it no longer
/// waits, in either order.
#[derive(Debug)]
pub(super) struct HangWatch {
    hanging_calls: Arc<HangingCalls>,
    /// The first of the two has reported. Changed under the lock of `hanging_calls`.
    over: Mutex<bool>,
}

impl HangingCalls {
    /// A function that is about to be called.
    pub(super) fn begin(self: &Arc<Self>) -> Arc<HangWatch> {
        Arc::new(HangWatch { hanging_calls: Arc::clone(self), over: Mutex::new(false) })
    }

    /// The number of functions that hang.
    pub(super) fn hanging(&self) -> usize {
        self.lock().count
    }

    /// The time for which some function has been hanging.
    pub(super) fn hanging_for(&self) -> Duration {
        self.lock().since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Waits until none hangs.
    pub(super) async fn free(&self) {
        loop {
            // Before the check, so that no function returns unnoticed in between.
            let freed = self.freed.notified();
            if self.hanging() == 0 {
                return;
            }
            freed.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HangState> {
        self.hanging.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HangWatch {
    /// The function has returned.
    pub(super) fn returned(&self) {
        let mut hanging = self.hanging_calls.lock();
        if self.end() {
            hanging.count = hanging.count.saturating_sub(1);
            ALL.fetch_sub(1, Ordering::Relaxed);
            if hanging.count == 0 {
                hanging.since = None;
                self.hanging_calls.freed.notify_waiters();
            }
        }
    }

    /// The function is no longer awaited.
    pub(super) fn abandoned(&self) {
        let mut hanging = self.hanging_calls.lock();
        if !self.end() {
            hanging.count += 1;
            hanging.since.get_or_insert_with(Instant::now);
            ALL.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Records the end of one side, and returns whether the other has done so before.
    fn end(&self) -> bool {
        std::mem::replace(&mut *self.over.lock().unwrap_or_else(PoisonError::into_inner), true)
    }
}

/// Reports that the function is no longer awaited, wherever the waiting ends.
pub(super) struct WaiterGuard(pub(super) Arc<HangWatch>);

impl Drop for WaiterGuard {
    fn drop(&mut self) {
        self.0.abandoned();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_given_up_and_not_back_hangs() {
        let hanging_calls = Arc::new(HangingCalls::default());
        let (quick, slow) = (hanging_calls.begin(), hanging_calls.begin());
        quick.returned();
        drop(WaiterGuard(quick));
        assert_eq!(hanging_calls.hanging(), 0);
        drop(WaiterGuard(Arc::clone(&slow)));
        assert_eq!(hanging_calls.hanging(), 1);
        slow.returned();
        assert_eq!(hanging_calls.hanging(), 0);
    }
}
