//! The documents of a run as a queue, on which several processes may work at once.
//!
//! A document is claimed by a worker, which is one process at work on one run. A worker whose process has died gives
//! back its documents: at once where this machine can tell, else after its heartbeat has been still for [`SILENCE`] by
//! the clock of the process that waits. No two machines' clocks are compared, so a clock that jumps takes nothing away.

use super::entries::is_duplicate;
use super::names::{self, ArtifactName};
use super::runs::run_number;
use super::splits::{SPLIT, carry_over_files};
use super::worker::ProcessId;
use super::{DocumentKey, DocumentStage, Journal, Receipt, RunId, StoreError};
use crate::value::{DocumentId, Usage, path_of, path_text};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The interval at which a worker reports that it is alive.
pub const HEARTBEAT: Duration = Duration::from_secs(5);

/// The time that a worker on another machine may be silent before its documents are taken over.
pub const SILENCE: Duration = Duration::from_secs(30);

/// The number of times that a process may die over a document before it is quarantined.
pub const MOST_CRASHES: u32 = 4;

/// A process at work on a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkerId(pub(super) i64);

/// A document that is put into the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedDocument {
    /// Its location: no two documents of a run have the same.
    pub place: String,
    /// The names that it may have, the best first. The last is unique.
    pub names: Vec<String>,
    /// Its file, if it has one.
    pub path: Option<PathBuf>,
    /// Its origin, where that is more than a file.
    pub source: Option<String>,
}

/// The outcome of putting a document into the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EnqueueOutcome {
    /// It waits.
    Added,
    /// It is among the run's documents already, in this stage, and was then read with these bytes.
    Known {
        /// The document.
        document: DocumentKey,
        /// Its id.
        id: DocumentId,
        /// Its stage.
        stage: DocumentStage,
        /// SHA-256 of its bytes, in hexadecimal; empty before it was read.
        source_digest: String,
    },
    /// It is a file that was split, when it had these bytes: its sections are documents of the run.
    Split {
        /// The file.
        document: DocumentKey,
        /// SHA-256 of its bytes, in hexadecimal.
        source_digest: String,
    },
    /// Another run, which a process is working on, has it and writes to the same folder.
    Elsewhere {
        /// That run.
        run: RunId,
    },
}

/// A document that a worker has claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClaimedDocument {
    /// The document.
    pub document: DocumentKey,
    /// Its id, unique in the run.
    pub id: DocumentId,
    /// Its file, if it has one.
    pub path: Option<PathBuf>,
    /// Its origin, where that is more than a file.
    pub source: Option<String>,
    /// SHA-256 of its bytes when it was read first, in hexadecimal; empty if it has not been read.
    pub source_digest: String,
    /// Its files in the artifacts' folder.
    pub artifact: Option<ArtifactName>,
    /// The number of times that it was claimed before.
    pub attempts: u32,
}

/// The state of its run that a worker receives whenever it reports that it is alive.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RunPulse {
    /// `true` if a person cancelled it.
    pub cancelled: bool,
    /// Calls that other workers have made for it.
    pub calls_of_others: u64,
    /// Tokens of these.
    pub tokens_of_others: u64,
    /// The known part of their cost, in US dollars.
    pub cost_of_others: f64,
}

impl Journal {
    /// Puts documents into the queue of a run. `folder` is that of its artifacts: in one folder a location keeps its
    /// name for ever, regardless of what else joins it.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], and any failure of the file.
    pub fn enqueue(
        &self,
        run: &RunId,
        folder: Option<&str>,
        documents: &[QueuedDocument],
    ) -> Result<Vec<EnqueueOutcome>, StoreError> {
        let sqlite = |error: rusqlite::Error| self.sqlite(&error);
        self.transact(|connection| {
            let number = run_number(connection, run, sqlite)?;
            let mut queued = Vec::with_capacity(documents.len());
            for document in documents {
                queued.push(enqueue_one(connection, number, folder, document).map_err(sqlite)?);
            }
            Ok(queued)
        })
    }

    /// Claims the next waiting documents, at most `most`, for this worker. None of a run that was cancelled.
    pub fn claim(&self, run: &RunId, worker: WorkerId, most: usize) -> Receipt<Vec<ClaimedDocument>> {
        let (run, path) = (run.clone(), self.path().to_path_buf());
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.submit(move |connection| {
            claim(connection, &run, worker, most).map_err(|error| StoreError::sqlite(&path, &error))
        })
    }

    /// Begins work on a run.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], and any failure of the file.
    pub fn begin_work(&self, run: &RunId, process: &ProcessId) -> Result<WorkerId, StoreError> {
        let sqlite = |error: rusqlite::Error| self.sqlite(&error);
        self.transact(|connection| {
            let run = run_number(connection, run, sqlite)?;
            let query = "INSERT INTO workers (run, machine, process) VALUES (?1, ?2, ?3) RETURNING number";
            let values = params![run, process.machine, process.process];
            connection.query_one(query, values, |row| row.get(0)).map(WorkerId).map_err(sqlite)
        })
    }

