//! `loopctl runs list`.

use super::super::journal_argument::JournalArgument;
use super::super::result_format::RecordFormat;
use crate::failure::{ExitStatus, Failure};
use crate::requests::ResultFormat;
use crate::store::{DocumentStage, Journal, StageCounts, StoredRun};
use crate::streams::Streams;
use crate::value::sanitize_line;
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write as _;

#[derive(Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    journal: JournalArgument,
    #[command(flatten)]
    format: RecordFormat,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let journal = arguments.journal.open()?;
    let format = arguments.format.chosen(output)?;
    let mut rows = Vec::new();
    for run in journal.runs()? {
        let stages = journal.stages(&run.id)?;
        rows.push((run, stages));
    }
    if format == ResultFormat::Text {
        output.out.write_all(table(&rows).as_bytes())?;
        output.out.flush()?;
        return Ok(ExitStatus::Success);
    }
    let mut list = Vec::new();
    for (run, stages) in &rows {
        list.push(described(&journal, run, stages)?);
    }
    output.write_json(&list, format)?;
    Ok(ExitStatus::Success)
}

/// A run, for programs.
pub(super) fn described(journal: &Journal, run: &StoredRun, stages: &StageCounts) -> Result<Value, Failure> {
    let counts: serde_json::Map<String, Value> = DocumentStage::ALL
        .into_iter()
        .map(|stage| (stage.as_str().to_owned(), stages.of(stage).into()))
        .collect();
    let workers = journal.workers(&run.id, None)?;
    let at_work: Vec<String> =
        workers.iter().filter(|(_, process, _)| !process.is_gone()).map(|(_, p, _)| p.to_string()).collect();
    let batches = journal.batch_savings(&run.id)?;
    let batches = (batches.batches > 0)
        .then(|| json!({ "count": batches.batches, "calls": batches.calls, "saved_usd": batches.usd }));
    let mut described = json!({
        "id": run.id.as_str(),
        "stage": run.stage.as_str(),
        "started_at": run.record.started_at,
        "finished_at": run.finished_at,
        "profile": run.record.profile,
        "profile_digest": run.record.profile_digest,
        "loopctl_version": run.record.loopctl_version,
        "listed": run.listed,
        "documents": counts,
        "workers": at_work,
    });
    if let (Value::Object(members), Some(batches)) = (&mut described, batches) {
        members.insert("batches".to_owned(), batches);
    }
    Ok(described)
}

fn table(rows: &[(StoredRun, StageCounts)]) -> String {
    if rows.is_empty() {
        return "no runs\n".to_owned();
    }
    let head =
        ["run", "began", "profile", "stage", "documents", "finished", "failed", "left"].map(str::to_owned);
    let mut cells = vec![head];
    for (run, stages) in rows {
        let left = DocumentStage::LEFT;
        let began: String = run.record.started_at.chars().take(16).collect();
        cells.push([
            run.id.to_string(),
            began.replace('T', " "),
            sanitize_line(&run.record.profile),
            run.stage.as_str().to_owned(),
            stages.sum().to_string(),
            stages.of(DocumentStage::Finished).to_string(),
            stages.of(DocumentStage::Failed).to_string(),
            left.iter().map(|stage| stages.of(*stage)).sum::<u64>().to_string(),
        ]);
    }
    let mut widths = [0; 8];
    for row in &cells {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for row in &cells {
        let mut line = String::new();
        for (column, (width, cell)) in widths.iter().zip(row).enumerate() {
            // Numbers are aligned with each other.
            let _ =
                if column >= 4 { write!(line, "{cell:>width$}  ") } else { write!(line, "{cell:<width$}  ") };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
