//! `loopctl runs`: the runs of a journal.

mod export;
mod list;
mod prune;
mod retry;
mod show;

use super::journal_argument::JournalArgument;
use super::resume;
use crate::failure::{ExitStatus, Failure};
use crate::journals::{find_run, processes_at_work};
use crate::streams::Streams;
use clap::{Args, Subcommand};

#[derive(Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    verb: RunsVerb,
}

#[derive(Subcommand)]
enum RunsVerb {
    /// List the runs of a journal: when they began, and the progress of their documents
    List(list::Arguments),
    /// Show the results of a run
    Show(show::Arguments),
    /// Resume a run, as `loopctl resume` does
    Resume(Box<resume::Arguments>),
    /// Cancel a run: begin no other document; processes that work on it finish those they have begun
    Cancel(CancelArguments),
    /// Put the failed documents of a run back among those that wait
    Retry(retry::Arguments),
    /// Write the results of a run again, from the journal: as artifacts, or as a file of CSV, XLSX, JSONL or FHIR
    Export(export::Arguments),
    /// Remove runs from a journal, with everything that it holds of them
    Prune(prune::Arguments),
}

#[derive(Args)]
struct CancelArguments {
    /// The run, as `loopctl runs list` names it; the beginning of its id is enough
    #[arg(value_name = "RUN")]
    run: String,
    #[command(flatten)]
    journal: JournalArgument,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    match &arguments.verb {
        RunsVerb::List(arguments) => list::execute(arguments, output),
        RunsVerb::Show(arguments) => show::execute(arguments, output),
        RunsVerb::Resume(arguments) => resume::execute(arguments, output),
        RunsVerb::Cancel(arguments) => cancel(arguments, output),
        RunsVerb::Retry(arguments) => retry::execute(arguments, output),
        RunsVerb::Export(arguments) => export::execute(arguments, output),
        RunsVerb::Prune(arguments) => prune::execute(arguments, output),
    }
}

fn cancel(arguments: &CancelArguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let journal = arguments.journal.open()?;
    let run = find_run(&journal, &arguments.run)?;
    journal.cancel_run(&run.id)?;
    let note = match processes_at_work(&journal, &run.id)?.len() {
        0 => "no process works on it".to_owned(),
        1 => "1 process ends what it has begun".to_owned(),
        more => format!("{more} processes end what they have begun"),
    };
    output.say(&format!(
        "run `{}` is cancelled: {note}; `loopctl resume {}{}` resumes it",
        run.id,
        run.id,
        arguments.journal.again()
    ));
    Ok(ExitStatus::Success)
}
