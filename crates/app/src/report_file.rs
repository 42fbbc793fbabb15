//! Reports as pages in files.

use crate::disk::{self, Access};
use crate::failure::Failure;
use crate::value::ShownPath;
use std::path::Path;

/// Writes the page of a report. It contains ids or values of documents, so only its owner may read it.
///
/// # Errors
/// When the file can't be written.
pub fn write_report(file: &Path, page: &str) -> Result<(), Failure> {
    disk::replace(file, page.as_bytes(), Access::Owner)
        .map_err(|error| Failure::broken(format!("can't write the report to `{}`: {error}", file.shown())))
}
