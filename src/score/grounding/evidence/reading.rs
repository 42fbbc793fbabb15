//! A document and its vocabularies: what a phrase says in its sentence.

use super::super::bytes_of;
use super::super::index::SourceIndex;
use super::super::sequence::TokenMatch;
use super::context::Asserted;
use super::lexicon::{Lexicon, PhraseHit, Reader, ValueId};
use super::passages::Passages;
use crate::rules::Assertion;
use crate::value::Fuel;
use std::ops::Range;

/// A document and everything that reads it.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Document<'a> {
    pub(in super::super) source: &'a SourceIndex,
    pub(in super::super) passages: &'a Passages,
    pub(in super::super) lexicon: &'a Lexicon,
    pub(in super::super) fuel: &'a Fuel,
}

/// What stands between two things of which neither is said.
const CHOICE: [&str; 5] = ["/", "or", "and/or", "vs", "versus"];

impl<'a> Document<'a> {
    pub(super) fn text(&self) -> &'a str {
        self.source.text()
    }

    /// How the text asserts what stands at `bytes`.
    pub(in super::super) fn assertion(&self, bytes: &Range<usize>) -> Asserted {
        self.lexicon.context().assertion(bytes, self.source, self.passages)
    }

    /// The bytes of some tokens.
    pub(super) fn bytes(&self, tokens: &Range<usize>) -> Range<usize> {
        bytes_of(TokenMatch { from: tokens.start, to: tokens.end, numeric: false }, self.source)
    }

    /// The tokens that some bytes touch.
    pub(super) fn tokens(&self, bytes: &Range<usize>) -> Range<usize> {
        let tokens = self.source.tokens();
        let from = tokens.partition_point(|token| (token.end as usize) <= bytes.start);
        let to = tokens.partition_point(|token| (token.start as usize) < bytes.end);
        from..to.max(from)
    }

    /// The phrases of a vocabulary that begin within some bytes.
    pub(super) fn phrases(&self, vocabulary: usize, bytes: &Range<usize>) -> &'a [PhraseHit] {
        let hits = self.passages.phrases(vocabulary, self.lexicon, self.text());
        let from = hits.partition_point(|hit| hit.bytes.start < bytes.start);
        let to = hits.partition_point(|hit| hit.bytes.start < bytes.end);
        hits.get(from..to.max(from)).unwrap_or_default()
    }

    /// What a phrase says in its sentence: of a negated one the opposite, if there is one. The assertion is that of what is
    /// then said.
    pub(super) fn stated(&self, reader: &Reader, hit: &PhraseHit) -> (ValueId, Asserted) {
        self.turned(reader, hit.value, self.assertion(&hit.bytes))
    }

    /// A value, and its opposite where it is negated.
    pub(super) fn turned(&self, reader: &Reader, value: ValueId, asserted: Asserted) -> (ValueId, Asserted) {
        match (asserted.how, reader.opposite(value)) {
            (Assertion::Negated, Some(opposite)) => {
                (opposite, Asserted { how: Assertion::Affirmed, ..asserted })
            }
            _ => (value, asserted),
        }
    }

    /// Whether a phrase stands beside another value of its vocabulary as one of two things that a text speaks of, and says neither:
    /// `positive/negative`, `positive or equivocal`.
    pub(super) fn is_one_of_choices(&self, hit: &PhraseHit, hits: &[PhraseHit]) -> bool {
        hits.iter().any(|other| {
            let gap = if other.bytes.start >= hit.bytes.end {
                hit.bytes.end..other.bytes.start
            } else {
                other.bytes.end..hit.bytes.start
            };
            let joins = |gap: &str| CHOICE.iter().any(|word| gap.trim().eq_ignore_ascii_case(word));
            other.value != hit.value && self.text().get(gap).is_some_and(joins)
        })
    }
}
