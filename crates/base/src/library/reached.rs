//! The paths that loading a profile looked up on the disk: the files that it read, and those where it found none, so
//! that a file that is put there later is known to matter.

use super::MAX_FILE_BYTES;
use crate::disk::{self, ReadError};
use crate::value::{digest_bytes, os_text};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The state of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum FileState {
    Nothing,
    /// Something that can't be read as a file of ours: too large, refused by the system.
    Unreadable,
    /// A file, by the digest of its bytes.
    File(String),
}

impl FileState {
    fn of(bytes: &[u8]) -> Self {
        FileState::File(digest_bytes(bytes))
    }

    /// The present state of a path.
    fn at(path: &Path) -> Self {
        match disk::read(path, MAX_FILE_BYTES) {
            Ok(bytes) => FileState::of(&bytes),
            Err(ReadError::Missing) => FileState::Nothing,
            Err(_) => FileState::Unreadable,
        }
    }
}

/// Every path that was looked up, with its state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reached {
    files: BTreeMap<PathBuf, FileState>,
}

impl Reached {
    /// Every path, whether a file exists there or not.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.keys().map(PathBuf::as_path)
    }

    /// The number of files among them.
    #[must_use]
    pub fn files(&self) -> usize {
        self.files.values().filter(|found| matches!(found, FileState::File(_))).count()
    }

    /// The paths of the files.
    pub fn present(&self) -> impl Iterator<Item = &Path> {
        let files = self.files.iter().filter(|(_, found)| matches!(found, FileState::File(_)));
        files.map(|(path, _)| path.as_path())
    }

    /// One digest for all files that were read beside profiles, whose settings have one of their own: two loadings with
    /// the same digest read the same, whatever the folders are called. `named` is the profile, if it is named by its
    /// path.
    pub fn digest(&self, named: &Path) -> String {
        let mut text = String::new();
        for (name, digest) in self.digests(named) {
            text.push_str(&name);
            text.push(' ');
            text.push_str(&digest);
            text.push('\n');
        }
        digest_bytes(text.as_bytes())
    }

    /// Returns these paths without those that end with one of `names`.
    #[must_use]
    pub fn without(&self, names: &BTreeSet<String>) -> Self {
        let is_left = |path: &Path| !names.iter().any(|name| path.ends_with(name));
        let left = self.files.iter().filter(|(path, _)| is_left(path));
        Reached { files: left.map(|(path, found)| (path.clone(), found.clone())).collect() }
    }

    /// The files one by one: the name without folders, and the digest of the bytes.
    pub fn digests(&self, named: &Path) -> Vec<(String, String)> {
        let is_profile = |path: &Path| {
            path == named
                || path.parent().and_then(Path::file_name).is_some_and(|folder| folder == "profiles")
        };
        let mut files: Vec<(String, String)> = self
            .files
            .iter()
            .filter(|(path, _)| !is_profile(path))
            .filter_map(|(path, found)| match found {
                FileState::File(digest) => {
                    let name = os_text(path.file_name().unwrap_or_default());
                    Some((name.into_owned(), digest.clone()))
                }
                FileState::Nothing | FileState::Unreadable => None,
            })
            .collect();
        files.sort_unstable();
        files
    }

    /// Takes over the states of another, later reading.
    pub fn absorb(&mut self, later: Reached) {
        self.files.extend(later.files);
    }

    /// Inspects every path again and returns those whose state has changed, which is remembered. A file that was saved
    /// unchanged is not among them.
    pub fn changed(&mut self) -> Vec<PathBuf> {
        let mut changed = Vec::new();
        for (path, known) in &mut self.files {
            let found = FileState::at(path);
            if *known != found {
                *known = found;
                changed.push(path.clone());
            }
        }
        changed
    }
}

/// Records the paths that a [`super::Library`] looks up. Copies share the record.
#[derive(Debug, Clone, Default)]
pub struct FileTracker(Arc<Mutex<Reached>>);

impl FileTracker {
    /// Takes the record so far, leaving it empty.
    #[must_use]
    pub fn take(&self) -> Reached {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn note(&self, path: &Path, found: FileState) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).files.insert(path.to_path_buf(), found);
    }

    pub(super) fn nothing(&self, path: &Path) {
        self.note(path, FileState::Nothing);
    }

    pub(super) fn file(&self, path: &Path, text: &str) {
        self.note(path, FileState::of(text.as_bytes()));
    }

    /// Inspects a file that could not be used once more: it may exist and not be text.
    pub(super) fn refused(&self, path: &Path) {
        self.note(path, FileState::at(path));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::{Files, Library};

    #[test]
    fn what_is_put_where_nothing_was_found_matters_and_what_is_saved_as_it_was_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("rules")).unwrap();
        std::fs::write(at("rules/mine.yaml"), "a").unwrap();
        let notes = FileTracker::default();
        let library = Library::new(vec![at("")]).noted_in(&notes);
        library.read("rules/mine.yaml").unwrap().unwrap();
        library.read("rules/aas.yaml").unwrap().unwrap();
        let mut reached = notes.take();
        assert_eq!((reached.paths().count(), reached.files()), (2, 1));
        assert_eq!(notes.take(), Reached::default());

        std::fs::write(at("rules/mine.yaml"), "a").unwrap();
        std::fs::write(at("rules/other.yaml"), "other").unwrap();
        assert_eq!(reached.changed(), Vec::<PathBuf>::new());
        std::fs::write(at("rules/aas.yaml"), "own").unwrap();
        assert_eq!(reached.changed(), [at("rules/aas.yaml")]);
        assert_eq!(reached.changed(), Vec::<PathBuf>::new());
        std::fs::remove_dir_all(at("rules")).unwrap();
        assert_eq!(reached.changed(), [at("rules/aas.yaml"), at("rules/mine.yaml")]);
    }

    #[test]
    fn text_that_is_none_is_seen_to_become_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.yaml");
        std::fs::write(&path, b"\xff").unwrap();
        let notes = FileTracker::default();
        let library = Library::new(vec![folder.path().into()]).noted_in(&notes);
        assert!(library.read("x.yaml").is_err());
        let mut reached = notes.take();
        assert!(reached.changed().is_empty());
        std::fs::write(&path, "now").unwrap();
        assert_eq!(reached.changed(), [path]);
    }
}
