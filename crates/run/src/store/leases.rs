//! Leases of documents to reviewers, so that two people never decide about one at the same time.

use super::entries::json;
use super::history::unsigned;
use super::runs::timestamp;
use super::{DocumentKey, Journal, NewReview, StoreError};
use rusqlite::{Connection, OptionalExtension, params};

/// A document that a reviewer has open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The document.
    pub document: DocumentKey,
    /// The reviewer.
    pub reviewer: String,
    /// The end of the lease, in milliseconds since 1970.
    pub until_ms: u64,
}

/// The outcome of decisions about a document that a reviewer has open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeasedAppend {
    /// They are kept.
    Kept,
    /// The reviewer has no lease; another one may have one.
    NotHeld(Option<Lease>),
    /// A decision about the document was made since the reviewer saw it.
    Changed,
}

impl Journal {
    /// Leases a document to a reviewer until a time, unless another has it. Returns the lease that then holds.
    ///
    /// # Errors
    /// Any failure of the file.
    pub fn take_lease(
        &self,
        document: DocumentKey,
        reviewer: &str,
        now_ms: u64,
        until_ms: u64,
    ) -> Result<Lease, StoreError> {
        let change = "INSERT INTO leases (document, reviewer, until_ms) VALUES (?1, ?2, ?3)
                      ON CONFLICT (document) DO UPDATE SET reviewer = excluded.reviewer, until_ms = excluded.until_ms
                      WHERE leases.reviewer = excluded.reviewer OR leases.until_ms <= ?4";
        self.transact(|connection| {
            let values = params![document.0, reviewer, signed(until_ms), signed(now_ms)];
            connection
                .execute(change, values)
                .and_then(|_| lease_of(connection, document, now_ms))
                .map(|lease| {
                    let own = || Lease { document, reviewer: reviewer.to_owned(), until_ms };
                    lease.unwrap_or_else(own)
                })
                .map_err(|error| self.sqlite(&error))
        })
    }

    /// Gives a document back, if the reviewer still has it until the given time: a later page may have taken it again.
    ///
    /// # Errors
    /// Any failure of the file.
    pub fn release_lease(
        &self,
        document: DocumentKey,
        reviewer: &str,
        until_ms: u64,
    ) -> Result<(), StoreError> {
        self.transact(|connection| {
            let change = "DELETE FROM leases WHERE document = ?1 AND reviewer = ?2 AND until_ms = ?3";
            let released = connection.execute(change, params![document.0, reviewer, signed(until_ms)]);
            released.map(drop).map_err(|error| self.sqlite(&error))
        })
    }

    /// The lease of a document, if a reviewer has it open.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn lease(&self, document: DocumentKey, now_ms: u64) -> Result<Option<Lease>, StoreError> {
        lease_of(&self.connection(), document, now_ms).map_err(|error| self.sqlite(&error))
    }

    /// Every document that a reviewer has open.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn leases(&self, now_ms: u64) -> Result<Vec<Lease>, StoreError> {
        let query = "SELECT document, reviewer, until_ms FROM leases WHERE until_ms > ?1 ORDER BY document";
        self.select(query, [signed(now_ms)], |row| {
            Ok(Lease {
                document: DocumentKey(row.get(0)?),
                reviewer: row.get(1)?,
                until_ms: unsigned(row, 2)?,
            })
        })
    }

    /// Keeps decisions about a document that the reviewer has, all or none, if none was made since review `seen`.
    ///
    /// # Errors
    /// [`StoreError::Time`], and any failure of the file.
    pub fn append_held_reviews(
        &self,
        held: &LeasedDocument<'_>,
        reviews: &[NewReview],
    ) -> Result<LeasedAppend, StoreError> {
        let mut rows = Vec::with_capacity(reviews.len());
        for review in reviews {
            timestamp(&review.at)?;
            rows.push((review, json(&review.decision)?));
        }
        self.transact(|connection| held.append(connection, &rows).map_err(|error| self.sqlite(&error)))
    }
}

/// A document as a reviewer has it open.
#[derive(Debug, Clone, Copy)]
pub struct LeasedDocument<'a> {
    /// The document.
    pub document: DocumentKey,
    /// The reviewer.
    pub reviewer: &'a str,
    /// The time, in milliseconds since 1970.
    pub now_ms: u64,
    /// The number of the latest review that the reviewer saw; 0 of none.
    pub seen: u64,
}

