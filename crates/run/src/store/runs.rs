//! The runs of a journal: begun, resumed, ended, removed.

use super::entries::json;
use super::{Journal, RunId, RunRecord, StoreError, review_shares};
use rusqlite::{Connection, OptionalExtension, params};

/// The triggers that keep rows from being removed.
const GUARDS: [&str; 2] = ["events_are_never_removed", "reviews_are_never_removed"];

/// The progress of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunStage {
    /// It has documents that wait, or had when its process died.
    Open,
    /// Its process ended it.
    Finished,
    /// A person cancelled it: no other of its documents is begun.
    Cancelled,
}

impl RunStage {
    /// Its name, for people and programs: `open`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            RunStage::Open => "open",
            RunStage::Finished => "finished",
            RunStage::Cancelled => "cancelled",
        }
    }

    pub(super) fn of(number: i64) -> Self {
        match number {
            1 => RunStage::Finished,
            2 => RunStage::Cancelled,
            _ => RunStage::Open,
        }
    }
}

impl Journal {
    /// Records that a run begins.
    ///
    /// # Errors
    /// [`StoreError::Time`] when `started_at` is not RFC 3339, and any failure of the file: full disk, damaged.
    pub fn begin_run(&self, run: &RunRecord) -> Result<RunId, StoreError> {
        let started = timestamp(&run.started_at)?;
        let (plugins, settings) = (json(&run.plugins)?, json(&run.settings)?);
        let day = started.strftime("%Y%m%dT%H%M%SZ").to_string();
        let id: String = self.transact(|connection| {
            // One statement, so that no other process can take the number in between.
            let query = "INSERT INTO runs (id, started_at, profile, profile_digest, loopctl_version, plugins, settings, request)
                 SELECT ?1 || '-' || printf('%04d', 1 + coalesce((SELECT max(number) FROM runs), 0)),
                        ?2, ?3, ?4, ?5, ?6, ?7, json_extract(?7, '$.service')
                 RETURNING id";
            let values = params![
                day,
                run.started_at,
                run.profile,
                run.profile_digest,
                run.loopctl_version,
                plugins,
                settings
            ];
            let begun = connection.query_one(query, values, |row| row.get::<_, String>(0));
            begun
                .and_then(|id| review_shares::settle(connection, &id).map(|()| id))
                .map_err(|error| self.sqlite(&error))
        })?;
        Ok(RunId::new(id))
    }

    /// Records that a run ended, at a time as RFC 3339. A run that was resumed ends anew. One that was cancelled stays so.
    pub(super) fn end_run(&self, run: &RunId, finished_at: &str) -> Result<(), StoreError> {
        timestamp(finished_at)?;
        self.change_run(
            run,
            "UPDATE runs SET finished_at = ?2, state = CASE state WHEN 0 THEN 1 ELSE state END WHERE id = ?1",
            finished_at,
        )
    }

    /// Records that a run is resumed.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], and any failure of the file.
    pub fn reopen_run(&self, run: &RunId) -> Result<(), StoreError> {
        self.change_run(run, "UPDATE runs SET finished_at = NULL, state = 0 WHERE id = ?1 AND ?2 = ''", "")
    }

    /// Stops workers of a run from beginning another document of it.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], and any failure of the file.
    pub fn cancel_run(&self, run: &RunId) -> Result<(), StoreError> {
        self.change_run(run, "UPDATE runs SET state = 2 WHERE id = ?1 AND ?2 = ''", "")
    }

    /// Records that every input of a run is among its documents.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], and any failure of the file.
    pub fn set_listed(&self, run: &RunId) -> Result<(), StoreError> {
        self.change_run(run, "UPDATE runs SET listed = 1 WHERE id = ?1 AND ?2 = ''", "")
    }

    fn change_run(&self, run: &RunId, change: &str, value: &str) -> Result<(), StoreError> {
        let changed = self.transact(|connection| {
            connection.execute(change, params![run.as_str(), value]).map_err(|error| self.sqlite(&error))
        })?;
        if changed == 0 { Err(StoreError::UnknownRun { run: run.clone() }) } else { Ok(()) }
    }

