//! Doubt in the cell of a labelled value: words of its label, between the label and the value, or behind the value, that keep it from
//! being a fact.

use crate::clause::{Cues, Doubt, Token, cues_of};
use crate::document::Document;
use crate::field::key_words;
use crate::find::Place;

/// The doubts that words may cast, the plainest first.
const DOUBTS: [(Cues, Doubt); 5] = [
    (Cues::DENIAL, Doubt::Denied),
    (Cues::DOUBT, Doubt::Uncertain),
    (Cues::PAST, Doubt::AnotherTime),
    (Cues::PERSON, Doubt::AnotherPerson),
    (Cues::CONDITION, Doubt::Conditional),
];
/// Those of words in a label: `Previous employer`.
const OF_LABELS: [(Cues, Doubt); 2] =
    [(Cues::PAST, Doubt::AnotherTime), (Cues::PERSON, Doubt::AnotherPerson)];
/// Most words and signs of a label.
const LABEL: usize = 6;

/// The doubt that other words of its cell cast on a value: `Penicillin: not given`, `Allergies: no penicillin allergy known`.
///
/// In a label, only words of another time or person do, and not where the field's own name has such a word. Those of another
/// sentence do not.
pub(crate) fn doubt(document: &Document, place: &Place, path: &str) -> Option<Doubt> {
    let cell = document.cells.get(place.cell)?;
    let words = document.words.get(cell.words.clone()).unwrap_or_default();
    if words.iter().all(|word| word.start >= place.start && word.end <= place.end) {
        return None;
    }
    let tokens = document.tokens();
    let inside = |from: usize, to: usize| {
        let first = tokens.all.partition_point(|token| token.start < from);
        let end = tokens.all.partition_point(|token| token.end <= to);
        tokens.all.get(first..end).unwrap_or_default()
    };
    let before = inside(cell.start, place.start);
    let is_right_of_another =
        document.row_cells(cell.row).first().is_some_and(|first| first.from < cell.from);
    let colon = before.iter().rposition(|token| token.is(":"));
    let (label, between) = match colon {
        Some(colon) => (before.get(colon.saturating_sub(LABEL)..colon), before.get(colon + 1..)),
        None if is_right_of_another => (None, Some(before)),
        // The words before it are its label, where a `No` is a number's.
        None => (None, None),
    };
    let is_end = |token: &&Token| token.is(".") || token.is(";");
    let behind = inside(place.end, cell.end).iter().take_while(|token| !is_end(token));
    let between = between.unwrap_or_default().iter().rev().take_while(|token| !is_end(token));
    let around: Vec<&Token> = between.chain(behind).collect();
    let of_label: Vec<&Token> =
        label.unwrap_or_default().iter().rev().take_while(|token| !is_end(token)).collect();
    let asks = |cues: Cues| path.split('/').flat_map(key_words).any(|word| cues_of(&word).any(cues));
    let by = |tokens: &[&Token], doubts: &[(Cues, Doubt)]| {
        doubts
            .iter()
            .find(|(cues, _)| tokens.iter().any(|token| token.does(*cues)) && !asks(*cues))
            .map(|(_, doubt)| *doubt)
    };
    by(&around, &DOUBTS).or_else(|| by(&of_label, &OF_LABELS))
}
