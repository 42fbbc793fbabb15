//! The state of one server: whether it is left alone, and how many calls of it may be made again.

use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use super::breaker::{Breaker, BreakerPassage, BreakerRefusal};
use super::retry_budget::RetryBudget;
use crate::error::{CallError, FailureKind};
use crate::profile;

/// Shared by all calls of one origin.
#[derive(Debug)]
pub(super) struct Server {
    /// Its name in messages.
    name: String,
    health: Mutex<ServerHealth>,
    /// A trial has ended.
    tried: Notify,
}

#[derive(Debug)]
struct ServerHealth {
    breaker: Breaker,
    retries: RetryBudget,
}

/// A request in flight to a server. Dropped without an outcome, it was given up.
#[derive(Debug)]
pub(super) struct BreakerPermit {
    server: Arc<Server>,
    passage: BreakerPassage,
    over: bool,
}

impl Server {
    pub(super) fn new(name: String, settings: &profile::Network) -> Self {
        let health = ServerHealth {
            breaker: Breaker::new(settings.breaker),
            retries: RetryBudget::new(settings.retry_budget),
        };
        Self { name, health: Mutex::new(health), tried: Notify::new() }
    }

    /// Refuses what would be refused anyway, before it waits for its turn.
    pub(super) fn check(&self) -> Result<(), CallError> {
        let checked = self.health().breaker.check(Instant::now());
        match checked {
            Err(refusal) if !refusal.on_trial => Err(self.refused(refusal)),
            _ => Ok(()),
        }
    }

    /// Lets a request through. While another is the trial, it waits for its outcome, until `by`: concurrent calls would
    /// otherwise spend their last attempts on a server that is back. Can be dropped at any time.
    ///
    /// # Errors
    /// When the server is left alone.
    pub(super) async fn admit(self: &Arc<Self>, by: Option<Instant>) -> Result<BreakerPermit, CallError> {
        loop {
            let mut tried = pin!(self.tried.notified());
            // From here on, no trial's end is missed.
            tried.as_mut().enable();
            let admitted = self.health().breaker.admit(Instant::now());
            match admitted {
                Ok(passage) => return Ok(BreakerPermit { server: Arc::clone(self), passage, over: false }),
                Err(refusal) if !refusal.on_trial => return Err(self.refused(refusal)),
                Err(refusal) => match by {
                    Some(by) => timeout_at(by, tried).await.map_err(|_| self.refused(refusal))?,
                    None => tried.await,
                },
            }
        }
    }

    /// Pays for a retry.
    ///
    /// # Errors
    /// When there have been too many.
    pub(super) fn pay_retry(&self) -> Result<(), CallError> {
        if self.health().retries.take() { Ok(()) } else { Err(self.no_retries_left()) }
    }

    /// Returns whether a retry could be paid for.
    pub(super) fn affords_retry(&self) -> bool {
        self.health().retries.affords()
    }

    /// The error for a call that is not made again.
    pub(super) fn no_retries_left(&self) -> CallError {
        let message = format!("too many calls of `{}` were made again already", self.name);
        CallError { gives_up: true, ..CallError::new(FailureKind::Transient, message).help(RETRY_HELP) }
    }

    fn refused(&self, refusal: BreakerRefusal) -> CallError {
        let now = Timestamp::now();
        let time = |at: Timestamp| at.strftime("%H:%M:%S").to_string();
        let since = now.checked_sub(refusal.open_for).unwrap_or(now);
        let until = now.checked_add(refusal.wait).unwrap_or(now);
        let message = format!(
            "`{}` failed again and again and is left alone since {} until {} (UTC)",
            self.name,
            time(since),
            time(until)
        );
        let fault = CallError::new(FailureKind::CircuitOpen, message);
        CallError { retry_after: Some(refusal.wait), ..fault }
    }

    fn health(&self) -> std::sync::MutexGuard<'_, ServerHealth> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The advice where a retry budget is spent.
pub(super) const RETRY_HELP: &str =
    "the provider seems to be down: try later, or raise `network.retry_budget`";

impl BreakerPermit {
    /// The server answered; `well` if with what was asked for.
    pub(super) fn succeeded(mut self, well: bool) {
        self.over = true;
        let mut health = self.server.health();
        health.breaker.succeeded();
        if well {
            health.retries.succeeded();
        }
        drop(health);
        self.server.tried.notify_waiters();
    }

