//! Outcomes of costly work, kept for a while. Each is made once, and only a little of it at the same time.
//!
//! A document from outside may be made to occupy its reader for as long as that may run. So work waits for room, but not
//! for long and not in crowds, and one document never takes more than one place.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The bounds of a cache.
#[derive(Debug, Clone, Copy)]
pub(super) struct CacheBounds {
    /// The most that is kept, in bytes.
    pub(super) weight: usize,
    /// The time for which an outcome is kept.
    pub(super) fresh: Duration,
    /// The most work at the same time.
    pub(super) workers: usize,
    /// The most callers that wait for room, or for the work of others.
    pub(super) waiting: usize,
    /// The longest time for which a caller waits.
    pub(super) patience: Duration,
}

/// The refusal to do work now: there is no room for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CacheBusy;

/// Outcomes of costly work by their keys.
pub(super) struct CostlyCache<K, V> {
    bounds: CacheBounds,
    state: Mutex<CacheState<K, V>>,
    /// Work has ended.
    ended: Condvar,
}

struct CacheState<K, V> {
    /// The outcomes that are kept, the one that was asked for last at the end.
    kept: Vec<KeptOutcome<K, V>>,
    /// The subjects of the work that is done at the moment, each of them once.
    subjects: Vec<String>,
    waiting: usize,
}

struct KeptOutcome<K, V> {
    key: K,
    outcome: V,
    weight: usize,
    since: Instant,
}

/// The place of work that is done, given back when it ends in any way.
struct WorkPlace<'a, K, V> {
    cache: &'a CostlyCache<K, V>,
    subject: &'a str,
}

impl<K, V> Drop for WorkPlace<'_, K, V> {
    fn drop(&mut self) {
        let mut state = self.cache.state();
        state.subjects.retain(|subject| subject != self.subject);
        self.cache.ended.notify_all();
    }
}

impl<K: PartialEq + Clone, V: Clone> CostlyCache<K, V> {
    /// An empty cache.
    pub(super) fn new(bounds: CacheBounds) -> Self {
        let state = CacheState { kept: Vec::new(), subjects: Vec::new(), waiting: 0 };
        CostlyCache { bounds, state: Mutex::new(state), ended: Condvar::new() }
    }

    /// The outcome for a key: the one that is kept, or else what `work` makes, with its weight in bytes. Work on one
    /// subject is done one after the other. It blocks its thread.
    ///
    /// # Errors
    /// When too many wait already, or there is no room in time.
    pub(super) fn get(
        &self,
        key: &K,
        subject: &str,
        work: impl FnOnce() -> (V, usize),
    ) -> Result<V, CacheBusy> {
        let since = Instant::now();
        let mut state = self.state();
        loop {
            if let Some(outcome) = state.find(key, self.bounds.fresh) {
                return Ok(outcome);
            }
            let is_worked_on = state.subjects.iter().any(|other| other == subject);
            if !is_worked_on && state.subjects.len() < self.bounds.workers {
                state.subjects.push(subject.to_owned());
                break;
            }
            let left = self.bounds.patience.saturating_sub(since.elapsed());
            if state.waiting >= self.bounds.waiting || left.is_zero() {
                return Err(CacheBusy);
            }
            state.waiting += 1;
            let (woken, _) = self.ended.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.waiting -= 1;
        }
        drop(state);
        let place = WorkPlace { cache: self, subject };
        let (outcome, weight) = work();
        self.state().keep(key.clone(), &outcome, weight, self.bounds.weight);
        drop(place);
        Ok(outcome)
    }
}

impl<K, V> CostlyCache<K, V> {
    fn state(&self) -> MutexGuard<'_, CacheState<K, V>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: PartialEq, V: Clone> CacheState<K, V> {
    fn find(&mut self, key: &K, fresh: Duration) -> Option<V> {
        self.kept.retain(|kept| kept.since.elapsed() < fresh);
        let at = self.kept.iter().position(|kept| kept.key == *key)?;
        let found = self.kept.remove(at);
        let outcome = found.outcome.clone();
        self.kept.push(found);
        Some(outcome)
    }

