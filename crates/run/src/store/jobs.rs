//! Documents that were submitted to the service: each belongs to a run, with its submitter and the id of its job.

use super::entries::{is_duplicate, json};
use super::history::{unsigned, value};
use super::queue::enqueue_one;
use super::runs::{run_number, timestamp};
use super::splits::{RECORD, SECTIONS, SplitRecord, record};
use super::{DocumentKey, DocumentStage, EnqueueOutcome, Journal, QueuedDocument, RunId, StoreError};
use crate::value::DocumentId;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::Value;

/// A job to be kept.
#[derive(Debug, Clone, PartialEq)]
pub struct NewJob {
    /// The id of the job; unique in the journal.
    pub id: String,
    /// The name of the submitter.
    pub submitter: String,
    /// The submitter's own key: the same submission sent twice is one job.
    pub idempotency_key: Option<String>,
    /// Distinguishes the submission from any other, so that a key is not used for two of them.
    pub request_digest: String,
    /// The time of submission, as RFC 3339.
    pub submitted_at: String,
    /// Further details of the submission: the name of its file, its media type.
    pub request: Value,
}

/// A job with its document.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StoredJob {
    /// The id of the job.
    pub id: String,
    /// The name of the submitter.
    pub submitter: String,
    /// The submitter's own key.
    pub idempotency_key: Option<String>,
    /// Distinguishes the submission from any other.
    pub request_digest: String,
    /// The time of submission, as RFC 3339.
    pub submitted_at: String,
    /// Further details of the submission.
    pub request: Value,
    /// The time at which a person cancelled it, as RFC 3339.
    pub cancelled_at: Option<String>,
    /// The run that its document belongs to.
    pub run: RunId,
    /// The document.
    pub document: DocumentKey,
    /// The document's id in the run.
    pub document_id: DocumentId,
    /// Its stage.
    pub stage: DocumentStage,
    /// The reason why it has no result of its own.
    pub reason: Option<String>,
    /// The sections of its file, if that was split: they are the documents of the run in its place.
    pub split: Option<SplitRecord>,
}

/// The outcome of submitting a job.
#[derive(Debug, Clone, PartialEq)]
pub enum SubmitOutcome {
    /// It waits.
    Added(StoredJob),
    /// It was submitted before.
    Known(StoredJob),
    /// The key was used for another submission.
    KeyTaken(StoredJob),
    /// So many documents of the run wait that no other is taken.
    Full {
        /// The number of waiting documents.
        waiting: u64,
    },
}

/// The query of jobs that a condition follows. A file that was split has the stage that its sections are in: the farthest
/// from the end, and it runs once one of several is over.
fn query_of(condition: &str) -> String {
    format!(
        "SELECT j.id, j.submitter, j.idempotency_key, j.request_digest, j.submitted_at, j.request, j.cancelled_at,
           r.id, d.number, d.id, d.reason,
           CASE WHEN d.state <> 6 THEN d.state ELSE (
               SELECT CASE WHEN max(state = 1) OR max(state IN (0, 4, 5)) AND max(state IN (2, 3)) THEN 1
                   WHEN max(state IN (0, 4)) THEN 0 WHEN max(state = 5) THEN 5 WHEN max(state = 3) THEN 3 ELSE 2 END
               FROM {SECTIONS} WHERE file = d.number) END,
           CASE WHEN d.state = 6 THEN {RECORD} END
         FROM jobs j JOIN documents d ON d.number = j.document JOIN runs r ON r.number = d.run WHERE {condition}"
    )
}

/// The documents of a job `?1`: its own, or the sections of its file.
fn documents_of_job() -> String {
    format!(
        "SELECT document FROM jobs WHERE id = ?1
         UNION ALL SELECT number FROM {SECTIONS} WHERE file = (SELECT document FROM jobs WHERE id = ?1)"
    )
}

