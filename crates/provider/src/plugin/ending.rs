//! Controls how the process ends when plugins have a say in it: one that calls `exit` must not set the status of work
//! that was never done, and one that hangs must not keep a process whose work is done.
#![expect(unsafe_code, reason = "hears of the process's end, and ends it, by the C library's own functions")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, Once, PoisonError};
use std::time::Duration;

/// The program ends because its own work is over.
static ORDERLY: AtomicBool = AtomicBool::new(false);
/// Code of a plugin has been run.
static FOREIGN: AtomicBool = AtomicBool::new(false);
/// A function of a plugin has not returned in its time, and may hold what the end of a process waits for.
static HUNG: AtomicBool = AtomicBool::new(false);

pub(super) fn runs_foreign_code() {
    FOREIGN.store(true, Ordering::Relaxed);
}

pub(super) fn something_hangs() {
    HUNG.store(true, Ordering::Relaxed);
}

/// The number of plugins being told that a call of theirs is over, and a signal for each that has been.
static TELLING: (Mutex<usize>, Condvar) = (Mutex::new(0), Condvar::new());

/// The time that the end of the process waits for them.
const TELL_LIMIT: Duration = Duration::from_secs(1);

/// Held while a plugin is told that a call is over, so that the process does not end before it knows.
pub(super) struct NoticeGuard(());

impl NoticeGuard {
    pub(super) fn begin() -> Self {
        *TELLING.0.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        NoticeGuard(())
    }
}

impl Drop for NoticeGuard {
    fn drop(&mut self) {
        *TELLING.0.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        TELLING.1.notify_all();
    }
}

/// Waits until every plugin has been told, but not forever.
fn wait_until_told() {
    let telling = TELLING.0.lock().unwrap_or_else(PoisonError::into_inner);
    let waited = TELLING.1.wait_timeout_while(telling, TELL_LIMIT, |telling| *telling > 0);
    let (telling, _) = waited.unwrap_or_else(PoisonError::into_inner);
    if *telling > 0 {
        something_hangs();
    }
}

/// Held by a program for as long as it works. A plugin that ends the process meanwhile is distinguished from a program
/// that has finished: the status is 1, whatever it gave to `exit`, and standard error says why. Only `exit` can be
/// noticed, not `_exit`.
#[derive(Debug)]
#[must_use = "the program counts as finished when this is dropped"]
pub struct ProgramGuard(());

impl ProgramGuard {
    /// For the program that owns the process; a library must not decide how its host ends.
    pub fn begin() -> Self {
        static REGISTERED: Once = Once::new();
        ORDERLY.store(false, Ordering::Relaxed);
        REGISTERED.call_once(system::hear_of_the_end);
        ProgramGuard(())
    }

    /// The program ends with `status` from here on. Ends it at once if a plugin hangs: the system's own way out runs
    /// destructors of libraries, and waits for locks that the plugin may hold.
    pub fn end(self, status: u8) {
        wait_until_told();
        drop(self);
        if HUNG.load(Ordering::Relaxed) {
            use std::io::Write;
            let _ = std::io::stdout().flush();
            let _ = std::io::stderr().flush();
            system::end_at_once(status);
        }
    }

    /// Ends the process at once, with all that is in progress.
    pub fn abandon(status: u8) -> ! {
        ORDERLY.store(true, Ordering::Relaxed);
        system::end_at_once(status)
    }
}

impl Drop for ProgramGuard {
    /// A panic is an end of the program's own, too.
    fn drop(&mut self) {
        ORDERLY.store(true, Ordering::Relaxed);
    }
}

#[cfg(unix)]
mod system {
    use super::{FOREIGN, ORDERLY, Ordering};
    use std::ffi::{c_int, c_void};

    /// The status with which the command line ends when something broke.
    const BROKEN: u8 = 1;
    const WORDS: &[u8] =
        b"error: a plugin ended the process in the middle of its work\n  help: `loopctl plugin check` tells \
        which function of a plugin does that; what was finished before is kept\n";

    unsafe extern "C" {
        fn atexit(heard: extern "C" fn()) -> c_int;
        fn _exit(status: c_int) -> !;
        fn write(file: c_int, bytes: *const c_void, count: usize) -> isize;
    }

    pub(super) fn hear_of_the_end() {
        // SAFETY: `ended` is a function of the program, which is never unloaded. If there is no room for it, the end
        // goes unnoticed, and nothing else changes.
        let _ = unsafe { atexit(ended) };
    }

    pub(super) fn end_at_once(status: u8) -> ! {
        // SAFETY: ends the process, with nothing left to do.
        unsafe { _exit(status.into()) }
    }

    extern "C" fn ended() {
        if !FOREIGN.load(Ordering::Relaxed) || ORDERLY.load(Ordering::Relaxed) {
            return;
        }
        // Not by `std::io`, whose locks another thread may hold forever.
        // SAFETY: as many bytes as there are, which are static.
        let _ = unsafe { write(2, WORDS.as_ptr().cast(), WORDS.len()) };
        end_at_once(BROKEN);
    }
}

#[cfg(not(unix))]
mod system {
    pub(super) fn hear_of_the_end() {}

    pub(super) fn end_at_once(status: u8) -> ! {
        std::process::exit(status.into())
    }
}
