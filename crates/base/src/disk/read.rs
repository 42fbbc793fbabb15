//! Opens files for reading. A profile may be someone else's, and what it names is shown to servers that it names: so
//! what it reaches is a regular file below its folder, after links are resolved, and nothing else is opened. A named
//! pipe is never waited for, and nothing is read without a bound.

use crate::value::ShownPath;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// The reason why a file is not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Nothing has that name.
    #[error("there is no such file")]
    Missing,
    /// A folder has that name.
    #[error("it is a folder")]
    Folder,
    /// A pipe, device or socket, or a file in which the kernel shows the state of processes.
    #[error("it is {0}, not a regular file")]
    Special(&'static str),
    /// A link leads out of the folder that it must stay in.
    #[error("it leads out of the folder `{}`", root.shown())]
    Outside {
        /// The folder.
        root: PathBuf,
    },
    /// Its real path has a name that begins with a dot, as files with credentials have.
    #[error("it is, or leads to, a hidden file or folder")]
    Hidden,
    /// More bytes than are read.
    #[error("it has more than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// Another user could have changed it.
    #[error("{0}")]
    Strange(super::Stranger),
    /// The system does not permit it.
    #[error("you may not read it")]
    Denied,
    /// Anything else that the system says.
    #[error("{0}")]
    Io(io::Error),
}

impl ReadError {
    /// Advice on what to do about it, where the message does not say enough.
    #[must_use]
    pub fn help(&self) -> Option<&'static str> {
        match self {
            ReadError::Special(_) => Some("put a regular file in its place"),
            ReadError::Outside { .. } => Some(
                "what a profile names must lie in its own folder, where links are followed: copy it there",
            ),
            ReadError::Hidden => {
                Some("a profile can't name files whose path has a name that begins with a dot: rename it")
            }
            ReadError::TooLarge { .. } => Some("check that this is the file you meant"),
            _ => None,
        }
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ReadError::Missing,
            io::ErrorKind::IsADirectory => ReadError::Folder,
            io::ErrorKind::PermissionDenied => ReadError::Denied,
            _ => ReadError::Io(error),
        }
    }
}

/// Opens a regular file.
///
/// # Errors
/// [`ReadError`]; anything but a regular file is refused without being waited for.
pub fn open(path: &Path) -> Result<File, ReadError> {
    open_regular(path, Links::Followed)
}

/// Opens what a person named on the command line: a pipe, too, which is then waited for.
///
/// # Errors
/// The error of the system.
pub fn open_input(path: &Path) -> Result<File, ReadError> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() { Err(ReadError::Folder) } else { Ok(file) }
}

/// Opens `name` in the folder `root`. `None` when no file has that name there.
///
/// # Errors
/// As [`find_below`] and [`open`].
pub(super) fn open_below(root: &Path, name: &str) -> Result<Option<File>, ReadError> {
    let Some(path) = find_below(root, name)? else { return Ok(None) };
    match open_regular(&path, Links::Refused) {
        Ok(file) => Ok(Some(file)),
        Err(ReadError::Missing | ReadError::Folder) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The real path of `name` in the folder `root`, a file or folder below the real path of `root`. `None` when nothing has
/// that name there.
///
/// # Errors
/// [`ReadError::Outside`] when a link leads out of `root`, [`ReadError::Hidden`], and what the system says.
pub fn find_below(root: &Path, name: impl AsRef<Path>) -> Result<Option<PathBuf>, ReadError> {
    let named = if root.as_os_str().is_empty() { Path::new(".") } else { root };
    // A root that does not exist, or may not be read, holds nothing.
    let Ok(home) = named.canonicalize() else { return Ok(None) };
    let real = match named.join(name).canonicalize() {
        Ok(real) => real,
        Err(error) => {
            return match ReadError::from(error) {
                ReadError::Missing => Ok(None),
                error => Err(error),
            };
        }
    };
    let Ok(below) = real.strip_prefix(&home) else {
        return Err(ReadError::Outside { root: named.to_path_buf() });
    };
    if below.components().any(is_hidden) { Err(ReadError::Hidden) } else { Ok(Some(real)) }
}

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
/// As [`open`]; [`ReadError::TooLarge`].
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    bounded(open(path)?, limit)
}

/// Reads `name` in the folder `root`. `None` when no file has that name there.
///
/// # Errors
/// When it can't be opened; [`ReadError::TooLarge`].
pub fn read_below(root: &Path, name: &str, limit: u64) -> Result<Option<Vec<u8>>, ReadError> {
    open_below(root, name)?.map(|file| bounded(file, limit)).transpose()
}

/// Reads what a person named on the command line.
///
/// # Errors
/// As [`open_input`]; [`ReadError::TooLarge`].
pub fn read_input(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    bounded(open_input(path)?, limit)
}

/// The size that a file claims is not trusted: pipes have none, and files grow.
pub(super) fn bounded(file: File, limit: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(ReadError::TooLarge { limit }) } else { Ok(bytes) }
}

/// Returns whether the name begins with one dot. Two dots begin the names of versions in mounted folders of Kubernetes.
pub(super) fn is_hidden(part: Component<'_>) -> bool {
    let name = part.as_os_str().as_encoded_bytes();
    name.starts_with(b".") && !name.starts_with(b"..") && name != b"."
}

