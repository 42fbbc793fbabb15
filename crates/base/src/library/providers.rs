//! Facts about providers that a profile must know before any of them is opened: whether they answer prompts.

use crate::diag::{Problems, SourceFile};
use crate::value::yaml::{Data, parse};
use std::fmt;
use std::sync::{Arc, LazyLock};

/// Says whether a provider answers prompts: its manifest, which others read, declares it.
#[derive(Clone)]
pub(super) struct KnownProviders {
    of: Option<Arc<Answers>>,
}

type Answers = dyn Fn(&str) -> Option<bool> + Send + Sync;

impl fmt::Debug for KnownProviders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownProviders").field("reads_manifests", &self.of.is_some()).finish()
    }
}

impl KnownProviders {
    /// The shipped ones; any other is taken to answer prompts.
    pub(super) fn shipped() -> Self {
        KnownProviders { of: None }
    }

    /// Those that `of` knows, before the shipped ones.
    pub(super) fn asked_of(of: impl Fn(&str) -> Option<bool> + Send + Sync + 'static) -> Self {
        KnownProviders { of: Some(Arc::new(of)) }
    }

    /// Returns whether the provider of this name answers prompts.
    pub(super) fn answer_prompts(&self, name: &str) -> bool {
        let known = self.of.as_ref().and_then(|of| of(name));
        let plugin = name.split(':').next().unwrap_or(name);
        known.unwrap_or_else(|| !without_prompts().iter().any(|known| known == plugin))
    }
}

/// The shipped providers whose manifests have the capability `no-prompts`.
fn without_prompts() -> &'static [String] {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let file =
            SourceFile::shipped("words/providers.yaml", include_str!("../../../../words/providers.yaml"));
        let root = parse(&file, &mut Problems::new());
        let Some(Data::List(names)) =
            root.as_ref().and_then(|root| root.get("no_prompts")).map(|node| &node.data)
        else {
            return Vec::new();
        };
        names.iter().filter_map(|name| name.as_text().map(str::to_owned)).collect()
    });
    &NAMES
}
