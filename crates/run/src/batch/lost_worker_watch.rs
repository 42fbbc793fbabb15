//! Reports that this process is at work on its run, and checks whether the others still are.

use crate::store::{HEARTBEAT, Journal, RunId, RunPulse, SILENCE, StoreError, WorkerId};
use crate::value::Usage;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval};

/// Watches over the run's workers.
pub(super) struct LostWorkerWatch {
    journal: Arc<Journal>,
    run: RunId,
    worker: WorkerId,
    ticks: Interval,
    /// The heartbeat of each other worker, and since when it has not changed, by the clock of this process.
    heard: HashMap<WorkerId, (u64, Instant)>,
    pulse: Option<RunPulse>,
    /// `true` if no other worker began before this one.
    first: bool,
}

impl LostWorkerWatch {
    pub(super) fn new(journal: Arc<Journal>, run: RunId, worker: WorkerId) -> Self {
        let mut ticks = interval(HEARTBEAT);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        LostWorkerWatch { journal, run, worker, ticks, heard: HashMap::new(), pulse: None, first: false }
    }

    /// Waits until the next heartbeat is due. Can be dropped.
    pub(super) async fn due(&mut self) {
        self.ticks.tick().await;
    }

    /// Reports that this process is alive and what it has used up, and takes over the documents of dead ones.
    pub(super) async fn beat(&mut self, used: Usage) -> Result<(), StoreError> {
        self.pulse = Some(self.journal.beat(self.worker, used).await?);
        self.others_at_work().map(drop)
    }

    /// Returns whether a user cancelled the run.
    pub(super) fn is_cancelled(&self) -> bool {
        self.pulse.is_some_and(|pulse| pulse.cancelled)
    }

    /// The state of the run at the latest heartbeat.
    pub(super) fn pulse(&self) -> Option<RunPulse> {
        self.pulse
    }

    /// Takes over the documents of dead processes. Returns whether others are at work, so that documents may come back
    /// from them.
    pub(super) fn others_at_work(&mut self) -> Result<bool, StoreError> {
        let now = Instant::now();
        let mut others = false;
        let mut first = true;
        for (worker, process, beats) in self.journal.workers(&self.run, Some(self.worker))? {
            let heard = self.heard.entry(worker).or_insert((beats, now));
            if heard.0 != beats {
                *heard = (beats, now);
            }
            if process.is_gone() || now.duration_since(heard.1) >= SILENCE {
                let taken = self.journal.take_over(worker)?;
                self.heard.remove(&worker);
                tracing::warn!(target: "loopctl", event = "worker_lost", worker = %process, documents = taken);
                others |= taken > 0;
            } else {
                others = true;
                first &= worker > self.worker;
            }
        }
        self.first = first;
        Ok(others)
    }

    /// Returns whether none of those at work began before this one, as of the last check: it does what only one may do.
    pub(super) fn is_first(&self) -> bool {
        self.first
    }

    /// Ends the work of this process.
    pub(super) async fn close(self, used: Usage) -> Result<(), StoreError> {
        self.journal.beat(self.worker, used).await?;
        self.journal.end_work(self.worker)
    }
}
