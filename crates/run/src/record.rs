//! The record of an event, and its report to the observer.

use super::Session;
use super::consultants::ConsultedProviders;
use super::document_run::DocumentRun;
use super::run_observer::RunObserver;
use crate::engine::{Event, Run};
use crate::exchange::PreparedFeedback;
use crate::result::{add_member, explained};
use crate::store::StoreError;
use crate::value::Millis;
use serde::Deserialize;
use serde_json::Value;

/// The member of an event's record for the document's positions in its chains of providers.
const CHAINS: &str = "chains";

/// Restores the positions from such a record.
pub(super) fn recall_chains(consulted: &ConsultedProviders, payload: &Value) {
    let positions = payload.get(CHAINS).and_then(|positions| Vec::deserialize(positions).ok());
    consulted.go_on_from(&positions.unwrap_or_default());
}

impl Session {
    /// Records what happened, with the feedback that was prepared for it, and notifies the observer.
    pub(super) fn record<O: RunObserver + ?Sized>(
        &self,
        (at, event): (Millis, &Event),
        feedback: Option<&PreparedFeedback>,
        run: &Run,
        task: &mut DocumentRun<'_>,
        observer: &mut O,
    ) -> Result<(), StoreError> {
        let json = |source| StoreError::Json { what: "an event".to_owned(), source };
        let mut payload = explained(&self.plan, run, event, feedback, &mut task.explanation).map_err(json)?;
        if matches!(event, Event::Produced { .. } | Event::Staged { .. } | Event::Consulted { .. }) {
            task.calls.note(&mut payload).map_err(json)?;
        }
        if matches!(event, Event::Failed { .. } | Event::Unanswered { .. }) {
            let positions = task.consulted.positions();
            if !positions.is_empty() {
                add_member(&mut payload, CHAINS, &positions).map_err(json)?;
            }
        }
        task.log.happened(at, event, payload)?;
        task.trace.see(&task.id, event, run.document());
        observer.event(&task.id, at, event);
        Ok(())
    }
}