/// The treatment of a link where a file was.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Links {
    Followed,
    /// The path was resolved: a link there now was put there since.
    Refused,
}

/// Inspects the file before it is opened, because opening alone has effects on some devices; and once more when it is
/// open, because something else may have that name by then.
fn open_regular(path: &Path, links: Links) -> Result<File, ReadError> {
    check(&std::fs::metadata(path)?)?;
    let file = open_without_waiting(path, links)?;
    check(&file.metadata()?)?;
    check_file_system(&file)?;
    Ok(file)
}

#[cfg(unix)]
fn open_without_waiting(path: &Path, links: Links) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    // `NONBLOCK` means nothing to regular files; to open a pipe with it takes no writer.
    let mut flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    if links == Links::Refused {
        flags |= OFlags::NOFOLLOW;
    }
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn open_without_waiting(path: &Path, _: Links) -> io::Result<File> {
    File::open(path)
}

pub(super) fn check(found: &Metadata) -> Result<(), ReadError> {
    if found.is_file() {
        return Ok(());
    }
    if found.is_dir() {
        return Err(ReadError::Folder);
    }
    Err(ReadError::Special(special(found)))
}

#[cfg(unix)]
fn special(found: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    let kind = found.file_type();
    if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn special(_: &Metadata) -> &'static str {
    "a device"
}

/// Refuses what the kernel shows of processes (their environment, their memory), which looks like regular files.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn check_file_system(file: &File) -> Result<(), ReadError> {
    check_magic(rustix::fs::fstatfs(file).map_err(io::Error::from)?.f_type)
}

/// Like [`check_file_system`], by name, without opening it.
///
/// # Errors
/// [`ReadError::Special`] for what the kernel shows; what the system says.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn check_kind_of_file_system(path: &Path) -> Result<(), ReadError> {
    check_magic(rustix::fs::statfs(path).map_err(io::Error::from)?.f_type)
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn check_magic(kind: rustix::fs::FsWord) -> Result<(), ReadError> {
    const SYSFS_MAGIC: rustix::fs::FsWord = 0x6265_6572;
    if kind == rustix::fs::PROC_SUPER_MAGIC || kind == SYSFS_MAGIC {
        return Err(ReadError::Special("a file of the kernel"));
    }
    Ok(())
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn check_file_system(_: &File) -> Result<(), ReadError> {
    Ok(())
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn check_kind_of_file_system(_: &Path) -> Result<(), ReadError> {
    Ok(())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn fifo(path: &Path) {
        let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
    }

    #[test]
    fn only_regular_files_are_opened_and_a_pipe_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "text").unwrap();
        symlink(at("file"), at("link")).unwrap();
        fifo(&at("pipe"));
        assert_eq!(read(&at("link"), 4).unwrap(), b"text");
        assert!(matches!(read(&at("file"), 3), Err(ReadError::TooLarge { limit: 3 })));
        assert!(matches!(open(&at("none")), Err(ReadError::Missing)));
        assert!(matches!(open(&at("file/none")), Err(ReadError::Missing)));
        assert!(matches!(open(folder.path()), Err(ReadError::Folder)));
        assert!(matches!(open(&at("pipe")), Err(ReadError::Special("a named pipe"))));
        assert!(matches!(open(Path::new("/dev/zero")), Err(ReadError::Special("a device"))));
        #[cfg(target_os = "linux")]
        assert!(matches!(
            open(Path::new("/proc/self/environ")),
            Err(ReadError::Special("a file of the kernel"))
        ));
    }

    #[test]
    fn what_is_named_below_a_folder_stays_there() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["root/rules", "root/.git", "root/..data", "other"] {
            std::fs::create_dir_all(at(name)).unwrap();
        }
        for name in ["root/a", "root/.git/config", "root/..data/x", "other/secret"] {
            std::fs::write(at(name), name).unwrap();
        }
        for (target, link) in [
            ("../other/secret", "root/file"),
            ("../other", "root/folder"),
            ("../a", "root/rules/near"),
            ("../root/.git/config", "root/hidden"),
            ("..data/x", "root/mounted"),
            ("nowhere", "root/dangling"),
            ("root", "linked"),
        ] {
            symlink(target, at(link)).unwrap();
        }
        let read = |root: &str, name: &str| read_below(&at(root), name, 99);
        assert_eq!(read("root", "a").unwrap().unwrap(), b"root/a");
        assert_eq!(read("root", "rules/near").unwrap().unwrap(), b"root/a");
        // A user who names a root that is a link means what it leads to.
        assert_eq!(read("linked", "rules/near").unwrap().unwrap(), b"root/a");
        assert_eq!(read("root", "mounted").unwrap().unwrap(), b"root/..data/x");
        for nothing in ["none", "a/none", "dangling", "rules"] {
            assert!(read("root", nothing).unwrap().is_none(), "{nothing}");
        }
        for outside in ["file", "folder/secret", "../other/secret"] {
            assert!(matches!(read("root", outside), Err(ReadError::Outside { .. })), "{outside}");
        }
        for hidden in ["hidden", ".git/config"] {
            assert!(matches!(read("root", hidden), Err(ReadError::Hidden)), "{hidden}");
        }
    }
}
