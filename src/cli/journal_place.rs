//! The location of a run's journal.

use super::process_streams::process_streams;
use crate::failure::Failure;
use crate::store::Journal;
use crate::streams::Streams;
use crate::value::ShownPath;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The location of the journal.
pub(super) enum JournalPlace {
    /// The file that was asked for: failing to write there is an error.
    Asked(PathBuf),
    /// The usual file: failing to write there is a warning, and the run continues without it.
    Usual(PathBuf),
    /// No file, only memory.
    Memory,
}

impl JournalPlace {
    /// Opens the journal.
    pub(super) fn open(&self, output: &mut Streams) -> Result<Journal, Failure> {
        match self {
            JournalPlace::Asked(file) => Ok(Journal::open_waiting(file, say_waiting)?),
            JournalPlace::Memory => Ok(Journal::in_memory()?),
            JournalPlace::Usual(file) => {
                let opened = match file.parent() {
                    Some(folder) if std::fs::create_dir_all(folder).is_err() => {
                        Err(format!("can't make the folder `{}`", folder.shown()))
                    }
                    _ => Journal::open_waiting(file, say_waiting).map_err(|error| error.to_string()),
                };
                match opened {
                    Ok(journal) => Ok(journal),
                    Err(why) => {
                        let word = output.err_paint.warn("warning:");
                        output.say(&format!("{word} this run keeps no journal: {why}"));
                        output.say("  help: name a place for it with `--journal FILE`, or set LOOPCTL_HOME");
                        Ok(Journal::in_memory()?)
                    }
                }
            }
        }
    }
}

/// Reports that another process has the journal locked, once every few seconds.
fn say_waiting(file: &Path, waited: Duration) {
    let seconds = waited.as_secs();
    process_streams().say(&format!(
        "waiting for the journal `{}`, which another process has locked for {seconds} s",
        file.shown()
    ));
}
