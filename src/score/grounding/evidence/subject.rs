//! Of which of several things of a kind a passage speaks: the left or the right one, the proximal or the distal margin, the
//! date of birth or of the report.

use super::super::boundary::listed_at;
use super::super::date::is_date;
use super::super::probe::Probe;
use super::super::token::{TokenKind, word_hash};
use super::super::words::WordClass;
use super::field::Field;
use super::lexicon::{PhraseHit, Reader, ValueId};
use super::reading::Document;
use std::ops::Range;

/// What the name of a field says of it, by a vocabulary that tells things apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Quality {
    vocabulary: usize,
    value: ValueId,
    /// Of dates only: the other vocabularies read words that have a sense beside dates alone.
    of_dates: bool,
}

/// Which number of `3/12` one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fraction {
    First,
    Second,
    /// Either: `3/3`.
    Whole,
}

/// Vocabularies about dates. Their words (`exam`, `report`, `since`) say nothing of other values.
const OF_DATES: [&str; 2] = ["occasion", "document-date"];
/// The vocabulary of names that say which number of `3/12` is meant.
const OF_FRACTIONS: &str = "part-or-whole";
/// Its value for the first number; the second is that of any other value.
const OF_PARTS: &str = "involved";
/// How far before a sentence that names no side the side is looked for that it goes on about, in bytes.
const GOES_ON: usize = 400;
/// Most tokens between two phrases that share what follows them: `proximal, distal and radial margins`.
const LISTED: usize = 3;
/// How far after a value the words may stand that say of what kind it is, in tokens: `1 mm from the blue inked margin`.
const NEXT: usize = 6;
/// Most places that are compared for one field.
const MOST: usize = 48;
/// How far a date may stand after a label, in tokens.
const LABEL: usize = 4;
/// How far a date may stand after what happened on it, in tokens.
const DATED: usize = 12;

