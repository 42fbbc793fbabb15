//! A run of the journal as documents that other policies are tried on.

use super::ReachedProfile;
use crate::engine::{DocumentState, Event};
use crate::experiment::sweep::RecordedBy;
use crate::experiment::{Trajectories, Trajectory, differing_keys, told_otherwise, with_texts};
use crate::requests::RunIdentity;
use crate::store::{Journal, RunId, StoreError, StoredDocument, StoredRun};
use crate::value::sanitize_line;
use serde::Deserialize;
use serde_json::Value;

/// A recorded run.
pub struct RecordedRun {
    /// Its id.
    pub id: RunId,
    /// Its documents that have a candidate.
    pub trajectories: Trajectories,
    /// The number of documents without one, whatever the policy: they were skipped, could not be read, or their
    /// provider failed.
    pub without_candidate: usize,
    /// The number of documents left unread, because no more were wanted.
    pub left_out: usize,
    /// Its profile, as it was when it ran.
    pub profile: ReachedProfile,
    /// `true` if it records which files the profile reached.
    knows_files: bool,
}

/// The reason why no other policy can be tried on a run.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// The journal can't be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The profile is not as it was when the run was made.
    #[error(
        "the profile `{}`, or a file that it reaches, has changed since run `{run}`",
        sanitize_line(profile)
    )]
    Changed {
        /// The profile's name.
        profile: String,
        /// The run.
        run: RunId,
    },
    /// A document has an event that this release does not know.
    #[error(
        "document `{}` of run `{run}` has an event that this loopctl does not know",
        sanitize_line(document)
    )]
    UnknownEvent {
        /// The document.
        document: String,
        /// The run.
        run: RunId,
    },
    /// The other profile makes or measures candidates differently.
    #[error(
        "`{}` can't be tried on run `{run}`: it makes or measures candidates otherwise ({})",
        sanitize_line(profile),
        differ.join(", ")
    )]
    OtherCandidates {
        /// The other profile's name.
        profile: String,
        /// The run.
        run: RunId,
        /// The settings and files in which it differs, in words.
        differ: Vec<String>,
    },
}

impl TrialError {
    /// Advice on what to do.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            TrialError::Store(error) => error.help(),
            TrialError::Changed { .. } => {
                "what its candidates were asked for with is not known any more: bring its files back as they were, or run the documents again"
            }
            TrialError::UnknownEvent { .. } => "use the loopctl that wrote the journal, or a later one",
            TrialError::OtherCandidates { .. } => {
                "a policy may differ in `accept`, `gate`, `stop`, `select`, `overall`, `on_escalate`, `on_regression` and `review`; for anything else run the documents again"
            }
        }
    }
}

impl RecordedRun {
    /// The first documents of a run, with its profile as it is now. The profile must be as it was when the run was
    /// made: otherwise nothing tells what its candidates were asked for with.
    ///
    /// # Errors
    /// When the profile has changed, or the journal can't be read.
    pub fn with(
        journal: &Journal,
        run: &StoredRun,
        profile: ReachedProfile,
        most: usize,
    ) -> Result<Self, TrialError> {
        let texts_digest = profile.texts_digest();
        let was = RunIdentity::of_record(&run.record.profile_digest, &run.record.settings);
        if !profile.identity(&texts_digest).asks_as(&was) {
            return Err(TrialError::Changed { profile: run.record.profile.clone(), run: run.id.clone() });
        }
        let mut trajectories = Trajectories::new(true);
        let mut without_candidate = 0;
        let documents = journal.documents(&run.id)?;
        let finished = || documents.iter().filter(|document| document.finished);
        for document in finished().take(most) {
            match Trajectory::of_run(document.record.id.as_str().into(), &state_of(journal, run, document)?) {
                Some(trajectory) => trajectories.push(trajectory),
                None => without_candidate += 1,
            }
        }
        Ok(RecordedRun {
            id: run.id.clone(),
            trajectories,
            without_candidate,
            left_out: finished().skip(most).count(),
            profile,
            knows_files: was.files_digest.is_some(),
        })
    }

    /// The settings and prompts that its candidates came from.
    #[must_use]
    pub fn recorded_by(&self) -> RecordedBy {
        let ReachedProfile { loaded, prompts, .. } = &self.profile;
        RecordedBy {
            settings: loaded.merged.to_json(),
            prompts: prompts.clone(),
            feedback: self.profile.feedback(),
        }
    }

    /// Refuses a profile that reaches other files than the run did: prompts of one name must have one text, other files
    /// must be the same.
    ///
    /// # Errors
    /// [`TrialError::OtherCandidates`].
    pub fn same_files(&self, name: &str, other: &ReachedProfile) -> Result<(), TrialError> {
        if !self.knows_files {
            return Ok(());
        }
        if let Some(prompt) = self.profile.prompts.differing(&other.prompts) {
            return Err(self.made_otherwise(name, vec![format!("the text of `{}`", sanitize_line(prompt))]));
        }
        if self.profile.other_files_digest == other.other_files_digest {
            return Ok(());
        }
        Err(self.made_otherwise(name, vec!["files that it reaches (rules, schemas, scripts)".to_owned()]))
    }

    fn made_otherwise(&self, profile: &str, differ: Vec<String>) -> TrialError {
        TrialError::OtherCandidates { profile: profile.to_owned(), run: self.id.clone(), differ }
    }

    /// Returns what feedback would have told the policy's corrections differently. Refuses a profile that makes or
    /// measures candidates differently.
    ///
    /// # Errors
    /// [`TrialError::OtherCandidates`].
    pub fn compared(&self, name: &str, other: &ReachedProfile) -> Result<Vec<&'static str>, TrialError> {
        let (recorded, settings) = (self.profile.loaded.merged.to_json(), other.loaded.merged.to_json());
        let words =
            |settings: &Value, of: &ReachedProfile| with_texts(settings, |name| of.prompts.text_of(name));
        let differ: Vec<String> = differing_keys(&words(&recorded, &self.profile), &words(&settings, other))
            .iter()
            .map(|key| format!("`{}`", sanitize_line(key)))
            .collect();
        if !differ.is_empty() {
            return Err(self.made_otherwise(name, differ));
        }
        self.same_files(name, other)?;
        Ok(told_otherwise(&recorded, &settings, &self.profile.feedback()))
    }
}

fn state_of(
    journal: &Journal,
    run: &StoredRun,
    document: &StoredDocument,
) -> Result<DocumentState, TrialError> {
    let events = journal.events(&run.id, &document.record.id)?;
    let mut state = DocumentState::default();
    for stored in &events {
        let event = Event::deserialize(&stored.payload).map_err(|_| TrialError::UnknownEvent {
            document: document.record.id.as_str().to_owned(),
            run: run.id.clone(),
        })?;
        state.apply(stored.at, &event);
    }
    Ok(state)
}
