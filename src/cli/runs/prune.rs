//! `loopctl runs prune`.

use super::super::journal_argument::JournalArgument;
use super::super::loading::context;
use crate::failure::{ExitStatus, Failure};
use crate::journals::{PruneRequest, prune_runs};
use crate::streams::Streams;
use clap::Args;

#[derive(Args)]
#[command(group(clap::ArgGroup::new("which").required(true).args(["runs", "older_than"])))]
pub(super) struct Arguments {
    /// Runs, as `loopctl runs list` names them
    #[arg(value_name = "RUN")]
    runs: Vec<String>,
    /// Every run that began this many days ago or earlier
    #[arg(long, value_name = "DAYS", value_parser = days)]
    older_than: Option<u32>,
    /// Show what would be removed, and remove nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    journal: JournalArgument,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let request = PruneRequest {
        journal: arguments.journal.spec(),
        runs: arguments.runs.clone(),
        older_than: arguments.older_than,
        dry_run: arguments.dry_run,
    };
    let is_whole = prune_runs(&request, context(), output)?;
    Ok(if is_whole { ExitStatus::Success } else { ExitStatus::Broken })
}

/// A number of days.
fn days(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| "expected a number of days, such as `30`".to_owned())
}
