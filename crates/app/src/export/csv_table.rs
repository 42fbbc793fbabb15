//! Rows as CSV (RFC 4180): UTF-8, commas, lines that end in CR LF.

use super::cell::Cell;
use std::borrow::Cow;
use std::io::{self, Write};

/// First characters of what a spreadsheet takes for a formula. Some languages read the wide forms like the others.
const FORMULAS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// A table that is written row by row.
pub struct CsvTable<W: Write>(csv::Writer<W>);

impl<W: Write> CsvTable<W> {
    /// A table with these names of columns.
    pub fn new(out: W, headings: &[&str]) -> io::Result<Self> {
        let mut table =
            CsvTable(csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(out));
        table.0.write_record(headings.iter().map(|heading| guarded(heading).into_owned()))?;
        Ok(table)
    }

    /// Adds a row.
    pub fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        for cell in cells {
            match cell {
                Cell::Empty => self.0.write_field("")?,
                Cell::Text(text) => self.0.write_field(guarded(text).as_bytes())?,
                Cell::Number(number) => self.0.write_field(number.to_string())?,
                Cell::Truth(truth) => self.0.write_field(truth.to_string())?,
                Cell::Date(date) => self.0.write_field(date.to_string())?,
            }
        }
        self.0.write_record(None::<&[u8]>)?;
        Ok(())
    }

    /// Writes what is buffered.
    pub fn finish(mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Characters that end a cell where a spreadsheet is set to, or guesses, another separator than a comma: then it does
/// not know our quotes either, so that what follows begins a cell.
const ENDS: [char; 5] = [';', '\t', '|', '\n', '\r'];

/// A text that no spreadsheet takes for a formula, as a whole or in part, regardless of the separator: with an
/// apostrophe before each formula. A plain number is none.
fn guarded(text: &str) -> Cow<'_, str> {
    let mut kept = String::new();
    let mut copied = 0;
    let mut begins = 0;
    for end in text.match_indices(ENDS).map(|(at, _)| at).chain([text.len()]) {
        let part = text.get(begins..end).unwrap_or_default();
        // Within a cell, quotes would be taken for those of the next; at its start they are its own.
        let bare = if begins == 0 { part } else { part.trim_start_matches('"') };
        // A character that ends a cell also begins a formula, where it is not taken for an end.
        let is_formula = bare.starts_with(FORMULAS) || begins == 0 && end == 0 && text.starts_with(FORMULAS);
        if is_formula && !is_number(part) {
            kept.push_str(text.get(copied..begins).unwrap_or_default());
            kept.push('\'');
            copied = begins;
        }
        begins = end + 1;
    }
    if copied == 0 && kept.is_empty() {
        return Cow::Borrowed(text);
    }
    kept.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(kept)
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
    use serde_json::json;

    #[test]
    fn what_a_spreadsheet_would_run_is_text() {
        for formula in [
            "=1+1", "+A1", "-A1", "@SUM(A1)", "\tx", "\rx", "\nx", "-1-1", "-", "+.5", "－A1", "--1",
            "-1.2.3",
        ] {
            assert_eq!(guarded(formula), format!("'{formula}"));
        }
        for plain in
            ["-3", "+0.5", "-12.25", "3", "a=b", "", "'=1", " =1", "a; b", "1;-3;2", "a\nb", "a;\n b", "a;"]
        {
            assert_eq!(guarded(plain), plain);
        }
    }

    /// Another program may take `;` for the separator, a comma and our quotes for text, and each line for a row.
    #[test]
    fn no_part_of_a_text_is_a_formula_where_something_else_separates() {
        for (text, kept) in [
            (";=1+1", ";'=1+1"),
            ("x;=1+1;y", "x;'=1+1;y"),
            ("x;\"=1+1\"", "x;'\"=1+1\""),
            ("a\t@SUM(A1)", "a\t'@SUM(A1)"),
            ("a|=cmd|' /C calc'!A0", "a|'=cmd|' /C calc'!A0"),
            ("note\n=1+1", "note\n'=1+1"),
            ("note\r\n+A1\r\n-3", "note\r\n'+A1\r\n-3"),
            ("=1;=2", "'=1;'=2"),
            ("\t=1", "'\t'=1"),
            ("ä;＝1", "ä;'＝1"),
        ] {
            assert_eq!(guarded(text), kept);
            assert_eq!(guarded(kept), kept, "twice is once");
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
