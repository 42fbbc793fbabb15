//! The copy of a plugin's bytes that is loaded, and copies that were left behind.

use std::env::consts::DLL_SUFFIX;
use std::io::Write;
use std::path::Path;
use std::sync::Once;
use std::time::Duration;

use tempfile::TempPath;

const PREFIX: &str = "loopctl-plugin-";

/// No plugin takes so long to load.
const LEFT_BEHIND: Duration = Duration::from_secs(24 * 60 * 60);

/// Writes the bytes to a file of their own, which nobody else can write. It is closed, since a file that is being written
/// can't be run, and removed when what is returned is dropped.
///
/// # Errors
/// When the folder for temporary files takes no more.
pub(super) fn write(bytes: &[u8]) -> std::io::Result<TempPath> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| remove_left_behind(&std::env::temp_dir()));
    let mut copy = tempfile::Builder::new().prefix(PREFIX).suffix(DLL_SUFFIX).tempfile()?;
    copy.write_all(bytes)?;
    Ok(copy.into_temp_path())
}

/// Removes the copies of processes that ended while they loaded them. Those that can't be removed, another user's
/// say, stay.
fn remove_left_behind(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        // A link is looked at itself, not what it leads to.
        let is_old = || {
            let about = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
            Some(about.modified().ok()?.elapsed().ok()? >= LEFT_BEHIND)
        };
        if entry.file_name().to_str().is_some_and(is_copy) && is_old() == Some(true) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Whether a file is called as [`write`] calls it.
fn is_copy(name: &str) -> bool {
    let unique = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(DLL_SUFFIX));
    unique.is_some_and(|unique| unique.len() == 6 && unique.chars().all(|c| c.is_ascii_alphanumeric()))
}
