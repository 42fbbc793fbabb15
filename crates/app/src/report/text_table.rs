//! Tables on terminals.

use super::paint::Paint;
use std::fmt::Write;

/// The alignment of the cells of a column.
#[derive(Clone, Copy)]
pub(super) enum Align {
    Left,
    Right,
}
use Align::{Left, Right};

/// A table below a heading; nothing without rows. `more` is the number of rows that are left out.
pub(super) fn text_table(
    heading: &str,
    columns: &[(&str, Align)],
    rows: &[Vec<String>],
    more: usize,
    paint: Paint,
) -> String {
    let mut out = String::new();
    if rows.is_empty() {
        return out;
    }
    let mut say = |line: &str| {
        let _ = writeln!(out, "{}", line.trim_end());
    };
    say("");
    say(&paint.strong(heading));
    let names: Vec<String> = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
    let width = |at: usize| {
        let cells = rows.iter().chain([&names]).filter_map(|row| row.get(at));
        cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let aligned = |row: &[String]| {
        let mut line = String::new();
        for ((cell, (_, align)), width) in row.iter().zip(columns).zip(&widths) {
            let _ = match align {
                Left => write!(line, "  {cell:<width$}"),
                Right => write!(line, "  {cell:>width$}"),
            };
        }
        line
    };
    if columns.iter().any(|(name, _)| !name.is_empty()) {
        say(&paint.faint(aligned(&names).trim_end()));
    }
    for row in rows {
        say(&aligned(row));
    }
    if more > 0 {
        say(&paint.faint(&format!("  and {more} more")));
    }
    out
}
