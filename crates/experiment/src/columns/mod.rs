//! Recorded documents laid out flat, so that many policies can be tried on them.
//!
//! [`Columns`] are filled once, from lines of trajectory files ([`Columns::read_line`]) or from trajectories
//! ([`Columns::push`]). A [`Decider`] then asks the functions that decide in a run what a policy makes of a document. Nothing
//! is copied or allocated for it: rows of the table are lent to the decision.

mod cursor;
mod decider;
mod interner;
mod line;
mod row;

pub(super) use decider::whole_millis;
pub use decider::{Beyond, Decided, Decider};

use super::trajectory::{IterationRecord, StepIssue, Trajectory};
use crate::policy::IssueCounts;
use crate::profile::LoopPolicy;
use crate::value::{Digest, Disposition, Score, Severity, Usage};
use interner::Interner;
use serde_json::Value;
use std::ops::Range;
use std::sync::Arc;

/// Recorded documents. A document has a row for each of its candidates.
#[derive(Debug, Clone, Default)]
pub struct Columns {
    /// The id of each document.
    ids: Vec<Value>,
    /// The row after the last one of each document.
    ends: Vec<usize>,
    dimensions: Interner,
    codes: Interner,
    /// The dimensions and scores of all rows, one after the other.
    scores: Vec<(u32, Score)>,
    score_ends: Vec<usize>,
    issues: Vec<RecordedIssue>,
    issue_ends: Vec<usize>,
    /// `true` for each row whose issues are unknown.
    issues_unknown: Vec<bool>,
    /// The time in milliseconds, and the usage, that each row alone took.
    elapsed_ms: Vec<f64>,
    usage: Vec<Usage>,
    /// The candidate of each row, if candidates are kept.
    candidates: Option<Vec<Option<KeptCandidate>>>,
    /// The iteration that a row was corrected from, where that is known.
    bases: Vec<Option<usize>>,
    /// The scores of tier 1, for the rows where they differ from those that were decided by.
    tier1: Vec<(usize, Vec<(u32, Score)>)>,
}

/// An issue, as far as decisions depend on it.
#[derive(Debug, Clone, Copy)]
struct RecordedIssue {
    code: u32,
    severity: Severity,
    disposition: Option<Disposition>,
    auto_fixable: bool,
}

#[derive(Debug, Clone)]
struct KeptCandidate {
    value: Arc<Value>,
    digest: Digest,
}

/// The length of each column, to truncate it to.
struct Mark {
    documents: usize,
    rows: usize,
    scores: usize,
    issues: usize,
    tier1: usize,
}

impl Columns {
    /// Creates a table without rows. Candidates are kept only if a policy will inspect them: they take most of the
    /// memory, and hashing them most of the reading time.
    #[must_use]
    pub fn new(keep_candidates: bool) -> Self {
        Columns { candidates: keep_candidates.then(Vec::new), ..Columns::default() }
    }

    /// The number of documents.
    #[must_use]
    pub fn documents(&self) -> usize {
        self.ids.len()
    }

