//! Errors of an argument, a file or a line that names no document.

use super::Origin;
use super::endings::ENDINGS;
use crate::profile::nearby;
use crate::value::{DocumentId, ShownPath};
use std::io;
use std::path::{Path, PathBuf};

/// An argument, a file or a line of a list that can't be used at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// Nothing by that name.
    #[error("there is no file or folder `{}`", path.shown())]
    Missing {
        /// The argument.
        path: PathBuf,
    },
    /// A link that leads to nothing.
    #[error("the link `{}` leads nowhere", path.shown())]
    Dangling {
        /// The argument.
        path: PathBuf,
    },
    /// A folder in which no file has one of `ENDINGS`.
    #[error("the folder `{}` holds no documents", path.shown())]
    NoDocuments {
        /// The folder.
        path: PathBuf,
    },
    /// A pattern that matches nothing.
    #[error("no file matches `{pattern}`")]
    NoMatch {
        /// The argument.
        pattern: String,
        /// The folder that its first parts name, if that is not there.
        missing: Option<PathBuf>,
    },
    /// A pattern that can't be read.
    #[error("`{pattern}` is neither a file nor a pattern: {problem}")]
    BadPattern {
        /// The argument.
        pattern: String,
        /// The reason.
        problem: String,
    },
    /// A file of JSON lines, or a list, that is empty.
    #[error("{origin} names no documents")]
    NoRecords {
        /// The file.
        origin: Origin,
    },
    /// A line of a list or of JSON lines that names no document.
    #[error("{}, line {line}: {problem}", origin)]
    Line {
        /// The file.
        origin: Origin,
        /// The number of the line, from 1.
        line: u64,
        /// The problem. Never text of a document.
        problem: String,
        /// Advice on what to do about it.
        help: Option<String>,
    },
    /// Records where one document was meant.
    #[error("{origin} holds a document on each line, not one document")]
    Records {
        /// Their origin.
        origin: Origin,
    },
    /// A record that has changed since it was listed.
    #[error("{origin} has changed since it was listed")]
    Changed {
        /// The record.
        origin: Origin,
    },
    /// A document that is also one of another run, which a process is working on and which writes to the same folder.
    #[error("{origin} is a document of run `{run}`, which a process is working on")]
    AtWorkElsewhere {
        /// The document.
        origin: Origin,
        /// That run.
        run: String,
    },
    /// A document from a source that can't be read again.
    #[error("what `{id}` says was not kept, because it came from standard input or from another program")]
    NotKept {
        /// Its id.
        id: DocumentId,
    },
    /// A document of a run outside of the folders from which documents may be read.
    #[error("{origin} is outside the folders in which the documents of this run may be")]
    NotAllowed {
        /// The document.
        origin: Origin,
    },
    /// Something that went away while folders were being read.
    #[error("`{}` went away while its folder was read", path.shown())]
    Vanished {
        /// The file or folder that went away.
        path: PathBuf,
    },
    /// More bytes than are read.
    #[error("{origin} has {} bytes; a document has at most {limit}", shown_size(*size, *limit))]
    TooLarge {
        /// The document.
        origin: Origin,
        /// Its size in bytes, when it is known without reading it.
        size: Option<u64>,
        /// The limit in bytes.
        limit: u64,
    },
    /// The system refused.
    #[error("can't read {origin}: {}", words_of(source))]
    Io {
        /// The document or folder.
        origin: Origin,
        /// The reason.
        source: io::Error,
    },
}

impl InputError {
    /// Returns advice on what to do about it.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            InputError::Missing { path } => spelling(path),
            InputError::AtWorkElsewhere { run, .. } => {
                format!(
                    "wait for it, or take part in it with `loopctl resume {run}`; or write to another folder"
                )
            }
            InputError::NotKept { .. } => "run it again".to_owned(),
            InputError::NotAllowed { .. } => {
                "if you mean it, name its folder with `--allow-path` of `loopctl resume`, or run it anew"
                    .to_owned()
            }
            InputError::Dangling { .. } => "make what it leads to, or leave it out".to_owned(),
            InputError::NoDocuments { .. } => {
                let endings = ENDINGS.map(|ending| format!("`.{ending}`")).join(", ");
                format!(
                    "files in the folder, and in its folders, that end in {endings} are taken, and the records of `.jsonl`; name other files one by one, or by a pattern"
                )
            }
            InputError::NoMatch { missing: Some(folder), .. } => {
                format!("there is no folder `{}`; {}", folder.shown(), spelling(folder))
            }
            InputError::NoMatch { missing: None, .. } => {
                "`*` and `?` stay within a name, `**/` matches any folders; hidden files are left out"
                    .to_owned()
            }
            InputError::BadPattern { .. } => {
                "check the spelling; in patterns `*`, `?`, `[abc]`, `{a,b}` and `**/` mean something"
                    .to_owned()
            }
            InputError::NoRecords { .. } => {
                "write a path, or a record such as `{\"id\": …, \"text\": …}`, on each line".to_owned()
            }
            InputError::Line { help: Some(help), .. } => help.clone(),
            InputError::Line { help: None, .. } => {
                "a record is `{\"id\": …, \"text\": …}` or `{\"id\": …, \"path\": …}`, on one line".to_owned()
            }
            InputError::Records { origin: Origin::Stdin } => {
                "write `--from -` in place of `-`: then each line is a document".to_owned()
            }
            InputError::Records { .. } => {
                "name it as an argument or with `--from`: then each line is a document".to_owned()
            }
            InputError::Changed { origin: Origin::File(_) | Origin::Section { .. } } => {
                "its sections are those of the file before: have it split anew in another run, with another `--out DIR`".to_owned()
            }
            InputError::Changed { .. } => "run it again".to_owned(),
            InputError::Vanished { .. } => "run it again when no one changes the folder".to_owned(),
            InputError::TooLarge { .. } => "no provider can be given more at once: split it into documents, or check that this is the file you meant"
                    .to_owned(),
            InputError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                "bring it back and try it again, or leave it out".to_owned()
            }
            InputError::Io { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                "make it readable for the user who runs this".to_owned()
            }
            InputError::Io { .. } => "check that it is a readable file".to_owned(),
        }
    }
}

fn spelling(path: &Path) -> String {
    match nearby(path) {
        Some(guess) => format!("did you mean `{guess}`?"),
        None => "check the spelling; names are relative to the working directory".to_owned(),
    }
}

/// The system's message, in words that are not its library's.
fn words_of(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it is not there any more".to_owned(),
        _ => error.to_string(),
    }
}

fn shown_size(size: Option<u64>, limit: u64) -> String {
    size.map_or_else(|| format!("more than {limit}"), |size| size.to_string())
}
