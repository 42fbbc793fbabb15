//! Results read from a run in the journal, or from files.

use super::super::headings::DOCUMENTS;
use super::super::loading::usual_profile;
use super::super::resume::{JournalArgument, find_run};
use crate::disk::{self, files_below};
use crate::failure::Failure;
use crate::result::{DocumentResult, is_result};
use crate::store::{Journal, StoredRun};
use crate::streams::{Streams, complain};
use crate::value::ShownPath;
use crate::value::sanitize_line;
use clap::Args;
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

#[derive(Args)]
pub(super) struct ResultArguments {
    /// The run whose results are evaluated, as `loopctl runs list` names it [default: the latest]
    #[arg(long, value_name = "RUN", conflicts_with = "results", help_heading = DOCUMENTS)]
    run: Option<String>,
    /// Evaluate the results in this folder (`*-result.json`), this `.json` or this `.jsonl`, `-` for standard input,
    /// instead of those of a run
    #[arg(long, value_name = "PATH", help_heading = DOCUMENTS)]
    results: Option<PathBuf>,
    #[command(flatten)]
    journal: JournalArgument,
}

/// The source of results.
pub(super) enum ResultSource {
    /// A run in a journal.
    Run(Box<Journal>, Box<StoredRun>),
    /// Files, and the path that named them.
    Files(Vec<PathBuf>, String),
    /// Those of a run made for the evaluation.
    Fresh(Vec<DocumentResult>),
}

impl ResultArguments {
    pub(super) fn source(&self) -> Result<ResultSource, Failure> {
        let Some(path) = &self.results else {
            let journal = self.journal.open()?;
            let run = find_run(&journal, self.run.as_deref().unwrap_or("latest"))?;
            return Ok(ResultSource::Run(Box::new(journal), Box::new(run)));
        };
        Ok(ResultSource::Files(self.files()?, path.shown().into_owned()))
    }

    /// The journal with the run.
    pub(super) fn journal(&self) -> Option<PathBuf> {
        self.journal.file()
    }

    /// The files with results; none for a run.
    pub(super) fn files(&self) -> Result<Vec<PathBuf>, Failure> {
        let Some(path) = &self.results else { return Ok(Vec::new()) };
        let named = path.shown().into_owned();
        if !path.is_dir() {
            return Ok(vec![path.clone()]);
        }
        let found = files_below(path, "", MOST_DEPTH);
        if found.cut {
            return Err(Failure::broken(format!(
                "the folder `{named}` has more than {} files",
                disk::MAX_ENTRIES
            ))
            .help(
                "evaluate the run itself with `--run RUN`, or the lines that `loopctl runs export` writes",
            ));
        }
        let is_of_result = |file: &PathBuf| file.to_string_lossy().ends_with("-result.json");
        let files: Vec<PathBuf> = found.files.into_iter().filter(is_of_result).collect();
        if files.is_empty() {
            return Err(Failure::broken(format!("the folder `{named}` has no results"))
                .help("`loopctl run --out DIR` writes them, as `X-result.json`"));
        }
        Ok(files)
    }
}

impl ResultSource {
    /// The name of the source in the evaluation.
    pub(super) fn named(&self) -> String {
        match self {
            ResultSource::Run(_, run) => format!("run {}", run.id),
            ResultSource::Files(_, named) => format!("results of {named}"),
            ResultSource::Fresh(_) => "a fresh run".to_owned(),
        }
    }

    /// The profile that decided.
    pub(super) fn profile(&self) -> Result<String, Failure> {
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
            ResultSource::Fresh(_) => Ok(usual_profile()),
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
            ResultSource::Fresh(results) => results.iter().for_each(&mut see),
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
