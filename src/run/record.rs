//! What is kept of an event: its line in the journal, the artifact that it leaves, and what people are told.

use super::Session;
use super::batch::Observer;
use super::in_hand::DocumentState;
use crate::engine::{Event, Run};
use crate::result::explained;
use crate::store::{Artifact, StoreError};
use crate::value::DocumentId;

impl Session {
    /// Writes down what happened, before it is acted upon, and tells the observer.
    pub(super) fn record(
        &self,
        event: &Event,
        run: &Run,
        task: &mut DocumentState<'_>,
        observer: &mut dyn Observer,
    ) -> Result<(), StoreError> {
        let at = task.at;
        let payload = explained(&self.plan, run, event, &mut task.chronicle)
            .map_err(|source| StoreError::Json { what: format!("an event of `{}`", task.id), source })?;
        self.place.journal.append(&self.place.run, &task.id, at, event.kind(), &payload)?;
        if !matches!(event, Event::Consulted { .. } | Event::Unanswered { .. }) {
            task.tell_unanswered();
        }
        match event {
            Event::Produced { iteration, produced } => {
                task.heard(*iteration, produced);
                self.write(&task.id, Artifact::Extraction(number(*iteration)), &produced.candidate)?;
            }
            Event::Supplied { produced } => {
                self.write(&task.id, Artifact::Extraction(0), &produced.candidate)?;
            }
            Event::Staged { iteration, produced, .. } => {
                task.heard(*iteration, produced);
            }
            Event::Assembled { iteration, candidate } => {
                self.write(&task.id, Artifact::Extraction(number(*iteration)), candidate)?;
            }
            Event::Consulted { iteration, member, consulted } => {
                let note = |note: &String| (*iteration, member + 1, note.clone());
                task.notes.extend(consulted.notes.iter().map(note));
            }
            Event::Unanswered { member, failure, .. } => {
                task.unanswered.push((*member, failure.message.clone()));
            }
            Event::Assessed { iteration, assessment } | Event::Concluded { iteration, assessment } => {
                self.write(&task.id, Artifact::Validation(number(*iteration)), assessment)?;
            }
            Event::Failed { failure, .. } => task.warnings.push(failure.message.clone()),
            Event::Decided(decision) => {
                let known = |note: &String| task.warnings.contains(note);
                let notes: Vec<String> = decision.notes.iter().filter(|note| !known(note)).cloned().collect();
                task.warnings.extend(notes);
            }
            _ => {}
        }
        task.watch.see(&task.id, event);
        observer.event(&task.id, at, event);
        Ok(())
    }

    fn write(
        &self,
        id: &DocumentId,
        artifact: Artifact,
        value: &impl serde::Serialize,
    ) -> Result<(), StoreError> {
        match &self.place.artifacts {
            Some(artifacts) => artifacts.write(id, artifact, value).map(|_| ()),
            None => Ok(()),
        }
    }
}

fn number(iteration: usize) -> u32 {
    u32::try_from(iteration).unwrap_or(u32::MAX)
}
