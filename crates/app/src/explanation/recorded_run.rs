//! A document of a recorded run, found for an explanation.

use super::{ExplainRequest, Explanation};
use crate::context::Context;
use crate::diag::nearest;
use crate::explain::run::{Looking, NotFound, OpenedRecord, Story};
use crate::failure::Failure;
use crate::journals::{LatestRun, recall};
use crate::profile::available;
use crate::streams::Streams;
use crate::value::{ShownPath, sanitize_line};

/// Explains a document of a run, or lists the documents where none was named.
pub(super) fn explain_run(
    request: &ExplainRequest,
    context: &Context,
    output: &mut Streams,
) -> Result<Explanation, Failure> {
    let latest = latest(request, context, output);
    let looking = Looking {
        target: latest.as_ref().map_or(&request.target, |latest| &latest.run),
        document: request.document.as_deref(),
        journal: latest.as_ref().map(|latest| latest.journal.as_path()).or(request.journal.as_deref()),
        usual: context.state_folder().map(|folder| folder.join("journal.sqlite")),
    };
    match looking.find(&mut std::io::stdin().lock()) {
        Ok(OpenedRecord::One(record)) => Ok(Explanation::Document(Box::new(Story::of(&record)))),
        Ok(OpenedRecord::Several(documents)) => Ok(Explanation::Documents(documents)),
        Err(error) => Err(not_found(&request.target, error, context)),
    }
}

/// The latest run, if it is meant and its journal still exists.
fn latest(request: &ExplainRequest, context: &Context, output: &mut Streams) -> Option<LatestRun> {
    let latest = recall(context).filter(|_| request.target == "latest" && request.journal.is_none())?;
    if latest.journal.is_file() {
        return Some(latest);
    }
    let (run, journal) = (sanitize_line(&latest.run), sanitize_line(&latest.journal.shown()));
    output.warn(&format!("the latest run, {run}, was in `{journal}`, which is gone; this is one before it"));
    None
}

/// The failure when there is nothing to explain. A word near a profile's name is more likely that than a run's id.
fn not_found(target: &str, error: NotFound, context: &Context) -> Failure {
    let names = available(&context.library());
    if let Some(guess) = nearest(target, names.iter().map(String::as_str)) {
        let message = format!("`{}` is no run, no profile and no code", sanitize_line(target));
        return Failure::usage(message).help(format!("did you mean the profile `{guess}`?"));
    }
    let failure =
        if error.is_choice { Failure::usage(error.message) } else { Failure::broken(error.message) };
    if error.help.is_empty() { failure } else { failure.help(error.help) }
}
