//! Sheets of an OpenDocument spreadsheet: cells with their values as they are shown.

use super::story::OpenStory;
use super::styles::OpenStyles;
use crate::office::flow_table::{FlowCell, FlowTable, cell_cost};
use crate::office::ink::Backdrop;
use crate::office::office_unread::OfficeFault;
use crate::office::xml_cursor::{XmlCursor, XmlTag};

/// The most cells with text of a spreadsheet, those that are repeated counted each time.
const MOST_CELLS: usize = 2_000_000;
/// The most columns and rows of a sheet.
const MOST_COLUMNS: usize = 16_384;
const MOST_ROWS: usize = 1_048_576;
/// The most decimals of a number that is shown.
const MOST_DECIMALS: usize = 10;

/// The sheets of a spreadsheet that are shown.
pub(super) struct SheetStory<'d> {
    story: OpenStory<'d>,
    sheets: Vec<(String, FlowTable)>,
    /// The cells that may still be read.
    left: usize,
}

/// A column: whether it is hidden, and the style of its cells.
#[derive(Debug, Clone, Default)]
struct SheetColumn {
    is_hidden: bool,
    style: Option<String>,
}

/// A sheet that is being read.
#[derive(Default)]
struct OpenSheet {
    columns: Vec<SheetColumn>,
    table: FlowTable,
    has_text: bool,
}

impl<'d> SheetStory<'d> {
    pub(super) fn new(styles: &'d OpenStyles) -> Self {
        SheetStory { story: OpenStory::new(styles), sheets: Vec::new(), left: MOST_CELLS }
    }

    /// The sheets with text, by their names.
    pub(super) fn into_sheets(self) -> Vec<(String, FlowTable)> {
        self.sheets
    }

    /// Reads the sheets in the element that is open.
    pub(super) fn sheets(&mut self, xml: &mut XmlCursor<'_>) -> Result<(), OfficeFault> {
        while let Some(tag) = xml.child()? {
            let format = self.story.styles.of("table", tag.value("style-name").as_deref());
            if tag.name() != "table" || format.is_hidden {
                xml.skip()?;
                continue;
            }
            let mut sheet = OpenSheet::default();
            self.rows(xml, &mut sheet)?;
            if sheet.has_text {
                self.sheets.push((tag.value("name").unwrap_or_default(), sheet.table));
            }
        }
        Ok(())
    }

