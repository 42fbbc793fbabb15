//! The contents of a folder of documents, read a part at a time: such a folder may hold more than memory does.

use super::read::{ReadError, check, check_kind_of_file_system};
use std::ffi::OsString;
use std::fs::ReadDir;
use std::io;
use std::path::Path;

/// Most entries that are in memory at once. A folder with fewer is sorted as a whole.
pub(super) const ENTRIES_AT_ONCE: usize = 4_096;

/// The kind of an entry in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A link, not followed.
    Link,
    /// A pipe, device or socket.
    Special,
}

/// One name in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name in the folder.
    pub name: OsString,
    /// The kind of the entry.
    pub kind: EntryKind,
}

/// A folder that is being read.
#[derive(Debug)]
pub struct OpenFolder {
    /// `None` when all was read, so that not many folders are open at once.
    rest: Option<ReadDir>,
}

impl OpenFolder {
    /// Opens a folder.
    ///
    /// # Errors
    /// The error of the system; [`ReadError::Special`] for those in which the kernel shows the state of processes.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        check_kind_of_file_system(path)?;
        Ok(OpenFolder { rest: Some(std::fs::read_dir(path)?) })
    }

    /// The next entries, sorted by name, a bounded number; none at the end. After an error there are no more: what
    /// was read before it comes with it.
    pub fn read_some(&mut self) -> (Vec<Entry>, Option<io::Error>) {
        let mut entries = Vec::new();
        let mut failed = None;
        while let Some(rest) = self.rest.as_mut().filter(|_| entries.len() < ENTRIES_AT_ONCE) {
            let entry = match rest.next() {
                None => {
                    self.rest = None;
                    break;
                }
                Some(entry) => entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?))),
            };
            match entry {
                Ok((name, kind)) => entries.push(Entry { name, kind: kind_of(kind) }),
                // It went away since its name was read.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    failed = Some(error);
                    self.rest = None;
                }
            }
        }
        entries.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        (entries, failed)
    }
}

fn kind_of(kind: std::fs::FileType) -> EntryKind {
    if kind.is_file() {
        EntryKind::File
    } else if kind.is_dir() {
        EntryKind::Folder
    } else if kind.is_symlink() {
        EntryKind::Link
    } else {
        EntryKind::Special
    }
}

/// The kind of entry that a link leads to.
///
/// # Errors
/// [`ReadError::Missing`] when it leads nowhere or in a circle; what else the system says.
pub fn followed(path: &Path) -> Result<EntryKind, ReadError> {
    let found = match std::fs::metadata(path) {
        Err(error) if is_circle(&error) => return Err(ReadError::Missing),
        found => found?,
    };
    match check(&found) {
        Ok(()) => {
            let plain = check_kind_of_file_system(path).is_ok();
            Ok(if plain { EntryKind::File } else { EntryKind::Special })
        }
        Err(ReadError::Folder) => Ok(EntryKind::Folder),
        Err(ReadError::Special(_)) => Ok(EntryKind::Special),
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn is_circle(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(not(unix))]
fn is_circle(_: &io::Error) -> bool {
    false
}

/// The identity of a folder or file, regardless of its name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FolderKey(#[cfg(unix)] (u64, u64), #[cfg(not(unix))] std::path::PathBuf);

impl FolderKey {
    /// Of the folder or file that has this name, or to which a link of this name leads.
    ///
    /// # Errors
    /// The error of the system.
    #[cfg(unix)]
    pub fn of(path: &Path) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt;
        let found = std::fs::metadata(path)?;
        Ok(FolderKey((found.dev(), found.ino())))
    }

    /// Of the folder that has this name, or to which a link of this name leads.
    ///
    /// # Errors
    /// The error of the system.
    #[cfg(not(unix))]
    pub fn of(path: &Path) -> io::Result<Self> {
        path.canonicalize().map(FolderKey)
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_large_folder_is_read_in_parts_and_a_small_one_is_sorted_whole() {
        // In memory where that can be: thousands of files take some disks a while.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        for number in 0..ENTRIES_AT_ONCE + 10 {
            std::fs::write(folder.path().join(format!("{number}.txt")), "").unwrap();
        }
        let mut open = OpenFolder::open(folder.path()).unwrap();
        let (first, failed) = open.read_some();
        assert!(failed.is_none());
        assert_eq!(first.len(), ENTRIES_AT_ONCE);
        assert!(first.is_sorted_by(|one, other| one.name < other.name));
        assert_eq!(open.read_some().0.len(), 10);
        assert!(open.read_some().0.is_empty());
    }

    #[test]
    fn what_a_link_leads_to_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "").unwrap();
        for (target, link) in [
            ("file", "to-file"),
            (".", "to-folder"),
            ("nowhere", "dangling"),
            ("circle", "circle"),
            ("/dev/zero", "device"),
            ("/proc/self/environ", "kernel"),
        ] {
            symlink(target, at(link)).unwrap();
        }
        assert_eq!(followed(&at("to-file")).unwrap(), EntryKind::File);
        assert_eq!(followed(&at("to-folder")).unwrap(), EntryKind::Folder);
        assert_eq!(followed(&at("device")).unwrap(), EntryKind::Special);
        for nowhere in ["dangling", "circle"] {
            assert!(matches!(followed(&at(nowhere)), Err(ReadError::Missing)), "{nowhere}");
        }
        assert_eq!(FolderKey::of(&at("to-folder")).unwrap(), FolderKey::of(folder.path()).unwrap());
        #[cfg(target_os = "linux")]
        {
            assert_eq!(followed(&at("kernel")).unwrap(), EntryKind::Special);
            assert!(matches!(OpenFolder::open(Path::new("/proc/self")), Err(ReadError::Special(_))));
        }
    }
}
