//! What stands beside the words of a field's name, as beside a label, and the dates that are given for its occasion.

use super::super::token::word_hash;
use super::field::Field;
use super::reading::Document;
use super::subject::OCCASION;
use std::ops::Range;

/// Most places that are compared for one field.
const MOST: usize = 48;
/// How far a date may stand after a label, in tokens.
const LABEL: usize = 5;
/// How far a date may stand after what happened on it, in tokens.
const DATED: usize = 12;

impl Document<'_> {
    /// Another date that stands right after a word of the field's name, as after a label, where the one at `bytes` does not.
    pub(super) fn labelled_date(
        &self,
        field: &Field<'_>,
        bytes: &Range<usize>,
        is_same: impl Fn(&Range<usize>) -> bool,
    ) -> Option<Range<usize>> {
        let own = self.words_near(bytes, field);
        if own > 0 && self.is_after_word(bytes, field) {
            return None;
        }
        let mut found = None;
        for word in field.words() {
            for at in self.source.occurrences(word_hash(word)).iter().take(MOST) {
                let at = *at as usize;
                let after = at + 1;
                let Some(date) =
                    self.fuel.spend(16).then(|| self.first_date(after..after + LABEL + 2)).flatten()
                else {
                    continue;
                };
                let gap = self.text().get(self.bytes(&(at..after)).end..date.start).unwrap_or_default();
                if gap.contains([';', '|']) || gap.contains(". ") || gap.contains(char::is_numeric) {
                    continue;
                }
                if is_same(&date) {
                    return None;
                }
                if self.words_near(&date, field) > own {
                    found.get_or_insert(date);
                }
            }
        }
        found
    }

    /// Whether a word of the field's name stands right before some bytes.
    fn is_after_word(&self, bytes: &Range<usize>, field: &Field<'_>) -> bool {
        let first = self.tokens(bytes).start;
        field.words().any(|word| (first.saturating_sub(LABEL)..first).any(|at| self.is_word(at, word)))
    }

    /// Whether a word of the field's name stands right before a value: `CO2 of 57`.
    pub(super) fn is_right_after_word(&self, bytes: &Range<usize>, field: &Field<'_>) -> bool {
        let first = self.tokens(bytes).start;
        let from = (first.saturating_sub(LABEL)..first)
            .rev()
            .find(|at| field.words().any(|word| self.is_word(*at, word)));
        from.is_some_and(|from| {
            let gap = self.text().get(self.bytes(&(from..from + 1)).end..bytes.start).unwrap_or_default();
            !is_parted(gap) && !gap.contains(char::is_numeric)
        })
    }

    /// Whether a colon parts the words of the field's name, in its sentence, from a value.
    pub(super) fn is_after_label(&self, bytes: &Range<usize>, field: &Field<'_>) -> bool {
        let sentence = self.passages.sentence(bytes, self.source);
        let label = self.text().get(sentence.start..bytes.start).and_then(|text| text.rfind(':'));
        label.is_some_and(|colon| {
            let label = self.tokens(&(sentence.start..sentence.start + colon));
            field.words().any(|word| label.clone().any(|at| self.is_word(at, word)))
        })
    }

    /// Another date that the text gives for the field's own occasion, where the one at `bytes` is not given for it.
    pub(super) fn date_of_occasion(
        &self,
        field: &Field<'_>,
        bytes: &Range<usize>,
        is_same: impl Fn(&Range<usize>) -> bool,
    ) -> Option<Range<usize>> {
        let occasion = self.lexicon.named(OCCASION)?;
        let own = field.qualities.iter().find(|one| one.vocabulary == occasion)?.value;
        let sentence = self.sentence_with_label(bytes);
        if self.phrases(occasion, &sentence).iter().any(|hit| hit.value == own) {
            return None;
        }
        let everywhere = 0..self.text().len();
        let places = self.phrases(occasion, &everywhere).iter().filter(|hit| hit.value == own).take(MOST);
        let mut found = None;
        for hit in places {
            if !self.fuel.spend(64) {
                return None;
            }
            let after = self.tokens(&hit.bytes).end;
            let end = self.tokens(&self.passages.sentence(&hit.bytes, self.source)).end;
            let Some(date) = self.first_date(after..end.min(after + DATED)) else { continue };
            let governs =
                self.phrases(occasion, &(hit.bytes.start..date.start)).iter().all(|one| one.value == own);
            if governs && is_same(&date) {
                return None;
            }
            if governs {
                found.get_or_insert(date);
            }
        }
        found
    }

    /// Another date in a sentence that has every word of the field's name, where the sentence of the one at `bytes` has none.
    pub(super) fn date_of_subject(
        &self,
        field: &Field<'_>,
        bytes: &Range<usize>,
        is_same: impl Fn(&Range<usize>) -> bool,
    ) -> Option<Range<usize>> {
        // What the vocabulary of occasions knows has other names, and is looked for by them.
        let occasion = self.lexicon.named(OCCASION);
        let is_known = field.qualities.iter().any(|one| Some(one.vocabulary) == occasion);
        if is_known || self.words_within(&self.sentence_with_label(bytes), field) > 0 {
            return None;
        }
        let rarest = field.words().min_by_key(|word| self.source.occurrences(word_hash(word)).len())?;
        let mut found = None;
        for at in self.source.occurrences(word_hash(rarest)).iter().take(MOST) {
            let at = *at as usize;
            let here = self.passages.sentence(&self.bytes(&(at..at + 1)), self.source);
            if !self.fuel.spend(64) || self.words_within(&here, field) < field.len() {
                continue;
            }
            let sentence = self.tokens(&here);
            let near = sentence.start.max(at.saturating_sub(DATED))..sentence.end.min(at + DATED);
            let Some(date) = self.first_date(near.clone()) else { continue };
            let word = self.bytes(&(at..at + 1));
            let between = self.text().get(word.start.min(date.start)..word.end.max(date.end));
            if between.is_none_or(|text| text.contains('|')) {
                continue;
            }
            let after = self.tokens(&date).end;
            // Of two dates nobody can tell which one is the field's.
            if is_same(&date) || self.first_date(after..near.end.max(after)).is_some() {
                return None;
            }
            found.get_or_insert(date);
        }
        found
    }
}

/// Whether a gap separates two statements.
pub(super) fn is_parted(gap: &str) -> bool {
    gap.contains([',', ';', '|', '\n', '\t'])
        || gap.split_whitespace().any(|word| word.eq_ignore_ascii_case("and"))
}
