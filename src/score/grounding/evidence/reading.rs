//! What a passage says of a field: the value, another one, or nothing.

use super::super::fold::{Hash, Word, fold_eq, fold_str};
use super::super::index::SourceIndex;
use super::super::neighbourhood::{Break, Names, break_before};
use super::super::number::Unit;
use super::super::probe::{Probe, is_times, unit_at};
use super::super::sequence::{TokenMatch, align, number_matches};
use super::super::token::{TokenKind, letters, word_hash};
use super::super::words::{WordClass, is_generic_key, listed};
use super::super::{Method, bytes_of, date};
use super::context::Asserted;
use super::lexicon::{Lexicon, PhraseHit, Reader, ValueId};
use super::passages::Passages;
use crate::rules::Assertion;
use crate::value::Fuel;
use std::ops::Range;

/// What a passage says of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// The value.
    This(Statement),
    /// The value, and another one that is as much the field's.
    Both(Statement, Range<usize>),
    /// Another value.
    Another(Statement),
    /// Something about a field of another name.
    OfAnother(Range<usize>),
    /// Nothing that could be read.
    Nothing,
}

/// What is asked about: its names in the text, and the words of its name.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Field<'a> {
    pub(in super::super) names: Names<'a>,
    /// The words of its key, and of the keys and labels around it, folded.
    pub(in super::super) text: &'a str,
}

impl<'a> Field<'a> {
    /// The words that say something.
    fn words(&self) -> impl DoubleEndedIterator<Item = &'a str> + Clone {
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

/// A statement, and whether a denial turned it.
#[derive(Debug, Clone)]
struct Turned {
    statement: Statement,
    turned: bool,
}

/// Where something is said, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Statement {
    pub(super) bytes: Range<usize>,
    pub(super) method: Method,
    pub(super) asserted: Asserted,
}

/// A document and everything that reads it.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Document<'a> {
    pub(in super::super) source: &'a SourceIndex,
    pub(in super::super) passages: &'a Passages,
    pub(in super::super) lexicon: &'a Lexicon,
    pub(in super::super) fuel: &'a Fuel,
}

/// What is asked about: a value of a vocabulary, in the field that `names` says.
#[derive(Debug, Clone, Copy)]
pub(super) struct VocabularyValue<'a> {
    pub(super) vocabulary: usize,
    pub(super) reader: &'a Reader,
    pub(super) value: ValueId,
}

/// How far after a quote its value may stand, in bytes.
const AROUND: usize = 60;
/// A name of this many words is one row's and no other's.
const LONG_NAME: usize = 3;
/// How far from a value the words of its field are looked for, in tokens.
const NEAR: usize = 24;
/// Most sentences that are compared for one field, and most that are read.
const SENTENCES: usize = 48;
const MOST: usize = 6;
/// A word that stands more often than this tells no sentence from another.
const COMMON: usize = 200;

/// How many words may stand between a name and a value that is therefore its own.
const ADJACENT: usize = 12;

