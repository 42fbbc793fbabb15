//! Index: the positions of words that say the same as a word of a field's name, without going through each word of a
//! document.

use super::assertion::mark;
use super::cues::{STEM, has_beginning, others_for};
use super::tokens::{Token, joined};
use crate::steps::step;
use std::collections::HashMap;

/// Most ticked boxes that are inspected.
const TICKED: usize = 64;

/// The different words of a text, and their positions.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// In alphabetical order: each word, and the tokens that it is; none where a hyphen joins it.
    words: Vec<(Box<str>, Vec<usize>)>,
    /// The words by what another form of them begins with at least.
    by_stem: HashMap<Box<str>, Vec<usize>>,
    pub(super) ticked: Vec<usize>,
}

impl Index {
    pub(super) fn read(all: &[Token]) -> Self {
        let mut known: HashMap<Box<str>, Vec<usize>> = HashMap::new();
        for (at, token) in all.iter().enumerate().filter(|(_, token)| token.is_word()) {
            match known.get_mut(&token.folded) {
                Some(places) => places.push(at),
                None => drop(known.insert(token.folded.clone(), vec![at])),
            }
        }
        for word in (0..all.len()).filter_map(|at| joined(all, at)) {
            known.entry(word.into_boxed_str()).or_default();
        }
        let mut words: Vec<(Box<str>, Vec<usize>)> = known.into_iter().collect();
        words.sort_unstable();
        let mut by_stem: HashMap<Box<str>, Vec<usize>> = HashMap::new();
        for (number, (word, _)) in words.iter().enumerate() {
            if let Some(stem) = stem(word) {
                match by_stem.get_mut(stem) {
                    Some(alike) => alike.push(number),
                    None => drop(by_stem.insert(stem.into(), vec![number])),
                }
            }
        }
        let ticked = (0..all.len()).filter(|at| mark(all, *at) == Some(true)).take(TICKED).collect();
        Index { words, by_stem, ticked }
    }

    /// The number of a word.
    fn of_word(&self, word: &str) -> Option<usize> {
        self.words.binary_search_by(|(known, _)| (**known).cmp(word)).ok()
    }

    /// The tokens that are a word.
    pub(super) fn of(&self, word: &str) -> &[usize] {
        self.of_word(word).and_then(|at| self.words.get(at)).map_or(&[], |(_, places)| places)
    }

    /// The words that begin as a name does, but for an ending of two letters.
    fn longer(&self, name: &str) -> impl Iterator<Item = usize> + '_ {
        let stem = stem(name).map(str::to_owned);
        let first = stem
            .as_deref()
            .map_or(self.words.len(), |stem| self.words.partition_point(|(word, _)| **word < *stem));
        let begins = move |word: &str| stem.as_deref().is_some_and(|stem| word.starts_with(stem));
        (first..self.words.len())
            .take_while(move |at| self.words.get(*at).is_some_and(|(word, _)| begins(word)))
    }

    /// The words of which all but an ending of two letters begins a name.
    fn shorter<'s>(&'s self, name: &'s str) -> impl Iterator<Item = usize> + 's {
        let ends = name.char_indices().skip(STEM).map(|(at, _)| at).chain([name.len()]);
        let is_long = name.chars().count() >= STEM;
        let stems = ends.filter(move |_| is_long).filter_map(|end| name.get(..end));
        stems.filter_map(|stem| self.by_stem.get(stem)).flatten().copied()
    }

    fn alike<'s>(&'s self, name: &'s str) -> impl Iterator<Item = usize> + 's {
        let others = others_for(name).filter_map(|other| self.of_word(other));
        let is_form = |at: &usize| self.words.get(*at).is_some_and(|(word, _)| has_beginning(name, word));
        let forms = self.longer(name).chain(self.shorter(name)).filter(is_form);
        self.of_word(name).into_iter().chain(forms).chain(others)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.alike(name).next().is_some()
    }

    pub(super) fn named(&self, name: &str) -> Vec<usize> {
        self.places(self.alike(name).collect())
    }

    pub(super) fn misspelt(&self, word: &str, letters: usize) -> Vec<usize> {
        let begins = word.chars().next();
        let known = self.words.iter().take(COMPARED).enumerate();
        // The first letter is seldom the one that is misread, and most words begin with another.
        let alike =
            known.filter(|(_, (other, _))| other.chars().next() == begins && is_near(word, other, letters));
        self.places(alike.map(|(at, _)| at).collect())
    }

    fn places(&self, mut words: Vec<usize>) -> Vec<usize> {
        words.sort_unstable();
        words.dedup();
        let places = words.iter().filter_map(|word| self.words.get(*word)).flat_map(|(_, places)| places);
        let mut places: Vec<usize> = places.copied().collect();
        places.sort_unstable();
        places
    }
}

/// Most different words of a text that are compared with a word that it may have misspelt.
const COMPARED: usize = 20_000;

/// Returns whether two words differ in at most so many letters: added, missing or replaced.
fn is_near(one: &str, other: &str, letters: usize) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len().abs_diff(other.len()) > letters {
        return false;
    }
    let mut before: Vec<usize> = (0..=other.len()).collect();
    for (row, c) in one.iter().enumerate() {
        let mut last = row;
        let mut next = vec![row + 1];
        for (column, d) in other.iter().enumerate() {
            step(1);
            let above = before.get(column + 1).copied().unwrap_or(usize::MAX - 1);
            let left = next.last().copied().unwrap_or(usize::MAX - 1);
            next.push((last + usize::from(c != d)).min(above + 1).min(left + 1));
            last = above;
        }
        before = next;
    }
    before.last().is_some_and(|errors| *errors <= letters)
}

/// A word but for an ending of two letters; none of a word that is too short to have forms.
fn stem(word: &str) -> Option<&str> {
    let letters = word.chars().count();
    if letters < STEM {
        return None;
    }
    let kept = STEM.max(letters - 2);
    Some(word.char_indices().nth(kept).and_then(|(end, _)| word.get(..end)).unwrap_or(word))
}

#[cfg(test)]
mod tests {
    use crate::clause::Tokens;
    use crate::clause::cues::{CueWords, is_same};

    #[test]
    fn the_index_finds_what_a_look_at_each_word_finds() {
        let text = "invasion invasive invasions inva invoice invad tumor tumors tumour mass er estrogen erosion marg margins \
                    margin marginal BI-RADS birads grading grade graded Größe größen ja necroses necrosis";
        let tokens = Tokens::read(text, &CueWords::default());
        let words = |at: &usize| tokens.all[*at].folded.to_string();
        let names = tokens.all.iter().filter(|token| token.is_word()).map(|token| token.folded.to_string());
        for name in names.chain(["neoplasm", "size", "invasively", "gradings", "inv"].map(str::to_owned)) {
            let each: Vec<usize> = (0..tokens.all.len())
                .filter(|at| tokens.all[*at].is_word() && is_same(&name, &tokens.all[*at].folded))
                .collect();
            let found = tokens.named(&name);
            assert_eq!(found, each, "{name}: {:?}", found.iter().map(words).collect::<Vec<_>>());
        }
    }
}
