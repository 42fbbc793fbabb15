//! The journal: every event of every document, on the disk before the call returns.
//!
//! A killed run goes on from its events, and no finished provider call is paid for twice, only if an event that was
//! acted upon can't be lost. So each write is one transaction, and SQLite waits for the disk at its end
//! (`synchronous = FULL`; in WAL mode `NORMAL` would lose the last ones with the power).
//!
//! The journal stores what callers give it and reads no document: text of a document is in it only where a payload
//! holds some.

use super::history::unsigned;
use super::{DocumentRecord, RunId, RunRecord, StoreError, schema};
#[cfg(unix)]
use crate::disk::{self, Stranger};
use crate::value::{DocumentId, Millis};
use rusqlite::{Connection, OpenFlags, OptionalExtension, ffi, params};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a write waits for another process. Each of its transactions takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// Between attempts at opening a file that another process is just making.
const PAUSE: Duration = Duration::from_millis(20);

/// An open journal. Can be shared by threads; other processes may have it open too. Every call waits for the disk, so
/// async code calls it from a blocking thread.
#[derive(Debug)]
pub struct Journal {
    connection: Mutex<Connection>,
    path: PathBuf,
}

impl Journal {
    /// Opens a journal, making file and folder where there are none, and upgrading one of an older release.
    ///
    /// # Errors
    /// When it can't be opened for writing, is damaged, not a journal, or of a later release. Such a file is left
    /// as it is.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| StoreError::Open {
                path: path.to_path_buf(),
                reason: format!("can't make its folder: {error}"),
            })?;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let sqlite = |error: rusqlite::Error| StoreError::sqlite(path, &error);
        make_private(path).map_err(|reason| StoreError::Open { path: path.to_path_buf(), reason })?;
        let started = Instant::now();
        loop {
            match Self::with(Connection::open_with_flags(path, flags).map_err(sqlite)?, path) {
                // SQLite does not wait while another process turns a fresh file into a journal with WAL.
                Err(StoreError::Locked { .. }) if started.elapsed() < PATIENCE => std::thread::sleep(PAUSE),
                opened => return opened,
            }
        }
    }

    /// A journal that is gone when it is dropped.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn in_memory() -> Result<Self, StoreError> {
        let path = Path::new(":memory:");
        Self::with(Connection::open_in_memory().map_err(|error| StoreError::sqlite(path, &error))?, path)
    }

    fn with(mut connection: Connection, path: &Path) -> Result<Self, StoreError> {
        let sqlite = |error: rusqlite::Error| StoreError::sqlite(path, &error);
        connection.busy_timeout(PATIENCE).map_err(sqlite)?;
        // SQLite falls back to reading when a file can't be written.
        if connection.is_readonly(rusqlite::MAIN_DB).map_err(sqlite)? {
            return Err(StoreError::ReadOnly { path: path.to_path_buf() });
        }
        connection.pragma_update(None, "synchronous", "FULL").map_err(sqlite)?;
        connection.pragma_update(None, "foreign_keys", true).map_err(sqlite)?;
        schema::prepare(&mut connection, path)?;
        // Where there can be no WAL (some network file systems) the answer names another mode, which is as safe.
        connection
            .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0))
            .map_err(sqlite)?;
        Ok(Journal { connection: Mutex::new(connection), path: path.to_path_buf() })
    }

    /// The file, or `:memory:`.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Records that a run begins.
    ///
    /// # Errors
    /// [`StoreError::Time`] when `started_at` is not RFC 3339, else as [`Journal::append`].
    pub fn begin_run(&self, run: &RunRecord) -> Result<RunId, StoreError> {
        let started = timestamp(&run.started_at)?;
        let (plugins, settings) = (json(&run.plugins)?, json(&run.settings)?);
        let day = started.strftime("%Y%m%dT%H%M%SZ").to_string();
        // One statement, so that no other process can take the number in between.
        let id: String = self
            .connection()
            .query_one(
                "INSERT INTO runs (id, started_at, profile, profile_digest, loopctl_version, plugins, settings)
                 SELECT ?1 || '-' || printf('%04d', 1 + coalesce((SELECT max(number) FROM runs), 0)),
                        ?2, ?3, ?4, ?5, ?6, ?7
                 RETURNING id",
                params![
                    day,
                    run.started_at,
                    run.profile,
                    run.profile_digest,
                    run.loopctl_version,
                    plugins,
                    settings
                ],
                |row| row.get(0),
            )
            .map_err(|error| self.sqlite(&error))?;
        Ok(RunId::new(id))
    }

    /// Records that a document of a run begins.
    ///
    /// # Errors
    /// [`StoreError::DocumentExists`], [`StoreError::UnknownRun`], else as [`Journal::append`].
    pub fn begin_document(&self, run: &RunId, document: &DocumentRecord) -> Result<(), StoreError> {
        let path = document.path.as_ref().map(|path| path.to_string_lossy());
        let inserted = self.connection().execute(
            "INSERT INTO documents (run, id, document_type, source_digest, path)
             SELECT number, ?2, ?3, ?4, ?5 FROM runs WHERE id = ?1",
            params![run.as_str(), document.id.as_str(), document.document_type, document.source_digest, path],
        );
        match inserted {
            Ok(0) => Err(StoreError::UnknownRun { run: run.clone() }),
            Ok(_) => Ok(()),
            Err(error) if is_duplicate(&error) => {
                Err(StoreError::DocumentExists { run: run.clone(), document: document.id.clone() })
            }
            Err(error) => Err(self.sqlite(&error)),
        }
    }

    /// Adds an event to a document and returns its place: 0, 1, 2, … A writer that knows how many events there were
    /// can tell from it that nobody else writes to the same document. Times beyond 2⁶³ − 1 ms are cut to that.
    ///
    /// When this returns, the event survives a crash and a loss of power; when it fails, the journal is as before.
    ///
    /// # Errors
    /// [`StoreError::UnknownDocument`], and whatever befalls the file: locked for too long, full disk, damaged.
    pub fn append(
        &self,
        run: &RunId,
        document: &DocumentId,
        at: Millis,
        kind: &str,
        payload: &Value,
    ) -> Result<u64, StoreError> {
        let payload = json(payload)?;
        let at = i64::try_from(at.0).unwrap_or(i64::MAX);
        let seq = self
            .connection()
            .prepare_cached(
                "INSERT INTO events (document, seq, at_ms, kind, payload)
                 SELECT d.number, 1 + coalesce((SELECT max(seq) FROM events WHERE document = d.number), -1),
                        ?3, ?4, ?5
                 FROM documents d JOIN runs r ON r.number = d.run WHERE r.id = ?1 AND d.id = ?2
                 RETURNING seq",
            )
            .and_then(|mut statement| {
                let values = params![run.as_str(), document.as_str(), at, kind, payload];
                // To the last step, which is the commit: a row alone would not tell that it failed.
                statement.query_one(values, |row| unsigned(row, 0)).optional()
            })
            .map_err(|error| self.sqlite(&error))?;
        seq.ok_or_else(|| self.unknown_document(run, document))
    }

    /// Records how a document ended. There is one outcome for a document, for ever.
    ///
    /// # Errors
    /// [`StoreError::AlreadyFinished`], [`StoreError::UnknownDocument`], else as [`Journal::append`].
    pub(crate) fn finish_document(
        &self,
        run: &RunId,
        document: &DocumentId,
        outcome: &Value,
    ) -> Result<(), StoreError> {
        let outcome = json(outcome)?;
        let inserted = self.connection().execute(
            "INSERT INTO outcomes (document, outcome)
             SELECT d.number, ?3 FROM documents d JOIN runs r ON r.number = d.run WHERE r.id = ?1 AND d.id = ?2",
            params![run.as_str(), document.as_str(), outcome],
        );
        match inserted {
            Ok(0) => Err(self.unknown_document(run, document)),
            Ok(_) => Ok(()),
            Err(error) if is_duplicate(&error) => {
                Err(StoreError::AlreadyFinished { run: run.clone(), document: document.clone() })
            }
            Err(error) => Err(self.sqlite(&error)),
        }
    }

    /// Records that a run ended, at a time as RFC 3339. A run that was resumed ends anew.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], [`StoreError::Time`], else as [`Journal::append`].
    pub(crate) fn finish_run(&self, run: &RunId, finished_at: &str) -> Result<(), StoreError> {
        timestamp(finished_at)?;
        let changed = self
            .connection()
            .execute("UPDATE runs SET finished_at = ?2 WHERE id = ?1", params![run.as_str(), finished_at])
            .map_err(|error| self.sqlite(&error))?;
        if changed == 0 { Err(StoreError::UnknownRun { run: run.clone() }) } else { Ok(()) }
    }

    /// A panic in another thread can't have left the connection in the middle of anything: each statement is a
    /// transaction of its own.
    pub(super) fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn sqlite(&self, error: &rusqlite::Error) -> StoreError {
        StoreError::sqlite(&self.path, error)
    }

    fn unknown_document(&self, run: &RunId, document: &DocumentId) -> StoreError {
        match self.run(run) {
            Ok(Some(_)) => StoreError::UnknownDocument { run: run.clone(), document: document.clone() },
            Ok(None) => StoreError::UnknownRun { run: run.clone() },
            Err(error) => error,
        }
    }
}

