//! What a passage says of a text, a number or a date.

use super::super::boundary::is_list_number;
use super::super::fold::{Word, fold_eq};
use super::super::number::Unit;
use super::super::probe::{Probe, is_times, unit_at};
use super::super::sequence::{TokenMatch, align, is_dash, number_matches};
use super::super::token::{Token, TokenKind, letters};
use super::super::words::{WordClass, listed};
use super::super::{Method, bytes_of, date};
use super::context::Asserted;
use super::field::{Field, is_inflected};
use super::lexicon::PhraseHit;
use super::reading::{Document, Said, Statement};
use crate::rules::Assertion;
use std::ops::Range;

/// Words that say that two numbers are the ends of a range, and how far before it they stand, in tokens.
const RANGE: [&str; 4] = ["range", "ranges", "ranging", "ranged"];
const RANGE_WORDS: usize = 3;

impl Document<'_> {
    /// What some tokens say of a text, number or date.
    pub(super) fn literal(&self, probe: &Probe<'_>, place: &Range<usize>, field: &Field<'_>) -> Said {
        if date::is_date(probe) {
            return self.date(probe, place);
        }
        if let Some((year, month)) = date::month(probe) {
            return self.month(year, month, place);
        }
        if let Some(found) = self.range(probe, place) {
            return self.this(found, Method::Numeric);
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

    /// A month of a year, in words or within a whole date.
    fn month(&self, year: u32, month: u32, place: &Range<usize>) -> Said {
        let said =
            |at: usize| date::month_at_year(self.source, at, year, month).filter(|one| one.to <= place.end);
        match place.clone().find_map(said) {
            Some(found) => self.this(found, Method::Numeric),
            None => Said::Nothing,
        }
    }

    /// The first date within some tokens.
    pub(super) fn first_date(&self, tokens: Range<usize>) -> Option<Range<usize>> {
        let end = tokens.end;
        let found =
            tokens.into_iter().find_map(|at| date::at(self.source, at).filter(|one| one.tokens.to <= end))?;
        Some(bytes_of(found.tokens, self.source))
    }

    /// Whether the date at some bytes may be the one that a value is.
    pub(super) fn is_date_of(&self, probe: &Probe<'_>, bytes: &Range<usize>) -> bool {
        date::at(self.source, self.tokens(bytes).start).is_some_and(|found| found.may_be(probe))
    }

    /// Whether a number is the bound of something else: `less than 0.80`, `<10%`, `4% to 9%`.
    fn is_bound(&self, probe: &Probe<'_>, at: usize) -> bool {
        let before = |back: usize| {
            at.checked_sub(back)
                .and_then(|i| self.source.token(i))
                .map_or("", |token| token.text(self.text()))
        };
        let compares = |text: &str| text.starts_with(['<', '>', '\u{2264}', '\u{2265}']);
        if compares(before(1)) && !probe.text.trim_start().starts_with(['<', '>', '\u{2264}', '\u{2265}']) {
            return true;
        }
        before(1).eq_ignore_ascii_case("than") && !before(3).eq_ignore_ascii_case("no") && before(2) != "more"
    }

    /// A range of two numbers, however it is joined: `55-60%` as `55% to 60%` or `between 55 and 60 percent`.
    fn range(&self, probe: &Probe<'_>, place: &Range<usize>) -> Option<TokenMatch> {
        let numbers: Vec<usize> = (0..probe.tokens.len())
            .filter(|i| probe.token(*i).is_some_and(|token| token.kind == TokenKind::Number))
            .collect();
        let [first, second] = numbers[..] else { return None };
        let joins = |gap: &str| {
            let gap = gap.trim_matches(|c: char| c.is_whitespace() || c == '%');
            gap.chars().count() == 1 && gap.chars().all(is_dash)
                || ["to", "and"].iter().any(|word| gap.eq_ignore_ascii_case(word))
        };
        let end = |token: Option<Token>| token.map_or(0, |token| token.end as usize);
        let start = |token: Option<Token>| token.map_or(0, |token| token.start as usize);
        let own = probe.text.get(end(probe.token(first))..start(probe.token(second)))?;
        let is_alone = probe.tokens.len() - numbers.len() <= 2 && first == 0;
        let is_bare = unit_at(probe.text, probe.tokens, second).is_none();
        if !is_alone || !joins(own) {
            return None;
        }
        place.clone().find_map(|from| {
            let to = (from + 1..=from + 2).find(|to| {
                let gap = self.text().get(end(self.source.token(from))..start(self.source.token(*to)));
                gap.is_some_and(joins)
            })?;
            // The text may have a unit that the value leaves to its key.
            let figures = |text: &str| text.trim_matches(|c: char| c == '%' || c.is_whitespace()).to_owned();
            let same = |own: usize, here: usize| {
                number_matches(probe, self.source, own, here).is_some()
                    || is_bare
                        && self
                            .source
                            .token(here)
                            .is_some_and(|token| figures(token.text(self.text())) == figures(probe.word(own)))
            };
            (to < place.end && same(first, from) && same(second, to) && !self.is_in_a_date(from))
                .then_some(TokenMatch { from, to: to + 1, numeric: true })
        })
    }

    /// Whether a number is an end of a range, which a number alone does not say: `ranges from 4% to 9%`.
    fn is_of_range(&self, probe: &Probe<'_>, at: usize) -> bool {
        if probe.tokens.iter().filter(|token| token.kind == TokenKind::Number).count() != 1 {
            return false;
        }
        let number = |i: usize| self.source.token(i).is_some_and(|token| token.kind == TokenKind::Number);
        let to = |i: usize| self.source.token_is(i, "to");
        let first = match (number(at + 2) && to(at + 1), at >= 2 && number(at - 2) && to(at - 1)) {
            (true, _) => at,
            (_, true) => at - 2,
            _ => return false,
        };
        let ranges = |i: usize| RANGE.iter().any(|word| self.source.token_is(i, word));
        (first.saturating_sub(RANGE_WORDS)..first).any(ranges)
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
            && !self.is_bound(probe, found.from)
            && !self.is_of_range(probe, found.from)
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
            if self.is_in_a_date(at) || probe.is_bare_number() && is_list_number(self.source, at) {
                continue;
            }
            let equal = number_matches(probe, self.source, 0, at).is_some();
            if self.is_bound(probe, at) || self.is_of_range(probe, at) {
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
        let (mut content, mut missing, mut last, mut hedged) = (0, 0, 0, false);
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
                // A doubt may be said in other words.
                None if self.lexicon.context().says(probe.word(i), Assertion::Uncertain) => hedged = true,
                None => missing += 1,
            }
        }
        let Some((from, to)) = span else { return Said::Nothing };
        let bytes = self.bytes(&(from..to + 1));
        let mut asserted = self.assertion(&bytes);
        if asserted.how == Assertion::Affirmed {
            // What denies or doubts may stand between the words.
            asserted = self.assertion(&self.bytes(&(last..last + 1)));
        }
        if asserted.how != Assertion::Affirmed && self.lexicon.context().says(probe.text, asserted.how) {
            asserted = Asserted { how: Assertion::Affirmed, by: None };
        }
        if hedged && !self.is_doubtful(&self.bytes(place)) {
            missing += 1;
        }
        let is_denied = asserted.by.is_some() && asserted.how != Assertion::Affirmed;
        if content == 0 || missing > 0 && !(partly && missing * 2 <= content && is_denied) {
            return Said::Nothing;
        }
        Said::This(Statement { bytes, method: Method::Fuzzy, asserted })
    }

    /// Whether a passage is doubted where it stands, or in its own words.
    pub(super) fn is_doubtful(&self, bytes: &Range<usize>) -> bool {
        let asserted = self.assertion(bytes);
        asserted.by.is_some() && asserted.how == Assertion::Uncertain
            || self.text().get(bytes.clone()).is_some_and(|text| {
                self.fuel.spend_on(text.len()) && self.lexicon.context().says(text, Assertion::Uncertain)
            })
    }

    /// Whether a value says itself that it is doubtful, as what it is read from is: `hemangioma (possible)`.
    pub(super) fn doubts(&self, probe: &Probe<'_>, asserted: &Asserted) -> bool {
        let doubt = [Assertion::Uncertain, Assertion::Hypothetical];
        doubt.contains(&asserted.how) && doubt.iter().any(|how| self.lexicon.context().says(probe.text, *how))
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
            let Some(reader) = self.lexicon.reader(vocabulary).filter(|_| self.tells_texts_apart(vocabulary))
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
        && words.clone().all(|i| letters(probe.word(i)) <= 3 || probe.unit(i).is_some())
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