impl Document<'_> {
    /// What a field's name says of it that its passages must not say otherwise.
    pub(in super::super) fn qualities(&self, words: &str, into: &mut Vec<Quality>) {
        into.clear();
        for vocabulary in 0..self.lexicon.len() {
            let Some(reader) = self.lexicon.reader(vocabulary).filter(|reader| reader.tells_apart()) else {
                continue;
            };
            let of_dates = OF_DATES.iter().any(|name| self.lexicon.named(name) == Some(vocabulary));
            for hit in reader.find(words).take(4) {
                into.push(Quality { vocabulary, value: hit.value, of_dates });
            }
        }
    }

    /// The field is of one of several things of a kind, and what stands at `bytes`, within `around`, is of another one: the words
    /// that say so.
    pub(super) fn is_of_another_kind(
        &self,
        bytes: &Range<usize>,
        around: &Range<usize>,
        field: &Field<'_>,
        probe: &Probe<'_>,
    ) -> Option<Range<usize>> {
        if let Some(row) = self.is_of_another_row(bytes, field) {
            return Some(row);
        }
        let mut at = 0;
        while let Some(first) = field.qualities.get(at) {
            let vocabulary = first.vocabulary;
            let rest = field.qualities.get(at..).unwrap_or_default();
            let count = rest.iter().take_while(|one| one.vocabulary == vocabulary).count();
            let own = rest.get(..count).unwrap_or_default();
            at += count;
            if first.of_dates && !is_date(probe) {
                continue;
            }
            let counts = self.lexicon.named(OF_FRACTIONS) == Some(vocabulary);
            if counts && !probe.is_bare_number() {
                continue;
            }
            let Some(reader) = self.lexicon.reader(vocabulary) else { continue };
            if counts && let Some(fraction) = self.fraction(bytes) {
                let is_first = |one: &Quality| reader.value(one.value) == OF_PARTS;
                let is_meant = match fraction {
                    Fraction::First => own.iter().any(is_first),
                    Fraction::Second => !own.iter().all(is_first),
                    Fraction::Whole => true,
                };
                if !is_meant {
                    return Some(bytes.clone());
                }
                continue;
            }
            let other = self.another(vocabulary, reader, own, bytes, around);
            if other.is_some() {
                return other;
            }
        }
        None
    }

    /// Which number of a fraction of whole numbers it is (`3/12`, `3 of 12`); none where it stands alone.
    fn fraction(&self, bytes: &Range<usize>) -> Option<Fraction> {
        let tokens = self.tokens(bytes);
        let at = tokens.start;
        let is_number = |i: usize| {
            self.source.token(i).is_some_and(|token| {
                token.kind == TokenKind::Number && token.text(self.text()).bytes().all(|b| b.is_ascii_digit())
            })
        };
        if tokens.len() != 1 || !is_number(at) {
            return None;
        }
        let slash = |i: usize| is_number(i) && is_number(i + 1) && self.source.gap_after(i).trim() == "/";
        let of = |i: usize| self.source.token_is(i, "of") || self.source.token_is(i, "de");
        let before = |back: usize| at.checked_sub(back);
        let is_date = slash(at) && slash(at + 1) || before(1).is_some_and(|b| slash(b) && (slash(at) || b > 0 && slash(b - 1)));
        if is_date {
            return None;
        }
        let first = match (slash(at), of(at + 1) && is_number(at + 2)) {
            (true, _) => Some((at + 1, true)),
            (_, true) => Some((at + 2, true)),
            _ => before(1)
                .filter(|b| slash(*b))
                .or_else(|| before(2).filter(|b| is_number(*b) && of(b + 1)))
                .map(|b| (b, false)),
        };
        let (other, is_first) = first?;
        let same = self.source.token(other).zip(self.source.token(at)).is_some_and(|(a, b)| a.hash == b.hash);
        Some(if same { Fraction::Whole } else if is_first { Fraction::First } else { Fraction::Second })
    }

    fn another(
        &self,
        vocabulary: usize,
        reader: &Reader,
        own: &[Quality],
        bytes: &Range<usize>,
        around: &Range<usize>,
    ) -> Option<Range<usize>> {
        let is_own = |hit: &&PhraseHit| own.iter().any(|one| one.value == hit.value);
        let sentence = self.sentence_with_label(around);
        let hits = self.phrases(vocabulary, &sentence);
        if hits.is_empty() {
            // A paragraph about one side names it once.
            let goes_on = reader.counts_anywhere() && reader.qualifies();
            let before = goes_on.then(|| self.goes_on(vocabulary, sentence.start)).flatten()?;
            return (!is_own(&before)).then(|| before.bytes.clone());
        }
        if !reader.qualifies() {
            return hits.iter().all(|hit| !is_own(&hit)).then(|| hits.first().map(|hit| hit.bytes.clone()))?;
        }
        let governing = match self.governing(hits, bytes) {
            Some(governing) => governing,
            // A side that is named anywhere in the sentence is that of all of it.
            None if reader.counts_anywhere() => hits,
            None => return None,
        };
        let is_another = !governing.iter().any(|hit| is_own(&hit));
        is_another.then(|| governing.first().map(|hit| hit.bytes.clone()))?
    }

    /// A sentence, and the label on the line before it.
    fn sentence_with_label(&self, bytes: &Range<usize>) -> Range<usize> {
        let sentence = self.passages.sentence(bytes, self.source);
        let first = self.tokens(&sentence).start;
        if first > 0 && self.source.gap_before(first).trim_start().starts_with(':') {
            let label = self.bytes(&(first - 1..first));
            return self.passages.sentence(&label, self.source).start.min(sentence.start)..sentence.end;
        }
        sentence
    }

    /// The phrases that tell of what kind a statement is: those in it; else the nearest before it, with what is listed beside
    /// it, or after it where less stands between.
    fn governing<'h>(&self, hits: &'h [PhraseHit], bytes: &Range<usize>) -> Option<&'h [PhraseHit]> {
        let before = hits.partition_point(|hit| hit.bytes.end <= bytes.start);
        let after = hits.partition_point(|hit| hit.bytes.start < bytes.end);
        if after > before {
            return hits.get(before..after);
        }
        let parted = |gap: Range<usize>| self.text().get(gap).is_none_or(is_parted);
        let left = before.checked_sub(1).and_then(|at| hits.get(at));
        let right = hits.get(after).filter(|right| {
            let gap = bytes.end..right.bytes.start;
            self.tokens(&gap).len() <= NEXT && !parted(gap)
        });
        let takes_right = match (left, right) {
            (None, Some(_)) => true,
            (Some(left), Some(_)) => parted(left.bytes.end..bytes.start),
            (_, None) => false,
        };
        if takes_right {
            let mut to = after + 1;
            while hits.get(to).is_some_and(|next| {
                hits.get(to - 1).is_some_and(|last| self.are_listed(last.bytes.end..next.bytes.start))
            }) {
                to += 1;
            }
            return hits.get(after..to);
        }
        let mut from = before.checked_sub(1)?;
        while from > 0
            && hits
                .get(from - 1)
                .zip(hits.get(from))
                .is_some_and(|(last, next)| self.are_listed(last.bytes.end..next.bytes.start))
        {
            from -= 1;
        }
        hits.get(from..before)
    }

    /// Whether only a list stands between two phrases: `, `, ` and `, ` margin, `.
    fn are_listed(&self, between: Range<usize>) -> bool {
        if between.start >= between.end {
            return true;
        }
        let text = self.text().get(between.clone()).unwrap_or_default();
        if text.contains([';', '\n']) {
            return false;
        }
        let tokens = self.tokens(&between);
        tokens.len() <= LISTED
            && tokens.into_iter().all(|at| {
                self.source.token(at).is_some_and(|token| token.kind == TokenKind::Word)
                    && !matches!(
                        listed_at(self.source, at),
                        Some(WordClass::Polarity | WordClass::Degree | WordClass::Not | WordClass::No)
                    )
            })
    }

    /// What a sentence without such a phrase goes on about: the last one before it in its paragraph.
    fn goes_on(&self, vocabulary: usize, start: usize) -> Option<&PhraseHit> {
        let from = start.saturating_sub(GOES_ON);
        let last = self.phrases(vocabulary, &(from..start)).last()?;
        let between = self.text().get(last.bytes.end..start)?;
        let same = self.passages.section_start(last.bytes.start) == self.passages.section_start(start);
        (same && !between.contains("\n\n") && !between.contains("\n\r\n")).then_some(last)
    }

    /// Another date that stands right after a word of the field's name, as after a label, where the one at `bytes` does not.
    pub(super) fn labelled_date(
        &self,
        field: &Field<'_>,
        bytes: &Range<usize>,
        is_same: impl Fn(&Range<usize>) -> bool,
    ) -> Option<Range<usize>> {
        if self.words_near(bytes, field) > 0 && self.is_after_word(bytes, field) {
            return None;
        }
        let mut found = None;
        for word in field.words() {
            for at in self.source.occurrences(word_hash(word)).iter().take(MOST) {
                let at = *at as usize;
                let after = at + 1;
                let Some(date) = self.fuel.spend(16).then(|| self.first_date(after..after + LABEL + 2)).flatten() else {
                    continue;
                };
                let gap = self.text().get(self.bytes(&(at..after)).end..date.start).unwrap_or_default();
                if gap.contains([';', '|']) || gap.contains(". ") || gap.contains(char::is_numeric) {
                    continue;
                }
                if is_same(&date) {
                    return None;
                }
                found.get_or_insert(date);
            }
        }
        found
    }

    /// Whether a word of the field's name stands right before some bytes.
    fn is_after_word(&self, bytes: &Range<usize>, field: &Field<'_>) -> bool {
        let first = self.tokens(bytes).start;
        field.words().any(|word| (first.saturating_sub(LABEL)..first).any(|at| self.is_word(at, word)))
    }

    /// Another date that the text gives for the field's own occasion, where the one at `bytes` is not given for it.
    pub(super) fn date_of_occasion(
        &self,
        field: &Field<'_>,
        bytes: &Range<usize>,
        is_same: impl Fn(&Range<usize>) -> bool,
    ) -> Option<Range<usize>> {
        let occasion = self.lexicon.named(OF_DATES.first()?)?;
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
            let governs = self.phrases(occasion, &(hit.bytes.start..date.start)).iter().all(|one| one.value == own);
            if governs && is_same(&date) {
                return None;
            }
            if governs {
                found.get_or_insert(date);
            }
        }
        found
    }
}

/// Whether what stands on both sides of a text are statements of their own.
fn is_parted(gap: &str) -> bool {
    gap.contains([',', ';', '|', '\n', '\t'])
        || gap.split_whitespace().any(|word| word.eq_ignore_ascii_case("and"))
}
