//! The results of a run, written again from the journal.

use crate::context::Context;
use crate::failure::Failure;
use crate::journals::{JournalSpec, find_run};
use crate::plan::Terms;
use crate::run::{rebuilt, write_artifacts};
use crate::store::{ArtifactName, Artifacts, DocumentStage, Journal, StoreError, StoredDocument};
use crate::streams::{Streams, complain};
use crate::value::sanitize_line;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// Writes the results of a run: as artifacts to a folder, or line by line to standard output. Returns whether each that
/// is over could be written; the others are reported.
///
/// # Errors
/// When there is no such run, or it can't be written.
pub fn write_results(
    run: &str,
    journal: &JournalSpec,
    out: Option<&Path>,
    context: &Context,
    output: &mut Streams,
) -> Result<bool, Failure> {
    let journal = journal.open(context)?;
    let run = find_run(&journal, run)?;
    let terms = run.record.settings.get("terms").and_then(|terms| Terms::deserialize(terms).ok());
    let artifacts = out.map(Artifacts::new).transpose()?.map(Artifacts::projected);
    let mut export = Export { journal: &journal, terms, artifacts, output, failed: None, left_out: 0 };
    journal.each_document(&run.id, |document, outcome| export.take(&document, outcome))?;
    match export.failed {
        Some(failure) => Err(failure),
        None => Ok(export.left_out == 0),
    }
}

struct Export<'a> {
    journal: &'a Journal,
    terms: Option<Terms>,
    artifacts: Option<Artifacts>,
    output: &'a mut Streams,
    failed: Option<Failure>,
    left_out: u64,
}

impl Export<'_> {
    fn take(&mut self, document: &StoredDocument, outcome: Option<Value>) {
        let (Some(outcome), None) = (outcome, &self.failed) else { return };
        let events = match self.journal.events_of(document.key) {
            Ok((events, _)) => events,
            Err(error) => return self.failed = Some(error.into()),
        };
        let (state, result) = match rebuilt(&events, outcome, self.terms.clone()) {
            Ok(rebuilt) => rebuilt,
            Err(why) => {
                self.left_out += 1;
                let id = sanitize_line(document.record.id.as_str());
                return complain(self.output, &Failure::broken(format!("`{id}` is left out: {why}")));
            }
        };
        let written: Result<(), Failure> = match &self.artifacts {
            Some(artifacts) => {
                let shard = document.artifact.as_ref().and_then(ArtifactName::shard);
                let written = artifacts.within(shard.as_deref()).and_then(|artifacts| {
                    write_artifacts(&artifacts, &state, &result, DocumentStage::Finished)
                });
                written.map(drop).map_err(|error: StoreError| error.into())
            }
            None => serde_json::to_string(&result)
                .map_err(std::io::Error::from)
                .and_then(|line| writeln!(self.output.out, "{line}"))
                .map_err(Failure::from),
        };
        self.failed = written.err();
    }
}
