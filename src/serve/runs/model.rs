//! The contents of pages about runs.

use super::details::{RunDetails, RunTotals};
use crate::policy::{Decision, StopReason, Verdict};
use crate::report::decision_line;
use crate::serve::pages::paged;
use crate::store::{
    DocumentFigures, DocumentFilter, DocumentStage, Journal, RunFigures, RunId, StageCounts, StoreError,
    StoredRun,
};
use crate::value::DocumentId;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most decisions that are shown while a run is in progress.
const DECISIONS: u32 = 12;

/// The key in a run's settings for the overall score that is accepted.
const ACCEPT_OVERALL: &str = "accept_overall";

/// A run with its progress.
pub(in crate::serve) struct RunRow {
    pub(in crate::serve) run: StoredRun,
    pub(in crate::serve) stages: StageCounts,
    pub(in crate::serve) figures: RunFigures,
}

/// A page of the list of runs.
pub(in crate::serve) struct RunList {
    pub(in crate::serve) rows: Vec<RunRow>,
    pub(in crate::serve) page: u64,
    pub(in crate::serve) pages: u64,
    pub(in crate::serve) count: u64,
}

impl RunList {
    /// # Errors
    /// When the journal can't be read.
    pub(in crate::serve) fn read(
        journal: &Journal,
        page: Option<u64>,
        of_each: u32,
    ) -> Result<Self, StoreError> {
        let count = journal.count_runs()?;
        let (page, pages) = paged(count, of_each.into(), page);
        let runs = journal.latest_runs((page - 1) * u64::from(of_each), of_each)?;
        let rows = runs.into_iter().map(|run| RunRow::read(journal, run)).collect::<Result<_, _>>()?;
        Ok(RunList { rows, page, pages, count })
    }
}

impl RunRow {
    fn read(journal: &Journal, run: StoredRun) -> Result<Self, StoreError> {
        let (stages, figures) = (journal.stages(&run.id)?, journal.run_figures(&run.id)?);
        Ok(RunRow { run, stages, figures })
    }

    /// Documents that wait or are worked on.
    pub(in crate::serve) fn open(&self) -> u64 {
        let open = [DocumentStage::Waiting, DocumentStage::Running, DocumentStage::Parked];
        open.into_iter().map(|stage| self.stages.of(stage)).sum()
    }

    /// Documents that are over, in whichever way.
    pub(in crate::serve) fn done(&self) -> u64 {
        self.stages.sum().saturating_sub(self.open())
    }

    /// Documents whose result is that they failed, and those that are over without a result.
    pub(in crate::serve) fn failed(&self) -> u64 {
        self.figures.failed + self.done().saturating_sub(self.figures.results)
    }
}

/// A decision that was made.
pub(in crate::serve) struct LatestDecision {
    pub(in crate::serve) document: DocumentId,
    /// The iteration after which it was made, from 0.
    pub(in crate::serve) iteration: usize,
    /// The decision and its reason.
    pub(in crate::serve) words: String,
    pub(in crate::serve) class: &'static str,
}

/// A run with its documents.
pub(in crate::serve) struct RunView {
    pub(in crate::serve) row: RunRow,
    pub(in crate::serve) totals: Arc<RunTotals>,
    /// Documents that needed review and were accepted or rejected since.
    pub(in crate::serve) decided: u64,
    /// The bounds that are asked for, by dimension; `overall` is one of them.
    pub(in crate::serve) targets: BTreeMap<String, f64>,
    pub(in crate::serve) decisions: Vec<LatestDecision>,
    pub(in crate::serve) filter: DocumentFilter,
    pub(in crate::serve) documents: Vec<DocumentFigures>,
    /// The number of documents that the filter selects.
    pub(in crate::serve) listed: u64,
    pub(in crate::serve) page: u64,
    pub(in crate::serve) pages: u64,
}

impl RunView {
    /// # Errors
    /// [`StoreError::UnknownRun`], and when the journal can't be read.
    pub(in crate::serve) fn read(
        journal: &Journal,
        details: &RunDetails,
        run: &RunId,
        filter: DocumentFilter,
        page: Option<u64>,
        of_each: u32,
    ) -> Result<Self, StoreError> {
        let stored = journal.run(run)?.ok_or_else(|| StoreError::UnknownRun { run: run.clone() })?;
        let row = RunRow::read(journal, stored)?;
        let asked = page.unwrap_or(1).max(1);
        let skip = (asked - 1).saturating_mul(u64::from(of_each));
        let (mut documents, listed) = journal.documents_of(run, filter, skip, of_each)?;
        let (page, pages) = paged(listed, of_each.into(), Some(asked));
        if page != asked {
            documents = journal.documents_of(run, filter, (page - 1) * u64::from(of_each), of_each)?.0;
        }
        let decisions = journal.latest_decisions(run, DECISIONS)?;
        Ok(RunView {
            totals: details.of(journal, run)?,
            decided: details.decided(journal, run)?,
            targets: targets(journal, &row.run)?,
            decisions: decisions
                .into_iter()
                .filter_map(|(document, said)| decided(document, &said))
                .collect(),
            row,
            filter,
            documents,
            listed,
            page,
            pages,
        })
    }
}

/// The bounds that the run asks for: those that one of its decisions was checked against.
fn targets(journal: &Journal, run: &StoredRun) -> Result<BTreeMap<String, f64>, StoreError> {
    let mut targets = BTreeMap::new();
    if let Some(overall) = run.record.settings.get(ACCEPT_OVERALL).and_then(Value::as_f64) {
        targets.insert("overall".to_owned(), overall);
    }
    let said = journal.some_decision(&run.id)?;
    let decision = said.and_then(|said| serde_json::from_str::<Decision>(&said).ok());
    for check in decision.iter().flat_map(|decision| decision.checks.iter()) {
        let name = check.line.strip_prefix("accept.").filter(|name| !name.ends_with("_issues"));
        if let Some(name) = name.filter(|name| !matches!(*name, "unseen" | "unknown_type")) {
            targets.insert(name.to_owned(), check.bound);
        }
    }
    Ok(targets)
}

fn decided(document: DocumentId, said: &str) -> Option<LatestDecision> {
    let value: Value = serde_json::from_str(said).ok()?;
    let iteration = value.get("iteration").and_then(Value::as_u64)?;
    let decision: Decision = serde_json::from_value(value).ok()?;
    let class = match &decision.verdict {
        Verdict::Stop { reason: StopReason::Accepted } => "good",
        Verdict::Stop { .. } => "warn",
        Verdict::Continue { .. } => "soft",
    };
    let words = decision_line(&decision).trim_start_matches("→ ").to_owned();
    Some(LatestDecision { document, iteration: usize::try_from(iteration).ok()?, words, class })
}
