//! Of which row of a table a passage is: that of the field's own test, or of another one.

use super::super::token::{Style, TokenKind, letters, tokenize, word_hash};
use super::super::words::listed;
use super::field::Field;
use super::reading::Document;
use std::ops::Range;

/// Longest part of a line that is gone back over to its first cell, in bytes.
const ROW: usize = 4_096;
/// Most rows of a table that are gone back over to its first one.
const ROWS: usize = 64;
/// Most lines in a row that are no rows, within a table.
const TITLES: usize = 1;
/// What parts cells.
const PARTS: [char; 2] = ['|', '\t'];
/// Most places of a label that are looked at.
const PLACES: usize = 16;

impl Document<'_> {
    /// What stands at `bytes` is in a row of a table that is about something else than the field's object, which has a row of its
    /// own: the first cell of the row.
    pub(super) fn is_of_another_row(&self, bytes: &Range<usize>, field: &Field<'_>) -> Option<Range<usize>> {
        let label = field.label?;
        let cell = self.first_cell(bytes.start)?;
        if !self.fuel.spend_on(label.len() + cell.len()) || self.is_about(&cell, label) {
            return None;
        }
        let mut anchor = None;
        each_word(label, |word| {
            let places = self.source.occurrences(word_hash(word));
            if !places.is_empty() && anchor.is_none_or(|known: &[u32]| places.len() < known.len()) {
                anchor = Some(places);
            }
        });
        let has_own = anchor?.iter().take(PLACES).any(|at| {
            let place = self.bytes(&(*at as usize..*at as usize + 1));
            let own = self.line_cell(place.start);
            self.fuel.spend_on(label.len())
                && own.is_some_and(|own| own.contains(&place.start) && self.is_about(&own, label))
        });
        has_own.then_some(cell)
    }

    /// What stands at `bytes` is in a cell of a table whose heading is not the field's, while another column's is: the cell before
    /// it.
    pub(super) fn is_of_another_column(
        &self,
        bytes: &Range<usize>,
        field: &Field<'_>,
    ) -> Option<Range<usize>> {
        let text = self.text();
        let row = self.line_cell(bytes.start)?;
        if row.end > bytes.start {
            return None;
        }
        let column = text.get(row.start..bytes.start)?.matches(PARTS).count();
        let header = self.header(row.start)?;
        let (mut own, mut at, mut cell) = (None, header.start, 0);
        for part in text.get(header.clone())?.split(PARTS) {
            let here = at..at + part.len();
            let is_own =
                !part.trim().is_empty() && self.fuel.spend_on(part.len()) && self.heads(&here, field);
            if is_own && (own.is_none() || cell == column) {
                own = Some(cell);
            }
            at = here.end + 1;
            cell += 1;
        }
        (own? != column && column < cell).then_some(row)
    }

    /// The first line of the table that a row is in, if it is another one.
    fn header(&self, row: usize) -> Option<Range<usize>> {
        let text = self.text();
        let (mut start, mut header, mut without) = (row, None, 0);
        for _ in 0..ROWS {
            let Some(end) = start.checked_sub(1) else { break };
            let from = (end.saturating_sub(ROW)..=end).find(|from| text.is_char_boundary(*from))?;
            let line = text.get(from..end)?.rfind('\n').map_or(from, |newline| from + newline + 1);
            let here = text.get(line..end)?;
            if !self.fuel.spend_on(end - line) || here.trim().is_empty() {
                break;
            }
            if here.contains(PARTS) {
                (header, without) = (Some(line..end), 0);
            } else {
                // The title of a group of rows.
                without += 1;
            }
            if without > TITLES {
                break;
            }
            start = line;
        }
        header
    }

    /// Whether a heading is that of the field's column.
    fn heads(&self, heading: &Range<usize>, field: &Field<'_>) -> bool {
        let tokens = self.tokens(heading);
        field.names.holds_own(&tokens)
            || field
                .key
                .split(' ')
                .any(|word| word.len() >= 3 && tokens.clone().any(|at| self.is_word(at, word)))
    }

    /// The first cell of the row that a byte is in, if it is in another one.
    fn first_cell(&self, at: usize) -> Option<Range<usize>> {
        self.line_cell(at).filter(|cell| cell.end <= at)
    }

    /// The first cell of the row that a byte is in.
    fn line_cell(&self, at: usize) -> Option<Range<usize>> {
        let text = self.text();
        let from = (at.saturating_sub(ROW)..=at).find(|from| text.is_char_boundary(*from))?;
        let start = text.get(from..at)?.rfind('\n').map_or(from, |newline| from + newline + 1);
        let end = text.get(at..)?.find('\n').map_or(text.len(), |newline| at + newline);
        let parts = text.get(start..end.min(start + ROW)).or_else(|| text.get(start..end))?;
        let cell = parts.find(PARTS)?;
        Some(start..start + cell)
    }

    /// Whether a cell has most words of a label.
    fn is_about(&self, cell: &Range<usize>, label: &str) -> bool {
        let tokens = self.tokens(cell);
        let (mut words, mut here) = (0, 0);
        each_word(label, |word| {
            words += 1;
            here += usize::from(tokens.clone().any(|at| self.is_word(at, word)));
        });
        words == 0 || here * 2 >= words
    }
}

/// The words of a label that say what it is about.
fn each_word(label: &str, mut visit: impl FnMut(&str)) {
    tokenize(label, &mut Style::default(), &mut |token| {
        let word = token.text(label);
        if token.kind == TokenKind::Word && letters(word) >= 2 && listed(word).is_none() {
            visit(word);
        }
    });
}
