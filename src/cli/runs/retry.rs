//! `loopctl runs retry`.

use super::super::journal_argument::JournalArgument;
use crate::diag::nearest;
use crate::failure::{ExitStatus, Failure};
use crate::journals::find_run;
use crate::store::{DocumentStage, StoredDocument};
use crate::streams::Streams;
use crate::value::sanitize_line;
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
    let journal = arguments.journal.open()?;
    let run = find_run(&journal, &arguments.run)?;
    let mut found: Vec<StoredDocument> = Vec::new();
    let mut known = Vec::new();
    journal.each_document(&run.id, |document, _| {
        let named = arguments.document.iter().any(|id| id == document.record.id.as_str());
        if named || (arguments.document.is_empty() && document.stage == DocumentStage::Failed) {
            found.push(document);
        } else if !arguments.document.is_empty() {
            known.push(document.record.id.to_string());
        }
    })?;
    for id in &arguments.document {
        if !found.iter().any(|document| document.record.id.as_str() == id) {
            let failure = Failure::usage(format!("run `{}` has no document `{}`", run.id, sanitize_line(id)));
            return Err(match nearest(id, known.iter().map(String::as_str)) {
                Some(guess) => failure.help(format!("did you mean `{}`?", sanitize_line(guess))),
                None => failure,
            });
        }
    }
    if let Some(document) = found.iter().find(|document| document.stage == DocumentStage::Running) {
        let id = sanitize_line(document.record.id.as_str());
        return Err(Failure::usage(format!("a process works on `{id}`")).help("wait until it has ended"));
    }
    for document in &found {
        // A finished document has nothing to resume.
        journal.requeue(document.key, arguments.anew || document.stage == DocumentStage::Finished)?;
    }
    if found.is_empty() {
        output.say(&format!("no document of run `{}` failed", run.id));
        return Ok(ExitStatus::Success);
    }
    journal.reopen_run(&run.id)?;
    let documents = if found.len() == 1 { "1 document waits" } else { "documents wait" };
    let count = if found.len() == 1 { String::new() } else { format!("{} ", found.len()) };
    output.say(&format!(
        "{count}{documents}: go on with `loopctl resume {}{}`",
        run.id,
        arguments.journal.again()
    ));
    Ok(ExitStatus::Success)
}
