//! Changes of the journal since a mark, without reading it all again.

use super::history::unsigned;
use super::{DocumentKey, Journal, RunId, StoreError, StoredDocument};
use rusqlite::params;
use serde_json::Value;
use std::collections::BTreeSet;

/// The state of the journal at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalMark {
    /// Each run, with the number of its documents that are over.
    runs: Vec<(RunId, u64)>,
    event: u64,
    review: u64,
}

impl JournalMark {
    /// The runs, in the order in which they began.
    pub fn runs(&self) -> impl Iterator<Item = &RunId> {
        self.runs.iter().map(|(run, _)| run)
    }

    /// The runs whose number of documents that are over differs from an earlier mark.
    pub fn runs_other_than<'m>(&'m self, earlier: &'m JournalMark) -> impl Iterator<Item = &'m RunId> {
        self.runs.iter().filter(|run| !earlier.runs.contains(run)).map(|(run, _)| run)
    }

    /// Returns whether a later mark shows the changes since this one: no run was removed, whose number may be reused.
    #[must_use]
    pub fn is_continued_by(&self, later: &JournalMark) -> bool {
        let known: BTreeSet<&RunId> = later.runs().collect();
        self.event <= later.event && self.review <= later.review && self.runs().all(|run| known.contains(run))
    }
}

impl Journal {
    /// The current state of the journal.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn mark(&self) -> Result<JournalMark, StoreError> {
        let query =
            "SELECT r.id, (SELECT count(*) FROM documents d WHERE d.run = r.number AND d.state IN (2, 3))
                     FROM runs r ORDER BY r.number";
        let runs =
            self.select(query, [], |row| Ok((RunId::new(row.get::<_, String>(0)?), unsigned(row, 1)?)))?;
        let latest = "SELECT coalesce((SELECT max(number) FROM events), 0), coalesce((SELECT max(number) FROM reviews), 0)";
        let (event, review) = self
            .select(latest, [], |row| Ok((unsigned(row, 0)?, unsigned(row, 1)?)))?
            .pop()
            .unwrap_or_default();
        Ok(JournalMark { runs, event, review })
    }

    /// The documents with events or decisions since a mark.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn changed_documents(&self, since: &JournalMark) -> Result<Vec<(RunId, DocumentKey)>, StoreError> {
        let number = |mark: u64| i64::try_from(mark).unwrap_or(i64::MAX);
        let query = "SELECT r.id, d.number FROM documents d JOIN runs r ON r.number = d.run
                     WHERE d.number IN (SELECT document FROM events WHERE number > ?1
                                        UNION SELECT document FROM reviews WHERE number > ?2)";
        self.select(query, params![number(since.event), number(since.review)], read)
    }

    /// The documents of a run that are over.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn finished_documents(&self, run: &RunId) -> Result<Vec<DocumentKey>, StoreError> {
        let query = "SELECT d.number FROM documents d JOIN runs r ON r.number = d.run
                     WHERE r.id = ?1 AND d.state IN (2, 3)";
        self.select(query, [run.as_str()], |row| Ok(DocumentKey(row.get(0)?)))
    }

    /// A document, with its outcome if it has one.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn document_of_key(
        &self,
        document: DocumentKey,
    ) -> Result<Option<(StoredDocument, Option<Value>)>, StoreError> {
        Ok(self.select_documents("d.number = ?1", params![document.0])?.pop())
    }
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<(RunId, DocumentKey)> {
    Ok((RunId::new(row.get::<_, String>(0)?), DocumentKey(row.get(1)?)))
}

#[cfg(test)]
mod tests {
    use super::super::{DocumentRecord, DocumentStage, EventLog, LogEntry, NewReview, RunRecord};
    use super::*;
    use crate::value::{DocumentId, Millis};
    use serde_json::json;

    fn begin(journal: &Journal) -> RunId {
        let run = RunRecord {
            started_at: "2026-01-31T12:00:00Z".to_owned(),
            profile: "clinical".to_owned(),
            profile_digest: "d".to_owned(),
            loopctl_version: "0".to_owned(),
            plugins: json!([]),
            settings: json!({}),
        };
        journal.begin_run(&run).unwrap()
    }

    fn finish(journal: &Journal, run: &RunId, id: &str, entries: Vec<LogEntry>) -> DocumentKey {
        let record = DocumentRecord {
            id: DocumentId::new(id),
            document_type: "t".to_owned(),
            source_digest: "s".to_owned(),
            path: None,
        };
        let document = journal.begin_document(run, &record).wait().unwrap();
        let ended =
            LogEntry::Ended { stage: DocumentStage::Finished, reason: None, outcome: Some("{}".to_owned()) };
        journal.write(document, entries.into_iter().chain([ended]).collect()).wait().unwrap();
        document
    }

    #[test]
    fn a_mark_tells_what_has_changed_since() {
        let journal = Journal::in_memory().unwrap();
        let run = begin(&journal);
        let first = finish(&journal, &run, "a", Vec::new());
        let before = journal.mark().unwrap();
        assert_eq!(before, journal.mark().unwrap());
        let event = LogEntry::Happened { seq: 0, at: Millis(1), kind: "k".into(), payload: "1".to_owned() };
        let second = finish(&journal, &run, "b", vec![event]);
        let review = NewReview {
            document: DocumentId::new("a"),
            at: "2026-02-01T12:00:00Z".to_owned(),
            reviewer: "x".to_owned(),
            decision: json!({"action": "accept"}),
        };
        journal.append_reviews(&run, &[review]).unwrap();
        let after = journal.mark().unwrap();
        assert!(before.is_continued_by(&after) && !after.is_continued_by(&before));
        let changed = journal.changed_documents(&before).unwrap();
        assert_eq!(changed, [(run.clone(), first), (run.clone(), second)]);
        assert_eq!(journal.changed_documents(&after).unwrap(), []);
        assert_eq!(after.runs_other_than(&before).collect::<Vec<_>>(), [&run]);
        assert_eq!(journal.finished_documents(&run).unwrap(), [first, second]);
        assert_eq!(journal.document_of_key(second).unwrap().unwrap().1, Some(json!({})));
        journal.remove_run(&run).unwrap();
        assert!(!before.is_continued_by(&journal.mark().unwrap()));
    }
}
