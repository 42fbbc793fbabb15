//! `loopctl runs prune`.

use super::super::journal_argument::JournalArgument;
use super::super::loading::context;
use crate::failure::{ExitStatus, Failure};
use crate::journals::find_run;
use crate::store::{Journal, StoredRun};
use crate::streams::{Streams, complain};
use crate::value::prose;
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
    let journal = arguments.journal.open()?;
    let mut runs = Vec::new();
    for id in &arguments.runs {
        runs.push(find_run(&journal, id)?);
    }
    if let Some(days) = arguments.older_than {
        let before = context().now() - jiff::SignedDuration::from_hours(i64::from(days) * 24);
        let old = |run: &StoredRun| {
            run.record.started_at.parse::<jiff::Timestamp>().is_ok_and(|began| began <= before)
        };
        runs.extend(journal.runs()?.into_iter().filter(old));
    }
    let mut removed = 0;
    let mut exit = ExitStatus::Success;
    for run in &runs {
        if is_at_work(&journal, run)? {
            exit = ExitStatus::Broken;
            let failure = Failure::broken(format!("a process works on run `{}`", run.id));
            complain(
                output,
                &failure.help(format!(
                    "end it first, with `loopctl runs cancel {}{}`",
                    run.id,
                    arguments.journal.again()
                )),
            );
            continue;
        }
        let what = format!("run `{}` of {}", run.id, prose::count(run.documents, "document"));
        if arguments.dry_run {
            output.say(&format!("would remove {what}"));
            continue;
        }
        journal.remove_run(&run.id)?;
        removed += 1;
        output.say(&format!("removed {what}"));
    }
    if removed > 0 {
        journal.compact()?;
    } else if runs.is_empty() {
        output.say("no run is that old");
    }
    Ok(exit)
}

/// A number of days.
fn days(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| "expected a number of days, such as `30`".to_owned())
}

fn is_at_work(journal: &Journal, run: &StoredRun) -> Result<bool, Failure> {
    Ok(journal.workers(&run.id, None)?.iter().any(|(_, process, _)| !process.is_gone()))
}
