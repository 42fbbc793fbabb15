//! A table to fill in: a row for each field of each document, with empty columns for what a reviewer decides.

use super::cells::{guarded, unguarded};
use super::document::ReviewDocument;
use super::entry::{Entry, EntryError, Written};
use super::found::Found;
use super::reviewed::Reviewed;
use super::typed_value::shown;
use crate::diag::nearest;
use crate::experiment::evaluate::{TableLines, delimiter, moment_or_day};
use crate::value::{PagePassage, is_blank};
use csv::{ReaderBuilder, StringRecord, Trim, WriterBuilder};
use serde::Serialize;
use serde_json::Value;

/// The columns, in their order.
pub(super) const COLUMNS: [&str; 13] = [
    "document",
    "document_type",
    "reasons",
    "field",
    "issue",
    "value",
    "quote",
    "support",
    "decision",
    "after",
    "comment",
    "reviewer",
    "shown",
];

/// Columns that a table may have besides: the places of passages on pages are shown, the others are filled in.
pub(super) const MORE_COLUMNS: [&str; 5] = ["page", "places", "at", "spent_ms", "settles"];

/// The column after which the places of passages are written.
const BEFORE_PLACES: &str = "support";

/// Longest value and quote that a table shows, in characters.
const LONGEST: usize = 2_000;

/// A row. As JSON it has the columns that are filled in, empty.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorksheetRow {
    document: String,
    document_type: String,
    reasons: Vec<&'static str>,
    /// None for the row of the document as a whole.
    field: Option<String>,
    /// The key of an issue of the document as a whole, in the row that answers it; `value` is what it is about.
    issue: Option<String>,
    value: Option<Value>,
    quote: Option<String>,
    support: Option<&'static str>,
    /// The places of its passage on the pages of a document that has pages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    places: Vec<PagePassage>,
    decision: Option<String>,
    after: Option<Value>,
    comment: Option<String>,
    reviewer: Option<String>,
    shown: String,
}

/// The rows of a document: one of the document as a whole, and one for each of its fields, with what was decided so
/// far. `stamp` distinguishes this worksheet from others.
pub fn rows_of(document: &ReviewDocument, reviewed: &Reviewed, stamp: &str) -> Vec<WorksheetRow> {
    let whole = WorksheetRow {
        document: document.id().to_owned(),
        document_type: document.result.document_type.clone(),
        reasons: document.reasons().into_iter().map(super::queue::Reason::as_str).collect(),
        field: None,
        issue: None,
        value: None,
        quote: None,
        support: None,
        places: Vec::new(),
        decision: None,
        after: None,
        comment: None,
        reviewer: None,
        shown: format!("{}@{stamp}", document.shown),
    };
    let validation = document.result.best_validation.as_ref();
    let mut rows = vec![whole.clone()];
    for question in document.questions() {
        rows.push(WorksheetRow {
            issue: Some(question.key),
            value: Some(Value::from(question.issue.message.as_str())),
            places: question.issue.places.clone(),
            ..whole.clone()
        });
    }
    let found = Found::of(validation);
    for field in document.fields(document.extraction()) {
        let leaf = found.leaf(&field.path, field.value.as_ref());
        let held = reviewed.field(&field.path).and_then(super::reviewed::FieldReview::holds);
        rows.push(WorksheetRow {
            field: Some(field.path.to_string()),
            value: held.map_or(field.value, |held| held.value.clone()),
            quote: leaf.and_then(|leaf| leaf.quote.map(str::to_owned)),
            support: leaf.map(|leaf| leaf.support.as_str()),
            places: leaf.map(|leaf| leaf.places.to_vec()).unwrap_or_default(),
            ..whole.clone()
        });
    }
    rows
}

/// The rows as a table, with columns for places on pages if some document has pages.
///
/// # Errors
/// If they can't be written, which memory never refuses.
pub fn write_csv(rows: &[WorksheetRow]) -> Result<Vec<u8>, csv::Error> {
    let mut table = WriterBuilder::new().from_writer(Vec::new());
    let has_places = rows.iter().any(|row| !row.places.is_empty());
    let with_places = |cells: Vec<String>, places: [String; 2]| {
        let places = Some(places).filter(|_| has_places).into_iter().flatten();
        let mut all = cells;
        let at = COLUMNS.iter().position(|column| *column == BEFORE_PLACES).map_or(all.len(), |at| at + 1);
        all.splice(at..at, places);
        all
    };
    let names = COLUMNS.map(str::to_owned).to_vec();
    table.write_record(with_places(names, ["page", "places"].map(str::to_owned)))?;
    for row in rows {
        let cut = |text: String| text.chars().take(LONGEST).collect::<String>();
        let cells = vec![
            row.document.clone(),
            row.document_type.clone(),
            row.reasons.join(" "),
            row.field.clone().unwrap_or_default(),
            row.issue.clone().unwrap_or_default(),
            cut(row.value.as_ref().map(shown).unwrap_or_default()),
            cut(row.quote.clone().unwrap_or_default()),
            row.support.unwrap_or_default().to_owned(),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
            row.shown.clone(),
        ];
        let page = row.places.first().map(|first| first.page.to_string()).unwrap_or_default();
        let places = Some(&row.places).filter(|places| !places.is_empty()).map(serde_json::to_string);
        let places = places.transpose().map_err(std::io::Error::from)?.unwrap_or_default();
        table.write_record(with_places(cells, [page, places]).iter().map(|cell| guarded(cell)))?;
    }
    table.into_inner().map_err(|error| error.into_error().into())
}

