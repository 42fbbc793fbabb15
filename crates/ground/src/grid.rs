//! The grid of a document: its rows and cells with their columns, for readers of tables.

use crate::document::Document;
use std::ops::Range;

/// A cell of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GridCell<'d> {
    /// Its bytes in the text.
    pub bytes: Range<usize>,
    /// Its columns: characters of the line; in separated values and markup, those of its field, which lie far apart.
    pub columns: Range<u32>,
    /// The name that markup gives it.
    pub name: Option<&'d str>,
}

impl Document {
    /// The cells of each row that has some, in order; and how many rows without cells are above it.
    pub fn grid(&self) -> impl Iterator<Item = (usize, Vec<GridCell<'_>>)> {
        let mut empty = 0;
        self.rows.iter().filter_map(move |range| {
            if range.is_empty() {
                empty += 1;
                return None;
            }
            let cells = self.cells.get(range.clone()).unwrap_or_default().iter();
            let cells = cells.map(|cell| GridCell {
                bytes: cell.start..cell.end,
                columns: cell.from..cell.to,
                name: cell.label.as_deref(),
            });
            Some((std::mem::take(&mut empty), cells.collect()))
        })
    }
}
