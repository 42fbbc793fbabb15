//! The plugin boundary: the only part of loopctl that has unsafe code.
//!
//! What crosses it is bytes and numbers. What a plugin hands over is taken at its word only as far as the contract
//! has it vouch for memory; sizes, counts, order and repetition of its calls are all checked.

mod call;
mod copy;
mod ending;
mod hanging_calls;
mod host;
mod load;
mod probe;
mod threads;

pub(super) use call::Instance;
pub use ending::ProgramGuard;
pub use host::LOG_TARGET;
pub use host::Payload;
pub(super) use host::Reply;
pub(super) use load::{LINKED, Library};
pub use probe::{
    Call, Ledger, OfferedHost, OpenOutcome, PluginEntry, PluginTable, ProbedInstance, RawReply, StartOutcome,
};

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use hanging_calls::{HangingCalls, WaiterGuard};

/// Runs `work` on a thread of its own and waits for at most `limit`. What comes later is dropped there, so it must
/// clean up after itself.
///
/// # Errors
/// A message, when there is no result in time.
fn bounded<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    bounded_of(&Arc::default(), limit, work)
}

/// Like [`bounded`], for work of a plugin that has been called before: what hangs counts as its own.
///
/// # Errors
/// A message, when there is no result in time.
fn bounded_of<T: Send + 'static>(
    hanging_calls: &Arc<HangingCalls>,
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    hanging_calls::check_room()?;
    let running = hanging_calls.begin();
    let caller = WaiterGuard(Arc::clone(&running));
    // Not a channel: the first wait on one registers a destructor with the system's loader, whose lock is held by a plugin
    // that hangs while it is loaded.
    let shared = Arc::new((Mutex::new(None), Condvar::new()));
    let theirs = Arc::clone(&shared);
    std::thread::Builder::new()
        .name("loopctl-plugin".to_owned())
        .spawn(move || {
            let done = work();
            running.returned();
            *theirs.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
            theirs.1.notify_one();
        })
        .map_err(|error| {
            caller.0.returned();
            format!("can't start a thread: {error}")
        })?;
    let (slot, filled) = &*shared;
    let waiting = slot.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut slot, _) = filled
        .wait_timeout_while(waiting, limit, |slot| slot.is_none())
        .unwrap_or_else(PoisonError::into_inner);
    let done = slot.take();
    drop(caller);
    done.ok_or_else(|| {
        ending::something_hangs();
        format!("it took longer than {} s", limit.as_secs())
    })
}
