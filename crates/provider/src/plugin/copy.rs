//! Holds the bytes that were checked while they are loaded: no one else can change them there, or put other bytes in
//! their place. In memory where the system can do that; else in a folder of this user alone.

use std::env::consts::DLL_SUFFIX;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use crate::disk;

const PREFIX: &str = "loopctl-plugin-";

/// No plugin takes this long to load.
const LEFT_BEHIND: Duration = Duration::from_secs(24 * 60 * 60);

/// A location for bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CopyLocation {
    /// In memory, sealed.
    Memory,
    /// In a folder of their own in this one.
    Folder(PathBuf),
}

/// Bytes that can be loaded by a path for as long as this lives.
pub(super) struct LibraryCopy {
    path: PathBuf,
    held: CopyBacking,
}

enum CopyBacking {
    #[cfg_attr(
        not(any(target_os = "linux", target_os = "android")),
        expect(dead_code, reason = "of Linux alone")
    )]
    Memory(File),
    /// Removed when dropped, which a system that has the file mapped doesn't mind; where it does, and where the plugin ends
    /// the process while it is loaded, the folder stays until a later process finds it.
    Folder(#[expect(dead_code, reason = "held for its end")] TempDir),
}

impl CopyLocation {
    /// The locations to try, in this order: systems may refuse to run what is in some of them.
    pub(super) fn all() -> Vec<Self> {
        let variable = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let cache = variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")));
        let folders = [Some(std::env::temp_dir()), variable("XDG_RUNTIME_DIR"), cache];
        std::iter::once(CopyLocation::Memory)
            .chain(folders.into_iter().flatten().map(CopyLocation::Folder))
            .collect()
    }

    /// Puts the bytes there.
    ///
    /// # Errors
    /// When the system has no such location, takes no more, or others could change what is there.
    pub(super) fn hold(&self, bytes: &[u8]) -> io::Result<LibraryCopy> {
        match self {
            CopyLocation::Memory => in_memory(bytes),
            CopyLocation::Folder(folder) => in_folder(folder, bytes),
        }
    }
}

impl LibraryCopy {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The library is loaded. The system knows it by its path, so none that is loaded later may have the same one.
    pub(super) fn keep_loaded(self) {
        if let CopyBacking::Memory(file) = self.held {
            std::mem::forget(file);
        }
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn in_memory(bytes: &[u8]) -> io::Result<LibraryCopy> {
    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
    use std::os::fd::AsRawFd;
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    // Kernels before 6.3 don't know `EXEC`, and need none.
    let memory = memfd_create("loopctl-plugin", flags | MemfdFlags::EXEC)
        .or_else(|_| memfd_create("loopctl-plugin", flags))?;
    let mut file = File::from(memory);
    file.write_all(bytes)?;
    // Other processes of the same user could open it, too.
    fcntl_add_seals(&file, SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL)?;
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    Ok(LibraryCopy { path, held: CopyBacking::Memory(file) })
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn in_memory(_: &[u8]) -> io::Result<LibraryCopy> {
    Err(io::ErrorKind::Unsupported.into())
}

fn in_folder(parent: &Path, bytes: &[u8]) -> io::Result<LibraryCopy> {
    // Anyone who may rename what is there could put another folder in the place of ours.
    disk::check_shared(parent).map_err(io::Error::other)?;
    remove_left_behind(parent);
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let folder = builder.tempdir_in(parent)?;
    let path = folder.path().join(file_name());
    // Closed again: a file that is being written can't be run.
    File::create_new(&path)?.write_all(bytes)?;
    Ok(LibraryCopy { path, held: CopyBacking::Folder(folder) })
}

fn file_name() -> String {
    format!("plugin{DLL_SUFFIX}")
}

/// Removes the folders of processes that ended while they loaded a plugin. Those that can't be removed, such as another
/// user's, stay.
fn remove_left_behind(parent: &Path) {
    let Ok(entries) = std::fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        // A link itself is inspected, not its target.
        let is_old = || {
            let about = entry.metadata().ok().filter(std::fs::Metadata::is_dir)?;
            Some(about.modified().ok()?.elapsed().ok()? >= LEFT_BEHIND)
        };
        if entry.file_name().to_str().is_some_and(is_ours) && is_old() == Some(true) {
            let _ = std::fs::remove_file(entry.path().join(file_name()));
            // A folder that holds anything else stays.
            let _ = std::fs::remove_dir(entry.path());
        }
    }
}

/// Returns whether a folder is named like ours.
fn is_ours(name: &str) -> bool {
    let unique = name.strip_prefix(PREFIX);
    unique.is_some_and(|unique| unique.len() == 6 && unique.chars().all(|c| c.is_ascii_alphanumeric()))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::time::SystemTime;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn a_folder_in_which_others_may_rename_is_not_used() {
        let parent = tempfile::tempdir().unwrap();
        let place = CopyLocation::Folder(parent.path().to_path_buf());
        let set = |mode| std::fs::set_permissions(parent.path(), PermissionsExt::from_mode(mode)).unwrap();
        set(0o777);
        assert!(place.hold(b"x").is_err());
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
        for safe in [0o1777, 0o755] {
            set(safe);
            let copy = place.hold(b"x").unwrap();
            assert_eq!(std::fs::read(copy.path()).unwrap(), b"x");
            assert_eq!(mode(copy.path().parent().unwrap()), 0o700);
            drop(copy);
            assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
        }
    }

    #[test]
    fn what_was_left_behind_is_removed_when_it_is_old() {
        let parent = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(name);
        let old = SystemTime::now() - 2 * LEFT_BEHIND;
        let aged = |name: &str, with: &str| {
            std::fs::create_dir(at(name)).unwrap();
            std::fs::write(at(name).join(with), "x").unwrap();
            File::open(at(name)).unwrap().set_modified(old).unwrap();
        };
        aged("loopctl-plugin-a1B2c3", &file_name());
        aged("loopctl-plugin-d4E5f6", "notes of mine");
        aged("loopctl-plugin-notes", &file_name());
        std::fs::create_dir(at("loopctl-plugin-g7H8i9")).unwrap();
        CopyLocation::Folder(parent.path().to_path_buf()).hold(b"x").unwrap();
        assert!(!at("loopctl-plugin-a1B2c3").exists());
        for stays in ["loopctl-plugin-d4E5f6", "loopctl-plugin-notes", "loopctl-plugin-g7H8i9"] {
            assert!(at(stays).exists(), "{stays}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_stands_in_memory_can_not_be_changed() {
        let copy = CopyLocation::Memory.hold(b"library").unwrap();
        assert_eq!(std::fs::read(copy.path()).unwrap(), b"library");
        let mut again = File::options().write(true).open(copy.path()).unwrap();
        assert!(again.write_all(b"another").is_err());
        assert!(again.set_len(0).is_err());
        assert_eq!(std::fs::read(copy.path()).unwrap(), b"library");
    }
}
