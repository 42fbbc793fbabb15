//! Entries that are written of a document while a process works on it.

use super::journal::Urgency;
use super::queue::WorkerId;
use super::{
    DocumentKey, DocumentRecord, DocumentStage, EventLog, Journal, LogEntry, Receipt, RunId, StoreError,
    waves,
};
use crate::value::path_text;
use rusqlite::{Connection, OptionalExtension, ffi, params};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

impl DocumentStage {
    pub(super) fn number(self) -> i64 {
        match self {
            DocumentStage::Waiting => 0,
            DocumentStage::Running => 1,
            DocumentStage::Finished => 2,
            DocumentStage::Failed => 3,
            DocumentStage::GivenUp => 4,
            DocumentStage::Parked => 5,
        }
    }

    pub(super) fn of(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.number() == number)
    }
}

/// The journal as one process writes to it: what another has taken over is refused.
#[derive(Debug)]
pub struct WorkerLog {
    journal: Arc<Journal>,
    worker: WorkerId,
}

impl WorkerLog {
    /// A log for the entries of this worker.
    #[must_use]
    pub fn new(journal: Arc<Journal>, worker: WorkerId) -> Self {
        WorkerLog { journal, worker }
    }
}

impl EventLog for WorkerLog {
    fn is_durable(&self) -> bool {
        self.journal.is_durable()
    }

    fn begin_document(&self, run: &RunId, document: &DocumentRecord) -> Receipt<DocumentKey> {
        self.journal.begin_document(run, document)
    }

    fn write(&self, document: DocumentKey, entries: Vec<LogEntry>) -> Receipt {
        self.journal.write_as(Some(self.worker), document, entries)
    }

    fn finish_run(&self, run: &RunId, finished_at: &str) -> Result<(), StoreError> {
        self.journal.end_run(run, finished_at)
    }
}

impl EventLog for Journal {
    fn is_durable(&self) -> bool {
        self.path() != Path::new(":memory:")
    }

    fn begin_document(&self, run: &RunId, document: &DocumentRecord) -> Receipt<DocumentKey> {
        let (path, run, document) = (self.path().to_path_buf(), run.clone(), document.clone());
        self.submit(move |connection| begin(connection, &path, &run, &document))
    }

    fn write(&self, document: DocumentKey, entries: Vec<LogEntry>) -> Receipt {
        self.write_as(None, document, entries)
    }

    fn finish_run(&self, run: &RunId, finished_at: &str) -> Result<(), StoreError> {
        self.end_run(run, finished_at)
    }
}

impl Journal {
    fn write_as(&self, worker: Option<WorkerId>, document: DocumentKey, entries: Vec<LogEntry>) -> Receipt {
        let path = self.path().to_path_buf();
        // Events follow from answers that are on the disk, and are waited for with what comes after them.
        let awaited = |entry: &LogEntry| {
            matches!(entry, LogEntry::Answered { .. } | LogEntry::Ended { .. } | LogEntry::Parked { .. })
        };
        let urgency = if entries.iter().any(awaited) { Urgency::AwaitedNow } else { Urgency::Deferred };
        self.submit_as(urgency, move |connection| write_all(connection, &path, worker, document, &entries))
    }
}

fn begin(
    connection: &Connection,
    path: &Path,
    run: &RunId,
    document: &DocumentRecord,
) -> Result<DocumentKey, StoreError> {
    let file = document.path.as_deref().map(path_text);
    let inserted = connection
        .prepare_cached(
            "INSERT INTO documents (run, id, document_type, source_digest, path, state, attempts)
             SELECT number, ?2, ?3, ?4, ?5, 1, 1 FROM runs WHERE id = ?1 RETURNING number",
        )
        .and_then(|mut statement| {
            let values = params![
                run.as_str(),
                document.id.as_str(),
                document.document_type,
                document.source_digest,
                file
            ];
            statement.query_one(values, |row| row.get(0)).optional()
        });
    match inserted {
        Ok(Some(number)) => Ok(DocumentKey(number)),
        Ok(None) => Err(StoreError::UnknownRun { run: run.clone() }),
        Err(error) if is_duplicate(&error) => {
            Err(StoreError::DocumentExists { run: run.clone(), document: document.id.clone() })
        }
        Err(error) => Err(StoreError::sqlite(path, &error)),
    }
}

fn write_all(
    connection: &Connection,
    path: &Path,
    worker: Option<WorkerId>,
    document: DocumentKey,
    entries: &[LogEntry],
) -> Result<(), StoreError> {
    let sqlite = |error: rusqlite::Error| StoreError::sqlite(path, &error);
    let owner: Option<Option<i64>> = connection
        .prepare_cached("SELECT worker FROM documents WHERE number = ?1")
        .and_then(|mut statement| statement.query_one([document.0], |row| row.get(0)).optional())
        .map_err(sqlite)?;
    if owner != Some(worker.map(|worker| worker.0)) {
        return Err(StoreError::TakenOver);
    }
    for entry in entries {
        write_one(connection, document, entry).map_err(|error| {
            // Another process wrote the same event.
            if is_duplicate(&error) { StoreError::TakenOver } else { sqlite(error) }
        })?;
    }
    Ok(())
}

fn write_one(connection: &Connection, document: DocumentKey, entry: &LogEntry) -> rusqlite::Result<()> {
    match entry {
        LogEntry::Begun { document_type, source_digest } => connection
            .prepare_cached("UPDATE documents SET document_type = ?2, source_digest = ?3 WHERE number = ?1")?
            .execute(params![document.0, document_type, source_digest]),
        LogEntry::Happened { seq, at, kind, payload } => {
            let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
            connection
                .prepare_cached(
                    "INSERT INTO events (document, seq, at_ms, kind, payload) VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![document.0, number(*seq), number(at.0), kind, payload])
        }
        LogEntry::Answered { call, question, answer } => connection
            .prepare_cached(
                "INSERT OR REPLACE INTO answers (document, call, question, answer) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![document.0, call, question, answer]),
        LogEntry::Consumed { call } => {
            // It has come further, so what a process died over before was not this.
            connection
                .prepare_cached("UPDATE documents SET crashes = 0 WHERE number = ?1 AND crashes > 0")?
                .execute([document.0])?;
            connection
                .prepare_cached("DELETE FROM answers WHERE document = ?1 AND call = ?2")?
                .execute(params![document.0, call])
        }
        LogEntry::Postponed(call) => waves::postpone(connection, document, call),
        LogEntry::Parked { calls } => waves::park(connection, document, calls),
        LogEntry::Saved { call, usd } => waves::saved(connection, document, call, *usd),
        LogEntry::Ended { stage, reason, outcome } => {
            if let Some(outcome) = outcome {
                connection
                    .prepare_cached("INSERT OR REPLACE INTO outcomes (document, outcome) VALUES (?1, ?2)")?
                    .execute(params![document.0, outcome])?;
            }
            connection
                .prepare_cached(
                    "UPDATE documents SET state = ?2, reason = ?3, worker = NULL, crashes = 0 WHERE number = ?1",
                )?
                .execute(params![document.0, stage.number(), reason])
        }
    }
    .map(drop)
}

pub(super) fn is_duplicate(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error().map(|error| error.extended_code),
        Some(
            ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_ROWID
        )
    )
}

/// A value as the journal keeps it.
pub(super) fn json(value: &Value) -> Result<String, StoreError> {
    serde_json::to_string(value)
        .map_err(|source| StoreError::Json { what: "an entry of the journal".to_owned(), source })
}
