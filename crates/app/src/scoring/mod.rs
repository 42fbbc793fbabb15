//! Extractions scored, from files of one or of many.

mod score_record;
mod source_document;

pub use score_record::{ScoreRecord, without_mark};
pub use source_document::SourceDocument;

use crate::context::Context;
use crate::disk::{self, ReadError};
use crate::failure::Failure;
use crate::named_input::NamedInput;
use crate::plan::{DocumentContext, Given, Plan};
use crate::plans::{known_type, refuse_profiles};
use crate::profiles::SelectedProfile;
use crate::report::assessment_table;
use crate::requests::ResultFormat;
use crate::rules::UNKNOWN_TYPE;
use crate::score::{Assessment, Assessor, Evidence, Issue, Scores};
use crate::streams::{RecordWriter, Streams, complain};
use crate::value::{Score, ShownPath, os_text};
use score_record::{KEYS, in_extraction};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Longest line of a `.jsonl`, and largest `.json`, in bytes.
const MAX_RECORD: u64 = 64 << 20;

/// The number of bytes of a `.jsonl` that are read at once.
const READ_AT_ONCE: usize = 64 << 10;

/// A request to score extractions.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreRequest {
    /// The profile that scores.
    pub profile: SelectedProfile,
    /// The type of documents whose records name none.
    pub document_type: Option<String>,
    /// The text that the only extraction of a file was made from.
    pub source: Option<PathBuf>,
    /// Values of dimensions that are not measured: `NAME=VALUE`.
    pub given: Vec<String>,
    /// The form of the answers; `None` for the default of the reader.
    pub format: Option<ResultFormat>,
    /// Files of one extraction (`.json`), and of records; `-` is standard input.
    pub files: Vec<PathBuf>,
}

/// The help on files to score.
const RECORDS: &str = "a `.json` holds one extraction; other files hold a record on each line: `{\"id\": …, \"document_type\": …, \"extraction\": {…}}`; the text of a document goes with `--source`";

/// One answer.
#[derive(Serialize)]
struct ScoredRecord<'a> {
    id: &'a Value,
    scores: &'a Scores,
    overall: f64,
    issues: &'a [Issue],
    /// The source's evidence for each value; empty if no dimension asks.
    #[serde(skip_serializing_if = "Evidence::is_empty")]
    evidence: &'a Evidence,
}

/// Scores extractions, and writes the answers as they come. Returns whether all could be read; the others are reported.
///
/// # Errors
/// When the request can't be carried out, or a file can't be read to its end.
pub fn score(request: &ScoreRequest, context: &Context, output: &mut Streams) -> Result<bool, Failure> {
    refuse_profiles(context, &request.files)?;
    let plan = request.profile.plan_to_score(context, &context.library(), output)?;
    let document_type = request.document_type.as_deref().map(|t| known_type(&plan, t)).transpose()?;
    let given = request.given.iter().map(|text| parse_given(&plan, text)).collect::<Result<Vec<_>, _>>()?;
    if let (Some(_), Some(records)) = (&request.source, request.files.iter().find(|file| !is_single(file))) {
        return Err(Failure::usage(format!(
            "`--source` goes with a `.json`, not with `{}`",
            records.shown()
        ))
        .help("a record names its text itself, under `source`"));
    }
    let reader = context.reader().clone().with_ingest(&plan.profile.ingest);
    let read = |path| SourceDocument::read(path, &reader, output);
    let source = request.source.as_deref().map(read).transpose()?;
    let format = output.record_format(request.format, context)?;
    let mut scorer = Scorer {
        assessor: Assessor::new(plan.scoring.clone()),
        plan,
        document_type,
        given,
        beside: Vec::new(),
        assessment: Assessment::default(),
        writer: RecordWriter::buffered(format),
        broken: false,
        warned: BTreeSet::new(),
        untyped: false,
    };
    let mut files = request.files.iter();
    let scored = files.try_for_each(|file| {
        if is_single(file) {
            scorer.single(file, source.as_ref(), output)
        } else {
            scorer.lines(file, output)
        }
    });
    // Scores are written even if something failed after them.
    scorer.writer.flush(output)?;
    scored?;
    scorer.writer.close(output)?;
    if scorer.untyped {
        output.warn(&format!(
            "nothing says which type the document has, so it was scored as `{UNKNOWN_TYPE}`: name it with `--type`, or in the record's `document_type`"
        ));
    }
    Ok(!scorer.broken)
}

/// Returns whether a file holds one extraction, not records.
fn is_single(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
}

