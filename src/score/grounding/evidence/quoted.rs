//! What the quotes that a model gives for a leaf say of it, each read where it stands in the document.

use super::super::probe::Probe;
use super::super::token::Token;
use super::judging::Judge;
use super::quote;
use super::reading::{Said, Statement, VocabularyValue};
use super::support::{Finding, Support, Verdict};
use crate::rules::Assertion;
use std::ops::Range;

impl Judge<'_> {
    /// What the quotes say. A verdict where they settle it.
    pub(super) fn quotes(
        &self,
        probe: &Probe<'_>,
        asked: Option<VocabularyValue<'_>>,
        quotes: &[String],
        tokens: &mut Vec<Token>,
    ) -> Result<Quoted, Verdict> {
        let (mut best, mut missing) = (Quoted::Nothing, false);
        for text in quotes {
            let places = quote::places(text, self.document.source, self.document.fuel, tokens);
            missing |= places.is_empty();
            for place in places {
                let said = self.said(probe, asked, &place);
                let whole = self.document.bytes(&place);
                let side = |bytes: &Range<usize>| {
                    let around = whole.start.min(bytes.start)..whole.end.max(bytes.end);
                    self.document.is_of_another_kind(bytes, &around, &self.field, probe)
                };
                let next = match said {
                    Said::This(statement) | Said::Both(statement, _) if side(&statement.bytes).is_some() => {
                        Quoted::SaysAnother(side(&statement.bytes).unwrap_or(statement.bytes))
                    }
                    Said::Both(statement, other) => Quoted::Both(statement, other),
                    Said::This(statement)
                        if self.holds(&statement.asserted)
                            || self.document.doubts(probe, &statement.asserted) =>
                    {
                        Quoted::Says(statement, whole)
                    }
                    Said::This(statement) => {
                        let how = statement.asserted.how;
                        let other = statement.asserted.by.unwrap_or(statement.bytes);
                        let finding = Finding::Asserted(how);
                        // Doubt is no contradiction, but nothing is said for the value either.
                        let support = if how == Assertion::Uncertain {
                            Support::Unsupported
                        } else {
                            Support::Contradicted
                        };
                        let verdict =
                            Verdict { support, by_quote: true, ..Verdict::contradicted(finding, other) };
                        if matches!(best, Quoted::Nothing | Quoted::Undecided(_)) {
                            best = Quoted::Settled(verdict);
                        }
                        continue;
                    }
                    Said::Another(statement) => Quoted::SaysAnother(statement.bytes),
                    Said::OfAnother(bytes) => Quoted::OfAnother(bytes),
                    Said::Nothing => match self.is_of_another_kind(probe, &whole) {
                        Some(other) => Quoted::OfAnother(other),
                        // Doubt that the value drops.
                        None if self.document.is_doubtful(&whole) && !self.says_doubt(probe) => {
                            let finding = Finding::Asserted(Assertion::Uncertain);
                            Quoted::Settled(Verdict {
                                support: Support::Unsupported,
                                by_quote: true,
                                ..Verdict::contradicted(finding, whole)
                            })
                        }
                        None => Quoted::Undecided(whole),
                    },
                };
                if next.rank() > best.rank() {
                    best = next;
                }
            }
        }
        match best {
            Quoted::Settled(verdict) => Err(verdict),
            Quoted::Nothing if missing => Err(Verdict::new(Support::Unsupported, Finding::QuoteNotFound)),
            best => Ok(best),
        }
    }

    pub(super) fn said(
        &self,
        probe: &Probe<'_>,
        asked: Option<VocabularyValue<'_>>,
        place: &Range<usize>,
    ) -> Said {
        let Some(asked) = asked else { return self.document.literal(probe, place, &self.field) };
        let said = self.document.vocabulary(asked, place, &self.field);
        match said {
            // Of `positive (90%)` the vocabulary has read one word; the numbers must stand there, too.
            Said::This(statement) if !asked.whole && !self.document.has_numbers_of(probe, place) => {
                Said::Another(statement)
            }
            Said::Nothing => self.document.literal(probe, place, &self.field),
            said => said,
        }
    }
}

/// What the quotes of a leaf come to, weakest first.
#[derive(Debug)]
pub(super) enum Quoted {
    Nothing,
    Undecided(Range<usize>),
    OfAnother(Range<usize>),
    SaysAnother(Range<usize>),
    Settled(Verdict),
    Both(Statement, Range<usize>),
    /// What the quote says, and its place.
    Says(Statement, Range<usize>),
}

impl Quoted {
    fn rank(&self) -> u8 {
        match self {
            Quoted::Nothing => 0,
            Quoted::Undecided(_) => 1,
            Quoted::OfAnother(_) => 2,
            Quoted::SaysAnother(_) => 3,
            Quoted::Settled(_) => 4,
            Quoted::Both(..) => 5,
            Quoted::Says(..) => 6,
        }
    }
}
