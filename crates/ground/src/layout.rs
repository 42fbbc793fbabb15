//! Layout: rows and cells of plain text, by columns of characters.

use crate::document::{Builder, Cell};

/// Distance between the stops of tabulators.
const TAB: u32 = 8;
/// The number of blanks that set two cells apart.
const GAP: usize = 2;
/// The least number of dots or underscores that lead from a label to its value.
const LEADER: usize = 3;

/// Reads plain text: a row for each line, cells where blanks, tabulators, rulers or leaders set them apart.
pub(crate) fn read(text: &str, builder: &mut Builder) {
    let mut from = 0;
    for line in text.split_inclusive(['\n', '\u{c}']) {
        read_line(text, from, line.trim_end_matches(['\n', '\r', '\u{c}']), builder);
        from += line.len();
    }
}

fn read_line(text: &str, from: usize, line: &str, builder: &mut Builder) {
    let row = builder.row();
    let mut column = 0u32;
    let mut open: Option<Cell> = None;
    let mut blanks = 0usize;
    let mut dots = 0usize;
    for (at, c) in line.char_indices() {
        let start = from + at;
        let width = if c == '\t' { TAB - column % TAB } else { 1 };
        let is_tab = c == '\t';
        let is_ruler = matches!(c, '|' | '\u{2500}'..='\u{259f}');
        let is_leader = matches!(c, '.' | '_' | '\u{2026}' | '·');
        dots = if is_leader { dots + 1 } else { 0 };
        if c.is_whitespace() {
            blanks += if is_tab { GAP } else { 1 };
        }
        let closes = is_ruler || (c.is_whitespace() && blanks >= GAP) || dots >= LEADER;
        if closes && let Some(mut cell) = open.take() {
            trim_leader(text, &mut cell);
            builder.cell(cell);
        }
        if !c.is_whitespace() {
            blanks = 0;
            let part_of_leader = is_leader && (dots >= LEADER || open.is_none());
            if !is_ruler && !part_of_leader {
                let cell = open.get_or_insert_with(|| Cell::at(row, column, start));
                cell.to = column + width;
                cell.end = start + c.len_utf8();
            }
        }
        column = column.saturating_add(width);
    }
    if let Some(cell) = open {
        builder.cell(cell);
    }
}

/// The first dots of a leader were read as the end of the cell.
fn trim_leader(text: &str, cell: &mut Cell) {
    let own = text.get(cell.start..cell.end).unwrap_or_default();
    let kept = own.trim_end_matches(['.', '_', '\u{2026}', '·', ' ']);
    if !kept.is_empty() && own.len() - kept.len() >= LEADER - 1 {
        let lost = u32::try_from(own.chars().count() - kept.chars().count()).unwrap_or(0);
        cell.to = cell.to.saturating_sub(lost);
        cell.end = cell.start + kept.len();
    }
}
