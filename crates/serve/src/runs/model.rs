//! The contents of pages about runs.

use super::details::{RunDetails, RunTotals};
use crate::pages::paged;
use crate::policy::{Decision, StopReason, Verdict};
use crate::profile::CONDITIONS;
use crate::report::decision_line;
use crate::requests::ACCEPT_OVERALL;
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

/// A run with its progress.
pub(crate) struct RunRow {
    pub(crate) run: StoredRun,
    pub(crate) stages: StageCounts,
    pub(crate) figures: RunFigures,
}

/// A page of the list of runs.
pub(crate) struct RunList {
    pub(crate) rows: Vec<RunRow>,
    pub(crate) page: u64,
    pub(crate) pages: u64,
    pub(crate) count: u64,
}

impl RunList {
    /// # Errors
    /// When the journal can't be read.
    pub(crate) fn read(journal: &Journal, page: Option<u64>, of_each: u32) -> Result<Self, StoreError> {
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
    pub(crate) fn open(&self) -> u64 {
        let open = [DocumentStage::Waiting, DocumentStage::Running, DocumentStage::Parked];
        open.into_iter().map(|stage| self.stages.of(stage)).sum()
    }

    /// Documents that are over, in whichever way.
    pub(crate) fn done(&self) -> u64 {
        self.stages.sum().saturating_sub(self.open())
    }

    /// Documents whose result is that they failed, and those that are over without a result.
    pub(crate) fn failed(&self) -> u64 {
        self.figures.failed + self.done().saturating_sub(self.figures.results)
    }
}

/// A decision that was made.
pub(crate) struct LatestDecision {
    pub(crate) document: DocumentId,
    /// The iteration after which it was made, from 0.
    pub(crate) iteration: usize,
    /// The decision and its reason.
    pub(crate) words: String,
    pub(crate) class: &'static str,
}

/// A run with its documents.
pub(crate) struct RunView {
    pub(crate) row: RunRow,
    pub(crate) totals: Arc<RunTotals>,
    /// Documents that needed review and were accepted or rejected since.
    pub(crate) decided: u64,
    /// The bounds that are asked for, by dimension; `overall` is one of them.
    pub(crate) targets: BTreeMap<String, f64>,
    pub(crate) decisions: Vec<LatestDecision>,
    pub(crate) filter: DocumentFilter,
    pub(crate) documents: Vec<DocumentFigures>,
    /// The number of documents that the filter selects.
    pub(crate) listed: u64,
    pub(crate) page: u64,
    pub(crate) pages: u64,
}

impl RunView {
    /// # Errors
    /// [`StoreError::UnknownRun`], and when the journal can't be read.
    pub(crate) fn read(
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
        let is_condition = |name: &str| CONDITIONS.iter().any(|condition| condition.key.name == name);
        if let Some(name) = name.filter(|name| !is_condition(name)) {
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
