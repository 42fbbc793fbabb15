//! A folder of documents at any depth, one file at a time. Memory holds the folders from its root to the current one,
//! each with at most as many entries as are read at once.

use super::endings::{holds_records, is_document, is_hidden, may_be_recording};
use super::listing::{ListingStep, WalkState};
use super::names::{as_written, folder_name, with_parent};
use super::patterns::PathPattern;
use super::{Input, InputError, Origin, SkipReason};
use crate::disk::{self, Entry, EntryKind, FolderKey, OpenFolder, ReadError};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The most folders within one another that are entered.
pub(super) const MOST_DEPTH: usize = 64;

/// The state of reading a folder.
pub(super) struct FolderWalk {
    /// The folder as it was named; what is in it is named relative to it.
    root: PathBuf,
    /// The name of the folder.
    label: String,
    /// The real location of the folder, once a link in it was met: what leads out of there is someone else's choice.
    real: Option<PathBuf>,
    pattern: Option<PathPattern>,
    /// The folders that were entered for the pattern: others may be entered for other patterns.
    entered: HashSet<FolderKey>,
    open: Vec<FolderLevel>,
}

/// The real location of a folder.
pub(super) fn real_folder(folder: &Path) -> Option<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    folder.canonicalize().ok()
}

/// A folder that is open.
struct FolderLevel {
    /// Relative to the root.
    relative: PathBuf,
    folder: OpenFolder,
    entries: std::vec::IntoIter<Entry>,
    is_empty: bool,
    /// `true` if all documents in it are meant, regardless of the pattern.
    is_whole: bool,
    /// `Some(true)` if it holds recorded answers; `None` until that is checked.
    has_recordings: Option<bool>,
}

impl FolderWalk {
    /// All documents in a folder.
    pub(super) fn of_folder(root: PathBuf) -> Self {
        Self::new(root, None)
    }

    /// The documents that a pattern matches.
    pub(super) fn of_pattern(pattern: PathPattern) -> Self {
        Self::new(pattern.base().to_path_buf(), Some(pattern))
    }

    fn new(root: PathBuf, pattern: Option<PathPattern>) -> Self {
        let label = folder_name(&root);
        FolderWalk { root, label, real: None, pattern, entered: HashSet::new(), open: Vec::new() }
    }

    /// Enters the root.
    pub(super) fn begin(&mut self, seen: &mut WalkState) -> ListingStep {
        let is_whole = self.pattern.is_none();
        self.enter(PathBuf::new(), is_whole, seen)
    }

    /// Inspects one entry.
    pub(super) fn step(&mut self, seen: &mut WalkState) -> ListingStep {
        let Some(level) = self.open.last_mut() else { return ListingStep::End };
        let Some(entry) = level.entries.next() else {
            let (entries, failed) = level.folder.read_some();
            if entries.is_empty() && failed.is_none() {
                let is_root = self.open.len() == 1;
                if let Some(level) = self.open.pop()
                    && level.is_empty
                    && level.is_whole
                    && !is_root
                {
                    seen.skipped.count(SkipReason::EmptyFolder);
                }
                return ListingStep::Again;
            }
            level.is_empty = false;
            level.entries = entries.into_iter();
            let Some(source) = failed else { return ListingStep::Again };
            let origin = Origin::File(self.root.join(&level.relative));
            return ListingStep::Error(InputError::Io { origin, source });
        };
        let relative = level.relative.join(&entry.name);
        let is_whole = level.is_whole;
        if is_hidden(&entry.name) {
            if self.is_meant(&relative, entry.kind, is_whole) {
                seen.skipped.count(SkipReason::Hidden);
            }
            return ListingStep::Again;
        }
        let path = self.root.join(&relative);
        let kind = match entry.kind {
            EntryKind::Link => match disk::followed(&path) {
                Ok(EntryKind::File | EntryKind::Folder) if self.leads_out(&path) => {
                    if self.is_meant(&relative, EntryKind::Folder, is_whole) {
                        seen.skipped.count(SkipReason::Outside);
                    }
                    return ListingStep::Again;
                }
                Ok(kind) => kind,
                Err(error) => return self.not_followed(path, &relative, is_whole, error, seen),
            },
            kind => kind,
        };
        match kind {
            EntryKind::Folder => {
                let is_whole =
                    is_whole || self.pattern.as_ref().is_none_or(|found| found.is_match(&relative));
                self.enter(relative, is_whole, seen)
            }
            EntryKind::File => self.file(path, relative, is_whole, seen),
            EntryKind::Special | EntryKind::Link => {
                if self.is_meant(&relative, EntryKind::File, is_whole) {
                    seen.skipped.count(SkipReason::Special);
                }
                ListingStep::Again
            }
        }
    }

