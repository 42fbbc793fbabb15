//! Text repaired to JSON, and JSON repaired towards a schema: one text, or records line by line.

use crate::disk;
use crate::failure::Failure;
use crate::profile::{MAX_FILE_BYTES, Repair};
use crate::repair::{
    MAX_STEPS, MAX_TEXT_BYTES, Operation, Remaining, RepairStep, Repaired, Repairer, TextPosition,
    Unsalvageable, salvage_bytes,
};
use crate::streams::{Streams, complain};
use crate::value::ShownPath;
use crate::value::{Fuel, sanitize_line};
use serde::Serialize;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Longest line of a `.jsonl`: its input with every byte escaped, and a schema.
const MAX_LINE_BYTES: u64 = 4 * MAX_TEXT_BYTES as u64;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A request to repair.
#[derive(Debug, Clone)]
pub struct RepairRequest {
    /// The schema that the value should come closer to.
    pub schema: Option<PathBuf>,
    /// The passes.
    pub settings: Repair,
    /// The form of the answer; `None` for records of a `.jsonl`, else text.
    pub format: Option<RepairForm>,
    /// The file; `None` and `-` are standard input.
    pub file: Option<PathBuf>,
}

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepairForm {
    /// The value alone.
    Text,
    /// One object: value, steps, patch and, with a schema, the errors that remain.
    Json,
    /// An answer for each record.
    Jsonl,
}

/// Repairs what the request names, and writes the answers as they come. Returns whether every record has a value.
///
/// # Errors
/// When the request can't be carried out, or the only text is beyond repair.
pub fn repair(request: &RepairRequest, output: &mut Streams) -> Result<bool, Failure> {
    let settings = request.settings;
    let schema = request.schema.as_deref().map(read_schema).transpose()?;
    let repairer = match (&request.schema, &schema) {
        (Some(path), Some(schema)) => Repairer::new(settings, &path.shown(), schema)
            .map_err(|why| Failure::usage(format!("`{}` is not a JSON Schema: {why}", path.shown())))?,
        _ => Repairer::without_schema(settings),
    };
    let file = request.file.as_deref().filter(|file| file.as_os_str() != "-");
    let name = file.map_or_else(|| "standard input".to_owned(), |file| file.shown().into_owned());
    let holds_records =
        file.and_then(Path::extension).is_some_and(|ending| ending.eq_ignore_ascii_case("jsonl"));
    let format = match request.format {
        None if holds_records => RepairForm::Jsonl,
        None => RepairForm::Text,
        Some(RepairForm::Text | RepairForm::Json) if holds_records => {
            return Err(Failure::usage("a `.jsonl` is answered line by line")
                .help("leave out `--format`, or write `--format jsonl`"));
        }
        Some(format) => format,
    };
    let input: Box<dyn Read> = match file {
        None => Box::new(std::io::stdin()),
        Some(file) => Box::new(
            disk::open_input(file)
                .map_err(|error| Failure::broken(format!("can't read `{name}`: {error}")))?,
        ),
    };
    if format == RepairForm::Jsonl {
        RecordRepairer { repairer, settings, name, own: None, broken: false }
            .answer(BufReader::new(input), output)
    } else {
        single(&repairer, settings, input, &name, format, output)
    }
}

fn read_schema(path: &Path) -> Result<Value, Failure> {
    let bytes = disk::read_input(path, MAX_FILE_BYTES)
        .map_err(|error| Failure::broken(format!("can't read the schema `{}`: {error}", path.shown())))?;
    serde_json::from_slice(bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes)).map_err(|error| {
        Failure::broken(format!(
            "{}:{}:{}: the schema is not JSON",
            path.shown(),
            error.line(),
            error.column()
        ))
    })
}

/// Repairs one text.
fn single(
    repairer: &Repairer,
    settings: Repair,
    input: Box<dyn Read>,
    name: &str,
    format: RepairForm,
    output: &mut Streams,
) -> Result<bool, Failure> {
    let mut bytes = Vec::new();
    let limit = MAX_TEXT_BYTES as u64 + 1;
    input
        .take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::broken(format!("can't read `{name}`: {error}")))?;
    let mended = mend_bytes(repairer, settings, &bytes).map_err(|why| refusal(name, why))?;
    match format {
        RepairForm::Text => writeln!(output.out, "{}", pretty(&mended.value))?,
        RepairForm::Json | RepairForm::Jsonl => {
            #[derive(Serialize)]
            struct RepairAnswer<'a> {
                value: &'a Value,
                steps: &'a [RepairStep],
                patch: Vec<Operation>,
                #[serde(skip_serializing_if = "Option::is_none")]
                remaining_errors: Option<Vec<Remaining>>,
            }
            let answer = RepairAnswer {
                value: &mended.value,
                steps: &mended.steps,
                patch: mended.patch(),
                remaining_errors: repairer.remaining(&mended.value),
            };
            writeln!(output.out, "{}", serde_json::to_string_pretty(&answer).unwrap_or_default())?;
        }
    }
    output.out.flush()?;
    say_steps(&mended.steps, output);
    let left = repairer.errors(&mended.value);
    if left > 0 {
        let errors =
            if left == 1 { "1 schema error is".to_owned() } else { format!("{left} schema errors are") };
        output.warn(&format!("{errors} left that no repair helped with"));
    }
    Ok(true)
}

