//! The wordings of phrases that begin with the same letters, in the order of their letters.

use super::phrases::{Found, is_word};
use super::written_out::{Lead, WrittenOut};
use crate::rules::{GAP, Phrase, is_gap};
use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};
use std::collections::BTreeSet;

/// Wordings, in the order of their letters.
#[derive(Debug)]
pub(super) struct Table {
    wordings: Vec<Wording>,
    cases: Cases,
    /// Phrases that can't be written out, by their numbers.
    unwritten: Vec<usize>,
}

/// One way to write a phrase.
#[derive(Debug)]
struct Wording {
    letters: Vec<char>,
    /// The phrase, and the wording's index among its wordings: the first that fits is found.
    rank: (usize, usize),
    /// Its letters as they must be, where case counts.
    exact: Option<Vec<char>>,
    /// True if it must be the whole text.
    whole: bool,
    /// True if it is only the beginning of a phrase.
    begins: bool,
}

impl Table {
    /// The wordings of phrases, with their numbers, that begin with these letters.
    pub(super) fn new<'p>(phrases: impl Iterator<Item = (usize, &'p Phrase)>, lead: Lead) -> Self {
        let (mut wordings, mut unwritten) = (Vec::new(), Vec::new());
        for (number, phrase) in phrases {
            let (texts, exact, whole, begins) = match WrittenOut::of(phrase.marked(), Some(lead)) {
                WrittenOut::Whole { texts, exact, whole } => (texts, exact, whole, false),
                WrittenOut::Beginnings(texts) => (texts, false, false, true),
                WrittenOut::Not => {
                    unwritten.push(number);
                    continue;
                }
            };
            wordings.extend(texts.iter().enumerate().map(|(place, text)| Wording {
                letters: text.chars().collect(),
                rank: (number, place),
                exact: exact.then(|| text.chars().collect()),
                whole,
                begins,
            }));
        }
        let cases = Cases::of(wordings.iter().flat_map(|wording| &wording.letters));
        for letter in wordings.iter_mut().flat_map(|wording| &mut wording.letters) {
            *letter = cases.folded(*letter);
        }
        wordings.sort_by(|a, b| (&a.letters, a.rank).cmp(&(&b.letters, b.rank)));
        Table { wordings, cases, unwritten }
    }

    /// The wording that begins exactly here, and the phrases, in order, that may begin here.
    pub(super) fn at(&self, text: &str, start: usize) -> (Option<Found>, Vec<usize>) {
        let mut letters = text.get(start..).unwrap_or_default().char_indices().peekable();
        let mut fits = 0..self.wordings.len();
        let mut best: Option<(&Wording, usize)> = None;
        let mut begun = self.unwritten.clone();
        for depth in 0_usize.. {
            let here = self.wordings.get(fits.clone()).unwrap_or_default();
            let (at, next) = letters.peek().map_or((text.len(), None), |(at, c)| (start + at, Some(*c)));
            let ended = here.iter().take_while(|wording| wording.letters.len() == depth);
            let word_ends = next.is_none_or(|c| !is_word(c));
            for wording in ended {
                if wording.begins {
                    begun.push(wording.rank.0);
                    continue;
                }
                let is_better = best.is_none_or(|(known, _)| wording.rank < known.rank);
                let stands = word_ends && (!wording.whole || (start == 0 && at == text.len()));
                if is_better && stands && is_exact(wording, text.get(start..at).unwrap_or_default()) {
                    best = Some((wording, at));
                }
            }
            let Some(c) = next else { break };
            let letter = if is_gap(c) { GAP } else { self.cases.folded(c) };
            let from = here.partition_point(|wording| wording.letters.get(depth) < Some(&letter));
            let to = here.partition_point(|wording| wording.letters.get(depth) <= Some(&letter));
            if from == to {
                break;
            }
            letters.next();
            // Only where a wording continues: a text may be one long run of blanks.
            while letter == GAP && letters.next_if(|(_, c)| is_gap(*c)).is_some() {}
            fits = fits.start + from..fits.start + to;
        }
        begun.sort_unstable();
        begun.dedup();
        (best.map(|(wording, end)| Found { phrase: wording.rank.0, bytes: start..end }), begun)
    }
}

/// Returns true if a text has the letters of a wording in which case counts.
fn is_exact(wording: &Wording, text: &str) -> bool {
    let Some(exact) = &wording.exact else { return true };
    let mut letters = text.chars().peekable();
    let same = exact.iter().all(|letter| match letter {
        &GAP => {
            let gap = letters.next_if(|c| is_gap(*c)).is_some();
            while letters.next_if(|c| is_gap(*c)).is_some() {}
            gap
        }
        letter => letters.next() == Some(*letter),
    });
    same && letters.next().is_none()
}

/// The letters that differ in case only, as regular expressions have it.
#[derive(Debug, Default)]
struct Cases {
    /// Letters outside ASCII with the one that represents them, in order.
    folded: Vec<(char, char)>,
}

impl Cases {
    /// The cases of some letters. Others represent themselves.
    fn of<'c>(letters: impl Iterator<Item = &'c char>) -> Self {
        let letters: BTreeSet<char> = letters.copied().filter(|c| !c.is_ascii()).collect();
        // The long s and the sign for kelvin.
        let mut folded = vec![('\u{17F}', 's'), ('\u{212A}', 'k')];
        for letter in letters {
            let mut class = ClassUnicode::new([ClassUnicodeRange::new(letter, letter)]);
            if class.try_case_fold_simple().is_err() {
                continue;
            }
            let all = || class.ranges().iter().flat_map(|range| range.start()..=range.end());
            let stands = all().min().unwrap_or(letter).to_ascii_lowercase();
            folded.extend(all().filter(|c| !c.is_ascii() && *c != stands).map(|c| (c, stands)));
        }
        folded.sort_unstable();
        folded.dedup();
        Cases { folded }
    }

    fn folded(&self, c: char) -> char {
        if c.is_ascii() {
            return c.to_ascii_lowercase();
        }
        match self.folded.binary_search_by_key(&c, |(letter, _)| *letter) {
            Ok(at) => self.folded.get(at).map_or(c, |(_, stands)| *stands),
            Err(_) => c,
        }
    }
}
