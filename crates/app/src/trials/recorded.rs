//! A run of the journal on which other policies are tried.

use crate::context::Context;
use crate::failure::Failure;
use crate::journals::{JournalSpec, find_run};
use crate::profiles::{LocatedProfile, ReachedProfile, RecordedRun, SelectedProfile};
use crate::streams::Streams;

/// Reads the profiles that are tried on a run, and the run. Its own profile must be as it was when it ran: otherwise
/// nothing tells what its candidates were asked for with.
///
/// # Errors
/// When a profile can't be used, there is no such run, its record names no profile, or that is not as it was.
pub(crate) fn recorded_run<'p>(
    (id, journal): (&str, &JournalSpec),
    tried: impl Iterator<Item = &'p SelectedProfile>,
    context: &Context,
    output: &mut Streams,
) -> Result<(RecordedRun, Vec<ReachedProfile>), Failure> {
    // Names of profiles are looked up here, and those of the run where it began.
    let library = context.library();
    let tried: Result<_, Failure> =
        tried.map(|profile| profile.reached(context, &library, &[], output)).collect();
    let tried = tried?;
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
    Ok((RecordedRun::with(&journal, &run, profile, usize::MAX)?, tried))
}

/// Reports how many documents of a run no policy decides about.
pub(crate) fn say_without_candidate(run: &RecordedRun, output: &mut Streams) {
    if run.without_candidate == 0 {
        return;
    }
    let documents = if run.without_candidate == 1 { "document" } else { "documents" };
    output.note(&format!(
        "{} {documents} of run `{}` without a candidate: left out, no policy decides about them",
        run.without_candidate, run.id
    ));
}
