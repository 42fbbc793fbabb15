//! The users besides root and this process's own who could change a file: what others can change is not trusted.

use super::read::{ReadError, bounded, open};
use crate::value::ShownPath;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// Longest chain of links that is followed, as in the kernel.
const MOST_LINKS: usize = 40;

/// Another user who could change a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stranger {
    /// It belongs to another user.
    Owner(u32),
    /// Every user may write it.
    Everybody,
    /// The members of its group may write it.
    Group(u32),
}

impl std::fmt::Display for Stranger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stranger::Owner(user) => write!(f, "it belongs to another user (number {user})"),
            Stranger::Everybody => f.write_str("others may write it (`chmod o-w`)"),
            Stranger::Group(group) => {
                write!(f, "the members of its group (number {group}) may write it (`chmod g-w`)")
            }
        }
    }
}

/// The user besides root and that of this process who could change the file, by its metadata.
#[cfg(unix)]
#[must_use]
pub fn stranger(found: &Metadata) -> Option<Stranger> {
    stranger_to(found, rustix::process::geteuid().as_raw())
}

/// Like [`stranger`], with another user than that of this process.
#[cfg(unix)]
#[must_use]
pub fn stranger_to(found: &Metadata, user: u32) -> Option<Stranger> {
    use std::os::unix::fs::MetadataExt;
    let (owner, group) = (found.uid(), found.gid());
    if owner != 0 && owner != user {
        Some(Stranger::Owner(owner))
    } else {
        writer(found.mode(), owner, group)
    }
}

/// The user besides the owner who may write a file. A group that has the number of its user is that user's own on
/// systems that give every user such a group, and let it write what the user makes.
#[cfg(unix)]
fn writer(mode: u32, owner: u32, group: u32) -> Option<Stranger> {
    if mode & 0o002 != 0 {
        Some(Stranger::Everybody)
    } else if mode & 0o020 != 0 && (group != owner || owner == 0) {
        Some(Stranger::Group(group))
    } else {
        None
    }
}

/// Elsewhere the standard library does not tell.
#[cfg(not(unix))]
#[must_use]
pub fn stranger(_: &Metadata) -> Option<Stranger> {
    None
}

/// Elsewhere the standard library does not tell.
#[cfg(not(unix))]
#[must_use]
pub fn stranger_to(_: &Metadata, _: u32) -> Option<Stranger> {
    None
}

/// Reads a regular file that no one else could have changed.
///
/// # Errors
/// As [`super::read()`]; [`ReadError::Strange`].
pub fn read_own(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let file = open(path)?;
    match stranger(&file.metadata()?) {
        Some(stranger) => Err(ReadError::Strange(stranger)),
        None => bounded(file, limit),
    }
}

/// Checks that no one else could replace the file at `path`, be it through a link that leads to it.
///
/// # Errors
/// In words, the folder that another user may write.
pub fn check_place(path: &Path) -> Result<(), String> {
    let mut at = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        let folder = folder_of(&at);
        check_folder(&folder)?;
        match std::fs::read_link(&at) {
            Ok(target) => at = folder.join(target),
            Err(_) => return Ok(()),
        }
    }
    Err("too many links lead to it".to_owned())
}

/// Checks that no one else can rename or replace the contents of a folder.
///
/// # Errors
/// In words, the folder that another user may write.
pub(super) fn check_folder(folder: &Path) -> Result<(), String> {
    let unknown =
        |error: std::io::Error| format!("its folder `{}` can't be checked: {error}", folder.shown());
    let real = folder.canonicalize().map_err(unknown)?;
    let found = std::fs::metadata(&real).map_err(unknown)?;
    if let Some(stranger) = stranger(&found) {
        return Err(format!("its folder `{}` is not yours alone: {stranger}", real.shown()));
    }
    check_above(&real)
}

