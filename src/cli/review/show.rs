//! `loopctl review show`.

use super::super::headings::{ARGUMENTS, OUTPUT};
use super::super::journal_argument::JournalArgument;
use super::super::passwords::PasswordArguments;
use super::super::result_format::RecordFormat;
use crate::failure::{ExitStatus, Failure};
use crate::report::reviewed_document_text;
use crate::run_reviews::{ReviewShowRequest, document_under_review};
use crate::streams::Streams;
use clap::Args;

#[derive(Args)]
#[command(allow_missing_positional = true)]
pub(super) struct Arguments {
    /// The run, as `loopctl runs list` names it; the beginning of its id is enough [default: the latest]
    #[arg(value_name = "RUN", help_heading = ARGUMENTS)]
    run: Option<String>,
    /// The document, by its id
    #[arg(value_name = "DOCUMENT", required = true, help_heading = ARGUMENTS)]
    document: String,
    #[command(flatten)]
    journal: JournalArgument,
    #[command(flatten)]
    passwords: PasswordArguments,
    #[command(flatten, next_help_heading = OUTPUT)]
    format: RecordFormat,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let format = arguments.format.chosen(output)?;
    let request = ReviewShowRequest {
        run: arguments.run.clone(),
        journal: arguments.journal.spec(),
        document: arguments.document.clone(),
    };
    let document = document_under_review(&request, &arguments.passwords.context()?, output)?;
    let shown = document.shown();
    output.write_answer(format, |paint| reviewed_document_text(&shown, paint), || &shown)?;
    Ok(ExitStatus::Success)
}
