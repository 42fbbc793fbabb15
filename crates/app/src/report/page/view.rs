//! The parts of pages: facts below the title, tiles, tables with a bar in each row.

use crate::experiment::statistics::share;
use crate::report::columns::Column;
use crate::report::model::Tone;
use serde::Serialize;

/// A fact below the title.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Fact {
    pub(in crate::report) name: &'static str,
    pub(in crate::report) value: String,
}

/// The facts that there are: those without a value are left out.
pub(in crate::report) fn facts<const N: usize>(all: [(&'static str, String); N]) -> Vec<Fact> {
    let known = all.into_iter().filter(|(_, value)| !value.is_empty());
    known.map(|(name, value)| Fact { name, value }).collect()
}

/// A number that is seen first.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Tile {
    pub(in crate::report) name: &'static str,
    pub(in crate::report) value: String,
    pub(in crate::report) note: String,
    #[serde(skip)]
    pub(in crate::report) tone: Tone,
    class: &'static str,
}

/// A tile.
pub(in crate::report) fn tile(
    name: &'static str,
    value: impl Into<String>,
    note: impl Into<String>,
    tone: Tone,
) -> Tile {
    Tile { name, value: value.into(), note: note.into(), tone, class: tone.class() }
}

/// A table, with a bar in each row where there is something to compare.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Table {
    heading: String,
    note: String,
    caption: String,
    /// The meaning of the bars, for the head of their column; empty without bars.
    bars: &'static str,
    columns: Vec<Column>,
    rows: Vec<Row>,
    more: usize,
}

impl Table {
    /// A table with all of its rows, and without bars.
    pub(in crate::report) fn new(
        heading: impl Into<String>,
        caption: impl Into<String>,
        columns: Vec<Column>,
        rows: impl IntoIterator<Item = impl Into<Row>>,
    ) -> Self {
        let rows = rows.into_iter().map(Into::into).collect();
        Table {
            heading: heading.into(),
            note: String::new(),
            caption: caption.into(),
            bars: "",
            columns,
            rows,
            more: 0,
        }
    }

    /// Like this table, with a note.
    pub(in crate::report) fn note(self, note: impl Into<String>) -> Self {
        Table { note: note.into(), ..self }
    }

    /// Like this table, with bars of this meaning.
    pub(in crate::report) fn bars(self, bars: &'static str) -> Self {
        Table { bars, ..self }
    }

    /// Like this table, without so many rows.
    pub(in crate::report) fn more(self, more: usize) -> Self {
        Table { more, ..self }
    }

    /// Returns whether it has no rows.
    pub(in crate::report) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// A row of a table.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Row {
    cells: Vec<String>,
    /// The length of the bar, of 100.
    bar: f64,
    class: &'static str,
}

impl Row {
    /// A row with a bar.
    pub(in crate::report) fn new(cells: Vec<String>, bar: f64) -> Self {
        Row { cells, bar, class: "" }
    }

    /// Like this row, with a class.
    pub(in crate::report) fn class(self, class: &'static str) -> Self {
        Row { class, ..self }
    }
}

impl From<Vec<String>> for Row {
    fn from(cells: Vec<String>) -> Self {
        Row::new(cells, 0.0)
    }
}

/// The length of a bar, of 100.
pub(in crate::report) fn of_100(count: u64, most: u64) -> f64 {
    share(count, most).map_or(0.0, |share| tenths(share * 100.0))
}

/// A length with one decimal: pages stay short, and the same on every machine.
pub(in crate::report) fn tenths(length: f64) -> f64 {
    (length * 10.0).round() / 10.0
}
