//! Assertion: whether the document states a value as a present fact about its own subject.

use super::claim::{ParsedClaim, Presence};
use super::cues::{Cues, cues_of, is_same};
use super::passage::Doubt;
use super::sentence::{Clause, LABEL};
use super::tokens::{Class, Token};
use crate::steps::step;
use std::ops::Range;

/// The distance behind a value at which a word of doubt still reaches it, in tokens.
pub(super) const BEHIND: usize = 8;

/// Looks for what keeps a clause from saying a value as a fact.
pub(super) fn doubt(all: &[Token], clause: &Clause, claim: &ParsedClaim) -> Option<Doubt> {
    let ticked = tick(all, &clause.value);
    if ticked == Some(false) {
        return Some(Doubt::NotTicked);
    }
    let is_value = |at: &usize| clause.value.contains(at);
    let token = |at: usize| all.get(at);
    let heading = heading(all, clause.sentence.start);
    let around: Vec<usize> = clause
        .statement
        .iter()
        .copied()
        .chain(heading)
        .chain(if claim.is_item() || claim.is_of_item { label(all, clause.value.start) } else { 0..0 })
        .filter(|at| !(claim.presence.is_none() && is_value(at)))
        .filter(|at| token(*at).is_some_and(|token| !claim.owns(&token.folded)))
        .collect();
    let reaches = |at: usize| at < clause.value.end + BEHIND;
    let says = |cues: Cues| {
        around.iter().filter(|at| reaches(**at)).filter_map(|at| token(*at)).any(|token| token.does(cues))
    };
    // A field that is about another time, a plan or another person is named with just these words.
    let asks = |cues: Cues| claim.key_does(cues);
    // What a value says of itself: that it is elsewhere, or was a mistake.
    let own = |cues: Cues| {
        clause.part.iter().filter(|at| is_value(at)).filter_map(|at| token(*at)).any(|token| token.does(cues))
    };
    if own(Cues::POINTER) {
        return Some(Doubt::NotAffirmed);
    }
    if own(Cues::MISTAKE) || says(Cues::MISTAKE) {
        return Some(Doubt::Conditional);
    }
    let doubts_itself = claim.words.iter().any(|word| cues_of(word).any(Cues::DOUBT));
    if !doubts_itself && says(Cues::DOUBT) {
        return Some(Doubt::Uncertain);
    }
    if says(Cues::PERSON) && !asks(Cues::PERSON) {
        return Some(Doubt::AnotherPerson);
    }
    let behind = if claim.is_item() || claim.is_of_item { LIST } else { AFTER_TEXT };
    let reaches = |at: usize| at < clause.value.end + behind;
    let is_above =
        |at: usize| at < clause.sentence.start && token(at).is_some_and(|token| token.does(Cues::PAST));
    let of_another_time =
        around.iter().any(|at| reaches(*at) && (is_past(all, *at, clause.sentence.end) || is_above(*at)))
            || !claim.is_date && around.iter().any(|at| reaches(*at) && is_of_year(all, *at))
            || is_below_past(all, clause, claim);
    if of_another_time && !claim.is_of_person() && !asks(Cues::PAST) && !is_event(all, clause, claim) {
        return Some(Doubt::AnotherTime);
    }
    if says(Cues::CONDITION) && !asks(Cues::CONDITION) {
        return Some(Doubt::Conditional);
    }
    match claim.presence {
        None => denied(all, clause, claim),
        Some(presence) => opposed(all, clause, claim, presence, ticked == Some(true)),
    }
}

/// The longest list between an item and its heading, in tokens.
const LIST: usize = 120;

/// The words before the first colon of the line, if a list of items is behind it.
fn label(all: &[Token], value: usize) -> Range<usize> {
    let is_end = |at: &usize| {
        step(1);
        all.get(*at).is_some_and(|token| matches!(token.class, Class::Line | Class::Gap))
    };
    let near = value.saturating_sub(LIST);
    let first = (near..value).rev().find(is_end).map_or(near, |at| at + 1);
    let colon = (first..value).find(|at| all.get(*at).is_some_and(|token| token.is(":")));
    match colon {
        Some(colon) if colon - first <= 2 * LABEL => first..colon,
        Some(_) | None => 0..0,
    }
}

/// The words of the line with a colon at its end under which a list item is.
pub(super) fn heading(all: &[Token], sentence: usize) -> Range<usize> {
    let is_end = |at: usize| {
        step(1);
        all.get(at).is_some_and(|token| matches!(token.class, Class::Line | Class::Gap))
    };
    let mut at = sentence;
    while at > 0 && sentence - at < LIST {
        at -= 1;
        if all.get(at).is_some_and(|token| token.class == Class::Gap) {
            break;
        }
        if is_end(at)
            && at.checked_sub(1).and_then(|before| all.get(before)).is_some_and(|token| token.is(":"))
        {
            let near = at.saturating_sub(LABEL + 1);
            return (near..at).rev().find(|at| is_end(*at)).map_or(near, |at| at + 1)..at - 1;
        }
    }
    0..0
}

