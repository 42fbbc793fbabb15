//! Statements of a text about a field by a vocabulary, without a profile: for trying vocabularies.

use super::source::{Names, Source};
use crate::rules::{Assertion, EvidenceRules};
use std::sync::Arc;

/// Reads texts and values of candidates by the first vocabulary of some rules.
#[derive(Debug)]
pub struct FieldReader {
    names: Arc<Names>,
}

/// A position at which a text states a value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The canonical value.
    pub says: String,
    /// The way in which it is asserted.
    pub context: Assertion,
}

impl FieldReader {
    /// Compiles the vocabularies and the context.
    #[must_use]
    pub fn new(rules: &EvidenceRules) -> Self {
        FieldReader { names: Arc::new(Names::new(rules)) }
    }

    /// Every mention of a field in a text, in order.
    #[must_use]
    pub fn statements(&self, field: &str, text: &str) -> Vec<Statement> {
        let mentions = Source::new(text, &self.names).mentions_by(field, 0, None);
        mentions
            .into_iter()
            .map(|mention| Statement { says: mention.value, context: mention.context })
            .collect()
    }

    /// The canonical value that a value of a candidate means.
    #[must_use]
    pub fn value(&self, value: &str) -> Option<String> {
        self.names.lexicon.read(0, value).map(str::to_owned)
    }
}
