//! How a document asserts what it says, for who extracts from it.

use super::assessor::Scoring;
use super::grounded::Names;
use super::grounding::Scope;
use crate::rules::Assertion;

/// How a text asserts what it says.
#[derive(Debug)]
pub(crate) struct AssertedText {
    /// Where each section begins, how its text is asserted, and how final it is.
    pub(crate) sections: Vec<(usize, Assertion, u8)>,
    /// What each phrase reaches.
    pub(crate) scopes: Vec<Scope>,
}

impl Scoring {
    /// How a text asserts what it says; nothing is known of it without a context.
    pub(crate) fn asserted(&self, text: &str) -> Option<AssertedText> {
        self.rules().evidence().context.as_ref()?;
        let source = self.source(text);
        let sections = source.passages().sections().collect();
        let scopes = source.passages().scopes(&self.names().lexicon, source.index());
        Some(AssertedText { sections, scopes })
    }

    /// What a field of this name may hold besides what is affirmed.
    pub(crate) fn accepted_by(&self, field: &str) -> &[Assertion] {
        let Names { lexicon, .. } = &**self.names();
        lexicon.accepted_by(field)
    }
}
