//! Where a value stands: how the words around it name its field or item.

use super::claim::{Read, ValueKind};
use super::cues::{Cues, cues_of, is_same};
use super::sentence::{Clause, LABEL};
use super::tokens::{Token, Tokens, joined};

/// How the words around a value name its field.
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
}

impl Naming {
    /// Every naming.
    pub const ALL: [Naming; 8] = [
        Naming::Statement,
        Naming::Heading,
        Naming::Sentence,
        Naming::Partly,
        Naming::Unnamed,
        Naming::OtherWords,
        Naming::Elsewhere,
        Naming::Item,
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
        }
    }
}

/// How far above a value labels are looked for, in tokens.
const ABOVE: usize = 90;

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

pub(super) fn naming(tokens: &Tokens, clause: &Clause, claim: &Read, kind: ValueKind) -> Naming {
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
    // The words of a presence or of a known value may name the field as well: `no calculi`.
    let names_itself = matches!(kind, ValueKind::Presence | ValueKind::Choice);
    for at in clause.statement.iter().filter(|at| names_itself || !clause.value.contains(at)) {
        see(&mut named, *at);
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
    if in_sentence.iter().all(|known| *known) {
        return Naming::Sentence;
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
