//! Of which of several things of a kind a passage speaks: the left or the right one, the proximal or the distal margin, the
//! date of birth or of the report.

use super::super::boundary::listed_at;
use super::super::date::is_date;
use super::super::number::Dimension;
use super::super::probe::{Probe, is_times, number_at, unit_at};
use super::super::token::TokenKind;
use super::super::words::WordClass;
use super::field::Field;
use super::labels::is_parted;
use super::lexicon::{PhraseHit, Reader, ValueId};
use super::literal::is_quantity;
use super::reading::Document;
use std::ops::Range;

/// What the name of a field says of it, by a vocabulary that tells things apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Quality {
    pub(super) vocabulary: usize,
    pub(super) value: ValueId,
    about: About,
}

/// Which values a vocabulary tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum About {
    /// Any.
    All,
    /// Dates: words such as `exam` and `since` say nothing of other values.
    Dates,
    /// Whole numbers, which may be parts of fractions.
    Counts,
    /// Numbers, by what is measured.
    Measures,
    /// Numbers, by which of several dimensions they are.
    Dimensions,
    /// Numbers without a unit of their own: whether they are times.
    Times,
}

/// Which number of `3/12` one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fraction {
    First,
    Second,
    /// Either: `3/3`.
    Whole,
}

/// Vocabularies that tell apart values of one kind only.
const ABOUT: [(&str, About); 6] = [
    ("time-span", About::Times),
    (OCCASION, About::Dates),
    (DOCUMENT, About::Dates),
    ("part-or-whole", About::Counts),
    ("structure", About::Measures),
    ("dimension", About::Dimensions),
];
/// What happened on a date.
pub(super) const OCCASION: &str = "occasion";
/// Whether a date may be a document's own: so is that of a field whose name does not say otherwise, which is its first value.
const DOCUMENT: &str = "document-date";
/// The value of `part-or-whole` for the first number of `3/12`; the second is that of any other value.
const OF_PARTS: &str = "involved";
/// The value of `dimension` for the greatest number of `4 x 3 x 2`.
const GREATEST: &str = "greatest";
/// How far before a sentence that names no side the side is looked for that it goes on about, in bytes.
const GOES_ON: usize = 400;
/// Most tokens between two phrases that share what follows them: `proximal, distal and radial margins`.
const LISTED: usize = 3;
/// How far after a value the words may stand that say of what kind it is, in tokens: `1 mm from the blue inked margin`.
const NEXT: usize = 6;
/// Words that make a number a distance from what follows.
const DISTANCE: [&str; 2] = ["from", "to"];
/// Words that say where a thing is, not what is measured.
const LOCATED: [&str; 9] =
    ["in", "of", "within", "at", "on", "involving", "replacing", "occupying", "involves"];

