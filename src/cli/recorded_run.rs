//! A run of the journal as documents that other policies are tried on.

use super::exit::Failure;
use super::loading::{ProfileArguments, library};
use super::output::Output;
use super::recorded_request::LocatedProfile;
use super::resume::{JournalArgument, find_run};
use crate::app::RunIdentity;
use crate::diag::Problems;
use crate::engine::{DocumentState, Event};
use crate::experiment::sweep::RecordedBy;
use crate::experiment::{Columns, PromptTexts, Trajectory, differing_keys, told_otherwise, with_texts};
use crate::plan::Plan;
use crate::profile::{FileTracker, Library, Loaded, Reached};
use crate::store::{Journal, RunId, StoredRun};
use crate::value::{Digest, digest_bytes, sanitize_line};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// The keys of a profile that name prompts.
const PROMPTED: [&str; 3] = ["feedback", "judges", "stages"];

/// A recorded run.
pub(super) struct RecordedRun {
    pub(super) id: RunId,
    /// Its documents that have a candidate.
    pub(super) columns: Columns,
    /// The number of documents without one, whatever the policy: they were skipped, could not be read, or their
    /// provider failed.
    pub(super) without_candidate: usize,
    /// The number of documents left unread, because no more were wanted.
    pub(super) left_out: usize,
    /// Its profile, as it was when it ran.
    pub(super) profile: ReachedProfile,
    /// `true` if it records which files the profile reached.
    knows_files: bool,
}

/// A profile with every file that it reaches.
pub(super) struct ReachedProfile {
    /// Its policy, compiled.
    pub(super) plan: Plan,
    loaded: Loaded,
    /// The digest of all files that it reaches.
    files_digest: String,
    /// Like `files_digest`, without prompts and the feedback template, which are compared by their texts.
    other_files_digest: String,
    prompts: PromptTexts,
}

impl ReachedProfile {
    /// Loads and compiles a profile, showing every problem.
    pub(super) fn load(
        arguments: &ProfileArguments,
        forced: &[&str],
        output: &mut Output,
    ) -> Result<Self, Failure> {
        Self::load_from(arguments, &library(), forced, output)
    }

    /// Loads and compiles a profile from a library, showing every problem.
    fn load_from(
        arguments: &ProfileArguments,
        library: &Library,
        forced: &[&str],
        output: &mut Output,
    ) -> Result<Self, Failure> {
        let notes = FileTracker::default();
        let library = library.clone().noted_in(&notes);
        // That it compiles shows that all of its files were read.
        let plan = arguments.plan_from(&library, forced, output)?;
        Self::of(plan, arguments, &library, forced, &notes).ok_or_else(|| unusable(arguments))
    }

    /// Like [`Self::load`], from another library, showing nothing but that it can't be used.
    pub(super) fn read(arguments: &ProfileArguments, library: &Library) -> Result<Self, Failure> {
        let notes = FileTracker::default();
        let library = library.clone().noted_in(&notes);
        let plan = arguments.compile(&library, &[], &mut Problems::new());
        let read = plan.and_then(|plan| Self::of(plan, arguments, &library, &[], &notes));
        read.ok_or_else(|| unusable(arguments))
    }

    fn of(
        plan: Plan,
        arguments: &ProfileArguments,
        library: &Library,
        forced: &[&str],
        notes: &FileTracker,
    ) -> Option<Self> {
        let (reached, named) = (notes.take(), Path::new(&arguments.profile));
        let loaded = arguments.loaded_from(library, forced)?;
        let prompts = PromptTexts::of(&loaded.merged.to_json(), &loaded.library);
        Some(ReachedProfile {
            files_digest: reached.digest(named),
            other_files_digest: reached.without(&prompts.files()).digest(named),
            prompts,
            loaded,
            plan,
        })
    }

    /// One digest of all that decides about a document, with prompts by their texts, regardless of file names.
    fn texts_digest(&self) -> String {
        texts_digest(&self.loaded, &self.prompts, &self.other_files_digest)
    }

    /// The text of its feedback template.
    fn feedback(&self) -> String {
        self.prompts.text_of(&self.loaded.profile.feedback.template.value).unwrap_or_default()
    }
}

/// The digest by which a run records what its candidates were asked for with; see [`ReachedProfile::texts_digest`].
pub(super) fn texts_digest_of(loaded: &Loaded, reached: &Reached, named: &Path) -> String {
    let prompts = PromptTexts::of(&loaded.merged.to_json(), &loaded.library);
    texts_digest(loaded, &prompts, &reached.without(&prompts.files()).digest(named))
}

fn unusable(arguments: &ProfileArguments) -> Failure {
    Failure::usage(format!("the profile `{}` can't be used", sanitize_line(&arguments.profile)))
}