    /// The server failed. Returns a notice when it is left alone because of that.
    pub(super) fn failed(mut self) -> Option<String> {
        self.over = true;
        let opened = self.server.health().breaker.failed(Instant::now());
        self.server.tried.notify_waiters();
        let opened = opened?;
        let notice = format!(
            "`{}` is left alone for {}, after {} failures in a row",
            self.server.name,
            readable(opened.cool_down),
            opened.failures
        );
        tracing::warn!(
            target: "loopctl",
            event = "left_alone",
            server = %self.server.name,
            for_ms = readable(opened.cool_down).0,
            failures = opened.failures
        );
        Some(notice)
    }
}

impl Drop for BreakerPermit {
    fn drop(&mut self) {
        if !self.over {
            self.server.health().breaker.abandoned(self.passage, Instant::now());
            self.server.tried.notify_waiters();
        }
    }
}

/// `20 ms`, `3.5 s`.
pub(super) fn readable(duration: Duration) -> crate::value::Millis {
    crate::value::Millis(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Millis;
    use tokio::task::{JoinHandle, yield_now};
    use tokio::time::advance;

    const COOL_DOWN: Duration = Duration::from_secs(30);
    const DEADLINE: Duration = Duration::from_secs(60);

    /// A server that is back, whose breaker has one request as its trial, and two requests that come meanwhile.
    async fn on_trial() -> (Arc<Server>, BreakerPermit, Vec<JoinHandle<Result<BreakerPermit, CallError>>>) {
        let breaker = Some(profile::Breaker { failures: 1, cool_down: Millis(30_000) });
        let settings = profile::Network { breaker, ..profile::Network::default() };
        let server = Arc::new(Server::new("s".to_owned(), &settings));
        let by = || Some(Instant::now() + DEADLINE);
        assert!(server.admit(by()).await.unwrap().failed().is_some());
        assert!(server.check().is_err() && server.admit(by()).await.is_err());
        advance(COOL_DOWN).await;
        let trial = server.admit(by()).await.unwrap();
        let others = (0..2).map(|_| {
            let server = Arc::clone(&server);
            tokio::spawn(async move {
                server.check()?;
                server.admit(Some(Instant::now() + DEADLINE)).await
            })
        });
        let others: Vec<_> = others.collect();
        settle().await;
        assert!(others.iter().all(|other| !other.is_finished()));
        (server, trial, others)
    }

    async fn settle() {
        for _ in 0..10 {
            yield_now().await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_comes_during_the_trial_goes_on_when_it_succeeds() {
        let (_, trial, others) = on_trial().await;
        trial.succeeded(true);
        for other in others {
            assert_eq!(other.await.unwrap().unwrap().passage, BreakerPassage::Free);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_comes_during_the_trial_is_refused_when_it_fails() {
        let (server, trial, others) = on_trial().await;
        trial.failed();
        for other in others {
            let fault = other.await.unwrap().unwrap_err();
            assert_eq!((fault.kind, fault.retry_after), (FailureKind::CircuitOpen, Some(COOL_DOWN)));
        }
        assert!(server.check().is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn of_those_who_wait_one_takes_the_place_of_a_trial_that_is_given_up() {
        let (_, trial, mut others) = on_trial().await;
        drop(trial);
        settle().await;
        let next = others.iter().position(JoinHandle::is_finished).unwrap();
        let (next, other) = (others.remove(next), others.remove(0));
        let next = next.await.unwrap().unwrap();
        assert!(next.passage == BreakerPassage::Trial && !other.is_finished());
        // Giving up a wait takes nothing along.
        other.abort();
        assert!(other.await.is_err());
        next.succeeded(true);
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_for_a_trial_for_ever() {
        let (_, _trial, others) = on_trial().await;
        advance(DEADLINE).await;
        for other in others {
            assert_eq!(other.await.unwrap().unwrap_err().kind, FailureKind::CircuitOpen);
        }
    }
}
