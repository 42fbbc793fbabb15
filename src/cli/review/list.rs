//! `loopctl review list`.

use super::super::headings::{ARGUMENTS, DOCUMENTS, OUTPUT};
use super::super::journal_argument::JournalArgument;
use super::super::loading::context;
use super::super::result_format::RecordFormat;
use crate::failure::{ExitStatus, Failure};
use crate::review::{Reason, ReviewState};
use crate::run_reviews::{ReviewQueueRequest, review_queue};
use crate::streams::Streams;
use clap::Args;
use clap::builder::PossibleValuesParser;

#[derive(Args)]
pub(super) struct Arguments {
    /// The run, as `loopctl runs list` names it; the beginning of its id is enough [default: the latest]
    #[arg(value_name = "RUN", help_heading = ARGUMENTS)]
    run: Option<String>,
    /// Only documents that wait for this reason
    #[arg(long, value_name = "REASON", value_parser = PossibleValuesParser::new(Reason::ALL.map(Reason::as_str)), help_heading = DOCUMENTS)]
    reason: Option<String>,
    /// Only documents whose review is in this state
    #[arg(long, value_name = "STATE", value_parser = PossibleValuesParser::new(ReviewState::ALL.map(ReviewState::as_str)), help_heading = DOCUMENTS)]
    state: Option<String>,
    #[command(flatten)]
    journal: JournalArgument,
    #[command(flatten, next_help_heading = OUTPUT)]
    format: RecordFormat,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let format = arguments.format.chosen(output)?;
    let request = ReviewQueueRequest {
        run: arguments.run.clone(),
        journal: arguments.journal.spec(),
        reason: arguments.reason.clone(),
        state: arguments.state.clone(),
    };
    let queue = review_queue(&request, context())?;
    output.write_answer(format, |paint| queue.text(paint), || &queue.documents)?;
    Ok(ExitStatus::Success)
}
