//! Results of files whose sections were worked on as documents of their own, merged from what the journal has of them.

use crate::result::{DocumentResult, MergedResult};
use crate::run::merge_rules;
use crate::store::{Journal, RunId, SplitRecord, StoreError};
use crate::value::DocumentId;
use serde::Deserialize;

/// The merged results of all files of a run that were split, whichever process worked on their sections.
///
/// # Errors
/// When the journal can't be read.
pub fn merged_files(journal: &Journal, run: &RunId) -> Result<Vec<MergedResult>, StoreError> {
    let files = journal.split_files(run)?;
    files.into_iter().map(|file| merged_file(journal, run, file.id, file.record)).collect()
}

/// The merged result of a file of this id that was split.
///
/// # Errors
/// When the journal can't be read.
pub fn merged_file(
    journal: &Journal,
    run: &RunId,
    id: DocumentId,
    record: SplitRecord,
) -> Result<MergedResult, StoreError> {
    let mut sections = Vec::with_capacity(record.sections.len());
    for section in record.sections {
        let outcome = journal.outcome(run, &section)?;
        let result = outcome.and_then(|outcome| DocumentResult::deserialize(outcome).ok());
        sections.push((section, result));
    }
    Ok(MergedResult::of(id, &sections, &merge_rules(&record.merge)))
}
