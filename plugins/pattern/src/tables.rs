//! Rows of tables: each an element of a list, its members by the heads of the columns, or by what the cells hold.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::expression::Expression;
use crate::ticks;
use crate::verbatim::tidy;
use loopctl_ground::Document;

/// The most rows of a document that are inspected, and the most cells of one.
const MAX_ROWS: usize = 50_000;
const MAX_CELLS: usize = 64;
/// Rows that say nothing in the columns of a table before it has ended, and empty ones; and the shortest line of prose, in bytes.
const MISSES: usize = 3;
const EMPTY: usize = 2;
const PROSE: usize = 60;
/// Rows without a head: how many members make one, and how many such rows, or rows with a result in words, make a table.
const MEMBERS: usize = 3;
const ROWS: usize = 2;
const WORDED: usize = 3;
/// The longest cell, in bytes: what is longer is prose.
const LONGEST_CELL: usize = 500;
/// The longest text of a column that its pattern does not know, in characters.
const LONGEST: usize = 200;

/// The columns of tables from which a list is read.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    pub(crate) columns: Vec<RowColumn>,
    /// The members without which a row is none, by the numbers of their columns.
    pub(crate) needs: Vec<usize>,
}

/// A column.
#[derive(Debug, Clone)]
pub(crate) struct RowColumn {
    /// The member that it gives.
    pub(crate) name: String,
    /// The whole of its head.
    pub(crate) head: Expression,
    /// The whole of a cell, each with groups for members or none.
    pub(crate) cells: Vec<Expression>,
}

/// A cell, or an option of it that is ticked.
#[derive(Debug, Clone)]
struct TableCell {
    bytes: Range<usize>,
    columns: Range<u32>,
    /// The number of rulers before it, if its row has any.
    ruled: Option<usize>,
}

/// A row that is an element.
pub(crate) struct TableRow {
    pub(crate) bytes: Range<usize>,
    pub(crate) item: Map<String, Value>,
    /// The heads of its columns say what it is.
    pub(crate) is_headed: bool,
}

/// The head of a table.
struct Head {
    /// For each column: the member, if its head is known, and its position.
    columns: Vec<(Option<usize>, TableCell)>,
    misses: usize,
}

impl Rows {
    /// The rows of a document that are elements, in its order, at most so many.
    pub(crate) fn read(&self, source: &str, most: usize) -> Vec<TableRow> {
        let document = Document::read(source);
        let mut found = Vec::new();
        let mut block: Vec<TableRow> = Vec::new();
        let mut head: Option<Head> = None;
        for (empty, cells) in document.grid().take(MAX_ROWS) {
            let cells = cells_of(source, cells.iter().map(|cell| (cell.bytes.clone(), cell.columns.clone())));
            if cells.is_empty() {
                continue;
            }
            let is_prose = matches!(cells.as_slice(), [one] if one.bytes.len() > PROSE);
            if empty > EMPTY || is_prose {
                head = None;
            }
            if empty > 1 {
                self.close(&mut block, &mut found);
            }
            if let Some(columns) = self.head(source, &cells) {
                self.close(&mut block, &mut found);
                head = Some(Head { columns, misses: 0 });
                continue;
            }
            if let Some(known) = &mut head {
                if let Some(read) = self.by_head(source, &cells, known) {
                    known.misses = 0;
                    found.push(read);
                    continue;
                }
                known.misses += 1;
                if known.misses > MISSES {
                    head = None;
                }
            }
            match self.by_content(source, &cells) {
                Some(read) => block.push(read),
                None if cells.len() > 1 => self.close(&mut block, &mut found),
                None => {}
            }
        }
        self.close(&mut block, &mut found);
        found.sort_by_key(|read| read.bytes.start);
        found.truncate(most);
        found
    }

