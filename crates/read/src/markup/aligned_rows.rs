//! Rows of tables as lines whose cells keep their columns by blanks.

use super::flow::{FlowBlock, FlowCell, FlowRow};
use super::markup_text;
use std::collections::BTreeMap;
use unicode_normalization::char::is_combining_mark;

/// The most columns of a table.
const MOST_COLUMNS: usize = 1_000;
/// The widest column to which others are aligned; a longer cell pushes those after it to the right.
const WIDEST: usize = 60;
/// The blanks between cells.
const GAP: usize = 2;
/// A line that is as long is one of running text.
const RUNNING: usize = 120;
/// The most bytes of the lines of one table.
const MOST_BYTES: usize = 32 << 20;

/// A part of a table.
pub(super) enum AlignedPart<'f> {
    /// Lines of rows.
    Rows(Vec<String>),
    /// A cell that is read for itself, where a table only lays out a page.
    Blocks(&'f [FlowBlock]),
}

/// A cell in its column, as lines.
struct PlacedCell {
    column: usize,
    columns: usize,
    lines: Vec<String>,
}

/// The parts of a table, in the order of reading.
pub(super) fn parts(rows: &[FlowRow]) -> Vec<AlignedPart<'_>> {
    let mut parts = Vec::new();
    let mut placed: Vec<Vec<PlacedCell>> = Vec::new();
    // Rows that a cell above still reaches over, by column.
    let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
    for row in rows {
        // What lays out a page is not written as a cell first: tables in tables would be written again for each.
        let is_page = row.iter().flat_map(|cell| &cell.blocks).any(holds_parts);
        let cells = place(row, &mut taken, is_page);
        if is_page || is_running(&cells) {
            parts.push(AlignedPart::Rows(aligned(&placed)));
            placed.clear();
            parts.extend(row.iter().map(|cell| AlignedPart::Blocks(&cell.blocks)));
        } else {
            placed.push(cells);
        }
    }
    parts.push(AlignedPart::Rows(aligned(&placed)));
    parts.retain(|part| match part {
        AlignedPart::Rows(lines) => !lines.is_empty(),
        AlignedPart::Blocks(blocks) => !blocks.is_empty(),
    });
    parts
}

/// Returns whether a cell holds parts of a page: tables and headings.
fn holds_parts(block: &FlowBlock) -> bool {
    match block {
        FlowBlock::Table(_) | FlowBlock::Heading { .. } => true,
        FlowBlock::List(items) => items.iter().flat_map(|item| &item.blocks).any(holds_parts),
        FlowBlock::Note(blocks) => blocks.iter().any(holds_parts),
        FlowBlock::Paragraph { .. } => false,
    }
}

/// Returns whether cells of a row hold running text side by side.
fn is_running(cells: &[PlacedCell]) -> bool {
    let long = |cell: &PlacedCell| cell.lines.iter().any(|line| line.len() > RUNNING);
    cells.iter().any(long) && cells.iter().filter(|cell| cell.lines.len() > 1).count() > 1
}

/// Gives columns to the cells of a row; those of a page have no lines.
fn place(row: &[FlowCell], taken: &mut BTreeMap<usize, usize>, is_page: bool) -> Vec<PlacedCell> {
    let mut placed = Vec::new();
    let mut reaching = Vec::new();
    let mut column = 0;
    for cell in row {
        while taken.contains_key(&column) {
            column += 1;
        }
        let columns = cell.columns.clamp(1, MOST_COLUMNS);
        if cell.rows > 1 {
            reaching.extend((column..column + columns).map(|column| (column, cell.rows)));
        }
        let lines = if is_page { Vec::new() } else { markup_text::lines(&cell.blocks) };
        if !lines.is_empty() {
            placed.push(PlacedCell { column: column.min(MOST_COLUMNS), columns, lines });
        }
        column += columns;
    }
    taken.retain(|_, rows| {
        *rows -= 1;
        *rows > 0
    });
    let below = reaching.into_iter().filter(|(column, _)| *column <= MOST_COLUMNS);
    taken.extend(below.map(|(column, rows)| (column, rows - 1)));
    placed
}

/// The lines of rows: each column begins where the widest cell before it ends.
fn aligned(rows: &[Vec<PlacedCell>]) -> Vec<String> {
    let mut widths: BTreeMap<usize, usize> = BTreeMap::new();
    for cell in rows.iter().flatten() {
        let widest = cell.lines.iter().map(|line| width(line)).max().unwrap_or_default();
        // A cell over several columns finds its room in those after the first.
        let own = if cell.columns > 1 { 1 } else { widest.min(WIDEST) };
        let column = widths.entry(cell.column).or_default();
        *column = own.max(*column);
    }
    let mut starts = BTreeMap::new();
    let mut at = 0;
    for (column, width) in widths {
        starts.insert(column, at);
        at += width + GAP;
    }
    let mut written = 0;
    let mut lines = Vec::new();
    for row in rows {
        let height = row.iter().map(|cell| cell.lines.len()).max().unwrap_or_default();
        for nth in 0..height {
            let mut line = String::new();
            let mut end = 0;
            for cell in row {
                let Some(own) = cell.lines.get(nth) else { continue };
                let start = starts.get(&cell.column).copied().unwrap_or_default();
                let blanks = start.saturating_sub(end).max(if end > 0 { GAP } else { 0 });
                line.extend(std::iter::repeat_n(' ', blanks));
                line.push_str(own);
                end += blanks + width(own);
            }
            written += line.len();
            lines.push(line);
            if written > MOST_BYTES {
                return lines;
            }
        }
    }
    lines
}

/// The number of columns of a text.
fn width(text: &str) -> usize {
    text.chars().filter(|c| c.is_ascii() || !is_combining_mark(*c)).count()
}
