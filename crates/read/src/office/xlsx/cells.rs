//! Cells of a sheet: those of rows and columns that are shown, with their values as they are shown.

use super::WorkbookParts;
use super::formats::CellFormat;
use super::shared::CellText;
use crate::office::flow_table::{FlowCell, FlowTable, cell_cost};
use crate::office::office_unread::OfficeFault;
use crate::office::xml_cursor::{XmlCursor, XmlTag};
use std::collections::HashMap;

/// The most columns of a sheet.
const MOST_COLUMNS: usize = 16_384;
/// The least width of a column and height of a row that is seen.
const LEAST_SIZE: f64 = 0.1;

/// A reader of sheets.
pub(super) struct SheetReader<'w> {
    parts: &'w WorkbookParts,
    /// The cells that may still be read.
    left: usize,
    /// For each column whether it is hidden.
    hidden_columns: Vec<bool>,
    rows: Vec<(usize, Vec<FlowCell>)>,
    /// The format of a cell that names none.
    plain: CellFormat,
}

impl<'w> SheetReader<'w> {
    pub(super) fn new(parts: &'w WorkbookParts, left: usize) -> Self {
        let plain = parts.formats.get(0).cloned().unwrap_or_default();
        SheetReader { parts, left, hidden_columns: Vec::new(), rows: Vec::new(), plain }
    }

    /// The cells that may still be read.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// The table of a sheet; `None` if it shows nothing.
    pub(super) fn read(&mut self, text: &str) -> Result<Option<FlowTable>, OfficeFault> {
        let mut merged = HashMap::new();
        let mut xml = XmlCursor::new(text);
        xml.root()?;
        while let Some(tag) = xml.child()? {
            match tag.name() {
                "cols" => {
                    let mut ranges = 0;
                    while let Some(tag) = xml.child()? {
                        ranges += 1;
                        if is_hidden(&tag, "width") && ranges <= MOST_COLUMNS {
                            self.hide_columns(tag.number("min"), tag.number("max"));
                        }
                        xml.skip()?;
                    }
                }
                "sheetData" => self.rows(&mut xml)?,
                "mergeCells" => {
                    while let Some(tag) = xml.child()? {
                        merged.extend(tag.value("ref").as_deref().and_then(merged_cells));
                        xml.skip()?;
                    }
                }
                _ => xml.skip()?,
            }
        }
        Ok(self.table(&merged))
    }

    fn hide_columns(&mut self, from: Option<usize>, to: Option<usize>) {
        let (from, to) = (from.unwrap_or(1), to.unwrap_or(MOST_COLUMNS).min(MOST_COLUMNS));
        if self.hidden_columns.len() <= to {
            self.hidden_columns.resize(to + 1, false);
        }
        self.hidden_columns.iter_mut().take(to + 1).skip(from).for_each(|is_hidden| *is_hidden = true);
    }

    fn table(&mut self, merged: &HashMap<(usize, usize), usize>) -> Option<FlowTable> {
        let mut table = FlowTable::default();
        let mut above = None;
        for (row, mut cells) in std::mem::take(&mut self.rows) {
            if above.is_some_and(|above| above + 1 < row) {
                table.push(Vec::new());
            }
            above = Some(row);
            for cell in &mut cells {
                cell.span = merged.get(&(row, cell.column)).copied().unwrap_or(1);
            }
            table.push(cells);
        }
        above.map(|_| table)
    }

    fn rows(&mut self, xml: &mut XmlCursor<'_>) -> Result<(), OfficeFault> {
        let mut next = 1usize;
        while let Some(tag) = xml.child()? {
            let row = tag.number("r").unwrap_or(next);
            next = row.saturating_add(1);
            if is_hidden(&tag, "ht") {
                xml.skip()?;
                continue;
            }
            let mut cells = Vec::new();
            let mut column = 1;
            while let Some(tag) = xml.child()? {
                column = tag.value("r").as_deref().and_then(place).map_or(column, |(_, column)| column);
                if column > MOST_COLUMNS || self.hidden_columns.get(column) == Some(&true) {
                    xml.skip()?;
                } else {
                    let text = self.cell(&tag, xml)?;
                    if !text.trim().is_empty() {
                        self.left = self.left.checked_sub(cell_cost(&text)).ok_or(OfficeFault::TooLong)?;
                        cells.push(FlowCell { column, span: 1, text });
                    }
                }
                column = column.saturating_add(1);
            }
            if !cells.is_empty() {
                cells.sort_by_key(|cell| cell.column);
                self.rows.push((row, cells));
            }
        }
        Ok(())
    }

