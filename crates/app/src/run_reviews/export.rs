//! Worksheets for reviewers, and their decisions as labels.

use super::counted;
use crate::context::Context;
use crate::disk::{self, Access};
use crate::failure::Failure;
use crate::journals::{JournalSpec, ReviewedRun, profile_of, say_differs};
use crate::review::{
    Correction, DocumentVerdict, QueueEntry, ReviewState, WorksheetRow, rows_of, sort, write_csv,
};
use crate::streams::Streams;
use crate::value::ShownPath;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A request to write a worksheet, or decisions.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewExportRequest {
    /// The run; `None` for the latest.
    pub run: Option<String>,
    /// Its journal.
    pub journal: JournalSpec,
    /// The file; `None` for standard output, which takes no worksheet.
    pub to: Option<PathBuf>,
    /// The content of the file.
    pub content: ReviewContent,
}

/// The content of a file about reviews.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewContent {
    /// The documents that wait for a person.
    Worksheet,
    /// All documents, also those that were accepted or rejected.
    WholeWorksheet,
    /// The decisions so far, as labels of fields.
    Decisions,
    /// The verdicts on documents, as labels of documents.
    Verdicts,
}

impl ReviewContent {
    fn is_labels(self) -> bool {
        matches!(self, ReviewContent::Decisions | ReviewContent::Verdicts)
    }
}

/// Writes a worksheet, or decisions.
///
/// # Errors
/// When there is no such run, or the file can't be written.
pub fn export_reviews(
    request: &ReviewExportRequest,
    context: &Context,
    output: &mut Streams,
) -> Result<(), Failure> {
    // Paths are relative to this folder; the profile is read in that of the run.
    let to =
        request.to.as_deref().map(|file| std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf()));
    let as_table = match (&to, request.content.is_labels()) {
        (Some(file), decisions) => is_table(file, decisions)?,
        (None, _) => false,
    };
    let mut opened = ReviewedRun::open(&request.journal, request.run.as_deref(), context)?;
    let profile = profile_of(context, &opened.run, output);
    say_differs(&profile, output);
    if request.content == ReviewContent::Decisions {
        let mut labels = Vec::new();
        opened.each(profile.plan.as_deref(), |_, document| labels.extend(Correction::lines_of(&document)))?;
        return write_labels(&labels, to.as_deref(), output);
    }
    if request.content == ReviewContent::Verdicts {
        let mut labels = Vec::new();
        opened.each(profile.plan.as_deref(), |_, document| {
            labels.extend(DocumentVerdict::lines_of(&document))
        })?;
        return write_labels(&labels, to.as_deref(), output);
    }
    let Some(file) = to else { return Err(Failure::usage("name the worksheet with `--to FILE.csv`")) };
    let stamp = context.now().to_string();
    // Documents left out of the worksheet are not kept: a run may have very many.
    let mut rows: BTreeMap<String, Vec<WorksheetRow>> = BTreeMap::new();
    let mut queue: Vec<QueueEntry> = Vec::new();
    opened.each(profile.plan.as_deref(), |_, document| {
        let Some(entry) = QueueEntry::of(&document) else { return };
        let is_over = matches!(entry.state, ReviewState::Accepted | ReviewState::Rejected);
        if request.content == ReviewContent::WholeWorksheet || !entry.reasons.is_empty() && !is_over {
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
    Ok(())
}

fn write_labels(labels: &[impl Serialize], to: Option<&Path>, output: &mut Streams) -> Result<(), Failure> {
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
    Ok(())
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