impl Document<'_> {
    /// Which values a vocabulary tells apart.
    fn about(&self, vocabulary: usize) -> About {
        let listed = ABOUT.iter().find(|(name, _)| self.lexicon.named(name) == Some(vocabulary));
        listed.map_or(About::All, |(_, about)| *about)
    }

    /// Whether a text that has one phrase of a vocabulary is not said by a passage that has another.
    pub(super) fn tells_texts_apart(&self, vocabulary: usize) -> bool {
        self.lexicon.reader(vocabulary).is_some_and(Reader::tells_apart)
            && self.about(vocabulary) == About::All
    }

    /// What a field's name says of it that its passages must not say otherwise.
    pub(in super::super) fn qualities(&self, words: &str, into: &mut Vec<Quality>) {
        into.clear();
        for vocabulary in 0..self.lexicon.len() {
            let Some(reader) = self.lexicon.reader(vocabulary).filter(|reader| reader.tells_apart()) else {
                continue;
            };
            let about = self.about(vocabulary);
            let before = into.len();
            into.extend(reader.find(words).take(4).map(|hit| Quality {
                vocabulary,
                value: hit.value,
                about,
            }));
            // Unless the name says what happened, a date is the document's own; and no other number is a time.
            let dated = || {
                self.lexicon
                    .named(OCCASION)
                    .is_some_and(|named| into.iter().any(|one| one.vocabulary == named))
            };
            let is_plain = into.len() == before
                && (about == About::Times || self.lexicon.named(DOCUMENT) == Some(vocabulary) && !dated());
            if is_plain {
                let value = if about == About::Times { ValueId::MAX } else { 0 };
                into.push(Quality { vocabulary, value, about });
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
        let other = self.is_of_another_row(bytes, field).or_else(|| self.is_of_another_column(bytes, field));
        if other.is_some() {
            return other;
        }
        let mut at = 0;
        while let Some(first) = field.qualities.get(at) {
            let vocabulary = first.vocabulary;
            let rest = field.qualities.get(at..).unwrap_or_default();
            let count = rest.iter().take_while(|one| one.vocabulary == vocabulary).count();
            let own = rest.get(..count).unwrap_or_default();
            at += count;
            let applies = match first.about {
                About::All => true,
                About::Dates => is_date(probe),
                About::Counts => probe.is_bare_number() && !self.is_share(bytes),
                About::Times => probe.is_bare_number(),
                About::Measures => is_quantity(probe) && self.is_measure(bytes, probe),
                About::Dimensions => is_quantity(probe),
            };
            let Some(reader) = self.lexicon.reader(vocabulary).filter(|_| applies) else { continue };
            match first.about {
                About::Counts if self.fraction(bytes).is_some() => {
                    if !self.is_meant(self.fraction(bytes), reader, own) {
                        return Some(bytes.clone());
                    }
                    continue;
                }
                About::Dimensions => {
                    let greatest = own.iter().all(|one| reader.value(one.value) == GREATEST);
                    if greatest && let Some(greater) = self.greater(bytes) {
                        return Some(greater);
                    }
                    continue;
                }
                About::Measures => {
                    if let Some(other) = self.measured(vocabulary, own, bytes, around) {
                        return Some(other);
                    }
                    continue;
                }
                About::Times => {
                    let is_time = own.iter().all(|one| one.value != ValueId::MAX);
                    if !is_time && let Some(unit) = self.timed(vocabulary, bytes) {
                        return Some(unit);
                    }
                    continue;
                }
                About::All | About::Dates | About::Counts => {}
            }
            let other = self.another(vocabulary, reader, own, bytes, around);
            if other.is_some() {
                return other;
            }
        }
        None
    }

    /// Whether a number is one of parts of a hundred.
    fn is_share(&self, bytes: &Range<usize>) -> bool {
        self.source.token(self.tokens(bytes).start).is_some_and(|token| token.percent)
    }

    /// The word right after a number that makes it a time: `72 hours`, `6-month`.
    fn timed(&self, vocabulary: usize, bytes: &Range<usize>) -> Option<Range<usize>> {
        let hit = self.phrases(vocabulary, &(bytes.end..bytes.end + 3)).first()?;
        let gap = self.text().get(bytes.end..hit.bytes.start)?;
        gap.chars().all(|c| matches!(c, ' ' | '-')).then(|| hit.bytes.clone())
    }

    /// Whether a word is a whole number: the vocabulary `count`.
    fn is_count(&self, at: usize) -> bool {
        let bytes = self.bytes(&(at..at + 1));
        let vocabulary = self.lexicon.named("count");
        vocabulary.is_some_and(|count| self.phrases(count, &bytes).iter().any(|hit| hit.bytes == bytes))
    }

    fn is_meant(&self, fraction: Option<Fraction>, reader: &Reader, own: &[Quality]) -> bool {
        let is_first = |one: &Quality| reader.value(one.value) == OF_PARTS;
        match fraction {
            Some(Fraction::First) => own.iter().any(is_first),
            Some(Fraction::Second) => !own.iter().all(is_first),
            Some(Fraction::Whole) | None => true,
        }
    }

    /// A greater number of the dimensions that a number is one of: of `4 x 3 cm`, the first for the second.
    fn greater(&self, bytes: &Range<usize>) -> Option<Range<usize>> {
        let at = self.tokens(bytes).start;
        let tokens = self.source.tokens();
        let times = |i: usize| is_times(self.text(), tokens, i);
        let mut first = at;
        while first >= 2 && times(first - 1) && at - first < 6 {
            first -= 2;
        }
        let number = |i: usize| number_at(self.text(), tokens, i, self.source.decimal_comma());
        let own = number(at)?;
        let mut here = first;
        loop {
            if number(here).is_some_and(|other| other.is_greater(&own)) {
                return Some(self.bytes(&(here..here + 1)));
            }
            if !times(here + 1) || here > first + 6 {
                return None;
            }
            here += 2;
        }
    }

    /// Whether a number has a unit of length, weight or volume, written or known: counts and rates are of many things.
    fn is_measure(&self, bytes: &Range<usize>, probe: &Probe<'_>) -> bool {
        let here = unit_at(self.text(), self.source.tokens(), self.tokens(bytes).start);
        let unit = here.or(probe.hint).or_else(|| unit_at(probe.text, probe.tokens, 0));
        unit.is_some_and(|unit| unit.dimension != Dimension::Percent)
    }

    /// Another thing that a number measures: the structure that is named nearest before it, or right after it, is none of the
    /// field's. `0.2 cm from the margin` measures the distance, `a mass in the liver, measuring 4 cm` the mass.
    fn measured(
        &self,
        vocabulary: usize,
        own: &[Quality],
        bytes: &Range<usize>,
        around: &Range<usize>,
    ) -> Option<Range<usize>> {
        let is_own = |hit: &PhraseHit| own.iter().any(|one| one.value == hit.value);
        let sentence = self.sentence_with_label(around);
        let hits = self.phrases(vocabulary, &sentence);
        let before = hits.partition_point(|hit| hit.bytes.end <= bytes.start);
        let after = hits.partition_point(|hit| hit.bytes.start < bytes.end);
        let right = hits.get(after).filter(|right| {
            let gap = bytes.end..right.bytes.start;
            self.tokens(&gap).len() <= NEXT && self.text().get(gap).is_some_and(|gap| !is_parted(gap))
        });
        if let Some(right) = right {
            let mut from = self.tokens(&(bytes.end..right.bytes.start)).take(3);
            let is_distance = from.any(|at| DISTANCE.iter().any(|word| self.source.token_is(at, word)));
            // `the liver resection margin` is the margin.
            let later = hits.get(after + 1..).unwrap_or_default();
            let mut end = right.bytes.end;
            let mut compound = later.iter().take_while(|hit| {
                let gap = end..hit.bytes.start;
                end = hit.bytes.end;
                self.tokens(&gap).len() <= 1 && self.text().get(gap).is_some_and(|gap| !is_parted(gap))
            });
            let names_own = is_own(right) || compound.any(is_own);
            if names_own || is_distance {
                return (!names_own).then(|| right.bytes.clone());
            }
        }
        // What is quoted beside the number is what it is quoted for.
        let is_quoted = |hit: &PhraseHit| around.start <= hit.bytes.start && hit.bytes.end <= around.end;
        if hits.iter().any(|hit| is_own(hit) && is_quoted(hit)) {
            return None;
        }
        let mut at = before;
        while let Some(hit) = at.checked_sub(1).and_then(|at| hits.get(at)) {
            if is_own(hit) {
                return None;
            }
            let located = at.checked_sub(2).and_then(|at| hits.get(at)).is_some_and(|last| {
                if self.are_listed(last.bytes.end..hit.bytes.start) {
                    return true;
                }
                let mut between = self.tokens(&(last.bytes.end..hit.bytes.start)).take(NEXT);
                between.any(|at| LOCATED.iter().any(|word| self.source.token_is(at, word)))
            });
            if !located {
                break;
            }
            at -= 1;
        }
        let nearest = before.checked_sub(1).and_then(|at| hits.get(at)).or(right)?;
        Some(nearest.bytes.clone())
    }

    /// Which number of a fraction of whole numbers it is (`3/12`, `3 of 12`); none where it stands alone.
    fn fraction(&self, bytes: &Range<usize>) -> Option<Fraction> {
        let tokens = self.tokens(bytes);
        let at = tokens.start;
        let is_number = |i: usize| {
            self.source.token(i).is_some_and(|token| match token.kind {
                TokenKind::Number => token.text(self.text()).bytes().all(|b| b.is_ascii_digit()),
                TokenKind::Word => self.is_count(i),
                TokenKind::Symbol => false,
            })
        };
        if tokens.len() != 1 || !is_number(at) {
            return None;
        }
        let slash = |i: usize| is_number(i) && is_number(i + 1) && self.source.gap_after(i).trim() == "/";
        let of = |i: usize| self.source.token_is(i, "of") || self.source.token_is(i, "de");
        let before = |back: usize| at.checked_sub(back);
        let is_date = slash(at) && slash(at + 1)
            || before(1).is_some_and(|b| slash(b) && (slash(at) || b > 0 && slash(b - 1)));
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
        Some(if same {
            Fraction::Whole
        } else if is_first {
            Fraction::First
        } else {
            Fraction::Second
        })
    }

    fn another(
        &self,
        vocabulary: usize,
        reader: &Reader,
        own: &[Quality],
        bytes: &Range<usize>,
        around: &Range<usize>,
    ) -> Option<Range<usize>> {
        let is_own = |hit: &&PhraseHit| {
            let is_kind = |one: &Quality| {
                one.about == About::All && is_kind_of(reader.value(hit.value), reader.value(one.value))
            };
            own.iter().any(|one| one.value == hit.value || is_kind(one))
        };
        let sentence = self.sentence_with_label(around);
        let hits = self.phrases(vocabulary, &sentence);
        if hits.is_empty() {
            // A paragraph about one side names it once.
            let goes_on = reader.counts_anywhere() && reader.qualifies();
            let labelled = self.text().get(sentence.start..bytes.start).is_none_or(|text| text.contains(':'));
            let before =
                (goes_on && !labelled).then(|| self.goes_on(vocabulary, sentence.start)).flatten()?;
            return (!is_own(&before)).then(|| before.bytes.clone());
        }
        if !reader.qualifies() {
            return hits
                .iter()
                .all(|hit| !is_own(&hit))
                .then(|| hits.first().map(|hit| hit.bytes.clone()))?;
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
    pub(super) fn sentence_with_label(&self, bytes: &Range<usize>) -> Range<usize> {
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

    /// How final the part is that holds some bytes.
    pub(super) fn finality(&self, bytes: &Range<usize>) -> u8 {
        self.passages.section(bytes.start).finality
    }

    /// How many of the things that a field's name says of it are said in the sentence of a value.
    pub(super) fn qualities_near(&self, bytes: &Range<usize>, field: &Field<'_>) -> usize {
        let sentence = self.passages.sentence(bytes, self.source);
        let said = |one: &&Quality| {
            one.about == About::All
                && self.phrases(one.vocabulary, &sentence).iter().any(|hit| hit.value == one.value)
        };
        field.qualities.iter().filter(said).count()
    }
}

/// Whether a value is one of another's kind by its words: a `thoracic spine` is a `spine`.
fn is_kind_of(one: &str, kind: &str) -> bool {
    one.strip_suffix(kind).is_some_and(|rest| rest.ends_with(' '))
}
