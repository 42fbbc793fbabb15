//! `loopctl runs list`.

use super::super::journal_argument::JournalArgument;
use super::super::result_format::RecordFormat;
use crate::failure::{ExitStatus, Failure};
use crate::journals::{list_runs, run_json};
use crate::report::run_list_text;
use crate::requests::ResultFormat;
use crate::streams::Streams;
use clap::Args;

#[derive(Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    journal: JournalArgument,
    #[command(flatten)]
    format: RecordFormat,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let journal = arguments.journal.open()?;
    let format = arguments.format.chosen(output)?;
    let runs = list_runs(&journal)?;
    match format {
        ResultFormat::Text => output.write_text(&run_list_text(&runs))?,
        ResultFormat::Json | ResultFormat::Jsonl => {
            let described = runs
                .iter()
                .map(|(run, stages)| run_json(&journal, run, stages))
                .collect::<Result<Vec<_>, _>>()?;
            output.write_json(&described, format)?;
        }
    }
    Ok(ExitStatus::Success)
}
