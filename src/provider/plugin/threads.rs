//! Threads on which functions of plugins run. A plugin may hang, so none of the executor's may be lent to one; and to begin a
//! thread for each call takes longer than most calls, so one whose function has returned waits for another.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Duration;

type Work = Box<dyn FnOnce() + Send>;

/// How long a thread waits for more.
const IDLE: Duration = Duration::from_secs(5);

/// Threads that wait, the latest last.
static WAITING: Mutex<Vec<(u64, Sender<Work>)>> = Mutex::new(Vec::new());

fn waiting() -> MutexGuard<'static, Vec<(u64, Sender<Work>)>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` on a thread that waits, or on a fresh one.
///
/// # Errors
/// When there is none and none can be begun.
pub(super) fn run(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let mut work: Work = Box::new(work);
    // In a statement of its own, so that the list is free while the thread is told.
    let idle = waiting().pop();
    if let Some((_, thread)) = idle {
        match thread.send(work) {
            Ok(()) => return Ok(()),
            Err(refused) => work = refused.0,
        }
    }
    Builder::new().name("loopctl-plugin".to_owned()).spawn(move || serve(work)).map(drop)
}

fn serve(first: Work) {
    first();
    let (sender, more) = channel();
    // No two threads live at the same address, and this one lives as long as it is in the list.
    let id = u64::try_from(std::ptr::from_ref(&more).addr()).unwrap_or_default();
    loop {
        waiting().push((id, sender.clone()));
        match next(id, &more) {
            Some(work) => work(),
            None => return,
        }
    }
}

/// The next work of a thread; `None` when none has come for a while.
fn next(id: u64, more: &Receiver<Work>) -> Option<Work> {
    match more.recv_timeout(IDLE) {
        Ok(work) => Some(work),
        Err(RecvTimeoutError::Disconnected) => None,
        Err(RecvTimeoutError::Timeout) => {
            let mut waiting = waiting();
            match waiting.iter().position(|(other, _)| *other == id) {
                Some(at) => {
                    waiting.swap_remove(at);
                    None
                }
                // Somebody has taken it out, and is about to say what is to be done.
                None => {
                    drop(waiting);
                    more.recv().ok()
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn work_is_done_on_threads_that_wait_and_on_fresh_ones_while_none_does() {
        let (sender, ids) = channel();
        let ask = || {
            let sender = sender.clone();
            run(move || sender.send(std::thread::current().id()).unwrap()).unwrap();
            ids.recv().unwrap()
        };
        let one_by_one: HashSet<_> = (0..200).map(|_| ask()).collect();
        assert!(one_by_one.len() < 100, "{}", one_by_one.len());
        // What hangs keeps its thread, and no other work.
        let (release, held) = channel::<()>();
        run(move || assert!(held.recv().is_err())).unwrap();
        ask();
        drop(release);
    }
}
