//! Finding a value: every place where the document prints it whole.

use crate::date;
use crate::document::{Document, Word};
use crate::fold::words;
use crate::number::{self, value_key};
use crate::steps::step;
use serde_json::Value;

/// A place where a document prints a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Place {
    pub(crate) row: usize,
    pub(crate) cell: usize,
    /// Columns of its part in the first row.
    pub(crate) from: u32,
    pub(crate) to: u32,
    /// Bytes.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The kind of a value, as documents write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Number,
    Date,
    Text,
}

/// Most places that are kept for one value, and most that are tried.
const MOST: usize = 400;
const TRIED: usize = 2_000;
/// Most words that are followed for one text.
const FOLLOWED: usize = 1_000_000;
/// Widest gap within a text, in columns: past it a new column begins.
const BRIDGE: u32 = 8;

pub(crate) fn kind(value: &Value) -> Option<Kind> {
    match value {
        Value::Number(_) => Some(Kind::Number),
        Value::String(text) if text.trim().is_empty() => None,
        Value::String(text) if date::of_text(text).is_some() => Some(Kind::Date),
        Value::String(text) if number::of_text(text)[0].is_some() => Some(Kind::Number),
        Value::String(_) => Some(Kind::Text),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Returns whether a document prints a value whole, in any spelling.
#[must_use]
pub(crate) fn is_printed(document: &Document, value: &Value) -> bool {
    !places(document, value).is_empty()
}

/// Returns whether a value is in the document in no spelling, not even as part of something or with another sign.
/// `places` has found none.
pub(crate) fn is_absent(document: &Document, value: &Value) -> bool {
    let has_number = |given: f64| document.by_value.contains_key(&value_key(given));
    match value {
        Value::Number(given) => given.as_f64().is_none_or(|given| !has_number(given)),
        Value::String(text) => {
            let sought = words(text);
            let run: String = sought.concat();
            let has = |word: &&String| document.by_word.contains_key(word.as_str());
            let scattered =
                || sought.iter().all(|word| has(&word)) || is_prose(&sought) && is_reworded(&sought, has);
            let has_date = date::of_text(text).is_some_and(|day| document.by_day.contains_key(&day));
            !has_date
                && !number::of_text(text).into_iter().flatten().any(has_number)
                && (run.is_empty() || !(scattered() || document.run.contains(&run)))
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

/// The shortest word of a text that tells something.
const TELLING: usize = 4;
/// A document may say a text in other words if it has at least one in so many of the words that tell something.
const PARAPHRASED: usize = 4;

/// The fewest long words of a text that is neither a code nor a name.
const PROSE: usize = 3;

/// Returns whether a text has enough words to be said in others.
fn is_prose(text: &[String]) -> bool {
    let is_long = |word: &&String| word.chars().count() >= TELLING && !word.contains(char::is_numeric);
    text.iter().filter(is_long).count() >= PROSE
}

/// Returns whether a document may say a text in other words: it has enough of those that tell something.
pub(crate) fn is_reworded(text: &[String], has: impl Fn(&&String) -> bool) -> bool {
    let is_telling = |word: &&String| word.chars().count() >= TELLING || word.contains(char::is_numeric);
    let telling: Vec<&String> = text.iter().filter(is_telling).collect();
    let said = telling.iter().filter(|word| has(word)).count();
    said > 0 && said * PARAPHRASED >= telling.len()
}

/// Every place of a value, in the order of the document.
pub(crate) fn places(document: &Document, value: &Value) -> Vec<Place> {
    let mut found = Vec::new();
    match value {
        Value::Number(given) => {
            if let Some(given) = given.as_f64() {
                numbers(document, given, &mut found);
            }
        }
        Value::String(text) => {
            text_places(document, text, &mut found);
            for given in number::of_text(text).into_iter().flatten() {
                numbers(document, given, &mut found);
            }
            if let Some(day) = date::of_text(text) {
                let same = document
                    .by_day
                    .get(&day)
                    .into_iter()
                    .flatten()
                    .filter_map(|at| document.dates.get(*at as usize));
                for date in same.take(MOST) {
                    found.extend(Place::new(document, date.cell, date.start, date.end));
                }
                partial_dates(document, day, &mut found);
            } else if let Some(month) = date::month_of_text(text) {
                partial_dates(document, month, &mut found);
            }
            if found.is_empty() {
                spaced_code(document, text, &mut found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {}
    }
    found.sort_by_key(|place| (place.start, place.end));
    found.dedup_by_key(|place| (place.start, place.end));
    found.truncate(MOST);
    found
}

impl Place {
    /// The place of a number.
    pub(crate) fn of_number(document: &Document, number: &number::Number) -> Option<Self> {
        let row = document.cells.get(number.cell)?.row;
        let number::Number { cell, from, to, start, end, .. } = *number;
        Some(Place { row, cell, from, to, start, end })
    }

    /// The place of some bytes of a cell.
    pub(crate) fn new(document: &Document, cell: usize, start: usize, end: usize) -> Option<Self> {
        let own = document.cells.get(cell)?;
        let (from, to) = (document.column(own, start), document.column(own, end.min(own.end)));
        Some(Place { row: own.row, cell, from, to, start, end })
    }
}

/// The days that are printed without their year, where the document prints the year; a month as such.
fn partial_dates(document: &Document, day: date::Day, into: &mut Vec<Place>) {
    let (year, month, date) = day;
    let has_year =
        || document.years.contains(&year) || document.by_word.contains_key(year.to_string().as_str());
    let without_year = Some((0, month, date)).filter(|_| date > 0 && has_year());
    let as_printed = Some(day).filter(|_| date == 0);
    let same = without_year.into_iter().chain(as_printed).filter_map(|day| document.by_part.get(&day));
    let dates = same.flatten().filter_map(|at| document.partial_dates.get(*at as usize)).take(MOST);
    into.extend(dates.filter_map(|partial| Place::new(document, partial.cell, partial.start, partial.end)));
}

/// The fewest signs of a code that is found regardless of the blanks within it.
const CODE: usize = 8;

/// The places of a code that is printed in groups, as account numbers are.
fn spaced_code(document: &Document, text: &str, into: &mut Vec<Place>) {
    let sought: String = words(text).concat();
    let is_code = !text.trim().contains(char::is_whitespace)
        && sought.len() >= CODE
        && sought.bytes().filter(u8::is_ascii_digit).count() * 2 >= sought.len();
    // It begins with a word of the document.
    let begins = || {
        let ends = sought.char_indices().map(|(at, c)| at + c.len_utf8());
        ends.filter_map(|end| sought.get(..end)).any(|word| document.by_word.contains_key(word))
    };
    if !is_code || !begins() {
        return;
    }
    for (from, _) in document.run.match_indices(&sought).take(MOST) {
        let word = |byte: usize| {
            let byte = u32::try_from(byte).ok()?;
            document.run_starts.binary_search(&byte).ok()
        };
        let end = from + sought.len();
        let last = if end == document.run.len() { Some(document.words.len()) } else { word(end) };
        let Some((first, last)) = word(from).zip(last.and_then(|end| end.checked_sub(1))) else { continue };
        let (Some(head), Some(tail)) = (document.words.get(first), document.words.get(last)) else {
            continue;
        };
        if head.cell == tail.cell {
            into.extend(Place::new(document, head.cell, head.start, tail.end));
        }
    }
}

fn numbers(document: &Document, given: f64, into: &mut Vec<Place>) {
    let slack = given.abs().max(1.0) * 1e-9;
    let same = |number: &&number::Number| !number.is_part && (number.value - given).abs() <= slack;
    let near = document.by_value.get(&value_key(given)).into_iter().flatten();
    for number in near.filter_map(|at| document.numbers.get(*at as usize)).filter(same).take(MOST) {
        into.extend(Place::of_number(document, number));
    }
}

fn text_places(document: &Document, text: &str, into: &mut Vec<Place>) {
    let sought = words(text);
    let Some(first) = sought.first() else { return };
    if sought.iter().any(|word| !document.by_word.contains_key(word.as_str())) {
        return;
    }
    let starts = document.by_word.get(first.as_str()).map(Vec::as_slice).unwrap_or_default();
    let mut followed = 0;
    for at in starts.iter().take(TRIED) {
        let at = *at as usize;
        let mut last = at;
        if followed > FOLLOWED {
            return;
        }
        let all = sought.iter().skip(1).all(|word| match follow(document, last, word) {
            Some(next) => {
                last = next;
                followed += 1;
                true
            }
            None => false,
        });
        let (Some(head), Some(tail)) = (document.words.get(at), document.words.get(last)) else { continue };
        if !all || !is_whole(document, head, tail) {
            continue;
        }
        let Some(cell) = document.cells.get(head.cell) else { continue };
        let same_row = document.cells.get(tail.cell).is_some_and(|other| other.row == cell.row);
        let to = if same_row { tail.to } else { cell.to };
        into.push(Place {
            row: cell.row,
            cell: head.cell,
            from: head.from,
            to,
            start: head.start,
            end: tail.end,
        });
        if into.len() >= MOST {
            return;
        }
    }
}

/// The word that is read after another and is `sought`: the next of its row; where its cell ends, the first of the cell
/// below it; where its row ends, the first of the next row.
fn follow(document: &Document, at: usize, sought: &str) -> Option<usize> {
    let word = document.words.get(at)?;
    let cell = document.cells.get(word.cell)?;
    let next = document.words.get(at + 1);
    step(1);
    if let Some(next) = next
        && next.folded.as_ref() == sought
        && document
            .cells
            .get(next.cell)
            .is_some_and(|other| other.row == cell.row && other.from <= cell.to + BRIDGE)
    {
        return Some(at + 1);
    }
    if cell.words.end != at + 1 {
        return None;
    }
    let is_last =
        next.is_none_or(|next| document.cells.get(next.cell).is_none_or(|other| other.row != cell.row));
    let below = (cell.row + 1..cell.row + 4).find(|row| !document.row_cells(*row).is_empty())?;
    let cells = document.row_cells(below);
    let starts = |other: &crate::document::TextCell| {
        step(1);
        let first = other.words.start;
        (other.words.end > first
            && document.words.get(first).is_some_and(|word| word.folded.as_ref() == sought))
        .then_some(first)
    };
    let first = cells.partition_point(|other| other.to.saturating_add(2) <= cell.from);
    let under = cells.get(first..).unwrap_or_default();
    let overlapping = under.iter().take_while(|other| other.from < cell.to.saturating_add(2));
    overlapping
        .filter_map(starts)
        .next()
        .or_else(|| if is_last { cells.first().and_then(starts) } else { None })
}

/// Returns whether neither end lies within a longer word or code.
fn is_whole(document: &Document, head: &Word, tail: &Word) -> bool {
    let begins = document.cells.get(head.cell).is_some_and(|cell| cell.start == head.start);
    let ends = document.cells.get(tail.cell).is_some_and(|cell| cell.end == tail.end);
    let digit = |word: &Word, last: bool| {
        let c = if last { word.folded.chars().next_back() } else { word.folded.chars().next() };
        c.is_some_and(|c| c.is_ascii_digit())
    };
    let unspaced = |c: char| matches!(u32::from(c), 0x3040..=0x30ff | 0x3400..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff);
    let joint = |c: char| matches!(c, '-' | '/' | '.' | ',' | ':' | '\u{2013}' | '\u{2011}');
    let before = if begins { None } else { document.char_before(head.start) };
    let inside_before = match before {
        Some(c) if unspaced(c) => false,
        Some(c) if c.is_alphanumeric() => true,
        Some(c) if joint(c) && digit(head, false) => {
            document.char_before(head.start - c.len_utf8()).is_some_and(char::is_alphanumeric)
        }
        Some(_) | None => false,
    };
    let after = if ends { None } else { document.char_at(tail.end) };
    let inside_after = match after {
        Some(c) if unspaced(c) => false,
        Some(c) if c.is_alphanumeric() => true,
        Some(c) if joint(c) && digit(tail, true) => {
            document.char_at(tail.end + c.len_utf8()).is_some_and(char::is_alphanumeric)
        }
        Some(_) | None => false,
    };
    let own_unspaced = |word: &Word| word.folded.chars().all(unspaced);
    (own_unspaced(head) || !inside_before) && (own_unspaced(tail) || !inside_after)
}