fn parse_given(plan: &Plan, text: &str) -> Result<(String, Score), Failure> {
    let (name, value) = text.split_once('=').ok_or_else(|| {
        Failure::usage(format!("`--given {text}` lacks its value")).help("write `--given accuracy=0.97`")
    })?;
    let value: f64 = value
        .trim()
        .parse()
        .map_err(|_| Failure::usage(format!("`--given {text}`: expected a number after `=`")))?;
    checked_given(plan, name.trim(), value).map_err(Failure::usage)
}

fn checked_given(plan: &Plan, name: &str, value: f64) -> Result<(String, Score), String> {
    let known = plan.dimensions();
    if !known.contains(&name) {
        let guess = crate::diag::nearest(name, known.iter().copied());
        let guess =
            guess.map_or_else(|| format!("known: {}", known.join(", ")), |g| format!("did you mean `{g}`?"));
        return Err(format!("given: no dimension is called `{name}`; {guess}"));
    }
    let score = Score::new(value)
        .ok_or_else(|| format!("given: expected a score from 0 to 1 for `{name}`, found {value}"))?;
    Ok((name.to_owned(), score))
}

fn read_bounded(path: &Path) -> Result<Vec<u8>, Failure> {
    disk::read_input(path, MAX_RECORD).map_err(|error| match error {
        ReadError::TooLarge { limit } => {
            Failure::broken(format!("`{}` has more than {limit} bytes", path.shown()))
        }
        _ => Failure::broken(format!("can't read `{}`: {error}", path.shown())),
    })
}

/// The reason that a record was not scored.
enum UnscoredRecord {
    /// Its extraction is not JSON.
    Json(serde_json::Error),
    /// Another problem of the record.
    Record(String),
}

struct Scorer {
    plan: Plan,
    assessor: Assessor,
    document_type: Option<String>,
    given: Vec<(String, Score)>,
    /// The scores given for the current record.
    beside: Vec<(String, Score)>,
    assessment: Assessment,
    writer: RecordWriter,
    broken: bool,
    warned: BTreeSet<String>,
    /// `true` if an extraction of unknown type was scored, in a profile that knows types.
    untyped: bool,
}

impl Scorer {
    /// Scores one extraction in a file of its own. One that can't be used is reported; the other files are answered.
    fn single(
        &mut self,
        path: &Path,
        source: Option<&SourceDocument>,
        output: &mut Streams,
    ) -> Result<(), Failure> {
        match self.assess_file(path, source) {
            Ok(id) => self.answer(&id, output),
            Err(failure) => {
                complain(output, &failure);
                self.broken = true;
                Ok(())
            }
        }
    }

    /// Assesses the extraction in a file and returns its id, the file's name.
    fn assess_file(&mut self, path: &Path, source: Option<&SourceDocument>) -> Result<Value, Failure> {
        let bytes = read_bounded(path)?;
        let not_json = |place: &str| {
            Failure::broken(format!("`{}` is not JSON ({place})", path.shown()))
                .help("a `.json` holds one extraction")
        };
        let extraction = std::str::from_utf8(without_mark(&bytes))
            .map_err(|error| not_json(&format!("it is not UTF-8 from byte {} on", error.valid_up_to())))?;
        let id = path.file_stem().map_or_else(String::new, |stem| os_text(stem).into_owned());
        let record = ScoreRecord::unlabelled(Value::String(id), extraction, source.map(SourceDocument::text));
        self.assess(&record, source).map_err(|why| match why {
            UnscoredRecord::Json(error) => {
                not_json(&format!("line {}, column {}", error.line(), error.column()))
            }
            UnscoredRecord::Record(why) => Failure::broken(format!("`{}`: {why}", path.shown())),
        })?;
        Ok(record.id)
    }

