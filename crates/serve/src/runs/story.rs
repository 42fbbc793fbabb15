//! The contents of pages about a document: its story, as `loopctl explain` tells it.

use crate::decided::Decided;
use crate::explain::run::{Line, Record, Story, tell};
use crate::store::{DocumentFigures, Journal, RunId, StoreError, StoredRun};
use crate::value::DocumentId;

/// A document of a run.
pub(crate) struct DocumentView {
    pub(crate) run: StoredRun,
    pub(crate) figures: DocumentFigures,
    pub(crate) story: Story,
    /// Its review so far.
    pub(crate) decided: Option<Decided>,
    /// The story in words.
    pub(crate) lines: Vec<Line>,
    /// The services and models that answered, by the stage, judge or validator that asked.
    pub(crate) answered_by: Vec<(String, String)>,
}

impl DocumentView {
    /// # Errors
    /// [`StoreError::UnknownRun`], [`StoreError::UnknownDocument`], and when the journal can't be read.
    pub(crate) fn read(journal: &Journal, run: &RunId, document: &DocumentId) -> Result<Self, StoreError> {
        let stored = journal.run(run)?.ok_or_else(|| StoreError::UnknownRun { run: run.clone() })?;
        let figures = journal.document_figures(run, document)?;
        let figures = figures
            .ok_or_else(|| StoreError::UnknownDocument { run: run.clone(), document: document.clone() })?;
        let (events, _) = journal.events_of(figures.key)?;
        let outcome = journal.outcome(run, document)?;
        let record = Record::of_journal(&stored, document, &figures.document_type, &events, outcome.as_ref());
        let story = Story::of(&record);
        let answered_by = outcome.as_ref().and_then(|outcome| outcome.get("answered_by")?.as_object());
        let answered_by = answered_by.into_iter().flatten().map(|(who, models)| {
            let models = models.as_array().into_iter().flatten().filter_map(|model| model.as_str());
            (who.clone(), models.collect::<Vec<_>>().join(", "))
        });
        let decided = Decided::of(journal, run, document)?;
        Ok(DocumentView {
            decided,
            answered_by: answered_by.collect(),
            lines: tell(&story, true),
            run: stored,
            figures,
            story,
        })
    }
}
