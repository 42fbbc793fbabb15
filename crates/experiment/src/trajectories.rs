//! Recorded documents that many policies are tried on.
//!
//! [`Trajectories`] are filled once, from lines of trajectory files ([`Trajectories::read_line`]) or from trajectories
//! ([`Trajectories::push`]). A [`Decider`](super::Decider) then asks the functions that decide in a run what a policy
//! makes of a document. Nothing is copied for it: the decision borrows recorded candidates.

use super::trajectory::{IterationRecord, Trajectory, TrajectoryError};
use crate::policy::IssueCounts;
use crate::profile::LoopPolicy;
use crate::value::{Digest, Score};
use serde_json::Value;

/// Recorded documents.
#[derive(Debug, Clone, Default)]
pub struct Trajectories {
    keep_candidates: bool,
    documents: Vec<Document>,
}

#[derive(Debug, Clone)]
struct Document {
    id: Value,
    iterations: Vec<RecordedCandidate>,
}

/// A recorded candidate.
#[derive(Debug, Clone)]
pub(super) struct RecordedCandidate {
    pub(super) record: IterationRecord,
    /// The digest of the candidate, if candidates are kept: every policy compares it.
    pub(super) digest: Option<Digest>,
}

impl Trajectories {
    /// Creates an empty list. Candidates are kept only if a policy will inspect them: they take most of the memory, and
    /// hashing them most of the reading time.
    #[must_use]
    pub fn new(keep_candidates: bool) -> Self {
        Trajectories { keep_candidates, documents: Vec::new() }
    }

    /// The number of documents.
    #[must_use]
    pub fn documents(&self) -> usize {
        self.documents.len()
    }

    /// The id of a document.
    #[must_use]
    pub fn id(&self, document: usize) -> Option<&Value> {
        self.documents.get(document).map(|document| &document.id)
    }

    /// The names of the dimensions of a document, each as often as it was recorded.
    pub fn dimensions(&self, document: usize) -> impl Iterator<Item = &str> {
        let records = self.iterations(document).iter().map(|candidate| &candidate.record);
        records
            .flat_map(|record| record.scores.iter().chain(record.tier1.iter().flatten()))
            .map(|(name, _)| name.as_str())
    }

    /// Returns whether the issues of a candidate are unknown.
    #[must_use]
    pub fn issues_unknown(&self, document: usize, iteration: usize) -> bool {
        self.record(document, iteration).is_some_and(|record| record.issues_unknown)
    }

    /// Returns whether the issues of any candidate of a document are unknown.
    #[must_use]
    pub fn lacks_issues(&self, document: usize) -> bool {
        self.iterations(document).iter().any(|candidate| candidate.record.issues_unknown)
    }

    /// Removes all documents.
    pub fn clear(&mut self) {
        self.documents.clear();
    }

    /// Removes the last document.
    pub fn pop(&mut self) {
        self.documents.pop();
    }

    /// Adds the document of a line. Returns the ignored keys that look like typos ([`Trajectory::slips`]).
    ///
    /// # Errors
    /// As for [`Trajectory::parse`]; nothing is added then.
    pub fn read_line(&mut self, line: &[u8]) -> Result<Vec<String>, TrajectoryError> {
        let mut trajectory = Trajectory::parse(line)?;
        let slips = std::mem::take(&mut trajectory.slips);
        self.push(trajectory);
        Ok(slips)
    }

    /// Adds a document.
    pub fn push(&mut self, trajectory: Trajectory) {
        let keep = self.keep_candidates;
        let kept = |mut record: IterationRecord| {
            record.candidate = record.candidate.filter(|_| keep);
            let digest = record.candidate.as_deref().map(Digest::of);
            RecordedCandidate { record, digest }
        };
        let iterations = trajectory.iterations.into_iter().map(kept).collect();
        self.documents.push(Document { id: trajectory.id, iterations });
    }

    /// The candidates of a document.
    pub(super) fn iterations(&self, document: usize) -> &[RecordedCandidate] {
        self.documents.get(document).map_or(&[], |document| &document.iterations)
    }

    fn record(&self, document: usize, iteration: usize) -> Option<&IterationRecord> {
        self.iterations(document).get(iteration).map(|candidate| &candidate.record)
    }

    /// The score of a candidate in a dimension; `None` if it was not measured.
    pub(crate) fn recorded_score(&self, document: usize, iteration: usize, dimension: &str) -> Option<Score> {
        score_among(&self.record(document, iteration)?.scores, dimension)
    }

    /// The issues of a candidate as a policy counts them.
    pub(crate) fn issue_counts(&self, document: usize, iteration: usize, policy: &LoopPolicy) -> IssueCounts {
        let mut counts = IssueCounts::default();
        for issue in self.record(document, iteration).map_or(&[][..], |record| &record.issues) {
            counts.add(issue.severity, issue.disposition_under(policy));
        }
        counts
    }
}

/// The score of a dimension; `None` if it was not measured.
pub(super) fn score_among(scores: &[(String, Score)], dimension: &str) -> Option<Score> {
    scores.iter().find(|(name, _)| name == dimension).map(|(_, score)| *score)
}
