//! Wordings: the words for a value of a field, at one place, as the clause around them reads; for callers that inspect
//! all that a document says of a field.

use super::assertion;
use super::claim::{Claim, ParsedClaim, ValueKind};
use super::cues::{Cues, is_same};
use super::naming::{Naming, naming};
use super::passage::Doubt;
use super::search::speaking;
use super::sentence::Clause;
use super::tokens::Token;
use crate::document::Document;
use std::ops::Range;

/// A wording of a value, as the clause around it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wording {
    /// The way in which the words around it name the field.
    pub naming: Naming,
    /// The reason why it is not said as a fact.
    pub doubt: Option<Doubt>,
}

impl Wording {
    /// Returns whether a statement, or a label above it, names the field of the wording.
    #[must_use]
    pub fn is_of_field(self) -> bool {
        !self.naming.is_weak()
    }
}

/// Reads the wording at some bytes of a document; `None` where there is no word. The claim's value is the wording as it
/// is written. Words within `others`, the other wordings of the field in the order of the text, do not act as cues.
#[must_use]
pub fn read_wording(
    document: &Document,
    claim: &Claim<'_>,
    bytes: &Range<usize>,
    others: &[Range<usize>],
) -> Option<Wording> {
    let tokens = document.tokens();
    let clause = Clause::around(tokens, tokens.over(bytes.start, bytes.end))?;
    let mut read = ParsedClaim::new(claim);
    read.presence = None;
    for at in clause.statement.iter().filter_map(|at| tokens.all.get(*at)) {
        let upto = others.partition_point(|other| other.start <= at.start);
        let other = upto.checked_sub(1).and_then(|last| others.get(last));
        if other.is_some_and(|other| at.end <= other.end) {
            read.words.push(at.folded.to_string());
        }
    }
    let doubt = assertion::doubt(&tokens.all, &clause, &read);
    Some(Wording { naming: naming(document, &clause, &read, ValueKind::Choice), doubt })
}

/// The places where statements of a document name a field by its key or another name, in bytes, in order. A label, and
/// a name with no other word beside it, state nothing.
#[must_use]
pub fn named_places(document: &Document, claim: &Claim<'_>) -> Vec<Range<usize>> {
    let (read, tokens) = (ParsedClaim::new(claim), document.tokens());
    let names = std::iter::once(&read.names).chain(&read.synonyms);
    let states = |place: &Range<usize>, name: &[String]| {
        let is_name = |token: &Token| name.iter().any(|name| is_same(name, &token.folded));
        let at = tokens.over(place.start, place.end);
        let Some(clause) = Clause::around(tokens, at) else { return false };
        let words = || clause.statement.iter().filter(|at| tokens.all.get(**at).is_some_and(Token::is_word));
        let last = words().rfind(|at| tokens.all.get(**at).is_some_and(is_name));
        let behind = last.and_then(|last| tokens.all.get(last + 1));
        let is_label = behind.is_some_and(|token| token.is(":") || token.is("="));
        last.is_some()
            && !is_label
            && words().any(|at| tokens.all.get(*at).is_some_and(|token| !is_name(token)))
    };
    let mut found: Vec<Range<usize>> = Vec::new();
    for name in names {
        found.extend(speaking(tokens, name).into_iter().filter(|place| states(place, name)));
    }
    found.sort_by_key(|place| place.start);
    found.dedup();
    found
}

/// The bytes of the sentence around some others.
#[must_use]
pub fn sentence_around(document: &Document, bytes: &Range<usize>) -> Range<usize> {
    let tokens = document.tokens();
    let clause = Clause::around(tokens, tokens.over(bytes.start, bytes.end));
    let within = clause.and_then(|clause| tokens.all.get(clause.sentence));
    let words = || within.into_iter().flatten().filter(|token| !token.is_end());
    let (start, end) = (words().next(), words().next_back());
    start.map_or(bytes.start, |token| token.start).min(bytes.start)
        ..end.map_or(bytes.end, |token| token.end).max(bytes.end)
}

/// The text that a word with a doubt reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// Its bytes.
    pub bytes: Range<usize>,
    /// The doubt that the word leaves on what begins within it, or, before the word, on what ends within it.
    pub doubt: Doubt,
    /// It is behind the word.
    pub is_ahead: bool,
}

/// Most scopes that are found.
const MOST: usize = 2_000;

/// The text that each word of doubt, of denial, of another time or person, or of a condition reaches, in the order of
/// the words: for callers that read values that no one asked about yet.
#[must_use]
pub fn scopes(document: &Document) -> Vec<Scope> {
    let tokens = document.tokens();
    let all = &tokens.all;
    let doubts = [
        (Cues::DENIAL, Doubt::Denied),
        (Cues::DOUBT, Doubt::Uncertain),
        (Cues::PERSON, Doubt::AnotherPerson),
        (Cues::PAST, Doubt::AnotherTime),
        (Cues::CONDITION | Cues::MISTAKE, Doubt::Conditional),
    ];
    let mut found = Vec::new();
    for (at, token) in all.iter().enumerate() {
        let Some((_, doubt)) = doubts.into_iter().find(|(cue, _)| token.does(*cue)) else { continue };
        let Some(clause) = Clause::around(tokens, at..at + 1) else { continue };
        if found.len() >= MOST {
            break;
        }
        if doubt == Doubt::AnotherTime && !assertion::is_past(all, at, clause.sentence.end) {
            continue;
        }
        let words =
            || clause.statement.iter().filter(|at| all.get(**at).is_some_and(|token| !token.is_end()));
        let last = words().rfind(|word| **word > at).and_then(|last| all.get(*last));
        found.extend(last.map(|last| Scope { bytes: token.end..last.end, doubt, is_ahead: true }));
        if token.does(Cues::BEFORE) {
            continue;
        }
        let is_far = matches!(doubt, Doubt::Uncertain | Doubt::AnotherPerson | Doubt::Conditional);
        let near = at.saturating_sub(if is_far { assertion::BEHIND } else { assertion::AFTER_TEXT });
        let first = words().find(|word| (near..at).contains(word)).and_then(|first| all.get(*first));
        found.extend(first.map(|first| Scope { bytes: first.start..token.start, doubt, is_ahead: false }));
    }
    found
}
