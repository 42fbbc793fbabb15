//! Finds the file that a program's name means.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The file to run: a name is searched for in the folders of `search` (the variable `PATH`), a path from
/// `cwd`.
///
/// # Errors
/// A message, with where it was searched for, when there is no such program.
pub fn locate(name: &str, cwd: &Path, search: &OsStr) -> Result<PathBuf, String> {
    if name.contains('/') || name.contains(std::path::MAIN_SEPARATOR) {
        // Absolute, because what a relative one means to a process that is started elsewhere differs between systems.
        let path = std::path::absolute(cwd.join(name)).map_err(|error| format!("`{name}`: {error}"))?;
        return match candidates(&path).find(|path| path.is_file()) {
            Some(file) if is_executable(&file) => Ok(file),
            Some(file) => Err(not_executable(&file)),
            None => Err(format!("there is no program `{}`", path.display())),
        };
    }
    let mut seen = None;
    for folder in std::env::split_paths(search).filter(|folder| folder.is_absolute()) {
        for file in candidates(&folder.join(name)).filter(|file| file.is_file()) {
            if is_executable(&file) {
                return Ok(file);
            }
            seen.get_or_insert(file);
        }
    }
    Err(match seen {
        Some(file) => not_executable(&file),
        None => format!(
            "there is no program `{name}` in the folders of PATH ({}); {}",
            search.to_string_lossy(),
            if name.contains(' ') {
                "a program and its arguments are a list, as in `command: [python3, extract.py]`"
            } else {
                "write a path with a `/`, such as `./extract.sh`, for a file elsewhere"
            }
        ),
    })
}

fn not_executable(file: &Path) -> String {
    format!("`{}` is not executable; `chmod +x` makes it so", file.display())
}

/// The path itself, and with the extension that programs have on this system.
fn candidates(path: &Path) -> impl Iterator<Item = PathBuf> {
    let ending = std::env::consts::EXE_SUFFIX;
    let with_ending = (!ending.is_empty()).then(|| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    });
    std::iter::once(path.to_owned()).chain(with_ending)
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(_file: &Path) -> bool {
    true
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn put(folder: &Path, name: &str, mode: u32) {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn names_are_found_in_path_and_paths_from_the_working_directory() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        put(dir, "a/plain", 0o644);
        put(dir, "a/both", 0o644);
        put(dir, "b/both", 0o755);
        let search = std::env::join_paths([dir.join("a"), dir.join("b")]).unwrap();
        assert_eq!(locate("both", dir, &search).unwrap(), dir.join("b/both"));
        assert_eq!(
            locate("./both", &dir.join("b"), OsStr::new("")).unwrap().canonicalize().unwrap(),
            dir.join("b/both").canonicalize().unwrap()
        );
        assert!(locate("plain", dir, &search).unwrap_err().contains("a/plain` is not executable"));
        assert!(locate("a/plain", dir, &search).unwrap_err().contains("not executable"));
        let missing = locate("no-such", dir, &search).unwrap_err();
        assert!(
            missing.contains("no program `no-such` in the folders of PATH") && missing.contains("/b)"),
            "{missing}"
        );
        assert!(locate("python3 x.py", dir, &search).unwrap_err().contains("are a list"));
        assert!(locate("a/no-such", dir, &search).unwrap_err().contains("a/no-such`"));
        assert!(locate("a/", dir, &search).is_err());
    }
}
