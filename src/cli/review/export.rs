//! `loopctl review export`.

use super::super::headings::{ARGUMENTS, OUTPUT};
use super::super::journal_argument::JournalArgument;
use super::super::loading::context;
use crate::disk::{self, Access};
use crate::failure::{ExitStatus, Failure};
use crate::journals::{ReviewedRun, profile_of, say_differs};
use crate::review::{
    Correction, DocumentVerdict, QueueEntry, ReviewState, WorksheetRow, rows_of, sort, write_csv,
};
use crate::streams::Streams;
use crate::value::ShownPath;
use clap::Args;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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
    // Paths are relative to this folder; the profile is read in that of the run.
    let to =
        arguments.to.as_deref().map(|file| std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf()));
    let as_table = match (&to, arguments.decisions || arguments.verdicts) {
        (Some(file), decisions) => is_table(file, decisions)?,
        (None, _) => false,
    };
    let mut opened = ReviewedRun::open(&arguments.journal.spec(), arguments.run.as_deref(), context())?;
    let profile = profile_of(context(), &opened.run, output);
    say_differs(&profile, output);
    if arguments.decisions {
        let mut labels = Vec::new();
        opened.each(profile.plan.as_deref(), |_, document| labels.extend(Correction::lines_of(&document)))?;
        return write_labels(&labels, to.as_deref(), output);
    }
    if arguments.verdicts {
        let mut labels = Vec::new();
        opened.each(profile.plan.as_deref(), |_, document| {
            labels.extend(DocumentVerdict::lines_of(&document))
        })?;
        return write_labels(&labels, to.as_deref(), output);
    }
    let Some(file) = to else { return Err(Failure::usage("name the worksheet with `--to FILE.csv`")) };
    let stamp = context().now().to_string();
    // Documents left out of the worksheet are not kept: a run may have very many.
    let mut rows: BTreeMap<String, Vec<WorksheetRow>> = BTreeMap::new();
    let mut queue: Vec<QueueEntry> = Vec::new();
    opened.each(profile.plan.as_deref(), |_, document| {
        let Some(entry) = QueueEntry::of(&document) else { return };
        let is_over = matches!(entry.state, ReviewState::Accepted | ReviewState::Rejected);
        if arguments.all || !entry.reasons.is_empty() && !is_over {
            rows.insert(entry.document.clone(), rows_of(&document, &document.reviewed(), &stamp));
            queue.push(entry);
        }
    })?;
    sort(&mut queue);
    let rows: Vec<WorksheetRow> =
        queue.iter().filter_map(|entry| rows.remove(&entry.document)).flatten().collect();
    let bytes = if as_table {
        write_csv(&rows).map_err(|error| Failure::broken(format!("the worksheet can't be made: {error}")))?
    } else {
        lines(&rows)?.into_bytes()
    };
    write(&file, &bytes)?;
    output.say(&format!(
        "{} of {} written to `{}`",
        counted(rows.len(), "row"),
        counted(queue.len(), "document"),
        file.shown()
    ));
    Ok(ExitStatus::Success)
}

fn write_labels(
    labels: &[impl Serialize],
    to: Option<&Path>,
    output: &mut Streams,
) -> Result<ExitStatus, Failure> {
    let text = lines(labels)?;
    match to {
        Some(file) => {
            write(file, text.as_bytes())?;
            output.say(&format!("{} written to `{}`", counted(labels.len(), "decision"), file.shown()));
        }
        None => {
            output.out.write_all(text.as_bytes())?;
            output.out.flush()?;
        }
    }
    Ok(ExitStatus::Success)
}

/// Returns whether a file is written as a table.
fn is_table(file: &Path, decisions: bool) -> Result<bool, Failure> {
    let ending = file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    match ending.as_str() {
        "jsonl" | "ndjson" => Ok(false),
        "csv" if !decisions => Ok(true),
        _ => {
            let expected = if decisions { "`.jsonl`" } else { "`.csv` or `.jsonl`" };
            Err(Failure::usage(format!("`{}`: expected a file that ends in {expected}", file.shown())))
        }
    }
}

fn lines(rows: &[impl Serialize]) -> Result<String, Failure> {
    let mut text = String::new();
    for row in rows {
        text.push_str(&serde_json::to_string(row).map_err(std::io::Error::from)?);
        text.push('\n');
    }
    Ok(text)
}

fn write(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    disk::replace(file, bytes, Access::Owner)
        .map_err(|error| Failure::broken(format!("can't write `{}`: {error}", file.shown())))
}

pub(super) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
