//! Reports as pages in files.

use crate::disk::{self, Access, FolderKey};
use crate::failure::Failure;
use crate::value::ShownPath;
use std::path::{Path, PathBuf};

/// Writes the page of a report. It contains ids or values of documents, so only its owner may read it.
///
/// # Errors
/// When the file can't be written.
pub fn write_report(file: &Path, page: &str) -> Result<(), Failure> {
    disk::replace(file, page.as_bytes(), Access::Owner)
        .map_err(|error| Failure::broken(format!("can't write the report to `{}`: {error}", file.shown())))
}

/// Refuses a report, the value of `flag`, that would overwrite one of the `inputs`, each with what it is; `other` is a
/// better name for it.
///
/// # Errors
/// When it would.
pub(crate) fn refuse_overwriting(
    flag: &str,
    report: &Path,
    inputs: &[(&str, PathBuf)],
    other: &str,
) -> Result<(), Failure> {
    let key = FolderKey::of(report).ok();
    let is_report = |input: &Path| input == report || key.is_some() && FolderKey::of(input).ok() == key;
    match inputs.iter().find(|(_, input)| is_report(input)) {
        Some((what, input)) => {
            let message =
                format!("`{flag} {}` would overwrite the {what} `{}`", report.shown(), input.shown());
            Err(Failure::usage(message).help(format!("write the report to another file, such as `{other}`")))
        }
        None => Ok(()),
    }
}
