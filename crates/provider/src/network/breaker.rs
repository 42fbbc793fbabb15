//! A circuit breaker: a server that fails again and again is left alone for a while, then asked once.

use std::time::Duration;

use tokio::time::Instant;

use crate::profile;

/// The breaker of one server. Time is passed in.
#[derive(Debug)]
pub(super) struct Breaker {
    settings: Option<profile::Breaker>,
    state: BreakerState,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum BreakerState {
    /// Requests go through; this many have failed in a row.
    Closed { failures: u32 },
    /// None goes through.
    Open { since: Instant, until: Instant },
    /// One is in flight, and decides.
    Trial { since: Instant },
}

/// The reason why a request doesn't go through.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BreakerRefusal {
    /// The time for which the breaker has been open.
    pub(super) open_for: Duration,
    /// The time until another request may be tried.
    pub(super) wait: Duration,
    /// `true` if a trial is in flight, whose end decides.
    pub(super) on_trial: bool,
}

/// A request that goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BreakerPassage {
    /// As always.
    Free,
    /// Alone, to see whether the server is back.
    Trial,
}

impl Breaker {
    /// Closed. Without settings it never opens.
    pub(super) fn new(settings: Option<profile::Breaker>) -> Self {
        Self { settings, state: BreakerState::Closed { failures: 0 } }
    }

    /// Checks whether a request could go through.
    pub(super) fn check(&self, now: Instant) -> Result<BreakerPassage, BreakerRefusal> {
        let refusal = |since: Instant, wait: Duration, on_trial: bool| BreakerRefusal {
            open_for: now.duration_since(since),
            wait,
            on_trial,
        };
        match self.state {
            BreakerState::Closed { .. } => Ok(BreakerPassage::Free),
            BreakerState::Open { until, .. } if now >= until => Ok(BreakerPassage::Trial),
            BreakerState::Open { since, until } => Err(refusal(since, until.duration_since(now), false)),
            // The trial ends at its deadline at the latest; it may end any moment.
            BreakerState::Trial { since } => {
                Err(refusal(since, self.cool_down().min(Duration::from_secs(1)), true))
            }
        }
    }

    /// Lets a request through, or not. The caller reports how a request that was let through ended.
    pub(super) fn admit(&mut self, now: Instant) -> Result<BreakerPassage, BreakerRefusal> {
        let passage = self.check(now)?;
        if let (BreakerPassage::Trial, BreakerState::Open { since, .. }) = (passage, self.state) {
            self.state = BreakerState::Trial { since };
        }
        Ok(passage)
    }

    /// The server answered.
    pub(super) fn succeeded(&mut self) {
        self.state = BreakerState::Closed { failures: 0 };
    }

    /// The server failed. Returns the details when that opens the closed breaker.
    pub(super) fn failed(&mut self, now: Instant) -> Option<BreakerOpened> {
        let settings = self.settings?;
        let until = now + settings.cool_down.duration();
        match self.state {
            BreakerState::Closed { failures } => {
                let failures = failures.saturating_add(1);
                if failures < settings.failures {
                    self.state = BreakerState::Closed { failures };
                    return None;
                }
                self.state = BreakerState::Open { since: now, until };
                Some(BreakerOpened { failures, cool_down: settings.cool_down.duration() })
            }
            BreakerState::Trial { since } => {
                self.state = BreakerState::Open { since, until };
                None
            }
            // It was already in flight.
            BreakerState::Open { .. } => None,
        }
    }

    /// A request that was let through was given up before it ended: the next may be the trial.
    pub(super) fn abandoned(&mut self, passage: BreakerPassage, now: Instant) {
        if let (BreakerPassage::Trial, BreakerState::Trial { since }) = (passage, self.state) {
            self.state = BreakerState::Open { since, until: now };
        }
    }

    fn cool_down(&self) -> Duration {
        self.settings.map(|settings| settings.cool_down.duration()).unwrap_or_default()
    }
}

