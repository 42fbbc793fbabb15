//! Errors of storing something or reading it back.

use super::RunId;
use crate::value::{DocumentId, ShownPath};
#[cfg(feature = "journal")]
use rusqlite::ErrorCode;
use std::io;
#[cfg(feature = "journal")]
use std::path::Path;
use std::path::PathBuf;

/// An error of the journal or the artifacts. No message ever holds the data that was to be stored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The folder for artifacts can't be made, or not be written to.
    #[error("can't write to the folder `{}`: {source}", path.shown())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// An artifact could not be written. Nothing of it is left, and the earlier file is unchanged.
    #[error("can't write `{}`: {source}", path.shown())]
    Artifact {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The program ends, and nothing more is kept.
    #[error("the program is shutting down")]
    ShuttingDown,
    /// The value has no form in JSON.
    #[error("can't write {what} as JSON: {source}")]
    Json {
        /// The data that was to be written.
        what: String,
        /// The cause.
        source: serde_json::Error,
    },
    /// The journal's file can't be made or opened.
    #[error("can't open the journal `{}`: {reason}", path.shown())]
    Open {
        /// The journal.
        path: PathBuf,
        /// The cause.
        reason: String,
    },
    /// The file can be read and not be written.
    #[error("the journal `{}` can't be written to", path.shown())]
    ReadOnly {
        /// The journal.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("`{}` is not a journal of loopctl", path.shown())]
    NotAJournal {
        /// The file.
        path: PathBuf,
    },
    /// A later release wrote the journal.
    #[error("the journal `{}` has format {found}; this release reads formats up to {supported}", path.shown())]
    NewerFormat {
        /// The journal.
        path: PathBuf,
        /// The format that the file has.
        found: i64,
        /// The newest format that is understood here.
        supported: i64,
    },
    /// A program of no release wrote the journal.
    #[error("the journal `{}` has format {found}, of no release", path.shown())]
    UnreleasedFormat {
        /// The journal.
        path: PathBuf,
        /// The format that the file has.
        found: i64,
    },
    /// The file was cut off or overwritten, or holds what this program never wrote.
    #[error("the journal `{}` is damaged: {reason}", path.shown())]
    Damaged {
        /// The journal.
        path: PathBuf,
        /// The damage.
        reason: String,
    },
    /// Another process kept the journal locked for longer than we wait.
    #[error("the journal `{}` is locked by another process", path.shown())]
    Locked {
        /// The journal.
        path: PathBuf,
    },
    /// No room.
    #[error("the disk is full: can't write to the journal `{}`", path.shown())]
    DiskFull {
        /// The journal.
        path: PathBuf,
    },
    /// A time that is not RFC 3339.
    #[error("`{text}` is not a time such as `2026-01-31T12:00:00Z`")]
    Time {
        /// The given text.
        text: String,
    },
    /// No run has this id.
    #[error("the journal holds no run `{run}`")]
    UnknownRun {
        /// The id.
        run: RunId,
    },
    /// The run has no document of this id.
    #[error("run `{run}` has no document `{document}`")]
    UnknownDocument {
        /// The run.
        run: RunId,
        /// The document.
        document: DocumentId,
    },
    /// Another process works on the document, because this one was taken for dead.
    #[error("another process has taken over this one's work")]
    TakenOver,
    /// The run has begun a document of this id before.
    #[error("run `{run}` already has a document `{document}`")]
    DocumentExists {
        /// The run.
        run: RunId,
        /// The document.
        document: DocumentId,
    },
    /// Anything else that SQLite reports.
    #[error("the journal `{}` failed: {reason}", path.shown())]
    Journal {
        /// The journal.
        path: PathBuf,
        /// The message of SQLite.
        reason: String,
    },
}

impl StoreError {
    /// Advice on what to do about it.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            StoreError::Folder { source, .. } | StoreError::Artifact { source, .. } => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "make room, then resume the run",
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                    "choose a folder that you may write to"
                }
                io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists | io::ErrorKind::IsADirectory => {
                    "a file is where a folder is needed, or the other way round; choose another name"
                }
                _ => "choose another folder, or repair this one",
            },
            StoreError::Json { .. } => "this is a mistake in loopctl; please report it",
            StoreError::Open { .. } | StoreError::ReadOnly { .. } => {
                "the file and its folder must be writable; choose another location for the journal, or make them writable"
            }
            StoreError::NotAJournal { .. } => {
                "choose another file for the journal; this one was left as it is"
            }
            StoreError::NewerFormat { .. } => {
                "use the release that wrote it or a later one, or choose another file for the journal"
            }
            StoreError::UnreleasedFormat { .. } => "start another journal with `--journal FILE`",
            StoreError::Damaged { .. } => {
                "move the file away to start with an empty journal, or restore it from a backup"
            }
            StoreError::Locked { .. } => "wait for the other process to end, or choose another journal",
            StoreError::DiskFull { .. } => {
                "make room, then resume the run; nothing that was recorded is lost"
            }
            StoreError::ShuttingDown => "run it again",
            StoreError::Time { .. } => "give a time in RFC 3339 with its offset from UTC",
            StoreError::UnknownRun { .. } => "list the runs to see which there are",
            StoreError::UnknownDocument { .. } => "begin the document before anything is recorded for it",
            StoreError::DocumentExists { .. } => "give each document of a run an id of its own",
            StoreError::TakenOver => {
                "nothing is lost: the other process continues the work; it takes over from a process that was suspended for a while"
            }
            StoreError::Journal { .. } => "check the disk that holds the journal",
        }
    }

    /// Names what an error of SQLite means for the file at `path`.
    #[cfg(feature = "journal")]
    pub(super) fn sqlite(path: &Path, error: &rusqlite::Error) -> Self {
        let path = path.to_path_buf();
        let reason = || match error {
            rusqlite::Error::SqliteFailure(code, message) => {
                message.clone().unwrap_or_else(|| code.to_string())
            }
            other => other.to_string(),
        };
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => StoreError::NotAJournal { path },
            // `Unknown` is SQLite's word for a query that does not fit the tables, and ours fit those we made.
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::Unknown) => {
                StoreError::Damaged { path, reason: reason() }
            }
            Some(
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed,
            ) => StoreError::Locked { path },
            Some(ErrorCode::ReadOnly) => StoreError::ReadOnly { path },
            Some(ErrorCode::DiskFull) => StoreError::DiskFull { path },
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                StoreError::Open { path, reason: reason() }
            }
            Some(_) => StoreError::Journal { path, reason: reason() },
            // What is left are values of another type than we write.
            None => StoreError::Damaged { path, reason: reason() },
        }
    }
}
