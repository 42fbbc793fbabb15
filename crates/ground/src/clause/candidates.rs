//! Candidates: the places of a document that may say the value of a claim.

use super::cues::is_same;
use super::reading::ClaimReader;
use super::search::{MOST, speaking};
use super::sentence::Clause;
use crate::find::places;
use crate::number::{Number, value_key};
use std::ops::Range;

impl ClaimReader<'_> {
    /// The places that may say the value, those in quotes first.
    pub(super) fn candidates(&self) -> Vec<Range<usize>> {
        let own = || self.known.wordings.iter().filter(|bytes| self.is_within(bytes)).cloned();
        let mut all: Vec<Range<usize>> = own().filter(|bytes| self.is_quoted(bytes)).take(MOST).collect();
        all.extend(own().take(MOST));
        match self.read.presence.filter(|_| !self.read.has_digits()) {
            Some(_) => all.extend(speaking(self.document.tokens(), &self.read.names)),
            None => {
                let unit = self.claim.value.as_f64().zip(self.read.unit());
                if let Some((number, unit)) = unit {
                    all.extend(self.document.quantities().places(number, unit));
                }
                let own =
                    places(self.document, self.claim.value).into_iter().map(|place| place.start..place.end);
                let of_other = |bytes: &Range<usize>| self.document.quantities().at(bytes.start).is_some();
                all.extend(own.filter(|bytes| unit.is_none() || !of_other(bytes)));
                if let Some(number) = self.claim.value.as_f64() {
                    all.extend(self.joined(number));
                } else if all.is_empty() {
                    all.extend(self.reworded());
                }
            }
        }
        all.retain(|bytes| self.is_within(bytes));
        // The word for a presence shows more than the name of what is there; of a text, the text itself does.
        let is_presence = self.read.presence.is_some();
        all.sort_by_key(|bytes| {
            (!self.is_quoted(bytes), self.is_worded(bytes) != is_presence, bytes.start, bytes.end)
        });
        all.dedup();
        all.truncate(MOST);
        all
    }

    /// The places of a number that a hyphen joins to a word, as in `66-year-old`, and of the parts of `2/19`.
    fn joined(&self, number: f64) -> Vec<Range<usize>> {
        let document = self.document;
        let same = document.by_value.get(&value_key(number)).into_iter().flatten();
        let parts = same.filter_map(|at| document.numbers.get(*at as usize)).filter(|number| number.is_part);
        let is_joined = |number: &&Number| {
            let after = |at: usize| document.char_at(number.end + at);
            let before = || document.char_before(number.start);
            let word = after(0) == Some('-')
                && after(1).is_some_and(char::is_alphabetic)
                && after(2).is_some_and(char::is_alphabetic);
            let begins = before().is_none_or(|c| c.is_whitespace() || c == '(');
            let share = self.read.asks_for().is_some() && (after(0) == Some('/') || before() == Some('/'));
            word && begins || share
        };
        parts.filter(is_joined).map(|number| number.start..number.end).take(MOST).collect()
    }

    /// The letters of a word that may be misread.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "words are short"
    )]
    fn forgiven(&self, word: &str) -> usize {
        let letters = word.chars().count() as f64;
        (letters * (1.0 - self.known.likeness) + 1e-9).floor().max(0.0) as usize
    }

    /// The narrowest places where one sentence has all the telling words of a text.
    fn reworded(&self) -> Vec<Range<usize>> {
        let tokens = self.document.tokens();
        let words: Vec<&String> = self.read.telling().collect();
        if words.len() < 2 {
            return Vec::new();
        }
        // A number is beside the word that it is beside in the value.
        let is_beside = |at: usize, word: &str| {
            let own = self.read.words.iter().position(|own| own == word);
            let next = own.and_then(|own| self.read.words.get(own + 1));
            let after = tokens.all.iter().skip(at + 1).find(|token| token.is_word());
            next.is_none_or(|next| after.is_some_and(|token| is_same(next, &token.folded)))
        };
        let named = |word: &&String| {
            let mut named = tokens.named(word);
            if word.contains(|c: char| c.is_ascii_digit()) {
                named.retain(|at| is_beside(*at, word));
            }
            let letters = self.forgiven(word);
            if named.is_empty() && letters > 0 { tokens.misspelt(word, letters) } else { named }
        };
        let places: Vec<Vec<usize>> = words.iter().map(named).collect();
        let Some(rarest) =
            places.iter().min_by_key(|places| places.len()).filter(|places| !places.is_empty())
        else {
            return Vec::new();
        };
        let reach = words.len() * 3 + 4;
        let nearest = |places: &Vec<usize>, at: usize| {
            let after = places.partition_point(|other| *other < at);
            let beside =
                [after.checked_sub(1), Some(after)].into_iter().flatten().filter_map(|at| places.get(at));
            beside.copied().min_by_key(|other| other.abs_diff(at)).filter(|other| other.abs_diff(at) <= reach)
        };
        let window = |at: &usize| {
            let near: Option<Vec<usize>> = places.iter().map(|places| nearest(places, *at)).collect();
            let near = near?;
            let (first, last) = (*near.iter().min()?, *near.iter().max()?);
            let clause = Clause::around(tokens, *at..*at + 1)?;
            let holds =
                last - first <= reach && clause.sentence.contains(&first) && clause.sentence.contains(&last);
            holds.then_some(tokens.all.get(first)?.start..tokens.all.get(last)?.end)
        };
        rarest.iter().take(MOST).filter_map(window).collect()
    }
}
