//! `loopctl runs show`.

use super::super::journal_argument::JournalArgument;
use super::super::result_format::RecordFormat;
use super::list::described;
use crate::failure::{ExitStatus, Failure};
use crate::journals::{find_run, summary_with_reviews, write_page};
use crate::report::render_text;
use crate::requests::ResultFormat;
use crate::store::{BatchSavings, DocumentStage};
use crate::streams::Streams;
use crate::value::sanitize_line;
use clap::Args;
use serde_json::Value;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct Arguments {
    /// The run, as `loopctl runs list` names it; the beginning of its id is enough
    #[arg(value_name = "RUN", default_value = "latest")]
    run: String,
    #[command(flatten)]
    journal: JournalArgument,
    /// Also write it to this file, as a self-contained HTML page
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Also show the messages of issues of the documents to look at, which may quote the documents
    #[arg(long)]
    messages: bool,
    #[command(flatten)]
    format: RecordFormat,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let journal = arguments.journal.open()?;
    let format = arguments.format.chosen(output)?;
    let run = find_run(&journal, &arguments.run)?;
    let stages = journal.stages(&run.id)?;
    let (summary, reviews) = summary_with_reviews(&journal, &run.id, arguments.messages)?;
    if let Some(file) = &arguments.report {
        write_page(&summary, file)?;
    }
    if format != ResultFormat::Text {
        let mut described = described(&journal, &run, &stages)?;
        if let Value::Object(members) = &mut described {
            let summary = serde_json::to_value(&summary).map_err(std::io::Error::from)?;
            members.insert("summary".to_owned(), summary);
            members.insert("review".to_owned(), serde_json::to_value(reviews).map_err(std::io::Error::from)?);
        }
        output.write_json(&described, format)?;
        return Ok(ExitStatus::Success);
    }
    let mut text = format!("run {}  {}\n", run.id, sanitize_line(&run.record.profile));
    for stage in DocumentStage::ALL {
        text.push_str(&format!("{:>9}  {}\n", stages.of(stage), stage.as_str().replace('_', " ")));
    }
    if let Some(line) = reviews.line() {
        text.push_str(&format!("for a person: {line}\n"));
    }
    if let Some(line) = saved(&journal.batch_savings(&run.id)?) {
        text.push_str(&line);
    }
    text.push('\n');
    text.push_str(&render_text(&summary, output.out_paint));
    output.out.write_all(text.as_bytes())?;
    output.out.flush()?;
    Ok(ExitStatus::Success)
}

/// The savings of batches, for people; `None` if there were no batches.
pub(in crate::cli) fn saved(savings: &BatchSavings) -> Option<String> {
    let BatchSavings { batches, calls, usd, .. } = *savings;
    let of = |count: u64, one: &str, more: &str| match count {
        1 => format!("1 {one}"),
        many => format!("{many} {more}"),
    };
    let less = if usd > 0.0 { format!(", {usd:.2} USD less than online") } else { String::new() };
    (batches > 0)
        .then(|| format!("{} in {}{less}\n", of(calls, "call", "calls"), of(batches, "batch", "batches")))
}
