//! Where a value stands: how the words around it name its field or item.

use super::claim::{Read, ValueKind};
use super::cues::{Cues, cues_of, is_same};
use super::sentence::{Clause, LABEL};
use super::tokens::{Token, joined};
use crate::document::Document;

/// The way in which the words around a value name its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Naming {
    /// The statement names it.
    Statement,
    /// The statement and the labels above it name it.
    Heading,
    /// The sentence names it, in another part.
    Sentence,
    /// The statement has all those of its words that the document has anywhere.
    Partly,
    /// The document has none of its words.
    Unnamed,
    /// The statement has some of its words, and the document the others elsewhere.
    OtherWords,
    /// The document has its words elsewhere.
    Elsewhere,
    /// The value names the item itself.
    Item,
    /// It is the document's only date, and the field is a date of nothing in particular.
    Alone,
}

impl Naming {
    /// Every naming.
    pub const ALL: [Naming; 9] = [
        Naming::Statement,
        Naming::Heading,
        Naming::Sentence,
        Naming::Partly,
        Naming::Unnamed,
        Naming::OtherWords,
        Naming::Elsewhere,
        Naming::Item,
        Naming::Alone,
    ];

    /// The name in patterns.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Naming::Statement => "statement",
            Naming::Heading => "heading",
            Naming::Sentence => "sentence",
            Naming::Partly => "partly",
            Naming::Unnamed => "unnamed",
            Naming::OtherWords => "other-words",
            Naming::Elsewhere => "elsewhere",
            Naming::Item => "item",
            Naming::Alone => "alone",
        }
    }
}

/// The distance above a value within which labels are looked for, in tokens.
const ABOVE: usize = 90;

/// The naming of a field by another of its names, if the words around a value use one.
fn synonymous(all: &[Token], clause: &Clause, claim: &Read) -> Option<Naming> {
    let says = |name: &[String], at: &mut dyn Iterator<Item = usize>| {
        let said: Vec<&Token> = at.filter_map(|at| all.get(at)).filter(|token| token.is_word()).collect();
        name.iter().all(|word| said.iter().any(|token| is_same(word, &token.folded)))
    };
    let outside = |at: &usize| !clause.value.contains(at);
    // A synonym that leaves out what tells the field from its neighbours is one of theirs, too.
    let roles = || claim.names.iter().filter(|name| cues_of(name).any(Cues::ROLE));
    let tells = |name: &&Vec<String>| roles().all(|role| name.iter().any(|word| is_same(role, word)));
    let in_statement = |name: &Vec<String>| says(name, &mut clause.statement.iter().copied().filter(outside));
    if claim.synonyms.iter().filter(tells).any(in_statement) {
        return Some(Naming::Statement);
    }
    // The label of its own sentence.
    let before = clause.sentence.start..clause.value.start;
    let colon = before.clone().rev().find(|at| all.get(*at).is_some_and(|token| token.is(":")))?;
    let label = colon.saturating_sub(LABEL).max(before.start)..colon;
    claim.synonyms.iter().filter(tells).any(|name| says(name, &mut label.clone())).then_some(Naming::Heading)
}

/// If a number or date has a label of its own in its sentence, and that names another thing than the field.
fn is_labelled_otherwise(all: &[Token], clause: &Clause, claim: &Read, kind: ValueKind) -> bool {
    if !matches!(kind, ValueKind::Number | ValueKind::Date) {
        return false;
    }
    let before = clause.sentence.start..clause.value.start;
    let Some(colon) = before.clone().rev().find(|at| all.get(*at).is_some_and(|token| token.is(":"))) else {
        return false;
    };
    let label = all.get(colon.saturating_sub(LABEL).max(before.start)..colon).unwrap_or_default();
    !label.iter().any(|token| token.is_word() && claim.names.iter().any(|name| is_same(name, &token.folded)))
}

pub(super) fn naming(document: &Document, clause: &Clause, claim: &Read, kind: ValueKind) -> Naming {
    let tokens = document.tokens();
    if claim.names.is_empty() {
        return Naming::Item;
    }
    if kind == ValueKind::Code {
        return Naming::Statement;
    }
    let all = &tokens.all;
    let mut named = vec![false; claim.names.len()];
    let see = |named: &mut Vec<bool>, at: usize| {
        let Some(token) = all.get(at).filter(|token| token.is_word()) else { return };
        let compound = joined(all, at);
        for (name, known) in claim.names.iter().zip(named) {
            *known = *known || is_same(name, &token.folded) || compound.as_ref() == Some(name);
        }
    };
    // The words of a presence or of a known value may name the field as well: `no calculi`. A single word is no name of itself.
    let names_itself = matches!(kind, ValueKind::Presence | ValueKind::Choice) || claim.words.len() > 1;
    let is_name = |at: usize| {
        let own = || all.get(at).is_some_and(|token| claim.words.iter().any(|word| **word == *token.folded));
        names_itself || !clause.value.contains(&at) || !own()
    };
    for at in clause.statement.iter().filter(|at| is_name(**at)) {
        see(&mut named, *at);
    }
    // `2` of `2 of 19` is a part, whatever it is called.
    if kind == ValueKind::Ratio && claim.asks_for().is_some() {
        for (name, known) in claim.names.iter().zip(&mut named) {
            *known = *known || cues_of(name).any(Cues::NUMERATOR | Cues::DENOMINATOR);
        }
    }
    let in_statement = named.clone();
    if named.iter().all(|known| *known) {
        return Naming::Statement;
    }
    let above = clause.value.start.saturating_sub(ABOVE)..clause.value.start;
    for colon in above.filter(|at| all.get(*at).is_some_and(|token| token.is(":"))) {
        for at in colon.saturating_sub(LABEL)..colon {
            see(&mut named, at);
        }
    }
    if named.iter().all(|known| *known) && !is_labelled_otherwise(all, clause, claim, kind) {
        return Naming::Heading;
    }
    let mut in_sentence = in_statement.clone();
    for at in clause.sentence.clone() {
        see(&mut in_sentence, at);
    }
    if let Some(naming) = synonymous(all, clause, claim) {
        return naming;
    }
    if in_sentence.iter().all(|known| *known) {
        return Naming::Sentence;
    }
    let is_general = claim.key.iter().all(|word| cues_of(word).any(Cues::GENERIC));
    if kind == ValueKind::Date && is_general && document.by_day.len() == 1 {
        return Naming::Alone;
    }
    let missing: Vec<&String> =
        claim.names.iter().zip(&named).filter(|(_, known)| !**known).map(|(name, _)| name).collect();
    let has_none = named.iter().all(|known| !*known) && !missing.iter().any(|name| tokens.has(name));
    if has_none {
        return Naming::Unnamed;
    }
    let is_telling = |name: &&String| cues_of(name).any(Cues::ROLE);
    if !missing.iter().any(|name| tokens.has(name)) && !missing.iter().any(is_telling) {
        return Naming::Partly;
    }
    if in_statement.iter().any(|known| *known) { Naming::OtherWords } else { Naming::Elsewhere }
}