    /// Keeps an outcome, and as many of the latest others as there is room for.
    fn keep(&mut self, key: K, outcome: &V, weight: usize, most: usize) {
        if weight > most {
            return;
        }
        self.kept.push(KeptOutcome { key, outcome: outcome.clone(), weight, since: Instant::now() });
        let mut room = most;
        let fits = self.kept.iter().rev().take_while(|kept| match room.checked_sub(kept.weight) {
            Some(left) => {
                room = left;
                true
            }
            None => false,
        });
        let dropped = self.kept.len() - fits.count();
        self.kept.drain(..dropped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::channel;
    use std::thread;

    const BOUNDS: CacheBounds = CacheBounds {
        weight: 10,
        fresh: Duration::from_secs(3_600),
        workers: 2,
        waiting: 8,
        patience: Duration::from_secs(3_600),
    };

    #[test]
    fn what_many_ask_for_is_made_once() {
        let (cache, made) = (CostlyCache::new(BOUNDS), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let work = || (made.fetch_add(1, Ordering::SeqCst), 1);
                    assert_eq!(cache.get(&"page", "file", work), Ok(0));
                });
            }
        });
        assert_eq!(made.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_subject_that_takes_long_leaves_room_for_others() {
        let bounds = CacheBounds { patience: Duration::ZERO, ..BOUNDS };
        let cache = CostlyCache::new(bounds);
        let (entered, inside) = channel();
        let (leave, left) = channel::<()>();
        thread::scope(|scope| {
            let cache = &cache;
            scope.spawn(move || {
                let work = || {
                    entered.send(()).unwrap();
                    left.recv().unwrap();
                    ("slow", 1)
                };
                assert_eq!(cache.get(&1, "hostile", work), Ok("slow"));
            });
            inside.recv().unwrap();
            assert_eq!(cache.get(&2, "hostile", || ("second", 1)), Err(CacheBusy));
            assert_eq!(cache.get(&3, "other", || ("done", 1)), Ok("done"));
            leave.send(()).unwrap();
        });
        assert_eq!(cache.get(&1, "hostile", || panic!("it is kept")), Ok("slow"));
    }

    #[test]
    fn no_more_wait_than_may() {
        let cache = CostlyCache::new(CacheBounds { waiting: 0, ..BOUNDS });
        let inner = || cache.get(&2, "file", || (false, 1)) == Err(CacheBusy);
        assert_eq!(cache.get(&1, "file", || (inner(), 1)), Ok(true));
    }

    #[test]
    fn the_latest_are_kept_as_far_as_there_is_room() {
        let cache = CostlyCache::new(BOUNDS);
        for (key, weight) in [(1, 4), (2, 4)] {
            assert_eq!(cache.get(&key, "file", || (key, weight)), Ok(key));
        }
        // The first is asked for again, so the second is the oldest.
        assert_eq!(cache.get(&1, "file", || panic!("it is kept")), Ok(1));
        assert_eq!(cache.get(&3, "file", || (3, 4)), Ok(3));
        assert_eq!(cache.get(&1, "file", || panic!("it is kept")), Ok(1));
        assert_eq!(cache.get(&2, "file", || (20, 1)), Ok(20));
        // What is larger than all room is made, and not kept.
        assert_eq!(cache.get(&4, "file", || (4, 99)), Ok(4));
        assert_eq!(cache.get(&4, "file", || (5, 1)), Ok(5));
    }

    #[test]
    fn nothing_is_kept_for_ever() {
        let cache = CostlyCache::new(CacheBounds { fresh: Duration::ZERO, ..BOUNDS });
        assert_eq!(cache.get(&1, "file", || (1, 1)), Ok(1));
        assert_eq!(cache.get(&1, "file", || (2, 1)), Ok(2));
    }

    #[test]
    fn work_that_panics_gives_its_place_back() {
        let cache = CostlyCache::new(CacheBounds { workers: 1, waiting: 0, ..BOUNDS });
        let work = || cache.get(&1, "file", || -> (u8, usize) { panic!("broken") });
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_err());
        assert_eq!(cache.get(&1, "file", || (1, 1)), Ok(1));
    }
}