/// Checks that a folder that is made in this one stays in place: others may write there, but rename only their own.
///
/// # Errors
/// In words, the folder that another user may write.
pub fn check_shared(folder: &Path) -> Result<(), String> {
    let unknown = |error: std::io::Error| format!("`{}` can't be checked: {error}", folder.shown());
    let real = folder.canonicalize().map_err(unknown)?;
    let found = std::fs::metadata(&real).map_err(unknown)?;
    match stranger(&found) {
        Some(Stranger::Everybody | Stranger::Group(_)) if is_sticky(&found) => {}
        Some(stranger) => return Err(format!("`{}` is not safe: {stranger}", real.shown())),
        None => {}
    }
    check_above(&real)
}

#[cfg(unix)]
fn is_sticky(found: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    found.mode() & 0o1000 != 0
}

#[cfg(not(unix))]
fn is_sticky(_: &Metadata) -> bool {
    false
}

/// Checks that no one else can replace this folder by another: in a folder with the sticky bit, such as `/tmp`, each
/// user renames only what is their own.
#[cfg(unix)]
fn check_above(real: &Path) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;
    for above in real.ancestors().skip(1) {
        let Ok(found) = std::fs::metadata(above) else { continue };
        match writer(found.mode(), found.uid(), found.gid()) {
            Some(stranger) if !is_sticky(&found) => {
                return Err(format!("its folder lies in `{}`: {stranger}", above.shown()));
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_above(_: &Path) -> Result<(), String> {
    Ok(())
}

fn folder_of(path: &Path) -> PathBuf {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_path_buf()
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn chmod(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_group_may_write_only_where_it_is_the_users_own() {
        assert_eq!(writer(0o644, 1000, 100), None);
        assert_eq!(writer(0o664, 1000, 100), Some(Stranger::Group(100)));
        assert_eq!(writer(0o664, 1000, 1000), None);
        assert_eq!(writer(0o666, 1000, 1000), Some(Stranger::Everybody));
        // The group of root has members on some systems.
        assert_eq!(writer(0o664, 0, 0), Some(Stranger::Group(0)));
    }

    #[test]
    fn another_users_file_is_a_strangers() {
        use std::os::unix::fs::MetadataExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "x").unwrap();
        chmod(&path, 0o644);
        let found = std::fs::metadata(&path).unwrap();
        assert_eq!(stranger(&found), None);
        assert_eq!(read_own(&path, 9).unwrap(), b"x");
        let other = stranger_to(&found, found.uid() + 1);
        assert_eq!(other, (found.uid() != 0).then_some(Stranger::Owner(found.uid())));
        chmod(&path, 0o646);
        assert!(matches!(read_own(&path, 9), Err(ReadError::Strange(Stranger::Everybody))));
    }

    #[test]
    fn every_folder_that_leads_to_a_file_counts() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["open/inner", "own", "closed"] {
            std::fs::create_dir_all(at(name)).unwrap();
            chmod(&at(name), 0o755);
        }
        chmod(&at("open"), 0o777);
        for file in ["open/file", "open/inner/file", "closed/file"] {
            std::fs::write(at(file), "").unwrap();
        }
        symlink("../closed/file", at("own/near")).unwrap();
        symlink("../open/file", at("own/there")).unwrap();
        symlink("../closed/file", at("open/link")).unwrap();
        symlink("../open/link", at("own/through")).unwrap();
        symlink("itself", at("own/itself")).unwrap();
        for good in ["closed/file", "closed/none", "own/near"] {
            assert_eq!(check_place(&at(good)), Ok(()), "{good}");
        }
        for bad in ["open/file", "open/inner/file", "own/there", "own/through", "own/itself"] {
            assert!(check_place(&at(bad)).is_err(), "{bad}");
        }
        // The members of its group could rename what is in it, unless that is its owner's own group.
        chmod(&at("open"), 0o775);
        let is_open = stranger(&std::fs::metadata(at("open")).unwrap()).is_some();
        assert_eq!(check_place(&at("open/inner/file")).is_err(), is_open);
        chmod(&at("open"), 0o1775);
        assert_eq!(check_place(&at("open/inner/file")), Ok(()));
        chmod(&at("open"), 0o1777);
        assert_eq!(check_place(&at("open/inner/file")), Ok(()));
        assert!(check_place(&at("open/file")).is_err());
    }
}
