//! The journal that a request names.

use super::recall;
use crate::context::Context;
use crate::failure::Failure;
use crate::shell::quoted;
use crate::store::Journal;
use crate::value::ShownPath;
use std::path::PathBuf;

/// The journal of a request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JournalSpec {
    /// Its file; `None` for that of the latest run, or else the one in the state folder.
    pub file: Option<PathBuf>,
}

impl JournalSpec {
    /// The argument by which another command names the same journal: ` --journal FILE`, if it was named.
    pub fn again(&self) -> String {
        match &self.file {
            Some(file) => format!(" --journal {}", quoted(&file.shown())),
            None => String::new(),
        }
    }

    /// The file: the one that was named, else that of the latest run, else the one in the state folder.
    pub fn located(&self, context: &Context) -> Option<PathBuf> {
        let usual = || context.state_folder().map(|folder| folder.join("journal.sqlite"));
        let latest = || recall(context).map(|latest| latest.journal).filter(|file| file.exists());
        self.file.clone().or_else(latest).or_else(usual)
    }

    /// Opens the journal, which must exist.
    ///
    /// # Errors
    /// When it is not there, or can't be read.
    pub fn open(&self, context: &Context) -> Result<Journal, Failure> {
        let Some(file) = self.located(context) else {
            return Err(Failure::usage("no journal is known").help("name it with `--journal FILE`"));
        };
        match std::fs::metadata(&file) {
            Ok(found) if found.is_dir() => {
                let inside = file.join("journal.sqlite");
                return Err(Failure::usage(format!("`{}` is a folder", file.shown()))
                    .help(format!("name the journal in it: `--journal {}`", quoted(&inside.shown()))));
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let message = format!("there is no journal `{}`", file.shown());
                return Err(Failure::broken(message).help("name another with `--journal FILE`"));
            }
            Err(error) => {
                let message = format!("can't open the journal `{}`: {error}", file.shown());
                return Err(Failure::broken(message).help("only its owner may read a journal"));
            }
            Ok(_) => {}
        }
        Ok(Journal::open(&file)?)
    }
}
