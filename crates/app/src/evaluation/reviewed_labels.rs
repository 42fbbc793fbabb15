//! The decisions of reviewers about a run, as labels.

use crate::experiment::evaluate::{LabelRecord, read_json_line};
use crate::failure::Failure;
use crate::journals::decisions_by_document;
use crate::plan::Plan;
use crate::result::DocumentResult;
use crate::review::{DeclaredFields, ReviewDocument, corrections};
use crate::store::{Journal, StoredRun};
use serde::Deserialize;
use std::sync::Arc;

/// The corrections that follow from the decisions about a run's documents, read as they are from a file.
pub(super) fn reviewed_labels(
    journal: &Journal,
    run: &StoredRun,
    plan: &Plan,
) -> Result<Vec<LabelRecord>, Failure> {
    let mut decisions = decisions_by_document(journal, &run.id)?;
    let mut lines = Vec::new();
    journal.each_document(&run.id, |stored, outcome| {
        let Some(decided) = decisions.remove(stored.record.id.as_str()) else { return };
        let result = outcome.filter(|_| stored.finished).and_then(|it| DocumentResult::deserialize(it).ok());
        let Some(result) = result else { return };
        let declared = Arc::new(DeclaredFields::of(plan, &result.document_type));
        lines.extend(corrections(&ReviewDocument::new(
            result,
            &stored.record.source_digest,
            declared,
            decided,
        )));
    })?;
    if lines.is_empty() {
        return Err(Failure::broken(format!("nothing is decided about the results of run `{}`", run.id))
            .help("`loopctl review export --to worksheet.csv` writes a worksheet to fill in, and `loopctl review import` keeps it"));
    }
    let mut records = Vec::new();
    for correction in &lines {
        let line = serde_json::to_vec(correction).map_err(std::io::Error::from)?;
        let place = format!("the decision of {}", correction.reviewer);
        let read = read_json_line(&line, None, &place)
            .map_err(|error| Failure::broken(format!("a decision can't be a label: {error}")))?;
        records.extend(read);
    }
    Ok(records)
}
