//! Doubt in the cell of a labelled value: words of its label, between the label and the value, or right behind the
//! value, that keep it from being a fact.

use crate::clause::{Cues, Doubt, Token, cues_of};
use crate::document::Document;
use crate::field::key_words;
use crate::find::Place;

/// The doubts that words between label and value cast, the plainest first.
const BETWEEN: [(Cues, Doubt); 5] = [
    (Cues::DENIAL, Doubt::Denied),
    (Cues::DOUBT, Doubt::Uncertain),
    (Cues::PAST, Doubt::AnotherTime),
    (Cues::PERSON, Doubt::AnotherPerson),
    (Cues::CONDITION, Doubt::Conditional),
];
/// Those that words behind the value cast. A condition there is about its use, a person is another value.
const BEHIND: [(Cues, Doubt); 3] =
    [(Cues::DENIAL, Doubt::Denied), (Cues::DOUBT, Doubt::Uncertain), (Cues::PAST, Doubt::AnotherTime)];
/// Most words and signs of a label, and most between it and its value.
const LABEL: usize = 6;
const NEAR: usize = 12;
/// Most words of a remark behind a value that is nothing but a doubt.
const REMARK: usize = 3;

/// A labelled place, and the names of its field.
pub(crate) struct LabelledPlace<'a> {
    pub(crate) place: &'a Place,
    /// The label is above the cell, which has none.
    pub(crate) is_below_label: bool,
    /// The path of the field, and its other names.
    pub(crate) path: &'a str,
    pub(crate) others: &'a [String],
}

/// The doubt that other words of its cell cast on a value: `Allergies: no penicillin allergy known`,
/// `Total: 99.50 (cancelled)`.
///
/// In a label, only words of another time or person do, and not where a name of the field has such a word. Behind the
/// value, only a remark does that is nothing but a doubt: what else follows is about something else
/// (`99.50, not including tax`).
pub(crate) fn doubt(document: &Document, labelled: &LabelledPlace<'_>) -> Option<Doubt> {
    let place = labelled.place;
    let cell = document.cells.get(place.cell)?;
    let words = document.words.get(cell.words.clone()).unwrap_or_default();
    let (first, last) = (words.first()?, words.last()?);
    if first.start >= place.start && last.end <= place.end {
        return None;
    }
    let tokens = document.tokens();
    let first = tokens.all.partition_point(|token| token.start < cell.start);
    let from = tokens.all.partition_point(|token| token.start < place.start);
    let to = tokens.all.partition_point(|token| token.end <= place.end);
    let end = tokens.all.partition_point(|token| token.end <= cell.end);
    let before = tokens.all.get(first.max(from.saturating_sub(NEAR + LABEL))..from).unwrap_or_default();
    let is_right_of_another =
        document.row_cells(cell.row).first().is_some_and(|first| first.from < cell.from);
    let colon = before.iter().rposition(|token| token.is(":"));
    let is_number = document.slice(place.start, place.end).contains(|c: char| c.is_ascii_digit());
    let (label, between) = match colon {
        Some(colon) => (before.get(colon.saturating_sub(LABEL)..colon), before.get(colon + 1..)),
        None if is_right_of_another => (None, Some(before)),
        // `No 17` is a number.
        None if labelled.is_below_label && !is_number => (None, Some(before)),
        None => (None, None),
    };
    let asks = |cues: Cues| {
        let names = labelled.path.split('/').chain(labelled.others.iter().map(String::as_str));
        names.flat_map(key_words).any(|word| cues_of(&word).any(cues))
    };
    let by = |tokens: &[Token], doubts: &[(Cues, Doubt)]| {
        let casts = |(cues, _): &&(Cues, Doubt)| tokens.iter().any(|token| token.does(*cues)) && !asks(*cues);
        doubts.iter().find(casts).map(|(_, doubt)| *doubt)
    };
    let between = last_sentence(between.unwrap_or_default());
    let remark = remark(tokens.all.get(to..end.min(to + NEAR)).unwrap_or_default());
    by(between, &BETWEEN).or_else(|| by(remark, &BEHIND)).or_else(|| {
        let label = last_sentence(label.unwrap_or_default());
        let of_another_time = by(label, &[(Cues::PAST, Doubt::AnotherTime)]);
        let is_owner = |token: &&Token| document.slice(token.start, token.end).contains(['\'', '’']);
        let owner = label.iter().find(|token| token.does(Cues::PERSON) && is_owner(token));
        let of_another_person = owner.filter(|_| !asks(Cues::PERSON)).map(|_| Doubt::AnotherPerson);
        of_another_time.or(of_another_person)
    })
}

/// The tokens behind the last end of a sentence; the dot of a single letter ends none.
fn last_sentence(tokens: &[Token]) -> &[Token] {
    let is_end = |at: &usize| {
        let is_letter = |token: &Token| token.folded.chars().count() == 1;
        tokens.get(*at).is_some_and(|token| token.is(";") || token.is("."))
            && !at.checked_sub(1).and_then(|before| tokens.get(before)).is_some_and(is_letter)
    };
    let end = (0..tokens.len()).rev().find(is_end).map_or(0, |end| end + 1);
    tokens.get(end..).unwrap_or_default()
}

/// The words right behind a value, up to the next sign, where they are nothing but a doubt: a few words that each cast
/// one, and years. A `No.` begins another label.
fn remark(behind: &[Token]) -> &[Token] {
    let is_said = |token: &Token| token.is_word() || token.is_number();
    let first = behind.iter().position(is_said).filter(|first| *first <= 1).unwrap_or(behind.len());
    let words = behind.get(first..).unwrap_or_default();
    let length = words.iter().position(|token| !is_said(token)).unwrap_or(words.len());
    let (remark, after) = words.split_at_checked(length).unwrap_or_default();
    let doubts = |token: &Token| BEHIND.iter().any(|(cues, _)| token.does(*cues));
    let is_year = |token: &Token| token.is_number() && token.folded.len() == 4;
    let begins_label = remark.len() == 1 && after.first().is_some_and(|sign| sign.is(".") || sign.is(":"));
    let is_doubt = remark.len() <= REMARK && remark.iter().all(|token| doubts(token) || is_year(token));
    if is_doubt && !begins_label { remark } else { &[] }
}
