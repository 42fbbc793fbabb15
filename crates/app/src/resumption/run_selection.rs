//! The run of the journal that the documents belong to: a fresh one, or one that is resumed.

use crate::context::Context;
use crate::diag::Problems;
use crate::failure::Failure;
use crate::profiles::SelectedProfile;
use crate::requests::{OUT, RunIdentity};
use crate::store::{DocumentStage, Journal, RunId, RunRecord, RunStage, StoredRun};
use crate::value::prose::count;

/// The run that is meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum RunSelection {
    /// A run that begins.
    #[default]
    Fresh,
    /// The latest run of the same profile and folder, if there is one.
    Latest,
    /// This run.
    This(RunId),
}

/// The run that was chosen.
pub struct SelectedRun {
    /// Its id.
    pub run: RunId,
    /// `true` if finished inputs are left out, and failed ones are tried again.
    pub goes_on: bool,
    /// `true` if its inputs are to be listed.
    pub lists: bool,
    /// The note to print about it.
    pub note: Option<String>,
}

/// Chooses the run that the documents of a record belong to, and prepares it. `profile` is what the user
/// selects now.
///
/// # Errors
/// When it is not there, has another policy, or the journal can't be written.
pub fn choose(
    journal: &Journal,
    selection: &RunSelection,
    record: &RunRecord,
    profile: &SelectedProfile,
    context: &Context,
) -> Result<SelectedRun, Failure> {
    let fresh = |note| Ok(SelectedRun { run: journal.begin_run(record)?, goes_on: false, lists: true, note });
    let stored = match selection {
        RunSelection::Fresh => return fresh(None),
        RunSelection::Latest => {
            let out = record.settings.get(OUT);
            let mine =
                |run: &StoredRun| run.record.profile == record.profile && run.record.settings.get(OUT) == out;
            let Some(latest) = journal.runs()?.into_iter().rev().find(mine) else { return fresh(None) };
            latest
        }
        RunSelection::This(run) => {
            journal.run(run)?.ok_or_else(|| crate::store::StoreError::UnknownRun { run: run.clone() })?
        }
    };
    let identity = RunIdentity::of_record(&record.profile_digest, &record.settings);
    let earlier = &stored.record;
    if !identity.decides_as(&RunIdentity::of_record(&earlier.profile_digest, &earlier.settings)) {
        let message = format!("the profile `{}` has changed since run `{}` began", record.profile, stored.id);
        if *selection == RunSelection::Latest {
            return carry_over(journal, record, &stored, message);
        }
        let is_cause = earlier.profile_digest != record.profile_digest;
        if let Some(flags) = flags_of_another_policy(profile, earlier, context).filter(|_| is_cause) {
            let message = format!(
                "`{flags}` makes another policy of `{}` than run `{}` has",
                record.profile, stored.id
            );
            return Err(Failure::usage(message).help(
                "a run has one policy, and only its `budget` may be another: resume it without the flag; or begin the documents that are left with it, with `loopctl run --resume`",
            ));
        }
        return Err(Failure::usage(message).help(
            "restore its files to resume it; or begin the documents that are left with `loopctl run --resume`",
        ));
    }
    if stored.stage == RunStage::Cancelled && *selection == RunSelection::Latest {
        return fresh(Some(format!("run `{}` was cancelled, and this is another", stored.id)));
    }
    journal.reopen_run(&stored.id)?;
    if let RunSelection::This(_) = selection {
        // Failed documents wait for `runs retry`, or for `run --resume` with their inputs.
        journal.requeue_all(&stored.id, &[DocumentStage::GivenUp])?;
    }
    let lists = *selection == RunSelection::Latest || !stored.listed;
    Ok(SelectedRun { run: stored.id, goes_on: *selection == RunSelection::Latest, lists, note: None })
}

/// The flags by which this user overrides a recorded profile, if the record has the policy without them.
fn flags_of_another_policy(
    profile: &SelectedProfile,
    record: &RunRecord,
    context: &Context,
) -> Option<String> {
    let flags = profile.again.as_ref()?.written();
    let without = SelectedProfile { again: None, ..profile.clone() };
    let loaded = without.load(context, &context.library(), &[], &mut Problems::new())?;
    (!flags.is_empty() && loaded.profile.digest == record.profile_digest).then_some(flags)
}

/// Begins a run under the changed profile that leaves out what the earlier one finished.
fn carry_over(
    journal: &Journal,
    record: &RunRecord,
    earlier: &StoredRun,
    message: String,
) -> Result<SelectedRun, Failure> {
    let run = journal.begin_run(record)?;
    let finished = journal.carry_over(&earlier.id, &run)?;
    let note = format!(
        "{message}: the results of the {} that it finished are kept, the others begin anew",
        count(finished, "document")
    );
    Ok(SelectedRun { run, goes_on: true, lists: true, note: Some(note) })
}
