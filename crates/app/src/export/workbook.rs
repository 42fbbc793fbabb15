//! Rows as a workbook (XLSX): the documents on one sheet, and on another the meaning of its columns and their source.

use super::cell::Cell;
use super::columns::ExportedRun;
use crate::value::as_fraction;
use rust_xlsxwriter::{
    DocProperties, ExcelDateTime, Format, FormatAlign, Workbook as Book, Worksheet, XlsxError,
};
use std::borrow::Cow;
use std::io::{self, Write};

/// Most documents of a workbook; the first row is the head.
pub const MOST_ROWS: u32 = 1_048_575;

/// Longest text of a cell, in units of UTF-16.
const LONGEST_TEXT: usize = 32_767;

const DOCUMENTS: &str = "Documents";
const ABOUT: &str = "About";

/// A workbook that is written row by row; of the rows no more than one is kept in memory.
pub struct Workbook {
    book: Book,
    rows: u32,
    date: Format,
    /// The number of texts that were cut.
    cut: u64,
}

impl Workbook {
    /// A workbook with these names of columns.
    pub fn new(run: &ExportedRun, headings: &[&str]) -> io::Result<Self> {
        let mut book = Book::new();
        let mut made = || {
            let mut properties =
                DocProperties::new().set_title(format!("Run {}", run.id)).set_author("loopctl");
            // The same run gives the same file.
            if let Ok(at) = run.started_at.parse::<jiff::Timestamp>()
                && let Ok(began) = ExcelDateTime::from_timestamp(at.as_second())
            {
                properties = properties.set_creation_datetime(&began);
            }
            book.set_properties(&properties);
            let sheet = book.add_worksheet_with_constant_memory()?;
            sheet.set_name(DOCUMENTS)?.set_freeze_panes(1, 1)?;
            let head = head();
            for (column, heading) in (0..).zip(headings) {
                sheet.set_column_width(column, heading.chars().count().clamp(10, 30) as f64 + 2.0)?;
                sheet.write_string_with_format(0, column, fitting(heading).as_ref(), &head)?;
            }
            Ok(())
        };
        made().map_err(plain)?;
        Ok(Workbook { book, rows: 0, date: Format::new().set_num_format("yyyy-mm-dd"), cut: 0 })
    }

    /// Adds a row.
    pub fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        self.rows += 1;
        let (row, date) = (self.rows, &self.date);
        let sheet = self.book.worksheet_from_index(0).map_err(plain)?;
        for (column, cell) in (0..).zip(cells) {
            self.cut += u64::from(put(sheet, row, column, cell, date).map_err(plain)?);
        }
        Ok(())
    }

    /// The number of texts that were longer than a cell may be.
    pub fn cut(&self) -> u64 {
        self.cut
    }

    /// Adds the second sheet and writes all.
    pub fn finish(
        mut self,
        run: &ExportedRun,
        headings: &[(String, String)],
        out: impl Write + Send,
    ) -> io::Result<()> {
        let facts = [
            ("Run", run.id.clone()),
            ("Profile", run.profile.clone()),
            ("Digest of the profile", run.profile_digest.clone()),
            ("loopctl", run.loopctl_version.clone()),
            ("Began", run.started_at.clone()),
            ("Ended", run.finished_at.clone().unwrap_or_default()),
            ("Documents", self.rows.to_string()),
            ("Texts that were cut", self.cut.to_string()),
        ];
        let written = || -> Result<(), XlsxError> {
            if self.rows > 0 && !headings.is_empty() {
                let last = u16::try_from(headings.len() - 1).unwrap_or(u16::MAX);
                self.book.worksheet_from_index(0)?.autofilter(0, 0, self.rows, last)?;
            }
            let sheet = self.book.add_worksheet();
            sheet.set_name(ABOUT)?.set_column_width(0, 32.0)?.set_column_width(1, 100.0)?;
            let (head, wrapped) = (head(), Format::new().set_text_wrap().set_align(FormatAlign::Top));
            let mut row = 0;
            for (name, value) in &facts {
                sheet.write_string_with_format(row, 0, *name, &head)?;
                sheet.write_string(row, 1, fitting(value).as_ref())?;
                row += 1;
            }
            row += 1;
            sheet.write_string_with_format(row, 0, "Column", &head)?;
            sheet.write_string_with_format(row, 1, "What it holds", &head)?;
            for (heading, what) in headings {
                row += 1;
                sheet.write_string(row, 0, fitting(heading).as_ref())?;
                sheet.write_string_with_format(row, 1, fitting(what).as_ref(), &wrapped)?;
            }
            self.book.save_to_writer(out)
        };
        written().map_err(plain)
    }
}

/// Writes a cell to its position, and returns whether its text was cut.
fn put(
    sheet: &mut Worksheet,
    row: u32,
    column: u16,
    cell: &Cell<'_>,
    date: &Format,
) -> Result<bool, XlsxError> {
    match cell {
        Cell::Empty => {}
        Cell::Text(text) => {
            let whole = fitting(text);
            sheet.write_string(row, column, whole.as_ref())?;
            return Ok(matches!(whole, Cow::Owned(_)));
        }
        // A whole number so large that a workbook would not keep its last digit is a text.
        Cell::Number(number) => match as_fraction(number) {
            Some(exact) => _ = sheet.write_number(row, column, exact)?,
            None => _ = sheet.write_string(row, column, number.to_string())?,
        },
        Cell::Truth(truth) => _ = sheet.write_boolean(row, column, *truth)?,
        // Workbooks know no day before 1900.
        Cell::Date(day) => match ExcelDateTime::parse_from_str(&day.to_string()) {
            Ok(known) => _ = sheet.write_datetime_with_format(row, column, &known, date)?,
            Err(_) => _ = sheet.write_string(row, column, day.to_string())?,
        },
    }
    Ok(false)
}

/// A text that fits in a cell; one that is too long is cut, and ends with its full length.
fn fitting(text: &str) -> Cow<'_, str> {
    // A unit is at least one byte.
    if text.len() <= LONGEST_TEXT || text.encode_utf16().count() <= LONGEST_TEXT {
        return Cow::Borrowed(text);
    }
    let note = format!(" … [cut: {} characters in all]", text.chars().count());
    let mut left = LONGEST_TEXT - note.encode_utf16().count();
    let fits = |c: &char| left.checked_sub(c.len_utf16()).map(|rest| left = rest).is_some();
    Cow::Owned(text.chars().take_while(fits).chain(note.chars()).collect())
}

fn head() -> Format {
    Format::new().set_bold().set_text_wrap().set_align(FormatAlign::Top)
}

/// The error of the file system; any other error of a workbook in its own words.
fn plain(error: XlsxError) -> io::Error {
    match error {
        XlsxError::IoError(error) => error,
        other => io::Error::other(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_fit_into_cells_and_say_how_long_they_were() {
        let long = "😀".repeat(20_000);
        let cut = fitting(&long);
        assert!(
            cut.encode_utf16().count() <= LONGEST_TEXT
                && cut.ends_with("😀 … [cut: 20000 characters in all]")
        );
        let whole = "ß".repeat(LONGEST_TEXT);
        assert_eq!(fitting(&whole), whole);
    }
}
