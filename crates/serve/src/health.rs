//! The health of the service: `/healthz` says that it runs, `/readyz` whether documents can be taken.

use super::state::Service;
use crate::store::{Journal, StoreError};
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use jiff::Timestamp;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// The time for which an answer is good. No token is needed to ask, and each check writes to the disk.
const GOOD_FOR: Duration = Duration::from_secs(3);

/// The setting that is written to check that the journal can be written.
const PROBE: &str = "probed_at";

/// The longest wait of a client: shorter than its own patience, so that it learns the reason.
const WITHIN: Duration = Duration::from_secs(2);

/// The addresses at which clients ask whether the service is up.
pub(super) const PROBES: [&str; 2] = ["/healthz", "/readyz"];

/// The health of the journal: whether it takes documents, as of the last check.
#[derive(Default)]
pub struct Health {
    state: Arc<Mutex<HealthCheckState>>,
}

/// The result of the last check, and the check in flight.
#[derive(Default)]
struct HealthCheckState {
    last: Option<(Instant, Result<(), JournalFault>)>,
    /// Reports the result of the check in flight.
    under_way: Option<watch::Receiver<Option<Result<(), JournalFault>>>>,
}

/// The reason why documents can't be taken. Its words say nothing about the machine, because no token is needed to read
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum JournalFault {
    #[error("the journal can't be read")]
    Unreadable,
    #[error("the journal can't be written")]
    Unwritable,
    #[error("the disk is full")]
    DiskFull,
    #[error("the journal is locked by another process")]
    Locked,
    #[error("the journal does not answer: another process has it locked, or the disk is slow")]
    Silent,
    #[error("a mistake in loopctl itself, please report it")]
    Broken,
}

impl Health {
    /// Checks that the journal takes documents, or did a moment ago. Callers during a check wait for the same answer,
    /// and none longer than a bound: a lock is held for as long as its holder wants.
    async fn journal(&self, journal: &Arc<Journal>, reading: &Arc<Journal>) -> Result<(), JournalFault> {
        let mut told = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((at, found)) = state.last
                && at.elapsed() < GOOD_FOR
            {
                return found;
            }
            match state.under_way.as_ref().filter(|told| told.has_changed().is_ok()) {
                Some(told) => told.clone(),
                None => state.under_way.insert(self.begin(journal, reading)).clone(),
            }
        };
        match tokio::time::timeout(WITHIN, told.wait_for(Option::is_some)).await {
            Ok(Ok(found)) => found.unwrap_or(Err(JournalFault::Broken)),
            Ok(Err(_)) => Err(JournalFault::Broken),
            Err(_) => Err(JournalFault::Silent),
        }
    }

    /// Checks on a thread that may wait, even if the caller leaves.
    fn begin(
        &self,
        journal: &Arc<Journal>,
        reading: &Arc<Journal>,
    ) -> watch::Receiver<Option<Result<(), JournalFault>>> {
        let (tell, told) = watch::channel(None);
        let (journal, reading) = (Arc::clone(journal), Arc::clone(reading));
        let state = Arc::clone(&self.state);
        tokio::task::spawn_blocking(move || {
            let found = look(&journal, &reading);
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            state.last = Some((Instant::now(), found));
            state.under_way = None;
            tell.send_replace(Some(found));
        });
        told
    }
}

fn look(journal: &Journal, reading: &Journal) -> Result<(), JournalFault> {
    reading.service_setting(PROBE).map_err(|_| JournalFault::Unreadable)?;
    // Only a write reveals that the disk is full.
    journal.set_service_setting(PROBE, &Timestamp::now().to_string().into()).map_err(|error| match error {
        StoreError::DiskFull { .. } => JournalFault::DiskFull,
        StoreError::Locked { .. } => JournalFault::Locked,
        _ => JournalFault::Unwritable,
    })
}

/// `/healthz` and `/readyz`.
pub(super) fn routes() -> Router<Arc<Service>> {
    Router::new().route("/healthz", get(|| async { "ok\n" })).route("/readyz", get(ready))
}

/// Answers whether documents can be taken. A provider that is given up is reported, but is no reason to take the
/// service away from people: results can be read and decided about, and documents wait.
async fn ready(State(service): State<Arc<Service>>) -> (StatusCode, String) {
    let waiting = service.jobs.profile_errors().len();
    match service.health.journal(&service.journal, &service.reading).await {
        Err(trouble) => (StatusCode::SERVICE_UNAVAILABLE, format!("{trouble}\n")),
        Ok(()) => (StatusCode::OK, said_of(waiting)),
    }
}

/// The page of documents says whose documents wait, and why.
fn said_of(waiting: usize) -> String {
    match waiting {
        0 => "ready\n".to_owned(),
        1 => "ready, but the documents of 1 profile wait: its provider is given up, or its budget is spent\n"
            .to_owned(),
        many => format!(
            "ready, but the documents of {many} profiles wait: their providers are given up, or their budgets are spent\n"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probed(journal: &Journal) -> Option<serde_json::Value> {
        journal.service_setting(PROBE).unwrap()
    }

    /// No token is needed to ask, so asking often costs no writes.
    #[tokio::test]
    async fn the_journal_is_looked_at_once_in_a_while() {
        let (health, journal) = (Health::default(), Arc::new(Journal::in_memory().unwrap()));
        assert_eq!(health.journal(&journal, &journal).await, Ok(()));
        let first = probed(&journal);
        assert!(first.is_some());
        assert_eq!(health.journal(&journal, &journal).await, Ok(()));
        assert_eq!(probed(&journal), first);
    }
}