impl Journal {
    /// Puts a document into the queue of a run together with its job, unless `most_waiting` of the run wait already.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], [`StoreError::Time`], and any failure of the file.
    pub fn submit_job(
        &self,
        run: &RunId,
        document: &QueuedDocument,
        job: &NewJob,
        most_waiting: u64,
    ) -> Result<SubmitOutcome, StoreError> {
        timestamp(&job.submitted_at)?;
        let request = json(&job.request)?;
        let sqlite = |error: rusqlite::Error| self.sqlite(&error);
        self.transact(|connection| {
            let number = run_number(connection, run, sqlite)?;
            let known = known_job(connection, job).map_err(sqlite)?;
            if let Some(known) = known {
                let is_same = known.request_digest == job.request_digest;
                return Ok(if is_same { SubmitOutcome::Known(known) } else { SubmitOutcome::KeyTaken(known) });
            }
            let waiting = waiting_in(connection, number).map_err(sqlite)?;
            if waiting >= most_waiting {
                return Ok(SubmitOutcome::Full { waiting });
            }
            if enqueue_one(connection, number, None, document).map_err(sqlite)? != EnqueueOutcome::Added {
                // Its place is made of a fresh id.
                return Err(sqlite(rusqlite::Error::StatementChangedRows(0)));
            }
            let document = connection.last_insert_rowid();
            let query = "INSERT INTO jobs (document, id, submitter, idempotency_key, request_digest, submitted_at, request)
                         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
            let values = params![
                document,
                job.id,
                job.submitter,
                job.idempotency_key,
                job.request_digest,
                job.submitted_at,
                request
            ];
            connection.prepare_cached(query).and_then(|mut it| it.execute(values)).map_err(sqlite)?;
            let added = one_job(connection, "j.id = ?1", params![job.id]).map_err(sqlite)?;
            added.map(SubmitOutcome::Added).ok_or_else(|| sqlite(rusqlite::Error::StatementChangedRows(0)))
        })
    }

    /// The job that was submitted with this key before.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn job_of_key(&self, submitter: &str, key: &str) -> Result<Option<StoredJob>, StoreError> {
        let filter = "j.submitter = ?1 AND j.idempotency_key = ?2";
        one_job(&self.connection(), filter, params![submitter, key]).map_err(|error| self.sqlite(&error))
    }

    /// A job by its id.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn job(&self, id: &str) -> Result<Option<StoredJob>, StoreError> {
        one_job(&self.connection(), "j.id = ?1", params![id]).map_err(|error| self.sqlite(&error))
    }

    /// The latest jobs before a document (all, without one), the latest first; only those of one submitter, if one is named.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn jobs_before(
        &self,
        before: Option<DocumentKey>,
        submitter: Option<&str>,
        most: u32,
    ) -> Result<Vec<StoredJob>, StoreError> {
        let query = query_of(
            "j.document < ?1 AND (?2 IS NULL OR j.submitter = ?2) ORDER BY j.document DESC LIMIT ?3",
        );
        let before = before.map_or(i64::MAX, |before| before.0);
        self.select(&query, params![before, submitter, most], read_job)
    }

    /// Records that a person cancelled a job. One that waits ends at once; the worker of another must be notified.
    ///
    /// # Errors
    /// [`StoreError::Time`], and any failure of the file.
    pub fn cancel_job(&self, id: &str, at: &str, reason: &str) -> Result<Option<StoredJob>, StoreError> {
        timestamp(at)?;
        let sqlite = |error: rusqlite::Error| self.sqlite(&error);
        self.transact(|connection| {
            let Some(job) = one_job(connection, "j.id = ?1", params![id]).map_err(sqlite)? else {
                return Ok(None);
            };
            if matches!(job.stage, DocumentStage::Finished | DocumentStage::Failed) {
                return Ok(Some(job));
            }
            let cancel = |connection: &Connection| -> rusqlite::Result<()> {
                connection.execute("UPDATE jobs SET cancelled_at = ?2 WHERE id = ?1", params![id, at])?;
                let query = format!(
                    "UPDATE documents SET state = 3, worker = NULL, reason = ?2
                     WHERE number IN ({}) AND state IN (0, 4, 5)",
                    documents_of_job()
                );
                connection.execute(&query, params![id, reason]).map(drop)
            };
            cancel(connection).map_err(sqlite)?;
            one_job(connection, "j.id = ?1", params![id]).map_err(sqlite)
        })
    }

    /// Retries a job that ended without a result, or was cancelled, from where it was. Returns whether it waits then.
    ///
    /// # Errors
    /// Any failure of the file.
    pub fn retry_job(&self, id: &str) -> Result<bool, StoreError> {
        let sqlite = |error: rusqlite::Error| self.sqlite(&error);
        self.transact(|connection| {
            let retry = |connection: &Connection| -> rusqlite::Result<usize> {
                connection.execute("UPDATE jobs SET cancelled_at = NULL WHERE id = ?1", [id])?;
                let query = format!(
                    "UPDATE documents SET state = 0, worker = NULL, crashes = 0, reason = NULL
                     WHERE number IN ({}) AND state IN (3, 4)",
                    documents_of_job()
                );
                connection.execute(&query, [id])
            };
            retry(connection).map(|changed| changed > 0).map_err(sqlite)
        })
    }

    /// The documents of a job that work is done on: its own, or the sections of its file.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn documents_of_job(&self, id: &str) -> Result<Vec<DocumentKey>, StoreError> {
        self.select(&documents_of_job(), [id], |row| row.get(0).map(DocumentKey))
    }

    /// Moves the documents of a run that are not over to another, from their beginning. Returns their number. A file that was
    /// split moves with all its sections as long as one of them is not over.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], and any failure of the file.
    pub fn move_waiting(&self, from: &RunId, to: &RunId) -> Result<u64, StoreError> {
        let sqlite = |error: rusqlite::Error| self.sqlite(&error);
        self.transact(|connection| {
            let (from, to) = (run_number(connection, from, sqlite)?, run_number(connection, to, sqlite)?);
            let moved = || -> rusqlite::Result<u64> {
                let numbers = |query: &str| -> rusqlite::Result<Vec<i64>> {
                    connection.prepare_cached(query)?.query_map([from], |row| row.get(0))?.collect()
                };
                let left = "state IN (0, 1, 4, 5)";
                let files = format!("SELECT DISTINCT file FROM {SECTIONS} WHERE file_run = ?1 AND {left}");
                let documents = numbers(&format!(
                    "SELECT number FROM documents WHERE run = ?1 AND {left}
                     UNION SELECT number FROM {SECTIONS} WHERE file IN ({files})"
                ))?;
                for file in numbers(&files)? {
                    let values = params![file, to];
                    connection.execute("UPDATE documents SET run = ?2 WHERE number = ?1", values)?;
                }
                for document in &documents {
                    connection.execute(
                        "UPDATE documents SET run = ?2, state = 0, worker = NULL WHERE number = ?1",
                        params![document, to],
                    )?;
                    super::queue::requeue(connection, DocumentKey(*document), true)?;
                }
                Ok(documents.len() as u64)
            };
            moved().map_err(|error| if is_duplicate(&error) { StoreError::TakenOver } else { sqlite(error) })
        })
    }
}

