//! A run of the journal on which other policies are tried.

use crate::context::Context;
use crate::failure::Failure;
use crate::journals::{JournalSpec, find_run};
use crate::profiles::{LocatedProfile, RecordedRun};
use crate::streams::Streams;

/// Reads a run. Its profile must be as it was when it ran: otherwise nothing tells what its candidates were asked for
/// with.
///
/// # Errors
/// When there is no such run, its record names no profile, or that is not as it was.
pub fn recorded_run(
    id: &str,
    journal: &JournalSpec,
    context: &Context,
    output: &mut Streams,
) -> Result<RecordedRun, Failure> {
    let journal = journal.open(context)?;
    let run = find_run(&journal, id)?;
    let recorded = LocatedProfile::of(context, &run.record.settings).ok_or_else(|| {
        Failure::broken(format!(
            "the journal does not say which profile run `{}` had, or not in a way that is understood",
            run.id
        ))
        .help("runs of `loopctl run` can be tried; those of other programs can't")
    })?;
    let profile = recorded.profile.reached(context, &recorded.library, &[], output)?;
    Ok(RecordedRun::with(&journal, &run, profile, usize::MAX)?)
}

/// Reports how many documents of a run no policy decides about.
pub fn say_without_candidate(run: &RecordedRun, output: &mut Streams) {
    if run.without_candidate == 0 {
        return;
    }
    let documents = if run.without_candidate == 1 { "document" } else { "documents" };
    let word = output.err_paint.warn("note:");
    output.say(&format!(
        "{word} {} {documents} of run `{}` without a candidate: left out, no policy decides about them",
        run.without_candidate, run.id
    ));
}