    /// Reports that a worker is alive, and what its calls have used up so far.
    ///
    /// The receipt fails with [`StoreError::TakenOver`] when another process took its lease over.
    pub fn beat(&self, worker: WorkerId, used: Usage) -> Receipt<RunPulse> {
        let path = self.path().to_path_buf();
        self.submit(move |connection| {
            beat(connection, worker, used)
                .map_err(|error| StoreError::sqlite(&path, &error))?
                .ok_or(StoreError::TakenOver)
        })
    }

    /// Ends the work of a worker. Documents that it has not ended wait again.
    ///
    /// # Errors
    /// Any failure of the file.
    pub fn end_work(&self, worker: WorkerId) -> Result<(), StoreError> {
        self.transact(|connection| {
            release(connection, worker, 1).map(drop).map_err(|error| self.sqlite(&error))
        })
    }

    /// The workers of a run that are at work as far as the journal knows, except `but`: each with its process and its
    /// heartbeat.
    ///
    /// # Errors
    /// Any failure of the file.
    pub fn workers(
        &self,
        run: &RunId,
        but: Option<WorkerId>,
    ) -> Result<Vec<(WorkerId, ProcessId, u64)>, StoreError> {
        let query =
            "SELECT w.number, w.machine, w.process, w.beats FROM workers w JOIN runs r ON r.number = w.run
                     WHERE r.id = ?1 AND w.state = 0 AND w.number IS NOT ?2 ORDER BY w.number";
        self.select(query, params![run.as_str(), but.map(|but| but.0)], |row| {
            let process = ProcessId { machine: row.get(1)?, process: row.get(2)? };
            Ok((WorkerId(row.get(0)?), process, super::history::unsigned(row, 3)?))
        })
    }

    /// Gives back the documents of a worker whose process has died: they wait again, except those that several
    /// processes died over, which are quarantined. Returns their number.
    ///
    /// # Errors
    /// Any failure of the file.
    pub fn take_over(&self, worker: WorkerId) -> Result<u64, StoreError> {
        self.transact(|connection| {
            let take = || -> rusqlite::Result<u64> {
                // Only what is done here, and not the waiting for an answer, can have been the end of a process: a
                // document that was being read, and one whose answer was being processed.
                connection.execute(
                    "UPDATE documents SET crashes = crashes + 1 WHERE worker = ?1 AND state = 1
                     AND (source_digest = '' OR EXISTS (SELECT 1 FROM answers a WHERE a.document = documents.number))",
                    [worker.0],
                )?;
                connection.execute(
                    "UPDATE documents SET state = 3, worker = NULL, reason = ?3
                     WHERE worker = ?1 AND state = 1 AND crashes >= ?2",
                    params![worker.0, MOST_CRASHES, poison_reason()],
                )?;
                release(connection, worker, 2)
            };
            take().map_err(|error| self.sqlite(&error))
        })
    }

