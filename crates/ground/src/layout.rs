//! Layout: rows and cells of plain text, by columns of characters.

use crate::document::{Builder, TextCell};
use crate::fold::is_mark;

/// Distance between the stops of tabulators.
const TAB: u32 = 8;
/// The number of blanks that set two cells apart.
const GAP: usize = 2;
/// The least number of dots or underscores that lead from a label to its value.
const LEADER: usize = 3;

/// Reads plain text: a row for each line, cells where blanks, tabulators, rulers or leaders set them apart.
pub(crate) fn read(text: &str, builder: &mut Builder) {
    let mut from = 0;
    let mut lines = text.split_inclusive(['\n', '\u{c}']).peekable();
    let mut block: Vec<&str> = Vec::new();
    while let Some(line) = lines.next() {
        block.push(line);
        let bars = rulers(line).count();
        if bars >= FEWEST_BARS && lines.peek().is_some_and(|next| rulers(next).count() == bars) {
            continue;
        }
        let stops = if block.len() > 1 { stops(&block) } else { Vec::new() };
        for line in block.drain(..) {
            read_line(text, from, line.trim_end_matches(['\n', '\r', '\u{c}']), &stops, builder);
            from += line.len();
        }
    }
}

/// The fewest rulers of a line that set columns apart.
const FEWEST_BARS: usize = 2;

fn is_ruler(c: char) -> bool {
    matches!(c, '|' | '\u{2500}'..='\u{259f}')
}

/// The columns of the upright rulers of a line.
fn rulers(line: &str) -> impl Iterator<Item = u32> + '_ {
    (0u32..).zip(line.chars()).filter(|(_, c)| matches!(c, '|' | '\u{2502}' | '\u{2503}')).map(|(at, _)| at)
}

/// The columns for the rulers of lines that have as many each, so that the cells of one column are one under the other,
/// as they need not be in Markdown; none where they are.
fn stops(block: &[&str]) -> Vec<u32> {
    let columns: Vec<Vec<u32>> = block.iter().map(|line| rulers(line).collect()).collect();
    let Some(first) = columns.first() else { return Vec::new() };
    if columns.iter().all(|other| other == first) {
        return Vec::new();
    }
    let mut stops = vec![0u32; first.len()];
    let mut before = 0;
    for (nth, stop) in stops.iter_mut().enumerate() {
        let width = |columns: &Vec<u32>| {
            let from = nth.checked_sub(1).and_then(|before| columns.get(before)).map_or(0, |bar| bar + 1);
            columns.get(nth).map_or(0, |bar| bar.saturating_sub(from))
        };
        before += columns.iter().map(width).max().unwrap_or_default();
        *stop = before;
        before += 1;
    }
    stops
}

fn read_line(text: &str, from: usize, line: &str, stops: &[u32], builder: &mut Builder) {
    let row = builder.row();
    let mut column = 0u32;
    let mut stops = stops.iter();
    let mut open: Option<TextCell> = None;
    let mut blanks = 0usize;
    let mut dots = 0usize;
    for (at, c) in line.char_indices() {
        let start = from + at;
        let width = match c {
            '\t' => TAB - column % TAB,
            c if !c.is_ascii() && is_mark(c) => 0,
            _ => 1,
        };
        let is_tab = c == '\t';
        let is_ruler = is_ruler(c);
        if matches!(c, '|' | '\u{2502}' | '\u{2503}')
            && let Some(stop) = stops.next()
        {
            column = *stop;
        }
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
                let cell = open.get_or_insert_with(|| TextCell::at(row, column, start));
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
fn trim_leader(text: &str, cell: &mut TextCell) {
    let own = text.get(cell.start..cell.end).unwrap_or_default();
    let kept = own.trim_end_matches(['.', '_', '\u{2026}', '·', ' ']);
    if !kept.is_empty() && own.len() - kept.len() >= LEADER - 1 {
        let lost = u32::try_from(own.chars().count() - kept.chars().count()).unwrap_or(0);
        cell.to = cell.to.saturating_sub(lost);
        cell.end = cell.start + kept.len();
    }
}
