//! The runs of a journal, and one of them with its results.

use super::{JournalSpec, find_run, summary_with_reviews, write_page};
use crate::context::Context;
use crate::failure::Failure;
use crate::report::{Paint, RunSummary, render_text, run_stages_text};
use crate::review::ReviewCounts;
use crate::store::{BatchSavings, DocumentStage, Journal, ProcessId, RunId, StageCounts, StoredRun};
use serde_json::{Value, json};
use std::path::PathBuf;

/// The runs of a journal, with their documents in each stage.
///
/// # Errors
/// When the journal can't be read.
pub fn list_runs(journal: &Journal) -> Result<Vec<(StoredRun, StageCounts)>, Failure> {
    let with_stages = |run: StoredRun| {
        let stages = journal.stages(&run.id)?;
        Ok((run, stages))
    };
    journal.runs()?.into_iter().map(with_stages).collect()
}

/// The processes that work on a run.
///
/// # Errors
/// When the journal can't be read.
pub fn processes_at_work(journal: &Journal, run: &RunId) -> Result<Vec<ProcessId>, Failure> {
    let workers = journal.workers(run, None)?.into_iter();
    Ok(workers.map(|(_, process, _)| process).filter(|process| !process.is_gone()).collect())
}

/// A run, for programs.
///
/// # Errors
/// When the journal can't be read.
pub fn run_json(journal: &Journal, run: &StoredRun, stages: &StageCounts) -> Result<Value, Failure> {
    let counts: serde_json::Map<String, Value> = DocumentStage::ALL
        .into_iter()
        .map(|stage| (stage.as_str().to_owned(), stages.of(stage).into()))
        .collect();
    let at_work: Vec<String> = processes_at_work(journal, &run.id)?.iter().map(ToString::to_string).collect();
    let batches = journal.batch_savings(&run.id)?;
    let mut described = json!({
        "id": run.id.as_str(),
        "stage": run.stage.as_str(),
        "started_at": run.record.started_at,
        "finished_at": run.finished_at,
        "profile": run.record.profile,
        "profile_digest": run.record.profile_digest,
        "loopctl_version": run.record.loopctl_version,
        "listed": run.listed,
        "documents": counts,
        "workers": at_work,
    });
    if let Some(members) = described.as_object_mut().filter(|_| batches.batches > 0) {
        let saved = json!({ "count": batches.batches, "calls": batches.calls, "saved_usd": batches.usd });
        members.insert("batches".to_owned(), saved);
    }
    Ok(described)
}

/// A request for the results of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunShowRequest {
    /// The run.
    pub run: String,
    /// Its journal.
    pub journal: JournalSpec,
    /// The file that its summary is also written to, as a page.
    pub report: Option<PathBuf>,
    /// The messages of issues are wanted, which may quote documents.
    pub messages: bool,
}

/// The results of a run.
#[derive(Debug)]
pub struct RunResults {
    run: StoredRun,
    stages: StageCounts,
    /// Its summary.
    pub summary: RunSummary,
    reviews: ReviewCounts,
    savings: BatchSavings,
    described: Value,
}

/// Finds a run, and sums its results up.
///
/// # Errors
/// When there is no such run, or the journal can't be read.
pub fn show_run(request: &RunShowRequest, context: &Context) -> Result<RunResults, Failure> {
    let journal = request.journal.open(context)?;
    let run = find_run(&journal, &request.run)?;
    let (summary, reviews) = summary_with_reviews(&journal, &run.id, request.messages)?;
    if let Some(file) = &request.report {
        write_page(&summary, file)?;
    }
    let savings = journal.batch_savings(&run.id)?;
    let stages = journal.stages(&run.id)?;
    let described = run_json(&journal, &run, &stages)?;
    Ok(RunResults { run, stages, summary, reviews, savings, described })
}

impl RunResults {
    /// For people.
    pub fn text(&self, paint: Paint) -> String {
        let stages = run_stages_text(&self.run, &self.stages, self.reviews.line(), &self.savings);
        format!("{stages}\n{}", render_text(&self.summary, paint))
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        let mut described = self.described.clone();
        if let Some(members) = described.as_object_mut() {
            members.insert("summary".to_owned(), json!(self.summary));
            members.insert("review".to_owned(), json!(self.reviews));
        }
        described
    }
}
