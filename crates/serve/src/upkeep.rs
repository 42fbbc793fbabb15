//! Removal of what has had its time: old entries of the access log, uploads about which nothing is left to do, profiles
//! that have not been used for a while.

use super::blocking::on_blocking_thread;
use super::decided::Decided;
use super::state::Service;
use crate::store::{AccessRetention, DocumentStage, Journal, RunId, StoreError};
use crate::value::DocumentId;
use jiff::{SignedDuration, Timestamp};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::time::MissedTickBehavior;

/// The interval between removals.
const EVERY: Duration = Duration::from_secs(600);

/// The interval between searches for unused profiles: until then, each takes memory.
const IDLE_EVERY: Duration = Duration::from_secs(20);

/// The time for which answers to requests without a token are kept.
const NAMELESS_FOR: SignedDuration = SignedDuration::from_hours(90 * 24);

/// The most entries that are kept of requests without a token.
const MOST_NAMELESS: u32 = 10_000;

/// Runs for as long as the service exists.
pub(super) async fn watch(service: Weak<Service>) {
    let (mut ticks, mut idle_ticks) = (tokio::time::interval(EVERY), tokio::time::interval(IDLE_EVERY));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    idle_ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let is_long = tokio::select! {
            _ = ticks.tick() => true,
            _ = idle_ticks.tick() => false,
        };
        let Some(service) = service.upgrade() else { return };
        let kept = on_blocking_thread(move || {
            service.jobs.close_idle();
            if is_long { tidy(&service, Timestamp::now()) } else { Ok(()) }
        });
        let kept = kept.await;
        if let Err(error) = kept {
            // It is tried again, and nothing else waits for it.
            tracing::warn!(target: "loopctl", event = "upkeep_failed", reason = error.message());
        }
    }
}

/// Removes what is due.
fn tidy(service: &Arc<Service>, now: Timestamp) -> Result<(), StoreError> {
    let before = |kept: SignedDuration| now.checked_sub(kept).unwrap_or(Timestamp::UNIX_EPOCH);
    service.journal.prune_access_log(&AccessRetention {
        named_from: before(service.settings.keep_access).to_string(),
        nameless_from: before(NAMELESS_FOR.min(service.settings.keep_access)).to_string(),
        most_nameless: MOST_NAMELESS,
    })?;
    let Some(kept) = service.settings.keep_uploads else { return Ok(()) };
    let mut removed = 0_u64;
    for job in service.jobs.uploads_before(before(kept)) {
        if is_over(&service.reading, &job)? {
            service.jobs.discard_upload(&job);
            removed += 1;
        }
    }
    if removed > 0 {
        tracing::info!(target: "loopctl", event = "uploads_removed", count = removed);
    }
    Ok(())
}

/// Returns whether nothing is left to do or to decide about a job. An unknown one was removed with its run.
fn is_over(journal: &Journal, job: &str) -> Result<bool, StoreError> {
    let Some(job) = journal.job(job)? else { return Ok(true) };
    match job.stage {
        DocumentStage::Finished => {}
        // A retry needs it, unless it was given up.
        DocumentStage::Failed => return Ok(job.cancelled_at.is_some()),
        DocumentStage::Waiting | DocumentStage::Running | DocumentStage::Parked | DocumentStage::GivenUp => {
            return Ok(false);
        }
    }
    let documents = job.split.map_or_else(|| vec![job.document_id], |split| split.sections);
    for document in documents {
        if !is_settled(journal, &job.run, &document)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns whether nothing is left to decide about a document that is over.
fn is_settled(journal: &Journal, run: &RunId, document: &DocumentId) -> Result<bool, StoreError> {
    let outcome = journal.outcome(run, document)?;
    let waits = outcome.and_then(|outcome| outcome.get("review")?.as_bool()).unwrap_or_default();
    let decided = Decided::of(journal, run, document)?;
    Ok(match decided {
        Some(decided) => decided.is_settled(),
        None => !waits,
    })
}
