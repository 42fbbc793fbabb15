//! The documents of a run with their scores: from the journal, or from a folder of results.

use crate::disk;
use crate::experiment::calibrate::ScoredDocument;
use crate::failure::Failure;
use crate::profile::Certify;
use crate::result::DocumentResult;
use crate::store::{Artifact, DocumentStage, Journal, RunId};
use crate::value::ShownPath;
use serde::Deserialize;
use std::path::Path;

/// Largest result that is read, in bytes.
const MOST_BYTES: u64 = 64 << 20;

/// The depth to which a folder is searched for results: a large run has folders for a thousand documents each.
const DEPTH: usize = 3;

/// The documents of a run that are over.
pub(super) fn documents_of_run(
    journal: &Journal,
    run: &RunId,
    settings: &Certify,
) -> Result<Vec<ScoredDocument>, Failure> {
    let mut documents = Vec::new();
    journal.each_document(run, |document, outcome| {
        let result = outcome.and_then(|outcome| DocumentResult::deserialize(outcome).ok());
        match (document.stage, result) {
            (DocumentStage::Finished | DocumentStage::Failed, Some(result)) => {
                documents.push(ScoredDocument::of(&result, settings));
            }
            (DocumentStage::Finished | DocumentStage::Failed, None) => documents.push(ScoredDocument {
                id: document.record.id.as_str().to_owned(),
                document_type: document.record.document_type,
                score: None,
            }),
            // The others have no result yet.
            _ => {}
        }
    })?;
    Ok(documents)
}

/// The documents whose `…-result.json` is in a folder. All must be of `profile`; they don't say under which settings
/// they were made.
pub(super) fn documents_of_folder(
    folder: &Path,
    profile: &str,
    settings: &Certify,
) -> Result<Vec<ScoredDocument>, Failure> {
    if !folder.is_dir() {
        return Err(Failure::broken(format!("there is no folder `{}`", folder.shown()))
            .help("name the folder that `loopctl run --out DIR` wrote"));
    }
    let ending = Artifact::Result.ending();
    let walk = disk::files_below(folder, "", DEPTH);
    if walk.cut {
        return Err(Failure::broken(format!(
            "the folder `{}` holds more than {} files",
            folder.shown(),
            disk::MAX_ENTRIES
        ))
        .help("name the run in the journal instead: `--run RUN`"));
    }
    let mut documents = Vec::new();
    for file in walk.files.iter().filter(|file| file.to_string_lossy().ends_with(&ending)) {
        let failed = |why: String| Failure::broken(format!("can't read `{}`: {why}", file.shown()));
        let bytes = disk::read(file, MOST_BYTES).map_err(|error| failed(error.to_string()))?;
        let result: DocumentResult = serde_json::from_slice(&bytes).map_err(|error| {
            failed(format!("it is not a result (line {}, column {})", error.line(), error.column()))
        })?;
        if result.profile != profile {
            return Err(Failure::usage(format!(
                "the result `{}` is of the profile `{}`, and not of `{profile}`",
                file.shown(),
                result.profile
            ))
            .help("name the profile that made the results, or run the documents with this one"));
        }
        documents.push(ScoredDocument::of(&result, settings));
    }
    if documents.is_empty() {
        return Err(Failure::broken(format!("no file `…{ending}` is in `{}`", folder.shown()))
            .help("name the folder that `loopctl run --out DIR` wrote"));
    }
    Ok(documents)
}
