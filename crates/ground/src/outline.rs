//! Outline: what was read of a document, as plain data for inspection.

use crate::clause::each_sentence;
use crate::date::Day;
use crate::document::{self, Document};
use crate::find::Place;
use crate::label::{Position, labels};
use std::ops::Range;

pub use crate::clause::{Act, Acting, Sentence, Statement};

/// Most cells of a row, and most values of a cell, that are shown.
const CELLS: usize = 200;
const VALUES: usize = 200;

/// The rows of a document that have cells, up to a number of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outline {
    /// The rows, in order.
    pub rows: Vec<Row>,
    /// The number of rows with cells that were left out.
    pub left_out: usize,
}

/// A row: a line of text, a record of markup.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its cells, in order.
    pub cells: Vec<Cell>,
    /// The number of cells that were left out.
    pub left_out: usize,
}

/// A piece of a row that is set apart from its neighbours.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Its bytes in the text.
    pub bytes: Range<usize>,
    /// Its columns, in characters from 0; in separated values and markup, those of its field.
    pub columns: Range<u32>,
    /// The name that markup gives it.
    pub name: Option<String>,
    /// Its values, in order.
    pub values: Vec<Value>,
    /// The number of values that were left out.
    pub left_out: usize,
}

/// A value of a cell, with the labels that it has.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// Its bytes in the text.
    pub bytes: Range<usize>,
    /// Its reading.
    pub reading: Reading,
    /// Its labels, the one that says most first.
    pub labels: Vec<Label>,
}

/// The reading of a value. What can be read in two ways appears twice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reading {
    /// A number.
    Number(f64),
    /// A day.
    Date {
        /// The year.
        year: i32,
        /// The month, from 1.
        month: u8,
        /// The day, from 1.
        day: u8,
    },
    /// A text behind a label.
    Text,
}

/// The words that say which field a value is of.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// The words, folded as they are compared.
    pub words: String,
    /// The side of the value on which they are.
    pub side: LabelSide,
    /// The weight of a label there, in [0, 1].
    pub weight: f32,
}

/// The side of a value on which its label is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LabelSide {
    /// Before it, or in a cell to its left.
    Left,
    /// In a cell above it.
    Above,
    /// In the name that markup gives it.
    Markup,
}

impl LabelSide {
    /// The name in outputs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            LabelSide::Left => "left",
            LabelSide::Above => "above",
            LabelSide::Markup => "markup",
        }
    }
}

/// The sentences of a document, up to a number of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sentences {
    /// The sentences, in order.
    pub sentences: Vec<Sentence>,
    /// The number of sentences that were left out.
    pub left_out: usize,
}

impl Document {
    /// The first rows that have cells, at most so many.
    #[must_use]
    pub fn outline(&self, most: usize) -> Outline {
        let mut outline = Outline::default();
        for range in self.rows.iter().filter(|range| !range.is_empty()) {
            if outline.rows.len() >= most {
                outline.left_out += 1;
                continue;
            }
            let end = range.end.min(range.start.saturating_add(CELLS));
            let cells = (range.start..end).filter_map(|at| self.outlined(at)).collect();
            outline.rows.push(Row { cells, left_out: range.end - end });
        }
        outline
    }

    /// The first sentences, at most so many, with their statements and the words that act in them.
    #[must_use]
    pub fn sentences(&self, most: usize) -> Sentences {
        let mut found = Sentences::default();
        each_sentence(self.tokens(), |sentence| {
            if found.sentences.len() < most {
                found.sentences.push(sentence.read());
            } else {
                found.left_out += 1;
            }
        });
        found
    }

    fn outlined(&self, at: usize) -> Option<Cell> {
        let cell = self.cells.get(at)?;
        let mut printed = self.printed(at);
        if printed.is_empty() {
            printed.extend(self.labelled_text(at, cell).map(|bytes| (bytes, Reading::Text)));
        }
        let left_out = printed.len().saturating_sub(VALUES);
        printed.truncate(VALUES);
        let values = printed.into_iter().filter_map(|(bytes, reading)| {
            let place = Place::new(self, at, bytes.start, bytes.end)?;
            Some(Value { bytes, reading, labels: self.labels_of(&place) })
        });
        Some(Cell {
            bytes: cell.start..cell.end,
            columns: cell.from..cell.to,
            name: cell.label.as_deref().map(str::to_owned),
            values: values.collect(),
            left_out,
        })
    }

