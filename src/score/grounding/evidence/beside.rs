//! Which of several values stands with what a field is about: of `extensor on the right and flexor on the left` the first is the
//! side of `extensorSide`.

use super::super::probe::Probe;
use super::judging::Judge;
use super::lexicon::ValueId;
use super::reading::VocabularyValue;
use std::ops::Range;

/// How far apart two values are of which one is the nearer, in tokens: a coordination (`left and right`) tells nothing.
const APART: usize = 3;

impl Judge<'_> {
    /// Where another value stands with what the field is about, and the one that was said does not. Only of vocabularies whose
    /// phrases count anywhere: a side is that of the nearest thing.
    pub(super) fn beside_subject(
        &self,
        probe: &Probe<'_>,
        asked: VocabularyValue<'_>,
        said: &Range<usize>,
        quote: &Range<usize>,
        passages: &[(usize, Range<usize>)],
    ) -> Option<Range<usize>> {
        let subject: Vec<&str> =
            self.field.words().filter(|word| self.document.lexicon.of_field(word).is_none()).collect();
        if subject.is_empty() || !asked.reader.counts_anywhere() {
            return None;
        }
        let sentence = self.document.passages.sentence(said, self.document.source);
        let whole = sentence.start.min(quote.start)..sentence.end.max(quote.end);
        if self.field.names.holds_own(&self.document.tokens(&whole)) {
            return None;
        }
        let is_whole = self.holds_all(&subject, &whole);
        if let Some(other) =
            (!is_whole).then(|| self.where_subject_is(probe, asked, &subject, passages)).flatten()
        {
            return Some(other);
        }
        let own = self.places(&subject, &whole);
        let distance = |bytes: &Range<usize>| {
            let here = self.document.tokens(bytes);
            own.iter().map(|at| at.abs_diff(here.start).min(at.abs_diff(here.end.saturating_sub(1)))).min()
        };
        let mine = distance(said)?;
        let others: Vec<_> = self.others(probe, asked, &whole).collect();
        // Of three, one may be said of all: `bilateral plaque, left greater than right`.
        let is_one = others.iter().all(|(value, _)| others.first().is_some_and(|(first, _)| first == value));
        let nearer = others.into_iter().map(|(_, bytes)| bytes);
        let here = self.document.tokens(said).start;
        let is_apart = |other: &Range<usize>| self.document.tokens(other).start.abs_diff(here) >= APART;
        nearer
            .filter(|other| is_one && is_apart(other))
            .find(|other| distance(other).is_some_and(|theirs| theirs < mine))
    }

    /// Another value in a sentence with every word of what the field is about.
    fn where_subject_is(
        &self,
        probe: &Probe<'_>,
        asked: VocabularyValue<'_>,
        subject: &[&str],
        passages: &[(usize, Range<usize>)],
    ) -> Option<Range<usize>> {
        passages.iter().find_map(|(_, place)| {
            let bytes = self.document.bytes(place);
            let is_said = self
                .document
                .phrases(asked.vocabulary, &bytes)
                .iter()
                .any(|hit| self.document.stated(asked.reader, hit).0 == asked.value);
            let counts = !is_said && self.holds_all(subject, &bytes);
            counts.then(|| self.others(probe, asked, &bytes).next()).flatten().map(|(_, other)| other)
        })
    }

    fn holds_all(&self, words: &[&str], bytes: &Range<usize>) -> bool {
        words.iter().all(|word| !self.places(&[word], bytes).is_empty())
    }

    /// Where words stand within some bytes, as tokens.
    fn places(&self, words: &[&str], bytes: &Range<usize>) -> Vec<usize> {
        let here = self.document.tokens(bytes);
        if !self.document.fuel.spend_on(here.len() * words.len()) {
            return Vec::new();
        }
        here.filter(|at| words.iter().any(|word| self.document.is_word(*at, word))).collect()
    }

    /// Where other values of the vocabulary are affirmed within some bytes.
    fn others<'j>(
        &'j self,
        probe: &'j Probe<'_>,
        asked: VocabularyValue<'j>,
        bytes: &Range<usize>,
    ) -> impl Iterator<Item = (ValueId, Range<usize>)> + 'j {
        self.document.phrases(asked.vocabulary, bytes).iter().filter_map(move |hit| {
            let (value, asserted) = self.document.stated(asked.reader, hit);
            let counts = value != asked.value
                && self.holds(&asserted)
                && self.is_of_another_kind(probe, &hit.bytes).is_none();
            counts.then(|| (value, hit.bytes.clone()))
        })
    }
}
