//! A profile at work: whom it asks, where it keeps what happens, and who may stop it.

use super::asked::{Asked, Candidates, Consultant};
use super::budget::RunBudget;
use super::clock::Time;
use super::off_thread::on_blocking_thread;
use super::stops::Stops;
use crate::plan::Plan;
use crate::store::{Artifacts, EventLog, RunId, StoreError};
use std::sync::Arc;
use tokio::sync::watch;

/// Where a run keeps what happens.
#[derive(Debug, Clone)]
pub struct RunStore {
    /// The journal.
    pub journal: Arc<dyn EventLog>,
    /// The run's id in it.
    pub run: RunId,
    /// Where artifacts go, if anywhere.
    pub artifacts: Option<Artifacts>,
}

/// A profile at work on documents, which may be run at the same time.
pub struct Session {
    pub(super) plan: Arc<Plan>,
    /// Whom documents ask. Each has its own place in each chain, so that they can be run at the same time.
    pub(super) asked: Asked,
    pub(super) store: RunStore,
    pub(super) time: Time,
    stops: Stops,
    budget: Arc<RunBudget>,
    /// Keeps `draining` open where nobody drains the session.
    _undrained: Option<watch::Sender<bool>>,
}

impl Session {
    /// A session that ends its current document when `cancelled` becomes true, and never if its sender is dropped before.
    /// `consultants` are the members of the plan's panel, in its order.
    #[must_use]
    pub fn new(
        plan: Arc<Plan>,
        candidates: Candidates,
        consultants: Vec<Consultant>,
        store: RunStore,
        cancelled: watch::Receiver<bool>,
    ) -> Self {
        let asked = Asked { candidates, consultants };
        let (undrained, draining) = watch::channel(false);
        let stops = Stops { cancelled, draining };
        let budget = Arc::new(RunBudget::new(plan.profile.budget));
        Session { plan, asked, store, time: Time::Real, stops, budget, _undrained: Some(undrained) }
    }

    /// The same, which begins no other call when `draining` becomes true, and waits for those that are under way.
    #[must_use]
    pub fn draining_on(self, draining: watch::Receiver<bool>) -> Self {
        Session { stops: Stops { draining, ..self.stops }, _undrained: None, ..self }
    }

    /// The same by another time than this machine's.
    #[must_use]
    pub(crate) fn with_time(self, time: Time) -> Self {
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

    /// How it hears that somebody stops it.
    pub(super) fn stops(&self) -> Stops {
        self.stops.clone()
    }

    /// Whether no other call is begun.
    pub(super) fn takes_no_calls(&self) -> bool {
        self.stops.takes_no_calls() || self.budget.is_spent()
    }

    /// What its documents may use up together.
    pub(super) fn budget(&self) -> &Arc<RunBudget> {
        &self.budget
    }

    /// Where what happens is kept.
    #[cfg(feature = "journal")]
    pub(super) fn log(&self) -> &dyn EventLog {
        self.store.journal.as_ref()
    }

    /// Whether it is a replay, in which whatever was waited for is over.
    #[cfg(feature = "journal")]
    pub(super) fn is_played(&self) -> bool {
        self.time == Time::Played
    }

    /// The profile at work.
    #[must_use]
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Whether someone stopped the session.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.stops.takes_no_calls()
    }

    /// Whom a document asks, from the first provider of each chain.
    pub(super) fn asked_anew(&self) -> Asked {
        self.asked.anew()
    }
}
