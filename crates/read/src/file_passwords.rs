//! Passwords of files that need one: they go to what reads the file, and are in memory only.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The most files whose passwords are known at the same time. The one that came first is dropped for another.
const MOST_FILES: usize = 10_000;

/// The longest password, in bytes: eight times that of a PDF.
const LONGEST: usize = 1024;

/// A password, which no message shows.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FilePassword(String);

impl FilePassword {
    /// This password.
    pub(super) fn new(password: String) -> Self {
        FilePassword(password)
    }

    /// The password that a person gave with a file; `None` if they gave none.
    ///
    /// # Errors
    /// When it is longer than any password.
    pub fn given(password: String) -> Result<Option<Self>, String> {
        if password.len() > LONGEST {
            return Err(format!("the password has more than {LONGEST} bytes"));
        }
        Ok(Some(password).filter(|password| !password.is_empty()).map(FilePassword))
    }

    /// The password itself.
    pub(super) fn shown(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for FilePassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a password")
    }
}

/// The passwords of single files, by their paths.
#[derive(Debug, Default)]
pub(super) struct FilePasswords(Mutex<Vec<(PathBuf, FilePassword)>>);

impl FilePasswords {
    /// Keeps the password of a file.
    pub(super) fn keep(&self, file: PathBuf, password: FilePassword) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(other, _)| *other != file);
        known.push((file, password));
        let too_many = known.len().saturating_sub(MOST_FILES);
        known.drain(..too_many);
    }

    /// Drops the passwords of all files in a folder.
    pub(super) fn forget_below(&self, folder: &Path) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|(file, _)| !file.starts_with(folder));
    }

    /// Returns whether the password of a file in this folder is known.
    pub(super) fn has_below(&self, folder: &Path) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().any(|(file, _)| file.starts_with(folder))
    }

    /// The password of a file.
    pub(super) fn of(&self, file: &Path) -> Option<FilePassword> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().find(|(other, _)| other == file).map(|(_, password)| password.clone())
    }
}
