//! Finds the requested record: a result file, a folder of them, standard input, a run in a journal.

use super::record::Record;
use super::result_file::{NoResult, Siblings};
use crate::diag::nearest;
use crate::disk;
use crate::engine::Outcome;
use crate::policy::{FinalStatus, StopReason};
use crate::score::Assessment;
use crate::store::{Artifact, Journal, RunId, StoreError, StoredDocument, StoredRun};
use crate::value::prose::{did_you_mean, listed};
use crate::value::{DocumentId, ShownPath};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Largest result that is read, in bytes.
const MOST_BYTES: u64 = 64 << 20;
/// The first bytes of every SQLite file.
const SQLITE: &[u8] = b"SQLite format 3\0";
/// The journal's name in a folder.
const JOURNAL: &str = "journal.sqlite";
/// The number of runs that are named where one was not found.
const RUNS_NAMED: usize = 5;

/// The found record or documents.
#[derive(Debug)]
pub enum OpenedRecord {
    /// One document.
    One(Box<Record>),
    /// Several, of which none was named.
    Several(Vec<DocumentEntry>),
}

/// A document among several.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DocumentEntry {
    /// Its id.
    pub document: String,
    /// Its final status; `None` where it was interrupted.
    pub final_status: Option<FinalStatus>,
    /// The reason why it stopped.
    pub stop_reason: Option<StopReason>,
    /// The number of assessed candidates.
    pub candidates: usize,
    /// The overall score of the chosen one.
    pub overall: Option<f64>,
}

/// The reason why nothing was found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct NotFound {
    /// The error.
    pub message: String,
    /// The remedy.
    pub help: String,
    /// `true` if the record was found, but not the part of it that was asked for.
    pub is_choice: bool,
}

impl NotFound {
    fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        NotFound { message: message.into(), help: help.into(), is_choice: false }
    }

    fn store(error: &StoreError) -> Self {
        NotFound::new(error.to_string(), error.help())
    }

    fn result(name: &str, error: NoResult) -> Self {
        NotFound::new(format!("`{name}`: {}", error.message), error.help)
    }
}

/// A search for a record.
#[derive(Debug)]
pub struct Looking<'a> {
    /// The target: a path, `-`, a run's id, or `latest`.
    pub target: &'a str,
    /// The document, if one is named.
    pub document: Option<&'a str>,
    /// The journal, if one is named.
    pub journal: Option<&'a Path>,
    /// The usual path of the journal.
    pub usual: Option<PathBuf>,
}

