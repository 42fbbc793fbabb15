//! What a passage says of a field: the value, another one, or nothing.

use super::super::index::SourceIndex;
use super::super::neighbourhood::Names;
use super::super::number::Unit;
use super::super::probe::{Probe, is_times, unit_at};
use super::super::sequence::{TokenMatch, align, number_matches};
use super::super::token::{TokenKind, letters};
use super::super::words::listed;
use super::super::fold::{Word, fold_eq};
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
    /// Another value.
    Another(Statement),
    /// Something about a field of another name.
    OfAnother(Range<usize>),
    /// Nothing that could be read.
    Nothing,
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

/// How many words may stand between a name and a value that is therefore its own.
const ADJACENT: usize = 4;

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
            (Assertion::Negated, Some(opposite)) => (opposite, Asserted { how: Assertion::Affirmed, ..asserted }),
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

    /// Whose name stands right before a token, if any: the field's own, or another's.
    pub(super) fn owner(&self, at: usize, names: &Names<'_>) -> Option<bool> {
        let mut words = 0;
        let mut end = at;
        while end > 0 && words <= ADJACENT {
            let gap = self.source.gap_before(end);
            if gap.contains(['.', ';', ',', '\n', '|']) {
                return None;
            }
            if let Some(own) = names.ending_own(end) {
                return Some(own);
            }
            end -= 1;
            words += 1;
        }
        None
    }

    /// What some tokens say of a field that a vocabulary reads.
    pub(super) fn vocabulary(
        &self,
        asked: VocabularyValue<'_>,
        place: &Range<usize>,
        names: &Names<'_>,
    ) -> Said {
        let VocabularyValue { vocabulary, reader, value } = asked;
        let bytes = self.bytes(place);
        let (mut this, mut another, mut of_another) = (None::<Statement>, None::<Statement>, None);
        for hit in self.phrases(vocabulary, &bytes) {
            if !self.fuel.spend(32) {
                break;
            }
            let at = self.tokens(&hit.bytes);
            if !reader.counts_anywhere() && self.owner(at.start, names) == Some(false) && !names.holds_own(&at) {
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
        if this.is_none() && another.is_none() {
            (this, another) = self.by_name(asked, place, names);
        }
        let affirmed = |one: &Option<Statement>| one.as_ref().is_some_and(|one| one.asserted.how == Assertion::Affirmed);
        match (this, another, of_another) {
            (Some(this), other, _) if this.asserted.how == Assertion::Affirmed || !affirmed(&other) => {
                // Two values in one passage are two mentions; which of them holds is decided with the others.
                Said::This(this)
            }
            (_, Some(another), _) => Said::Another(another),
            (Some(this), ..) => Said::This(this),
            (None, None, Some(bytes)) => Said::OfAnother(bytes),
            (None, None, None) => Said::Nothing,
        }
    }

    /// What the field's own name says where it stands, affirmed or negated, if the vocabulary reads names.
    fn by_name(
        &self,
        asked: VocabularyValue<'_>,
        place: &Range<usize>,
        names: &Names<'_>,
    ) -> (Option<Statement>, Option<Statement>) {
        let Some((affirmed, negated)) = asked.reader.named() else { return (None, None) };
        let (mut this, mut another) = (None, None);
        for hit in names.own_within(place) {
            let bytes = self.bytes(&hit);
            let asserted = self.assertion(&bytes);
            let (said, asserted) = match asserted.how {
                Assertion::Negated => (negated, Asserted { how: Assertion::Affirmed, ..asserted }),
                _ => (affirmed, asserted),
            };
            let slot = if said == asked.value { &mut this } else { &mut another };
            slot.get_or_insert(Statement { bytes, method: Method::Normalized, asserted });
        }
        (this, another)
    }

    /// What some tokens say of a text, number or date.
    pub(super) fn literal(&self, probe: &Probe<'_>, place: &Range<usize>, names: &Names<'_>) -> Said {
        if let Some(found) = self.aligned(probe, place) {
            return self.this(found, Method::Normalized);
        }
        if date::is_date(probe) {
            return self.date(probe, place);
        }
        if probe.tokens.iter().any(|token| token.kind == TokenKind::Number) && is_quantity(probe) {
            return self.quantity(probe, place, names);
        }
        self.worded(probe, place)
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
            let Some(found) = align(probe, self.source, from, &mut work).filter(|found| found.to <= place.end) else { continue };
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
        let joined = |i: usize| matches!(self.source.gap_after(i), "/" | "-" | ".") && number(i) && number(i + 1);
        let after = joined(at) && joined(at + 1);
        let before = at >= 2 && joined(at - 1) && joined(at - 2);
        let between = at >= 1 && joined(at - 1) && joined(at);
        after || before || between
    }

    fn date(&self, probe: &Probe<'_>, place: &Range<usize>) -> Said {
        let within = |found: &TokenMatch| found.from >= place.start && found.to <= place.end;
        if let Some(found) = date::find(probe, self.source, |found| within(&found)) {
            return self.this(found, Method::Numeric);
        }
        match date::any(self.source, place) {
            Some(found) => Said::Another(self.statement(found)),
            None => Said::Nothing,
        }
    }

    fn statement(&self, found: TokenMatch) -> Statement {
        let bytes = bytes_of(found, self.source);
        Statement { asserted: Asserted { how: Assertion::Affirmed, by: None }, method: Method::Numeric, bytes }
    }

    /// A number with its unit.
    fn quantity(&self, probe: &Probe<'_>, place: &Range<usize>, names: &Names<'_>) -> Said {
        let unit = unit_at(probe.text, probe.tokens, 0).or(probe.hint);
        let (mut another, mut of_another) = (None, None);
        for at in place.clone() {
            let Some(token) = self.source.token(at).filter(|token| token.kind == TokenKind::Number) else { continue };
            let found = TokenMatch { from: at, to: at + 1, numeric: true };
            if self.is_in_a_date(at) {
                continue;
            }
            let equal = number_matches(probe, self.source, 0, at).is_some();
            if equal && probe.token(0).is_some_and(|own| own.hash == token.hash) && probe.tokens.len() <= 2 {
                if self.owner(at, names) == Some(false) && !probe.is_percent() {
                    of_another.get_or_insert(bytes_of(found, self.source));
                    continue;
                }
                return self.this(found, Method::Numeric);
            }
            let here = unit_at(self.source.text(), self.source.tokens(), at);
            if comparable(unit, here) {
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
        let said = hits.iter().find(|hit| reader.value(hit.value) == probe.text.trim())?;
        Some(Said::This(Statement {
            bytes: said.bytes.clone(),
            method: Method::Numeric,
            asserted: Asserted { how: Assertion::Affirmed, by: None },
        }))
    }

    /// Every word of the value that says something, in any order, inflected or not; its numbers as they are.
    fn worded(&self, probe: &Probe<'_>, place: &Range<usize>) -> Said {
        if let Some(statement) = self.opposed(probe, place) {
            return Said::Another(statement);
        }
        let mut span: Option<(usize, usize)> = None;
        let mut content = 0;
        for (i, token) in probe.tokens.iter().enumerate() {
            let says_nothing = token.kind == TokenKind::Word
                && probe.listed(i).is_some_and(|class| class.says_little());
            if token.kind == TokenKind::Symbol || says_nothing {
                continue;
            }
            content += 1;
            if !self.fuel.spend_on(place.len()) {
                return Said::Nothing;
            }
            let Some(at) = place.clone().find(|at| self.alike(probe, i, *at)) else { return Said::Nothing };
            span = Some(span.map_or((at, at), |(from, to)| (from.min(at), to.max(at))));
        }
        match span {
            Some((from, to)) if content > 0 => self.this(TokenMatch { from, to: to + 1, numeric: false }, Method::Fuzzy),
            _ => Said::Nothing,
        }
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
            match self.worded(probe, &self.tokens(&sentence)) {
                Said::This(statement) if statement.asserted.how == Assertion::Affirmed => return Some(statement),
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
            let Some(reader) = self.lexicon.reader(vocabulary).filter(|reader| reader.counts_anywhere()) else { continue };
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

/// Whether a value is a number, with a unit or comparison at most.
pub(super) fn is_quantity(probe: &Probe<'_>) -> bool {
    (0..probe.tokens.len()).all(|i| match probe.token(i).map(|token| token.kind) {
        Some(TokenKind::Word) => {
            super::super::number::unit_of_word(probe.word(i)).is_some() || is_times(probe.text, probe.tokens, i)
        }
        _ => true,
    })
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
