//! Rows as CSV (RFC 4180): UTF-8, commas, lines that end in CR LF.

use super::cell::Cell;
use std::borrow::Cow;
use std::io::{self, Write};

/// What a spreadsheet takes a cell for a formula by. The wide forms are read like the others in some languages.
const FORMULAS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// A table that is written row by row.
pub(crate) struct CsvTable<W: Write>(csv::Writer<W>);

impl<W: Write> CsvTable<W> {
    /// A table with these names of columns.
    pub(crate) fn new(out: W, headings: &[&str]) -> io::Result<Self> {
        let mut table =
            CsvTable(csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(out));
        table.0.write_record(headings.iter().map(|heading| guarded(heading).into_owned()))?;
        Ok(table)
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        for cell in cells {
            match cell {
                Cell::Empty => self.0.write_field("")?,
                Cell::Text(text) => self.0.write_field(guarded(text).as_bytes())?,
                Cell::Number(number) => self.0.write_field(number.to_string())?,
                Cell::Truth(truth) => self.0.write_field(if *truth { "true" } else { "false" })?,
                Cell::Date(date) => self.0.write_field(date.to_string())?,
            }
        }
        self.0.write_record(None::<&[u8]>)?;
        Ok(())
    }

    /// Writes what waits.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A text that no spreadsheet takes for a formula: with an apostrophe before it, if it would. A plain number is none.
fn guarded(text: &str) -> Cow<'_, str> {
    if !text.starts_with(FORMULAS) || is_number(text) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("'{text}"))
}

/// `-3`, `+0.5`: digits, with one point between them at most.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let mut parts = digits.splitn(2, '.');
    parts.all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::cell::Cell;
    use serde_json::json;

    #[test]
    fn what_a_spreadsheet_would_run_is_text() {
        for formula in [
            "=1+1", "+A1", "-A1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "-1-1", "-", "+.5", "－A1", "--1",
            "-1.2.3",
        ] {
            assert_eq!(guarded(formula), format!("'{formula}"));
        }
        for plain in ["-3", "+0.5", "-12.25", "3", "a=b", "", "'=1", " =1"] {
            assert_eq!(guarded(plain), plain);
        }
    }

    #[test]
    fn rows_are_as_rfc_4180_has_them() {
        let mut out = Vec::new();
        let mut table = CsvTable::new(&mut out, &["a", "=b"]).unwrap();
        let values = [json!("say \"x\",\ny"), json!(-4.5), json!(true), json!(null)];
        for pair in values.chunks(2) {
            let cells: Vec<Cell<'_>> = pair.iter().map(|value| Cell::value(value, false)).collect();
            table.row(&cells).unwrap();
        }
        table.finish().unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "a,'=b\r\n\"say \"\"x\"\",\ny\",-4.5\r\ntrue,\r\n");
    }
}
