//! `loopctl runs show`.

use super::super::journal_argument::JournalArgument;
use super::super::loading::context;
use super::super::result_format::RecordFormat;
use crate::failure::{ExitStatus, Failure};
use crate::journals::{RunShowRequest, show_run};
use crate::streams::Streams;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct Arguments {
    /// The run, as `loopctl runs list` names it; the beginning of its id is enough
    #[arg(value_name = "RUN", default_value = "latest")]
    run: String,
    #[command(flatten)]
    journal: JournalArgument,
    /// Also write it to this file, as a self-contained HTML page
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Also show the messages of issues of the documents to look at, which may quote the documents
    #[arg(long)]
    messages: bool,
    #[command(flatten)]
    format: RecordFormat,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let format = arguments.format.chosen(output)?;
    let request = RunShowRequest {
        run: arguments.run.clone(),
        journal: arguments.journal.spec(),
        report: arguments.report.clone(),
        messages: arguments.messages,
    };
    let results = show_run(&request, context())?;
    output.write_answer(format, |paint| results.text(paint), || results.to_json())?;
    Ok(ExitStatus::Success)
}
