//! `loopctl runs export`.

use super::super::resume::{JournalArgument, find_run};
use super::export_file::FileArguments;
use crate::failure::{ExitStatus, Failure};
use crate::plan::Terms;
use crate::run::{rebuilt, write_artifacts};
use crate::store::{Artifacts, DocumentStage, Journal, StoreError, StoredDocument};
use crate::streams::{Streams, complain};
use crate::value::sanitize_line;
use clap::Args;
use serde::Deserialize;
use serde_json::Value;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  loopctl runs export > results.jsonl\n  loopctl runs export --to results.csv\n  loopctl runs export 20261125T081500Z-0001 --to results.xlsx --corrections corrections.jsonl\n  loopctl runs export --to reports.ndjson --type pathology"
)]
pub(super) struct Arguments {
    /// The run, as `loopctl runs list` names it; the beginning of its id is enough
    #[arg(value_name = "RUN", default_value = "latest")]
    run: String,
    /// Write extractions, validations and results to this folder [default: results, one per line on standard output]
    #[arg(long, value_name = "DIR", conflicts_with = "to")]
    out: Option<PathBuf>,
    #[command(flatten)]
    file: FileArguments,
    #[command(flatten)]
    journal: JournalArgument,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let target = arguments.file.target()?;
    let journal = arguments.journal.open()?;
    let run = find_run(&journal, &arguments.run)?;
    if let Some(target) = target {
        return arguments.file.write(&target, &journal, &run, output);
    }
    let terms = run.record.settings.get("terms").and_then(|terms| Terms::deserialize(terms).ok());
    let artifacts = arguments.out.as_ref().map(Artifacts::new).transpose()?.map(Artifacts::projected);
    let mut export = Export { journal: &journal, terms, artifacts, output, failed: None, left_out: 0 };
    journal.each_document(&run.id, |document, outcome| export.take(&document, outcome))?;
    match export.failed {
        Some(failure) => Err(failure),
        None if export.left_out > 0 => Ok(ExitStatus::Broken),
        None => Ok(ExitStatus::Success),
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
                let shard = document.artifact.as_ref().and_then(crate::store::ArtifactName::shard);
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
