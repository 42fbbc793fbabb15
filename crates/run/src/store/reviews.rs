//! Decisions of people about the documents of a run. Rows are only ever added: to take a decision back adds another.

use super::entries::json;
use super::history::unsigned;
use super::runs::{run_number, timestamp};
use super::{Journal, RunId, StoreError};
use crate::value::DocumentId;
use rusqlite::{OptionalExtension, params};
use serde_json::Value;

/// A decision to be kept.
#[derive(Debug, Clone, PartialEq)]
pub struct NewReview {
    /// The document of the run that it is about.
    pub document: DocumentId,
    /// The time at which it was made, as RFC 3339.
    pub at: String,
    /// The reviewer who made it.
    pub reviewer: String,
    /// The decision.
    pub decision: Value,
}

/// A decision that is kept.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StoredReview {
    /// Its position among all decisions of the journal.
    pub number: u64,
    /// The document that it is about.
    pub document: DocumentId,
    /// The time at which it was made, as RFC 3339.
    pub at: String,
    /// The reviewer who made it.
    pub reviewer: String,
    /// The decision.
    pub decision: Value,
}

impl Journal {
    /// Keeps decisions about documents of a run: all of them, or none.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], [`StoreError::UnknownDocument`], [`StoreError::Time`] when a time is not RFC 3339,
    /// and any failure of the file.
    pub fn append_reviews(&self, run: &RunId, reviews: &[NewReview]) -> Result<(), StoreError> {
        let mut rows = Vec::with_capacity(reviews.len());
        for review in reviews {
            timestamp(&review.at)?;
            rows.push((review, json(&review.decision)?));
        }
        self.transact(|connection| {
            let number = run_number(connection, run, |error| self.sqlite(&error))?;
            for (review, decision) in &rows {
                let query = "INSERT INTO reviews (document, at, reviewer, decision)
                             SELECT number, ?3, ?4, ?5 FROM documents WHERE run = ?1 AND id = ?2 RETURNING number";
                let values =
                    params![number, review.document.as_str(), review.at, review.reviewer, decision];
                let added: Option<i64> = connection
                    .prepare_cached(query)
                    .and_then(|mut statement| statement.query_one(values, |row| row.get(0)).optional())
                    .map_err(|error| self.sqlite(&error))?;
                if added.is_none() {
                    return Err(StoreError::UnknownDocument {
                        run: run.clone(),
                        document: review.document.clone(),
                    });
                }
            }
            Ok(())
        })
    }

    /// The decisions about documents of a run, in the order in which they were kept. None if the run does not exist.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn reviews(&self, run: &RunId) -> Result<Vec<StoredReview>, StoreError> {
        self.select_reviews("r.id = ?1", params![run.as_str()])
    }

    /// The decisions about one document of a run, in the order in which they were kept.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn reviews_of(&self, run: &RunId, document: &DocumentId) -> Result<Vec<StoredReview>, StoreError> {
        self.select_reviews("r.id = ?1 AND d.id = ?2", params![run.as_str(), document.as_str()])
    }

    fn select_reviews(
        &self,
        filter: &str,
        values: impl rusqlite::Params,
    ) -> Result<Vec<StoredReview>, StoreError> {
        let query = format!(
            "SELECT v.number, d.id, v.at, v.reviewer, v.decision
             FROM reviews v JOIN documents d ON d.number = v.document JOIN runs r ON r.number = d.run
             WHERE {filter} ORDER BY v.number"
        );
        self.select(&query, values, |row| {
            Ok(StoredReview {
                number: unsigned(row, 0)?,
                document: DocumentId::new(row.get::<_, String>(1)?),
                at: row.get(2)?,
                reviewer: row.get(3)?,
                decision: super::history::value(row, 4)?,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DocumentRecord, EventLog, RunRecord};
    use super::*;
    use serde_json::json;

    fn run(journal: &Journal) -> RunId {
        let run = RunRecord {
            started_at: "2026-01-31T12:00:00Z".to_owned(),
            profile: "clinical".to_owned(),
            profile_digest: "d".to_owned(),
            loopctl_version: "0".to_owned(),
            plugins: json!([]),
            settings: json!({}),
        };
        let run = journal.begin_run(&run).unwrap();
        for id in ["a", "b"] {
            let document = DocumentRecord {
                id: DocumentId::new(id),
                document_type: "t".to_owned(),
                source_digest: "s".to_owned(),
                path: None,
            };
            journal.begin_document(&run, &document).wait().unwrap();
        }
        run
    }

    fn review(document: &str, reviewer: &str) -> NewReview {
        NewReview {
            document: DocumentId::new(document),
            at: "2026-02-01T12:00:00Z".to_owned(),
            reviewer: reviewer.to_owned(),
            decision: json!({"action": "accept"}),
        }
    }

    #[test]
    fn decisions_are_read_in_their_order() {
        let journal = Journal::in_memory().unwrap();
        let (one, other) = (run(&journal), run(&journal));
        journal.append_reviews(&one, &[review("b", "x"), review("a", "y")]).unwrap();
        journal.append_reviews(&other, &[review("a", "z")]).unwrap();
        journal.append_reviews(&one, &[review("b", "w")]).unwrap();
        let who = |reviews: Vec<StoredReview>| {
            reviews.into_iter().map(|review| review.reviewer).collect::<Vec<_>>()
        };
        assert_eq!(who(journal.reviews(&one).unwrap()), ["x", "y", "w"]);
        assert_eq!(who(journal.reviews_of(&one, &DocumentId::new("b")).unwrap()), ["x", "w"]);
        assert_eq!(who(journal.reviews(&RunId::new("gone")).unwrap()), Vec::<String>::new());
    }

    #[test]
    fn all_decisions_are_kept_or_none() {
        let journal = Journal::in_memory().unwrap();
        let run = run(&journal);
        let unknown = journal.append_reviews(&run, &[review("a", "x"), review("c", "x")]).unwrap_err();
        assert!(matches!(unknown, StoreError::UnknownDocument { .. }), "{unknown}");
        let no_time = NewReview { at: "yesterday".to_owned(), ..review("a", "x") };
        assert!(matches!(journal.append_reviews(&run, &[no_time]), Err(StoreError::Time { .. })));
        assert!(matches!(
            journal.append_reviews(&RunId::new("gone"), &[review("a", "x")]),
            Err(StoreError::UnknownRun { .. })
        ));
        assert_eq!(journal.reviews(&run).unwrap(), []);
    }

    #[test]
    fn a_decision_is_never_changed_and_goes_only_with_its_run() {
        let journal = Journal::in_memory().unwrap();
        let (one, other) = (run(&journal), run(&journal));
        for run in [&one, &other] {
            journal.append_reviews(run, &[review("a", "x")]).unwrap();
        }
        let refused = |change: &str| journal.connection().execute(change, []).unwrap_err().to_string();
        assert_eq!(refused("UPDATE reviews SET reviewer = 'z'"), "reviews are never changed");
        assert_eq!(refused("DELETE FROM reviews"), "reviews are never removed");
        journal.remove_run(&one).unwrap();
        assert_eq!((journal.reviews(&one).unwrap().len(), journal.reviews(&other).unwrap().len()), (0, 1));
        assert_eq!(refused("DELETE FROM reviews"), "reviews are never removed");
    }
}