    /// Removes a run with its documents, events and reviews. Artifacts stay. The file gets no smaller before [`Journal::compact`].
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], and any failure of the file.
    pub fn remove_run(&self, run: &RunId) -> Result<(), StoreError> {
        self.transact(|connection| {
            let number = run_number(connection, run, |error| self.sqlite(&error))?;
            // Events and reviews are removed only with their run.
            let guards = GUARDS.map(|guard| {
                connection.query_one("SELECT sql FROM sqlite_schema WHERE name = ?1", [guard], |row| {
                    row.get::<_, String>(0)
                })
            });
            let remove = |connection: &Connection| -> rusqlite::Result<()> {
                for guard in GUARDS {
                    connection.execute_batch(&format!("DROP TRIGGER {guard}"))?;
                }
                for statement in [
                    "DELETE FROM events WHERE document IN (SELECT number FROM documents WHERE run = ?1)",
                    "DELETE FROM jobs WHERE document IN (SELECT number FROM documents WHERE run = ?1)",
                    "DELETE FROM leases WHERE document IN (SELECT number FROM documents WHERE run = ?1)",
                    "DELETE FROM reviews WHERE document IN (SELECT number FROM documents WHERE run = ?1)",
                    "DELETE FROM answers WHERE document IN (SELECT number FROM documents WHERE run = ?1)",
                    "DELETE FROM batch_lines WHERE document IN (SELECT number FROM documents WHERE run = ?1)",
                    "DELETE FROM batches WHERE run = ?1",
                    "DELETE FROM figures WHERE document IN (SELECT number FROM documents WHERE run = ?1)",
                    "DELETE FROM outcomes WHERE document IN (SELECT number FROM documents WHERE run = ?1)",
                    "DELETE FROM review_shares WHERE run = ?1",
                    "DELETE FROM documents WHERE run = ?1",
                    "DELETE FROM workers WHERE run = ?1",
                    "DELETE FROM runs WHERE number = ?1",
                ] {
                    connection.execute(statement, [number])?;
                }
                guards.into_iter().try_for_each(|guard| connection.execute_batch(&guard?))
            };
            remove(connection).map_err(|error| self.sqlite(&error))
        })
    }

    /// Checks the whole file.
    ///
    /// # Errors
    /// [`StoreError::Damaged`], and any failure of the file.
    pub fn check(&self) -> Result<(), StoreError> {
        let said: String = self
            .connection()
            .query_one("PRAGMA integrity_check(1)", [], |row| row.get(0))
            .map_err(|error| self.sqlite(&error))?;
        if said == "ok" {
            Ok(())
        } else {
            Err(StoreError::Damaged { path: self.path().to_path_buf(), reason: said })
        }
    }

    /// Returns the space of what was removed to the disk. Needs as much space again while it works.
    ///
    /// # Errors
    /// Any failure of the file, [`StoreError::Locked`] while another process works with it.
    pub fn compact(&self) -> Result<(), StoreError> {
        let connection = self.connection();
        connection
            .execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")
            .map_err(|error| self.sqlite(&error))
    }
}

/// The number of a run in the tables.
pub(super) fn run_number(
    connection: &Connection,
    run: &RunId,
    sqlite: impl Fn(rusqlite::Error) -> StoreError,
) -> Result<i64, StoreError> {
    connection
        .prepare_cached("SELECT number FROM runs WHERE id = ?1")
        .and_then(|mut statement| statement.query_one([run.as_str()], |row| row.get(0)).optional())
        .map_err(sqlite)?
        .ok_or_else(|| StoreError::UnknownRun { run: run.clone() })
}

pub(super) fn timestamp(text: &str) -> Result<jiff::Timestamp, StoreError> {
    text.parse().map_err(|_| StoreError::Time { text: text.to_owned() })
}
