//! The texts that a part of a phrase matches, written out.

use super::written_out::{Lead, lead};

/// Most wordings or beginnings of one phrase.
pub(super) const MOST_WORDINGS: usize = 256;
/// Most repetitions of one thing that are written out.
const MOST_REPEATED: u32 = 4;
/// Longest wording, in bytes.
const LONGEST_WORDING: usize = 120;

/// The texts that an expression matches, in the order in which they are tried; their beginnings, where that is too
/// much.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Texts {
    /// All of them, one after the other.
    letters: String,
    /// The end of each, in bytes, and whether nothing follows it.
    ends: Vec<(usize, bool)>,
}

impl Texts {
    pub(super) fn ended(text: &str) -> Self {
        Texts { letters: text.to_owned(), ends: vec![(text.len(), true)] }
    }

    /// The texts of an expression that may begin with anything.
    pub(super) fn anything() -> Self {
        Texts { letters: String::new(), ends: vec![(0, false)] }
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn push(&mut self, parts: &[&str], ended: bool) {
        self.letters.extend(parts.iter().copied());
        self.ends.push((self.letters.len(), ended));
    }

    pub(super) fn extend(&mut self, other: &Texts) {
        other.all().for_each(|(text, ended)| self.push(&[text], ended));
    }

    /// Each text, with whether nothing follows it.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, bool)> {
        let mut from = 0;
        self.ends.iter().map(move |(to, ended)| {
            let text = self.letters.get(from..*to).unwrap_or_default();
            from = *to;
            (text, *ended)
        })
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.all().map(|(text, _)| text)
    }

    /// Returns true if something may follow one of them.
    pub(super) fn go_on(&self) -> bool {
        self.ends.iter().any(|(_, ended)| *ended)
    }

    /// Every combination with `after`. These alone, as beginnings, if there would be more than `MOST_WORDINGS`.
    pub(super) fn joined(self, after: &Texts) -> Texts {
        if matches!(&*after.ends, [(0, true)]) {
            return self;
        }
        let ended = self.ends.iter().filter(|(_, ended)| *ended).count();
        let fits = self.len() - ended + ended * after.len() <= MOST_WORDINGS;
        let mut joined = Texts::default();
        for (text, ended) in self.all() {
            if ended && fits && text.len() < LONGEST_WORDING {
                after.all().for_each(|(next, ended)| joined.push(&[text, next], ended));
            } else {
                joined.push(&[text], false);
            }
        }
        joined
    }

    /// The texts that begin so, as far as they go.
    pub(super) fn led(self, (first, second): Lead) -> Texts {
        let fits = |text: &str| {
            let mut letters = text.chars().map(lead);
            letters.next().is_none_or(|letter| letter == first)
                && second.is_none_or(|second| letters.next().is_none_or(|letter| letter == second))
        };
        if self.iter().all(fits) {
            return self;
        }
        let mut led = Texts::default();
        self.all().filter(|(text, _)| fits(text)).for_each(|(text, ended)| led.push(&[text], ended));
        led
    }

    /// The first two letters of each.
    pub(super) fn leads(&self) -> Texts {
        let mut all: Vec<(&str, bool)> = self.all().collect();
        for (text, ended) in &mut all {
            let mut letters = text.char_indices().skip(1);
            if letters.next().is_some() {
                *text = letters.next().map_or(*text, |(at, _)| text.get(..at).unwrap_or_default());
                *ended = false;
            }
        }
        all.sort_unstable();
        all.dedup();
        let mut leads = Texts::default();
        all.into_iter().for_each(|(text, ended)| leads.push(&[text], ended));
        leads
    }

    /// The texts, repeated in a row.
    pub(super) fn repeated(&self, times: &Times) -> Texts {
        if self.iter().any(str::is_empty) {
            return Texts::anything();
        }
        let most = times.most.filter(|most| *most <= MOST_REPEATED);
        let least = times.least.min(MOST_REPEATED);
        let mut texts = if most.is_some() { Texts::ended("") } else { Texts::anything() };
        for number in (0..most.unwrap_or(least.max(1))).rev() {
            let more = self.clone().joined(&texts);
            let may_end = number >= least;
            texts = Texts::default();
            if may_end && !times.greedy {
                texts.push(&[""], true);
            }
            texts.extend(&more);
            if may_end && times.greedy {
                texts.push(&[""], true);
            }
        }
        texts
    }
}

/// The number of times that something appears in a row.
pub(super) struct Times {
    pub(super) least: u32,
    pub(super) most: Option<u32>,
    /// True if the greatest number of times is tried first.
    pub(super) greedy: bool,
}
