//! The time of one document's loop.

use crate::profile::Waiting;
use crate::provider::RecorderMode;
use crate::value::Millis;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The clock of a session: its timeouts, and the times in its journal and results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Time {
    /// The clock of this machine.
    #[default]
    Real,
    /// Only calls and pauses count, so that a replay yields the same times. They are really waited for.
    Counted,
    /// Like [`Time::Counted`], with calls that have been recorded: pauses take no time.
    Played,
}

impl From<RecorderMode> for Time {
    fn from(mode: RecorderMode) -> Self {
        match mode {
            RecorderMode::Record => Time::Counted,
            RecorderMode::Replay => Time::Played,
            RecorderMode::Cache => Time::Real,
        }
    }
}

/// The time since a document's loop began.
#[derive(Debug)]
pub(super) struct Clock {
    time: Time,
    waiting: Waiting,
    started: Instant,
    /// In milliseconds; where the time is real, the latest that was reported.
    counted: AtomicU64,
    excluded: Mutex<ExcludedTime>,
}

/// The part of the real time that does not count.
#[derive(Debug, Default)]
struct ExcludedTime {
    sum: Duration,
    /// Everything before it is in the sum already, as far as it does not count.
    until: Option<Instant>,
}

impl Clock {
    /// A clock that begins at this time, which is more than 0 for a document that was worked on before.
    pub(super) fn start(time: Time, waiting: Waiting, from: Millis) -> Self {
        let now = Instant::now();
        Clock {
            time,
            waiting,
            started: now.checked_sub(from.duration()).unwrap_or(now),
            counted: AtomicU64::new(from.0),
            excluded: Mutex::default(),
        }
    }

    pub(super) fn now(&self) -> Millis {
        match self.time {
            Time::Real => {
                let excluded = self.excluded.lock().unwrap_or_else(PoisonError::into_inner).sum;
                let counts = self.started.elapsed().saturating_sub(excluded);
                let counts = u64::try_from(counts.as_millis()).unwrap_or(u64::MAX);
                // Time that is left out meanwhile must not set it back.
                Millis(self.counted.fetch_max(counts, Ordering::Relaxed).max(counts))
            }
            Time::Counted | Time::Played => Millis(self.counted.load(Ordering::Relaxed)),
        }
    }

    /// Advances to at least this time, where time is counted. Of calls that are made at once, the longest counts.
    pub(super) fn reach(&self, at: Millis) {
        if self.time != Time::Real {
            self.counted.fetch_max(at.0, Ordering::Relaxed);
        }
    }

    /// Leaves out this part of the real time, which has passed and in which a call waited for its turn, unless the
    /// profile says otherwise. Calls that are made at once begin to wait together, so that what they wait for at the
    /// same time is left out once, whichever of them reports first.
    pub(super) fn leave_out(&self, waited: Range<Instant>) {
        if self.waiting == Waiting::Counts {
            return;
        }
        let mut excluded = self.excluded.lock().unwrap_or_else(PoisonError::into_inner);
        let from = excluded.until.map_or(waited.start, |until| until.max(waited.start));
        if waited.end > from {
            excluded.sum += waited.end - from;
            excluded.until = Some(waited.end);
        }
    }

    /// Waits until a time has come.
    pub(super) async fn wait_until(&self, at: Millis) {
        let pause: Duration = (at - self.now()).duration();
        if self.time != Time::Played {
            tokio::time::sleep(pause).await;
        }
        self.reach(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_time_is_counted_only_what_is_said_to_pass_does() {
        for time in [Time::Counted, Time::Played] {
            let mut clock = Clock::start(time, Waiting::LeftOut, Millis(0));
            clock.started = clock.started.checked_sub(Duration::from_secs(60)).unwrap();
            assert_eq!(clock.now(), Millis(0));
            clock.reach(Millis(70));
            clock.reach(Millis(40));
            assert_eq!(clock.now(), Millis(70));
        }
        let clock = Clock::start(Time::Real, Waiting::LeftOut, Millis(0));
        clock.reach(Millis(3_600_000));
        assert!(clock.now() < Millis(3_600_000));
    }

    #[test]
    fn what_is_left_out_does_not_count_and_sets_no_time_back() {
        let mut clock = Clock::start(Time::Real, Waiting::LeftOut, Millis(0));
        let end = clock.started;
        clock.started = clock.started.checked_sub(Duration::from_secs(60)).unwrap();
        let waited = |from: u64, to: u64| {
            let at = |second: u64| end.checked_sub(Duration::from_secs(60 - second)).unwrap();
            at(from)..at(to)
        };
        // Two that are made at once, and a later one.
        for (from, to) in [(0, 20), (0, 10), (30, 60)] {
            clock.leave_out(waited(from, to));
        }
        let told = clock.now();
        assert!((10_000..50_000).contains(&told.0), "{told}");
        clock.leave_out(end..end + Duration::from_secs(50));
        assert!(clock.now() >= told);
    }

    #[test]
    fn what_was_waited_for_counts_where_the_profile_says_so() {
        let mut clock = Clock::start(Time::Real, Waiting::Counts, Millis(0));
        let end = clock.started;
        clock.started = end.checked_sub(Duration::from_secs(60)).unwrap();
        clock.leave_out(clock.started..end);
        assert!(clock.now() >= Millis(60_000));
    }

    #[test]
    fn a_pause_that_is_played_takes_no_time() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let clock = Clock::start(Time::Played, Waiting::LeftOut, Millis(0));
        // An hour: the test would not end.
        runtime.block_on(clock.wait_until(Millis(3_600_000)));
        assert_eq!(clock.now(), Millis(3_600_000));
    }
}
