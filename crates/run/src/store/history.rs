//! Reading the journal back: runs, their documents, the events of each.

use super::names;
use super::record::RESUMED;
use super::runs::RunStage;
use super::{
    DocumentKey, DocumentRecord, DocumentStage, Journal, RunId, RunRecord, StoreError, StoredAnswer,
    StoredDocument, StoredEvent, StoredRun,
};
use crate::value::{DocumentId, Millis, path_of};
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

    /// The runs that are open for a request to the service, which is the member `service` of their settings, in the
    /// order in which they began.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn open_runs_for(&self, request: &serde_json::Value) -> Result<Vec<StoredRun>, StoreError> {
        self.select_runs("WHERE r.request = json(?1) AND r.state = 0", params![request.to_string()])
    }

    /// One run.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn run(&self, run: &RunId) -> Result<Option<StoredRun>, StoreError> {
        Ok(self.select_runs("WHERE r.id = ?1", params![run.as_str()])?.pop())
    }

    pub(super) fn select_runs(
        &self,
        filter: &str,
        values: impl rusqlite::Params,
    ) -> Result<Vec<StoredRun>, StoreError> {
        let query = format!(
            "SELECT r.id, r.started_at, r.finished_at, r.profile, r.profile_digest, r.loopctl_version, r.plugins,
                    r.settings, (SELECT count(*) FROM documents d WHERE d.run = r.number AND d.state <> 6),
                    (SELECT count(*) FROM documents d WHERE d.run = r.number AND d.state IN (2, 3)),
                    r.state, r.listed
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
                stage: RunStage::of(row.get(10)?),
                listed: row.get(11)?,
            })
        })
    }

    /// The documents of a run, in the order in which they began. None for a run that does not exist.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn documents(&self, run: &RunId) -> Result<Vec<StoredDocument>, StoreError> {
        let mut documents = Vec::new();
        self.each_document(run, |document, _| documents.push(document))?;
        Ok(documents)
    }

    /// Shows the documents of a run one after the other, each with its outcome if it has one, so that those of a large run need
    /// no room at the same time.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn each_document(
        &self,
        run: &RunId,
        mut see: impl FnMut(StoredDocument, Option<Value>),
    ) -> Result<(), StoreError> {
        let mut after = 0;
        loop {
            let page = self.documents_after(run, after)?;
            let Some(last) = page.last().map(|(document, _)| document.key.0) else { return Ok(()) };
            after = last;
            page.into_iter().for_each(|(document, outcome)| see(document, outcome));
        }
    }

    /// One document of a run, with its outcome if it has one.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn document(
        &self,
        run: &RunId,
        document: &DocumentId,
    ) -> Result<Option<(StoredDocument, Option<Value>)>, StoreError> {
        let filter = "r.id = ?1 AND d.id = ?2";
        Ok(self.select_documents(filter, params![run.as_str(), document.as_str()])?.pop())
    }

    fn documents_after(
        &self,
        run: &RunId,
        after: i64,
    ) -> Result<Vec<(StoredDocument, Option<Value>)>, StoreError> {
        self.select_documents("r.id = ?1 AND d.number > ?2", params![run.as_str(), after])
    }

    /// Shows the source of each document of a run that is left: its file, and its origin if that is more than a file.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn each_left(
        &self,
        run: &RunId,
        mut see: impl FnMut(Option<PathBuf>, Option<String>),
    ) -> Result<(), StoreError> {
        let stages = DocumentStage::LEFT.map(|stage| stage.number().to_string()).join(", ");
        let query = format!(
            "SELECT d.number, d.path, d.source FROM documents d JOIN runs r ON r.number = d.run
             WHERE r.id = ?1 AND d.number > ?2 AND d.state IN ({stages}) ORDER BY d.number LIMIT 1024"
        );
        let mut after = 0_i64;
        loop {
            let page = self.select(&query, params![run.as_str(), after], |row| {
                let path = row.get::<_, Option<String>>(1)?.map(|path| path_of(&path));
                Ok((row.get::<_, i64>(0)?, path, row.get::<_, Option<String>>(2)?))
            })?;
            let Some((last, ..)) = page.last() else { return Ok(()) };
            after = *last;
            page.into_iter().for_each(|(_, path, source)| see(path, source));
        }
    }

    /// The origin of a document, where that is more than a file.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn source_record(&self, document: DocumentKey) -> Result<Option<String>, StoreError> {
        let query = "SELECT source FROM documents WHERE number = ?1";
        Ok(self.select(query, [document.0], |row| row.get(0))?.pop().flatten())
    }

    pub(super) fn select_documents(
        &self,
        filter: &str,
        values: impl rusqlite::Params,
    ) -> Result<Vec<(StoredDocument, Option<Value>)>, StoreError> {
        let query = format!(
            "SELECT d.number, d.id, d.document_type, d.source_digest, d.path, d.state, d.attempts, d.reason,
                            (SELECT count(*) FROM events e WHERE e.document = d.number),
                            d.artifact, (SELECT outcome FROM outcomes o WHERE o.document = d.number)
                     FROM documents d JOIN runs r ON r.number = d.run
                     WHERE {filter} AND d.state <> 6 ORDER BY d.number LIMIT 256"
        );
        let mut page = self.select(&query, values, |row| {
            let stage = DocumentStage::of(row.get(5)?).unwrap_or(DocumentStage::Failed);
            let document = StoredDocument {
                key: DocumentKey(row.get(0)?),
                record: DocumentRecord {
                    id: DocumentId::new(row.get::<_, String>(1)?),
                    document_type: row.get(2)?,
                    source_digest: row.get(3)?,
                    path: row.get::<_, Option<String>>(4)?.map(|path| path_of(&path)),
                },
                events: unsigned(row, 8)?,
                finished: matches!(stage, DocumentStage::Finished | DocumentStage::Failed),
                stage,
                attempts: row.get(6)?,
                reason: row.get(7)?,
                artifact: None,
            };
            let outcome = row.get_ref(10)?.as_str_or_null().map_err(rusqlite::Error::from)?;
            let outcome = outcome.map(|text| parsed(10, text)).transpose()?;
            Ok((document, outcome, row.get::<_, Option<i64>>(9)?))
        })?;
        let connection = self.connection();
        page.drain(..)
            .map(|(document, outcome, artifact)| {
                let artifact = artifact.map(|number| names::of(&connection, number)).transpose();
                let artifact = artifact.map_err(|error| self.sqlite(&error))?;
                Ok((StoredDocument { artifact, ..document }, outcome))
            })
            .collect()
    }

    /// The events of a document that count, in their order. None for a document that does not exist.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn events(&self, run: &RunId, document: &DocumentId) -> Result<Vec<StoredEvent>, StoreError> {
        let query =
            "SELECT d.number FROM documents d JOIN runs r ON r.number = d.run WHERE r.id = ?1 AND d.id = ?2";
        let known = self.select(query, params![run.as_str(), document.as_str()], |row| row.get(0))?.pop();
        Ok(match known {
            Some(number) => self.events_of(DocumentKey(number))?.0,
            None => Vec::new(),
        })
    }

    /// Like [`Self::events`], of a document that is known, with the position of the next event.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn events_of(&self, document: DocumentKey) -> Result<(Vec<StoredEvent>, u64), StoreError> {
        let query = "SELECT seq, at_ms, kind, payload FROM events WHERE document = ?1 ORDER BY seq";
        let stored = self.select(query, params![document.0], |row| {
            Ok(StoredEvent {
                seq: unsigned(row, 0)?,
                at: Millis(unsigned(row, 1)?),
                kind: row.get(2)?,
                payload: value(row, 3)?,
            })
        })?;
        let next = stored.last().map_or(0, |last| last.seq + 1);
        let mut events: Vec<StoredEvent> = Vec::with_capacity(stored.len());
        for event in stored {
            if event.kind == RESUMED {
                let keeps = event.payload.get("keeps").and_then(Value::as_u64).unwrap_or_default();
                events.truncate(usize::try_from(keeps).unwrap_or(usize::MAX));
            } else {
                events.push(event);
            }
        }
        Ok((events, next))
    }

    /// The next events of a document after its event `after` (from the first, without one), as they were written: with
    /// those that were taken back when it was resumed.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn events_after(
        &self,
        document: DocumentKey,
        after: Option<u64>,
        most: u32,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        let query = "SELECT seq, at_ms, kind, payload FROM events
                     WHERE document = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3";
        let after = after.map_or(-1, |after| i64::try_from(after).unwrap_or(i64::MAX));
        self.select(query, params![document.0, after, most], |row| {
            Ok(StoredEvent {
                seq: unsigned(row, 0)?,
                at: Millis(unsigned(row, 1)?),
                kind: row.get(2)?,
                payload: value(row, 3)?,
            })
        })
    }

    /// The next events of a run after a number in the journal, each with its number, its document and its kind.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn run_events_after(
        &self,
        run: &RunId,
        after: u64,
        most: u32,
    ) -> Result<Vec<(u64, DocumentId, String)>, StoreError> {
        // In this order, so that events are read from `after` on, and not those of every document.
        let query = "SELECT e.number, d.id, e.kind FROM events e CROSS JOIN documents d ON d.number = e.document
                     WHERE e.number > ?2 AND d.run = (SELECT number FROM runs WHERE id = ?1) ORDER BY e.number LIMIT ?3";
        let after = i64::try_from(after).unwrap_or(i64::MAX);
        self.select(query, params![run.as_str(), after, most], |row| {
            Ok((unsigned(row, 0)?, DocumentId::new(row.get::<_, String>(1)?), row.get(2)?))
        })
    }

    /// The number of the latest event; 0 where there is none.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn latest_event(&self) -> Result<u64, StoreError> {
        let query = "SELECT coalesce(max(number), 0) FROM events";
        Ok(self.select(query, [], |row| unsigned(row, 0))?.pop().unwrap_or_default())
    }

    /// Answers to calls of a document that have not been processed yet.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn answers(&self, document: DocumentKey) -> Result<Vec<StoredAnswer>, StoreError> {
        let query = "SELECT call, question, answer FROM answers WHERE document = ?1 ORDER BY call";
        self.select(query, params![document.0], |row| {
            Ok(StoredAnswer { call: row.get(0)?, question: row.get(1)?, answer: row.get(2)? })
        })
    }

    /// The outcome of a document; `None` while it is in progress.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn outcome(&self, run: &RunId, document: &DocumentId) -> Result<Option<Value>, StoreError> {
        let query = "SELECT o.outcome
                     FROM outcomes o JOIN documents d ON d.number = o.document JOIN runs r ON r.number = d.run
                     WHERE r.id = ?1 AND d.id = ?2";
        Ok(self.select(query, params![run.as_str(), document.as_str()], |row| value(row, 0))?.pop())
    }

    pub(super) fn select<T>(
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

pub(super) fn value(row: &Row<'_>, column: usize) -> rusqlite::Result<Value> {
    parsed(column, row.get_ref(column)?.as_str()?)
}

fn parsed(column: usize, text: &str) -> rusqlite::Result<Value> {
    serde_json::from_str(text).map_err(|error| {
        // The parser's message holds a position and no content.
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error))
    })
}

/// A count or time; SQLite has signed numbers only.
pub(super) fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let number: i64 = row.get(column)?;
    u64::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, number))
}
