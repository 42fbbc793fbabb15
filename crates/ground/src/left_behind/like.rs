//! Likeness of rows: whether one has values of the same kinds in the same places as the row of an item.

use super::taken::TakenRow;
use crate::document::{Document, TextCell};
use crate::find::{Kind, Place};
use crate::steps::step;
use std::ops::Range;

/// Of how many values one may be missing.
pub(super) const MANY: usize = 4;
/// The columns by which cells under each other may lie apart at the side that they share.
const ALIGNED: u32 = 1;
/// The least number of cells of a row between rulers that shows a table by itself.
const RULED: usize = 3;
/// The least number of letters before the values of items that is a heading of their rows.
const HEADED: usize = 4;
/// Longest line of a label and its values, in bytes, and the most parts that are compared.
const LINE: usize = 200;
const PARTS: usize = 24;

/// A row held against that of an item.
#[derive(Debug)]
pub(super) struct Like {
    pub(super) cells: Vec<usize>,
    /// The number of the item's values.
    pub(super) of: usize,
    /// It has a number, a date, or a text that the item has, too.
    pub(super) is_typed: bool,
    /// It is between rulers, in as many cells as the item.
    pub(super) is_ruled: bool,
}

/// The cells of a row that are where an item has its values, and of their kinds. Between rulers the kinds may differ,
/// if the list `is_whole`.
pub(super) fn like(
    document: &Document,
    cells: Range<usize>,
    taken: &TakenRow,
    is_whole: bool,
) -> Option<Like> {
    let of = taken.members.len();
    let (_, first) = taken.members.first()?;
    if of < 2 {
        return None;
    }
    if taken.members.iter().all(|(_, place)| place.cell == first.cell) {
        return line_like(document, cells, first, of);
    }
    let model = document.rows.get(taken.row).cloned()?;
    let is_ruled =
        cells.len() == model.len() && is_ruled(document, cells.clone()) && is_ruled(document, model.clone());
    let may_differ = is_ruled && is_whole && cells.len() >= RULED;
    let mut like = Like { cells: Vec::new(), of, is_typed: false, is_ruled: may_differ };
    let (mut missing, mut is_named) = (0, false);
    for (nth, (kind, place)) in taken.members.iter().enumerate() {
        step(1);
        let found = if is_ruled {
            let at = cells.start + place.cell.checked_sub(model.start)?;
            value_in(document, at, *kind, place, |_, _| true)
        } else {
            value_under(document, cells.clone(), *kind, place)
        };
        match found {
            Some((cell, is_typed)) => {
                like.is_typed |= is_typed;
                is_named |= *kind != Kind::Number;
                like.cells.push(cell);
            }
            None if may_differ && nth > 0 => {}
            None if nth == 0 || of < MANY || missing > 0 => return None,
            None => missing += 1,
        }
    }
    like.cells.sort_unstable();
    like.cells.dedup();
    if may_differ {
        like.cells = cells.collect();
        return Some(like);
    }
    (like.cells.len() > 1 && (is_named || of >= MANY)).then_some(like)
}

/// Returns whether rulers are between all cells of a row.
fn is_ruled(document: &Document, cells: Range<usize>) -> bool {
    let own = document.cells.get(cells).unwrap_or_default();
    let between = own.iter().zip(own.iter().skip(1)).map(|(one, next)| document.slice(one.end, next.start));
    own.len() > 1 && between.into_iter().all(|between| between.contains(['|', '│', '┃']))
}

/// The cell of a row in the columns of a place that holds a value of its kind; and if more than that it is a text says so.
fn value_under(document: &Document, cells: Range<usize>, kind: Kind, place: &Place) -> Option<(usize, bool)> {
    let own = document.cells.get(cells.clone())?;
    let model = document.cells.get(place.cell)?;
    let is_aligned =
        |cell: &TextCell| cell.from.abs_diff(model.from) <= ALIGNED || cell.to.abs_diff(model.to) <= ALIGNED;
    let first = cells.start + own.partition_point(|cell| cell.to <= place.from);
    (first..cells.end)
        .take_while(|at| document.cells.get(*at).is_some_and(|cell| cell.from < place.to))
        .filter(|at| kind == Kind::Text || document.cells.get(*at).is_some_and(is_aligned))
        .find_map(|at| value_in(document, at, kind, place, |from, to| from < place.to && place.from < to))
}