    /// Takes a block of rows without a head, if it is a table.
    fn close(&self, block: &mut Vec<TableRow>, found: &mut Vec<TableRow>) {
        let full = block.iter().filter(|read| read.item.len() >= MEMBERS).count();
        let worded = |read: &TableRow| {
            self.needs.iter().filter_map(|at| self.columns.get(*at)).skip(1).all(|column| {
                let value = read.item.get(&column.name).and_then(Value::as_str);
                value.is_some_and(|value| !value.contains(|c: char| c.is_ascii_digit()))
            })
        };
        let said = block.iter().filter(|read| worded(read)).count();
        let is_table = full >= ROWS || said >= WORDED;
        found.extend(
            block
                .drain(..)
                .filter(|read| is_table && (read.item.len() >= MEMBERS || worded(read) || full >= ROWS)),
        );
    }

    /// The columns of a row that is a head: two cells or more that say what is below.
    fn head(&self, source: &str, cells: &[TableCell]) -> Option<Vec<(Option<usize>, TableCell)>> {
        if cells.len() < 2 {
            return None;
        }
        let mut columns: Vec<(Option<usize>, TableCell)> = Vec::new();
        for cell in cells {
            let text = text_of(source, cell)?;
            let of = self.columns.iter().position(|column| column.head.is_match(&text));
            let is_new = |of: &usize| !columns.iter().any(|(known, _)| *known == Some(*of));
            columns.push((of.filter(is_new), cell.clone()));
        }
        let has = |of: &usize| columns.iter().any(|(known, _)| *known == Some(*of));
        let known = columns.iter().filter(|(of, _)| of.is_some()).count();
        (known >= 2 && self.needs.iter().all(has)).then_some(columns)
    }

    fn by_head(&self, source: &str, cells: &[TableCell], head: &Head) -> Option<TableRow> {
        let mut texts: Vec<String> = vec![String::new(); self.columns.len()];
        for cell in cells {
            let Some(text) = text_of(source, cell) else { continue };
            let column = column_of(cell, head)?;
            let Some(slot) = column.and_then(|column| texts.get_mut(column)) else { continue };
            if !slot.is_empty() {
                slot.push(' ');
            }
            slot.push_str(&text);
        }
        let mut item = Map::new();
        for (column, text) in self.columns.iter().zip(&texts).filter(|(_, text)| !text.is_empty()) {
            if !column.fill(text, &mut item)
                && text.chars().count() <= LONGEST
                && !item.contains_key(&column.name)
            {
                item.insert(column.name.clone(), Value::String(text.clone()));
            }
        }
        self.element(cells, item, true)
    }

    /// A row without a head: its first cell names it, and others are classified by their looks. Between rulers nothing
    /// but a head says what a cell is.
    fn by_content(&self, source: &str, cells: &[TableCell]) -> Option<TableRow> {
        let (named, rest) = self.columns.split_first()?;
        let first = cells.first().filter(|first| first.ruled.is_none())?;
        let mut text = text_of(source, first)?;
        let mut parts: Vec<String> = Vec::new();
        if let Some((label, value)) =
            text.split_once(": ").map(|(label, value)| (label.to_owned(), value.to_owned()))
        {
            parts.push(value);
            text = label;
        }
        parts.extend(cells.iter().skip(1).filter_map(|cell| text_of(source, cell)));
        let mut item = Map::new();
        if parts.is_empty() || !named.fill(text.trim_end_matches([':', '.', ' ']), &mut item) {
            return None;
        }
        let mut unknown = 0;
        for part in &parts {
            let part = part.trim_start_matches(':').trim();
            let fills = |column: &&RowColumn| !item.contains_key(&column.name);
            let of =
                rest.iter().filter(fills).find(|column| column.cells.iter().any(|cell| cell.is_match(part)));
            let is_known = of.is_some_and(|column| column.fill(part, &mut item));
            unknown += usize::from(!is_known);
        }
        if unknown > 0 && item.len() < MEMBERS || unknown > 1 {
            return None;
        }
        self.element(cells, item, false)
    }

    fn element(&self, cells: &[TableCell], item: Map<String, Value>, is_headed: bool) -> Option<TableRow> {
        let has_all = self
            .needs
            .iter()
            .filter_map(|at| self.columns.get(*at))
            .all(|column| item.contains_key(&column.name));
        let bytes = cells.first()?.bytes.start..cells.iter().map(|cell| cell.bytes.end).max()?;
        has_all.then_some(TableRow { bytes, item, is_headed })
    }
}

