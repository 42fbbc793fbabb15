//! Results of files whose sections were worked on as documents of their own, merged from what the journal has of them.

use crate::failure::Failure;
use crate::ingest::InputRecord;
use crate::profile::MergeSettings;
use crate::result::{DocumentResult, MergedResult};
use crate::store::{Journal, RunId};
use crate::value::{DocumentId, path_text};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The sections of a file, by their numbers.
type NumberedResults = BTreeMap<usize, (DocumentId, Option<DocumentResult>)>;

/// The merged results of all files of a run that were split, whichever process worked on their sections.
pub(super) fn merged_files(
    journal: &Journal,
    run: &RunId,
    rules: &MergeSettings,
) -> Result<Vec<MergedResult>, Failure> {
    let mut documents = Vec::new();
    journal.each_document(run, |document, outcome| {
        // A document that is its own file is not a section.
        if document.record.path.is_none() {
            documents.push((document.key, document.record.id, outcome));
        }
    })?;
    let mut files: BTreeMap<PathBuf, NumberedResults> = BTreeMap::new();
    for (key, id, outcome) in documents {
        let record = journal.source_record(key)?;
        let record = record.and_then(|record| serde_json::from_str::<InputRecord>(&record).ok());
        let Some((file, section)) = record.as_ref().and_then(InputRecord::section) else { continue };
        let result = outcome.and_then(|outcome| DocumentResult::deserialize(outcome).ok());
        files.entry(file.to_path_buf()).or_default().insert(section, (id, result));
    }
    let merged = files.into_iter().map(|(file, sections)| {
        let named =
            sections.iter().find_map(|(number, (id, _))| id.as_str().strip_suffix(&format!("#{number}")));
        let id = named.map_or_else(|| path_text(&file).into_owned(), str::to_owned);
        let sections: Vec<_> = sections.into_values().collect();
        MergedResult::of(DocumentId::new(id), &sections, rules)
    });
    Ok(merged.collect())
}
