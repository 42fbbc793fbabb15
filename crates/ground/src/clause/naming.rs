//! Naming: how the words around a value name its field or item.

use super::assertion;
use super::claim::{ParsedClaim, ValueKind};
use super::cues::{Cues, cues_of, is_same};
use super::sentence::{Clause, LABEL};
use super::tokens::{Token, joined};
use crate::document::Document;

/// The way in which the words around a value name its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Naming {
    /// The statement names it, or the label right before the value, or those above its ticked box.
    Statement,
    /// The statement names it, and another number is between.
    Apart,
    /// The statement names it, and another number is before some of the words.
    Across,
    /// The statement, or the label in its sentence, has another name of it.
    Synonym,
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
    /// It is the document's only date, and the field is a date of nothing in particular; or the document's only side.
    Alone,
}

impl Naming {
    /// Every naming.
    pub const ALL: [Naming; 12] = [
        Naming::Statement,
        Naming::Apart,
        Naming::Across,
        Naming::Synonym,
        Naming::Heading,
        Naming::Sentence,
        Naming::Partly,
        Naming::Unnamed,
        Naming::OtherWords,
        Naming::Elsewhere,
        Naming::Item,
        Naming::Alone,
    ];

    /// Returns whether the words right beside a value, or the value, name its field or item.
    #[must_use]
    pub fn is_own(self) -> bool {
        matches!(self, Naming::Statement | Naming::Item)
    }

    /// Returns whether nothing in the statement, or in a label above it, has all the words of a name.
    pub(super) fn is_weak(self) -> bool {
        match self {
            Naming::Sentence | Naming::Partly | Naming::Unnamed | Naming::OtherWords | Naming::Elsewhere => {
                true
            }
            Naming::Statement
            | Naming::Apart
            | Naming::Across
            | Naming::Synonym
            | Naming::Heading
            | Naming::Item
            | Naming::Alone => false,
        }
    }

    /// The name in patterns.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Naming::Statement => "statement",
            Naming::Apart => "apart",
            Naming::Across => "across",
            Naming::Synonym => "synonym",
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
fn synonymous(
    all: &[Token],
    clause: &Clause,
    claim: &ParsedClaim,
    kind: ValueKind,
    is_figure: bool,
) -> Option<Naming> {
    let says = |name: &[String], at: &mut dyn Iterator<Item = usize>| {
        let said: Vec<&Token> = at.filter_map(|at| all.get(at)).filter(|token| token.is_word()).collect();
        name.iter().all(|word| said.iter().any(|token| is_same(word, &token.folded)))
    };
    // The words of a known value may name the field as well: `well differentiated`.
    let outside = |at: &usize| kind == ValueKind::Choice || !clause.value.contains(at);
    // A synonym that leaves out what tells the field from its neighbours is one of theirs, too.
    let roles = || claim.names.iter().filter(|name| cues_of(name).any(Cues::ROLE));
    let tells = |name: &&Vec<String>| roles().all(|role| name.iter().any(|word| is_same(role, word)));
    let in_statement = |name: &Vec<String>| says(name, &mut clause.statement.iter().copied().filter(outside));
    let said: Vec<&Vec<String>> =
        claim.synonyms.iter().filter(tells).filter(|name| in_statement(name)).collect();
    if !said.is_empty() {
        let is_near = |name: &&Vec<String>| {
            distance(all, clause, claim, name).is_some_and(|distance| distance.rivals == 0)
        };
        return Some(if is_figure && !said.iter().any(is_near) { Naming::Apart } else { Naming::Synonym });
    }
    // The label of its own sentence.
    let before = clause.sentence.start..clause.value.start;
    let colon = before.clone().rev().find(|at| all.get(*at).is_some_and(|token| token.is(":")))?;
    let label = colon.saturating_sub(LABEL).max(before.start)..colon;
    claim.synonyms.iter().filter(tells).any(|name| says(name, &mut label.clone())).then_some(Naming::Synonym)
}

/// Returns whether a number, date or presence has a label of its own in its sentence, and that names another thing than
/// the field.
fn is_labelled_otherwise(all: &[Token], clause: &Clause, claim: &ParsedClaim, kind: ValueKind) -> bool {
    let is_short = matches!(
        kind,
        ValueKind::Number | ValueKind::Quantity | ValueKind::Date | ValueKind::Presence | ValueKind::Mention
    );
    if !is_short {
        return false;
    }
    let before = clause.sentence.start..clause.value.start;
    let Some(colon) = before.clone().rev().find(|at| all.get(*at).is_some_and(|token| token.is(":"))) else {
        return false;
    };
    let label = all.get(colon.saturating_sub(LABEL).max(before.start)..colon).unwrap_or_default();
    !label.iter().any(|token| token.is_word() && claim.names.iter().any(|name| is_same(name, &token.folded)))
}

/// The words and the rivals, other numbers or sides, between a number or side and the nearest word of its field's name,
/// in its statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Distance {
    pub(super) rivals: usize,
    pub(super) words: usize,
}