    /// Copies the documents that one run finished to another, with their results and reviews and without their events.
    /// Returns their number.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], and any failure of the file.
    pub fn carry_over(&self, from: &RunId, to: &RunId) -> Result<u64, StoreError> {
        let sqlite = |error: rusqlite::Error| self.sqlite(&error);
        self.transact(|connection| {
            let (from, to) = (run_number(connection, from, sqlite)?, run_number(connection, to, sqlite)?);
            let count = connection
                .execute(
                    "INSERT INTO documents (run, id, document_type, source_digest, path, place, source, artifact, state,
                                            attempts)
                     SELECT ?2, id, document_type, source_digest, path, place, source, artifact, state, attempts
                     FROM documents WHERE run = ?1 AND state = 2 ORDER BY number",
                    [from, to],
                )
                .map_err(sqlite)?;
            connection
                .execute(
                    "INSERT INTO outcomes (document, outcome)
                     SELECT new.number, o.outcome FROM documents old
                     JOIN documents new ON new.run = ?2 AND new.id = old.id JOIN outcomes o ON o.document = old.number
                     WHERE old.run = ?1 AND old.state = 2",
                    [from, to],
                )
                .map_err(sqlite)?;
            connection
                .execute(
                    "UPDATE figures SET ended_ms = (SELECT f.ended_ms FROM documents new
                         JOIN documents old ON old.run = ?1 AND old.id = new.id JOIN figures f ON f.document = old.number
                         WHERE new.number = figures.document)
                     WHERE document IN (SELECT number FROM documents WHERE run = ?2)",
                    [from, to],
                )
                .map_err(sqlite)?;
            connection
                .execute(
                    "INSERT INTO reviews (document, at, reviewer, decision)
                     SELECT new.number, r.at, r.reviewer, r.decision FROM documents old
                     JOIN documents new ON new.run = ?2 AND new.id = old.id JOIN reviews r ON r.document = old.number
                     WHERE old.run = ?1 AND old.state = 2 ORDER BY r.number",
                    [from, to],
                )
                .map_err(sqlite)?;
            carry_over_files(connection, from, to).map_err(sqlite)?;
            Ok(u64::try_from(count).unwrap_or(u64::MAX))
        })
    }

    /// Puts a document back into the queue, to resume where it was, or from the start: then nothing that is recorded of
    /// it counts any more.
    ///
    /// # Errors
    /// Any failure of the file.
    pub fn requeue(&self, document: DocumentKey, anew: bool) -> Result<(), StoreError> {
        self.transact(|connection| requeue(connection, document, anew).map_err(|error| self.sqlite(&error)))
    }

    /// Puts back every document of a run that is in one of these stages, to resume where it was. Returns their number.
    ///
    /// # Errors
    /// Any failure of the file.
    pub fn requeue_all(&self, run: &RunId, stages: &[DocumentStage]) -> Result<u64, StoreError> {
        let sqlite = |error: rusqlite::Error| self.sqlite(&error);
        self.transact(|connection| {
            let run = run_number(connection, run, sqlite)?;
            let mut count = 0;
            for stage in stages.iter().filter(|stage| **stage != DocumentStage::Running) {
                let query = "UPDATE documents SET state = 0, worker = NULL, crashes = 0 WHERE run = ?1 AND state = ?2";
                count += connection.execute(query, params![run, stage.number()]).map_err(sqlite)?;
            }
            Ok(u64::try_from(count).unwrap_or(u64::MAX))
        })
    }
}

fn beat(connection: &Connection, worker: WorkerId, used: Usage) -> rusqlite::Result<Option<RunPulse>> {
    let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let run: Option<i64> = connection
        .prepare_cached(
            "UPDATE workers SET beats = beats + 1, calls = ?2, tokens = ?3, cost = ?4
             WHERE number = ?1 AND state = 0 RETURNING run",
        )?
        .query_one(
            params![worker.0, number(used.calls), number(used.tokens), used.known_cost_usd.get()],
            |row| row.get(0),
        )
        .optional()?;
    let Some(run) = run else { return Ok(None) };
    connection
        .prepare_cached(
            "SELECT (SELECT state = 2 FROM runs WHERE number = ?1), coalesce(sum(calls), 0),
                    coalesce(sum(tokens), 0), coalesce(sum(cost), 0.0)
             FROM workers WHERE run = ?1 AND number <> ?2",
        )?
        .query_one([run, worker.0], |row| {
            Ok(RunPulse {
                cancelled: row.get(0)?,
                calls_of_others: super::history::unsigned(row, 1)?,
                tokens_of_others: super::history::unsigned(row, 2)?,
                cost_of_others: row.get(3)?,
            })
        })
        .map(Some)
}

fn poison_reason() -> String {
    format!("{MOST_CRASHES} processes ended while they read it or looked at an answer to it")
}

fn release(connection: &Connection, worker: WorkerId, ended: i64) -> rusqlite::Result<u64> {
    connection
        .execute("UPDATE workers SET state = ?2 WHERE number = ?1 AND state = 0", params![worker.0, ended])?;
    let released = connection.execute(
        "UPDATE documents SET state = 0, worker = NULL WHERE worker = ?1 AND state = 1",
        [worker.0],
    )?;
    Ok(u64::try_from(released).unwrap_or(u64::MAX))
}

pub(super) fn enqueue_one(
    connection: &Connection,
    run: i64,
    folder: Option<&str>,
    document: &QueuedDocument,
) -> rusqlite::Result<EnqueueOutcome> {
    let place = names::digest_of(&document.place);
    let known = connection
        .prepare_cached(
            "SELECT number, id, state, source_digest FROM documents WHERE run = ?1 AND place = ?2",
        )?
        .query_one(params![run, place], |row| {
            let (document, state, source_digest) = (DocumentKey(row.get(0)?), row.get(2)?, row.get(3)?);
            if state == SPLIT {
                return Ok(EnqueueOutcome::Split { document, source_digest });
            }
            let id = DocumentId::new(row.get::<_, String>(1)?);
            let stage = DocumentStage::of(state).unwrap_or(DocumentStage::Failed);
            Ok(EnqueueOutcome::Known { document, id, stage, source_digest })
        })
        .optional()?;
    if let Some(known) = known {
        return Ok(known);
    }
    let artifact =
        folder.map(|folder| names::reserve(connection, folder, &place, &document.names)).transpose()?;
    if let Some(artifact) = &artifact
        && let Some(run) = at_work_elsewhere(connection, run, artifact.number)?
    {
        return Ok(EnqueueOutcome::Elsewhere { run });
    }
    let path = document.path.as_deref().map(path_text);
    let wanted = artifact.iter().map(|artifact| &artifact.name).chain(&document.names);
    for name in wanted {
        let inserted = connection
            .prepare_cached(
                "INSERT INTO documents (run, id, document_type, source_digest, path, place, source, artifact)
                 VALUES (?1, ?2, '', '', ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                run,
                name,
                path,
                place,
                document.source,
                artifact.as_ref().map(|one| one.number)
            ]);
        match inserted {
            Err(error) if is_duplicate(&error) => {}
            inserted => return inserted.map(|_| EnqueueOutcome::Added),
        }
    }
    Err(rusqlite::Error::StatementChangedRows(0))
}

