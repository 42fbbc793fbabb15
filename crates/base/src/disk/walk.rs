//! The files in a folder of a project, as far as a profile could reach them.

use super::read::{ReadError, check, find_below, is_hidden};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Most entries of folders that are inspected. No project has so many; a folder of documents may.
pub const MAX_ENTRIES: usize = 10_000;

/// The findings of a walk.
#[derive(Debug, Default)]
pub struct Walk {
    /// Regular files, sorted.
    pub files: Vec<PathBuf>,
    /// Files that exist and are not read, with the reason.
    pub refused: Vec<(PathBuf, ReadError)>,
    /// `true` if there was more than [`MAX_ENTRIES`].
    pub cut: bool,
    entries: usize,
    entered: BTreeSet<PathBuf>,
}

/// The files in `folder`, a path below `root`, and in its folders, down to `depth` levels. Each folder is entered once,
/// regardless of the links to it, and links are followed as far as they stay below `root`. Hidden files are left out.
#[must_use]
pub fn files_below(root: &Path, folder: &str, depth: usize) -> Walk {
    let mut walk = Walk::default();
    walk.enter(root, Path::new(folder), depth);
    walk.files.sort();
    walk.refused.sort_by(|one, other| one.0.cmp(&other.0));
    walk
}

impl Walk {
    fn enter(&mut self, root: &Path, folder: &Path, depth: usize) {
        if depth == 0 {
            return;
        }
        let real = match find_below(root, folder) {
            Ok(Some(real)) => real,
            Ok(None) => return,
            Err(error) => return self.refused.push((root.join(folder), error)),
        };
        if !self.entered.insert(real.clone()) {
            return;
        }
        let Ok(entries) = std::fs::read_dir(&real) else { return };
        for entry in entries.flatten() {
            if self.entries == MAX_ENTRIES {
                self.cut = true;
                return;
            }
            self.entries += 1;
            let name = folder.join(entry.file_name());
            if name.components().next_back().is_some_and(is_hidden) {
                continue;
            }
            let path = root.join(&name);
            // Of a link, its target. A link that leads nowhere is nothing.
            match find_below(root, &name) {
                Ok(Some(real)) => match std::fs::metadata(&real).map(|found| check(&found)) {
                    Ok(Ok(())) => self.files.push(path),
                    Ok(Err(ReadError::Folder)) => self.enter(root, &name, depth - 1),
                    Ok(Err(error)) => self.refused.push((path, error)),
                    Err(_) => {}
                },
                Ok(None) => {}
                Err(error) => self.refused.push((path, error)),
            }
        }
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_once_and_not_out_of_the_project() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("rules/deep/deeper")).unwrap();
        for name in ["a", "rules/b", "rules/deep/c", "rules/deep/deeper/d", "rules/.hidden"] {
            std::fs::write(at(name), "").unwrap();
        }
        symlink("/", at("rules/everything")).unwrap();
        symlink(".", at("rules/itself")).unwrap();
        symlink("../a", at("rules/near")).unwrap();
        symlink("nowhere", at("rules/dangling")).unwrap();
        let walk = files_below(folder.path(), "rules", 2);
        assert_eq!(walk.files, [at("rules/b"), at("rules/deep/c"), at("rules/near")]);
        let refused: Vec<&PathBuf> = walk.refused.iter().map(|(path, _)| path).collect();
        assert_eq!(refused, [&at("rules/everything")]);
        assert!(!walk.cut);
    }
}
