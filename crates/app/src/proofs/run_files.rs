//! Files of runs that show something.

use crate::disk::{self, Access};
use crate::experiment::Trajectory;
use crate::failure::Failure;
use crate::value::ShownPath;
use std::path::Path;

/// Writes runs as `loopctl simulate` reads them: to one file, or one file each into a folder (a path that ends in `/`, or
/// an existing folder). Without runs nothing is written.
///
/// # Errors
/// When a file can't be written.
pub fn write_runs(path: &Path, runs: &[&Trajectory]) -> Result<(), Failure> {
    if runs.is_empty() {
        return Ok(());
    }
    let broken = |path: &Path, error: std::io::Error| {
        Failure::broken(format!("can't write `{}`: {error}", path.shown()))
    };
    let is_folder = path.is_dir() || path.as_os_str().to_string_lossy().ends_with(std::path::is_separator);
    if !is_folder {
        let lines: String = runs.iter().map(|run| format!("{}\n", run.to_json())).collect();
        return disk::replace(path, lines.as_bytes(), Access::Owner).map_err(|error| broken(path, error));
    }
    std::fs::create_dir_all(path).map_err(|error| broken(path, error))?;
    for run in runs {
        let file = path.join(format!("{}.jsonl", file_stem(run)));
        let line = format!("{}\n", run.to_json());
        disk::replace(&file, line.as_bytes(), Access::Owner).map_err(|error| broken(&file, error))?;
    }
    Ok(())
}

/// A file name that tells which promise a run breaks.
fn file_stem(run: &Trajectory) -> String {
    let id = run.id.as_str().unwrap_or("run");
    let words = id.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let stem = words.collect::<Vec<_>>().join("-").to_lowercase();
    let short: String = stem.chars().take(80).collect();
    if short.is_empty() { "run".to_owned() } else { short }
}