/// Returns whether a word speaks of another time: neither the `old` of an age, nor a word of a label.
pub(super) fn is_past(all: &[Token], at: usize, end: usize) -> bool {
    let Some(token) = all.get(at).filter(|token| token.does(Cues::PAST)) else { return false };
    let before = all.get(at.saturating_sub(3)..at).unwrap_or_default();
    let is_age = token.is("old") && before.iter().any(|token| token.does(Cues::AGE));
    let after = all.get(at..end.min(at + 5)).unwrap_or_default();
    !is_age && !after.iter().any(|token| token.is(":"))
}

/// Returns whether a date is that of an event which the statement names: when it was does not make it another one.
fn is_event(all: &[Token], clause: &Clause, claim: &ParsedClaim) -> bool {
    let is_special = |name: &&String| !cues_of(name).any(Cues::GENERIC);
    let said = |name: &String| {
        clause.statement.iter().filter_map(|at| all.get(*at)).any(|token| is_same(name, &token.folded))
    };
    claim.is_date && claim.names.iter().any(|name| is_special(&name)) && claim.names.iter().all(said)
}

/// The years that a year of another time is one of.
const YEARS: Range<u32> = 1900..2100;

/// Returns whether a year is alone behind a word that leads to a time: `in 2018`.
fn is_of_year(all: &[Token], at: usize) -> bool {
    let Some(token) = all.get(at).filter(|token| token.is_number() && token.folded.len() == 4) else {
        return false;
    };
    let year = token.folded.parse().is_ok_and(|year| YEARS.contains(&year));
    let before = at.checked_sub(1).and_then(|at| all.get(at));
    let enclosed =
        before.is_some_and(|token| token.is("(")) && all.get(at + 1).is_some_and(|token| token.is(")"));
    let leads = enclosed || before.is_some_and(|token| token.does(Cues::SINCE));
    let joint = |token: &Token| token.is("/") || token.is("-");
    year && leads && !all.get(at + 1).is_some_and(joint)
}

/// Returns whether the sentence begins with a label of another time.
fn is_below_past(all: &[Token], clause: &Clause, claim: &ParsedClaim) -> bool {
    let before = all.get(clause.sentence.start..clause.value.start).unwrap_or_default();
    let label = before.iter().rposition(|token| token.is(":")).and_then(|end| before.get(..end));
    let is_past = |label: &[Token]| {
        // A history of the present illness is of now.
        label.iter().any(|token| token.does(Cues::PAST_LABEL) && !claim.owns(&token.folded))
            && !label.iter().any(|token| token.does(Cues::PRESENT))
    };
    label.is_some_and(is_past)
}

/// The distances before a number, and behind a text, at which a denial still reaches it, in tokens.
const BEFORE_NUMBER: usize = 5;
pub(super) const AFTER_TEXT: usize = 4;

/// A text or number that is denied, or one of several.
fn denied(all: &[Token], clause: &Clause, claim: &ParsedClaim) -> Option<Doubt> {
    let Range { start, end } = clause.value;
    // None is zero.
    if claim.text == "0" {
        return None;
    }
    let is_number = claim.is_figure();
    let reaches = |at: usize| {
        if is_number {
            at < start && at + BEFORE_NUMBER >= start
        } else {
            at < start || at >= end && at < end + AFTER_TEXT
        }
    };
    // Behind a value, only what denies the thing before it: `without` denies the next one.
    let denies = |at: usize| {
        all.get(at).is_some_and(|token| {
            token.does(Cues::DENIAL)
                && !claim.owns(&token.folded)
                && (at < start || !token.does(Cues::BEFORE))
        })
    };
    // Of something that was looked for, the end of the sentence may say that it was not found.
    if claim.is_item() && clause.sentence.clone().any(|at| at >= end && denies(at)) {
        return Some(Doubt::Denied);
    }
    let reached = if is_number { &clause.part } else { &clause.statement };
    if reached.iter().any(|at| reaches(*at) && denies(*at)) {
        return Some(Doubt::Denied);
    }
    let beside = [start.checked_sub(1), Some(end)].into_iter().flatten().filter_map(|at| all.get(at));
    let is_choice = beside.into_iter().any(|token| token.does(Cues::OR) && !claim.owns(&token.folded));
    (is_choice && !is_number).then_some(Doubt::Alternative)
}

