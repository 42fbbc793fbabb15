//! The files that are documents, and those that hold several, by the endings of their names.

use std::ffi::OsStr;
use std::path::Path;

/// Endings, in any case, of the files that are taken from a folder.
pub(super) const ENDINGS: [&str; 17] = [
    "txt", "text", "md", "json", "pdf", "docx", "docm", "xlsx", "xlsm", "odt", "ods", "rtf", "eml", "html",
    "htm", "xml", "nxml",
];

/// Endings, in any case, of files that hold a document on each line.
const RECORD_ENDINGS: [&str; 2] = ["jsonl", "ndjson"];

/// Returns whether a file of this name is a document, where folders may also hold those with `more` endings.
pub(super) fn is_document(name: &Path, more: &[&str]) -> bool {
    has_one(name, &ENDINGS) || has_one(name, more)
}

/// Returns whether a file of this name holds a document on each line.
pub(super) fn holds_records(name: &Path) -> bool {
    has_one(name, &RECORD_ENDINGS)
}

fn has_one(name: &Path, endings: &[&str]) -> bool {
    let ending = name.extension().unwrap_or_default();
    endings.iter().any(|known| ending.eq_ignore_ascii_case(known))
}

/// Returns whether listings leave out this name.
pub(super) fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// Returns whether a file may be a recorded answer: these are named by digests.
pub(super) fn may_be_recording(name: &OsStr) -> bool {
    const LEAST_DIGITS: usize = 16;
    let digits = name.as_encoded_bytes().iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    digits >= LEAST_DIGITS && Path::new(name).extension().is_some_and(|ending| ending == "json")
}