    /// The number of candidates.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.elapsed_ms.len()
    }

    /// The id of a document.
    #[must_use]
    pub fn id(&self, document: usize) -> Option<&Value> {
        self.ids.get(document)
    }

    /// The names of all dimensions of any row, in the order in which they came up.
    pub fn dimensions(&self) -> impl Iterator<Item = &str> {
        self.dimensions.names()
    }

    /// Returns whether the issues of a candidate are unknown.
    #[must_use]
    pub fn issues_unknown(&self, document: usize, iteration: usize) -> bool {
        self.row_of(document, iteration)
            .and_then(|row| self.issues_unknown.get(row))
            .copied()
            .unwrap_or(false)
    }

    /// Returns whether the issues of any candidate of a document are unknown.
    #[must_use]
    pub fn lacks_issues(&self, document: usize) -> bool {
        self.issues_unknown.get(self.span(document)).is_some_and(|unknown| unknown.contains(&true))
    }

    /// Forgets all documents, but keeps the memory for others.
    pub fn clear(&mut self) {
        self.truncate(&Mark { documents: 0, rows: 0, scores: 0, issues: 0, tier1: 0 });
        self.dimensions.shed();
        self.codes.shed();
    }

    /// Removes the last document.
    pub fn pop(&mut self) {
        let Some(last) = self.documents().checked_sub(1) else { return };
        let rows = self.span(last).start;
        let mark = Mark {
            documents: last,
            rows,
            scores: before(&self.score_ends, rows),
            issues: before(&self.issue_ends, rows),
            tier1: self.tier1.partition_point(|(row, _)| *row < rows),
        };
        self.truncate(&mark);
    }

    /// Adds a document.
    pub fn push(&mut self, trajectory: &Trajectory) {
        for step in &trajectory.iterations {
            self.push_row(step);
        }
        self.ids.push(trajectory.id.clone());
        self.ends.push(self.rows());
    }

    fn push_row(&mut self, step: &IterationRecord) {
        for (name, score) in &step.scores {
            let dimension = self.dimensions.number_of(name, self.scores.len());
            self.scores.push((dimension, *score));
        }
        for issue in &step.issues {
            self.push_issue(issue);
        }
        if let Some(measured) = &step.tier1 {
            let measured = measured.iter().map(|(name, score)| (self.dimensions.number_of(name, 0), *score));
            self.tier1.push((self.elapsed_ms.len(), measured.collect()));
        }
        self.end_row(Measured {
            issues_unknown: step.issues_unknown,
            elapsed_ms: step.elapsed_ms,
            usage: step.usage(),
            candidate: step.candidate.clone(),
            base: step.base,
        });
    }

    fn push_issue(&mut self, issue: &StepIssue) {
        let code = self.codes.number_of(&issue.code, self.issues.len());
        let StepIssue { severity, disposition, auto_fixable, .. } = *issue;
        self.issues.push(RecordedIssue { code, severity, disposition, auto_fixable });
    }

    /// Ends the row whose scores and issues were added.
    fn end_row(&mut self, measured: Measured) {
        self.score_ends.push(self.scores.len());
        self.issue_ends.push(self.issues.len());
        self.issues_unknown.push(measured.issues_unknown);
        self.elapsed_ms.push(measured.elapsed_ms);
        self.usage.push(measured.usage);
        self.bases.push(measured.base);
        if let Some(candidates) = &mut self.candidates {
            let kept = |value: Arc<Value>| KeptCandidate { digest: Digest::of(&value), value };
            candidates.push(measured.candidate.map(kept));
        }
    }

    fn mark(&self) -> Mark {
        Mark {
            documents: self.ids.len(),
            rows: self.rows(),
            scores: self.scores.len(),
            issues: self.issues.len(),
            tier1: self.tier1.len(),
        }
    }

    fn truncate(&mut self, mark: &Mark) {
        self.ids.truncate(mark.documents);
        self.ends.truncate(mark.documents);
        self.scores.truncate(mark.scores);
        self.score_ends.truncate(mark.rows);
        self.issues.truncate(mark.issues);
        self.issue_ends.truncate(mark.rows);
        self.issues_unknown.truncate(mark.rows);
        self.elapsed_ms.truncate(mark.rows);
        self.usage.truncate(mark.rows);
        self.bases.truncate(mark.rows);
        self.tier1.truncate(mark.tier1);
        if let Some(candidates) = &mut self.candidates {
            candidates.truncate(mark.rows);
        }
    }

    /// The rows of a document.
    fn span(&self, document: usize) -> Range<usize> {
        let end = self.ends.get(document).copied().unwrap_or_default();
        before(&self.ends, document).min(end)..end
    }

    /// The row of a candidate.
    fn row_of(&self, document: usize, iteration: usize) -> Option<usize> {
        let span = self.span(document);
        Some(span.start + iteration).filter(|row| *row < span.end)
    }

    fn scores_of(&self, row: usize) -> &[(u32, Score)] {
        let end = self.score_ends.get(row).copied().unwrap_or_default();
        self.scores.get(before(&self.score_ends, row)..end).unwrap_or_default()
    }

    fn issues_of(&self, row: usize) -> &[RecordedIssue] {
        let end = self.issue_ends.get(row).copied().unwrap_or_default();
        self.issues.get(before(&self.issue_ends, row)..end).unwrap_or_default()
    }

    /// The scores that tier 1 measured for a row.
    fn tier1_of(&self, row: usize) -> &[(u32, Score)] {
        if self.tier1.is_empty() {
            return self.scores_of(row);
        }
        match self.tier1.binary_search_by_key(&row, |(row, _)| *row) {
            Ok(at) => self.tier1.get(at).map_or(&[], |(_, measured)| measured.as_slice()),
            Err(_) => self.scores_of(row),
        }
    }

    /// The score of a candidate in a dimension; `None` if it was not measured.
    pub(crate) fn recorded_score(&self, document: usize, iteration: usize, dimension: &str) -> Option<Score> {
        let row = self.row_of(document, iteration)?;
        self.score_among(self.scores_of(row), dimension)
    }

    /// The issues of a candidate as a policy counts them.
    pub(crate) fn issue_counts(&self, document: usize, iteration: usize, policy: &LoopPolicy) -> IssueCounts {
        let mut counts = IssueCounts::default();
        for issue in self.row_of(document, iteration).map(|row| self.issues_of(row)).unwrap_or_default() {
            counts.add(issue.severity, self.disposition(issue, policy));
        }
        counts
    }

    /// The disposition of an issue under a policy.
    fn disposition(&self, issue: &RecordedIssue, policy: &LoopPolicy) -> Disposition {
        issue.disposition.unwrap_or_else(|| {
            let code = self.codes.name(issue.code).unwrap_or_default();
            policy.dispositions.of(code, issue.auto_fixable)
        })
    }

    fn candidate_of(&self, row: usize) -> Option<&KeptCandidate> {
        self.candidates.as_ref()?.get(row)?.as_ref()
    }

    /// The score of a dimension; `None` if it was not measured.
    fn score_among(&self, scores: &[(u32, Score)], dimension: &str) -> Option<Score> {
        scores
            .iter()
            .find(|(number, _)| self.dimensions.is_named(*number, dimension))
            .map(|(_, score)| *score)
    }
}

/// The values that are added when a row ends.
struct Measured {
    issues_unknown: bool,
    elapsed_ms: f64,
    usage: Usage,
    candidate: Option<Arc<Value>>,
    base: Option<usize>,
}

/// The end of the previous element; 0 for the first.
fn before(ends: &[usize], at: usize) -> usize {
    at.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or_default()
}
