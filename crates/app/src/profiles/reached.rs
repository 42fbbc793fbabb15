//! A profile with every file that it reaches, and the digests by which runs are told apart.

use super::SelectedProfile;
use crate::context::Context;
use crate::diag::Problems;
use crate::experiment::calibrate::Basis;
use crate::experiment::{PromptTexts, with_texts};
use crate::plan::Plan;
use crate::profile::{FileTracker, Library, Loaded, Reached};
use crate::requests::{DecidedBy, RunIdentity};
use crate::value::{Digest, digest_bytes};
use std::path::Path;

/// The keys of a profile that name prompts.
const PROMPTED: [&str; 3] = ["feedback", "judges", "stages"];

/// A profile with every file that it reaches.
pub struct ReachedProfile {
    /// The name by which it was selected.
    name: String,
    /// Its policy, compiled.
    pub plan: Plan,
    /// Its merged settings.
    pub loaded: Loaded,
    /// Every file that was inspected.
    pub reached: Reached,
    /// The digest of all files that it reaches.
    files_digest: String,
    /// Like `files_digest`, without prompts and the feedback template, which are compared by their texts.
    pub(super) other_files_digest: String,
    /// The texts of its prompts.
    pub prompts: PromptTexts,
}

impl ReachedProfile {
    /// Reads a profile from a library. Problems are pushed; none is returned with errors.
    pub fn read(
        context: &Context,
        profile: &SelectedProfile,
        library: &Library,
        forced: &[&str],
        problems: &mut Problems,
    ) -> Option<Self> {
        let notes = FileTracker::default();
        let library = library.clone().noted_in(&notes);
        let loaded = profile.load(context, &library, forced, problems)?;
        // That it compiles shows that all of its files were read.
        let plan = Plan::compile(&loaded, problems).filter(|_| !problems.has_errors())?;
        let (reached, named) = (notes.take(), Path::new(profile.name()));
        let prompts = PromptTexts::of(&loaded.merged.to_json(), &loaded.library);
        Some(ReachedProfile {
            name: profile.name().to_owned(),
            files_digest: reached.digest(named),
            other_files_digest: reached.without(&prompts.files()).digest(named),
            reached,
            prompts,
            loaded,
            plan,
        })
    }

    /// One digest of all that decides about a document, with prompts by their texts, regardless of file names. A run
    /// records by it what its candidates were asked for with.
    pub fn texts_digest(&self) -> String {
        let settings = with_texts(&self.loaded.merged.to_json(), |name| self.prompts.text_of(name));
        let mut text = String::new();
        for (key, digest) in &self.loaded.profile.setting_digests {
            let with_texts = PROMPTED.contains(&key.as_str()).then(|| settings.get(key)).flatten();
            let digest = with_texts.map_or_else(|| digest.clone(), |setting| Digest::of(setting).hex());
            text.push_str(&format!("{key} {digest}\n"));
        }
        digest_bytes(format!("{text}{}", self.other_files_digest).as_bytes())
    }

    /// All that decides about documents, as a run records it.
    pub fn decided_by(&self) -> DecidedBy {
        DecidedBy {
            files_digest: self.files_digest.clone(),
            texts_digest: self.texts_digest(),
            basis: Some(Basis::of(&self.plan.profile, &self.reached, Path::new(&self.name))),
        }
    }

    /// The identity of its policy; `texts_digest` is that of [`Self::texts_digest`].
    pub fn identity<'a>(&'a self, texts_digest: &'a str) -> RunIdentity<'a> {
        RunIdentity {
            profile_digest: &self.loaded.profile.digest,
            files_digest: Some(&self.files_digest),
            texts_digest: Some(texts_digest),
        }
    }

    /// The text of its feedback template.
    pub fn feedback(&self) -> String {
        self.prompts.text_of(&self.loaded.profile.feedback.template.value).unwrap_or_default()
    }
}
