//! The one module that writes a project's files.

use super::change::{Change, How};
use crate::disk::{self, Access};
use crate::profile::MAX_FILE_BYTES;
use crate::value::ShownPath;
use crate::value::prose::listed;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The reason why files are not, or not all, written.
#[derive(Debug)]
pub enum WriteError {
    /// These exist already. Nothing was written.
    Occupied(Vec<PathBuf>),
    /// A folder is needed where something else is. Nothing was written.
    NoFolder(PathBuf),
    /// This one is not as it was when the change was planned. Nothing was written.
    Changed(PathBuf),
    /// The system refused. Files before this one were written.
    Io(PathBuf, io::Error),
}

impl std::fmt::Display for WriteError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            WriteError::Occupied(paths) => {
                let are = if paths.len() == 1 { "is" } else { "are" };
                let names = listed(paths.iter().map(|path| path.shown()));
                write!(f, "{names} {are} there already; nothing was written")
            }
            WriteError::NoFolder(path) => write!(f, "`{}` is not a folder", path.shown()),
            WriteError::Changed(path) => {
                write!(f, "`{}` was changed in the meantime; nothing was written", path.shown())
            }
            WriteError::Io(path, error) => write!(f, "can't write `{}`: {error}", path.shown()),
        }
    }
}

impl std::error::Error for WriteError {}

/// Writes the files of a plan below `root`, which is created if need be. Inspects all of them before the first is
/// written: a new one must not exist, one to change must be as it was.
///
/// # Errors
/// [`WriteError`] names the files that are in the way.
pub fn write(root: &Path, changes: &[Change]) -> Result<(), WriteError> {
    look(root, changes)?;
    for change in changes {
        let path = root.join(&change.path);
        put(&path, change).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => WriteError::Occupied(vec![path.clone()]),
            _ => WriteError::Io(path, error),
        })?;
    }
    Ok(())
}

/// Checks that all of it can be written, as far as possible without writing.
fn look(root: &Path, changes: &[Change]) -> Result<(), WriteError> {
    let mut occupied = Vec::new();
    for change in changes {
        let path = root.join(&change.path);
        if let Some(blocked) = path.ancestors().skip(1).find(|above| exists(above) && !above.is_dir()) {
            return Err(WriteError::NoFolder(blocked.to_owned()));
        }
        match &change.how {
            How::Written | How::Copied if exists(&path) => occupied.push(path),
            How::Written | How::Copied => {}
            How::Changed { before } => {
                let same = disk::read(&path, MAX_FILE_BYTES).is_ok_and(|bytes| bytes == before.as_bytes());
                if !same {
                    return Err(WriteError::Changed(path));
                }
            }
        }
    }
    if occupied.is_empty() { Ok(()) } else { Err(WriteError::Occupied(occupied)) }
}

/// A link that leads nowhere occupies its path, too.
fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// A file that is changed is there whole, before or after.
fn put(path: &Path, change: &Change) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let bytes = change.text.as_bytes();
    match &change.how {
        How::Written | How::Copied => std::fs::File::create_new(path)?.write_all(bytes),
        // Of a link, its target.
        How::Changed { .. } => disk::replace(&path.canonicalize()?, bytes, Access::AsBefore),
    }
}
