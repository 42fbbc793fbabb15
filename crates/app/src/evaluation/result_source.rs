//! Results read from a run in the journal, or from files.

use super::FreshRunRequest;
use crate::context::Context;
use crate::disk::{self, files_below};
use crate::failure::Failure;
use crate::journals::{JournalSpec, find_run};
use crate::result::{DocumentResult, is_result};
use crate::store::{Journal, StoredRun};
use crate::streams::{Streams, complain};
use crate::value::{ShownPath, sanitize_line};
use serde::Deserialize;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Largest file with one result, and longest line with one, in bytes.
const MOST_BYTES: u64 = 64 << 20;

/// The maximum depth of folders searched for results.
const MOST_DEPTH: usize = 16;

/// The maximum number of unusable results that are named.
const MOST_NAMED: usize = 20;

/// The results that are evaluated.
#[derive(Debug, Clone, PartialEq)]
pub enum ResultSpec {
    /// Those of a run in the journal; `None` for the latest.
    Run(Option<String>),
    /// Those in a folder (`*-result.json`), a `.json` or a `.jsonl`; `-` is standard input.
    Files(PathBuf),
    /// Those of a run over the labelled documents, which is made first.
    Fresh(FreshRunRequest),
}

/// The source of results.
pub(super) enum ResultSource<'r> {
    /// A run in a journal.
    Run(Box<Journal>, Box<StoredRun>),
    /// Files, and the path that named them.
    Files(Vec<PathBuf>, String),
    /// A run that is to be made for the evaluation.
    Fresh(&'r FreshRunRequest),
    /// Those of a run made for the evaluation.
    Made(Vec<DocumentResult>),
}

impl ResultSpec {
    /// The source of these results.
    pub(super) fn source(
        &self,
        context: &Context,
        journal: &JournalSpec,
    ) -> Result<ResultSource<'_>, Failure> {
        Ok(match self {
            ResultSpec::Run(run) => {
                let journal = journal.open(context)?;
                let run = find_run(&journal, run.as_deref().unwrap_or("latest"))?;
                ResultSource::Run(Box::new(journal), Box::new(run))
            }
            ResultSpec::Files(path) => ResultSource::Files(files_of(path)?, path.shown().into_owned()),
            ResultSpec::Fresh(fresh) => ResultSource::Fresh(fresh),
        })
    }

    /// The files with results; none for a run.
    pub(super) fn files(&self) -> Result<Vec<PathBuf>, Failure> {
        match self {
            ResultSpec::Files(path) => files_of(path),
            ResultSpec::Run(_) | ResultSpec::Fresh(_) => Ok(Vec::new()),
        }
    }
}

/// The files with results that a path names.
fn files_of(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    let named = path.shown().into_owned();
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let found = files_below(path, "", MOST_DEPTH);
    if found.cut {
        return Err(Failure::broken(format!(
            "the folder `{named}` has more than {} files",
            disk::MAX_ENTRIES
        ))
        .help("evaluate the run itself with `--run RUN`, or the lines that `loopctl runs export` writes"));
    }
    let is_of_result = |file: &PathBuf| file.to_string_lossy().ends_with("-result.json");
    let files: Vec<PathBuf> = found.files.into_iter().filter(is_of_result).collect();
    if files.is_empty() {
        return Err(Failure::broken(format!("the folder `{named}` has no results"))
            .help("`loopctl run --out DIR` writes them, as `X-result.json`"));
    }
    Ok(files)
}