    /// The dates of a cell, and its numbers that are not part of one.
    fn printed(&self, at: usize) -> Vec<(Range<usize>, Reading)> {
        let first = self.dates.partition_point(|date| date.cell < at);
        let dates = self.dates.iter().skip(first).take_while(|date| date.cell == at);
        let mut found: Vec<(Range<usize>, Reading)> =
            dates.map(|date| (date.start..date.end, reading(date.day))).collect();
        let days = found.len();
        let mut passed = 0;
        let first = self.numbers.partition_point(|number| number.cell < at);
        let numbers = self.numbers.iter().skip(first).take_while(|number| number.cell == at);
        for number in numbers.filter(|number| !number.is_part) {
            while found.get(passed).is_some_and(|(bytes, _)| passed < days && bytes.end <= number.start) {
                passed += 1;
            }
            let in_date =
                passed < days && found.get(passed).is_some_and(|(bytes, _)| bytes.start < number.end);
            if !in_date {
                found.push((number.start..number.end, Reading::Number(number.value)));
            }
        }
        found.sort_by_key(|(bytes, _)| (bytes.start, bytes.end));
        found
    }

    /// The text of a cell without numbers and dates that is behind a label: in its element, behind the only colon of
    /// the cell, or right of a cell that ends with one.
    pub(crate) fn labelled_text(&self, at: usize, cell: &document::TextCell) -> Option<Range<usize>> {
        let own = self.slice(cell.start, cell.end);
        if cell.label.is_some() {
            return Some(cell.start..cell.end);
        }
        let is_colon = |c: char| matches!(c, ':' | '：');
        let mut pieces = own.split(is_colon);
        if let (Some(label), Some(value), None) = (pieces.next(), pieces.next(), pieces.next()) {
            let value = value.trim();
            let start = cell.end - own.len() + own.rfind(value).filter(|_| !value.is_empty())?;
            return (label.contains(char::is_alphabetic)).then_some(start..start + value.len());
        }
        let before = at.checked_sub(1).and_then(|at| self.cells.get(at)).filter(|one| one.row == cell.row)?;
        let is_labelled = self.slice(before.start, before.end).ends_with(is_colon) && !own.contains(is_colon);
        is_labelled.then_some(cell.start..cell.end)
    }

    fn labels_of(&self, place: &Place) -> Vec<Label> {
        let mut found: Vec<Label> = labels(self, place)
            .into_iter()
            .map(|label| Label {
                words: label.words.join(" "),
                side: match label.position {
                    Position::Left => LabelSide::Left,
                    Position::Above => LabelSide::Above,
                    Position::Markup => LabelSide::Markup,
                },
                weight: label.weight,
            })
            .collect();
        found.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        found
    }
}

fn reading((year, month, day): Day) -> Reading {
    Reading::Date { year, month, day }
}

#[cfg(test)]
mod tests {
    use super::{Act, LabelSide, Reading};
    use crate::document::Document;

    #[test]
    fn values_have_their_labels_and_dates_are_one_value() {
        let document =
            Document::read("Invoice date: 17 August 2024   Qty  Sum\nBill to:  Norton   5    1,000.00\n");
        let outline = document.outline(10);
        let values = outline.rows.iter().flat_map(|row| &row.cells).flat_map(|cell| &cell.values);
        let told: Vec<_> = values
            .map(|value| {
                let label = value.labels.first().map(|label| (label.words.as_str(), label.side));
                (document.text().get(value.bytes.clone()).unwrap_or_default(), value.reading, label)
            })
            .collect();
        let day = Reading::Date { year: 2024, month: 8, day: 17 };
        assert_eq!(told[0], ("17 August 2024", day, Some(("invoice date", LabelSide::Left))));
        assert_eq!(told[1], ("Norton", Reading::Text, Some(("bill to", LabelSide::Left))));
        assert_eq!((told[2].0, told[2].1), ("5", Reading::Number(5.0)));
        assert_eq!((told[3].0, told[3].1), ("1,000.00", Reading::Number(1000.0)));
        assert_eq!(document.outline(1).left_out, 1);
    }

    #[test]
    fn statements_say_which_words_act_in_them() {
        let document = Document::read("Necrosis present, no invasion. Her mother may have had a tumor.\n");
        let read = document.sentences(10);
        let acts: Vec<Vec<Act>> = read
            .sentences
            .iter()
            .flat_map(|sentence| &sentence.statements)
            .map(|statement| statement.acting.iter().flat_map(|acting| acting.acts.clone()).collect())
            .collect();
        assert_eq!(read.sentences.len(), 2, "{read:?}");
        assert!(acts[0].contains(&Act::Affirmation) && acts[1].contains(&Act::Denial), "{acts:?}");
        assert!(acts[2].contains(&Act::AnotherPerson) && acts[2].contains(&Act::Doubt), "{acts:?}");
        assert_eq!(document.sentences(1).left_out, 1);
    }
}
