//! Locations that paths lead to, for those who may go to some folders only.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// The location that a path leads to: links are followed as far as they exist, and the rest is taken as it is written.
pub fn real_place(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut rest: Vec<OsString> = Vec::new();
    let mut up = 0_usize;
    let mut there = whole.as_path();
    loop {
        if let Ok(real) = std::fs::canonicalize(there) {
            let mut place = real;
            for _ in 0..up {
                place.pop();
            }
            place.extend(rest.into_iter().rev());
            return place;
        }
        match there.components().next_back() {
            Some(Component::ParentDir) => up = up.saturating_add(1),
            // A step up takes one that is not there away.
            Some(Component::Normal(_)) if up > 0 => up = up.saturating_sub(1),
            Some(Component::Normal(name)) => rest.push(name.to_os_string()),
            Some(Component::CurDir | Component::RootDir | Component::Prefix(_)) | None => {}
        }
        let Some(parent) = there.parent() else { return whole };
        there = parent;
    }
}

/// Returns whether a path leads into one of some folders, or to one of them.
pub fn lies_within(path: &Path, folders: &[PathBuf]) -> bool {
    let place = real_place(path);
    folders.iter().any(|folder| place.starts_with(real_place(folder)))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_and_steps_up_lead_where_they_lead() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        std::fs::create_dir_all(at("in/deep")).unwrap();
        std::fs::create_dir_all(at("in-other")).unwrap();
        symlink(at("in-other"), at("in/link")).unwrap();
        let within = |name: &str| lies_within(&at(name), &[at("in")]);
        for name in ["in", "in/a.txt", "in/deep/../b", "in/new/folder/x", "in/new/../x", "in-other/../in/x"] {
            assert!(within(name), "{name}");
        }
        for name in ["in-other", "in/link/x", "in/..", "in/deep/../../x", "in/new/../../x", "in/link/new/x"] {
            assert!(!within(name), "{name}");
        }
    }
}