/// Another run that has a document of the same files, while a process works on that run.
fn at_work_elsewhere(connection: &Connection, run: i64, artifact: i64) -> rusqlite::Result<Option<RunId>> {
    let mut statement = connection.prepare_cached(
        "SELECT r.id, w.machine, w.process FROM documents d
         JOIN runs r ON r.number = d.run JOIN workers w ON w.run = d.run
         WHERE d.artifact = ?2 AND d.run <> ?1 AND r.state = 0 AND w.state = 0",
    )?;
    let workers = statement.query_map([run, artifact], |row| {
        Ok((row.get::<_, String>(0)?, ProcessId { machine: row.get(1)?, process: row.get(2)? }))
    })?;
    for worker in workers {
        let (run, process) = worker?;
        if !process.is_gone() {
            return Ok(Some(RunId::new(run)));
        }
    }
    Ok(None)
}

fn claim(
    connection: &Connection,
    run: &RunId,
    worker: WorkerId,
    most: i64,
) -> rusqlite::Result<Vec<ClaimedDocument>> {
    let mut claimed = connection
        .prepare_cached(
            "UPDATE documents SET state = 1, worker = ?2, attempts = attempts + 1
             WHERE number IN (SELECT d.number FROM runs r JOIN documents d ON d.run = r.number AND d.state = 0
                              WHERE r.id = ?1 AND r.state = 0 ORDER BY d.number LIMIT ?3)
               AND EXISTS (SELECT 1 FROM workers WHERE number = ?2 AND state = 0)
             RETURNING number, id, path, source, source_digest, attempts, artifact",
        )?
        .query_map(params![run.as_str(), worker.0, most], |row| read_claimed(connection, row))?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    claimed.sort_by_key(|one| one.document);
    Ok(claimed)
}

pub(super) fn read_claimed(connection: &Connection, row: &Row<'_>) -> rusqlite::Result<ClaimedDocument> {
    let artifact: Option<i64> = row.get(6)?;
    Ok(ClaimedDocument {
        document: DocumentKey(row.get(0)?),
        id: DocumentId::new(row.get::<_, String>(1)?),
        path: row.get::<_, Option<String>>(2)?.map(|path| path_of(&path)),
        source: row.get(3)?,
        source_digest: row.get(4)?,
        attempts: row.get::<_, u32>(5)?.saturating_sub(1),
        artifact: artifact.map(|number| names::of(connection, number)).transpose()?,
    })
}

pub(super) fn requeue(connection: &Connection, document: DocumentKey, anew: bool) -> rusqlite::Result<()> {
    if anew {
        connection.execute(
            "INSERT INTO events (document, seq, at_ms, kind, payload)
             SELECT document, 1 + max(seq), 0, ?2, '{\"keeps\":0}' FROM events WHERE document = ?1 GROUP BY document",
            params![document.0, super::RESUMED],
        )?;
        connection.execute("DELETE FROM answers WHERE document = ?1", [document.0])?;
        connection.execute("DELETE FROM batch_lines WHERE document = ?1", [document.0])?;
        connection.execute(
            "UPDATE documents SET document_type = '', source_digest = '' WHERE number = ?1",
            [document.0],
        )?;
    }
    connection
        .execute(
            "UPDATE documents SET state = 0, worker = NULL, crashes = 0, reason = NULL WHERE number = ?1 AND state <> 1",
            [document.0],
        )
        .map(drop)
}

/// The key of an artifacts folder: `.` if the journal is in it, as both may be moved together, else the folder's path.
#[must_use]
pub fn folder_key(journal: &Path, artifacts: &Path) -> String {
    let absolute = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let folder = absolute(artifacts);
    if journal.parent().is_some_and(|parent| absolute(parent) == folder) {
        return ".".to_owned();
    }
    path_text(&folder).into_owned()
}
