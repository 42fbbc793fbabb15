//! Search: the passage of a document that says a claim best.

use super::claim::{Claim, Presence, Read, ValueKind};
use super::cues::{Cues, is_same};
use super::naming::Naming;
use super::passage::{Pattern, opposite, read_passage};
use super::sentence::{Clause, LONGEST};
use super::tokens::{Class, Tokens};
use super::trust::Trust;
use crate::document::Document;
use crate::find::places;
use crate::quantity::Unit;
use serde_json::Value;
use std::ops::Range;

/// Most passages that are read for one claim, and most names that are looked at for them.
const MOST: usize = 64;
const TRIED: usize = 2_000;

/// A passage that was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Its pattern.
    pub pattern: Pattern,
    /// Its bytes.
    pub bytes: Range<usize>,
}

/// A passage that was found for a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// It says the claim.
    Says(Passage),
    /// It says the opposite, and none says the claim.
    SaysOpposite(Passage),
}

/// Finds the passage that says a claim best: of those that name the field or item, the one of the pattern with the highest
/// precision. None where passages say that something is there and that it is not, and for numbers and texts that are no member of an
/// item: of all the places of such a value that nothing has chosen, one is near the right words too often.
#[must_use]
pub fn find_passage(document: &Document, claim: &Claim<'_>) -> Option<Found> {
    let read = Read::new(claim);
    if read.names.is_empty() {
        return None;
    }
    let Some(presence) = read.presence else {
        let places = places(document, claim.value).into_iter().map(|place| place.start..place.end).take(MOST);
        if let Some((number, unit)) = claim.value.as_f64().zip(read.unit()).filter(|_| !read.is_of_item) {
            return quantity(document, claim, number, unit).map(Found::Says);
        }
        let tells = |passage: &Passage| read.is_of_item || is_telling(passage.pattern);
        return best(document, claim, places).filter(tells).map(Found::Says);
    };
    let speaking = speaking(document.tokens(), &read);
    let saying = |claim: &Claim<'_>, presence| {
        let says = |bytes: &&Range<usize>| presence == Presence::Absent || affirms(document.tokens(), bytes);
        best(document, claim, speaking.iter().filter(says).cloned())
    };
    let other = opposite(document, claim, 0..0);
    match (saying(claim, presence), saying(&other.claim(claim), presence.opposite())) {
        (Some(passage), None) => Some(Found::Says(passage)),
        (None, Some(passage)) => Some(Found::SaysOpposite(passage)),
        (Some(_), Some(_)) | (None, None) => None,
    }
}

/// The passage that says a quantity; none where the field is named beside another one, too.
fn quantity(document: &Document, claim: &Claim<'_>, value: f64, unit: Unit) -> Option<Passage> {
    let own = document.quantities().places(value, unit);
    let passage = best(document, claim, own.iter().take(MOST).cloned())?;
    let others = document.quantities().like(unit).filter(|other| !own.contains(&other.place));
    let others = others.map(|other| (other.place.clone(), other.value));
    let pattern = Pattern { kind: ValueKind::Quantity, ..passage.pattern };
    (!is_contested(document, claim, &passage, others)).then_some(Passage { pattern, ..passage })
}

/// If the field is named as well beside another number.
fn is_contested(
    document: &Document,
    claim: &Claim<'_>,
    passage: &Passage,
    others: impl Iterator<Item = (Range<usize>, f64)>,
) -> bool {
    let is_rival = |(place, value): (Range<usize>, f64)| {
        let value = Value::from(value);
        let read = read_passage(document, &Claim { value: &value, ..*claim }, &place);
        read.is_ok_and(|pattern| pattern.naming <= passage.pattern.naming)
    };
    // What can't be compared with all is not known to be the only one.
    others.enumerate().any(|(at, other)| at >= MOST || is_rival(other))
}

/// If a value of a pattern is rarely near the words of another field: numbers and words often are.
fn is_telling(pattern: Pattern) -> bool {
    let is_kind = matches!(
        pattern.kind,
        ValueKind::Date | ValueKind::Code | ValueKind::Side | ValueKind::Choice | ValueKind::Ratio
    );
    is_kind && pattern.naming == Naming::Statement
}

/// Of the passages that name the field or item, the one of the pattern with the highest precision; of equal ones the first.
fn best(
    document: &Document,
    claim: &Claim<'_>,
    passages: impl Iterator<Item = Range<usize>>,
) -> Option<Passage> {
    let readings = passages.filter_map(|bytes| {
        let pattern = read_passage(document, claim, &bytes).ok()?;
        matches!(pattern.naming, Naming::Statement | Naming::Heading).then_some(Passage { pattern, bytes })
    });
    readings.max_by(|one, other| {
        let precision = |passage: &Passage| Trust::shipped().of(passage.pattern).bound;
        precision(one).total_cmp(&precision(other)).then(other.bytes.start.cmp(&one.bytes.start))
    })
}

/// If the statement around some bytes says in so many words that something is there: not only that it is something.
fn affirms(tokens: &Tokens, bytes: &Range<usize>) -> bool {
    let value = tokens.over(bytes.start, bytes.end);
    let ticked = super::assertion::tick(&tokens.all, &value) == Some(true);
    let says = |clause: Clause| {
        clause
            .statement
            .iter()
            .filter_map(|at| tokens.all.get(*at))
            .any(|token| token.does(Cues::PRESENT) || token.is("+"))
    };
    ticked || Clause::around(tokens, value).is_some_and(says)
}

/// The places where something may be said to be there or not: where the field is named, and the ticked options.
fn speaking(tokens: &Tokens, claim: &Read) -> Vec<Range<usize>> {
    let all = &tokens.all;
    let places: Vec<Vec<usize>> = claim.names.iter().map(|name| tokens.named(name)).collect();
    let mut named = places.concat();
    named.sort_unstable();
    named.dedup();
    // A statement that names all has them within the reach of a sentence.
    let is_near = |places: &Vec<usize>, at: usize| {
        let first = places.partition_point(|other| other + LONGEST < at);
        places.get(first).is_some_and(|other| *other <= at + LONGEST)
    };
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut after = 0;
    for at in named.into_iter().filter(|at| places.iter().all(|places| is_near(places, *at))).take(TRIED) {
        let Some(token) = all.get(at) else { continue };
        // One passage of a sentence part is enough.
        if found.len() >= MOST {
            break;
        }
        if at < after {
            continue;
        }
        if let Some(clause) = Clause::around(tokens, at..at + 1) {
            let whole = claim.names.iter().all(|name| {
                clause
                    .statement
                    .iter()
                    .filter_map(|at| all.get(*at))
                    .any(|token| is_same(name, &token.folded))
            });
            if whole {
                after = clause.part.last().map_or(at + 1, |last| last + 1);
                found.push(token.start..token.end);
            }
        }
    }
    for at in tokens.ticked() {
        let line = all
            .iter()
            .enumerate()
            .skip(at + 1)
            .take(LONGEST)
            .take_while(|(_, token)| !matches!(token.class, Class::Line | Class::Gap));
        let mut says =
            line.filter(|(_, token)| token.does(Cues::AFFIRMATION | Cues::DENIAL) && token.is_word());
        if let Some((_, token)) = says.next() {
            found.push(token.start..token.end);
        }
    }
    found
}
