//! The location of a run's journal.

use crate::context::Context;
use crate::failure::Failure;
use crate::shell::quoted;
use crate::store::Journal;
use crate::streams::Streams;
use crate::value::ShownPath;
use std::path::{Path, PathBuf};

/// The location of the journal of a run.
pub enum JournalPlace {
    /// The file that was asked for: failing to write there is an error.
    Asked(PathBuf),
    /// The usual file: failing to write there is a warning, and the run continues without it.
    Usual(PathBuf),
    /// No file, only memory.
    Memory,
}

impl JournalPlace {
    /// The location of a journal: the file that is named, else in the folder of results, else in the state folder.
    pub fn of(file: Option<&Path>, out: Option<&Path>, context: &Context) -> Self {
        const NAME: &str = "journal.sqlite";
        match (file, out) {
            (Some(file), _) => JournalPlace::Asked(file.to_path_buf()),
            (None, Some(out)) => JournalPlace::Asked(out.join(NAME)),
            (None, None) => context
                .state_folder()
                .map_or(JournalPlace::Memory, |folder| JournalPlace::Usual(folder.join(NAME))),
        }
    }

    /// Returns whether the journal is in a file.
    pub fn is_kept(&self) -> bool {
        !matches!(self, JournalPlace::Memory)
    }

    /// The argument by which another command names the journal: ` --journal FILE`, if it is not the usual one.
    pub fn again(&self) -> String {
        match self {
            JournalPlace::Asked(file) => format!(" --journal {}", quoted(&file.shown())),
            JournalPlace::Usual(_) | JournalPlace::Memory => String::new(),
        }
    }

    /// Opens the journal, in memory if it can't be in the usual file. `say` is told, every few seconds, that another
    /// process has it locked.
    ///
    /// # Errors
    /// When the file that was asked for can't be written.
    pub fn open(&mut self, say: fn(&str), output: &mut Streams) -> Result<Journal, Failure> {
        let opened = |file: &Path| {
            Journal::open_waiting(file, move |file, waited| {
                say(&format!(
                    "waiting for the journal `{}`, which another process has locked for {} s",
                    file.shown(),
                    waited.as_secs()
                ));
            })
        };
        let file = match self {
            JournalPlace::Asked(file) => return Ok(opened(file)?),
            JournalPlace::Memory => return Ok(Journal::in_memory()?),
            JournalPlace::Usual(file) => file,
        };
        let made = file.parent().map(|folder| (folder, std::fs::create_dir_all(folder)));
        let why = match made {
            Some((folder, Err(_))) => format!("can't make the folder `{}`", folder.shown()),
            Some((_, Ok(()))) | None => match opened(file) {
                Ok(journal) => return Ok(journal),
                Err(error) => error.to_string(),
            },
        };
        let word = output.err_paint.warn("warning:");
        output.say(&format!("{word} this run keeps no journal: {why}"));
        output.say("  help: name a place for it with `--journal FILE`, or set LOOPCTL_HOME");
        *self = JournalPlace::Memory;
        Ok(Journal::in_memory()?)
    }
}
