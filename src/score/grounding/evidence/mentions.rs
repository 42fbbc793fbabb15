//! The mentions of a field: every place where the document says a value of it.

use super::super::neighbourhood::{Names, belongs};
use super::super::probe::{Evidence, Probe};
use super::super::sequence::TokenMatch;
use super::super::token::{Style, tokenize};
use super::context::Asserted;
use super::lexicon::{Reader, ValueId};
use super::reading::Document;
use crate::rules::Assertion;
use std::ops::Range;

/// A place where the document says a value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Mention {
    pub(in super::super) value: ValueId,
    pub(in super::super) bytes: Range<usize>,
    pub(in super::super) asserted: Asserted,
    /// How final the part is that it stands in.
    pub(in super::super) finality: u8,
}

/// Most mentions of one field that are compared.
const MOST: usize = 64;

impl Document<'_> {
    /// The mentions of a field that a vocabulary reads, in order. The name of a row's test (`is_row`) says no value by itself.
    pub(in super::super) fn mentions(
        &self,
        vocabulary: usize,
        reader: &Reader,
        names: &Names<'_>,
        is_row: bool,
    ) -> Vec<Mention> {
        let mut mentions: Vec<Mention> = Vec::new();
        let everywhere = 0..self.text().len();
        let anywhere = reader.counts_anywhere();
        for hit in self.phrases(vocabulary, &everywhere) {
            if !self.fuel.spend(32) || mentions.len() >= MOST {
                break;
            }
            let tokens = self.tokens(&hit.bytes);
            let found = TokenMatch { from: tokens.start, to: tokens.end, numeric: false };
            if !anywhere && !self.is_of(found, hit.bytes.clone(), names) {
                continue;
            }
            let (value, asserted) = self.stated(reader, hit);
            self.mention(&mut mentions, value, hit.bytes.clone(), asserted);
        }
        if let Some((affirmed, negated)) = reader.named() {
            for tokens in names.own_within(&(0..self.source.tokens().len())) {
                if !self.fuel.spend(32) || mentions.len() >= MOST {
                    break;
                }
                let bytes = self.bytes(&tokens);
                let sentence = self.passages.sentence(&bytes, self.source);
                // A phrase beside the name says more than the name alone.
                if mentions
                    .iter()
                    .any(|known| known.bytes.start >= sentence.start && known.bytes.end <= sentence.end)
                {
                    continue;
                }
                let asserted = self.assertion(&bytes);
                match asserted.how {
                    Assertion::Negated => {
                        let asserted = Asserted { how: Assertion::Affirmed, ..asserted };
                        self.mention(&mut mentions, negated, bytes, asserted);
                    }
                    // A name alone is a heading or a label as often as it is a statement.
                    _ if is_row || self.is_label(&tokens) => {}
                    _ => self.mention(&mut mentions, affirmed, bytes, asserted),
                }
            }
        }
        mentions
    }

    fn mention(&self, into: &mut Vec<Mention>, value: ValueId, bytes: Range<usize>, asserted: Asserted) {
        let finality = self.passages.section(bytes.start).finality;
        into.push(Mention { value, bytes, asserted, finality });
    }

    /// Whether a phrase says a value of the field that `names` says.
    pub(super) fn is_of(&self, found: TokenMatch, bytes: Range<usize>, names: &Names<'_>) -> bool {
        let text = self.text().get(bytes).unwrap_or_default();
        let mut tokens = Vec::with_capacity(4);
        tokenize(text, &mut Style::default(), &mut |token| tokens.push(token));
        let probe = Probe { text, tokens: &tokens, hint: None };
        belongs(found, &probe, self.source, names, Evidence::Strict)
    }

    /// Whether a name is followed by a colon or ends its line: what it says stands elsewhere.
    fn is_label(&self, tokens: &Range<usize>) -> bool {
        let Some(last) = tokens.end.checked_sub(1) else { return true };
        let gap = self.source.gap_after(last).trim_start_matches([' ', '\t', ')']);
        gap.starts_with([':', '=', '?', '\n', '\r', '|']) || self.source.token(tokens.end).is_none()
    }
}
