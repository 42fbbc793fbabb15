//! Rivals: the passages that say another value of a claim's field.

use super::claim::{Claim, ParsedClaim, Presence, ValueKind};
use super::cues::{Cues, cues_of};
use super::naming::{Naming, distance};
use super::passage::{opposite, read_passage};
use super::reading::ClaimReader;
use super::search::{MOST, Passage, speaking};
use super::sentence::Clause;
use super::tokens::Token;
use crate::number::{self, Number};
use crate::quantity::{SIZES, Unit};
use serde_json::Value;
use std::collections::HashSet;
use std::ops::Range;

/// The most numbers that begin at one place of a text, or within one number: `1 234 567` is one, and each of its groups is.
const PIECES: usize = 8;

/// Returns whether a text is a word for doubt.
fn doubts(text: &str) -> bool {
    let claim = Value::from(text);
    ParsedClaim::new(&Claim { key: "", synonyms: &[], item: None, value: &claim })
        .words
        .iter()
        .any(|word| cues_of(word).any(Cues::DOUBT))
}

impl ClaimReader<'_> {
    /// The best passage that says another value of the field.
    pub(super) fn against(&self, said: Option<&Passage>) -> Option<Passage> {
        let document = self.document;
        let mut best: Option<Passage> = None;
        let mut see = |passage: Passage| {
            let is_named =
                passage.pattern.naming == Naming::Statement && self.doubt_of_part(&passage.bytes).is_none();
            if is_named && best.as_ref().is_none_or(|best| passage.pattern.naming < best.pattern.naming) {
                best = Some(passage);
            }
        };
        for bytes in self.known.others.iter().filter(|bytes| self.is_within(bytes)).take(MOST) {
            let printed = self.printed(bytes);
            if let Ok(pattern) = read_passage(document, &Claim { value: &printed, ..*self.claim }, bytes)
                && pattern.kind != ValueKind::Mention
                && !self.describes(bytes)
                && !printed.as_str().is_some_and(doubts)
            {
                see(Passage { pattern, bytes: bytes.clone() });
            }
        }
        if let Some(presence) = self.read.presence.filter(|_| !self.read.has_digits()) {
            let other = opposite(document, self.claim, 0..0);
            let claim = other.claim(self.claim);
            let tokens = document.tokens();
            // Where a vocabulary knows the values, a name and a general word for presence say none of them.
            let says = presence.opposite() == Presence::Absent || !self.known.is_listed;
            for bytes in
                speaking(tokens, &self.read.names).into_iter().filter(|bytes| says && self.is_within(bytes))
            {
                if let Ok(pattern) = read_passage(document, &claim, &bytes)
                    && pattern.kind != ValueKind::Mention
                {
                    see(Passage { pattern, bytes });
                }
            }
            return best;
        }
        if self.read.is_number || self.read.is_number_text {
            let tokens = document.tokens();
            let clause = |bytes: &Range<usize>| Clause::around(tokens, tokens.over(bytes.start, bytes.end));
            let own = said.and_then(|said| clause(&said.bytes));
            let near =
                own.as_ref().and_then(|clause| distance(&tokens.all, clause, self.read, &self.read.names));
            let own_unit =
                said.map(|said| document.quantities().at(said.bytes.start).map(|quantity| quantity.unit));
            for (bytes, value) in self.numbers(
                &own.map(|clause| clause.statement).unwrap_or_default(),
                own_unit.unwrap_or(self.read.unit()),
            ) {
                let value = Value::from(value);
                let claim = Claim { value: &value, ..*self.claim };
                let Ok(pattern) = read_passage(document, &claim, &bytes) else { continue };
                let distance = clause(&bytes)
                    .and_then(|clause| distance(&tokens.all, &clause, self.read, &self.read.names));
                if pattern.naming == Naming::Statement
                    && distance.is_some()
                    && (near.is_none() || distance <= near)
                {
                    see(Passage { pattern, bytes });
                }
            }
        }
        best
    }

    /// The number of the document that a token is in.
    fn number_over(&self, token: &Token) -> Option<&Number> {
        let numbers = &self.document.numbers;
        let after = numbers.partition_point(|number| number.start <= token.start);
        let near = numbers.get(after.saturating_sub(PIECES)..after)?;
        near.iter().find(|number| token.end <= number.end)
    }

    /// The other numbers of a unit in the statements that name the field, but for one statement.
    fn numbers(&self, but: &[usize], unit: Option<Unit>) -> Vec<(Range<usize>, f64)> {
        let tokens = self.document.tokens();
        let mut found = Vec::new();
        let mut seen: HashSet<usize> = HashSet::new();
        let own = self.claim.value.as_f64().or_else(|| number::of_text(&self.read.text)[0]);
        let asked = self.read.unit();
        // Without a unit in the field's name, one of another size may have been meant.
        let is_own = |number: &Number| {
            let Some(own) = own else { return false };
            let printed = self.document.quantities().at(number.start).map(|quantity| quantity.unit);
            let is_near = |own: f64| (own - number.value).abs() <= 1e-9 * number.value.abs().max(1.0);
            match (asked, printed) {
                (Some(asked), Some(printed)) if asked.is_like(printed) => is_near(asked.of(own, printed)),
                _ => SIZES.iter().any(|size| is_near(own * size)),
            }
        };
        for named in speaking(tokens, &self.read.names) {
            let Some(clause) = Clause::around(tokens, tokens.over(named.start, named.end)) else { continue };
            if clause.statement.iter().any(|at| but.contains(at)) {
                continue;
            }
            for at in clause.statement.iter().filter(|at| seen.insert(**at)) {
                let Some(token) = tokens.all.get(*at).filter(|token| token.is_number()) else { continue };
                let number = self.number_over(token);
                let of_unit = |number: &Number| {
                    let own = self.document.quantities().at(number.start).map(|quantity| quantity.unit);
                    match (own, unit) {
                        (Some(own), Some(unit)) => own.is_like(unit),
                        (None, None) => true,
                        (Some(_), None) | (None, Some(_)) => false,
                    }
                };
                if let Some(number) =
                    number.filter(|number| !number.is_part && !is_own(number) && of_unit(number))
                {
                    let bytes = number.start..number.end;
                    if self.is_within(&bytes) && found.len() < MOST {
                        found.push((bytes, number.value));
                    }
                }
            }
        }
        found
    }
}
