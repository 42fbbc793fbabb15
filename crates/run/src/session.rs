//! A profile at work: the providers it asks, its store, and the signals that stop it.

use super::budget::RunBudget;
use super::clock::Time;
use super::consultants::{Candidates, Consultant, ConsultedProviders};
use super::off_thread::on_blocking_thread;
use super::stop_signals::StopSignals;
use crate::ingest::DocumentReader;
use crate::plan::Plan;
use crate::store::{Artifacts, EventLog, RunId, StoreError};
use std::sync::Arc;
use tokio::sync::watch;

/// The store of a run.
#[derive(Debug, Clone)]
pub struct RunStore {
    /// The journal.
    pub journal: Arc<dyn EventLog>,
    /// The run's id in it.
    pub run: RunId,
    /// The folder of artifacts, if any.
    pub artifacts: Option<Artifacts>,
}

/// A profile at work on documents, which may be run at the same time.
pub struct Session {
    pub(super) plan: Arc<Plan>,
    /// The providers that documents ask. Each document has its own position in each chain, so that they can be run at
    /// the same time.
    pub(super) consulted: ConsultedProviders,
    pub(super) store: RunStore,
    pub(super) time: Time,
    pub(super) reader: DocumentReader,
    stops: StopSignals,
    budget: Arc<RunBudget>,
    /// Keeps `draining` open if the session is never drained.
    _undrained: Option<watch::Sender<bool>>,
}

impl Session {
    /// A session that ends its current document when `cancelled` becomes true, and never if its sender is dropped
    /// before. `consultants` are the members of the plan's panel, in its order.
    #[must_use]
    pub fn new(
        plan: Arc<Plan>,
        candidates: Candidates,
        consultants: Vec<Consultant>,
        store: RunStore,
        cancelled: watch::Receiver<bool>,
    ) -> Self {
        let consulted = ConsultedProviders { candidates, consultants };
        let (undrained, draining) = watch::channel(false);
        let stops = StopSignals { cancelled, draining };
        let budget = Arc::new(RunBudget::new(plan.profile.budget));
        let reader = DocumentReader::in_process().with_ingest(&plan.profile.ingest);
        Session {
            plan,
            consulted,
            store,
            time: Time::Real,
            reader,
            stops,
            budget,
            _undrained: Some(undrained),
        }
    }

    /// Returns this session, which begins no other call when `draining` becomes true, and waits for those in flight.
    #[must_use]
    pub fn draining_on(self, draining: watch::Receiver<bool>) -> Self {
        Session { stops: StopSignals { draining, ..self.stops }, _undrained: None, ..self }
    }

    /// Returns this session with another reader of documents than one in this process. It reads as the plan's profile says.
    #[must_use]
    pub fn with_reader(self, reader: DocumentReader) -> Self {
        let reader = reader.with_ingest(&self.plan.profile.ingest);
        Session { reader, ..self }
    }

    /// Returns this session with another time than this machine's.
    #[must_use]
    pub fn with_time(self, time: Time) -> Self {
        Session { time, ..self }
    }

    /// Records that the session is over, at a time as RFC 3339.
    ///
    /// # Errors
    /// When the journal can't be written.
    pub async fn close(&self, finished_at: &str) -> Result<(), StoreError> {
        let (finished_at, store) = (finished_at.to_owned(), self.store.clone());
        on_blocking_thread(move || store.journal.finish_run(&store.run, &finished_at)).await
    }

    /// The run's id in the journal.
    pub(super) fn id(&self) -> &RunId {
        &self.store.run
    }

    /// The signals that stop it.
    pub(super) fn stops(&self) -> StopSignals {
        self.stops.clone()
    }

    /// Returns whether no other call is begun.
    pub(super) fn takes_no_calls(&self) -> bool {
        self.stops.takes_no_calls() || self.budget.is_spent()
    }

    /// The budget that its documents share.
    pub(super) fn budget(&self) -> &Arc<RunBudget> {
        &self.budget
    }

    /// The log of what happens.
    #[cfg(feature = "journal")]
    pub(super) fn log(&self) -> &dyn EventLog {
        self.store.journal.as_ref()
    }

    /// Returns whether it is a replay, in which all waits are over.
    #[cfg(feature = "journal")]
    pub(super) fn is_played(&self) -> bool {
        self.time == Time::Played
    }

    /// The profile at work.
    #[must_use]
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Returns whether the session was stopped.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.stops.takes_no_calls()
    }

    /// The providers and validators that a document asks, from the first of each chain.
    pub(super) fn consulted_anew(&self) -> ConsultedProviders {
        self.consulted.anew()
    }
}