/// The distance of a number or side from the name of its field, which is that of the name's farthest word, each where
/// it is nearest; none where its statement has no word of it.
pub(super) fn distance(
    all: &[Token],
    clause: &Clause,
    claim: &ParsedClaim,
    names: &[String],
) -> Option<Distance> {
    let value = all.get(clause.value.clone()).unwrap_or_default();
    let is_side = value.iter().any(|token| token.does(Cues::SIDE)) && !value.iter().any(Token::is_number);
    let between = |from: usize, to: usize| {
        // Of `4.5 x 3.5 cm` the first is as near as the last.
        let is_by = |at: Option<usize>| {
            at.and_then(|at| all.get(at))
                .is_some_and(|token| token.is("x") || token.is("×") || token.is("by"))
        };
        let is_factor = |at: usize| is_by(at.checked_sub(1)) || is_by(Some(at + 1));
        // The digits of a name are not a rival: `Ki-67`.
        let is_name = |token: &Token| claim.names.iter().any(|name| **name == *token.folded);
        let is_rival = |token: &Token| {
            if is_side { token.does(Cues::SIDE) } else { token.is_number() && !is_name(token) }
        };
        let rivals = (from..to).filter(|at| all.get(*at).is_some_and(is_rival) && !is_factor(*at)).count();
        let words = all.get(from..to).unwrap_or_default();
        Distance { rivals, words: words.iter().filter(|token| token.is_word() && !token.is_number()).count() }
    };
    let nearest = |name: &String| {
        let says = |at: &&usize| {
            let is_name = |token: &Token| {
                token.is_word() && (is_same(name, &token.folded) || joined(all, **at).as_ref() == Some(name))
            };
            !clause.value.contains(at) && all.get(**at).is_some_and(is_name)
        };
        let places = clause.statement.iter().filter(says);
        let distances = places.map(|at| {
            if *at < clause.value.start {
                between(at + 1, clause.value.start)
            } else {
                between(clause.value.end, *at)
            }
        });
        distances.min()
    };
    names.iter().filter_map(nearest).max()
}

/// The most signs, numbers and ends of lines between a label and its value.
const BEHIND_LABEL: usize = 5;

/// The words of the label right before a value: `IMPRESSION:, 1. Normal chest.`
fn own_label(all: &[Token], value: usize) -> std::ops::Range<usize> {
    let near = value.saturating_sub(BEHIND_LABEL);
    let is_word = |at: &usize| all.get(*at).is_some_and(|token| token.is_word() && !token.is_number());
    let between = (near..value).rev().take_while(|at| !is_word(at));
    let Some(colon) = between.into_iter().find(|at| all.get(*at).is_some_and(|token| token.is(":"))) else {
        return 0..0;
    };
    let ends = |at: &usize| all.get(*at).is_none_or(|token| token.is_end() || token.is(".") || token.is(","));
    let first = colon.saturating_sub(LABEL);
    (first..colon).rev().find(ends).map_or(first, |at| at + 1)..colon
}

