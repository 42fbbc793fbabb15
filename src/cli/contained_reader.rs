//! `loopctl contained-reader`: reads one document in a process of its own, as loopctl starts it for files from outside.

use crate::failure::{ExitStatus, Failure};
use crate::ingest::{DocumentReader, answer_contained};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// The name of the verb.
const VERB: &str = "contained-reader";
/// This program on Linux, even after its file was replaced.
const THIS_PROGRAM: &str = "/proc/self/exe";

/// Returns whether this process was started to read a document: it is not a verb for people.
pub(super) fn is_meant(mut arguments: impl Iterator<Item = OsString>) -> bool {
    arguments.nth(1).is_some_and(|verb| verb == VERB)
}

/// A reader that starts this program, of which this is the file, for each document.
pub(super) fn start_with(executable: PathBuf) -> DocumentReader {
    let this = Path::new(THIS_PROGRAM);
    let file = if cfg!(target_os = "linux") && this.exists() { this.to_path_buf() } else { executable };
    DocumentReader::contained(file, vec![VERB.to_owned()])
}

/// Reads a document. The answer is for a program, and may be a picture: nothing of it is made fit for a terminal.
pub(super) fn execute() -> Result<ExitStatus, Failure> {
    answer_contained(io::stdin(), &mut io::stdout().lock())
        .map_err(|error| Failure::broken(format!("can't read the document: {error}")))?;
    Ok(ExitStatus::Success)
}