impl RowColumn {
    /// Fills members from a cell by the first pattern that it has the form of.
    fn fill(&self, text: &str, item: &mut Map<String, Value>) -> bool {
        for cell in &self.cells {
            let Some(captures) = cell.captures_iter(text).next() else { continue };
            let mut has_groups = false;
            for name in cell.names() {
                has_groups = true;
                if let Some(piece) = captures.name(name).and_then(|piece| tidy(piece.as_str())) {
                    item.entry(name.to_owned()).or_insert(Value::String(piece));
                }
            }
            if !has_groups {
                item.entry(self.name.clone()).or_insert_with(|| Value::String(text.to_owned()));
            }
            return true;
        }
        false
    }
}

/// The column of a cell: between rulers by their number, else the one that it lies under, or the nearest. `None` where the rulers
/// are others than those of the head.
fn column_of(cell: &TableCell, head: &Head) -> Option<Option<usize>> {
    if head.columns.iter().any(|(_, of)| of.ruled.is_some()) {
        let ruled = cell.ruled?;
        return Some(
            head.columns.iter().find(|(_, of)| of.ruled == Some(ruled)).and_then(|(column, _)| *column),
        );
    }
    let distance = |of: &TableCell| {
        let gap = of
            .columns
            .start
            .saturating_sub(cell.columns.end)
            .max(cell.columns.start.saturating_sub(of.columns.end));
        let meets =
            of.columns.end.min(cell.columns.end).saturating_sub(of.columns.start.max(cell.columns.start));
        (gap, std::cmp::Reverse(meets))
    };
    Some(head.columns.iter().min_by_key(|(_, of)| distance(of)).and_then(|(column, _)| *column))
}

/// The cells of a row that say something: of boxes, what is ticked.
fn cells_of(source: &str, row: impl Iterator<Item = (Range<usize>, Range<u32>)>) -> Vec<TableCell> {
    let mut found: Vec<TableCell> = Vec::new();
    let mut rulers = None;
    let mut end = None;
    for (bytes, columns) in row.take(MAX_CELLS) {
        let from = end.unwrap_or_else(|| line_start(source, bytes.start));
        let between = source.get(from..bytes.start).unwrap_or_default();
        let passed = between.matches(['|', '│', '┃']).count();
        if passed > 0 || rulers.is_some() {
            *rulers.get_or_insert(0) += passed;
        }
        end = Some(bytes.end);
        let text = source.get(bytes.clone()).unwrap_or_default();
        if text.len() > LONGEST_CELL {
            continue;
        }
        match ticks::pieces(text) {
            None if text.contains(says) => found.push(TableCell { bytes, columns, ruled: rulers }),
            None => {}
            Some(pieces) => found.extend(pieces.into_iter().map(|piece| TableCell {
                bytes: bytes.start + piece.start..bytes.start + piece.end,
                columns: columns.clone(),
                ruled: rulers,
            })),
        }
    }
    // The first cell is before the first ruler.
    if rulers.is_some() {
        for cell in &mut found {
            cell.ruled.get_or_insert(0);
        }
    }
    found
}

/// The beginning of the line that holds a position, if that is near.
fn line_start(source: &str, at: usize) -> usize {
    let mut near = at.saturating_sub(LONGEST_CELL);
    while !source.is_char_boundary(near) {
        near += 1;
    }
    let before = source.get(near..at).unwrap_or_default();
    near + before.rfind('\n').map_or(0, |line| line + 1)
}

/// Characters that say something, unlike those of lines that are drawn.
fn says(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '%' | '‰' | '+' | '*' | '↑' | '↓' | '<' | '>' | '≤' | '≥' | 'µ')
}

/// The text of a cell on one line, without the marks by which text is set off.
fn text_of(source: &str, cell: &TableCell) -> Option<String> {
    let text = source.get(cell.bytes.clone())?.trim();
    // `**bold**`
    let bare = text.strip_prefix("**").and_then(|text| text.strip_suffix("**"));
    tidy(bare.unwrap_or(text)).or_else(|| Some(text.to_owned()))
}
