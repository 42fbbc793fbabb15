//! The run of the journal that the documents belong to: a fresh one, or one that is resumed.

use crate::failure::Failure;
use crate::requests::{OUT, RunIdentity};
use crate::store::{DocumentStage, Journal, RunId, RunRecord, RunStage, StoredRun};
use crate::value::prose::count;

/// The run that is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunSelection {
    /// A run that begins.
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

/// The properties shared by runs whose documents are decided alike: the merged profile, and every file that it reaches.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyIdentity<'a> {
    /// The name of the profile.
    pub profile: &'a str,
    /// The digest of the merged profile.
    pub profile_digest: &'a str,
    /// The digest of every file that it reaches.
    pub files_digest: &'a str,
    /// The digest of both with prompts by their texts, for other policies that are tried on the run.
    pub texts_digest: &'a str,
    /// The settings laid over those of the run's record.
    pub overrides: Option<&'a ResumeOverrides>,
}

/// Settings of `resume` that override those of a run's record.
#[derive(Debug, Clone, PartialEq)]
pub struct ResumeOverrides {
    /// Its flags, as they were written.
    pub flags: String,
    /// The digest of the profile without them.
    pub digest_without: Option<String>,
}

impl PolicyIdentity<'_> {
    fn is_of(&self, run: &StoredRun) -> bool {
        let identity = RunIdentity {
            profile_digest: self.profile_digest,
            files_digest: Some(self.files_digest),
            texts_digest: Some(self.texts_digest),
        };
        identity.decides_as(&RunIdentity::of_record(&run.record.profile_digest, &run.record.settings))
    }
}

/// Chooses the run, and prepares it.
///
/// # Errors
/// When it is not there, has another policy, or the journal can't be written.
pub fn choose(
    journal: &Journal,
    selection: &RunSelection,
    record: &RunRecord,
    decided_by: &PolicyIdentity<'_>,
) -> Result<SelectedRun, Failure> {
    let fresh = |note| Ok(SelectedRun { run: journal.begin_run(record)?, goes_on: false, lists: true, note });
    let stored = match selection {
        RunSelection::Fresh => return fresh(None),
        RunSelection::Latest => {
            let out = record.settings.get(OUT);
            let mine = |run: &StoredRun| {
                run.record.profile == decided_by.profile && run.record.settings.get(OUT) == out
            };
            let Some(latest) = journal.runs()?.into_iter().rev().find(mine) else { return fresh(None) };
            latest
        }
        RunSelection::This(run) => {
            journal.run(run)?.ok_or_else(|| crate::store::StoreError::UnknownRun { run: run.clone() })?
        }
    };
    if !decided_by.is_of(&stored) {
        let message =
            format!("the profile `{}` has changed since run `{}` began", decided_by.profile, stored.id);
        if *selection == RunSelection::Latest {
            return carry_over(journal, record, &stored, message);
        }
        let is_cause = |over: &&ResumeOverrides| {
            let recorded = &stored.record.profile_digest;
            recorded != decided_by.profile_digest && over.digest_without.as_ref() == Some(recorded)
        };
        if let Some(over) = decided_by.overrides.filter(is_cause) {
            let message = format!(
                "`{}` makes another policy of `{}` than run `{}` has",
                over.flags, decided_by.profile, stored.id
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
