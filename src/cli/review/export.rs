//! `loopctl review export`.

use super::super::headings::{ARGUMENTS, OUTPUT};
use super::super::journal_argument::JournalArgument;
use super::super::loading::context;
use crate::failure::{ExitStatus, Failure};
use crate::run_reviews::{ReviewContent, ReviewExportRequest, export_reviews};
use crate::streams::Streams;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    after_help = "In the worksheet `decision` is one of `accept`, `edit`, `not_present`, `missed`, `comment`; in the row without a field, which is about the document as a whole, `accept`, `compared`, `reject`, `comment`, `undo`; in a row with an `issue`, `holds`. `edit` and `missed` need the right value under `after`.\n\nThe file holds values of documents, so only its owner can read it."
)]
pub(super) struct Arguments {
    /// The run, as `loopctl runs list` names it; the beginning of its id is enough [default: the latest]
    #[arg(value_name = "RUN", help_heading = ARGUMENTS)]
    run: Option<String>,
    /// The file to write: `.csv` is a table, `.jsonl` has a line of JSON for each row
    #[arg(long, value_name = "FILE", required_unless_present_any = ["decisions", "verdicts"], help_heading = OUTPUT)]
    to: Option<PathBuf>,
    /// Write the decisions so far, as labels for `loopctl evaluate` [default: to standard output]
    #[arg(long, help_heading = OUTPUT)]
    decisions: bool,
    /// Write the reviewers' verdict on each document, as labels for `loopctl calibrate` [default: to standard output]
    #[arg(long, conflicts_with = "decisions", help_heading = OUTPUT)]
    verdicts: bool,
    /// Include documents that were accepted or rejected
    #[arg(long, conflicts_with_all = ["decisions", "verdicts"], help_heading = OUTPUT)]
    all: bool,
    #[command(flatten)]
    journal: JournalArgument,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let content = match (arguments.decisions, arguments.verdicts, arguments.all) {
        (true, ..) => ReviewContent::Decisions,
        (false, true, _) => ReviewContent::Verdicts,
        (false, false, true) => ReviewContent::WholeWorksheet,
        (false, false, false) => ReviewContent::Worksheet,
    };
    let request = ReviewExportRequest {
        run: arguments.run.clone(),
        journal: arguments.journal.spec(),
        to: arguments.to.clone(),
        content,
    };
    export_reviews(&request, context(), output)?;
    Ok(ExitStatus::Success)
}
