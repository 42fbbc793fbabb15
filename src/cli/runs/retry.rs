//! `loopctl runs retry`.

use super::super::journal_argument::JournalArgument;
use super::super::loading::context;
use crate::failure::{ExitStatus, Failure};
use crate::journals::{RetryRequest, retry_documents};
use crate::streams::Streams;
use clap::Args;

#[derive(Args)]
pub(super) struct Arguments {
    /// The run, as `loopctl runs list` names it; the beginning of its id is enough
    #[arg(value_name = "RUN", default_value = "latest")]
    run: String,
    /// Only this document, whatever its outcome (repeatable)
    #[arg(long, short, value_name = "ID")]
    document: Vec<String>,
    /// Begin them anew: calls that were answered before are made, and paid for, again
    #[arg(long)]
    anew: bool,
    #[command(flatten)]
    journal: JournalArgument,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let request = RetryRequest {
        run: arguments.run.clone(),
        journal: arguments.journal.spec(),
        documents: arguments.document.clone(),
        anew: arguments.anew,
    };
    let (run, count) = retry_documents(&request, context())?;
    let wait = match count {
        0 => {
            output.say(&format!("no document of run `{run}` failed"));
            return Ok(ExitStatus::Success);
        }
        1 => "1 document waits".to_owned(),
        more => format!("{more} documents wait"),
    };
    output.say(&format!("{wait}: resume with `loopctl resume {run}{}`", arguments.journal.again()));
    Ok(ExitStatus::Success)
}
