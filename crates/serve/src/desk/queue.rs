//! The documents that wait for people, of all runs. Results are read once; after that only those that have changed or
//! were decided about.

use crate::access::{AccessRole, Identity};
use crate::api::ApiError;
use crate::result::DocumentResult;
use crate::review::{
    Decision, DeclaredFields, Doubts, Draws, Reason, ReviewDocument, ReviewState, Shares, doubts, reasons,
};
use crate::store::{DocumentKey, Journal, JournalMark, ReviewShares, RunId, StoredDocument, StoredReview};
use serde::Deserialize;
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// A document that waits, or that was decided about.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct QueueRow {
    pub(super) run: RunId,
    pub(super) key: DocumentKey,
    pub(super) document: String,
    pub(super) document_type: String,
    /// The reasons why it waits.
    pub(super) reasons: Vec<Reason>,
    /// The doubts that a review may find.
    pub(super) doubts: Doubts,
    pub(super) overall: Option<f64>,
    /// The state of its review.
    pub(super) state: ReviewState,
    /// The state it would have if reviewers did not differ.
    undisputed_state: ReviewState,
    /// The subjects that reviewers differ about.
    pub(super) disputed: Vec<String>,
    /// The reviewers who decided anything about it.
    pub(super) reviewers: Vec<String>,
    /// The reviewers who decided about it as a whole, the first one first.
    pub(super) deciders: Vec<String>,
    /// `true` if it was drawn for a second review.
    is_drawn: bool,
}

/// The request that a document makes of one reviewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReviewTask {
    /// A first look, or the rest of one.
    First,
    /// A second look, without what the first reviewer decided.
    Second,
    /// The last word, because reviewers differ.
    Settle,
    /// Nothing but to know that reviewers differ, which another reviewer settles.
    Differs,
    /// Nothing.
    Over,
}

impl ReviewTask {
    /// Returns whether something is to be done about the document.
    pub(super) fn asks_something(self) -> bool {
        match self {
            ReviewTask::First | ReviewTask::Second | ReviewTask::Settle => true,
            ReviewTask::Differs | ReviewTask::Over => false,
        }
    }
}

impl QueueRow {
    /// Returns what the document asks of a reviewer.
    pub(super) fn task(&self, identity: &Identity) -> ReviewTask {
        match (self.state, self.deciders.as_slice()) {
            (_, [first]) if self.is_drawn && *first != identity.name => ReviewTask::Second,
            (ReviewState::Disputed, _) if identity.may(AccessRole::Adjudicate) => ReviewTask::Settle,
            (ReviewState::Disputed, _) if self.undisputed_state == ReviewState::InReview => ReviewTask::First,
            (ReviewState::Disputed, _) => ReviewTask::Differs,
            (ReviewState::Waiting | ReviewState::InReview, _) if !self.reasons.is_empty() => {
                ReviewTask::First
            }
            (ReviewState::InReview, _) => ReviewTask::First,
            _ => ReviewTask::Over,
        }
    }

    /// A document as it was run.
    fn of_result(run: &RunId, key: DocumentKey, result: &DocumentResult, drawn: Draws) -> Self {
        let mut found = reasons(result);
        found.extend(drawn.audit.then_some(Reason::AuditSample));
        QueueRow {
            run: run.clone(),
            key,
            document: result.id.to_string(),
            document_type: result.document_type.clone(),
            reasons: found,
            doubts: doubts(result),
            overall: result.best_validation.as_ref().map(|validation| validation.overall),
            state: ReviewState::Waiting,
            undisputed_state: ReviewState::Waiting,
            disputed: Vec::new(),
            reviewers: Vec::new(),
            deciders: Vec::new(),
            is_drawn: drawn.second,
        }
    }

    /// Adds the decisions about the document.
    fn with_decisions(self, document: &ReviewDocument) -> Self {
        let reviewed = document.reviewed();
        let mut reasons = self.reasons.clone();
        if reviewed.state == ReviewState::Disputed {
            reasons.insert(0, Reason::Disputed);
        }
        QueueRow {
            reasons,
            state: reviewed.state,
            undisputed_state: reviewed.undisputed_state,
            disputed: reviewed.disputes(),
            reviewers: reviewed.reviewers.into_iter().collect(),
            deciders: document.deciders().into_iter().map(str::to_owned).collect(),
            ..self
        }
    }

    /// The most urgent reason first; within one reason, the document with the most doubts; those for a second look
    /// last.
    fn rank(&self) -> (usize, Reverse<usize>, u64, &RunId, &str) {
        let urgency = self.reasons.first().map_or(Reason::ALL.len(), |first| *first as usize);
        // Numbers from 0 to 1 are in the order of their bits.
        let overall = self.overall.unwrap_or_default().max(0.0).to_bits();
        (urgency, Reverse(self.doubts.count), overall, &self.run, &self.document)
    }
}

/// The queue, as it was at a mark of the journal.
#[derive(Default)]
pub(super) struct Queue {
    mark: Option<JournalMark>,
    shares: BTreeMap<RunId, ReviewShares>,
    /// Every document that was read.
    read: HashSet<DocumentKey>,
    rows: HashMap<DocumentKey, Arc<QueueRow>>,
    /// The rows in the order in which people take them.
    ordered: Vec<Arc<QueueRow>>,
}

