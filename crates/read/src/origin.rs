//! The source of a document's bytes.

use crate::value::ShownPath;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The source of a document's bytes.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// A file.
    File(PathBuf),
    /// Standard input, written `-`.
    Stdin,
    /// The `text` of a record in a file of JSON lines, which is read again when it is needed.
    Record {
        /// The file.
        file: PathBuf,
        /// The number of its line, from 1.
        line: u64,
        /// The offset at which the line begins, in bytes from the start of the file.
        offset: u64,
    },
    /// A section of a file that holds several documents, which is read again when it is needed.
    Section {
        /// The file.
        file: PathBuf,
        /// The number of the section, from 1.
        section: usize,
        /// The number of sections that the file has.
        sections: usize,
        /// Its bytes in the text of the file.
        text: Range<usize>,
        /// SHA-256 of the file's bytes, in hexadecimal: of another file the section is none.
        digest: String,
    },
    /// The `text` of a record that came through a pipe, which can't be read again.
    Piped {
        /// The number of its line, from 1.
        line: u64,
        /// The text itself.
        text: Arc<str>,
    },
}

impl Origin {
    /// The file that is the document, if one is.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Origin::File(path) => Some(path),
            Origin::Stdin | Origin::Record { .. } | Origin::Section { .. } | Origin::Piped { .. } => None,
        }
    }

    /// The file that it is read from, if it is read from one.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match self {
            Origin::File(file) | Origin::Record { file, .. } | Origin::Section { file, .. } => Some(file),
            Origin::Stdin | Origin::Piped { .. } => None,
        }
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Origin::File(path) => write!(f, "`{}`", path.shown()),
            Origin::Stdin => f.write_str("standard input"),
            Origin::Record { file, line, .. } => write!(f, "`{}`, line {line}", file.shown()),
            Origin::Section { file, section, .. } => write!(f, "`{}`, section {section}", file.shown()),
            Origin::Piped { line, .. } => write!(f, "standard input, line {line}"),
        }
    }
}

/// Keeps the text of a document out of logs.
impl std::fmt::Debug for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Origin::File(path) => f.debug_tuple("File").field(path).finish(),
            Origin::Stdin => f.write_str("Stdin"),
            Origin::Record { file, line, offset } => f
                .debug_struct("Record")
                .field("file", file)
                .field("line", line)
                .field("offset", offset)
                .finish(),
            Origin::Section { file, section, sections, text, digest } => f
                .debug_struct("Section")
                .field("file", file)
                .field("section", section)
                .field("sections", sections)
                .field("text", text)
                .field("digest", digest)
                .finish(),
            Origin::Piped { line, .. } => f.debug_struct("Piped").field("line", line).finish_non_exhaustive(),
        }
    }
}