    /// Scores many records. A line that can't be used is reported; the others are answered.
    fn lines(&mut self, path: &Path, output: &mut Streams) -> Result<(), Failure> {
        let mut reader = BufReader::with_capacity(READ_AT_ONCE, NamedInput::open(path)?.reader);
        let mut line = Vec::new();
        for number in 1_u64.. {
            line.clear();
            // A client that waits for answers before the rest of the next record gets them.
            if !reader.buffer().contains(&b'\n') {
                self.writer.flush(output)?;
            }
            let read = reader.by_ref().take(MAX_RECORD + 1).read_until(b'\n', &mut line);
            if read.map_err(|error| Failure::broken(format!("can't read `{}`: {error}", path.shown())))? == 0
            {
                break;
            }
            if line.len() as u64 > MAX_RECORD {
                return Err(Failure::broken(format!(
                    "{}:{number}: the line has more than {MAX_RECORD} bytes; the rest was not read",
                    path.shown()
                )));
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            if is_text(path, &line) {
                let file = path.shown();
                return Err(Failure::broken(format!(
                    "`{file}` is neither an extraction nor records: line {number} is not JSON"
                ))
                .help(RECORDS));
            }
            let record = ScoreRecord::parse(&line);
            let answered = record.and_then(|record| match self.assess(&record, None) {
                Ok(()) => Ok(record),
                Err(UnscoredRecord::Json(error)) => Err(in_extraction(&line, record.extraction, &error)),
                Err(UnscoredRecord::Record(why)) => Err(why),
            });
            match answered {
                Ok(record) => {
                    self.warn_of_ignored(&record, output);
                    self.answer(&record.id, output)?;
                }
                Err(why) => {
                    let word = output.err_paint.bad("error:");
                    output.say(&format!("{word} {}:{number}: {why}", path.shown()));
                    if !self.broken {
                        output.say(&format!("  help: {RECORDS}"));
                    }
                    self.broken = true;
                }
            }
        }
        Ok(())
    }

    fn answer(&mut self, id: &Value, output: &mut Streams) -> Result<(), Failure> {
        let assessment = &self.assessment;
        if self.writer.format == ResultFormat::Text {
            let name = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
            return Ok(output
                .out
                .write_all(assessment_table(&name, assessment, output.out_paint).as_bytes())?);
        }
        let answer = ScoredRecord {
            id,
            scores: &assessment.scores,
            overall: assessment.overall,
            issues: &assessment.issues,
            evidence: &assessment.evidence,
        };
        Ok(self.writer.write(&answer, output)?)
    }

    /// Warns once for each key that is ignored.
    fn warn_of_ignored(&mut self, record: &ScoreRecord<'_>, output: &mut Streams) {
        for key in &record.ignored {
            if !self.warned.contains(&**key) {
                self.warned.insert(key.to_string());
                let guess = crate::diag::nearest(key, KEYS)
                    .map_or_else(String::new, |g| format!("; did you mean `{g}`?"));
                output.warn(&format!("the key `{key}` of records is ignored{guess}"));
            }
        }
    }

    /// Assesses a record; its source may be in a file of its own.
    fn assess(
        &mut self,
        record: &ScoreRecord<'_>,
        file: Option<&SourceDocument>,
    ) -> Result<(), UnscoredRecord> {
        self.beside.clone_from(&self.given);
        for (name, value) in &record.given {
            let one = checked_given(&self.plan, name, *value).map_err(UnscoredRecord::Record)?;
            self.beside.retain(|(known, _)| *known != one.0);
            self.beside.push(one);
        }
        let named = match &record.document_type {
            Some(named) => Some(known_type(&self.plan, named).map_err(|failure| {
                let said = [Some(failure.message), failure.help].into_iter().flatten();
                UnscoredRecord::Record(said.collect::<Vec<_>>().join("; "))
            })?),
            None => self.document_type.clone(),
        };
        self.untyped |= named.is_none()
            && (record.source.is_none() || self.plan.classifier.is_none())
            && self.plan.document_types().any(|known| known != UNKNOWN_TYPE);
        let context = match (file, &record.source) {
            (Some(file), _) => {
                let (document, named) = (&file.document, named.as_deref());
                DocumentContext::of(&self.plan, document, named, "with `--type`", &mut Vec::new())
            }
            (None, Some(text)) => DocumentContext::of_text(&self.plan, text, named.as_deref()),
            (None, None) => {
                DocumentContext::named(&self.plan, named.as_deref().unwrap_or(UNKNOWN_TYPE), None)
            }
        };
        let given = Given { scores: &self.beside, quotes: Some(&record.quotes), judged: None };
        context
            .assess_text(&mut self.assessor, record.extraction, given, &mut self.assessment)
            .map_err(UnscoredRecord::Json)?;
        context.conclude_alone(&mut self.assessment);
        Ok(())
    }
}

/// Returns whether the name and the first line of a file tell that it holds no records at all: the document, say.
fn is_text(path: &Path, line: &[u8]) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
    let may_hold = path.as_os_str() == "-" || matches!(ending.as_str(), "jsonl" | "ndjson");
    !may_hold && !without_mark(line).trim_ascii_start().starts_with(b"{")
}
