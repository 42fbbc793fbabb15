//! Limits how fast one server is asked with one key: calls at the same time, requests and tokens in a minute, and a
//! pause when it says that nothing is left.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use governor::clock::Clock;
use governor::middleware::NoOpMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter as Quotas};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, sleep_until};

use crate::profile::Limits;

/// Requests come one by one, but for what a window of this part of a minute admits at once: servers count in windows of
/// seconds, too.
const REQUEST_BURST: u32 = 6;

/// tokio's clock, which tests can stop.
#[derive(Debug, Clone, Copy)]
struct TokioClock;

impl Clock for TokioClock {
    type Instant = std::time::Instant;

    fn now(&self) -> Self::Instant {
        Instant::now().into_std()
    }
}

type Limiter = Quotas<NotKeyed, InMemoryState, TokioClock, NoOpMiddleware<std::time::Instant>>;

/// The limits shared by all calls to one server with one key.
#[derive(Debug)]
pub(super) struct RateLimiter {
    concurrency: Option<Arc<Semaphore>>,
    requests: Option<Limiter>,
    tokens: Option<TokenLimit>,
    /// The time before which nothing is sent.
    held: Mutex<Option<Instant>>,
    /// The first in the queue waits for room; the others wait for the first, in the order in which they came.
    queue: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct TokenLimit {
    limiter: Limiter,
    per_minute: NonZeroU32,
    /// The tokens that earlier calls took beyond their estimates; negative when they took fewer.
    owed: Mutex<i64>,
}

/// A call's turn. Other calls wait for it to be dropped when too many are in flight.
#[derive(Debug)]
pub(super) struct RateLimitPermit {
    _permit: Option<OwnedSemaphorePermit>,
    /// The time it took to get it.
    pub(super) waited: Duration,
}

impl RateLimiter {
    pub(super) fn new(limits: Limits) -> Self {
        let at_once =
            |count: NonZeroU32| NonZeroU32::new(count.get() / REQUEST_BURST).unwrap_or(NonZeroU32::MIN);
        Self {
            concurrency: limits
                .concurrency
                .map(|count| Arc::new(Semaphore::new((count as usize).min(Semaphore::MAX_PERMITS)))),
            requests: limits.requests_per_minute.and_then(NonZeroU32::new).map(|count| {
                let quota = Quota::per_minute(count).allow_burst(at_once(count));
                Quotas::direct_with_clock(quota, TokioClock)
            }),
            tokens: limits.tokens_per_minute.and_then(NonZeroU32::new).map(|per_minute| TokenLimit {
                // One call may need all of a minute's.
                limiter: Quotas::direct_with_clock(Quota::per_minute(per_minute), TokioClock),
                per_minute,
                owed: Mutex::new(0),
            }),
            held: Mutex::new(None),
            queue: tokio::sync::Mutex::new(()),
        }
    }

    /// Waits until a call of about this many tokens may be sent. Can be dropped at any time.
    pub(super) async fn turn(&self, tokens: u64) -> RateLimitPermit {
        let began = Instant::now();
        let permit = match &self.concurrency {
            // It is never closed.
            Some(concurrency) => Arc::clone(concurrency).acquire_owned().await.ok(),
            None => None,
        };
        let _first = self.queue.lock().await;
        // First, so that a call that is given up meanwhile takes nothing from the limits.
        self.wait_while_held().await;
        if let Some(limiter) = &self.requests {
            while let Err(not_until) = limiter.check() {
                sleep(not_until.wait_time_from(TokioClock.now())).await;
            }
        }
        if let Some(limit) = &self.tokens {
            limit.wait_for(tokens).await;
        }
        self.wait_while_held().await;
        RateLimitPermit { _permit: permit, waited: began.elapsed() }
    }

    async fn wait_while_held(&self) {
        while let Some(until) = self.held_until() {
            sleep_until(until).await;
        }
    }

    /// Accounts for what a call really took, whose turn was given for an estimate.
    pub(super) fn took(&self, estimated: u64, tokens: u64) {
        if let Some(limit) = &self.tokens {
            let more = signed(tokens).saturating_sub(signed(estimated));
            let mut owed = limit.owed.lock().unwrap_or_else(PoisonError::into_inner);
            *owed = owed.saturating_add(more);
        }
    }

    /// Sends nothing for this long: the server said that nothing is left.
    pub(super) fn hold(&self, wait: Duration) {
        let until = Instant::now() + wait;
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        *held = Some(held.map_or(until, |known| known.max(until)));
    }

    fn held_until(&self) -> Option<Instant> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.filter(|until| *until > Instant::now())
    }
}

