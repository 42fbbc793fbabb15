//! Labels as a table: CSV whose header names the fields, or whose columns a map names.

use super::example_map::{MOST_LISTED, example};
use super::label::{FieldLabel, LabelError, LabelRecord, Standing, field_name, moment};
use super::label_map::{LabelMap, NOT_PRESENT};
use crate::value::prose::first_listed;
use csv::{ReaderBuilder, StringRecord, Trim};
use serde_json::Value;
use std::collections::BTreeSet;

/// Columns of a table without a map that are not fields.
const DOCUMENT: &str = "document";
const DOCUMENT_TYPE: &str = "document_type";
const CLUSTER: &str = "cluster";
const REVIEWER: &str = "reviewer";
const AT: &str = "at";

/// Reads a table. Each row is about one document, an empty cell says nothing, and `not_present` says that the document
/// has no such value.
///
/// # Errors
/// The problem of the header, or of each row that can't be used; the others are returned.
pub fn read_table(bytes: &[u8], map: Option<&LabelMap>, place: &str) -> (Vec<LabelRecord>, Vec<LabelError>) {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = ReaderBuilder::new().trim(Trim::All).delimiter(delimiter(bytes)).from_reader(bytes);
    let header = match reader.headers() {
        Ok(header) => header.clone(),
        Err(error) => return (Vec::new(), vec![LabelError::new(place, format!("no table: {error}"))]),
    };
    if let Err(error) = check_header(&header, map, place) {
        return (Vec::new(), vec![error]);
    }
    let (mut records, mut errors) = (Vec::new(), Vec::new());
    let mut lines = TableLines::of(bytes);
    let mut row = StringRecord::new();
    loop {
        let start = reader.position().byte();
        match reader.read_record(&mut row) {
            Ok(false) => break,
            Ok(true) => {
                let place = format!("{place}, line {}", lines.of_row(start));
                let read = match map {
                    Some(map) => map.read_row(&|name| cell(&header, &row, name), &place),
                    None => by_header(&header, &row, &place).map(Some),
                };
                match read {
                    Ok(record) => records.extend(record),
                    Err(error) => errors.push(error),
                }
            }
            Err(error) => {
                let why = match error.kind() {
                    csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                        format!("the row has {len} cells, and the header {expected_len}")
                    }
                    csv::ErrorKind::Utf8 { .. } => "the row is not UTF-8 text".to_owned(),
                    _ => "the row can't be read".to_owned(),
                };
                errors.push(LabelError::new(&format!("{place}, line {}", lines.of_row(start)), why));
            }
        }
    }
    (records, errors)
}

/// Counts the lines of a table. The reader's own count is one too low if lines end with CR and LF, because it takes the
/// CR for the end of a row.
#[derive(Debug)]
pub struct TableLines<'b> {
    bytes: &'b [u8],
    /// The position up to which they are counted.
    at: usize,
    line: u64,
}

impl<'b> TableLines<'b> {
    /// Those of a table, from the first one on.
    #[must_use]
    pub fn of(bytes: &'b [u8]) -> Self {
        TableLines { bytes, at: 0, line: 1 }
    }

    /// The line of the row that begins at `start`, or after the line ends that follow there. Rows are asked for in
    /// their order.
    pub fn of_row(&mut self, start: u64) -> u64 {
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        while let Some(byte) = self.bytes.get(self.at) {
            if self.at >= start && !matches!(byte, b'\r' | b'\n') {
                break;
            }
            self.at += 1;
            self.line +=
                u64::from(*byte == b'\n' || *byte == b'\r' && self.bytes.get(self.at) != Some(&b'\n'));
        }
        self.line
    }
}

/// The separator of cells: the one of `,`, `;` and tabs that is most frequent in the first line.
#[must_use]
pub fn delimiter(bytes: &[u8]) -> u8 {
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let count = |sign: u8| first.iter().filter(|byte| **byte == sign).count();
    [b';', b'\t'].into_iter().fold(b',', |best, sign| if count(sign) > count(best) { sign } else { best })
}

fn check_header(header: &StringRecord, map: Option<&LabelMap>, place: &str) -> Result<(), LabelError> {
    if header.is_empty() {
        return Err(LabelError::new(place, "the table is empty; its first line must name the columns"));
    }
    // Spreadsheets leave columns without a name at the end.
    let mut seen = BTreeSet::new();
    if let Some(twice) = header.iter().find(|column| !seen.insert(*column) && !column.is_empty()) {
        return Err(LabelError::new(place, format!("the table has the column `{twice}` twice")));
    }
    let has = |name: &str| seen.contains(name);
    let columns: Vec<&str> = header.iter().collect();
    let it_has = first_listed(&columns, MOST_LISTED);
    match map {
        Some(map) => map.columns().find(|column| !has(column)).map_or(Ok(()), |missing| {
            let guess = crate::diag::nearest(missing, columns.iter().copied());
            let guess = guess.map_or_else(String::new, |guess| format!(" (did you mean `{guess}`?)"));
            let message =
                format!("the table has no column `{missing}`, which the map names{guess}; it has {it_has}");
            Err(LabelError::new(place, message))
        }),
        None if has(DOCUMENT) => Ok(()),
        None => {
            let message = format!(
                "the table has no column `{DOCUMENT}`, which names the document of each row; it has {it_has}"
            );
            Err(LabelError::new(place, message).help(example(&columns, place)))
        }
    }
}

fn cell<'r>(header: &StringRecord, row: &'r StringRecord, name: &str) -> Option<&'r str> {
    let at = header.iter().position(|column| column == name)?;
    row.get(at).filter(|cell| !cell.is_empty())
}

fn by_header(header: &StringRecord, row: &StringRecord, place: &str) -> Result<LabelRecord, LabelError> {
    let text = |name: &str| cell(header, row, name).map(str::to_owned);
    let document = text(DOCUMENT).ok_or_else(|| {
        LabelError::new(place, "`document`: expected the name of a document, found nothing")
    })?;
    let fields = header.iter().zip(row).filter(|(column, cell)| {
        !cell.is_empty() && ![DOCUMENT, DOCUMENT_TYPE, CLUSTER, REVIEWER, AT].contains(column)
    });
    let fields = fields.map(|(column, cell)| {
        let value = if cell == NOT_PRESENT { Value::Null } else { Value::from(cell) };
        (field_name(column), FieldLabel::of(value))
    });
    Ok(LabelRecord {
        is_swept: false,
        standing: Standing::Plain,
        document,
        document_type: text(DOCUMENT_TYPE),
        cluster: text(CLUSTER),
        reviewer: text(REVIEWER),
        at: text(AT).map(|at| moment(&at, place)).transpose()?,
        fields: fields.collect(),
        place: place.to_owned(),
    })
}
