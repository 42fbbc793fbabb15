//! Runs of a journal as arguments name them.

use crate::failure::Failure;
use crate::store::{DocumentStage, Journal, RunStage, StoredRun};
use crate::value::{ShownPath, sanitize_line};

/// The run with this id, `latest`, or with an id that begins with it.
///
/// # Errors
/// When there is no such run, or there are several.
pub fn find_run(journal: &Journal, id: &str) -> Result<StoredRun, Failure> {
    if id == "latest" {
        return journal.runs()?.pop().ok_or_else(|| no_run(journal));
    }
    let mut like: Vec<StoredRun> =
        journal.runs()?.into_iter().filter(|run| run.id.as_str().starts_with(id)).collect();
    match (like.len(), like.iter().position(|run| run.id.as_str() == id)) {
        (_, Some(exact)) => Ok(like.swap_remove(exact)),
        (1, None) => Ok(like.swap_remove(0)),
        (0, None) => Err(Failure::broken(format!(
            "the journal `{}` holds no run `{}`",
            journal.path().shown(),
            sanitize_line(id)
        ))
        .help("`loopctl runs list` names them")),
        (several, None) => Err(Failure::usage(format!("{several} runs begin with `{}`", sanitize_line(id)))
            .help("write more of the id; `loopctl runs list` names them")),
    }
}

fn no_run(journal: &Journal) -> Failure {
    Failure::broken(format!("the journal `{}` holds no run", journal.path().shown()))
}

/// The latest run that is not over.
///
/// # Errors
/// When there is none. `again` names the journal in commands that are advised.
pub fn latest_open(journal: &Journal, again: &str) -> Result<StoredRun, Failure> {
    let mut runs = journal.runs()?;
    let latest = runs.last().map(|run| run.id.clone()).ok_or_else(|| no_run(journal))?;
    while let Some(run) = runs.pop() {
        let stages = journal.stages(&run.id)?;
        let left = DocumentStage::LEFT;
        if run.stage != RunStage::Cancelled && (!run.listed || left.iter().any(|stage| stages.of(*stage) > 0))
        {
            return Ok(run);
        }
    }
    Err(Failure::usage(format!("`{}` has no unfinished run", journal.path().shown()))
        .help(format!("`loopctl runs show {latest}{again}` says what the latest came to; `loopctl runs retry {latest}{again}` tries what failed once more")))
}
