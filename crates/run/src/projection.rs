//! The artifacts of a document, which are written when it is over and can be written again from the journal.

use crate::disk;
use crate::engine::{DocumentState, Event, IterationState};
use crate::plan::Terms;
use crate::policy::{FinalStatus, StopReason};
use crate::result::{DocumentResult, EXPLANATION_VERSION, Explanation, ExplanationBuilder};
use crate::store::{Artifact, Artifacts, DocumentStage, StoreError, StoredEvent};
use serde::Deserialize;
use serde_json::Value;

/// The largest result that is inspected, in bytes.
const MOST_BYTES: u64 = 64 << 20;

/// The end of a document in its result.
#[derive(Deserialize)]
struct StoredEnd {
    final_status: FinalStatus,
    stop_reason: StopReason,
}

/// The stage of a document that ended like this.
pub(super) fn stage_of(result: &DocumentResult, unheard: bool) -> DocumentStage {
    match (result.final_status, &result.stop_reason) {
        (FinalStatus::Cancelled, _) => DocumentStage::GivenUp,
        (_, StopReason::ProviderError) => DocumentStage::Failed,
        _ if unheard => DocumentStage::Failed,
        _ => DocumentStage::Finished,
    }
}

/// Writes the candidates, assessments and result of a document, replacing those of an earlier run. The result comes
/// last: if it is there, all is. Those of a finished document are not replaced by those of one that was stopped, or
/// whose provider failed; then the answer is `false`.
pub fn write_artifacts(
    artifacts: &Artifacts,
    document: &DocumentState,
    result: &DocumentResult,
    stage: DocumentStage,
) -> Result<bool, StoreError> {
    let id = &result.id;
    if stage != DocumentStage::Finished {
        let before = disk::read(&artifacts.path(id, Artifact::Result), MOST_BYTES).ok();
        let ended = before.and_then(|bytes| serde_json::from_slice::<StoredEnd>(&bytes).ok());
        if ended.is_some_and(|ended| {
            ended.final_status != FinalStatus::Cancelled && ended.stop_reason != StopReason::ProviderError
        }) {
            return Ok(false);
        }
    }
    let mut count = 0;
    for (iteration, of) in (0..).zip(document.iterations()) {
        let (Some(candidate), assessment) = (&of.candidate, IterationState::assessment(of)) else { continue };
        artifacts.write(id, Artifact::Extraction(iteration), candidate)?;
        if let Some(assessment) = assessment {
            artifacts.write(id, Artifact::Validation(iteration), assessment)?;
        }
        count = iteration + 1;
    }
    artifacts.write(id, Artifact::Result, result)?;
    artifacts.discard_from(id, count)?;
    Ok(true)
}

/// Rebuilds the artifacts of a document from what the journal has of it: its events, its result, and what its run was
/// decided by.
///
/// # Errors
/// In words, when it was written by a release that kept less, or more.
pub fn rebuilt(
    events: &[StoredEvent],
    outcome: Value,
    terms: Option<Terms>,
) -> Result<(DocumentState, DocumentResult), String> {
    let mut result: DocumentResult = serde_json::from_value(outcome)
        .map_err(|_| "its result was kept by a release that wrote it to its file only".to_owned())?;
    let (mut state, mut beside) = (DocumentState::default(), ExplanationBuilder::default());
    for stored in events {
        let event = Event::deserialize(&stored.payload)
            .map_err(|_| format!("event {} is none that this release of loopctl can read", stored.seq))?;
        beside.read(&event, &stored.payload);
        state.apply(stored.at, &event);
    }
    result.explanation = terms.map(|terms| Explanation {
        version: EXPLANATION_VERSION,
        terms,
        iterations: beside.explained(&state),
    });
    Ok((state, result))
}
