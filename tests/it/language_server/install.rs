//! The language server on this machine: installed once into the target folder, from the lock file beside this package.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The script that `node` runs, or why there is none.
pub(super) fn entry() -> Result<PathBuf, String> {
    static ENTRY: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    ENTRY.get_or_init(installed).clone()
}

fn installed() -> Result<PathBuf, String> {
    for program in ["node", "npm"] {
        let found = Command::new(program).arg("--version").stdin(Stdio::null()).output();
        if !found.is_ok_and(|found| found.status.success()) {
            return Err(format!("there is no `{program}` here"));
        }
    }
    let pinned = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language-server");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = target.join("language-server");
    let lock = "package-lock.json";
    let read = |folder: &Path| std::fs::read(folder.join(lock)).ok();
    if read(&folder).is_none() || read(&folder) != read(&pinned) {
        let _ = std::fs::remove_dir_all(&folder);
        // Beside it first, so that what was begun and not finished is never treated as the whole.
        let begun = tempfile::tempdir_in(target).map_err(|error| error.to_string())?;
        for name in ["package.json", lock] {
            std::fs::copy(pinned.join(name), begun.path().join(name)).map_err(|error| error.to_string())?;
        }
        let npm = Command::new("npm")
            .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
            .current_dir(begun.path())
            .stdin(Stdio::null())
            .output()
            .map_err(|error| error.to_string())?;
        if !npm.status.success() {
            return Err(format!("`npm ci` failed: {}", String::from_utf8_lossy(&npm.stderr)));
        }
        std::fs::rename(begun.path(), &folder).map_err(|error| error.to_string())?;
    }
    Ok(folder.join("node_modules/yaml-language-server/bin/yaml-language-server"))
}
