//! Mentions: values that a document labels with the names of fields.

use super::words::LeftWords;
use crate::document::{Document, TextCell};
use crate::field::{Synonyms, count, key_words};
use crate::find::Place;
use crate::fold::words;
use crate::label::{CellLabel, Position, beside};
use crate::steps::step;
use std::collections::HashMap;
use std::ops::Range;

/// A field that a record may have outside of lists, or in their items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SoughtField {
    /// Its JSON Pointer, with `*` for each index.
    pub pointer: String,
    /// The sort of its values.
    pub sort: Sort,
    /// Other names that documents have for it.
    pub synonyms: Vec<String>,
}

/// The sort of a field's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sort {
    /// Numbers.
    Number,
    /// Days.
    Date,
    /// Texts.
    Text,
}

/// A value behind the label of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The field's JSON Pointer.
    pub field: String,
    /// The bytes of the value.
    pub bytes: Range<usize>,
}

/// Least likeness of a label to the name of a field, and the margin by which it must be better than to any other.
const NAMED: f32 = 0.85;
const BETTER: f32 = 0.05;
/// The weight that a word needs to count as one of the name.
const WORD: f32 = 0.8;
/// Most values of a document, and most fields, that are compared; and the longest value in bytes.
const VALUES: usize = 5_000;
const FIELDS: usize = 300;
const LONGEST: usize = 160;
/// Longest unit, in bytes.
const UNIT: usize = 8;

/// The value that a document labels with each field's name, for the fields outside of lists of which it has exactly one.
#[must_use]
pub fn mentions(document: &Document, fields: &[SoughtField]) -> Vec<Mention> {
    let names: Vec<FieldName> = fields.iter().take(FIELDS).map(FieldName::new).collect();
    let mut best: HashMap<usize, Vec<(f32, Range<usize>)>> = HashMap::new();
    let mut left = VALUES;
    for (at, cell) in document.cells.iter().enumerate() {
        for (bytes, sort) in labelled(document, at, cell) {
            if left == 0 {
                return Vec::new();
            }
            left -= 1;
            if let Some((field, likeness)) = named(document, &names, at, &bytes, sort) {
                best.entry(field).or_default().push((likeness, bytes));
            }
        }
    }
    let mut found: Vec<Mention> = best
        .into_iter()
        .filter_map(|(field, places)| {
            let field = names.get(field).filter(|name| !name.is_listed)?;
            let most = places.iter().map(|(likeness, _)| *likeness).max_by(f32::total_cmp)?;
            let mut near = places.iter().filter(|(likeness, _)| *likeness + BETTER > most);
            let (_, first) = near.next()?;
            let said = |bytes: &Range<usize>| words(document.slice(bytes.start, bytes.end));
            // Two values under one label: which of them is meant is not known.
            near.all(|(_, other)| said(other) == said(first)).then(|| Mention {
                field: field.pointer.clone(),
                bytes: with_unit(document, first, field.sort),
            })
        })
        .collect();
    found.sort_by(|one, other| one.bytes.start.cmp(&other.bytes.start).then(one.field.cmp(&other.field)));
    found
}

/// A number with the unit behind it.
fn with_unit(document: &Document, bytes: &Range<usize>, sort: Sort) -> Range<usize> {
    let rest = document.text().get(bytes.end..).unwrap_or_default();
    let after = rest.strip_prefix([' ', '\u{a0}', '\u{202f}']).unwrap_or(rest);
    let is_unit = |c: char| c.is_alphabetic() || matches!(c, '%' | '°' | 'µ' | '€' | '$' | '£' | '/');
    let unit = after.find(|c: char| !is_unit(c)).unwrap_or(after.len());
    match sort {
        Sort::Number if (1..=UNIT).contains(&unit) => {
            bytes.start..bytes.end + (rest.len() - after.len()) + unit
        }
        Sort::Number | Sort::Date | Sort::Text => bytes.clone(),
    }
}

/// The values of a cell that may have a label: numbers, dates, and the text behind a colon or in an element.
fn labelled(document: &Document, at: usize, cell: &TextCell) -> Vec<(Range<usize>, Sort)> {
    let mut found = Vec::new();
    let first = document.dates.partition_point(|date| date.cell < at);
    let dates = document.dates.iter().skip(first).take_while(|date| date.cell == at);
    found.extend(dates.map(|date| (date.start..date.end, Sort::Date)));
    let days = found.len();
    let first = document.numbers.partition_point(|number| number.cell < at);
    let numbers = document.numbers.iter().skip(first).take_while(|number| number.cell == at);
    for number in numbers.filter(|number| !number.is_part) {
        let in_date = found.iter().take(days.min(4)).any(|(bytes, _)| bytes.contains(&number.start));
        if !in_date {
            found.push((number.start..number.end, Sort::Number));
        }
    }
    found.extend(document.labelled_text(at, cell).map(|bytes| (bytes, Sort::Text)));
    found
}

