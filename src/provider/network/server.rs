//! What is known of one server: whether it is left alone, and how many calls of it may be made again.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;

use super::breaker::{Breaker, Passage, Refusal};
use super::retry_budget::RetryBudget;
use crate::profile;
use crate::provider::error::{FailureKind, Fault};

/// Shared by all calls of one origin.
#[derive(Debug)]
pub(super) struct Server {
    /// As messages call it.
    name: String,
    health: Mutex<Health>,
}

#[derive(Debug)]
struct Health {
    breaker: Breaker,
    retries: RetryBudget,
}

/// A request on its way to a server. Dropped without an outcome, it was given up.
#[derive(Debug)]
pub(super) struct Passing {
    server: Arc<Server>,
    passage: Passage,
    over: bool,
}

impl Server {
    pub(super) fn new(name: String, settings: &profile::Network) -> Self {
        let health = Health {
            breaker: Breaker::new(settings.breaker),
            retries: RetryBudget::new(settings.retry_budget),
        };
        Self { name, health: Mutex::new(health) }
    }

    /// Refuses what would be refused anyway, before it waits for its turn.
    pub(super) fn check(&self) -> Result<(), Fault> {
        let checked = self.health().breaker.check(Instant::now());
        checked.map(|_| ()).map_err(|refusal| self.refused(refusal))
    }

    /// Lets a request through.
    ///
    /// # Errors
    /// When the server is left alone.
    pub(super) fn admit(self: &Arc<Self>) -> Result<Passing, Fault> {
        let admitted = self.health().breaker.admit(Instant::now());
        let passage = admitted.map_err(|refusal| self.refused(refusal))?;
        Ok(Passing { server: Arc::clone(self), passage, over: false })
    }

    /// Pays for a retry.
    ///
    /// # Errors
    /// When there have been too many.
    pub(super) fn pay_retry(&self) -> Result<(), Fault> {
        if self.health().retries.take() { Ok(()) } else { Err(self.no_retries_left()) }
    }

    /// Whether a retry could be paid.
    pub(super) fn affords_retry(&self) -> bool {
        self.health().retries.affords()
    }

    /// Why a call is not made again.
    pub(super) fn no_retries_left(&self) -> Fault {
        let message = format!("too many calls of `{}` were made again already", self.name);
        Fault { gives_up: true, ..Fault::new(FailureKind::Transient, message).help(RETRY_HELP) }
    }

    fn refused(&self, refusal: Refusal) -> Fault {
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
        let fault = Fault::new(FailureKind::CircuitOpen, message);
        Fault { retry_after: Some(refusal.wait), ..fault }
    }

    fn health(&self) -> std::sync::MutexGuard<'_, Health> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Said where a retry budget is spent.
pub(super) const RETRY_HELP: &str =
    "the provider seems to be down: try later, or raise `network.retry_budget`";

impl Passing {
    /// The server answered; `well` when with what was asked for.
    pub(super) fn succeeded(mut self, well: bool) {
        self.over = true;
        let mut health = self.server.health();
        health.breaker.succeeded();
        if well {
            health.retries.succeeded();
        }
    }

    /// The server failed. Says so when that makes it be left alone.
    pub(super) fn failed(mut self) -> Option<String> {
        self.over = true;
        let opened = self.server.health().breaker.failed(Instant::now())?;
        let notice = format!(
            "`{}` is left alone for {}, after {} failures in a row",
            self.server.name,
            readable(opened.cool_down),
            opened.failures
        );
        tracing::warn!("{notice}");
        Some(notice)
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        if !self.over {
            self.server.health().breaker.abandoned(self.passage, Instant::now());
        }
    }
}

/// `20 ms`, `3.5 s`.
pub(super) fn readable(duration: Duration) -> crate::value::Millis {
    crate::value::Millis(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}
