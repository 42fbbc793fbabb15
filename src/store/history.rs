//! Reading the journal back: runs, their documents, the events of each.

use super::{DocumentRecord, Journal, RunId, RunRecord, StoreError, StoredDocument, StoredEvent, StoredRun};
use crate::value::{DocumentId, Millis};
use rusqlite::{Row, params};
use serde_json::Value;
use std::path::PathBuf;

impl Journal {
    /// All runs, in the order in which they began.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn runs(&self) -> Result<Vec<StoredRun>, StoreError> {
        self.select_runs("", params![])
    }

    /// One run.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn run(&self, run: &RunId) -> Result<Option<StoredRun>, StoreError> {
        Ok(self.select_runs("WHERE r.id = ?1", params![run.as_str()])?.pop())
    }

    fn select_runs(&self, filter: &str, values: impl rusqlite::Params) -> Result<Vec<StoredRun>, StoreError> {
        let query = format!(
            "SELECT r.id, r.started_at, r.finished_at, r.profile, r.profile_digest, r.loopctl_version, r.plugins,
                    r.settings, (SELECT count(*) FROM documents d WHERE d.run = r.number),
                    (SELECT count(*) FROM documents d JOIN outcomes o ON o.document = d.number WHERE d.run = r.number)
             FROM runs r {filter} ORDER BY r.number"
        );
        self.select(&query, values, |row| {
            Ok(StoredRun {
                id: RunId::new(row.get::<_, String>(0)?),
                record: RunRecord {
                    started_at: row.get(1)?,
                    profile: row.get(3)?,
                    profile_digest: row.get(4)?,
                    loopctl_version: row.get(5)?,
                    plugins: value(row, 6)?,
                    settings: value(row, 7)?,
                },
                finished_at: row.get(2)?,
                documents: unsigned(row, 8)?,
                finished_documents: unsigned(row, 9)?,
            })
        })
    }

    /// The documents of a run, in the order in which they began. None for a run that is not there.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn documents(&self, run: &RunId) -> Result<Vec<StoredDocument>, StoreError> {
        let query = "SELECT d.id, d.document_type, d.source_digest, d.path,
                            (SELECT count(*) FROM events e WHERE e.document = d.number),
                            EXISTS (SELECT 1 FROM outcomes o WHERE o.document = d.number)
                     FROM documents d JOIN runs r ON r.number = d.run WHERE r.id = ?1 ORDER BY d.number";
        self.select(query, params![run.as_str()], |row| {
            Ok(StoredDocument {
                record: DocumentRecord {
                    id: DocumentId::new(row.get::<_, String>(0)?),
                    document_type: row.get(1)?,
                    source_digest: row.get(2)?,
                    path: row.get::<_, Option<String>>(3)?.map(PathBuf::from),
                },
                events: unsigned(row, 4)?,
                finished: row.get(5)?,
            })
        })
    }

    /// The events of a document, in their order. None for a document that is not there.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn events(&self, run: &RunId, document: &DocumentId) -> Result<Vec<StoredEvent>, StoreError> {
        let query = "SELECT e.seq, e.at_ms, e.kind, e.payload
                     FROM events e JOIN documents d ON d.number = e.document JOIN runs r ON r.number = d.run
                     WHERE r.id = ?1 AND d.id = ?2 ORDER BY e.seq";
        self.select(query, params![run.as_str(), document.as_str()], |row| {
            Ok(StoredEvent {
                seq: unsigned(row, 0)?,
                at: Millis(unsigned(row, 1)?),
                kind: row.get(2)?,
                payload: value(row, 3)?,
            })
        })
    }

    /// How a document ended; `None` while it goes on.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn outcome(&self, run: &RunId, document: &DocumentId) -> Result<Option<Value>, StoreError> {
        let query = "SELECT o.outcome
                     FROM outcomes o JOIN documents d ON d.number = o.document JOIN runs r ON r.number = d.run
                     WHERE r.id = ?1 AND d.id = ?2";
        Ok(self.select(query, params![run.as_str(), document.as_str()], |row| value(row, 0))?.pop())
    }

    fn select<T>(
        &self,
        query: &str,
        values: impl rusqlite::Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        self.connection()
            .prepare_cached(query)
            .and_then(|mut statement| statement.query_map(values, read)?.collect())
            .map_err(|error| self.sqlite(&error))
    }
}

fn value(row: &Row<'_>, column: usize) -> rusqlite::Result<Value> {
    let text = row.get_ref(column)?.as_str()?;
    serde_json::from_str(text).map_err(|error| {
        // The parser's message holds a place and no content.
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error))
    })
}

/// A count or time; SQLite has signed numbers only.
pub(super) fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let number: i64 = row.get(column)?;
    u64::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, number))
}
