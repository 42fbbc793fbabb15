//! Writes files whole: a reader meanwhile, or after a crash, finds the earlier file or the new one.

use std::io::{self, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// The users who may read a file that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Its owner alone: it holds what documents say, or what is trusted.
    Owner,
    /// Those who may read the current file.
    AsBefore,
}

/// Replaces the file at `path` by `bytes`. When this returns, they are on the disk under that name; when it fails, the
/// earlier file is unchanged.
///
/// # Errors
/// The error of the system, without the name of the temporary file, which means nothing to a user.
pub fn replace(path: &Path, bytes: &[u8], access: Access) -> io::Result<()> {
    replace_named(path, bytes, access, true).map_err(plain)
}

/// Like [`replace`], for its owner's file that can be written again from elsewhere: a reader finds the earlier file or
/// the new one, but after a loss of power maybe neither.
///
/// # Errors
/// As [`replace`].
pub fn replace_unsynced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_named(path, bytes, Access::Owner, false).map_err(plain)
}

/// Writes its owner's file piece by piece: `content` gets a function that takes a piece. It may be cut off after a
/// crash.
///
/// # Errors
/// As [`replace`]; of a piece, what takes it says so.
pub fn write_private<T>(
    path: &Path,
    content: impl FnOnce(&mut dyn FnMut(&[u8]) -> io::Result<()>) -> T,
) -> io::Result<T> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let written = || {
        let mut file = io::BufWriter::new(temporary_in(folder)?);
        let made = content(&mut |piece| file.write_all(piece).map_err(plain));
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(made)
    };
    written().map_err(plain)
}

/// Replaces its owner's file at `path` by what `content` writes. On any error the earlier file is unchanged.
///
/// # Errors
/// As [`replace`]; what `content` says is within.
pub fn write_whole<T, E>(
    path: &Path,
    content: impl FnOnce(&mut std::fs::File) -> Result<T, E>,
) -> io::Result<Result<T, E>> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let written = || {
        let mut file = temporary_in(folder)?;
        let made = match content(file.as_file_mut()) {
            Ok(made) => made,
            Err(error) => return Ok(Err(error)),
        };
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(Ok(made))
    };
    written().map_err(plain)
}

/// Removes a file that is no longer needed, if it exists.
pub fn remove(path: &Path) {
    let _ = std::fs::remove_file(path);
}

/// Tries that files can be written to a folder, before any work is done whose results go there.
///
/// # Errors
/// As [`replace`].
pub fn try_folder(folder: &Path) -> io::Result<()> {
    temporary_in(folder).map(drop).map_err(plain)
}

fn replace_named(path: &Path, bytes: &[u8], access: Access, sync: bool) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = temporary_in(folder)?;
    file.write_all(bytes)?;
    if access == Access::AsBefore {
        file.as_file().set_permissions(std::fs::metadata(path)?.permissions())?;
    }
    if sync {
        file.as_file().sync_all()?;
    }
    file.persist(path).map_err(|error| error.error)?;
    // The new name is in the folder, which is a file of its own.
    #[cfg(unix)]
    if sync {
        std::fs::File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// A file that removes itself unless it is given a name. It is its owner's alone.
fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(".loopctl-").suffix(".tmp").tempfile_in(folder)
}

fn plain(error: io::Error) -> io::Error {
    error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error)
}

/// Makes a folder with those above it, their owner's alone where there were none.
pub fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut maker = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut maker, 0o700);
    maker.recursive(true).create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        replace(&path, b"one", Access::Owner).unwrap();
        replace(&path, b"two", Access::AsBefore).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        let error = replace(&folder.path().join("none/file"), b"", Access::Owner).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(!error.to_string().contains(".loopctl-"), "{error}");
        // A folder is there.
        assert!(replace(folder.path(), b"", Access::Owner).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        try_folder(folder.path()).unwrap();
        assert!(try_folder(&path).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn only_its_owner_may_read_a_new_file_and_a_changed_one_stays_as_readable_as_it_was() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        replace(&path, b"one", Access::Owner).unwrap();
        assert_eq!(mode(), 0o600);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        replace(&path, b"two", Access::AsBefore).unwrap();
        assert_eq!(mode(), 0o644);
        replace(&path, b"three", Access::Owner).unwrap();
        assert_eq!(mode(), 0o600);
    }
}