/// A presence that the clause does not say, or says otherwise.
fn opposed(
    all: &[Token],
    clause: &Clause,
    claim: &ParsedClaim,
    presence: Presence,
    ticked: bool,
) -> Option<Doubt> {
    let is_name = |token: &Token| claim.names.iter().any(|name| **name == *token.folded);
    let said = || clause.statement.iter().filter_map(|at| all.get(*at));
    let denials = said().filter(|token| token.does(Cues::DENIAL) && !is_name(token)).count();
    if is_about_another(all, clause, claim) {
        return Some(Doubt::NotAffirmed);
    }
    if is_choice(all, clause) {
        return Some(Doubt::Alternative);
    }
    match (presence, denials) {
        (Presence::Absent, 0) => Some(Doubt::NotDenied),
        (Presence::Absent, 1) => (denies_another(all, clause, claim)
            || denies_other_codes(all, clause, claim))
        .then_some(Doubt::DeniesAnother),
        (Presence::Absent, _) => Some(Doubt::DeniedTwice),
        // `with necrosis and no vascular invasion` denies the other one.
        (Presence::Present, 1) if !denies_another(all, clause, claim) => Some(Doubt::Denied),
        (Presence::Present, 0 | 1) => {
            let affirms = ticked || said().any(|token| token.does(Cues::AFFIRMATION));
            (!affirms).then_some(Doubt::NotAffirmed)
        }
        (Presence::Present, _) => Some(Doubt::Denied),
    }
}

/// Returns whether a statement names both answers and gives none: `positive or negative`.
fn is_choice(all: &[Token], clause: &Clause) -> bool {
    let answers =
        |token: Option<&Token>, cues| token.is_some_and(|token| token.is_word() && token.does(cues));
    clause.statement.iter().any(|at| {
        let joins =
            all.get(*at).is_some_and(|token| token.is("/") || token.is_word() && token.does(Cues::OR));
        let (before, after) = (at.checked_sub(1).and_then(|at| all.get(at)), all.get(at + 1));
        joins
            && (answers(before, Cues::PRESENT) && answers(after, Cues::ABSENT)
                || answers(before, Cues::ABSENT) && answers(after, Cues::PRESENT))
    })
}

/// The most letters of a name that is an abbreviation.
const ABBREVIATION: usize = 3;

/// Returns whether the field's name is an abbreviation, and other words are between it and the result: it may be short
/// for another thing, as in `PR interval long, stress test positive`.
fn is_about_another(all: &[Token], clause: &Clause, claim: &ParsedClaim) -> bool {
    let [name] = claim.names.as_slice() else { return false };
    let is_short = name.chars().count() <= ABBREVIATION && name.chars().all(char::is_alphabetic);
    if !is_short || claim.is_of_item {
        return false;
    }
    let said = |at: &usize| {
        all.get(*at)
            .is_some_and(|token| token.does(Cues::PRESENT | Cues::ABSENT | Cues::DENIAL) || token.is("+"))
    };
    let named = |at: &usize| all.get(*at).is_some_and(|token| *token.folded == **name);
    let statement = &clause.statement;
    let pairs = statement.iter().filter(|at| named(at)).flat_map(|name| {
        statement.iter().filter(|at| said(at)).map(move |said| (*name.min(said), *name.max(said)))
    });
    let nearest = pairs.min_by_key(|(from, to)| to - from);
    let is_foreign = |token: &Token| {
        let known =
            Cues::AFFIRMATION | Cues::DENIAL | Cues::PREDICATE | Cues::DEGREE | Cues::JOIN | Cues::LIMIT;
        token.is_word()
            && token.is_lowercase
            && token.folded.chars().count() > ABBREVIATION
            && !token.does(known)
    };
    nearest.is_some_and(|(from, to)| all.get(from + 1..to).unwrap_or_default().iter().any(is_foreign))
}

/// Returns whether a denial that precedes what it denies, such as `no`, follows the field's name and is itself followed
/// by other words.
fn denies_another(all: &[Token], clause: &Clause, claim: &ParsedClaim) -> bool {
    let is_name = |at: usize| {
        all.get(at).is_some_and(|token| {
            token.is_word() && claim.names.iter().any(|name| is_same(name, &token.folded))
        })
    };
    let does = |at: &usize| all.get(*at).is_some_and(|token| token.does(Cues::BEFORE));
    let Some(denial) = clause.statement.iter().copied().find(does) else { return false };
    let behind = |at: &usize| *at > denial;
    let says_name = |name: &String, mut at: std::ops::Range<usize>| {
        at.any(|at| all.get(at).is_some_and(|token| token.is_word() && is_same(name, &token.folded)))
    };
    let last = clause.statement.last().map_or(denial, |last| last + 1);
    // A name that is before the denial only: `lymphovascular invasion, no perineural invasion`.
    let only_before =
        |name: &String| says_name(name, clause.sentence.start..denial) && !says_name(name, denial + 1..last);
    let names_behind =
        clause.statement.iter().copied().filter(behind).any(is_name) && !claim.names.iter().any(only_before);
    let words_behind =
        clause.statement.iter().copied().filter(behind).any(|at| all.get(at).is_some_and(Token::is_word));
    let last_name = (clause.sentence.start..denial).rev().find(|at| is_name(*at));
    let labelled = last_name.is_some_and(|name| {
        all.get(name..denial)
            .unwrap_or_default()
            .iter()
            .any(|token| token.is(":") || token.is(".") || token.is("-"))
    });
    last_name.is_some() && words_behind && !names_behind && !labelled
}

