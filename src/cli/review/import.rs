//! `loopctl review import`.

use super::super::headings::{ARGUMENTS, DOCUMENTS, OUTPUT};
use super::super::journal_argument::JournalArgument;
use super::super::loading::context;
use super::super::result_format::RecordFormat;
use crate::failure::{ExitStatus, Failure};
use crate::run_reviews::{ImportRequest, import_decisions};
use crate::streams::Streams;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    allow_missing_positional = true,
    after_help = "Everything is checked first. If anything is wrong, nothing is kept, and the exit status is 1. Rows that are kept already are left out, so a worksheet can be imported again after more of it is filled in.\n\nExtractions that were corrected are scored by the profile of the run, without asking anybody."
)]
pub(super) struct Arguments {
    /// The run, as `loopctl runs list` names it; the beginning of its id is enough [default: the latest]
    #[arg(value_name = "RUN", help_heading = ARGUMENTS)]
    run: Option<String>,
    /// A worksheet of `loopctl review export`, as `.csv` or `.jsonl`, or decisions and corrections as lines of JSON
    #[arg(value_name = "FILE", required = true, help_heading = ARGUMENTS)]
    file: PathBuf,
    /// Name of the reviewer, for rows that have none
    #[arg(long, value_name = "NAME", help_heading = DOCUMENTS)]
    reviewer: Option<String>,
    /// Check and score, and keep nothing
    #[arg(long, help_heading = OUTPUT)]
    dry_run: bool,
    #[command(flatten)]
    journal: JournalArgument,
    #[command(flatten, next_help_heading = OUTPUT)]
    format: RecordFormat,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let format = arguments.format.chosen(output)?;
    let request = ImportRequest {
        run: arguments.run.clone(),
        journal: arguments.journal.spec(),
        file: arguments.file.clone(),
        reviewer: arguments.reviewer.clone(),
        dry_run: arguments.dry_run,
    };
    let answer = import_decisions(&request, context(), output)?;
    output.write_answer(format, |paint| answer.text(paint), || answer.to_json())?;
    if let Some(why) = &answer.not_scored {
        output.warn(&format!("{why}, so corrected extractions are not scored"));
    }
    Ok(ExitStatus::Success)
}
