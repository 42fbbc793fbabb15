//! The quotes that a model gave for its values, where nothing has looked them up.

use crate::api::ApiError;
use crate::engine::{DocumentState, Event};
use crate::result::DocumentResult;
use crate::score::Quotes;
use crate::store::{DocumentKey, Journal};
use serde::Deserialize;

/// The quotes that came with the candidate that a result returns, as the journal has them; `None` if they are unknown.
pub(super) fn model_quotes(
    journal: &Journal,
    document: DocumentKey,
    result: &DocumentResult,
) -> Result<Option<Quotes>, ApiError> {
    let Some(best) = result.best_iteration else { return Ok(None) };
    let (events, _) = journal.events_of(document)?;
    let mut state = DocumentState::default();
    for stored in &events {
        let Ok(event) = Event::deserialize(&stored.payload) else { return Ok(None) };
        state.apply(stored.at, &event);
    }
    Ok(state.iteration(best).map(|made| made.quotes.clone()).filter(|quotes| !quotes.is_empty()))
}