/// The opening of a breaker, for a log event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BreakerOpened {
    /// The number of requests that failed in a row.
    pub(super) failures: u32,
    /// The time for which no other is sent.
    pub(super) cool_down: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Millis;
    use proptest::prelude::*;

    const COOL_DOWN: Duration = Duration::from_secs(30);

    fn breaker(failures: u32) -> Breaker {
        Breaker::new(Some(profile::Breaker { failures, cool_down: Millis(30_000) }))
    }

    fn at(seconds: u64) -> Instant {
        use std::sync::LazyLock;
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        *START + Duration::from_secs(seconds)
    }

    #[test]
    fn it_opens_after_failures_in_a_row_and_says_so_once() {
        let mut breaker = breaker(3);
        assert_eq!(breaker.failed(at(0)), None);
        assert_eq!(breaker.failed(at(1)), None);
        breaker.succeeded();
        assert_eq!(breaker.failed(at(2)), None);
        assert_eq!(breaker.failed(at(3)), None);
        assert_eq!(breaker.failed(at(4)), Some(BreakerOpened { failures: 3, cool_down: COOL_DOWN }));
        assert_eq!(breaker.failed(at(5)), None);
        let refusal = breaker.admit(at(14)).unwrap_err();
        assert_eq!((refusal.open_for, refusal.wait), (Duration::from_secs(10), Duration::from_secs(20)));
    }

    #[test]
    fn one_trial_decides() {
        let mut breaker = breaker(1);
        breaker.failed(at(0));
        assert_eq!(breaker.admit(at(30)), Ok(BreakerPassage::Trial));
        assert!(breaker.admit(at(30)).unwrap_err().on_trial);
        assert_eq!(breaker.failed(at(31)), None);
        let refusal = breaker.admit(at(31)).unwrap_err();
        assert_eq!((refusal.open_for, refusal.wait), (Duration::from_secs(31), COOL_DOWN));
        assert!(!refusal.on_trial);
        assert_eq!(breaker.admit(at(61)), Ok(BreakerPassage::Trial));
        breaker.succeeded();
        assert_eq!(breaker.admit(at(61)), Ok(BreakerPassage::Free));
    }

    #[test]
    fn a_trial_that_is_given_up_makes_room_for_another() {
        let mut breaker = breaker(1);
        breaker.failed(at(0));
        let passage = breaker.admit(at(30)).unwrap();
        breaker.abandoned(BreakerPassage::Free, at(31));
        assert!(breaker.admit(at(31)).is_err());
        breaker.abandoned(passage, at(31));
        assert_eq!(breaker.admit(at(31)), Ok(BreakerPassage::Trial));
    }

    #[test]
    fn without_settings_it_never_opens() {
        let mut breaker = Breaker::new(None);
        for second in 0..100 {
            assert_eq!(breaker.failed(at(second)), None);
            assert_eq!(breaker.admit(at(second)), Ok(BreakerPassage::Free));
        }
    }

    proptest! {
        /// Whatever happens, a server that is asked no more is asked again after a cool-down, and by one request only.
        #[test]
        fn it_never_stays_open(steps in proptest::collection::vec((0_u64..20, 0_u8..4), 0..100)) {
            let mut breaker = breaker(2);
            let (mut now, mut trials) = (0, Vec::new());
            for (seconds, step) in steps {
                now += seconds;
                match step {
                    0 => trials.extend(breaker.admit(at(now)).ok().filter(|p| *p == BreakerPassage::Trial)),
                    1 => { breaker.succeeded(); trials.clear(); }
                    2 => { breaker.failed(at(now)); trials.clear(); }
                    _ => if let Some(trial) = trials.pop() { breaker.abandoned(trial, at(now)); }
                }
                prop_assert!(trials.len() <= 1);
            }
            if let Some(trial) = trials.pop() { breaker.abandoned(trial, at(now)); }
            prop_assert!(breaker.admit(at(now) + COOL_DOWN).is_ok());
        }
    }
}