/// The field that the label of a value names better than any other.
fn named(
    document: &Document,
    names: &[FieldName],
    cell: usize,
    bytes: &Range<usize>,
    sort: Sort,
) -> Option<(usize, f32)> {
    let own = document.cells.get(cell)?;
    // Labels beside a value need none of its columns.
    let (from, to, start, end) = (own.from, own.to, bytes.start, bytes.end);
    let place = Place { row: own.row, cell, from, to, start, end };
    if bytes.len() > LONGEST || LeftWords::shipped().is_empty_value(document.slice(bytes.start, bytes.end)) {
        return None;
    }
    let labels = beside(document, &place);
    let label = labels.first()?;
    let mut scored: Vec<(usize, f32)> = names
        .iter()
        .enumerate()
        .map(|(at, name)| (at, name.likeness(label)))
        .filter(|(_, likeness)| *likeness >= NAMED)
        .collect();
    scored.sort_by(|one, other| other.1.total_cmp(&one.1));
    let (field, likeness) = scored.first().copied()?;
    let is_rivalled = scored.get(1).is_some_and(|(_, other)| other + BETTER > likeness);
    let is_of_sort = names.get(field).is_some_and(|name| name.sort == sort);
    (!is_rivalled && is_of_sort).then_some((field, likeness))
}

/// The words of a field's name.
struct FieldName {
    pointer: String,
    /// It is a member of a list's items.
    is_listed: bool,
    sort: Sort,
    words: Vec<String>,
    joined: String,
    /// The words of the keys that it lies under.
    above: Vec<String>,
    synonyms: Vec<Vec<String>>,
}

impl FieldName {
    fn new(field: &SoughtField) -> Self {
        let keys: Vec<&str> = field.pointer.split('/').filter(|key| !key.is_empty() && *key != "*").collect();
        let (last, above) = keys.split_last().map_or(("", &[][..]), |(last, above)| (*last, above));
        let mut names = FieldName {
            pointer: field.pointer.clone(),
            is_listed: field.pointer.split('/').any(|step| step == "*"),
            sort: field.sort,
            words: key_words(last),
            joined: key_words(last).concat(),
            above: above.iter().flat_map(|key| key_words(key)).collect(),
            synonyms: field.synonyms.iter().map(|synonym| words(synonym)).collect(),
        };
        let synonyms = Synonyms::shipped();
        let is_day = |word: &String| synonyms.close(word, "date") >= WORD;
        if names.sort == Sort::Text && names.words.iter().any(is_day) {
            names.sort = Sort::Date;
        }
        // The value itself shows that it is a day.
        if names.sort == Sort::Date && names.words.iter().any(|word| !is_day(word)) {
            names.words.retain(|word| !is_day(word));
            names.above.push("date".to_owned());
        }
        names
    }

    /// The likeness of a label to the name, in [0, 1]: all words of the name are in the label, and few others.
    fn likeness(&self, label: &CellLabel<'_>) -> f32 {
        if self.words.is_empty() || label.words.is_empty() {
            return 0.0;
        }
        if self
            .synonyms
            .iter()
            .any(|synonym| synonym.iter().map(String::as_str).eq(label.words.iter().copied()))
        {
            return 1.0;
        }
        // Markup writes names in one word.
        if label.position == Position::Markup && label.words.last().is_some_and(|word| *word == self.joined) {
            return 1.0;
        }
        let synonyms = Synonyms::shipped();
        let close = |word: &str, of: &[String]| {
            let likest = of.iter().map(|own| {
                step(1);
                synonyms.close(word, own)
            });
            likest.max_by(f32::total_cmp).unwrap_or(0.0)
        };
        let mut matched = 0.0;
        for own in &self.words {
            let likest = label.words.iter().map(|word| synonyms.close(word, own));
            let likest = likest.max_by(f32::total_cmp).unwrap_or(0.0);
            if likest < WORD {
                return 0.0;
            }
            matched += likest;
        }
        let used = label
            .words
            .iter()
            .filter(|word| close(word, &self.words) >= WORD || close(word, &self.above) >= WORD);
        let share = count(used.count()) / count(label.words.len());
        let weight = match label.position {
            Position::Left | Position::Markup => 1.0,
            Position::Above => 0.0,
        };
        weight * matched / count(self.words.len()) * (0.6 + 0.4 * share)
    }
}