    /// Returns whether a link leads out of the folder that was named.
    fn leads_out(&mut self, link: &Path) -> bool {
        if self.real.is_none() {
            self.real = real_folder(&self.root);
        }
        let real = link.canonicalize().ok();
        !real.zip(self.real.as_ref()).is_some_and(|(real, root)| real.starts_with(root))
    }

    /// Returns whether something of this name is asked for, or may hold what is.
    fn is_meant(&self, relative: &Path, kind: EntryKind, is_whole: bool) -> bool {
        let Some(pattern) = self.pattern.as_ref().filter(|_| !is_whole) else { return true };
        pattern.is_match(relative) || kind == EntryKind::Folder && pattern.may_hold(relative)
    }

    fn not_followed(
        &self,
        path: PathBuf,
        relative: &Path,
        is_whole: bool,
        error: ReadError,
        seen: &mut WalkState,
    ) -> ListingStep {
        if !self.is_meant(relative, EntryKind::File, is_whole) {
            return ListingStep::Again;
        }
        match error {
            ReadError::Missing if path.is_symlink() => {
                seen.skipped.count(SkipReason::Dangling);
                ListingStep::Again
            }
            ReadError::Missing => ListingStep::Error(InputError::Vanished { path }),
            error => ListingStep::Error(InputError::refused(Origin::File(path), error)),
        }
    }

    fn file(
        &mut self,
        path: PathBuf,
        relative: PathBuf,
        is_whole: bool,
        seen: &mut WalkState,
    ) -> ListingStep {
        let mut any_ending = false;
        if let Some(pattern) = self.pattern.as_ref().filter(|_| !is_whole) {
            if !pattern.is_match(&relative) {
                return ListingStep::Again;
            }
            any_ending = pattern.names_ending();
        }
        if holds_records(&relative) {
            return ListingStep::Records { path, is_named: false, within: Some(self.root.clone()) };
        }
        if !any_ending && !is_document(&relative, seen.endings) {
            seen.skipped.count_ending(&relative);
            return ListingStep::Again;
        }
        if self.is_recording(&path, seen) {
            seen.skipped.count(SkipReason::Recording);
            return ListingStep::Again;
        }
        let qualified = with_parent(&self.label, &relative);
        ListingStep::Found(Input::found(as_written(&relative), qualified, Origin::File(path)))
    }

    /// Returns whether a file is the recorded answer of a model, in a folder of such.
    fn is_recording(&mut self, path: &Path, seen: &WalkState) -> bool {
        let (Some(level), Some(folder), Some(name)) = (self.open.last_mut(), path.parent(), path.file_name())
        else {
            return false;
        };
        may_be_recording(name)
            && *level.has_recordings.get_or_insert_with(|| seen.holds_recordings.is_some_and(|is| is(folder)))
    }

    fn enter(&mut self, relative: PathBuf, is_whole: bool, seen: &mut WalkState) -> ListingStep {
        if !is_whole && self.pattern.as_ref().is_some_and(|pattern| !pattern.may_hold(&relative)) {
            return ListingStep::Again;
        }
        let is_root = self.open.is_empty();
        if self.open.len() > MOST_DEPTH {
            seen.skipped.count(SkipReason::TooDeep);
            return ListingStep::Again;
        }
        let joined = self.root.join(&relative);
        let path = if joined.as_os_str().is_empty() { PathBuf::from(".") } else { joined };
        let key = match FolderKey::of(&path) {
            Ok(key) => key,
            Err(error) => {
                return ListingStep::Error(match ReadError::from(error) {
                    ReadError::Missing => InputError::Vanished { path },
                    error => InputError::refused(Origin::File(path), error),
                });
            }
        };
        if !is_root && (seen.is_apart(&key) || seen.holds_results.is_some_and(|is| is(&path))) {
            seen.skipped.count(SkipReason::Results);
            return ListingStep::Again;
        }
        let entered = if self.pattern.is_some() { &mut self.entered } else { &mut seen.folders };
        if !entered.insert(key) {
            seen.skipped.count(SkipReason::FolderAgain);
            return ListingStep::Repeated;
        }
        match OpenFolder::open(&path) {
            Ok(folder) => {
                self.open.push(FolderLevel {
                    relative,
                    folder,
                    entries: Vec::new().into_iter(),
                    is_empty: true,
                    is_whole,
                    has_recordings: None,
                });
                ListingStep::Again
            }
            Err(ReadError::Special(_)) => {
                seen.skipped.count(SkipReason::Special);
                ListingStep::Again
            }
            Err(error) => ListingStep::Error(match error {
                ReadError::Missing => InputError::Vanished { path },
                error => InputError::refused(Origin::File(path), error),
            }),
        }
    }

    /// The number of entries in memory.
    #[cfg(test)]
    pub(super) fn in_memory(&self) -> usize {
        self.open.iter().map(|level| level.entries.len()).sum()
    }
}
