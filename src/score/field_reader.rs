//! What a text says of a field by a vocabulary, without a profile: for trying vocabularies.

use super::grounded::{Names, Source};
use super::grounding::{Grounder, Reading, Scratch};
use crate::rules::{Assertion, EvidenceRules};
use crate::value::Fuel;
use serde_json::json;
use std::sync::Arc;

/// Most steps that reading one text takes, far above what any needs.
const MOST_STEPS: u64 = 50_000_000;

/// Reads texts and values of candidates by the first vocabulary of some rules.
#[derive(Debug)]
pub(crate) struct FieldReader {
    names: Arc<Names>,
}

/// A place where a text says a value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Statement {
    /// The canonical value.
    pub says: String,
    /// How it is asserted.
    pub context: Assertion,
}

impl FieldReader {
    /// Compiles the vocabularies and the context.
    #[must_use]
    pub(crate) fn new(rules: &EvidenceRules) -> Self {
        FieldReader { names: Arc::new(Names::new(rules)) }
    }

    /// Every mention of a field in a text, in order.
    #[must_use]
    pub(crate) fn statements(&self, field: &str, text: &str) -> Vec<Statement> {
        let source = Source::new(text, &self.names);
        let (names, lexicon) = (&self.names.names, &self.names.lexicon);
        let reading = Reading { lexicon, passages: source.passages(), values: &self.names.values };
        let (mut scratch, fuel) = (Scratch::default(), Fuel::of(MOST_STEPS));
        let candidate = json!({ field: "asked" });
        let mut grounder = Grounder::new(&candidate, names, source.index(), &mut scratch, &fuel);
        let found = grounder.mentions_of(field, 0, reading);
        found.into_iter().map(|(says, context)| Statement { says, context }).collect()
    }

    /// What a value of a candidate stands for.
    #[must_use]
    pub(crate) fn value(&self, value: &str) -> Option<String> {
        self.names.lexicon.read(0, value).map(str::to_owned)
    }
}