fn texts_digest(loaded: &Loaded, prompts: &PromptTexts, other_files_digest: &str) -> String {
    let settings = with_texts(&loaded.merged.to_json(), |name| prompts.text_of(name));
    let mut text = String::new();
    for (key, digest) in &loaded.profile.setting_digests {
        let with_texts = PROMPTED.contains(&key.as_str()).then(|| settings.get(key)).flatten();
        let digest = with_texts.map_or_else(|| digest.clone(), |setting| Digest::of(setting).hex());
        text.push_str(&format!("{key} {digest}\n"));
    }
    digest_bytes(format!("{text}{other_files_digest}").as_bytes())
}

impl RecordedRun {
    /// Reads a run. Its profile must be as it was when it ran: otherwise nothing tells what its candidates were asked
    /// for with.
    pub(super) fn open(id: &str, journal: &JournalArgument, output: &mut Output) -> Result<Self, Failure> {
        let journal = journal.open()?;
        let run = find_run(&journal, id)?;
        let recorded = LocatedProfile::of(&run.record.settings).ok_or_else(|| {
            Failure::broken(format!(
                "the journal does not say which profile run `{}` had, or not in a way that is understood",
                run.id
            ))
            .help("runs of `loopctl run` can be tried; those of other programs can't")
        })?;
        let profile = ReachedProfile::load_from(&recorded.arguments, &recorded.library, &[], output)?;
        Self::with(&journal, &run, profile, usize::MAX)
    }

    /// The first documents of a run, with its profile as it is now.
    pub(super) fn with(
        journal: &Journal,
        run: &StoredRun,
        profile: ReachedProfile,
        most: usize,
    ) -> Result<Self, Failure> {
        let texts_digest = profile.texts_digest();
        let identity = RunIdentity {
            profile_digest: &profile.loaded.profile.digest,
            files_digest: Some(&profile.files_digest),
            texts_digest: Some(&texts_digest),
        };
        let was = RunIdentity::of_record(&run.record.profile_digest, &run.record.settings);
        let is_as_it_was = identity.asks_as(&was);
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
        let mut columns = Columns::new(true);
        let mut without_candidate = 0;
        let documents = journal.documents(&run.id)?;
        let finished = || documents.iter().filter(|document| document.finished);
        for document in finished().take(most) {
            match Trajectory::of_run(document.record.id.as_str().into(), &state_of(journal, run, document)?) {
                Some(trajectory) => columns.push(&trajectory),
                None => without_candidate += 1,
            }
        }
        Ok(RecordedRun {
            id: run.id.clone(),
            columns,
            without_candidate,
            left_out: finished().skip(most).count(),
            profile,
            knows_files: was.files_digest.is_some(),
        })
    }

    /// The settings and prompts that its candidates came from.
    pub(super) fn recorded_by(&self) -> RecordedBy {
        let ReachedProfile { loaded, prompts, .. } = &self.profile;
        RecordedBy {
            settings: loaded.merged.to_json(),
            prompts: prompts.clone(),
            feedback: self.profile.feedback(),
        }
    }

    /// Refuses a profile that reaches other files than the run did: prompts of one name must have one text, other files
    /// must be the same.
    pub(super) fn same_files(&self, name: &str, other: &ReachedProfile) -> Result<(), Failure> {
        if !self.knows_files {
            return Ok(());
        }
        if let Some(prompt) = self.profile.prompts.differing(&other.prompts) {
            return Err(self.made_otherwise(name, &[format!("the text of `{}`", sanitize_line(prompt))]));
        }
        if self.profile.other_files_digest == other.other_files_digest {
            return Ok(());
        }
        Err(self.made_otherwise(name, &["files that it reaches (rules, schemas, scripts)".to_owned()]))
    }

    /// Reports how many documents no policy decides about.
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

    /// Returns what feedback would have told the policy's corrections differently. Refuses a profile that makes or
    /// measures candidates differently.
    pub(super) fn compared(&self, name: &str, other: &ReachedProfile) -> Result<Vec<&'static str>, Failure> {
        let (recorded, settings) = (self.profile.loaded.merged.to_json(), other.loaded.merged.to_json());
        let words =
            |settings: &Value, of: &ReachedProfile| with_texts(settings, |name| of.prompts.text_of(name));
        let differ: Vec<String> = differing_keys(&words(&recorded, &self.profile), &words(&settings, other))
            .iter()
            .map(|key| format!("`{}`", sanitize_line(key)))
            .collect();
        if !differ.is_empty() {
            return Err(self.made_otherwise(name, &differ));
        }
        self.same_files(name, other)?;
        Ok(told_otherwise(&recorded, &settings, &self.profile.feedback()))
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
