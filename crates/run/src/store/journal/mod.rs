//! The journal: every event of every document, on the disk before it is acted upon.
//!
//! A killed run resumes from its events, and no finished provider call is paid for twice, only if an answer that was
//! acted upon can't be lost. So SQLite waits for the disk at the end of each transaction (`synchronous = FULL`; in WAL
//! mode `NORMAL` would lose the last ones with the power), and what many documents write at once is one transaction.
//!
//! The journal stores what callers give it and reads no document: text of a document is in it only where a payload
//! holds some, and of those that came from standard input.

mod commit;

use self::commit::Committer;
pub(super) use self::commit::Urgency;
use super::{Receipt, StoreError, schema};
#[cfg(unix)]
use crate::disk::{self, Stranger};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time that SQLite waits for another process before this is reported. Each transaction takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// Between attempts at opening a file that another process is just making.
const PAUSE: Duration = Duration::from_millis(20);

/// Pages in the write-ahead log before they are copied into the file: a page that many transactions change is then copied
/// once.
const CHECKPOINT: i64 = 4_000;

/// Statements that are kept compiled.
const STATEMENTS: usize = 64;

/// Called when the journal is locked by another process, with the time that it has been waited for.
pub(super) type OnWait = dyn Fn(&Path, Duration) + Send + Sync;

/// An open journal. Can be shared by threads; other processes may have it open too. Every call but those that return a
/// [`Receipt`] waits for the disk, so async code calls them from a thread that may.
#[derive(Debug)]
pub struct Journal {
    // Dropped first: it writes what was requested.
    committer: Committer,
    connected: Arc<SharedConnection>,
}

pub(super) struct SharedConnection {
    connection: Mutex<Connection>,
    path: PathBuf,
    on_wait: Option<Box<OnWait>>,
}

impl std::fmt::Debug for SharedConnection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connected").field("path", &self.path).finish_non_exhaustive()
    }
}

impl SharedConnection {
    /// A panic in another thread can't have left the connection in the middle of anything: what was not committed is
    /// rolled back when its transaction is dropped.
    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn waiting(&self, waited: Duration) {
        tracing::warn!(target: "loopctl", event = "journal_locked", waited_s = waited.as_secs());
        if let Some(told) = &self.on_wait {
            told(&self.path, waited);
        }
    }
}

impl Journal {
    /// Opens a journal, making file and folder where there are none, and upgrading one of an older release.
    ///
    /// # Errors
    /// When it can't be opened for writing, is damaged, not a journal, or of a later release. Such a file is left
    /// as it is. [`StoreError::Locked`] when another process keeps it for longer than some seconds.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_file(path.as_ref(), None)
    }

    /// Like [`Journal::open`], for work that lasts long: another process that has it locked is waited for without
    /// limit, and `told` is called every few seconds meanwhile.
    ///
    /// # Errors
    /// Those of [`Journal::open`], without [`StoreError::Locked`].
    pub fn open_waiting(
        path: impl AsRef<Path>,
        told: impl Fn(&Path, Duration) + Send + Sync + 'static,
    ) -> Result<Self, StoreError> {
        Self::open_file(path.as_ref(), Some(Box::new(told)))
    }

    fn open_file(path: &Path, mut on_wait: Option<Box<OnWait>>) -> Result<Self, StoreError> {
        if let Some(folder) = path.parent() {
            disk::make_private_folder(folder).map_err(|error| StoreError::Open {
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
            match Self::with(Connection::open_with_flags(path, flags).map_err(sqlite)?, path, &mut on_wait) {
                // SQLite does not wait while another process turns a fresh file into a journal with WAL.
                Err(StoreError::Locked { .. }) if started.elapsed() < PATIENCE => std::thread::sleep(PAUSE),
                Err(error @ StoreError::Locked { .. }) => match &on_wait {
                    Some(told) => told(path, started.elapsed()),
                    None => return Err(error),
                },
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
        let connection = Connection::open_in_memory().map_err(|error| StoreError::sqlite(path, &error))?;
        Self::with(connection, path, &mut None)
    }

    fn with(
        mut connection: Connection,
        path: &Path,
        on_wait: &mut Option<Box<OnWait>>,
    ) -> Result<Self, StoreError> {
        let sqlite = |error: rusqlite::Error| StoreError::sqlite(path, &error);
        connection.busy_timeout(PATIENCE).map_err(sqlite)?;
        // SQLite falls back to reading when a file can't be written.
        if connection.is_readonly(rusqlite::MAIN_DB).map_err(sqlite)? {
            return Err(StoreError::ReadOnly { path: path.to_path_buf() });
        }
        connection.pragma_update(None, "synchronous", "FULL").map_err(sqlite)?;
        connection.pragma_update(None, "foreign_keys", true).map_err(sqlite)?;
        // Answers are removed when they have been processed, and a judge's may say what no one else is to see.
        connection.pragma_update(None, "secure_delete", true).map_err(sqlite)?;
        schema::prepare(&mut connection, path)?;
        // Where there can be no WAL (some network file systems) the answer names another mode, which is as safe.
        connection
            .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0))
            .map_err(sqlite)?;
        connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT).map_err(sqlite)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        // Otherwise statements are compiled again for each value that they are given.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(sqlite)?;
        let connected = SharedConnection {
            connection: Mutex::new(connection),
            path: path.to_path_buf(),
            on_wait: on_wait.take(),
        };
        Ok(Journal { committer: Committer::default(), connected: Arc::new(connected) })
    }

    /// The file, or `:memory:`.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.connected.path
    }

    /// Does `work` together with what others write at the same time.
    pub(super) fn submit<T: Send + 'static>(
        &self,
        work: impl FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Receipt<T> {
        self.submit_as(Urgency::AwaitedNow, work)
    }

    /// Like [`Self::submit`], with this urgency.
    pub(super) fn submit_as<T: Send + 'static>(
        &self,
        urgency: Urgency,
        work: impl FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Receipt<T> {
        self.committer.submit(&self.connected, urgency, work)
    }

    /// Does `work` in a transaction of its own.
    pub(super) fn transact<T>(
        &self,
        work: impl FnMut(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.connected.transact(work)
    }

    pub(super) fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connected.lock()
    }

    pub(super) fn sqlite(&self, error: &rusqlite::Error) -> StoreError {
        StoreError::sqlite(self.path(), error)
    }
}

/// Makes a file that does not exist yet, or is still empty, so that only its owner can read it: candidates are a
/// patient's data. A journal that another user has put there would be that user's to read, and a pipe would be waited
/// for. Other errors are left for SQLite to report.
///
/// # Errors
/// In words, the reason why nothing is written there.
#[cfg(unix)]
fn make_private(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    if std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).is_ok() {
        return Ok(());
    }
    // Inspected by its name: to open and close it would end the locks that another journal of this process holds.
    let Ok(found) = std::fs::metadata(path) else { return Ok(()) };
    if !found.is_file() && !found.is_dir() {
        return Err("it is not a regular file".to_owned());
    }
    // Root may read everything, and works on what belongs to others.
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