    /// The text that a cell shows.
    fn cell(&self, tag: &XmlTag<'_>, xml: &mut XmlCursor<'_>) -> Result<String, OfficeFault> {
        let format = tag.number("s").and_then(|at| self.parts.formats.get(at)).unwrap_or(&self.plain);
        let kind = tag.value("t").unwrap_or_default();
        let (mut value, mut own, mut formula) = (None, None, None);
        while let Some(tag) = xml.child()? {
            match tag.name() {
                "v" => value = Some(xml.text()?),
                "is" => own = Some(CellText::read(xml)?),
                "f" => formula = Some(xml.text()?),
                _ => xml.skip()?,
            }
        }
        if format.is_tiny {
            return Ok(String::new());
        }
        let shared = || self.parts.texts.get(value.as_deref()?.trim().parse().ok()?);
        let text = match kind.as_str() {
            "s" => shared(),
            "inlineStr" => own.as_ref(),
            _ => None,
        };
        if let Some(text) = text {
            let seen = if format.number.shows_texts() {
                text.seen(format.ink, format.backdrop)
            } else {
                String::new()
            };
            return Ok(seen);
        }
        if !format.ink.is_seen_on(format.backdrop) {
            return Ok(String::new());
        }
        let Some(value) = value.filter(|value| !value.is_empty()) else {
            // Formulas are not evaluated, and one that was saved without its value leaves no silent gap.
            return Ok(formula
                .filter(|formula| !formula.is_empty())
                .map_or_else(String::new, |own| format!("={own}")));
        };
        Ok(match kind.as_str() {
            "s" | "inlineStr" => return Err(OfficeFault::Damaged),
            "b" => if value.trim() == "1" { "TRUE" } else { "FALSE" }.to_owned(),
            "e" => value,
            "str" => {
                if format.number.shows_texts() {
                    value
                } else {
                    String::new()
                }
            }
            "d" => value.strip_suffix("T00:00:00").unwrap_or(&value).replace('T', " "),
            _ => match value.trim().parse::<f64>() {
                Ok(number) => format.number.number(number, self.parts.first_day),
                Err(_) => value,
            },
        })
    }
}

/// Returns whether a row or column is not shown: by its mark, or because it has no size.
fn is_hidden(tag: &XmlTag<'_>, size: &str) -> bool {
    let is_marked = tag.value("hidden").is_some_and(|hidden| !matches!(hidden.as_str(), "0" | "false"));
    is_marked || tag.number::<f64>(size).is_some_and(|size| size < LEAST_SIZE)
}

/// The row and column, from 1, of a reference such as `B7`.
fn place(reference: &str) -> Option<(usize, usize)> {
    let reference = reference.trim_start_matches('$');
    let digits = reference.find(|c: char| !c.is_ascii_alphabetic())?;
    let (letters, row) = reference.split_at_checked(digits)?;
    let column = letters.bytes().try_fold(0usize, |column, letter| {
        let nth = usize::from(letter.to_ascii_uppercase().checked_sub(b'A')?) + 1;
        column.checked_mul(26)?.checked_add(nth)
    })?;
    let row = row.trim_start_matches('$').parse().ok()?;
    (column > 0).then_some((row, column))
}

/// The first of merged cells, and the number of columns that they cover.
fn merged_cells(reference: &str) -> Option<((usize, usize), usize)> {
    let (first, last) = reference.split_once(':')?;
    let ((row, from), (_, to)) = (place(first)?, place(last)?);
    Some(((row, from), to.checked_sub(from)? + 1))
}
