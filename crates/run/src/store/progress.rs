//! The progress of the documents of a run.

use super::history::unsigned;
use super::{DocumentKey, DocumentStage, Journal, RunId, StoreError};
use crate::value::DocumentId;
use rusqlite::params;

/// The number of documents of a run in each stage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StageCounts([u64; DocumentStage::ALL.len()]);

impl StageCounts {
    /// The documents of a stage.
    #[must_use]
    pub fn of(&self, stage: DocumentStage) -> u64 {
        usize::try_from(stage.number()).ok().and_then(|at| self.0.get(at)).copied().unwrap_or_default()
    }

    /// All documents.
    #[must_use]
    pub fn sum(&self) -> u64 {
        self.0.iter().sum()
    }
}

/// The number of submitted documents of a profile that are not over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueLength {
    /// No one works on these.
    pub waiting: u64,
    /// A process works on these, or a batch of a vendor does.
    pub running: u64,
}

impl Journal {
    /// By profile, the number of submitted documents that are not over; profiles without any are left out.
    ///
    /// # Errors
    /// Any failure of the file.
    pub fn queue_lengths(&self) -> Result<Vec<(String, QueueLength)>, StoreError> {
        let query =
            "SELECT r.profile, count(*) FILTER (WHERE d.state = 0), count(*) FILTER (WHERE d.state IN (1, 5))
                     FROM runs r JOIN documents d ON d.run = r.number AND d.state IN (0, 1, 5)
                     JOIN jobs j ON j.document = d.number GROUP BY r.profile ORDER BY r.profile";
        self.select(query, [], |row| {
            Ok((row.get(0)?, QueueLength { waiting: unsigned(row, 1)?, running: unsigned(row, 2)? }))
        })
    }

    /// The number of documents of a run in each stage.
    ///
    /// # Errors
    /// Any failure of the file.
    pub fn stages(&self, run: &RunId) -> Result<StageCounts, StoreError> {
        let query = "SELECT d.state, count(*) FROM documents d JOIN runs r ON r.number = d.run
                     WHERE r.id = ?1 GROUP BY d.state";
        let mut counts = StageCounts::default();
        for (stage, count) in
            self.select(query, params![run.as_str()], |row| Ok((row.get::<_, i64>(0)?, unsigned(row, 1)?)))?
        {
            if let Some(slot) = usize::try_from(stage).ok().and_then(|at| counts.0.get_mut(at)) {
                *slot = count;
            }
        }
        Ok(counts)
    }

    /// The first documents of a run that wait.
    ///
    /// # Errors
    /// Any failure of the file.
    pub fn waiting(&self, run: &RunId, most: usize) -> Result<Vec<DocumentId>, StoreError> {
        let query = "SELECT d.id FROM runs r JOIN documents d ON d.run = r.number AND d.state = 0
                     WHERE r.id = ?1 ORDER BY d.number LIMIT ?2";
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.select(query, params![run.as_str(), most], |row| Ok(DocumentId::new(row.get::<_, String>(0)?)))
    }

    /// Returns whether a document of this run passed, or was rightly skipped.
    ///
    /// # Errors
    /// Any failure of the file.
    pub fn passed(&self, document: DocumentKey) -> Result<bool, StoreError> {
        let query = "SELECT json_extract(outcome, '$.final_status') IN ('passed', 'skipped')
                     FROM outcomes WHERE document = ?1";
        Ok(self.select(query, [document.0], |row| row.get(0))?.pop().unwrap_or_default())
    }

    /// The number of documents of a run that passed, or were rightly skipped.
    ///
    /// # Errors
    /// Any failure of the file.
    pub fn passed_in(&self, run: &RunId) -> Result<usize, StoreError> {
        let query = "SELECT count(*) FROM runs r JOIN documents d ON d.run = r.number AND d.state = 2
                     JOIN outcomes o ON o.document = d.number
                     WHERE r.id = ?1 AND json_extract(o.outcome, '$.final_status') IN ('passed', 'skipped')";
        let count = self.select(query, params![run.as_str()], |row| unsigned(row, 0))?.pop();
        Ok(usize::try_from(count.unwrap_or_default()).unwrap_or(usize::MAX))
    }

    /// The number of documents of a run that have no result, or one that reports a failed provider. A document that
    /// only lacks the answer of a judge has failed too, to be tried again; its result is one for a person.
    ///
    /// # Errors
    /// Any failure of the file.
    pub fn broken_in(&self, run: &RunId) -> Result<usize, StoreError> {
        let query = "SELECT count(*) FROM runs r JOIN documents d ON d.run = r.number AND d.state = 3
                     LEFT JOIN outcomes o ON o.document = d.number
                     WHERE r.id = ?1
                       AND (o.outcome IS NULL OR json_extract(o.outcome, '$.stop_reason') = 'provider_error')";
        let count = self.select(query, params![run.as_str()], |row| unsigned(row, 0))?.pop();
        Ok(usize::try_from(count.unwrap_or_default()).unwrap_or(usize::MAX))
    }
}