impl TokenLimit {
    async fn wait_for(&self, estimated: u64) {
        while let Some(wait) = self.take(estimated) {
            sleep(wait).await;
        }
    }

    /// Takes what a call is estimated to need and what earlier ones owe; if that is not available, takes nothing and
    /// returns the time until it is.
    fn take(&self, estimated: u64) -> Option<Duration> {
        // More than a minute's worth would never fit.
        let most = i64::from(self.per_minute.get());
        let mut owed = self.owed.lock().unwrap_or_else(PoisonError::into_inner);
        let whole = signed(estimated).saturating_add(*owed);
        let wanted = whole.clamp(1, most);
        let count = u32::try_from(wanted).ok().and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MIN);
        if let Ok(Err(not_until)) = self.limiter.check_n(count) {
            return Some(not_until.wait_time_from(TokioClock.now()));
        }
        *owed = whole.saturating_sub(wanted).clamp(-most, most);
        None
    }
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Limits = Limits { concurrency: None, requests_per_minute: None, tokens_per_minute: None };

    /// The time at which each of `count` calls of `tokens` got its turn, in seconds.
    async fn turns(lane: &RateLimiter, count: usize, tokens: u64) -> Vec<u64> {
        let began = Instant::now();
        let mut when = Vec::new();
        for _ in 0..count {
            lane.turn(tokens).await;
            when.push(began.elapsed().as_secs());
        }
        when
    }

    #[tokio::test(start_paused = true)]
    async fn requests_are_spread_over_the_minute() {
        let lane = RateLimiter::new(Limits { requests_per_minute: Some(6), ..NONE });
        assert_eq!(turns(&lane, 4, 0).await, [0, 10, 20, 30]);
        let lane = RateLimiter::new(Limits { requests_per_minute: Some(60), ..NONE });
        let first_minute = turns(&lane, 100, 0).await.into_iter().filter(|second| *second < 60).count();
        assert!((60..=70).contains(&first_minute), "{first_minute}");
    }

    #[tokio::test(start_paused = true)]
    async fn tokens_are_counted_before_and_corrected_after() {
        let limits = Limits { tokens_per_minute: Some(600), ..NONE };
        assert_eq!(turns(&RateLimiter::new(limits), 3, 300).await, [0, 0, 30]);
        // Larger than a minute's worth: it goes when the bucket is full, and the rest is owed.
        assert_eq!(turns(&RateLimiter::new(limits), 2, 900).await, [0, 60]);
        let lane = RateLimiter::new(limits);
        lane.turn(300).await;
        lane.took(300, 600);
        assert_eq!(turns(&lane, 1, 100).await, [10]);
        let lane = RateLimiter::new(limits);
        lane.turn(600).await;
        lane.took(600, 10);
        assert_eq!(turns(&lane, 2, 100).await, [0, 0], "what was not used is given back");
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_owed_stays_owed_when_a_call_is_given_up() {
        let lane = RateLimiter::new(Limits { tokens_per_minute: Some(600), ..NONE });
        lane.turn(600).await;
        lane.took(600, 900);
        assert!(tokio::time::timeout(Duration::from_secs(1), lane.turn(100)).await.is_err());
        assert_eq!(turns(&lane, 1, 100).await, [39]);
    }

    #[tokio::test(start_paused = true)]
    async fn only_so_many_calls_are_on_their_way() {
        let lane = Arc::new(RateLimiter::new(Limits { concurrency: Some(2), ..NONE }));
        let (one, _two) = (lane.turn(0).await, lane.turn(0).await);
        let third = tokio::spawn({
            let lane = Arc::clone(&lane);
            async move { lane.turn(0).await.waited }
        });
        sleep(Duration::from_secs(5)).await;
        assert!(!third.is_finished());
        drop(one);
        assert_eq!(third.await.unwrap().as_secs(), 5);
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_goes_while_the_lane_is_held() {
        let lane = RateLimiter::new(NONE);
        lane.hold(Duration::from_secs(20));
        lane.hold(Duration::from_secs(5));
        assert_eq!(turns(&lane, 2, 0).await, [20, 20]);
    }

    #[tokio::test(start_paused = true)]
    async fn who_gives_up_waiting_leaves_room() {
        let lane = RateLimiter::new(Limits { concurrency: Some(1), requests_per_minute: Some(6), ..NONE });
        drop(lane.turn(0).await);
        let impatient = tokio::time::timeout(Duration::from_secs(1), lane.turn(0)).await;
        assert!(impatient.is_err());
        assert_eq!(turns(&lane, 1, 0).await, [9]);
    }
}