pub(super) fn naming(document: &Document, clause: &Clause, claim: &ParsedClaim, kind: ValueKind) -> Naming {
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
    // The words of a presence or of a known value may name the field as well: `no calculi`. A single word is not a name of
    // itself.
    let names_itself =
        matches!(kind, ValueKind::Presence | ValueKind::Mention | ValueKind::Choice) || claim.words.len() > 1;
    let is_name = |at: usize| {
        let own = || all.get(at).is_some_and(|token| claim.words.iter().any(|word| **word == *token.folded));
        names_itself || !clause.value.contains(&at) || !own()
    };
    for at in clause.statement.iter().filter(|at| is_name(**at)) {
        see(&mut named, *at);
    }
    // `2` of `2 of 19` is a part, regardless of its name.
    if kind == ValueKind::Ratio && claim.asks_for().is_some() {
        for (name, known) in claim.names.iter().zip(&mut named) {
            *known = *known || cues_of(name).any(Cues::NUMERATOR | Cues::DENOMINATOR);
        }
    }
    let is_figure = matches!(kind, ValueKind::Number | ValueKind::Quantity | ValueKind::Side);
    let in_statement = named.clone();
    if named.iter().all(|known| *known) {
        if !is_figure {
            return Naming::Statement;
        }
        let is_free = |distance: Option<Distance>| distance.is_some_and(|distance| distance.rivals == 0);
        let nearest = claim
            .names
            .iter()
            .filter_map(|name| distance(all, clause, claim, std::slice::from_ref(name)))
            .min();
        return match (is_free(nearest), is_free(distance(all, clause, claim, &claim.names))) {
            (true, true) => Naming::Statement,
            (true, false) => Naming::Across,
            (false, _) => Naming::Apart,
        };
    }
    let mut by_label = vec![false; claim.names.len()];
    for at in own_label(all, clause.value.start) {
        see(&mut by_label, at);
    }
    if by_label.iter().all(|known| *known) {
        return Naming::Statement;
    }
    // The heading of a list names what is behind the labels of its items.
    let mut by_list = vec![false; claim.names.len()];
    for at in assertion::heading(all, clause.sentence.start) {
        see(&mut by_list, at);
    }
    let below = || {
        if assertion::tick(all, &clause.value) == Some(true) { Naming::Statement } else { Naming::Heading }
    };
    if by_list.iter().all(|known| *known) {
        return below();
    }
    let above = clause.value.start.saturating_sub(ABOVE)..clause.value.start;
    for colon in above.filter(|at| all.get(*at).is_some_and(|token| token.is(":"))) {
        for at in colon.saturating_sub(LABEL)..colon {
            see(&mut named, at);
        }
    }
    if named.iter().all(|known| *known) && !is_labelled_otherwise(all, clause, claim, kind) {
        return below();
    }
    let mut in_sentence = in_statement.clone();
    for at in clause.sentence.clone() {
        see(&mut in_sentence, at);
    }
    if let Some(naming) = synonymous(all, clause, claim, kind, is_figure) {
        return naming;
    }
    if in_sentence.iter().all(|known| *known) {
        return Naming::Sentence;
    }
    let is_general = claim.key.iter().all(|word| cues_of(word).any(Cues::GENERIC));
    if kind == ValueKind::Date && is_general && document.by_day.len() == 1 {
        return Naming::Alone;
    }
    let is_other_side =
        |token: &Token| token.does(Cues::SIDE) && !claim.words.iter().any(|word| **word == *token.folded);
    if kind == ValueKind::Side && !all.iter().any(is_other_side) {
        return Naming::Alone;
    }
    let missing: Vec<&String> =
        claim.names.iter().zip(&named).filter(|(_, known)| !**known).map(|(name, _)| name).collect();
    let has_none = named.iter().all(|known| !*known) && !missing.iter().any(|name| tokens.has(name));
    if has_none {
        return Naming::Unnamed;
    }
    let is_telling = |name: &&String| cues_of(name).any(Cues::ROLE);
    let is_other = is_labelled_otherwise(all, clause, claim, kind);
    if !is_other && !missing.iter().any(|name| tokens.has(name)) && !missing.iter().any(is_telling) {
        return Naming::Partly;
    }
    if in_statement.iter().any(|known| *known) { Naming::OtherWords } else { Naming::Elsewhere }
}
