//! A profile with every file that it reaches, and the digests by which runs are told apart.

use super::SelectedProfile;
use crate::context::Context;
use crate::diag::Problems;
use crate::experiment::{PromptTexts, with_texts};
use crate::plan::Plan;
use crate::profile::{FileTracker, Library, Loaded, Reached};
use crate::requests::RunIdentity;
use crate::value::{Digest, digest_bytes};
use std::path::Path;

/// The keys of a profile that name prompts.
const PROMPTED: [&str; 3] = ["feedback", "judges", "stages"];

/// A profile with every file that it reaches.
pub struct ReachedProfile {
    /// Its policy, compiled.
    pub plan: Plan,
    /// Its merged settings.
    pub loaded: Loaded,
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
            files_digest: reached.digest(named),
            other_files_digest: reached.without(&prompts.files()).digest(named),
            prompts,
            loaded,
            plan,
        })
    }

    /// One digest of all that decides about a document, with prompts by their texts, regardless of file names.
    pub fn texts_digest(&self) -> String {
        texts_digest(&self.loaded, &self.prompts, &self.other_files_digest)
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

/// The digest by which a run records what its candidates were asked for with; see [`ReachedProfile::texts_digest`].
pub fn texts_digest_of(loaded: &Loaded, reached: &Reached, named: &Path) -> String {
    let prompts = PromptTexts::of(&loaded.merged.to_json(), &loaded.library);
    texts_digest(loaded, &prompts, &reached.without(&prompts.files()).digest(named))
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