impl Queue {
    /// Every row, in order, brought up to date from the journal.
    pub(super) fn rows(&mut self, journal: &Journal) -> Result<Vec<Arc<QueueRow>>, ApiError> {
        let mark = journal.mark()?;
        if self.mark.as_ref() != Some(&mark) {
            self.refresh(journal, &mark)?;
            self.mark = Some(mark);
            self.ordered = self.rows.values().cloned().collect();
            self.ordered.sort_by(|a, b| a.rank().cmp(&b.rank()));
        }
        Ok(self.ordered.clone())
    }

    fn refresh(&mut self, journal: &Journal, now: &JournalMark) -> Result<(), ApiError> {
        self.shares = journal.all_review_shares()?;
        let known = self.mark.take().filter(|before| before.is_continued_by(now));
        let Some(before) = known else {
            self.rows.clear();
            self.read.clear();
            return now.runs().try_for_each(|run| self.read_run(journal, run));
        };
        for (run, document) in journal.changed_documents(&before)? {
            self.read_document(journal, &run, document)?;
        }
        // A document may be over without an event: adopted from an earlier run, or given up.
        for run in now.runs_other_than(&before) {
            for document in journal.finished_documents(run)? {
                if !self.read.contains(&document) {
                    self.read_document(journal, run, document)?;
                }
            }
        }
        Ok(())
    }

    fn read_run(&mut self, journal: &Journal, run: &RunId) -> Result<(), ApiError> {
        let mut decisions: BTreeMap<String, Vec<Decision>> = BTreeMap::new();
        for kept in journal.reviews(run)? {
            decisions.entry(kept.document.to_string()).or_default().push(decision_of(&kept)?);
        }
        let shares = shares_of(&self.shares, run);
        let (rows, read) = (&mut self.rows, &mut self.read);
        journal.each_document(run, |stored, outcome| {
            if stored.finished {
                read.insert(stored.key);
            }
            let decided = decisions.remove(stored.record.id.as_str()).unwrap_or_default();
            if let Some(row) = row_of(run, shares, &stored, outcome, decided) {
                rows.insert(stored.key, Arc::new(row));
            }
        })?;
        Ok(())
    }

    fn read_document(
        &mut self,
        journal: &Journal,
        run: &RunId,
        document: DocumentKey,
    ) -> Result<(), ApiError> {
        let shares = shares_of(&self.shares, run);
        let row = match journal.document_of_key(document)? {
            Some((stored, outcome)) => {
                if stored.finished {
                    self.read.insert(document);
                }
                let kept = journal.reviews_of(run, &stored.record.id)?;
                let decided = kept.iter().map(decision_of).collect::<Result<_, _>>()?;
                row_of(run, shares, &stored, outcome, decided)
            }
            None => None,
        };
        match row {
            Some(row) => self.rows.insert(document, Arc::new(row)),
            None => self.rows.remove(&document),
        };
        Ok(())
    }
}

fn shares_of(shares: &BTreeMap<RunId, ReviewShares>, run: &RunId) -> Shares {
    let shares = shares.get(run).copied().unwrap_or(ReviewShares::NONE);
    Shares { audit: shares.audit, second: shares.second }
}

/// A document of the queue; `None` of one that is not over, or that waits for no one and was not decided about.
fn row_of(
    run: &RunId,
    shares: Shares,
    stored: &StoredDocument,
    outcome: Option<Value>,
    decided: Vec<Decision>,
) -> Option<QueueRow> {
    let result = result_of(stored, outcome)?;
    let drawn = Draws::of(shares, run.as_str(), result.id.as_str());
    let row = QueueRow::of_result(run, stored.key, &result, drawn);
    if decided.is_empty() {
        return Some(row).filter(|row| !row.reasons.is_empty());
    }
    let document = ReviewDocument::new(result, &stored.record.source_digest, Arc::default(), decided);
    Some(row.with_decisions(&document.with_draws(drawn)))
}

fn result_of(stored: &StoredDocument, outcome: Option<Value>) -> Option<DocumentResult> {
    outcome.filter(|_| stored.finished).and_then(|it| DocumentResult::deserialize(it).ok())
}

/// Returns whether a document is over and has a result.
pub(super) fn has_result(stored: &StoredDocument, outcome: Option<Value>) -> bool {
    result_of(stored, outcome).is_some()
}

/// A document with its result and what was decided; `None` of one that is not over.
pub(super) fn review_document(
    run: &RunId,
    shares: Shares,
    stored: &StoredDocument,
    outcome: Option<Value>,
    declared: Arc<DeclaredFields>,
    decided: Vec<Decision>,
) -> Option<ReviewDocument> {
    let result = result_of(stored, outcome)?;
    let drawn = Draws::of(shares, run.as_str(), result.id.as_str());
    let document = ReviewDocument::new(result, &stored.record.source_digest, declared, decided);
    Some(document.with_draws(drawn))
}

/// A decision that is kept.
pub(super) fn decision_of(kept: &StoredReview) -> Result<Decision, ApiError> {
    Decision::read(kept.document.as_str(), &kept.reviewer, &kept.at, &kept.decision).ok_or_else(|| {
        ApiError::broken(format!(
            "decision {} in the journal is none that this loopctl understands",
            kept.number
        ))
        .help("use the loopctl that wrote it, or a later one")
    })
}

/// The number of rows for each reason, and each type and run that occurs.
#[derive(Debug, Default, PartialEq)]
pub(super) struct QueueFacets {
    pub(super) reasons: BTreeMap<&'static str, usize>,
    pub(super) types: BTreeSet<String>,
    pub(super) runs: BTreeSet<RunId>,
}