impl LeasedDocument<'_> {
    fn append(
        &self,
        connection: &Connection,
        rows: &[(&NewReview, String)],
    ) -> rusqlite::Result<LeasedAppend> {
        let lease = lease_of(connection, self.document, self.now_ms)?;
        if lease.as_ref().is_none_or(|lease| lease.reviewer != self.reviewer) {
            return Ok(LeasedAppend::NotHeld(lease));
        }
        let latest: u64 = connection
            .prepare_cached("SELECT coalesce(max(number), 0) FROM reviews WHERE document = ?1")?
            .query_one([self.document.0], |row| unsigned(row, 0))?;
        if latest != self.seen {
            return Ok(LeasedAppend::Changed);
        }
        let query = "INSERT INTO reviews (document, at, reviewer, decision) VALUES (?1, ?2, ?3, ?4)";
        for (review, decision) in rows {
            let values = params![self.document.0, review.at, review.reviewer, decision];
            connection.prepare_cached(query)?.execute(values)?;
        }
        Ok(LeasedAppend::Kept)
    }
}

fn lease_of(connection: &Connection, document: DocumentKey, now_ms: u64) -> rusqlite::Result<Option<Lease>> {
    let query = "SELECT reviewer, until_ms FROM leases WHERE document = ?1 AND until_ms > ?2";
    connection
        .prepare_cached(query)?
        .query_one(params![document.0, signed(now_ms)], |row| {
            Ok(Lease { document, reviewer: row.get(0)?, until_ms: unsigned(row, 1)? })
        })
        .optional()
}

fn signed(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::{DocumentRecord, EventLog, RunRecord};
    use super::*;
    use crate::value::DocumentId;
    use serde_json::json;

    fn journal() -> (Journal, DocumentKey) {
        let journal = Journal::in_memory().unwrap();
        let run = RunRecord {
            started_at: "2026-01-31T12:00:00Z".to_owned(),
            profile: "clinical".to_owned(),
            profile_digest: "d".to_owned(),
            loopctl_version: "0".to_owned(),
            plugins: json!([]),
            settings: json!({}),
        };
        let run = journal.begin_run(&run).unwrap();
        let document = DocumentRecord {
            id: DocumentId::new("a"),
            document_type: "t".to_owned(),
            source_digest: "s".to_owned(),
            path: None,
        };
        let document = journal.begin_document(&run, &document).wait().unwrap();
        (journal, document)
    }

    fn decide(
        journal: &Journal,
        document: DocumentKey,
        reviewer: &str,
        now_ms: u64,
        seen: u64,
    ) -> LeasedAppend {
        let review = NewReview {
            document: DocumentId::new("a"),
            at: "2026-02-01T12:00:00Z".to_owned(),
            reviewer: reviewer.to_owned(),
            decision: json!({"action": "accept"}),
        };
        journal.append_held_reviews(&LeasedDocument { document, reviewer, now_ms, seen }, &[review]).unwrap()
    }

    #[test]
    fn one_reviewer_has_a_document_until_the_time_is_over() {
        let (journal, document) = journal();
        let take = |who: &str, now, until| journal.take_lease(document, who, now, until).unwrap();
        assert_eq!(take("a", 0, 100).reviewer, "a");
        let of_a = take("b", 50, 150);
        assert_eq!((of_a.reviewer.as_str(), of_a.until_ms), ("a", 100));
        assert_eq!(take("a", 60, 160).until_ms, 160);
        assert_eq!(journal.leases(159).unwrap().len(), 1);
        assert_eq!(journal.lease(document, 160).unwrap(), None);
        assert_eq!(take("b", 160, 260).reviewer, "b");
        // A page that was left says so late: the lease has been replaced.
        journal.release_lease(document, "b", 200).unwrap();
        assert_eq!(journal.leases(170).unwrap().len(), 1);
        journal.release_lease(document, "b", 260).unwrap();
        assert_eq!(take("a", 170, 270).reviewer, "a");
    }

    #[test]
    fn who_has_no_lease_or_saw_something_else_decides_nothing() {
        let (journal, document) = journal();
        assert_eq!(decide(&journal, document, "a", 0, 0), LeasedAppend::NotHeld(None));
        journal.take_lease(document, "a", 0, 100).unwrap();
        let LeasedAppend::NotHeld(Some(lease)) = decide(&journal, document, "b", 1, 0) else {
            panic!("held")
        };
        assert_eq!(lease.reviewer, "a");
        assert_eq!(decide(&journal, document, "a", 1, 0), LeasedAppend::Kept);
        assert_eq!(decide(&journal, document, "a", 2, 0), LeasedAppend::Changed);
        assert_eq!(decide(&journal, document, "a", 2, 1), LeasedAppend::Kept);
        assert_eq!(decide(&journal, document, "a", 100, 2), LeasedAppend::NotHeld(None));
    }
}