impl Looking<'_> {
    /// Finds the record. `input` is standard input, read only for `-`.
    ///
    /// # Errors
    /// The error in the request, or in the file.
    pub fn find(&self, input: &mut dyn Read) -> Result<OpenedRecord, NotFound> {
        let path = Path::new(self.target);
        if self.target == "-" {
            let text = bounded(input, "standard input", None)?;
            return self.results("standard input", &text, None);
        }
        if path.is_dir() {
            return self.folder(path);
        }
        if path.is_file() {
            return self.file(path);
        }
        let looks_like_a_path = self.target.contains(['/', '\\']) || self.target.contains(".json");
        if looks_like_a_path {
            return Err(NotFound::new(
                format!("there is no file `{}`", self.target),
                "name a result file, a folder of `run --out`, `-`, a run's id, or `latest`",
            ));
        }
        self.run()
    }

    fn run(&self) -> Result<OpenedRecord, NotFound> {
        let Some(place) = self.journal.map(Path::to_path_buf).or_else(|| self.usual.clone()) else {
            return Err(NotFound::new(
                "no journal is known",
                "name it with `--journal FILE`, or name a result file",
            ));
        };
        if !place.is_file() {
            return Err(NotFound::new(
                format!("there is no run `{}`: there is no journal `{}`", self.target, place.shown()),
                "name the journal with `--journal FILE`, or name a result file of `run --out`",
            ));
        }
        let journal = Journal::open(&place).map_err(|error| NotFound::store(&error))?;
        self.journaled(&journal, Some(self.target))
    }

    /// A run of a journal: the one with this id, or the latest.
    fn journaled(&self, journal: &Journal, id: Option<&str>) -> Result<OpenedRecord, NotFound> {
        let store = |error: StoreError| NotFound::store(&error);
        let runs = journal.runs().map_err(store)?;
        let place = journal.path().shown().into_owned();
        let id = id.filter(|id| *id != "latest");
        let run = match id {
            None => runs.last(),
            Some(id) => {
                let begins =
                    |run: &&StoredRun| run.id.as_str().starts_with(id) || run.id.as_str().ends_with(id);
                let exact = runs.iter().find(|run| run.id.as_str() == id);
                // A part of an id is enough where it is that of one run.
                let mut parts = runs.iter().filter(|run| id.len() >= 4 && begins(run));
                exact.or_else(|| parts.next().filter(|_| parts.next().is_none()))
            }
        };
        let Some(run) = run else {
            let Some(id) = id else {
                return Err(NotFound::new(
                    format!("the journal `{place}` holds no run"),
                    "run a document first",
                ));
            };
            let known = runs.iter().map(|run| run.id.as_str());
            let guess =
                nearest(id, known).map_or_else(String::new, |guess| format!("did you mean `{guess}`? "));
            let last: Vec<String> = runs
                .iter()
                .rev()
                .take(RUNS_NAMED)
                .map(|run| format!("`{}` ({})", run.id, run.record.profile))
                .collect();
            let last = if last.is_empty() {
                "it holds none".to_owned()
            } else {
                format!("its last runs: {}", last.join(", "))
            };
            return Err(NotFound::new(
                format!("the journal `{place}` holds no run `{id}`"),
                format!("{guess}{last}"),
            ));
        };
        let documents = journal.documents(&run.id).map_err(store)?;
        let names: Vec<&str> = documents.iter().map(|document| document.record.id.as_str()).collect();
        let what = format!("run `{}`", run.id);
        match self.choose(&names, &what)? {
            Some(at) => match documents.get(at) {
                Some(document) => {
                    Ok(OpenedRecord::One(Box::new(record_of(journal, run, document).map_err(store)?)))
                }
                None => Err(NotFound::new(format!("{what} has no documents"), "")),
            },
            None => {
                let list = |document: &StoredDocument| {
                    let outcome = journal.outcome(&run.id, &document.record.id).map_err(store)?;
                    Ok(entry(document.record.id.as_str(), outcome.as_ref()))
                };
                documents.iter().map(list).collect::<Result<_, _>>().map(OpenedRecord::Several)
            }
        }
    }

    /// Chooses the named document among several; `None` when none was named.
    fn choose(&self, names: &[&str], what: &str) -> Result<Option<usize>, NotFound> {
        match (self.document, names) {
            (_, []) => Err(NotFound::new(
                format!("{what} holds no document"),
                "it may have ended before the first one",
            )),
            (None, [_]) => Ok(Some(0)),
            (None, _) => Ok(None),
            (Some(wanted), names) => match names.iter().position(|name| *name == wanted) {
                Some(at) => Ok(Some(at)),
                None => {
                    let rest = if names.len() > 10 { ", …" } else { "" };
                    let first = format!("it has {}{rest}", listed(names.iter().take(10)));
                    let help = did_you_mean(wanted, names.iter().copied(), first);
                    let message = format!("{what} has no document `{wanted}`");
                    Err(NotFound { is_choice: true, ..NotFound::new(message, help) })
                }
            },
        }
    }

    fn folder(&self, folder: &Path) -> Result<OpenedRecord, NotFound> {
        let shown = folder.shown().into_owned();
        let unreadable = |error: std::io::Error| NotFound::new(format!("can't read `{shown}`: {error}"), "");
        let ending = Artifact::Result.ending();
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(&ending)) {
                files.push(path);
            }
        }
        files.sort();
        let own = folder.join(JOURNAL);
        if files.is_empty() && own.is_file() {
            let journal = Journal::open(&own).map_err(|error| NotFound::store(&error))?;
            return self.journaled(&journal, None);
        }
        if files.is_empty() {
            return Err(NotFound::new(
                format!("the folder `{shown}` holds no result"),
                format!("name a folder that `run --out` wrote: its results end with `{ending}`"),
            ));
        }
        let mut results = Vec::new();
        for file in &files {
            results.push(parsed(&read(file)?, &file.shown())?);
        }
        let names: Vec<&str> = results.iter().map(id_of).collect();
        match self.choose(&names, &format!("the folder `{shown}`"))? {
            None => {
                Ok(OpenedRecord::Several(results.iter().map(|one| entry(id_of(one), Some(one))).collect()))
            }
            Some(at) => match (results.get(at), files.get(at)) {
                (Some(result), Some(file)) => self.result(result, &file.shown(), Some(file)),
                _ => Err(NotFound::new(format!("the folder `{shown}` holds no result"), "")),
            },
        }
    }

    fn file(&self, file: &Path) -> Result<OpenedRecord, NotFound> {
        let name = file.shown().into_owned();
        let bytes = read(file)?;
        if bytes.starts_with(SQLITE) {
            let journal = Journal::open(file).map_err(|error| NotFound::store(&error))?;
            return self.journaled(&journal, None);
        }
        self.results(&name, &bytes, Some(file))
    }

    /// One result, a list of them, or one per line.
    fn results(&self, name: &str, bytes: &[u8], file: Option<&Path>) -> Result<OpenedRecord, NotFound> {
        let bytes = without_mark(bytes);
        let whole = parsed(bytes, name);
        let results: Vec<Value> = match whole {
            Ok(Value::Array(results)) => results,
            Ok(one) => vec![one],
            Err(error) => {
                let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
                let lines: Vec<&[u8]> = lines.collect();
                // If a line is not JSON by itself, it is part of one value that is broken somewhere.
                let first = lines.first().and_then(|line| serde_json::from_slice::<Value>(line).ok());
                if lines.len() < 2 || !first.is_some_and(|first| first.is_object()) {
                    return Err(error);
                }
                let numbered = lines.iter().enumerate();
                numbered
                    .map(|(at, line)| parsed(line, &format!("{name}, line {}", at + 1)))
                    .collect::<Result<_, _>>()?
            }
        };
        let names: Vec<&str> = results.iter().map(id_of).collect();
        if let ([], _) | ([_], None) = (results.as_slice(), self.document) {
            let Some(one) = results.first() else {
                return Err(NotFound::new(format!("`{name}` holds no result"), "no document was run"));
            };
            return self.result(one, name, file);
        }
        match self.choose(&names, &format!("`{name}`"))? {
            Some(at) => match results.get(at) {
                Some(one) => self.result(one, name, file),
                None => Err(NotFound::new(format!("`{name}` holds no result"), "")),
            },
            None => {
                for one in &results {
                    Record::of_result(one, &()).map_err(|error| NotFound::result(name, error))?;
                }
                Ok(OpenedRecord::Several(results.iter().map(|one| entry(id_of(one), Some(one))).collect()))
            }
        }
    }

    /// The record of a result: the journal's where that is available, which holds more.
    fn result(&self, result: &Value, name: &str, file: Option<&Path>) -> Result<OpenedRecord, NotFound> {
        let beside = file.map(Beside::of);
        let siblings: &dyn Siblings = match &beside {
            Some(Some(beside)) => beside,
            _ => &(),
        };
        let record = Record::of_result(result, siblings).map_err(|error| NotFound::result(name, error))?;
        let own = file.and_then(Path::parent).map(|folder| folder.join(JOURNAL));
        let named = self.journal.map(Path::to_path_buf);
        for place in named.iter().chain(&own).chain(&self.usual).filter(|place| place.is_file()) {
            match Journal::open(place).and_then(|journal| journaled(&journal, result)) {
                Ok(Some(record)) => return Ok(OpenedRecord::One(Box::new(record))),
                // A journal that was not named is only tried.
                Err(error) if self.journal == Some(place) => return Err(NotFound::store(&error)),
                Ok(None) | Err(_) => {}
            }
        }
        Ok(OpenedRecord::One(Box::new(record)))
    }
}

