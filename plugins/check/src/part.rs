//! The child: runs checks one after the other, and notes each in a file before it begins, so that the parent knows
//! during which one the process died.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::check::{CheckFailure, ContractCheck, KnownOutcomes};
use super::report::CheckOutcome;
use super::subject::PluginUnderTest;
use crate::disk;
use crate::provider::ProviderError;
use crate::provider::error::sanitize_message;

/// The largest file of notes, in bytes. Each check adds two short lines.
const MAX_NOTES: u64 = 16 << 20;

/// One line of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Note {
    /// This check begins.
    Begun(String),
    /// It ended with this outcome.
    Ended { id: String, outcome: CheckOutcome, found: String },
}

/// Reads the notes that are there. A line that the process died in is left out.
pub(super) fn read(notes: &Path) -> Vec<Note> {
    let bytes = disk::read(notes, MAX_NOTES).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Runs these checks up to the first that fails: what that leaves behind, such as an instance that wasn't closed, is not
/// the next one's fault.
///
/// # Errors
/// When the file of notes can't be written.
pub(super) fn run(subject: &PluginUnderTest<'_>, ids: &[String], notes: &Path) -> Result<(), ProviderError> {
    let failed =
        |error: std::io::Error| ProviderError::Home { path: notes.to_owned(), problem: error.to_string() };
    let mut file = File::options().append(true).create(true).open(notes).map_err(failed)?;
    let mut write = |note: &Note| {
        let mut line = serde_json::to_vec(note).unwrap_or_default();
        line.push(b'\n');
        file.write_all(&line)
    };
    // All else that they rest on has passed, or they would not have been asked for.
    let mut known: KnownOutcomes = ids
        .iter()
        .filter_map(|id| ContractCheck::of(id))
        .flat_map(|check| check.needs)
        .map(|need| ((*need).to_owned(), CheckOutcome::Passed))
        .collect();
    for check in ids.iter().filter_map(|id| ContractCheck::of(id)) {
        write(&Note::Begun(check.id.to_owned())).map_err(failed)?;
        let (outcome, found) = match check.unmet(&known) {
            Some(why) => (CheckOutcome::Skipped, why),
            None => {
                subject.begin();
                outcome_of((check.run)(subject))
            }
        };
        known.insert(check.id.to_owned(), outcome);
        write(&Note::Ended { id: check.id.to_owned(), outcome, found: sanitize_message(&found) })
            .map_err(failed)?;
        if outcome == CheckOutcome::Failed {
            break;
        }
    }
    Ok(())
}

/// A verdict as it is reported.
pub(super) fn outcome_of(verdict: Result<String, CheckFailure>) -> (CheckOutcome, String) {
    match verdict {
        Ok(found) => (CheckOutcome::Passed, found),
        Err(CheckFailure::Failed(found)) => (CheckOutcome::Failed, found),
        Err(CheckFailure::Skipped(why)) => (CheckOutcome::Skipped, why),
    }
}