fn timestamp(text: &str) -> Result<jiff::Timestamp, StoreError> {
    text.parse().map_err(|_| StoreError::Time { text: text.to_owned() })
}

fn json(value: &Value) -> Result<String, StoreError> {
    serde_json::to_string(value)
        .map_err(|source| StoreError::Json { what: "an entry of the journal".to_owned(), source })
}

fn is_duplicate(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error().map(|error| error.extended_code),
        Some(ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY)
    )
}

/// Makes a file that does not exist yet, or is still empty, so that only its owner can read it: candidates are a patient's
/// data. A journal that another user has put there would be that user's to read, and a pipe would be waited for.
/// Whatever else is wrong with the place is left for SQLite to say.
///
/// # Errors
/// In words, why nothing is written there.
#[cfg(unix)]
fn make_private(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    if std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).is_ok() {
        return Ok(());
    }
    // Asked by its name: to open and close it once more would end the locks that another journal of this process holds.
    let Ok(found) = std::fs::metadata(path) else { return Ok(()) };
    if !found.is_file() && !found.is_dir() {
        return Err("it is not a regular file".to_owned());
    }
    // Root reads whatever it likes, and works on what belongs to others.
    if let Some(stranger @ Stranger::Owner(_)) = disk::stranger(&found)
        && !(rustix::process::geteuid().is_root() && found.len() > 0)
    {
        return Err(stranger.to_string());
    }
    if found.len() == 0 {
        let private = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(path, private).map_err(|error| format!("can't make it private: {error}"))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn make_private(_: &Path) -> Result<(), String> {
    Ok(())
}

#[cfg(test)]
mod tests;
