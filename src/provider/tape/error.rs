//! What can be wrong with a folder of cassettes.

use std::path::PathBuf;

/// Why a folder of cassettes can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TapeError {
    /// A recording stands there already.
    #[error("`{}` holds recorded exchanges already", path.display())]
    Recorded {
        /// The folder.
        path: PathBuf,
    },
    /// There is nothing to be replayed.
    #[error("`{}` holds no recorded exchanges", path.display())]
    Empty {
        /// The folder.
        path: PathBuf,
    },
    /// The folder can't be made, written to or listed.
    #[error("can't use the folder `{}`: {problem}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        problem: String,
    },
    /// A cassette can't be read.
    #[error("can't read `{}`: {problem}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        problem: String,
    },
    /// A cassette can't be written.
    #[error("can't write `{}`: {problem}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        problem: String,
    },
    /// A cassette is not what was written.
    #[error("{}:{line}:{column}: the cassette is damaged: {problem}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// What is wrong. Never what is there, which may be the document.
        problem: String,
    },
    /// A later loopctl wrote it.
    #[error("`{}` has format {found}, and this loopctl reads {known}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// In the file.
        found: u32,
        /// What this loopctl reads.
        known: u32,
    },
}

impl TapeError {
    /// What to do about it.
    #[must_use]
    pub(crate) fn help(&self) -> &'static str {
        match self {
            Self::Recorded { .. } => "record into another folder, or remove this one first",
            Self::Empty { .. } => "make a recording with `--record DIR` first, or check the path",
            Self::Folder { .. } | Self::Unreadable { .. } | Self::Unwritable { .. } => {
                "check the path and its permissions"
            }
            Self::Damaged { .. } => "put the file back as it was recorded, or record again",
            Self::Format { .. } => "use the loopctl that recorded it, or record again",
        }
    }
}
