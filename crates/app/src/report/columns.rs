//! Columns of tables, on terminals and on pages.

use crate::value::prose::padded;
use crate::value::sanitize_line;

/// A column of a table: words begin at the left, numbers end at the right.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) name: String,
    class: &'static str,
}

/// The class of columns of numbers on pages.
const NUMBER: &str = "number";

/// A column of words.
pub(super) fn word(name: &str) -> Column {
    Column { name: name.to_owned(), class: "" }
}

/// A column of numbers.
pub(super) fn figure(name: &str) -> Column {
    Column { name: name.to_owned(), class: NUMBER }
}

/// Columns of words, by their names with `|` between them.
pub(super) fn words(names: &str) -> Vec<Column> {
    names.split('|').map(|name| word(name.trim())).collect()
}

/// Columns of numbers, by their names with `|` between them.
pub(super) fn figures(names: &str) -> Vec<Column> {
    names.split('|').map(|name| figure(name.trim())).collect()
}

/// Lines for a terminal with the cells below one another: the names of the columns, then each row.
pub(super) fn aligned(columns: &[Column], rows: &[Vec<String>]) -> (String, Vec<String>) {
    let line = |cells: Vec<String>| cells.join("  ").trim_end().to_owned();
    let safe = |row: &Vec<String>| row.iter().map(|cell| sanitize_line(cell)).collect();
    let mut cells = vec![columns.iter().map(|column| sanitize_line(&column.name)).collect()];
    cells.extend(rows.iter().map(safe));
    let numbers: Vec<bool> = columns.iter().map(|column| column.class == NUMBER).collect();
    let mut lines = padded(&cells, &numbers).into_iter().map(line);
    (lines.next().unwrap_or_default(), lines.collect())
}