    fn rows(&mut self, xml: &mut XmlCursor<'_>, sheet: &mut OpenSheet) -> Result<(), OfficeFault> {
        while let Some(tag) = xml.child()? {
            let is_hidden = tag.value("visibility").is_some_and(|visibility| visibility != "visible");
            match tag.name() {
                "table-column" => {
                    let column = SheetColumn { is_hidden, style: tag.value("default-cell-style-name") };
                    let repeated = tag.number("number-columns-repeated").unwrap_or(1);
                    let room = MOST_COLUMNS.saturating_sub(sheet.columns.len());
                    sheet.columns.extend(std::iter::repeat_n(column, repeated.min(room)));
                    xml.skip()?;
                }
                "table-row" if is_hidden => xml.skip()?,
                "table-row" => self.row(&tag, xml, sheet)?,
                "table-row-group" | "table-column-group"
                    if tag.value("display").is_some_and(|display| display == "false") =>
                {
                    xml.skip()?;
                }
                "table-header-rows"
                | "table-rows"
                | "table-row-group"
                | "table-columns"
                | "table-header-columns"
                | "table-column-group" => self.rows(xml, sheet)?,
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    fn row(
        &mut self,
        tag: &XmlTag<'_>,
        xml: &mut XmlCursor<'_>,
        sheet: &mut OpenSheet,
    ) -> Result<(), OfficeFault> {
        let own_style = tag.value("default-cell-style-name");
        let mut cells = Vec::new();
        let mut column = 0usize;
        while let Some(tag) = xml.child()? {
            let repeated = tag.number("number-columns-repeated").unwrap_or(1).clamp(1, MOST_COLUMNS);
            if tag.name() != "table-cell" || column >= MOST_COLUMNS {
                xml.skip()?;
            } else {
                let of_column = || sheet.columns.get(column).and_then(|column| column.style.clone());
                let style = tag.value("style-name").or_else(|| own_style.clone()).or_else(of_column);
                let text = self.cell(&tag, style.as_deref(), xml)?;
                let span = tag.number("number-columns-spanned").unwrap_or(1).clamp(1, MOST_COLUMNS);
                for column in column..column.saturating_add(repeated).min(MOST_COLUMNS) {
                    let is_hidden = sheet.columns.get(column).is_some_and(|column| column.is_hidden);
                    if !text.trim().is_empty() && !is_hidden {
                        self.left = self.left.checked_sub(cell_cost(&text)).ok_or(OfficeFault::TooLong)?;
                        cells.push(FlowCell { column, span, text: text.clone() });
                    }
                }
            }
            column = column.saturating_add(repeated);
        }
        if cells.is_empty() {
            sheet.table.push(cells);
            return Ok(());
        }
        sheet.has_text = true;
        let repeated = tag.number("number-rows-repeated").unwrap_or(1).clamp(1, MOST_ROWS);
        for _ in 1..repeated {
            let cost: usize = cells.iter().map(|cell| cell_cost(&cell.text)).sum();
            self.left = self.left.checked_sub(cost).ok_or(OfficeFault::TooLong)?;
            sheet.table.push(cells.clone());
        }
        sheet.table.push(cells);
        Ok(())
    }

    /// The text that a cell shows.
    fn cell(
        &mut self,
        tag: &XmlTag<'_>,
        style: Option<&str>,
        xml: &mut XmlCursor<'_>,
    ) -> Result<String, OfficeFault> {
        let format = self.story.styles.of("table-cell", style);
        let paper = self.story.paper;
        self.story.paper = format.shade.map_or(paper, Backdrop::Plain);
        let mut lines: Vec<String> = Vec::new();
        while let Some(tag) = xml.child()? {
            if tag.name() == "p" {
                let mut line = String::new();
                self.story.inline(xml, format.look, &mut line)?;
                lines.push(line);
            } else {
                xml.skip()?;
            }
        }
        self.story.paper = paper;
        let text = lines.join("\n");
        if text.trim().is_empty() {
            return Ok(text);
        }
        Ok(match tag.value("value-type").as_deref() {
            Some("date") => tag
                .value("date-value")
                .map_or(text, |date| date.strip_suffix("T00:00:00").unwrap_or(&date).replace('T', " ")),
            Some("float" | "currency") => {
                tag.number("value").map_or(text.clone(), |value| plain(&text, value))
            }
            Some("percentage") => {
                tag.number::<f64>("value").map_or(text.clone(), |value| plain(&text, value * 100.0))
            }
            _ => text,
        })
    }
}

/// A number as it is shown, with a decimal point, and without signs between thousands, which are decimal ones elsewhere.
fn plain(text: &str, value: f64) -> String {
    let is_digit = |c: char| c.is_ascii_digit();
    let (Some(from), Some(last)) = (text.find(is_digit), text.rfind(is_digit)) else {
        return text.to_owned();
    };
    let shown = text.get(from..=last).unwrap_or_default();
    let digits: String = shown.chars().filter(char::is_ascii_digit).collect();
    if !shown.contains(['.', ',', '\'', ' ', '\u{a0}', '\u{202f}', '\u{2019}']) {
        return text.to_owned();
    }
    let own = (0..=MOST_DECIMALS)
        .map(|decimals| format!("{:.decimals$}", value.abs()))
        .find(|own| own.chars().filter(char::is_ascii_digit).eq(digits.chars()));
    match (own, text.get(..from), text.get(last + 1..)) {
        (Some(own), Some(before), Some(after)) => format!("{before}{own}{after}"),
        _ => text.to_owned(),
    }
}