fn known_job(connection: &Connection, job: &NewJob) -> rusqlite::Result<Option<StoredJob>> {
    match &job.idempotency_key {
        Some(key) => {
            one_job(connection, "j.submitter = ?1 AND j.idempotency_key = ?2", params![job.submitter, key])
        }
        None => Ok(None),
    }
}

fn waiting_in(connection: &Connection, run: i64) -> rusqlite::Result<u64> {
    connection
        .prepare_cached("SELECT count(*) FROM documents WHERE run = ?1 AND state = 0")?
        .query_one([run], |row| unsigned(row, 0))
}

fn one_job(
    connection: &Connection,
    filter: &str,
    values: impl rusqlite::Params,
) -> rusqlite::Result<Option<StoredJob>> {
    connection.prepare_cached(&query_of(filter))?.query_one(values, read_job).optional()
}

fn read_job(row: &Row<'_>) -> rusqlite::Result<StoredJob> {
    Ok(StoredJob {
        id: row.get(0)?,
        submitter: row.get(1)?,
        idempotency_key: row.get(2)?,
        request_digest: row.get(3)?,
        submitted_at: row.get(4)?,
        request: value(row, 5)?,
        cancelled_at: row.get(6)?,
        run: RunId::new(row.get::<_, String>(7)?),
        document: DocumentKey(row.get(8)?),
        document_id: DocumentId::new(row.get::<_, String>(9)?),
        reason: row.get(10)?,
        stage: DocumentStage::of(row.get(11)?).unwrap_or(DocumentStage::Failed),
        split: matches!(row.get_ref(12)?, ValueRef::Text(_)).then(|| record(row, 12)).transpose()?,
    })
}
