//! Detection of a provider that is plainly gone, from how documents end.

use super::super::consultants::ConsultedProviders;
use super::super::provider_gone::{MOST_PROVIDER_ERRORS_IN_A_ROW, pause_after, provider_failure};
use super::super::run_observer::RunObserver;
use super::super::session::Session;
use crate::policy::StopReason;
use crate::result::DocumentResult;
use crate::value::{DocumentId, Millis};
use tokio::time::Instant;

/// Counts documents in a row whose provider failed.
#[derive(Debug, Default)]
pub(super) struct ProviderWatch {
    in_a_row: usize,
    /// The reason that the latest of them failed.
    why: String,
    gave_up: bool,
    /// No document is begun before this time.
    until: Option<Instant>,
    /// The length of the pause, until it is reported.
    unsaid: Option<Millis>,
}

impl ProviderWatch {
    /// Takes in the end of a document, and whether it helps to wait before the next is begun.
    pub(super) fn see(
        &mut self,
        result: &DocumentResult,
        consulted: &ConsultedProviders,
        session: &Session,
        keep_going: bool,
    ) {
        if self.gave_up {
            return;
        }
        let Some(why) = provider_failure(result) else {
            // For an unreadable document, no provider was asked.
            if result.stop_reason != StopReason::UnreadableInput {
                self.in_a_row = 0;
            }
            return;
        };
        self.in_a_row += 1;
        why.clone_into(&mut self.why);
        let permanent = consulted.is_spent(result) || self.in_a_row >= MOST_PROVIDER_ERRORS_IN_A_ROW;
        if permanent && !keep_going {
            self.gave_up = true;
            return;
        }
        // In a replay, all waits are over.
        if session.is_played() {
            return;
        }
        if let Some(wait) = consulted.comes_back(result, session.plan().profile.network.max_retry_wait) {
            let pause = pause_after(self.in_a_row).max(wait);
            self.until = Some(Instant::now() + pause.duration());
            self.unsaid = Some(pause);
        }
    }

    /// Reports how long the next document waits, once.
    pub(super) fn say_pause<O: RunObserver + ?Sized>(&mut self, observer: &mut O) {
        if let Some(pause) = self.unsaid.take() {
            observer.pausing(pause);
        }
    }

    /// Returns whether no other document is to be begun.
    pub(super) fn gave_up(&self) -> bool {
        self.gave_up
    }

    /// The time before which none is begun.
    pub(super) fn pauses_until(&mut self) -> Option<Instant> {
        if self.until.is_some_and(|until| until <= Instant::now()) {
            (self.until, self.unsaid) = (None, None);
        }
        self.until
    }

    /// Reports why not all were tried.
    pub(super) fn say<O: RunObserver + ?Sized>(
        &self,
        observer: &mut O,
        not_tried: usize,
        named: &[DocumentId],
    ) {
        observer.gave_up(&self.why, self.in_a_row, (not_tried, named));
    }
}
