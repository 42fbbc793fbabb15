//! What a passage says of a field: the value, another one, or nothing.

use super::super::fold::Word;
use super::super::index::SourceIndex;
use super::super::neighbourhood::{Break, Names, break_before};
use super::super::probe::unit_at;
use super::super::sequence::TokenMatch;
use super::super::token::TokenKind;
use super::super::words::{is_generic_key, listed};
use super::super::{Method, bytes_of};
use super::context::Asserted;
use super::field::Field;
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
    /// Whether a phrase is all of what is asked for: of `positive (90%)` it is not.
    pub(super) whole: bool,
    /// Whether the field's name alone says a value of it.
    pub(super) by_name: bool,
}

/// How far after a quote its value may stand, in bytes.
const AROUND: usize = 60;
/// A name of this many words is one row's and no other's.
const LONG_NAME: usize = 3;

/// What stands between two things of which neither is said.
const CHOICE: [&str; 5] = ["/", "or", "and/or", "vs", "versus"];

/// How many letters two forms of one word share at least.
const AKIN: usize = 4;

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
        self.turned(reader, hit.value, self.assertion(&hit.bytes))
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

    /// Whether the name that a token stands after, in its line and sentence, is another field's, and nothing there speaks of this
    /// one. Names that say nothing of whose they are (`Results`) are passed over.
    pub(super) fn is_of_another(&self, at: usize, field: &Field<'_>) -> bool {
        let names = &field.names;
        // `Clear cell type, 4.2 cm`: what has a unit of its own, behind a comma, is no value of the name before it.
        let is_measure = unit_at(self.text(), self.source.tokens(), at).is_some();
        if is_measure && self.source.gap_before(at).contains([',', '(']) {
            return false;
        }
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
        let VocabularyValue { vocabulary, reader, value, .. } = asked;
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
            if !reader.counts_anywhere() && self.is_one_of_choices(hit, hits) {
                continue;
            }
            let at = self.tokens(&hit.bytes);
            if owned && !self.says_of(hit, &field.names)
                || self.is_of_another_column(&hit.bytes, field).is_some()
            {
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

    /// Whether a phrase stands beside another value of its vocabulary as one of two things that a text speaks of, and says neither:
    /// `positive/negative`, `positive or equivocal`.
    pub(super) fn is_one_of_choices(&self, hit: &PhraseHit, hits: &[PhraseHit]) -> bool {
        hits.iter().any(|other| {
            let gap = if other.bytes.start >= hit.bytes.end {
                hit.bytes.end..other.bytes.start
            } else {
                other.bytes.end..hit.bytes.start
            };
            let joins = |gap: &str| CHOICE.iter().any(|word| gap.trim().eq_ignore_ascii_case(word));
            other.value != hit.value && self.text().get(gap).is_some_and(joins)
        })
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
        let head = own.clone().or_else(|| self.head(place, field));
        let tokens = head.clone().unwrap_or_else(|| place.clone());
        let bytes = self.bytes(&tokens);
        let asserted = self.assertion(&bytes);
        let denied_within = head.is_none() && self.denies(place);
        let (said, asserted, turned) = match asserted.how {
            Assertion::Negated => (negated, Asserted { how: Assertion::Affirmed, ..asserted }, true),
            _ if denied_within => (negated, Asserted { how: Assertion::Affirmed, by: None }, true),
            _ if head.is_none()
                || field.label.is_some()
                || !asked.by_name
                || !self.is_named(own.is_some(), place, field) =>
            {
                return None;
            }
            _ => (affirmed, asserted, false),
        };
        let statement = Statement { bytes, method: Method::Normalized, asserted };
        Some((said, Turned { statement, turned }))
    }

    /// Whether a passage names what the field is about, and not only a part of it: `puckering of the serosa` does not name serosal
    /// involvement.
    fn is_named(&self, by_name: bool, place: &Range<usize>, field: &Field<'_>) -> bool {
        by_name || {
            let sentence = self.passages.sentence(&self.bytes(place), self.source);
            let here = self.tokens(&sentence);
            let stands = |word: &str| here.clone().any(|at| self.is_word(at, word) || self.is_akin(at, word));
            self.fuel.spend_on(here.len() * field.len()) && field.words().all(stands)
        }
    }

    /// Whether a token is another form of a word, with a verb's ending for a noun's: `invades` for `invasion`.
    fn is_akin(&self, at: usize, word: &str) -> bool {
        let Some(token) = self.source.token(at).filter(|token| token.kind == TokenKind::Word) else {
            return false;
        };
        let (Some(here), Some(word)) = (Word::new(token.text(self.text())), Word::new(word)) else {
            return false;
        };
        let (here, word) = (here.as_str(), word.as_str());
        let common = here.chars().zip(word.chars()).take_while(|(a, b)| a == b).count();
        common >= AKIN && common * 2 >= here.chars().count()
    }

    /// Whether a denial stands in a passage.
    fn denies(&self, place: &Range<usize>) -> bool {
        let bytes = self.bytes(place);
        self.lexicon.context().denies(&bytes, self.passages.triggers(self.lexicon.context(), self.text()))
    }
}
