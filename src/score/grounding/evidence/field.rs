//! A field as the document speaks of it: the words of its name, and the sentences that hold them.

use super::super::fold::{Hash, Word, fold_eq, fold_str};
use super::super::neighbourhood::Names;
use super::super::token::{TokenKind, word_hash};
use super::super::words::{WordClass, is_generic_key, listed};
use super::reading::Document;
use super::subject::Quality;
use std::ops::Range;

/// How far from a value the words of its field are looked for, in tokens.
const NEAR: usize = 24;
/// Most sentences that are compared for one field, and most that are read.
const SENTENCES: usize = 48;
const MOST: usize = 6;
/// A word that stands more often than this tells no sentence from another.
const COMMON: usize = 200;

/// What is asked about: its names in the text, and the words of its name.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Field<'a> {
    pub(in super::super) names: Names<'a>,
    /// The words of its key, and of the keys and labels around it, folded.
    pub(in super::super) text: &'a str,
    /// The words of its own key alone.
    pub(in super::super) key: &'a str,
    /// What a sibling says that the object with it is about: the test of a row.
    pub(in super::super) label: Option<&'a str>,
    /// What its name says of it that tells it from others of its kind.
    pub(in super::super) qualities: &'a [Quality],
}

impl<'a> Field<'a> {
    /// The words that say something.
    pub(super) fn words(&self) -> impl DoubleEndedIterator<Item = &'a str> + Clone {
        self.text
            .split(' ')
            .filter(|word| word.len() >= 3 && !is_generic_key(word) && !is_small(word) && !says_when(word))
    }

    /// How many words say something.
    pub(super) fn len(&self) -> usize {
        self.words().count()
    }
}

/// Whether a word says that a field holds a time, not of what.
fn says_when(word: &str) -> bool {
    matches!(word, "date" | "time" | "year")
}

/// Whether a word says nothing about what a text is about.
fn is_small(word: &str) -> bool {
    listed(word).is_some_and(WordClass::says_little) && !matches!(word, "tumor" | "tumour")
}
impl Document<'_> {
    /// The last word of the field's name that stands in a passage.
    pub(super) fn head(&self, place: &Range<usize>, field: &Field<'_>) -> Option<Range<usize>> {
        field.words().rev().find_map(|word| {
            let at = place.clone().rev().find(|at| self.is_word(*at, word))?;
            Some(at..at + 1)
        })
    }

    /// Whether a token is a word, inflected or not.
    pub(super) fn is_word(&self, at: usize, word: &str) -> bool {
        let Some(token) = self.source.token(at).filter(|token| token.kind == TokenKind::Word) else {
            return false;
        };
        let here = token.text(self.text());
        fold_eq(here, word) || is_inflected(here, word)
    }

    /// Whether a name of the field stands right before some bytes, as a label: `Margins: positive`.
    pub(super) fn is_labelled(&self, bytes: &Range<usize>, field: &Field<'_>) -> bool {
        let at = self.tokens(bytes).start;
        (at.saturating_sub(2)..=at).rev().any(|end| {
            self.source.gap_before(end).trim_start().starts_with([':', '=', '|'])
                && field.names.ending_own(end).is_some_and(|(own, _)| own)
        })
    }

    /// How many different words of the field's name stand near some bytes, in their sentence.
    pub(super) fn words_near(&self, bytes: &Range<usize>, field: &Field<'_>) -> usize {
        let sentence = self.tokens(&self.passages.sentence(bytes, self.source));
        let own = self.tokens(bytes);
        let from = sentence.start.max(own.start.saturating_sub(NEAR));
        let to = sentence.end.min(own.end + NEAR / 2);
        if !self.fuel.spend_on(to.saturating_sub(from)) {
            return 0;
        }
        let here = from..to.max(from);
        let words = field.words().filter(|word| here.clone().any(|at| self.is_word(at, word))).count();
        words.max(usize::from(field.names.holds_own(&here)))
    }

    /// How many different words of the field's name stand within some bytes.
    pub(super) fn words_within(&self, bytes: &Range<usize>, field: &Field<'_>) -> usize {
        let here = self.tokens(bytes);
        if !self.fuel.spend_on(here.len()) {
            return 0;
        }
        field.words().filter(|word| here.clone().any(|at| self.is_word(at, word))).count()
    }

    /// The sentences that speak of a field: those that hold most of the words of its name, or one of its names. At most `MOST`,
    /// best first, as tokens.
    pub(super) fn passages_of(&self, field: &Field<'_>, into: &mut Vec<(usize, Range<usize>)>) {
        into.clear();
        let add = |at: usize, weight: usize, into: &mut Vec<(usize, Range<usize>)>| {
            if let Some(known) = into.iter_mut().find(|(_, known)| known.contains(&at)) {
                known.0 += weight;
            } else if into.len() < SENTENCES && self.fuel.spend(64) {
                let sentence = self.tokens(&self.passages.sentence(&self.bytes(&(at..at + 1)), self.source));
                into.push((weight, sentence));
            }
        };
        for hit in field.names.own_within(&(0..self.source.tokens().len())) {
            add(hit.start, 2 * hit.len() + 1, into);
        }
        for word in field.words() {
            let hash = word_hash(word);
            let places = self.source.occurrences(hash);
            let plural =
                word_hash_of_plural(word).map(|hash| self.source.occurrences(hash)).unwrap_or_default();
            // A word that stands everywhere tells nothing.
            if places.len() + plural.len() > COMMON {
                continue;
            }
            for at in places.iter().chain(plural) {
                add(*at as usize, 2, into);
            }
        }
        into.sort_by_key(|(weight, sentence)| (std::cmp::Reverse(*weight), sentence.start));
        into.truncate(MOST);
    }
}

/// The hash of a word's plural, or of its singular if it is one.
fn word_hash_of_plural(word: &str) -> Option<u32> {
    match word.strip_suffix('s') {
        Some(one) if one.len() >= 3 => Some(word_hash(one)),
        _ => {
            let mut hash = Hash::default();
            fold_str(word, &mut |c| hash.push(c));
            hash.push('s');
            Some(hash.short())
        }
    }
}

/// Whether one of two words is the other with another ending.
pub(super) fn is_inflected(a: &str, b: &str) -> bool {
    if a.len().min(b.len()) < 5 || a.len().abs_diff(b.len()) > 4 {
        return false;
    }
    let (Some(a), Some(b)) = (Word::new(a), Word::new(b)) else { return false };
    let common = a.as_str().chars().zip(b.as_str().chars()).take_while(|(a, b)| a == b).count();
    let longest = a.as_str().chars().count().max(b.as_str().chars().count());
    common >= 5 && longest - common <= 3 && common * 3 >= longest * 2
}
