//! The ways in which a document asserts its statements, for extractors.

use super::assessor::Scoring;
use super::mentions::asserted;
use crate::rules::Assertion;
use loopctl_ground::scopes;
use std::ops::Range;

/// The ways in which a text asserts its statements.
#[derive(Debug)]
pub struct AssertedText {
    /// The start of each section, the assertion of its text, and its finality.
    pub sections: Vec<(usize, Assertion, u8)>,
    /// The text that each word of denial or doubt reaches.
    pub scopes: Vec<Scope>,
}

/// The text that a word of denial or doubt reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The bytes within which the affected text begins, or, before the word, ends.
    pub bytes: Range<usize>,
    /// The assertion that the word makes about it.
    pub how: Assertion,
    /// It follows the word.
    pub is_ahead: bool,
}

impl Scoring {
    /// The ways in which a text asserts its statements; nothing is known about it without a context.
    pub fn asserted(&self, text: &str) -> Option<AssertedText> {
        self.rules().evidence().context.as_ref()?;
        let source = self.source(text);
        let section = |(section, kind): (Range<usize>, super::sections::SectionKind)| {
            (section.start, kind.says, kind.finality)
        };
        let scopes = scopes(source.structure()).into_iter().filter_map(|scope| {
            Some(Scope { bytes: scope.bytes, how: asserted(scope.doubt)?, is_ahead: scope.is_ahead })
        });
        Some(AssertedText {
            scopes: scopes.collect(),
            sections: source.sections().all().map(section).collect(),
        })
    }

    /// The ways in which a field of this name may hold its values besides as facts.
    pub fn accepted_by(&self, field: &str) -> Vec<Assertion> {
        self.names().accepted_by(field)
    }
}
