//! A run of the journal as documents that other policies are tried on.

use super::exit::Failure;
use super::loading::{ProfileArguments, library};
use super::output::Output;
use super::resume::{JournalArgument, find_run, go_to_folder, words};
use super::run_arguments;
use crate::engine::{DocumentState, Event};
use crate::experiment::sweep::RecordedBy;
use crate::experiment::{Columns, Trajectory, differing_keys, told_otherwise};
use crate::profile::{FileTracker, Files, Loaded};
use crate::store::{Journal, RunId, StoredRun};
use crate::value::sanitize_line;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// A recorded run.
pub(super) struct RecordedRun {
    pub(super) id: RunId,
    /// Its documents that have a candidate.
    pub(super) columns: Columns,
    /// How many have none, whatever the policy: they were skipped, could not be read, or their provider failed.
    without_candidate: usize,
    /// The merged settings of its profile.
    settings: Value,
    /// The digest of the files that the profile reached.
    files_digest: Option<String>,
    /// The text of its feedback template.
    feedback: String,
}

/// A profile with every file that it reaches.
pub(super) struct ReachedProfile {
    pub(super) loaded: Loaded,
    files_digest: String,
}

impl ReachedProfile {
    /// Loads and compiles a profile, showing every problem.
    pub(super) fn load(
        arguments: &ProfileArguments,
        forced: &[&str],
        output: &mut Output,
    ) -> Result<Self, Failure> {
        let notes = FileTracker::default();
        let library = library().noted_in(&notes);
        // That it compiles shows that all of its files were read.
        arguments.plan_from(&library, forced, output)?;
        let files_digest = notes.take().digest(Path::new(&arguments.profile));
        let loaded = arguments
            .loaded_from(&library, forced)
            .ok_or_else(|| Failure::usage(format!("the profile `{}` can't be used", arguments.profile)))?;
        Ok(ReachedProfile { loaded, files_digest })
    }
}

impl RecordedRun {
    /// Reads a run. Its profile must be as it was when it ran: otherwise nothing says what its candidates were asked for with.
    pub(super) fn open(id: &str, journal: &JournalArgument, output: &mut Output) -> Result<Self, Failure> {
        let journal = journal.open()?;
        let run = find_run(&journal, id)?;
        let mut columns = Columns::new(true);
        let mut without_candidate = 0;
        for document in journal.documents(&run.id)?.iter().filter(|document| document.finished) {
            match Trajectory::of_run(document.record.id.as_str().into(), &state_of(&journal, &run, document)?)
            {
                Some(trajectory) => columns.push(&trajectory),
                None => without_candidate += 1,
            }
        }
        let command = words(&run.record.settings);
        let arguments = run_arguments(&command).ok_or_else(|| {
            Failure::broken(format!(
                "the journal does not say which profile run `{}` had, or not in a way that is understood",
                run.id
            ))
            .help("runs of `loopctl run` can be tried; those of other programs can't")
        })?;
        go_to_folder(&run.record.settings, true, output);
        let profile = ReachedProfile::load(arguments.profile(), &[], output)?;
        let files_digest = run.record.settings.get("files_digest").and_then(Value::as_str).map(str::to_owned);
        let is_as_it_was = profile.loaded.profile.digest == run.record.profile_digest
            && files_digest.as_ref().is_none_or(|digest| *digest == profile.files_digest);
        if !is_as_it_was {
            let message = format!(
                "the profile `{}`, or a file that it reaches, has changed since run `{}`",
                sanitize_line(&run.record.profile),
                run.id
            );
            return Err(Failure::usage(message).help(
                "what its candidates were asked for with is not known any more: bring its files back as they were, or run the documents again",
            ));
        }
        let template = format!("prompts/{}", profile.loaded.profile.feedback.template.value);
        let feedback = profile.loaded.library.read(&template).ok().flatten();
        Ok(RecordedRun {
            id: run.id,
            columns,
            without_candidate,
            settings: profile.loaded.merged.to_json(),
            files_digest,
            feedback: feedback.map(|file| file.text().to_owned()).unwrap_or_default(),
        })
    }

    /// What its candidates came of.
    pub(super) fn recorded_by(&self) -> RecordedBy {
        RecordedBy { settings: self.settings.clone(), feedback: self.feedback.clone() }
    }

    /// Refuses a profile that reaches other files than the run did.
    pub(super) fn same_files(&self, name: &str, other: &ReachedProfile) -> Result<(), Failure> {
        if self.files_digest.as_ref().is_none_or(|digest| *digest == other.files_digest) {
            return Ok(());
        }
        Err(self
            .made_otherwise(name, &["files that it reaches (rules, prompts, schemas, scripts)".to_owned()]))
    }

    /// Says how many documents no policy decides about.
    pub(super) fn say_without_candidate(&self, output: &mut Output) {
        if self.without_candidate == 0 {
            return;
        }
        let documents = if self.without_candidate == 1 { "document" } else { "documents" };
        let word = output.err_paint.warn("note:");
        output.say(&format!(
            "{word} {} {documents} of run `{}` without a candidate: left out, no policy decides about them",
            self.without_candidate, self.id
        ));
    }

    fn made_otherwise(&self, name: &str, differ: &[String]) -> Failure {
        let message = format!(
            "`{}` can't be tried on run `{}`: it makes or measures candidates otherwise ({})",
            sanitize_line(name),
            self.id,
            differ.join(", ")
        );
        Failure::usage(message).help(
            "a policy may differ in `accept`, `gate`, `stop`, `select`, `overall`, `on_escalate`, `on_regression` and `review`; for anything else run the documents again",
        )
    }

    /// Whether feedback would have told the policy's corrections something else: what it would have told otherwise. Refuses a
    /// profile that makes or measures candidates otherwise.
    pub(super) fn compared(&self, name: &str, other: &ReachedProfile) -> Result<Vec<&'static str>, Failure> {
        let settings = other.loaded.merged.to_json();
        let differ: Vec<String> = differing_keys(&self.settings, &settings)
            .iter()
            .map(|key| format!("`{}`", sanitize_line(key)))
            .collect();
        if !differ.is_empty() {
            return Err(self.made_otherwise(name, &differ));
        }
        self.same_files(name, other)?;
        Ok(told_otherwise(&self.settings, &settings, &self.feedback))
    }
}

fn state_of(
    journal: &Journal,
    run: &StoredRun,
    document: &crate::store::StoredDocument,
) -> Result<DocumentState, Failure> {
    let events = journal.events(&run.id, &document.record.id)?;
    let mut state = DocumentState::default();
    for stored in &events {
        let Ok(event) = Event::deserialize(&stored.payload) else {
            return Err(Failure::broken(format!(
                "document `{}` of run `{}` has an event that this loopctl does not know",
                sanitize_line(document.record.id.as_str()),
                run.id
            ))
            .help("use the loopctl that wrote the journal, or a later one"));
        };
        state.apply(stored.at, &event);
    }
    Ok(state)
}
