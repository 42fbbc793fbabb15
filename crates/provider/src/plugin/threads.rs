//! Threads on which functions of plugins run. A plugin may hang, so none of the executor's may be lent to one; and
//! starting a thread for each call takes longer than most calls, so one whose function has returned waits for another.

use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Duration;

type QuickTask = Box<dyn FnOnce() + Send>;

/// The time that a thread waits for more.
const IDLE: Duration = Duration::from_secs(5);

/// Threads that wait, the latest last.
static WAITING: Mutex<Vec<(u64, Sender<QuickTask>)>> = Mutex::new(Vec::new());

fn waiting() -> MutexGuard<'static, Vec<(u64, Sender<QuickTask>)>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` on a thread that waits, or on a fresh one.
///
/// # Errors
/// When there is none and none can be begun.
pub(super) fn run(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let mut work: QuickTask = Box::new(work);
    // In a statement of its own, so that the list is free while the thread is notified.
    let idle = waiting().pop();
    if let Some((_, thread)) = idle {
        match thread.send(work) {
            Ok(()) => return Ok(()),
            Err(refused) => work = refused.0,
        }
    }
    Builder::new().name("loopctl-plugin".to_owned()).spawn(move || serve(work)).map(drop)
}

/// Quick work, which one thread does in turn: codecs take microseconds, and waking a thread takes as long.
struct Lane(Mutex<LaneState>);

struct LaneState {
    /// Changes when the thread that serves it is given up.
    generation: u64,
    is_served: bool,
    next: u64,
    waiting: VecDeque<(u64, QuickTask)>,
}

/// The lane that all plugins share.
static LANE: Lane = Lane::new();

/// The time that quick work may wait for its turn before the thread that serves the others is considered
/// slow.
pub(super) const SLOW: Duration = Duration::from_millis(10);

/// Quick work that waits for its turn, or has had it.
pub(super) struct Queued {
    lane: &'static Lane,
    id: u64,
}

/// Has quick work done after what waits already. The caller reports after [`SLOW`] that it is
/// [overdue](Queued::overdue).
///
/// # Errors
/// When no thread can be begun.
pub(super) fn queue(work: impl FnOnce() + Send + 'static) -> io::Result<Queued> {
    LANE.queue(Box::new(work))
}

impl Queued {
    /// Does the work on another thread, which serves the others from there on, if its turn has not come.
    pub(super) fn overdue(self) {
        let mut state = self.lane.state();
        let Some(at) = state.waiting.iter().position(|(id, _)| *id == self.id) else { return };
        state.generation = state.generation.wrapping_add(1);
        if let Some(own) = state.waiting.remove(at) {
            state.waiting.push_front(own);
        }
        // Without another thread, it waits for the next work that finds one, or for the end of its patience.
        let _ = self.lane.start(state);
    }
}

impl Lane {
    const fn new() -> Self {
        Lane(Mutex::new(LaneState { generation: 0, is_served: false, next: 0, waiting: VecDeque::new() }))
    }

    fn state(&self) -> MutexGuard<'_, LaneState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn queue(&'static self, work: QuickTask) -> io::Result<Queued> {
        let mut state = self.state();
        let id = state.next;
        state.next = id.wrapping_add(1);
        state.waiting.push_back((id, work));
        if !state.is_served {
            self.start(state).inspect_err(|_| self.state().waiting.retain(|(other, _)| *other != id))?;
        }
        Ok(Queued { lane: self, id })
    }

    /// Has another thread serve it.
    fn start(&'static self, mut state: MutexGuard<'_, LaneState>) -> io::Result<()> {
        state.is_served = true;
        let generation = state.generation;
        drop(state);
        run(move || self.serve(generation)).inspect_err(|_| self.state().is_served = false)
    }

    fn serve(&self, generation: u64) {
        loop {
            let work = {
                let mut state = self.state();
                if state.generation != generation {
                    return;
                }
                let Some((_, work)) = state.waiting.pop_front() else {
                    state.is_served = false;
                    return;
                };
                work
            };
            work();
        }
    }
}

fn serve(first: QuickTask) {
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
fn next(id: u64, more: &Receiver<QuickTask>) -> Option<QuickTask> {
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
                // Another thread has taken it out, and is about to send the work.
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
    fn quick_work_that_waits_behind_slow_work_is_done_when_it_is_overdue() {
        static OWN: Lane = Lane::new();
        let queue = |work: QuickTask| OWN.queue(work).unwrap();
        let (release, held) = channel::<()>();
        let (begins, begun) = channel();
        let (sender, done) = channel();
        let say = |what: &'static str| {
            let sender = sender.clone();
            queue(Box::new(move || sender.send(what).unwrap()))
        };
        queue(Box::new(move || {
            begins.send(()).unwrap();
            assert!(held.recv().is_err());
        }));
        begun.recv().unwrap();
        let (first, second) = (say("first"), say("second"));
        second.overdue();
        assert_eq!([done.recv().unwrap(), done.recv().unwrap()], ["second", "first"]);
        // It has had its turn.
        first.overdue();
        drop(release);
        say("third");
        assert_eq!(done.recv().unwrap(), "third");
    }

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
