//! Labels: the words of a document that say which field a place is about.

use crate::document::{Document, TextCell};
use crate::find::Place;

/// The words beside or above a place, and how much such a position says, in [0, 1].
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CellLabel<'d> {
    pub(crate) words: Vec<&'d str>,
    pub(crate) weight: f32,
    pub(crate) position: Position,
}

/// The position of a label, seen from its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    Left,
    Above,
    Markup,
}

/// Most words of a label.
const WORDS: usize = 7;
/// The number of cells to the left of a place that are inspected.
const LEFT: usize = 30;
/// The most rows between a place and a label above it, and between a cell and the head of its table.
const NEAR: usize = 3;
const HEAD: usize = 60;

/// The labels that a place may have.
pub(crate) fn labels<'d>(document: &'d Document, place: &Place) -> Vec<CellLabel<'d>> {
    let mut found = beside(document, place);
    if document.cells.get(place.cell).is_some_and(|cell| cell.label.is_none()) {
        above(document, place, &mut found);
    }
    found
}

/// The labels before a place, in its row, and that of its element.
pub(crate) fn beside<'d>(document: &'d Document, place: &Place) -> Vec<CellLabel<'d>> {
    let mut found = Vec::new();
    let Some(cell) = document.cells.get(place.cell) else { return found };
    if let Some(label) = &cell.label {
        found.push(CellLabel { words: label.split(' ').collect(), weight: 1.0, position: Position::Markup });
    }
    let before = words_before(document, cell, place.start);
    let is_first = before.is_empty();
    if !is_first {
        found.push(CellLabel { words: before, weight: 1.0, position: Position::Left });
    }
    if let Some(end) = end_of_range(document, place) {
        found.push(CellLabel { words: vec![end], weight: 0.9, position: Position::Left });
    }
    if cell.label.is_none() {
        left(document, cell, is_first, &mut found);
    }
    found
}

/// The greatest distance between the dates of a range, in bytes.
const RANGE: usize = 12;

/// Returns whether a place is the first or the second date of a range: the word by which a field asks for it.
fn end_of_range(document: &Document, place: &Place) -> Option<&'static str> {
    let at =
        document.dates.binary_search_by_key(&(place.start, place.end), |date| (date.start, date.end)).ok()?;
    let joined = |from: usize, to: usize| {
        let between = document.text.get(from..to).filter(|_| to - from <= RANGE).map(str::trim);
        between.is_some_and(|word| RANGES.lines().any(|known| known == word.to_lowercase()))
    };
    let is_other = |date: &&crate::date::Date| date.start != place.start;
    let after = document.dates.get(at + 1..)?.iter().find(is_other);
    if after.is_some_and(|after| after.start >= place.end && joined(place.end, after.start)) {
        return Some("from");
    }
    let before = document.dates.get(..at)?.iter().rev().find(is_other);
    before.is_some_and(|before| before.end <= place.start && joined(before.end, place.start)).then_some("to")
}

/// The words and signs between the dates of a range.
const RANGES: &str = include_str!("../words/ranges.txt");

fn has_letters(words: &[&str]) -> bool {
    words.iter().any(|word| word.chars().any(char::is_alphabetic))
}

/// The words of a cell before a byte, back to the value before them.
fn words_before<'d>(document: &'d Document, cell: &TextCell, byte: usize) -> Vec<&'d str> {
    let own = document.words.get(cell.words.clone()).unwrap_or_default();
    let end = own.partition_point(|word| word.end <= byte);
    let before = own.get(end.saturating_sub(WORDS + 1)..end).unwrap_or_default();
    // `Invoice No: 17 Date: 3 May`: words before an earlier value belong to that one.
    let colon = |start: usize, end: usize| document.slice(start, end).contains([':', '：']);
    let mut kept = Vec::new();
    let mut seen_colon = false;
    for (back, word) in before.iter().rev().enumerate() {
        let next =
            if back == 0 { byte } else { before.get(before.len() - back).map_or(byte, |next| next.start) };
        let is_colon = colon(word.end, next);
        if is_colon && (seen_colon || back > 0) {
            break;
        }
        seen_colon |= is_colon;
        if back >= WORDS || (seen_colon && back > 0 && word.folded.chars().all(|c| c.is_ascii_digit())) {
            break;
        }
        kept.push(word.folded.as_ref());
    }
    kept.reverse();
    if has_letters(&kept) { kept } else { Vec::new() }
}

fn cell_words<'d>(document: &'d Document, cell: &TextCell) -> Vec<&'d str> {
    let own = document.words.get(cell.words.clone()).unwrap_or_default();
    own.iter().rev().take(WORDS).rev().map(|word| word.folded.as_ref()).collect()
}

/// The nearest cells to the left that hold letters.
fn left<'d>(document: &'d Document, cell: &TextCell, is_first: bool, into: &mut Vec<CellLabel<'d>>) {
    let cells = document.row_cells(cell.row);
    let before = cells.partition_point(|other| other.to <= cell.from);
    let nearest = cells.get(before.saturating_sub(LEFT)..before).unwrap_or_default();
    let worded =
        nearest.iter().rev().map(|other| cell_words(document, other)).filter(|words| has_letters(words));
    for (nth, words) in worded.take(2).enumerate() {
        let weight = if nth == 0 && is_first { 0.98 } else { 0.8 };
        into.push(CellLabel { words, weight, position: Position::Left });
    }
}

/// The nearest cell above in the place's columns that holds letters, with the one above that.
fn above<'d>(document: &'d Document, place: &Place, into: &mut Vec<CellLabel<'d>>) {
    let mut met: Option<(usize, Vec<&'d str>)> = None;
    let first = place.row.saturating_sub(HEAD);
    for row in (first..place.row).rev() {
        let Some(cell) = document.cell_over(row, place.from, place.to) else { continue };
        let words = cell_words(document, cell);
        if !has_letters(&words) {
            continue;
        }
        match &met {
            None => {
                let distance = place.row - row;
                let weight = if distance <= NEAR { 0.9 } else { 0.75 };
                into.push(CellLabel { words: words.clone(), weight, position: Position::Above });
                met = Some((row, words));
            }
            Some((below, under)) => {
                if below - row <= 2 {
                    let both: Vec<&str> = words.iter().chain(under).copied().collect();
                    let weight = if place.row - below <= NEAR { 0.88 } else { 0.73 };
                    into.push(CellLabel { words: both, weight, position: Position::Above });
                    into.push(CellLabel { words, weight: weight - 0.1, position: Position::Above });
                }
                return;
            }
        }
    }
}
