//! The summary of a run's documents, read from the journal.

use super::{decisions_by_document, shares_of};
use crate::failure::Failure;
use crate::report::{PageOptions, RunFacts, RunSummary, render_html};
use crate::report_file::write_report;
use crate::requests::ACCEPT_OVERALL;
use crate::result::DocumentResult;
use crate::review::{Draws, ReviewCounts, ReviewDocument, ReviewState, reasons};
use crate::store::{DocumentStage, Journal, RunId, StoredDocument};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// The summary of a run, whichever process ran its documents; with messages of issues of the documents to look at, if
/// asked for.
///
/// # Errors
/// When there is no such run, or the journal can't be read.
pub fn summary_of(journal: &Journal, run: &RunId, with_messages: bool) -> Result<RunSummary, Failure> {
    summarized(journal, run, with_messages, |_, _| {})
}

/// The summary of a run, with the progress of its review.
///
/// # Errors
/// Like [`summary_of`].
pub fn summary_with_reviews(
    journal: &Journal,
    run: &RunId,
    with_messages: bool,
) -> Result<(RunSummary, ReviewCounts), Failure> {
    let mut decisions = decisions_by_document(journal, run)?;
    let (mut counts, shares) = (ReviewCounts::default(), shares_of(journal, run)?);
    let is_drawn = |id: &str| Draws::of(shares, run.as_str(), id).audit;
    let summary = summarized(journal, run, with_messages, |document, result| {
        match decisions.remove(document.record.id.as_str()) {
            Some(decided) => {
                let digest = &document.record.source_digest;
                counts.add(ReviewDocument::new(result, digest, Arc::default(), decided).reviewed().state);
            }
            None if !reasons(&result).is_empty() || is_drawn(result.id.as_str()) => {
                counts.add(ReviewState::Waiting);
            }
            None => {}
        }
    })?;
    Ok((summary, counts))
}

/// The summary of a run; `see` is given every result.
fn summarized(
    journal: &Journal,
    run: &RunId,
    with_messages: bool,
    mut see: impl FnMut(&StoredDocument, DocumentResult),
) -> Result<RunSummary, Failure> {
    let Some(stored) = journal.run(run)? else {
        return Err(crate::store::StoreError::UnknownRun { run: run.clone() }.into());
    };
    let facts = RunFacts {
        id: run.to_string(),
        profile: stored.record.profile.clone(),
        started_at: Some(stored.record.started_at.clone()),
        finished_at: stored.finished_at.clone(),
        loopctl_version: stored.record.loopctl_version.clone(),
        accept_overall: stored.record.settings.get(ACCEPT_OVERALL).and_then(Value::as_f64),
    };
    let mut summary = RunSummary::new(facts);
    if with_messages {
        summary = summary.with_messages();
    }
    journal.each_document(run, |document, outcome| {
        if let Some(result) = add(&mut summary, &document, outcome) {
            see(&document, result);
        }
    })?;
    let stages = journal.stages(run)?;
    let waiting = [DocumentStage::Waiting, DocumentStage::Running, DocumentStage::Parked];
    summary.set_waiting(waiting.into_iter().map(|stage| stages.of(stage)).sum());
    Ok(summary)
}

/// Adds a document, and returns its result if that counts.
fn add(
    summary: &mut RunSummary,
    document: &StoredDocument,
    outcome: Option<Value>,
) -> Option<DocumentResult> {
    let id = document.record.id.as_str();
    let result = outcome.and_then(|outcome| DocumentResult::deserialize(outcome).ok());
    match (document.stage, result) {
        // An earlier outcome does not count while the document waits again.
        (DocumentStage::Waiting | DocumentStage::Running | DocumentStage::Parked, _) => {}
        (_, Some(result)) => {
            summary.add(&result);
            return Some(result);
        }
        (DocumentStage::GivenUp, None) => {
            summary.add_given_up(id, document.reason.as_deref().unwrap_or("the run was stopped"));
        }
        (DocumentStage::Finished | DocumentStage::Failed, None) => {
            summary.add_failed(id, document.reason.as_deref().unwrap_or("it has no result"));
        }
    }
    None
}

/// Writes a summary as a page.
///
/// # Errors
/// When the file can't be written.
pub fn write_page(summary: &RunSummary, file: &Path) -> Result<(), Failure> {
    write_report(file, &render_html(summary, &PageOptions::default()))
}
