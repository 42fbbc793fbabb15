//! The different words of a source, by how they begin and how long they are: which of them could be a word that is not
//! there as it should be?

use super::fold::{LONGEST_WORD, Word, fold_eq};
use super::index::SourceIndex;
use super::token::TokenKind;

/// The different words of a source, folded.
#[derive(Debug, Default)]
pub(super) struct Spelt {
    text: String,
    /// Sorted.
    words: Vec<Entry>,
    /// Groups of different words that only share a hash.
    mixed: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    first: char,
    /// Bytes.
    len: usize,
    start: usize,
    group: usize,
}

impl Spelt {
    /// Reads the words of `source` that are in no list.
    pub(super) fn new(source: &SourceIndex) -> Self {
        let mut spelt = Self::default();
        for group in 0..source.groups() {
            let words = source.group(group).iter().filter_map(|at| source.token(*at as usize));
            let mut words = words.filter(|token| token.kind == TokenKind::Word);
            let Some(one) = words.next() else { continue };
            let text = one.text(source.text());
            if words.any(|token| !fold_eq(token.text(source.text()), text)) {
                spelt.mixed.push(group);
                continue;
            }
            if one.listed().class.is_some() {
                continue;
            }
            let Some(word) = Word::new(text) else { continue };
            let Some(first) = word.as_str().chars().next() else { continue };
            let (start, len) = (spelt.text.len(), word.as_str().len());
            spelt.text.push_str(word.as_str());
            spelt.words.push(Entry { first, len, start, group });
        }
        spelt.words.sort_unstable();
        spelt
    }

    /// The groups of words that begin like the folded `word`, whose length differs by `slack` bytes at most; and what
    /// they say, none where that is not known.
    pub(super) fn like<'s>(
        &'s self,
        word: &str,
        slack: usize,
    ) -> impl Iterator<Item = (usize, Option<&'s str>)> + 's {
        let first = word.chars().next().unwrap_or_default();
        let (least, most) = (word.len().saturating_sub(slack), (word.len() + slack).min(LONGEST_WORD));
        let from = self.words.partition_point(|entry| (entry.first, entry.len) < (first, least));
        let near = self.words.get(from..).unwrap_or_default();
        near.iter()
            .take_while(move |entry| entry.first == first && entry.len <= most)
            .map(|entry| (entry.group, self.text.get(entry.start..entry.start + entry.len)))
            .chain(self.mixed.iter().map(|group| (*group, None)))
    }
}
