//! The errors of a folder of cassettes.

use crate::value::{path_text, sanitize_line};
use std::path::{Path, PathBuf};

/// The reason why a folder of cassettes can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TapeError {
    /// It holds a recording already.
    #[error("`{}` holds recorded exchanges already", shown(path))]
    Recorded {
        /// The folder.
        path: PathBuf,
    },
    /// There is nothing to replay.
    #[error("`{}` holds no recorded exchanges", shown(path))]
    Empty {
        /// The folder.
        path: PathBuf,
    },
    /// The folder can't be made, written to or listed.
    #[error("can't use the folder `{}`: {problem}", shown(path))]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The system's message.
        problem: String,
    },
    /// A cassette can't be read.
    #[error("can't read `{}`: {problem}", shown(path))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's message.
        problem: String,
    },
    /// A cassette can't be written.
    #[error("can't write `{}`: {problem}", shown(path))]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The system's message.
        problem: String,
    },
    /// A cassette is not what was written.
    #[error("{}:{line}:{column}: the cassette is damaged: {problem}", shown(path))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// A description of the error. Never the text there, which may be the document.
        problem: String,
    },
    /// A later loopctl wrote it.
    #[error("`{}` has format {found}, and this loopctl reads {known}", shown(path))]
    Format {
        /// The file.
        path: PathBuf,
        /// In the file.
        found: u32,
        /// The format that this loopctl reads.
        known: u32,
    },
}

/// A path as one line of a message, whatever its bytes are.
pub(super) fn shown(path: &Path) -> String {
    sanitize_line(&path_text(path))
}

impl TapeError {
    /// Advice on what to do about it.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::Recorded { .. } => {
                "record into another folder with `--record DIR`, or remove this one first"
            }
            Self::Empty { .. } => "make a recording with `--record DIR` first, or check the path",
            Self::Folder { .. } | Self::Unreadable { .. } | Self::Unwritable { .. } => {
                "check the path and its permissions"
            }
            Self::Damaged { .. } => "put the file back as it was recorded, or record again",
            Self::Format { .. } => "use the loopctl that recorded it, or record again",
        }
    }
}
