//! The parts of pages: facts below the title, tiles, tables with a bar in each row.

use crate::report::run_summary::share;
use serde::Serialize;

/// A fact below the title.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Fact {
    pub(in crate::report) name: &'static str,
    pub(in crate::report) value: String,
}

/// A number that is seen first.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Tile {
    pub(in crate::report) name: &'static str,
    pub(in crate::report) value: String,
    pub(in crate::report) note: String,
    pub(in crate::report) class: &'static str,
}

/// A table, with a bar in each row where there is something to compare.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Table {
    pub(in crate::report) heading: String,
    pub(in crate::report) note: String,
    pub(in crate::report) caption: String,
    /// The meaning of the bars, for the head of their column; empty without bars.
    pub(in crate::report) bars: &'static str,
    pub(in crate::report) columns: Vec<Column>,
    pub(in crate::report) rows: Vec<Row>,
    pub(in crate::report) more: usize,
}

/// A column of a table.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Column {
    name: &'static str,
    class: &'static str,
}

/// A row of a table.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Row {
    pub(in crate::report) cells: Vec<String>,
    /// The length of the bar, of 100.
    pub(in crate::report) bar: f64,
    pub(in crate::report) class: &'static str,
}

/// A column of words.
pub(in crate::report) fn column(name: &'static str) -> Column {
    Column { name, class: "" }
}

/// A column of numbers.
pub(in crate::report) fn figure(name: &'static str) -> Column {
    Column { name, class: "number" }
}

/// The length of a bar, of 100.
pub(in crate::report) fn of_100(count: u64, most: u64) -> f64 {
    share(count, most).map_or(0.0, |share| tenths(share * 100.0))
}

/// A length with one decimal: pages stay short, and the same on every machine.
pub(in crate::report) fn tenths(length: f64) -> f64 {
    (length * 10.0).round() / 10.0
}
