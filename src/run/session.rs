//! A profile at work: whom it asks, where it keeps what happens, and who may stop it.

use super::asked::{Asked, Candidates, Consultant};
use super::call::stopped;
use super::clock::Time;
use crate::plan::Plan;
use crate::store::{Artifacts, EventLog, RunId, StoreError};
use crate::value::Millis;
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

impl RunStore {
    /// Keeps something, on a thread that may wait for a disk: the executor has other documents to see to.
    pub(super) async fn keep<T: Send + 'static>(
        &self,
        work: impl FnOnce(&RunStore) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let place = self.clone();
        match tokio::task::spawn_blocking(move || work(&place)).await {
            Ok(done) => done,
            Err(lost) => match lost.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => Err(StoreError::ShuttingDown),
            },
        }
    }
}

/// A profile at work on documents, which may be run at the same time.
pub struct Session {
    pub(super) plan: Arc<Plan>,
    /// Whom documents ask. Each has its own place in each chain, so that they can be run at the same time.
    pub(super) asked: Asked,
    pub(super) place: RunStore,
    pub(super) time: Time,
    pub(super) cancelled: watch::Receiver<bool>,
}

impl Session {
    /// A session that ends its current document when `cancelled` becomes true, and never if its sender is dropped before.
    /// `consultants` are the members of the plan's panel, in its order.
    #[must_use]
    pub fn new(
        plan: Arc<Plan>,
        candidates: Candidates,
        consultants: Vec<Consultant>,
        place: RunStore,
        cancelled: watch::Receiver<bool>,
    ) -> Self {
        let asked = Asked { candidates, consultants };
        Session { plan, asked, place, time: Time::Real, cancelled }
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
        let finished_at = finished_at.to_owned();
        self.place.keep(move |place| place.journal.finish_run(&place.run, &finished_at)).await
    }

    /// The run's id in the journal.
    pub(super) fn id(&self) -> &RunId {
        &self.place.run
    }

    /// The profile at work.
    #[must_use]
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Whether someone stopped the session.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        *self.cancelled.borrow()
    }

    /// Whom a document asks, from the first provider of each chain.
    pub(super) fn asked_anew(&self) -> Asked {
        self.asked.anew()
    }

    /// What comes of `work`; `None` when someone stops the session before.
    pub(super) async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut cancelled = self.cancelled.clone();
        tokio::select! {
            biased;
            done = work => Some(done),
            () = stopped(&mut cancelled) => None,
        }
    }

    /// Waits between documents; someone who stops the session ends that.
    pub(super) async fn pause(&self, pause: Millis) {
        let mut cancelled = self.cancelled.clone();
        // Of a replay, whatever was waited for is over.
        if self.time != Time::Played {
            tokio::select! {
                () = tokio::time::sleep(pause.duration()) => {}
                () = stopped(&mut cancelled) => {}
            }
        }
    }
}
