//! Tables, of which a terminal may show fewer columns and rows than a page.

use super::Tone;
use crate::experiment::statistics::share;
use crate::report::page::tenths;

/// A column of a table: words begin at the left, numbers end at the right.
#[derive(Debug, Clone)]
pub struct Column {
    pub(super) name: String,
    pub(super) is_number: bool,
    /// The name on a terminal; `None` for a column that only pages have.
    pub(super) on_terminal: Option<String>,
    /// The most characters of a cell on a terminal.
    pub(super) longest: usize,
}

impl Column {
    fn new(name: &str, is_number: bool) -> Self {
        Column { name: name.to_owned(), is_number, on_terminal: Some(name.to_owned()), longest: usize::MAX }
    }

    /// Like this column, with another name on a terminal.
    pub(in crate::report) fn short(self, name: &str) -> Self {
        Column { on_terminal: Some(name.to_owned()), ..self }
    }

    /// Like this column, which only pages have.
    pub(in crate::report) fn page_only(self) -> Self {
        Column { on_terminal: None, ..self }
    }

    /// Like this column, with cells of at most so many characters on a terminal.
    pub(in crate::report) fn cut(self, longest: usize) -> Self {
        Column { longest, ..self }
    }
}

/// A column of words.
#[must_use]
pub fn word(name: &str) -> Column {
    Column::new(name, false)
}

/// A column of numbers.
#[must_use]
pub fn figure(name: &str) -> Column {
    Column::new(name, true)
}

/// Columns of words, by their names with `|` between them; after `=` a shorter name for terminals.
#[must_use]
pub fn words(names: &'static str) -> Vec<Column> {
    columns(names, word)
}

/// Columns of numbers, by their names like those of [`words`].
#[must_use]
pub fn figures(names: &'static str) -> Vec<Column> {
    columns(names, figure)
}

fn columns(names: &'static str, column: fn(&str) -> Column) -> Vec<Column> {
    let one = |name: &'static str| match name.split_once('=') {
        Some((name, short)) => column(name.trim()).short(short.trim()),
        None => column(name.trim()),
    };
    names.split('|').map(one).collect()
}

/// A table.
#[derive(Debug)]
pub(in crate::report) struct Table {
    pub(super) caption: String,
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Row>,
    /// The meaning of the bars in rows; a terminal has them where there is room.
    pub(super) bars: Option<&'static str>,
    /// The number of rows that there are beyond these.
    pub(super) more: usize,
    /// The most rows of a terminal; of 0, only pages have the table.
    pub(super) most_on_terminal: usize,
    /// `true` if a page shows it only to those who ask for it.
    pub(super) is_folded: bool,
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
    pub(in crate::report) fn new(caption: impl Into<String>, columns: Vec<Column>, rows: Vec<Row>) -> Self {
        Table {
            caption: caption.into(),
            columns,
            rows,
            bars: None,
            more: 0,
            most_on_terminal: usize::MAX,
            is_folded: false,
        }
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

    /// Like this table, of which the plot above it shows the numbers: folded on pages, left out on terminals.
    pub(in crate::report) fn folded(self) -> Self {
        Table { most_on_terminal: 0, is_folded: true, ..self }
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

    /// Like this row, with a bar as long as this part of the whole.
    pub(in crate::report) fn bar(self, part: u64, whole: u64) -> Self {
        Row { bar: share(part, whole).map_or(0.0, |share| tenths(share * 100.0)), ..self }
    }
}

impl From<Vec<String>> for Row {
    fn from(cells: Vec<String>) -> Self {
        Row { cells, tone: Tone::Plain, bar: 0.0, swatch: None }
    }
}
