//! What is kept of an event: its line in the journal, the artifact that it leaves, and what people are told.

use super::Session;
use super::document_run::DocumentRun;
use super::observer::Observer;
use crate::engine::{Event, Run};
use crate::result::explained;
use crate::score::Assessment;
use crate::store::{Artifact, Artifacts, StoreError};
use crate::value::DocumentId;
use serde_json::Value;
use std::sync::Arc;

impl Session {
    /// Writes down what happened, before it is acted upon, and tells the observer.
    pub(super) async fn record<O: Observer + ?Sized>(
        &self,
        event: &Event,
        run: &Run,
        task: &mut DocumentRun<'_>,
        observer: &mut O,
    ) -> Result<(), StoreError> {
        let at = task.at;
        let payload = explained(&self.plan, run, event, &mut task.explanation)
            .map_err(|source| StoreError::Json { what: format!("an event of `{}`", task.id), source })?;
        let (id, kind) = (task.id.clone(), event.kind());
        let left = self.place.artifacts.is_some().then(|| Left::of(event)).flatten();
        self.place
            .keep(move |place| {
                place.journal.append(&place.run, &id, at, kind, &payload)?;
                match (&place.artifacts, left) {
                    (Some(artifacts), Some(left)) => left.write(&id, artifacts),
                    _ => Ok(()),
                }
            })
            .await?;
        task.trace.see(&task.id, event, run.document());
        observer.event(&task.id, at, event);
        Ok(())
    }
}

/// What an event leaves for people to read.
enum Left {
    Extraction(u32, Arc<Value>),
    Validation(u32, Arc<Assessment>),
}

impl Left {
    fn of(event: &Event) -> Option<Self> {
        Some(match event {
            Event::Produced { iteration, produced } => {
                Left::Extraction(number(*iteration), Arc::clone(&produced.candidate))
            }
            Event::Supplied { produced } => Left::Extraction(0, Arc::clone(&produced.candidate)),
            Event::Assembled { iteration, candidate, .. } => {
                Left::Extraction(number(*iteration), Arc::clone(candidate))
            }
            Event::Assessed { iteration, assessment } | Event::Concluded { iteration, assessment } => {
                Left::Validation(number(*iteration), Arc::clone(assessment))
            }
            _ => return None,
        })
    }

    fn write(self, id: &DocumentId, artifacts: &Artifacts) -> Result<(), StoreError> {
        match self {
            Left::Extraction(iteration, value) => {
                artifacts.write(id, Artifact::Extraction(iteration), &value)
            }
            Left::Validation(iteration, value) => {
                artifacts.write(id, Artifact::Validation(iteration), &value)
            }
        }
        .map(|_| ())
    }
}

fn number(iteration: usize) -> u32 {
    u32::try_from(iteration).unwrap_or(u32::MAX)
}
