//! `loopctl review list`.

use super::super::headings::{ARGUMENTS, DOCUMENTS, OUTPUT};
use super::super::journal_argument::JournalArgument;
use super::super::loading::context;
use super::super::result_format::RecordFormat;
use crate::failure::{ExitStatus, Failure};
use crate::journals::ReviewedRun;
use crate::report::Paint;
use crate::requests::ResultFormat;
use crate::review::{QueueEntry, Reason, ReviewCounts, ReviewState, sort};
use crate::store::StoredRun;
use crate::streams::Streams;
use crate::value::sanitize_line;
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::fmt::Write as _;

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
    let mut opened = ReviewedRun::open(&arguments.journal.spec(), arguments.run.as_deref(), context())?;
    let (mut queue, mut counts) = (Vec::new(), ReviewCounts::default());
    opened.each(None, |_, document| {
        let Some(entry) = QueueEntry::of(&document) else { return };
        counts.add(entry.state);
        let has_reason = |name: &String| entry.reasons.iter().any(|reason| reason.as_str() == name);
        let is_meant = arguments.reason.as_ref().is_none_or(has_reason)
            && arguments.state.as_ref().is_none_or(|state| entry.state.as_str() == state);
        if is_meant {
            queue.push(entry);
        }
    })?;
    sort(&mut queue);
    if format == ResultFormat::Text {
        output.out.write_all(table(&opened.run, &queue, counts, output.out_paint).as_bytes())?;
        output.out.flush()?;
    } else {
        output.write_json(&queue, format)?;
    }
    Ok(ExitStatus::Success)
}

fn table(run: &StoredRun, queue: &[QueueEntry], counts: ReviewCounts, paint: Paint) -> String {
    let counted = counts.line().unwrap_or_else(|| "no document waits for a person".to_owned());
    let mut text = format!("run {}  {}  {counted}\n", run.id, sanitize_line(&run.record.profile));
    let rows = queue.iter().map(|entry| {
        let reasons: Vec<&str> = entry.reasons.iter().map(|reason| reason.as_str()).collect();
        let mut notes = Vec::new();
        if !entry.reviewers.is_empty() {
            notes.push(entry.reviewers.join(", "));
        }
        if !entry.disputed.is_empty() {
            notes.push(format!("reviewers differ on {}", entry.disputed.join(", ")));
        }
        match entry.outdated {
            0 => {}
            1 => notes.push("1 decision is about an earlier result".to_owned()),
            more => notes.push(format!("{more} decisions are about an earlier result")),
        }
        [
            entry.document.clone(),
            entry.document_type.clone(),
            reasons.join(", "),
            entry.overall.map_or_else(|| "–".to_owned(), |overall| format!("{overall:.3}")),
            entry.state.as_str().replace('_', " "),
            notes.join("; "),
        ]
        .map(|cell| sanitize_line(&cell))
    });
    let head = ["document", "type", "waits because", "overall", "review", "by"].map(str::to_owned);
    let rows: Vec<[String; 6]> = std::iter::once(head).chain(rows).collect();
    if rows.len() == 1 {
        return text;
    }
    text.push('\n');
    let mut widths = [0; 6];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    for (at, row) in rows.iter().enumerate() {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths) {
            let _ = write!(line, "{cell:<width$}  ");
        }
        let line = line.trim_end();
        let _ = writeln!(text, "{}", if at == 0 { paint.faint(line) } else { line.to_owned() });
    }
    text
}
