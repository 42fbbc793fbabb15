//! `loopctl review`: people's decisions about the results of a run.

mod export;
mod import;
mod list;
mod show;

use crate::failure::{ExitStatus, Failure};
use crate::streams::Streams;
use clap::{Args, Subcommand};

#[derive(Args)]
#[command(
    after_help = "Examples:\n  loopctl review list\n  loopctl review show report-1\n  loopctl review export --to worksheet.csv\n  loopctl review import worksheet.csv --reviewer a.meyer --dry-run\n  loopctl review export --decisions --to gold.jsonl\n\nDecisions are kept in the journal, and never changed: one that is taken back is another one (`undo`)."
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    verb: ReviewVerb,
}

#[derive(Subcommand)]
enum ReviewVerb {
    /// List the documents of a run that wait for a person, with the decisions about them
    List(list::Arguments),
    /// Show the fields of a document: their values, their positions in the document, and the decisions
    Show(show::Arguments),
    /// Write a worksheet to fill in, or the decisions so far
    Export(export::Arguments),
    /// Store the decisions of a worksheet, or of lines of JSON
    Import(import::Arguments),
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    match &arguments.verb {
        ReviewVerb::List(arguments) => list::execute(arguments, output),
        ReviewVerb::Show(arguments) => show::execute(arguments, output),
        ReviewVerb::Export(arguments) => export::execute(arguments, output),
        ReviewVerb::Import(arguments) => import::execute(arguments, output),
    }
}
