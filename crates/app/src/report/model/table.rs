//! Tables, of which a terminal may show fewer columns and rows than a page.

use super::Tone;

/// A column of a table: words begin at the left, numbers end at the right.
#[derive(Debug, Clone)]
pub struct Column<'n> {
    pub(super) name: &'n str,
    pub(super) is_number: bool,
    /// The name on a terminal; `None` for a column that only pages have.
    pub(super) on_terminal: Option<&'n str>,
    /// The most characters of a cell on a terminal.
    pub(super) longest: usize,
}

impl Column<'_> {
    /// Like this column, which only pages have.
    pub(in crate::report) fn page_only(self) -> Self {
        Column { on_terminal: None, ..self }
    }

    /// Like this column, with cells of at most so many characters on a terminal.
    pub(in crate::report) fn cut(self, longest: usize) -> Self {
        Column { longest, ..self }
    }
}

fn column(name: &str, is_number: bool) -> Column<'_> {
    let (short, name) = match name.trim().split_once('=') {
        Some((name, short)) => (short.trim(), name.trim()),
        None => (name.trim(), name.trim()),
    };
    Column { name, is_number, on_terminal: Some(short), longest: usize::MAX }
}

/// A column of words.
#[must_use]
pub fn word(name: &str) -> Column<'_> {
    column(name, false)
}

/// A column of numbers.
#[must_use]
pub fn figure(name: &str) -> Column<'_> {
    column(name, true)
}

/// Columns of words, by their names with `|` between them; after `=` a shorter name for terminals.
#[must_use]
pub fn words(names: &str) -> Vec<Column<'_>> {
    names.split('|').map(word).collect()
}

/// Columns of numbers, by their names like those of [`words`].
#[must_use]
pub fn figures(names: &str) -> Vec<Column<'_>> {
    names.split('|').map(figure).collect()
}

/// A table.
#[derive(Debug)]
pub(in crate::report) struct Table {
    pub(super) caption: String,
    pub(super) columns: Vec<Column<'static>>,
    pub(super) rows: Vec<Row>,
    /// The meaning of the bars in rows, which only pages have.
    pub(super) bars: Option<&'static str>,
    /// The number of rows that there are beyond these.
    pub(super) more: usize,
    pub(super) most_on_terminal: usize,
}

/// A row of a table.
#[derive(Debug)]
pub(in crate::report) struct Row {
    pub(super) cells: Vec<String>,
    pub(super) tone: Tone,
    /// The length of its bar, of 100.
    pub(super) bar: f64,
    /// The class of the part of a plot that it is about, of which it shows the colour.
    pub(super) swatch: Option<&'static str>,
}

impl Table {
    pub(in crate::report) fn new(
        caption: impl Into<String>,
        columns: Vec<Column<'static>>,
        rows: Vec<Row>,
    ) -> Self {
        Table { caption: caption.into(), columns, rows, bars: None, more: 0, most_on_terminal: usize::MAX }
    }

    /// Returns whether it has no rows.
    pub(in crate::report) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Like this table, with a bar in each row.
    pub(in crate::report) fn bars(self, meaning: &'static str) -> Self {
        Table { bars: Some(meaning), ..self }
    }

    /// Like this table, which lacks so many rows, and of which a terminal shows at most `on_terminal`.
    pub(in crate::report) fn first(self, more: usize, on_terminal: usize) -> Self {
        Table { more, most_on_terminal: on_terminal, ..self }
    }
}

impl Row {
    /// Like this row, in a tone.
    pub(in crate::report) fn tone(self, tone: Tone) -> Self {
        Row { tone, ..self }
    }

    /// Like this row, with the colour of a part of a plot.
    pub(in crate::report) fn swatch(self, class: &'static str) -> Self {
        Row { swatch: Some(class), ..self }
    }

    /// Like this row, with a bar of so much of 100.
    pub(in crate::report) fn bar(self, bar: f64) -> Self {
        Row { bar, ..self }
    }
}

impl From<Vec<String>> for Row {
    fn from(cells: Vec<String>) -> Self {
        Row { cells, tone: Tone::Plain, bar: 0.0, swatch: None }
    }
}