/// The record of a result in a journal: that of the latest run with that document and that outcome.
fn journaled(journal: &Journal, result: &Value) -> Result<Option<Record>, StoreError> {
    let document = DocumentId::new(id_of(result));
    let Ok(wanted) = Outcome::deserialize(result) else { return Ok(None) };
    for run in journal.runs()?.iter().rev() {
        let outcome = journal.outcome(&run.id, &document)?;
        let same =
            outcome.is_some_and(|outcome| Outcome::deserialize(&outcome).is_ok_and(|found| found == wanted));
        if same && let Some(stored) = find(journal, &run.id, &document)? {
            return record_of(journal, run, &stored).map(Some);
        }
    }
    Ok(None)
}

fn find(journal: &Journal, run: &RunId, document: &DocumentId) -> Result<Option<StoredDocument>, StoreError> {
    Ok(journal.documents(run)?.into_iter().find(|stored| stored.record.id == *document))
}

fn record_of(journal: &Journal, run: &StoredRun, document: &StoredDocument) -> Result<Record, StoreError> {
    let events = journal.events(&run.id, &document.record.id)?;
    let outcome = journal.outcome(&run.id, &document.record.id)?;
    Ok(Record::of_journal(
        run,
        &document.record.id,
        &document.record.document_type,
        &events,
        outcome.as_ref(),
    ))
}

