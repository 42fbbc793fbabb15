//! The record of earlier work on a document, and the point from which it is resumed.

use crate::engine::{DocumentState, Event, Recorded, Work};
use crate::policy::StopReason;
use crate::store::{StoredAnswer, StoredEvent};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The record of earlier work on a document.
#[derive(Debug, Default)]
pub(crate) struct PriorWork {
    /// The events that still count, with what is kept besides.
    pub(super) events: Vec<(Recorded, Value)>,
    /// The number of events that were recorded before.
    pub(super) counted: usize,
    /// The position of the next event.
    pub(super) next: u64,
    /// Answers that nothing has come of yet: what was asked and what came back, by call.
    pub(super) answers: BTreeMap<String, (Vec<u8>, Vec<u8>)>,
}

impl PriorWork {
    /// Reads what the journal has.
    ///
    /// # Errors
    /// In words, when an event is of a kind that this release does not know.
    pub(crate) fn of(
        (stored, next): (Vec<StoredEvent>, u64),
        answers: Vec<StoredAnswer>,
    ) -> Result<Self, String> {
        let counted = stored.len();
        let mut events = Vec::with_capacity(counted);
        for StoredEvent { seq, at, kind, payload, .. } in stored {
            let event = Event::deserialize(&payload).map_err(|_| {
                format!("event {seq} (`{kind}`) is none that this release of loopctl can read")
            })?;
            events.push((Recorded { at, event }, payload));
        }
        events.truncate(kept(&events));
        let answers =
            answers.into_iter().map(|answer| (answer.call, (answer.question, answer.answer))).collect();
        Ok(PriorWork { events, counted, next, answers })
    }
}

impl PriorWork {
    /// Forgets all of it; what follows is recorded after it.
    pub(super) fn forget(&mut self) {
        self.events.clear();
        self.answers.clear();
    }
}

/// The number of events that count when a document is resumed. A stop does not count any more, nor does a provider's
/// failure; a judge who failed is asked again.
fn kept(events: &[(Recorded, Value)]) -> usize {
    let event = |at: usize| events.get(at).map(|(recorded, _)| &recorded.event);
    let mut count = events.len();
    let Some(Event::Finished(outcome)) = count.checked_sub(1).and_then(event) else { return count };
    count -= 1;
    if outcome.stop_reason == StopReason::Cancelled {
        let stopped = count.checked_sub(1).and_then(event);
        return if matches!(stopped, Some(Event::Stopped { .. })) { count - 1 } else { count };
    }
    let is_try = |event: &Event| {
        matches!(
            event,
            Event::Failed { .. }
                | Event::Waiting { .. }
                | Event::Woke
                | Event::Called(Work::Generate { .. } | Work::Correct { .. })
        )
    };
    let failed = matches!(count.checked_sub(1).and_then(event), Some(Event::Failed { .. }));
    if failed && outcome.stop_reason == StopReason::ProviderError {
        while count.checked_sub(1).and_then(event).is_some_and(is_try) {
            count -= 1;
        }
        return count;
    }
    let state = DocumentState::of(events.iter().map(|(recorded, _)| (recorded.at, &recorded.event)));
    let last = state.iterations().len().saturating_sub(1);
    let asks = |(recorded, _): &(Recorded, Value)| matches!(recorded.event, Event::Called(Work::Consult { iteration, .. }) if iteration == last);
    events.iter().position(asks).unwrap_or(events.len())
}