impl ResultSource<'_> {
    /// The name of the source in the evaluation.
    pub(super) fn named(&self) -> String {
        match self {
            ResultSource::Run(_, run) => format!("run {}", run.id),
            ResultSource::Files(_, named) => format!("results of {named}"),
            ResultSource::Fresh(_) | ResultSource::Made(_) => "a fresh run".to_owned(),
        }
    }

    /// The profile that decided.
    pub(super) fn profile(&self, context: &Context) -> Result<String, Failure> {
        match self {
            ResultSource::Run(_, run) => Ok(run.record.profile.clone()),
            ResultSource::Files(files, named) => {
                if files.iter().any(|file| file.as_os_str() == "-") {
                    return Err(Failure::usage("`--results -` needs `--profile`")
                        .help("name the profile that the results were made by"));
                }
                let mut profile = None;
                read_files(files, &mut |read| {
                    if let Ok(result) = read {
                        profile = Some(result.profile);
                    }
                    profile.is_none()
                })?;
                profile.ok_or_else(|| Failure::broken(format!("`{named}` has no results")))
            }
            ResultSource::Fresh(_) | ResultSource::Made(_) => Ok(context.usual_profile()),
        }
    }

    /// Passes every result to `see`; returns whether some could not be read, which is reported.
    pub(super) fn each(
        &self,
        output: &mut Streams,
        mut see: impl FnMut(&DocumentResult),
    ) -> Result<bool, Failure> {
        let mut refused = 0;
        let mut take = |read: Result<DocumentResult, String>| {
            match read {
                Ok(result) => see(&result),
                Err(why) => {
                    refused += 1;
                    if refused <= MOST_NAMED {
                        complain(output, &Failure::broken(sanitize_line(&why)));
                    }
                }
            }
            true
        };
        match self {
            ResultSource::Run(journal, run) => {
                journal.each_document(&run.id, |document, outcome| {
                    let Some(outcome) = outcome.filter(|_| document.finished) else { return };
                    let read = DocumentResult::deserialize(outcome);
                    take(read.map_err(|_| {
                        let id = document.record.id.as_str();
                        format!("`{id}` is left out: its result was kept by another release of loopctl")
                    }));
                })?;
            }
            ResultSource::Files(files, _) => read_files(files, &mut take)?,
            ResultSource::Fresh(_) => {}
            ResultSource::Made(results) => results.iter().for_each(&mut see),
        }
        if let Some(more @ 1..) = refused.checked_sub(MOST_NAMED) {
            output.say(&format!("  {more} more results can't be read"));
        }
        Ok(refused > 0)
    }
}

/// Passes each result to `take` until it has enough.
fn read_files(
    files: &[PathBuf],
    take: &mut dyn FnMut(Result<DocumentResult, String>) -> bool,
) -> Result<(), Failure> {
    for file in files {
        let is_lines = file.extension().is_some_and(|ending| ending == "jsonl" || ending == "ndjson");
        let name = file.shown().into_owned();
        let unreadable =
            |error: &dyn std::fmt::Display| Failure::broken(format!("can't read `{name}`: {error}"));
        if file.as_os_str() == "-" {
            read_lines(&mut std::io::stdin().lock(), "standard input", take)?;
        } else if is_lines {
            let opened = disk::open_input(file).map_err(|error| unreadable(&error))?;
            read_lines(&mut BufReader::new(opened), &name, take)?;
        } else if !read_whole(file, &name, take)? {
            break;
        }
    }
    Ok(())
}

/// Reads a file with one result, or a list of them, as `--format json` writes it.
fn read_whole(
    file: &Path,
    name: &str,
    take: &mut dyn FnMut(Result<DocumentResult, String>) -> bool,
) -> Result<bool, Failure> {
    let bytes = disk::read_input(file, MOST_BYTES)
        .map_err(|error| Failure::broken(format!("can't read `{name}`: {error}")))?;
    Ok(match serde_json::from_slice::<Value>(&bytes) {
        Ok(Value::Array(items)) => items.into_iter().all(|item| take(result_of(item, name))),
        Ok(value) => take(result_of(value, name)),
        Err(error) => {
            take(Err(format!("{name}: no JSON, at line {} column {}", error.line(), error.column())))
        }
    })
}

fn result_of(value: Value, place: &str) -> Result<DocumentResult, String> {
    if !is_result(&value) {
        return Err(format!("{place}: no result of a document, as `run` writes it"));
    }
    DocumentResult::deserialize(value).map_err(|error| format!("{place}: no result of a document: {error}"))
}

fn read_lines(
    reader: &mut dyn BufRead,
    name: &str,
    take: &mut dyn FnMut(Result<DocumentResult, String>) -> bool,
) -> Result<(), Failure> {
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        let read = Read::take(&mut *reader, MOST_BYTES + 1).read_until(b'\n', &mut line);
        let length = read.map_err(|error| Failure::broken(format!("can't read {name}: {error}")))?;
        if length == 0 {
            break;
        }
        if length as u64 > MOST_BYTES {
            return Err(Failure::broken(format!(
                "{name}, line {number}: the line has more than {MOST_BYTES} bytes"
            )));
        }
        let content = line.trim_ascii();
        if content.is_empty() {
            continue;
        }
        let place = format!("{name}, line {number}");
        let result = serde_json::from_slice::<Value>(content)
            .map_err(|error| format!("{place}: no JSON, at column {}", error.column()))
            .and_then(|value| result_of(value, &place));
        if !take(result) {
            break;
        }
    }
    Ok(())
}