fn id_of(result: &Value) -> &str {
    result.get("id").and_then(Value::as_str).unwrap_or_default()
}

fn entry(id: &str, outcome: Option<&Value>) -> DocumentEntry {
    let outcome = outcome.and_then(|outcome| Outcome::deserialize(outcome).ok());
    let overall = outcome.as_ref().and_then(|o| o.improvement_trajectory.get(o.best_iteration?).copied());
    DocumentEntry {
        document: id.to_owned(),
        final_status: outcome.as_ref().map(|outcome| outcome.final_status),
        candidates: outcome.as_ref().map_or(0, |outcome| outcome.iteration_count),
        overall,
        stop_reason: outcome.map(|outcome| outcome.stop_reason),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, NotFound> {
    let shown = path.shown().into_owned();
    let mut file =
        disk::open(path).map_err(|error| NotFound::new(format!("can't read `{shown}`: {error}"), ""))?;
    let unreadable = |error: std::io::Error| NotFound::new(format!("can't read `{shown}`: {error}"), "");
    let size = file.metadata().map_err(unreadable)?.len();
    let mut head = Vec::new();
    (&mut file).take(SQLITE.len() as u64).read_to_end(&mut head).map_err(unreadable)?;
    if head.starts_with(SQLITE) {
        return Ok(head);
    }
    let rest = bounded(&mut file, &shown, Some(size))?;
    head.extend(rest);
    Ok(head)
}

fn bounded(input: &mut dyn Read, name: &str, size: Option<u64>) -> Result<Vec<u8>, NotFound> {
    let too_large = || {
        let size =
            size.map_or_else(|| "more than".to_owned(), |size| format!("{} MB, more than", size >> 20));
        NotFound::new(
            format!("`{name}` has {size} the {} MB that a result may have", MOST_BYTES >> 20),
            "is it a result of `loopctl run`? Of many results, pipe one",
        )
    };
    if size.is_some_and(|size| size > MOST_BYTES) {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    input
        .take(MOST_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| NotFound::new(format!("can't read `{name}`: {error}"), ""))?;
    if bytes.len() as u64 > MOST_BYTES { Err(too_large()) } else { Ok(bytes) }
}

/// Without the byte order mark that some editors put first.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// JSON; the error names the position and quotes nothing.
fn parsed(bytes: &[u8], name: &str) -> Result<Value, NotFound> {
    serde_json::from_slice(without_mark(bytes)).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let what = if error.is_eof() {
            format!("`{name}` is cut off: its JSON ends in the middle (line {line}, column {column})")
        } else {
            format!("`{name}` is not JSON (line {line}, column {column})")
        };
        NotFound::new(
            what,
            "name a file `…-result.json` of `loopctl run --out`, or pipe `loopctl run --format json`",
        )
    })
}

/// The files beside a result.
struct Beside {
    /// The path up to the ending.
    stem: String,
}

impl Beside {
    fn of(result: &Path) -> Option<Self> {
        let stem = result.to_str()?.strip_suffix(&Artifact::Result.ending())?;
        Some(Beside { stem: stem.to_owned() })
    }

    fn read(&self, artifact: Artifact) -> Option<Value> {
        let path = PathBuf::from(format!("{}{}", self.stem, artifact.ending()));
        path.is_file().then(|| read(&path).ok())?.and_then(|bytes| serde_json::from_slice(&bytes).ok())
    }
}

impl Siblings for Beside {
    fn extraction(&self, iteration: usize) -> Option<Value> {
        self.read(Artifact::Extraction(u32::try_from(iteration).ok()?))
    }

    fn validation(&self, iteration: usize) -> Option<Assessment> {
        Assessment::deserialize(self.read(Artifact::Validation(u32::try_from(iteration).ok()?))?).ok()
    }
}
