//! Documents of a run put back, and runs removed.

use super::{JournalSpec, find_run, processes_at_work};
use crate::context::Context;
use crate::diag::nearest;
use crate::failure::Failure;
use crate::store::{DocumentStage, Journal, RunId, StoredDocument, StoredRun};
use crate::streams::{Streams, complain};
use crate::value::{prose, sanitize_line};

/// A request to put documents of a run back among those that wait.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RetryRequest {
    /// The run.
    pub run: String,
    /// Its journal.
    pub journal: JournalSpec,
    /// The documents, whatever their outcome; none for all that failed.
    pub documents: Vec<String>,
    /// Calls that were answered before are made again.
    pub anew: bool,
}

/// Puts documents of a run back among those that wait. Returns the run, and the number of documents.
///
/// # Errors
/// When there is no such run or document, or a process works on one.
pub fn retry_documents(request: &RetryRequest, context: &Context) -> Result<(RunId, usize), Failure> {
    let journal = request.journal.open(context)?;
    let run = find_run(&journal, &request.run)?.id;
    let found = documents(&journal, &run, &request.documents)?;
    if let Some(document) = found.iter().find(|document| document.stage == DocumentStage::Running) {
        let id = sanitize_line(document.record.id.as_str());
        return Err(Failure::usage(format!("a process works on `{id}`")).help("wait until it has ended"));
    }
    for document in &found {
        // A finished document has nothing to resume.
        journal.requeue(document.key, request.anew || document.stage == DocumentStage::Finished)?;
    }
    if !found.is_empty() {
        journal.reopen_run(&run)?;
    }
    Ok((run, found.len()))
}

/// The named documents of a run, or those that failed if none is named.
fn documents(journal: &Journal, run: &RunId, named: &[String]) -> Result<Vec<StoredDocument>, Failure> {
    let (mut found, mut others): (Vec<StoredDocument>, Vec<String>) = (Vec::new(), Vec::new());
    journal.each_document(run, |document, _| {
        let id = document.record.id.as_str();
        if named.iter().any(|name| name == id)
            || (named.is_empty() && document.stage == DocumentStage::Failed)
        {
            found.push(document);
        } else {
            others.push(id.to_owned());
        }
    })?;
    let is_found = |id: &String| found.iter().any(|document| document.record.id.as_str() == id);
    let Some(missing) = named.iter().find(|id| !is_found(id)) else { return Ok(found) };
    let guess = nearest(missing, others.iter().map(String::as_str));
    let help = guess.map(|guess| format!("did you mean `{}`?", sanitize_line(guess)));
    let message = format!("run `{run}` has no document `{}`", sanitize_line(missing));
    Err(Failure { help, ..Failure::usage(message) })
}

/// A request to remove runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PruneRequest {
    /// The journal.
    pub journal: JournalSpec,
    /// The runs.
    pub runs: Vec<String>,
    /// The number of days after which all other runs are removed, too.
    pub older_than: Option<u32>,
    /// Nothing is removed.
    pub dry_run: bool,
}

/// Removes runs, and reports each. Returns whether none is left because a process works on it.
///
/// # Errors
/// When there is no such run, or the journal can't be written.
pub fn prune_runs(request: &PruneRequest, context: &Context, output: &mut Streams) -> Result<bool, Failure> {
    let journal = request.journal.open(context)?;
    let runs = request.selected(&journal, context)?;
    let (mut removed, mut is_whole) = (0, true);
    for run in &runs {
        let what = format!("run `{}` of {}", run.id, prose::count(run.documents, "document"));
        if !processes_at_work(&journal, &run.id)?.is_empty() {
            is_whole = false;
            let again = request.journal.again();
            let failure = Failure::broken(format!("a process works on run `{}`", run.id));
            let help = format!("end it first, with `loopctl runs cancel {}{again}`", run.id);
            complain(output, &failure.help(help));
        } else if request.dry_run {
            output.say(&format!("would remove {what}"));
        } else {
            journal.remove_run(&run.id)?;
            removed += 1;
            output.say(&format!("removed {what}"));
        }
    }
    if removed > 0 {
        journal.compact()?;
    } else if runs.is_empty() {
        output.say("no run is that old");
    }
    Ok(is_whole)
}

impl PruneRequest {
    /// The named runs, and those that are too old.
    fn selected(&self, journal: &Journal, context: &Context) -> Result<Vec<StoredRun>, Failure> {
        let mut runs =
            self.runs.iter().map(|id| find_run(journal, id)).collect::<Result<Vec<StoredRun>, _>>()?;
        if let Some(days) = self.older_than {
            let before = context.now() - jiff::SignedDuration::from_hours(i64::from(days) * 24);
            let is_old = |run: &StoredRun| {
                run.record.started_at.parse::<jiff::Timestamp>().is_ok_and(|began| began <= before)
            };
            runs.extend(journal.runs()?.into_iter().filter(is_old));
        }
        Ok(runs)
    }
}
