//! The mentions of a field: every place where the document says a value of it.

use super::super::neighbourhood::{Names, belongs};
use super::super::probe::Probe;
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
/// How long a list below a label may be, in bytes.
const LIST: usize = 1_500;

impl Document<'_> {
    /// The mentions of a field that a vocabulary reads, in order. With `by_name`, the name itself says one: where
    /// it is the name of a finding, and not of a row's test.
    pub(in super::super) fn mentions(
        &self,
        vocabulary: usize,
        reader: &Reader,
        names: &Names<'_>,
        by_name: bool,
    ) -> Vec<Mention> {
        let mut mentions: Vec<Mention> = Vec::new();
        let everywhere = 0..self.text().len();
        let anywhere = reader.counts_anywhere();
        let hits = self.phrases(vocabulary, &everywhere);
        for (at, hit) in hits.iter().enumerate() {
            if !self.fuel.spend(32) || mentions.len() >= MOST {
                break;
            }
            let tokens = self.tokens(&hit.bytes);
            let found = TokenMatch { from: tokens.start, to: tokens.end, numeric: false };
            let beside = hits.get(at.saturating_sub(1)..hits.len().min(at + 2)).unwrap_or_default();
            if !anywhere
                && (self.is_one_of_choices(hit, beside) || !self.is_of(found, hit.bytes.clone(), names))
            {
                continue;
            }
            let (value, asserted) = self.stated(reader, hit);
            self.mention(&mut mentions, value, hit.bytes.clone(), asserted);
        }
        if !anywhere {
            self.listed_mentions(&mut mentions, vocabulary, reader, names);
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
                    _ if !by_name || self.is_label(&tokens) => {}
                    _ => self.mention(&mut mentions, affirmed, bytes, asserted),
                }
            }
        }
        mentions
    }

    /// The mentions in lists below a name of the field: `Margins:`, and on the lines below it `- Bile duct: negative`.
    fn listed_mentions(
        &self,
        mentions: &mut Vec<Mention>,
        vocabulary: usize,
        reader: &Reader,
        names: &Names<'_>,
    ) {
        for name in names.own_within(&(0..self.source.tokens().len())) {
            if !self.fuel.spend(32) || mentions.len() >= MOST {
                return;
            }
            let Some(list) = self.list_below(self.bytes(&name).end) else { continue };
            for hit in self.phrases(vocabulary, &list) {
                if mentions.iter().all(|known| known.bytes != hit.bytes) && mentions.len() < MOST {
                    let (value, asserted) = self.stated(reader, hit);
                    self.mention(mentions, value, hit.bytes.clone(), asserted);
                }
            }
        }
        mentions.sort_by_key(|mention| mention.bytes.start);
    }

    /// The lines of a list that begins below a label which ends at `end`.
    fn list_below(&self, end: usize) -> Option<Range<usize>> {
        let rest = self.text().get(end..)?;
        let below = rest.trim_start_matches([' ', '\t', '*', '_']).strip_prefix(':')?;
        let below = below.trim_start_matches([' ', '\t', '\r', '*', '_']).strip_prefix('\n')?;
        let start = end + rest.len() - below.len();
        let lines = below.split_inclusive('\n').take_while(|line| is_item(line));
        let length: usize = lines.map(str::len).take_while(|_| self.fuel.spend(8)).sum();
        (length > 0 && length <= LIST).then_some(start..start + length)
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
        let probe = Probe { tokens: &tokens };
        belongs(found, &probe, self.source, names)
    }

    /// Whether a name is followed by a colon or ends its line: what it says stands elsewhere.
    fn is_label(&self, tokens: &Range<usize>) -> bool {
        let Some(last) = tokens.end.checked_sub(1) else { return true };
        let gap = self.source.gap_after(last).trim_start_matches([' ', '\t', ')']);
        gap.starts_with([':', '=', '?', '\n', '\r', '|']) || self.source.token(tokens.end).is_none()
    }
}

/// Whether a line is an item of a list with signs: `- Bile duct: negative`.
fn is_item(line: &str) -> bool {
    line.trim_start()
        .strip_prefix(['-', '*', '\u{2022}', '\u{b7}'])
        .is_some_and(|item| item.starts_with([' ', '\t']))
}