impl<'a> Document<'a> {
    pub(super) fn text(&self) -> &'a str {
        self.source.text()
    }

    /// How the text asserts what stands at `bytes`.
    pub(in super::super) fn assertion(&self, bytes: &Range<usize>) -> Asserted {
        self.lexicon.context().assertion(bytes, self.source, self.passages)
    }

    /// The bytes of some tokens.
    pub(super) fn bytes(&self, tokens: &Range<usize>) -> Range<usize> {
        bytes_of(TokenMatch { from: tokens.start, to: tokens.end, numeric: false }, self.source)
    }

    /// The tokens that some bytes touch.
    pub(super) fn tokens(&self, bytes: &Range<usize>) -> Range<usize> {
        let tokens = self.source.tokens();
        let from = tokens.partition_point(|token| (token.end as usize) <= bytes.start);
        let to = tokens.partition_point(|token| (token.start as usize) < bytes.end);
        from..to.max(from)
    }

    /// The phrases of a vocabulary that begin within some bytes.
    pub(super) fn phrases(&self, vocabulary: usize, bytes: &Range<usize>) -> &'a [PhraseHit] {
        let hits = self.passages.phrases(vocabulary, self.lexicon, self.text());
        let from = hits.partition_point(|hit| hit.bytes.start < bytes.start);
        let to = hits.partition_point(|hit| hit.bytes.start < bytes.end);
        hits.get(from..to.max(from)).unwrap_or_default()
    }

    /// What a phrase says in its sentence: of a negated one the opposite, if there is one. The assertion is that of what is
    /// then said.
    pub(super) fn stated(&self, reader: &Reader, hit: &PhraseHit) -> (ValueId, Asserted) {
        let asserted = if self.is_non(hit.bytes.start) {
            Asserted { how: Assertion::Negated, by: None }
        } else {
            self.assertion(&hit.bytes)
        };
        self.turned(reader, hit.value, asserted)
    }

    /// A value, and its opposite where it is negated.
    pub(super) fn turned(&self, reader: &Reader, value: ValueId, asserted: Asserted) -> (ValueId, Asserted) {
        match (asserted.how, reader.opposite(value)) {
            (Assertion::Negated, Some(opposite)) => {
                (opposite, Asserted { how: Assertion::Affirmed, ..asserted })
            }
            _ => (value, asserted),
        }
    }

    /// Whether `non-` stands before a byte.
    fn is_non(&self, at: usize) -> bool {
        let before = self.text().get(..at).unwrap_or_default();
        let word = before.strip_suffix(['-', ' ', '\u{2010}', '\u{2011}']).unwrap_or_default();
        let start = word.len().saturating_sub(3);
        word.get(start..).is_some_and(|last| last.eq_ignore_ascii_case("non"))
            && !word.get(..start).is_some_and(|rest| rest.ends_with(char::is_alphanumeric))
    }

    /// Whether the name that a token stands after, in its line and sentence, is another field's, and nothing there speaks of this
    /// one. Names that say nothing of whose they are (`Results`) are passed over.
    pub(super) fn is_of_another(&self, at: usize, field: &Field<'_>) -> bool {
        let names = &field.names;
        let (mut words, mut end) = (0, at);
        let mut anothers: Option<usize> = None;
        while end > 0 && words <= ADJACENT {
            let gap = self.source.gap_before(end);
            if gap.contains([';', '\n']) || break_before(end, self.source) == Break::Strong {
                break;
            }
            if let Some((own, from)) = names.ending_own(end) {
                if own {
                    return false;
                }
                if !self.is_listed(end - 1) {
                    anothers.get_or_insert(end - from);
                }
            }
            end -= 1;
            words += 1;
        }
        let Some(length) = anothers else { return false };
        // Rows of one table share words; their names as a whole do not.
        let here = self.bytes(&(at..at + 1));
        length >= LONG_NAME && !names.holds_own(&self.tokens(&self.passages.sentence(&here, self.source)))
            || self.words_near(&here, field) == 0
    }

    /// Whether a phrase stands beside a name of the field, and is its value.
    fn says_of(&self, hit: &PhraseHit, names: &Names<'_>) -> bool {
        let tokens = self.tokens(&hit.bytes);
        let found = TokenMatch { from: tokens.start, to: tokens.end, numeric: false };
        self.is_of(found, hit.bytes.clone(), names)
    }

    fn is_listed(&self, token: usize) -> bool {
        let word = self.source.token(token).and_then(|token| Word::new(token.text(self.text())));
        word.is_some_and(|word| listed(word.as_str()).is_some() || is_generic_key(word.as_str()))
    }

    /// What some tokens say of a field that a vocabulary reads.
    pub(super) fn vocabulary(
        &self,
        asked: VocabularyValue<'_>,
        place: &Range<usize>,
        field: &Field<'_>,
    ) -> Said {
        let VocabularyValue { vocabulary, reader, value } = asked;
        let bytes = self.bytes(place);
        let subject = self.by_subject(asked, place, field);
        if let Some((said, statement)) = subject.clone().filter(|(_, one)| one.turned) {
            return if said == value {
                Said::This(statement.statement)
            } else {
                Said::Another(statement.statement)
            };
        }
        let (mut this, mut another, mut of_another) = (None::<Statement>, None::<Statement>, None);
        let mut hits = self.phrases(vocabulary, &bytes);
        if hits.is_empty() && !reader.counts_anywhere() {
            // A quote of the name alone leaves its value out.
            let sentence = self.passages.sentence(&bytes, self.source);
            hits = self
                .phrases(vocabulary, &(bytes.start..sentence.end.min(bytes.end + AROUND).max(bytes.start)));
        }
        // What stands beside the field's own name is its value, whatever else stands there.
        let owned = !reader.counts_anywhere()
            && hits.len() > 1
            && hits.iter().any(|hit| self.says_of(hit, &field.names));
        for hit in hits {
            if !self.fuel.spend(32) {
                break;
            }
            let at = self.tokens(&hit.bytes);
            if owned && !self.says_of(hit, &field.names) {
                continue;
            }
            if !reader.counts_anywhere() && self.is_of_another(at.start, field) && !field.names.holds_own(&at)
            {
                of_another.get_or_insert(hit.bytes.clone());
                continue;
            }
            let (said, asserted) = self.stated(reader, hit);
            let slot = if said == value { &mut this } else { &mut another };
            let statement = Statement { bytes: hit.bytes.clone(), method: Method::Normalized, asserted };
            let better = slot.as_ref().is_none_or(|known| {
                known.asserted.how != Assertion::Affirmed && statement.asserted.how == Assertion::Affirmed
            });
            if better {
                *slot = Some(statement);
            }
        }
        if this.is_none()
            && another.is_none()
            && let Some((said, one)) = subject
        {
            return if said == value { Said::This(one.statement) } else { Said::Another(one.statement) };
        }
        let affirmed =
            |one: &Option<Statement>| one.as_ref().is_some_and(|one| one.asserted.how == Assertion::Affirmed);
        match (this, another, of_another) {
            (Some(this), Some(other), _)
                if this.asserted.how == Assertion::Affirmed && other.asserted.how == Assertion::Affirmed =>
            {
                // What comes first after a name is its value; another that a careful reader would report is not passed over.
                let first =
                    this.bytes.start < other.bytes.start && reader.prefers().is_none_or(|one| one == value);
                let between = this.bytes.end.min(other.bytes.end)..this.bytes.start.max(other.bytes.start);
                let apart = self
                    .text()
                    .get(between)
                    .is_some_and(|text| text.contains([',', ';', '.', '\n', '|', '/']));
                if first || reader.counts_anywhere() || !apart {
                    Said::This(this)
                } else {
                    Said::Both(this, other.bytes)
                }
            }
            (Some(this), other, _) if this.asserted.how == Assertion::Affirmed || !affirmed(&other) => {
                Said::This(this)
            }
            (_, Some(another), _) => Said::Another(another),
            (Some(this), ..) => Said::This(this),
            (None, None, Some(bytes)) => Said::OfAnother(bytes),
            (None, None, None) => Said::Nothing,
        }
    }

    /// What the words of the field's name say where they stand, affirmed or negated, if the vocabulary reads names. Where none of
    /// them stands there, only a denial says something.
    fn by_subject(
        &self,
        asked: VocabularyValue<'_>,
        place: &Range<usize>,
        field: &Field<'_>,
    ) -> Option<(ValueId, Turned)> {
        let (affirmed, negated) = asked.reader.named()?;
        let own = field.names.own_within(place).last();
        let head = own.or_else(|| self.head(place, field));
        let tokens = head.clone().unwrap_or_else(|| place.clone());
        let bytes = self.bytes(&tokens);
        let asserted = self.assertion(&bytes);
        let denied_within = head.is_none() && self.denies(place);
        let (said, asserted, turned) = match asserted.how {
            Assertion::Negated => (negated, Asserted { how: Assertion::Affirmed, ..asserted }, true),
            _ if denied_within => (negated, Asserted { how: Assertion::Affirmed, by: None }, true),
            _ if head.is_none() => return None,
            _ => (affirmed, asserted, false),
        };
        let statement = Statement { bytes, method: Method::Normalized, asserted };
        Some((said, Turned { statement, turned }))
    }

    /// The last word of the field's name that stands in a passage.
    fn head(&self, place: &Range<usize>, field: &Field<'_>) -> Option<Range<usize>> {
        field.words().rev().find_map(|word| {
            let at = place.clone().rev().find(|at| self.is_word(*at, word))?;
            Some(at..at + 1)
        })
    }

    /// Whether a token is a word, inflected or not.
    fn is_word(&self, at: usize, word: &str) -> bool {
        let Some(token) = self.source.token(at).filter(|token| token.kind == TokenKind::Word) else {
            return false;
        };
        let here = token.text(self.text());
        fold_eq(here, word) || is_inflected(here, word)
    }

    /// Whether a denial stands in a passage.
    fn denies(&self, place: &Range<usize>) -> bool {
        let bytes = self.bytes(place);
        self.lexicon.context().denies(&bytes, self.passages.triggers(self.lexicon.context(), self.text()))
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

    /// The field is of one side, and the passage speaks of the other.
    pub(super) fn is_of_another_side(&self, bytes: &Range<usize>, field: &Field<'_>) -> Option<Range<usize>> {
        let sentence = self.passages.sentence(bytes, self.source);
        for vocabulary in 0..self.lexicon.len() {
            let Some(reader) = self.lexicon.reader(vocabulary).filter(|reader| reader.counts_anywhere())
            else {
                continue;
            };
            let hits = self.phrases(vocabulary, &sentence);
            if hits.is_empty() {
                continue;
            }
            let Some(own) = reader.find(field.text).next() else { continue };
            if hits.iter().all(|hit| hit.value != own.value) {
                return hits.first().map(|hit| hit.bytes.clone());
            }
        }
        None
    }

    /// What some tokens say of a text, number or date.
    pub(super) fn literal(&self, probe: &Probe<'_>, place: &Range<usize>, field: &Field<'_>) -> Said {
        if date::is_date(probe) {
            return self.date(probe, place);
        }
        if is_quantity(probe) {
            return self.quantity(probe, place, field);
        }
        if let Some(found) = self.aligned(probe, place) {
            return self.this(found, Method::Normalized);
        }
        self.worded(probe, place, true)
    }

    /// Whether every number of a value stands in the passage.
    pub(super) fn has_numbers_of(&self, probe: &Probe<'_>, place: &Range<usize>) -> bool {
        let is_number = |i: &usize| probe.token(*i).is_some_and(|token| token.kind == TokenKind::Number);
        (0..probe.tokens.len()).filter(is_number).all(|i| place.clone().any(|at| self.alike(probe, i, at)))
    }

    fn this(&self, found: TokenMatch, method: Method) -> Said {
        let bytes = bytes_of(found, self.source);
        let asserted = self.assertion(&bytes);
        Said::This(Statement { bytes, method, asserted })
    }

    /// The value as it is written, anywhere in the passage.
    fn aligned(&self, probe: &Probe<'_>, place: &Range<usize>) -> Option<TokenMatch> {
        let mut work = 0;
        let numeric = probe.is_bare_number();
        let mut first = None;
        for from in place.clone() {
            if !self.fuel.spend(1) {
                return None;
            }
            let Some(found) =
                align(probe, self.source, from, &mut work).filter(|found| found.to <= place.end)
            else {
                continue;
            };
            if numeric && self.is_in_a_date(from) {
                continue;
            }
            if self.assertion(&bytes_of(found, self.source)).how == Assertion::Affirmed {
                return Some(found);
            }
            first.get_or_insert(found);
        }
        first
    }

    /// Whether a number is a part of a date: `12/03/2024`.
    fn is_in_a_date(&self, at: usize) -> bool {
        let number = |i: usize| self.source.token(i).is_some_and(|token| token.kind == TokenKind::Number);
        let joined =
            |i: usize| matches!(self.source.gap_after(i), "/" | "-" | ".") && number(i) && number(i + 1);
        let after = joined(at) && joined(at + 1);
        let before = at >= 2 && joined(at - 1) && joined(at - 2);
        let between = at >= 1 && joined(at - 1) && joined(at);
        after || before || between
    }

    fn date(&self, probe: &Probe<'_>, place: &Range<usize>) -> Said {
        let mut another = None;
        let mut at = place.start;
        while at < place.end {
            let Some(found) = date::at(self.source, at).filter(|found| found.tokens.to <= place.end) else {
                at += 1;
                continue;
            };
            if found.may_be(probe) {
                return self.this(found.tokens, Method::Numeric);
            }
            at = found.tokens.to;
            another.get_or_insert(found.tokens);
        }
        match another {
            Some(found) => Said::Another(self.statement(found)),
            None => Said::Nothing,
        }
    }

    /// Whether a number is the bound of something else: `less than 0.80`.
    fn is_bound(&self, at: usize) -> bool {
        let before = |back: usize| {
            at.checked_sub(back)
                .and_then(|i| self.source.token(i))
                .map_or("", |token| token.text(self.text()))
        };
        before(1).eq_ignore_ascii_case("than") && !before(3).eq_ignore_ascii_case("no") && before(2) != "more"
    }

    fn statement(&self, found: TokenMatch) -> Statement {
        let bytes = bytes_of(found, self.source);
        Statement {
            asserted: Asserted { how: Assertion::Affirmed, by: None },
            method: Method::Numeric,
            bytes,
        }
    }

    /// A number with its unit.
    fn quantity(&self, probe: &Probe<'_>, place: &Range<usize>, field: &Field<'_>) -> Said {
        if let Some(found) = self.aligned(probe, place)
            && !self.is_of_another(found.from, field)
            && !self.is_bound(found.from)
        {
            return self.this(found, Method::Normalized);
        }
        let unit = unit_at(probe.text, probe.tokens, 0).or(probe.hint);
        let (mut another, mut of_another) = (None, None);
        for at in place.clone() {
            let Some(token) = self.source.token(at).filter(|token| token.kind == TokenKind::Number) else {
                continue;
            };
            let found = TokenMatch { from: at, to: at + 1, numeric: true };
            if self.is_in_a_date(at) {
                continue;
            }
            let equal = number_matches(probe, self.source, 0, at).is_some();
            if self.is_bound(at) {
                continue;
            }
            if equal && probe.token(0).is_some_and(|own| own.hash == token.hash) && probe.tokens.len() <= 2 {
                if self.is_of_another(at, field) && !probe.is_percent() {
                    of_another.get_or_insert(bytes_of(found, self.source));
                    continue;
                }
                return self.this(found, Method::Numeric);
            }
            let here = unit_at(self.source.text(), self.source.tokens(), at);
            let same_figures = probe.token(0).is_some_and(|own| own.hash == token.hash);
            if comparable(unit, here) || same_figures && probe.tokens.len() > 1 {
                another.get_or_insert(found);
            }
        }
        if let Some(words) = self.counted(probe, place) {
            return words;
        }
        match (another, of_another) {
            (_, Some(bytes)) => Said::OfAnother(bytes),
            (Some(found), None) => Said::Another(self.statement(found)),
            (None, None) => Said::Nothing,
        }
    }

    /// A whole number in words: the vocabulary `count`.
    fn counted(&self, probe: &Probe<'_>, place: &Range<usize>) -> Option<Said> {
        if !probe.is_bare_number() {
            return None;
        }
        let vocabulary = self.lexicon.named("count")?;
        let reader = self.lexicon.reader(vocabulary)?;
        let hits = self.phrases(vocabulary, &self.bytes(place));
        // Figures are numbers with units, and have been read as such.
        let worded = |bytes: &Range<usize>| {
            self.text().get(bytes.clone()).is_some_and(|text| text.contains(char::is_alphabetic))
        };
        let said =
            hits.iter().find(|hit| worded(&hit.bytes) && reader.value(hit.value) == probe.text.trim())?;
        Some(Said::This(Statement {
            bytes: said.bytes.clone(),
            method: Method::Numeric,
            asserted: Asserted { how: Assertion::Affirmed, by: None },
        }))
    }

    /// Every word of the value that says something, in any order, inflected or not; its numbers as they are.
    ///
    /// With `partly`, most of the words suffice to say that what is there is denied or doubted.
    fn worded(&self, probe: &Probe<'_>, place: &Range<usize>, partly: bool) -> Said {
        if let Some(statement) = self.opposed(probe, place) {
            return Said::Another(statement);
        }
        let mut span: Option<(usize, usize)> = None;
        let (mut content, mut missing, mut last) = (0, 0, 0);
        for (i, token) in probe.tokens.iter().enumerate() {
            let says_nothing =
                token.kind == TokenKind::Word && probe.listed(i).is_some_and(WordClass::says_little);
            if token.kind == TokenKind::Symbol || says_nothing {
                continue;
            }
            content += 1;
            if !self.fuel.spend_on(place.len()) {
                return Said::Nothing;
            }
            match place.clone().find(|at| self.alike(probe, i, *at)) {
                Some(at) => {
                    span = Some(span.map_or((at, at), |(from, to)| (from.min(at), to.max(at))));
                    last = at;
                }
                None if self.says_as_phrase(probe, i, place) => {}
                None => missing += 1,
            }
        }
        let Some((from, to)) = span else { return Said::Nothing };
        let said = self.this(TokenMatch { from, to: to + 1, numeric: false }, Method::Fuzzy);
        match said {
            said if missing == 0 && content > 0 => said,
            // Most of it is there, and what is there is denied or doubted.
            Said::This(statement) if missing * 2 <= content && statement.asserted.by.is_some() => {
                Said::This(statement)
            }
            _ => Said::Nothing,
        }
    }

    /// Whether a word of the value is a phrase of a vocabulary that counts anywhere, and the passage has another phrase of the
    /// same value: `right` where the text has `derecha`.
    fn says_as_phrase(&self, probe: &Probe<'_>, i: usize, place: &Range<usize>) -> bool {
        let bytes = self.bytes(place);
        (0..self.lexicon.len()).any(|vocabulary| {
            let Some(reader) = self.lexicon.reader(vocabulary).filter(|reader| reader.counts_anywhere())
            else {
                return false;
            };
            let hits = self.phrases(vocabulary, &bytes);
            let own = || reader.read(probe.word(i)).filter(|own| own.whole);
            !hits.is_empty() && own().is_some_and(|own| hits.iter().any(|hit| hit.value == own.value))
        })
    }

    /// The words of a text in one sentence, in any order. Texts with little to say are not looked for so.
    pub(super) fn worded_anywhere(&self, probe: &Probe<'_>) -> Option<Statement> {
        let says = |i: &usize| {
            let is_word = probe.token(*i).is_some_and(|token| token.kind == TokenKind::Word);
            is_word && probe.listed(*i).is_none() && letters(probe.word(*i)) >= 4
        };
        let content = (0..probe.tokens.len()).filter(says);
        if content.clone().count() < 2 || content_letters(probe) < 10 {
            return None;
        }
        let count = |i: &usize| probe.token(*i).map_or(0, |token| self.source.occurrences(token.hash).len());
        let anchor = content.filter(|i| count(i) > 0).min_by_key(count)?;
        let hash = probe.token(anchor)?.hash;
        let mut first = None;
        for at in self.source.occurrences(hash).iter().take(16) {
            let at = *at as usize;
            let sentence = self.passages.sentence(&self.bytes(&(at..at + 1)), self.source);
            match self.worded(probe, &self.tokens(&sentence), false) {
                Said::This(statement) if statement.asserted.how == Assertion::Affirmed => {
                    return Some(statement);
                }
                Said::This(statement) => _ = first.get_or_insert(statement),
                _ => {}
            }
        }
        first
    }

    /// Whether a word of the value stands at a token, inflected or not.
    fn alike(&self, probe: &Probe<'_>, i: usize, at: usize) -> bool {
        let (Some(own), Some(here)) = (probe.token(i), self.source.token(at)) else { return false };
        if own.kind != here.kind {
            return false;
        }
        if own.kind == TokenKind::Number {
            return own.hash == here.hash && number_matches(probe, self.source, i, at).is_some();
        }
        let (word, other) = (probe.word(i), here.text(self.source.text()));
        (own.hash == here.hash && fold_eq(word, other)) || is_inflected(word, other)
    }

    /// The passage says another value of a vocabulary whose phrases count anywhere, such as a side, than the text does.
    fn opposed(&self, probe: &Probe<'_>, place: &Range<usize>) -> Option<Statement> {
        let bytes = self.bytes(place);
        for vocabulary in 0..self.lexicon.len() {
            let Some(reader) = self.lexicon.reader(vocabulary).filter(|reader| reader.counts_anywhere())
            else {
                continue;
            };
            let hits = self.phrases(vocabulary, &bytes);
            if hits.is_empty() {
                continue;
            }
            let own: Vec<PhraseHit> = reader.find(probe.text).collect();
            let differs = own.iter().find(|own| hits.iter().all(|hit| hit.value != own.value));
            if differs.is_some() {
                let bytes = hits.first().map(|hit| hit.bytes.clone())?;
                return Some(Statement {
                    asserted: Asserted { how: Assertion::Affirmed, by: None },
                    method: Method::Normalized,
                    bytes,
                });
            }
        }
        None
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
fn is_inflected(a: &str, b: &str) -> bool {
    if a.len().min(b.len()) < 5 || a.len().abs_diff(b.len()) > 4 {
        return false;
    }
    let (Some(a), Some(b)) = (Word::new(a), Word::new(b)) else { return false };
    let common = a.as_str().chars().zip(b.as_str().chars()).take_while(|(a, b)| a == b).count();
    let longest = a.as_str().chars().count().max(b.as_str().chars().count());
    common >= 5 && longest - common <= 3 && common * 3 >= longest * 2
}

/// Whether a value is a number, with a unit or comparison at most: one that begins with a number and has few words.
pub(in super::super) fn is_quantity(probe: &Probe<'_>) -> bool {
    let first = probe.tokens.iter().find(|token| token.kind != TokenKind::Symbol);
    let words = (0..probe.tokens.len()).filter(|i| {
        probe.token(*i).is_some_and(|token| token.kind == TokenKind::Word)
            && !is_times(probe.text, probe.tokens, *i)
    });
    let numbers = probe.tokens.iter().filter(|token| token.kind == TokenKind::Number).count();
    let is_product = (1..probe.tokens.len()).any(|i| is_times(probe.text, probe.tokens, i));
    first.is_some_and(|token| token.kind == TokenKind::Number)
        && (numbers == 1 || is_product)
        && words.clone().count() <= 2
        && words.clone().all(|i| letters(probe.word(i)) <= 3)
}

/// Whether two quantities can be compared: of one kind, or both bare.
fn comparable(own: Option<Unit>, here: Option<Unit>) -> bool {
    match (own, here) {
        (Some(own), Some(here)) => own.dimension == here.dimension,
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// How many letters of a text say something.
pub(super) fn content_letters(probe: &Probe<'_>) -> usize {
    (0..probe.tokens.len())
        .filter(|i| {
            let word = Word::new(probe.word(*i));
            word.is_none_or(|word| listed(word.as_str()).is_none())
        })
        .map(|i| letters(probe.word(i)))
        .sum()
}