/// A cell, if it holds a value of the kind of a place where `meets` says so of its columns.
fn value_in(
    document: &Document,
    at: usize,
    kind: Kind,
    place: &Place,
    meets: impl Fn(u32, u32) -> bool,
) -> Option<(usize, bool)> {
    step(1);
    match kind {
        Kind::Number => {
            let first = document.numbers.partition_point(|number| number.cell < at);
            let mut numbers = document.numbers.iter().skip(first).take_while(|number| number.cell == at);
            numbers.any(|number| !number.is_part && meets(number.from, number.to)).then_some((at, true))
        }
        Kind::Date => {
            let first = document.dates.partition_point(|date| date.cell < at);
            document.dates.get(first).is_some_and(|date| date.cell == at).then_some((at, true))
        }
        Kind::Text => {
            let cell = document.cells.get(at)?;
            let text = document.slice(cell.start, cell.end);
            let printed = document.slice(place.start, place.end);
            let has = |text: &str| {
                (text.contains(char::is_alphabetic), text.contains(|c: char| c.is_ascii_digit()))
            };
            let ((letters, digits), (own_letters, own_digits)) = (has(printed), has(text));
            let is_like = (letters && own_letters) || (!letters && digits && own_digits);
            // `Coverage A`: what is before the values of items is in all of their rows.
            let model = document.cells.get(place.cell)?;
            let before = document.slice(model.start, place.start);
            let is_headed =
                before.chars().filter(|c| c.is_alphabetic()).count() < HEADED || text.starts_with(before);
            (is_like && is_headed).then_some((at, text == printed))
        }
    }
}

/// A line such as `Sodium: 140 mmol/L (135-145)`, held against another one that begins in the same column.
fn line_like(document: &Document, cells: Range<usize>, first: &Place, of: usize) -> Option<Like> {
    let (own, model) = (document.cells.get(cells.start)?, document.cells.get(first.cell)?);
    let begins = first.start == model.start && own.from == model.from && cells.len() == 1;
    if !begins || own.end - own.start > LINE || model.end - model.start > LINE {
        return None;
    }
    let (parts, others) = (
        line_parts(document.slice(own.start, own.end))?,
        line_parts(document.slice(model.start, model.end))?,
    );
    let is_typed = parts.contains(&LinePart::Number);
    (is_typed && parts == others).then(|| Like { cells: vec![cells.start], of, is_typed, is_ruled: false })
}

/// A part of a line behind its label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LinePart {
    Number,
    Words,
    Sign(char),
}

/// The parts behind the label of a line, with runs of words as one.
fn line_parts(line: &str) -> Option<Vec<LinePart>> {
    let (label, rest) = line.split_once([':', '：'])?;
    if !label.contains(char::is_alphabetic) {
        return None;
    }
    let mut parts: Vec<LinePart> = Vec::new();
    for word in
        rest.split_inclusive(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | ',' | ';'))
    {
        step(1);
        let (own, sign) = match word.char_indices().next_back() {
            Some((at, c)) if !c.is_whitespace() && matches!(c, '(' | ')' | '[' | ']' | ',' | ';') => {
                (word.get(..at).unwrap_or_default(), Some(LinePart::Sign(c)))
            }
            Some(_) | None => (word.trim(), None),
        };
        let part = match own.chars().next() {
            None => None,
            Some(c) if c.is_ascii_digit() || matches!(c, '<' | '>' | '≤' | '≥' | '-' | '+' | '.') => {
                Some(LinePart::Number)
            }
            Some(_) => Some(LinePart::Words),
        };
        for part in part.into_iter().chain(sign) {
            if parts.last() != Some(&part) {
                parts.push(part);
            }
        }
        if parts.len() > PARTS {
            return None;
        }
    }
    Some(parts)
}