/// Reads the rows of a table that a user filled in.
pub fn read_worksheet(bytes: &[u8]) -> (Vec<Entry>, Vec<EntryError>) {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = ReaderBuilder::new().delimiter(delimiter(bytes)).trim(Trim::Headers).from_reader(bytes);
    let header = match reader.headers().cloned() {
        Ok(header) => header,
        Err(_) => return (Vec::new(), vec![EntryError::of_line(1, "expected a table as UTF-8 text")]),
    };
    if let Some(error) = wrong_header(&header) {
        return (Vec::new(), vec![error]);
    }
    let (mut entries, mut errors) = (Vec::new(), Vec::new());
    let mut lines = TableLines::of(bytes);
    let mut row = StringRecord::new();
    loop {
        let start = reader.position().byte();
        match reader.read_record(&mut row) {
            Ok(false) => break,
            Ok(true) => match read_row(&header, &row, lines.of_row(start)) {
                Ok(entry) => entries.extend(Some(entry).filter(Entry::is_filled_in)),
                Err(error) => errors.push(error),
            },
            Err(error) => {
                let why = match error.kind() {
                    csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                        format!("the row has {len} cells, and the header {expected_len}")
                    }
                    _ => "the row is not UTF-8 text; save the file as CSV in UTF-8".to_owned(),
                };
                errors.push(EntryError::of_line(lines.of_row(start), why));
            }
        }
    }
    (entries, errors)
}

fn wrong_header(header: &StringRecord) -> Option<EntryError> {
    let known = || COLUMNS.into_iter().chain(MORE_COLUMNS);
    let of_column = |column: &str, message: String| EntryError {
        column: Some(column.to_owned()),
        ..EntryError::of_line(1, message)
    };
    for (at, column) in header.iter().enumerate().filter(|(_, column)| !column.is_empty()) {
        if header.iter().take(at).any(|other| other == column) {
            return Some(of_column(column, "the table has this column twice".to_owned()));
        }
        if let Some(guess) = nearest(column, known()).filter(|guess| *guess != column)
            && !header.iter().any(|other| other == guess)
        {
            return Some(of_column(column, format!("unknown column; did you mean `{guess}`?")));
        }
    }
    let lacking = ["document", "field", "decision"]
        .into_iter()
        .find(|name| !header.iter().any(|other| other == *name))?;
    Some(EntryError::of_line(
        1,
        format!("the table has no column `{lacking}`; `loopctl review export` writes one"),
    ))
}

fn read_row(header: &StringRecord, row: &StringRecord, line: u64) -> Result<Entry, EntryError> {
    let cell = |name: &str| {
        let at = header.iter().position(|column| column == name)?;
        let text = unguarded(row.get(at)?.trim_matches([' ', '\n'])).to_owned();
        Some(text).filter(|text| !is_blank(text))
    };
    let word = |name: &str| cell(name).map(|text| text.trim().to_owned());
    let mut entry = Entry {
        line,
        document: cell("document"),
        field: word("field"),
        issue: word("issue"),
        action: word("decision"),
        value: cell("value"),
        after: cell("after").map(Written::Cell),
        comment: cell("comment"),
        reviewer: word("reviewer"),
        shown: word("shown"),
        ..Entry::default()
    };
    if let Some(at) = word("at") {
        let read = moment_or_day(&at);
        entry.at =
            Some(read.ok_or_else(|| entry.error("at", "expected a moment such as `2026-11-25T09:30:00Z`"))?);
    }
    if let Some(settles) = word("settles") {
        entry.settles = match settles.to_lowercase().as_str() {
            "true" | "yes" | "1" => true,
            "false" | "no" | "0" => false,
            _ => return Err(entry.error("settles", "expected `true` or `false`")),
        };
    }
    if let Some(spent) = word("spent_ms") {
        let read = spent.parse().ok();
        entry.spent_ms =
            Some(read.ok_or_else(|| entry.error("spent_ms", "expected whole milliseconds, such as 4200"))?);
    }
    Ok(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_told_by_their_lines() {
        let table =
            "document,field,decision,comment\r\na,x,accept,\"two\r\nlines\"\r\n\r\nb,y,edit,\r\nc,z,,\r\n";
        let (entries, errors) = read_worksheet(table.as_bytes());
        assert_eq!(errors, []);
        let lines: Vec<(u64, Option<&str>)> =
            entries.iter().map(|entry| (entry.line, entry.document.as_deref())).collect();
        assert_eq!(lines, [(2, Some("a")), (5, Some("b"))]);
    }

    #[test]
    fn a_table_of_another_kind_is_refused() {
        let said = |table: &str| read_worksheet(table.as_bytes()).1.first().map(ToString::to_string);
        assert_eq!(
            said("document,field,decison\n"),
            Some("line 1, `decison`: unknown column; did you mean `decision`?".to_owned())
        );
        assert_eq!(
            said("a;b\n").as_deref(),
            Some("line 1: the table has no column `document`; `loopctl review export` writes one")
        );
        assert_eq!(
            said("document,field,decision\na,b\n").as_deref(),
            Some("line 2: the row has 2 cells, and the header 3")
        );
    }
}