fn mend_bytes(repairer: &Repairer, settings: Repair, bytes: &[u8]) -> Result<Repaired, Unsalvageable> {
    let fuel = Fuel::of(MAX_STEPS);
    match std::str::from_utf8(bytes) {
        Ok(text) => repairer.text(text, None, &fuel),
        Err(_) if settings.salvage => repairer.salvaged(salvage_bytes(bytes)?, None, &fuel),
        Err(error) => {
            let before = String::from_utf8_lossy(bytes.get(..error.valid_up_to()).unwrap_or_default());
            let TextPosition { line, column, .. } = TextPosition::of(&before, before.len());
            Err(Unsalvageable::NotStrict { line, column })
        }
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

fn refusal(name: &str, why: Unsalvageable) -> Failure {
    Failure::broken(format!("`{name}`: {why}")).help(why.help())
}

/// Reports what was done, for people.
fn say_steps(steps: &[RepairStep], output: &mut Streams) {
    for step in steps {
        let place = step.place.map_or_else(String::new, |at| format!("{}:{}: ", at.line, at.column));
        let times = if step.times > 1 { format!(" ({} times)", step.times) } else { String::new() };
        let word = output.err_paint.good("repaired:");
        output.say(&format!("{word} {place}{}{times}", sanitize_line(&step.reason)));
    }
}

/// Records, one per line.
struct RecordRepairer {
    /// For records without a schema of their own.
    repairer: Repairer,
    settings: Repair,
    name: String,
    /// The schema that a record brought, compiled: the next one may bring the same.
    own: Option<(Value, Repairer)>,
    broken: bool,
}

/// One line of output.
#[derive(Serialize)]
struct RepairAnswer<'a> {
    id: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    steps: &'a [RepairStep],
    /// With a schema: the errors that remain in the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    remaining_errors: Option<Vec<Remaining>>,
}

impl RepairAnswer<'_> {
    fn write(&self, output: &mut Streams) -> Result<(), Failure> {
        Ok(writeln!(output.out, "{}", serde_json::to_string(self).unwrap_or_default())?)
    }
}

/// The reason that a line has no value.
struct RecordError {
    /// `null` where the line has none.
    id: Value,
    why: String,
}

impl RecordRepairer {
    /// Answers the lines. One that can't be used is reported; the others are answered.
    fn answer(mut self, mut reader: impl BufRead, output: &mut Streams) -> Result<bool, Failure> {
        let mut line = Vec::new();
        for number in 1_u64.. {
            line.clear();
            let read = reader.by_ref().take(MAX_LINE_BYTES + 1).read_until(b'\n', &mut line);
            if read.map_err(|error| Failure::broken(format!("can't read `{}`: {error}", self.name)))? == 0 {
                break;
            }
            if line.len() as u64 > MAX_LINE_BYTES {
                return Err(Failure::broken(format!(
                    "{}:{number}: the line has more than {MAX_LINE_BYTES} bytes; the rest was not read",
                    self.name
                )));
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            if let Err(RecordError { id, why }) = self.one(&line, output)? {
                self.broken = true;
                RepairAnswer { id: &id, value: None, error: Some(&why), steps: &[], remaining_errors: None }
                    .write(output)?;
                complain(output, &Failure::broken(format!("{}:{number}: {why}", self.name)));
            }
        }
        output.out.flush()?;
        Ok(!self.broken)
    }

    /// Answers one line. The outer error is one of writing, the inner one says what is wrong with the line.
    fn one(&mut self, line: &[u8], output: &mut Streams) -> Result<Result<(), RecordError>, Failure> {
        let unanswered = |id: &Value, why: String| Ok(Err(RecordError { id: id.clone(), why }));
        let record: Value = match serde_json::from_slice(line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)) {
            Ok(record) => record,
            Err(error) => {
                return unanswered(&Value::Null, format!("column {}: the line is not JSON", error.column()));
            }
        };
        let Some(id) = record.get("id").filter(|id| !id.is_null()) else {
            let why = "expected an object with `id` and `input`, and it lacks `id`";
            return unanswered(&Value::Null, why.to_owned());
        };
        let Some(input) = record.get("input") else {
            return unanswered(id, "the record lacks `input`".to_owned());
        };
        let repairer = match record.get("schema").filter(|schema| !schema.is_null()) {
            None => &self.repairer,
            Some(schema) => match Self::compiled(&mut self.own, schema, self.settings) {
                Ok(repairer) => repairer,
                Err(why) => return unanswered(id, format!("`schema` is not a JSON Schema: {why}")),
            },
        };
        let fuel = Fuel::of(MAX_STEPS);
        let mended = match input {
            Value::String(text) => repairer.text(text, None, &fuel),
            value => Ok(repairer.value(value.clone(), None, &fuel)),
        };
        match mended {
            Ok(Repaired { value, steps }) => {
                let remaining_errors = repairer.remaining(&value);
                RepairAnswer { id, value: Some(&value), error: None, steps: &steps, remaining_errors }
                    .write(output)?;
            }
            Err(why) => {
                self.broken = true;
                let why = why.to_string();
                RepairAnswer { id, value: None, error: Some(&why), steps: &[], remaining_errors: None }
                    .write(output)?;
            }
        }
        Ok(Ok(()))
    }

    fn compiled<'a>(
        own: &'a mut Option<(Value, Repairer)>,
        schema: &Value,
        settings: Repair,
    ) -> Result<&'a Repairer, String> {
        let is_known = own.as_ref().is_some_and(|(known, _)| known == schema);
        if !is_known {
            *own = Some((schema.clone(), Repairer::new(settings, "schema", schema)?));
        }
        own.as_ref().map(|(_, repairer)| repairer).ok_or_else(String::new)
    }
}
