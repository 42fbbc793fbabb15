//! Labels read from files: JSON lines, or tables (CSV) whose first row names the columns.

use crate::disk;
use crate::experiment::calibrate::Label;
use crate::failure::Failure;
use crate::streams::Streams;
use crate::value::{ShownPath, sanitize_line};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// Largest file of labels that is read, in bytes.
const MOST_BYTES: u64 = 256 << 20;

/// The maximum number of unreadable labels that are reported.
const MOST_SHOWN: usize = 20;

/// Reads all labels, in order. Those that can't be read are reported.
pub(super) fn read_labels(files: &[PathBuf], output: &mut Streams) -> Result<Vec<Label>, Failure> {
    let (mut labels, mut refused) = (Vec::new(), 0);
    for file in files {
        let bytes = disk::read_input(file, MOST_BYTES)
            .map_err(|error| Failure::broken(format!("can't read `{}`: {error}", file.shown())))?;
        let text = std::str::from_utf8(&bytes).map_err(|_| {
            Failure::broken(format!("`{}` is not text in UTF-8", file.shown()))
                .help("save it as UTF-8: JSON lines, or CSV")
        })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let is_table = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
        let records = if is_table { table(text) } else { lines(text) };
        for (line, members) in records {
            match members.and_then(|members| Label::read(members).map_err(|error| error.to_string())) {
                Ok(label) => labels.push(label),
                Err(why) => {
                    refused += 1;
                    if refused <= MOST_SHOWN {
                        refuse(file, line, &why, output);
                    }
                }
            }
        }
    }
    match refused {
        0 => Ok(labels),
        1 => Err(Failure::broken("1 line can't be read")),
        more => Err(Failure::broken(format!("{more} lines can't be read"))),
    }
    .map_err(|failure| {
        failure.help("a label says at least `document` (its id) and `wrong` (true or false), on a line of JSON or in columns of a CSV file")
    })
}

fn refuse(file: &Path, line: u64, why: &str, output: &mut Streams) {
    let word = output.err_paint.bad("error:");
    let name = sanitize_line(&file.shown());
    output.say(&format!("{word} {name}, line {line}: {}", sanitize_line(why)));
}

/// The members of each record, with the line on which it begins, or why there are none.
type Records = Vec<(u64, Result<Map<String, Value>, String>)>;

fn lines(text: &str) -> Records {
    let read = |line: &str| match serde_json::from_str::<Value>(line) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err("expected a JSON object".to_owned()),
        Err(error) => Err(format!("column {}: not JSON", error.column())),
    };
    let numbered = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    numbered.map(|(number, line)| (number, read(line))).collect()
}

fn table(text: &str) -> Records {
    // The reader miscounts the lines of files that end them in two characters.
    let text = text.replace("\r\n", "\n");
    let head = text.lines().next().unwrap_or_default();
    // Spreadsheets separate cells by `;` where numbers contain a comma.
    let delimiter = if head.contains(';') && !head.contains(',') { b';' } else { b',' };
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter).trim(csv::Trim::All).from_reader(text.as_bytes());
    let place = |error: &csv::Error| error.position().map_or(1, csv::Position::line);
    let columns = match reader.headers() {
        Ok(columns) => columns.clone(),
        Err(error) => return vec![(place(&error), Err(error.to_string()))],
    };
    if let Err(error) = Label::check_columns(&columns.iter().collect::<Vec<_>>()) {
        return vec![(1, Err(error.to_string()))];
    }
    let members = |row: &csv::StringRecord| {
        columns.iter().zip(row).map(|(column, cell)| (column.to_owned(), Value::from(cell))).collect()
    };
    reader
        .records()
        .map(|row| match row {
            Ok(row) => (row.position().map_or(1, csv::Position::line), Ok(members(&row))),
            Err(error) => {
                let why = match error.kind() {
                    csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                        format!("expected {expected_len} cells, as in the first row, found {len}")
                    }
                    _ => error.to_string(),
                };
                (place(&error), Err(why))
            }
        })
        .collect()
}