/// Returns whether a denial behind the name of a marker is followed by other markers:
/// `expresses CD20 and BCL2, and does not express CD3`.
fn denies_other_codes(all: &[Token], clause: &Clause, claim: &ParsedClaim) -> bool {
    let [name] = claim.names.as_slice() else { return false };
    let token = |at: usize| all.get(at);
    let is_code = |at: usize| {
        token(at).is_some_and(|token| {
            token.is_word() && !token.is_number() && !token.is_lowercase && **name != *token.folded
        })
    };
    let said = |at: &usize| token(*at).is_some_and(|token| **name == *token.folded);
    let denies = |at: &usize| token(*at).is_some_and(|token| token.does(Cues::DENIAL) && token.is_word());
    let statement = &clause.statement;
    let (Some(named), Some(denial)) =
        (statement.iter().copied().rfind(|at| said(at)), statement.iter().copied().find(|at| denies(at)))
    else {
        return false;
    };
    let is_marker = token(named).is_some_and(|token| !token.is_lowercase);
    is_marker && named < denial && statement.iter().any(|at| *at > denial && is_code(*at))
}

/// The longest rule that represents an empty box.
const BOX: usize = 5;
/// The longest distance between a box and its value, in tokens.
const FROM_BOX: usize = 180;

/// The tick of a value's box on its line, before the value or, behind a leader, after it; `None` without a box.
pub(super) fn tick(all: &[Token], value: &Range<usize>) -> Option<bool> {
    let is_end = |at: &usize| {
        step(1);
        all.get(*at).is_none_or(|token| matches!(token.class, Class::Line | Class::Gap))
    };
    let mut at = value.start;
    // The passage may begin with the mark.
    while at + 1 < value.end && all.get(at).is_some_and(|token| !token.is_word()) {
        at += 1;
    }
    if all.get(at).is_some_and(|token| token.does(Cues::BOX_BEHIND)) {
        return (value.end..all.len()).take_while(|at| !is_end(at)).find_map(|at| mark(all, at));
    }
    let near = at.saturating_sub(FROM_BOX);
    let first = (near..at).rev().find(is_end).map_or(near, |at| at + 1);
    if let Some(ticked) = (first..at).rev().find_map(|at| mark(all, at)) {
        return Some(ticked);
    }
    // A letter or a rule before the first word of a line.
    let begins = first < at && first.checked_sub(1).is_none_or(|before| is_end(&before));
    let lead = all.get(first).filter(|_| begins)?;
    let touches = all.get(first + 1).is_some_and(|next| next.start == lead.end);
    if lead.is("_") && !touches {
        return Some(false);
    }
    if !touches && first + 1 == at && (lead.is("x") || lead.is("xx")) {
        return Some(true);
    }
    let far = all.len().min(value.end.saturating_add(FROM_BOX));
    let last = (value.end..far).find(is_end).unwrap_or(far);
    let behind = all.get(value.end..last)?;
    let leader = behind.windows(3).position(|dots| dots.iter().all(|token| token.is(".")))?;
    (value.end + leader..last).find_map(|at| mark(all, at))
}

/// The tick of a box that ends with a token.
pub(super) fn mark(all: &[Token], at: usize) -> Option<bool> {
    step(1);
    let token = all.get(at)?;
    let before = |back: usize| at.checked_sub(back).and_then(|at| all.get(at));
    let is = |back: usize, sign: &str| before(back).is_some_and(|token| token.is(sign));
    let is_cross = |back: usize| is(back, "x") || is(back, "✓") || is(back, "•");
    match &*token.folded {
        "☐" | "□" | "○" => Some(false),
        "☒" | "☑" | "●" => Some(true),
        "]" if is(1, "[") => Some(false),
        "}" if is(1, "{") => Some(false),
        "}" if is_cross(1) && is(2, "{") => Some(true),
        ")" if is(1, "(") || is(1, "_") && is(2, "(") => Some(false),
        "]" if is_cross(1) && is(2, "[") => Some(true),
        ")" if is_cross(1) && is(2, "(") => Some(true),
        "_" if is_cross(1) && is(2, "_") => Some(true),
        rule if rule.starts_with("__") && rule.len() <= BOX => Some(false),
        _ => None,
    }
}
