//! The documents that a request names, and the inputs that it is refused for.

use crate::context::Context;
use crate::failure::Failure;
use crate::plan::Plan;
use crate::plans::{known_type, refuse_profiles};
use crate::profile::read_text_file;
use crate::provider::Recorder;
use crate::requests::{RecordedPath, RunRequest};
use crate::result::is_result;
use crate::value::ShownPath;
use crate::value::{MAX_CANDIDATE_DEPTH, is_deeper};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The documents that a request names.
pub(super) struct NamedDocuments {
    /// Files, folders and patterns.
    pub(super) inputs: Vec<PathBuf>,
    /// Lists of documents.
    pub(super) from: Vec<PathBuf>,
    /// `true` if the request may mean more than one document.
    pub(super) several: bool,
    /// The type of all of them.
    pub(super) document_type: Option<String>,
    /// The extraction to start from.
    pub(super) supplied: Option<Arc<Value>>,
}

impl NamedDocuments {
    /// Reads what a request names, and refuses what can't be meant.
    pub(super) fn of(request: &RunRequest, plan: &Plan, context: &Context) -> Result<Self, Failure> {
        let paths = |paths: &[RecordedPath]| paths.iter().map(|path| path.0.clone()).collect::<Vec<_>>();
        let (inputs, from) = (paths(&request.inputs), paths(&request.from));
        let document_type = request.document_type.as_deref().map(|t| known_type(plan, t)).transpose()?;
        refuse_out_among_inputs(request.out.as_deref(), &inputs)?;
        refuse_recordings_among_inputs(&inputs)?;
        refuse_profiles(context, &inputs)?;
        refuse_standard_input_twice(&inputs, &from)?;
        let several = !is_one(&inputs, &from);
        let supplied = match request.extraction.as_deref() {
            Some(_) if several => {
                return Err(Failure::usage("`--extraction` goes with one document")
                    .help("name the file of that document"));
            }
            Some(path) => Some(Arc::new(read_extraction(path)?)),
            None => None,
        };
        Ok(NamedDocuments { inputs, from, several, document_type, supplied })
    }
}

/// Returns whether the arguments mean one document, even before it is looked for.
fn is_one(arguments: &[PathBuf], from: &[PathBuf]) -> bool {
    let [only] = arguments else { return false };
    let records = only
        .extension()
        .is_some_and(|ending| ["jsonl", "ndjson"].iter().any(|known| ending.eq_ignore_ascii_case(known)));
    from.is_empty() && !records && (only.as_os_str() == "-" || only.is_file() || !only.exists())
}

/// Refuses an output folder among the inputs: a run over its own results would be useless.
fn refuse_out_among_inputs(out: Option<&Path>, inputs: &[PathBuf]) -> Result<(), Failure> {
    let Some(out) = out.and_then(|out| out.canonicalize().ok()) else { return Ok(()) };
    match inputs.iter().find(|input| input.is_dir() && input.canonicalize().is_ok_and(|input| input == out)) {
        Some(input) => {
            Err(Failure::usage(format!("`{}` is the folder of the documents and of `--out`", input.shown()))
                .help("write the results to another folder"))
        }
        None => Ok(()),
    }
}

/// Refuses to read standard input twice.
fn refuse_standard_input_twice(inputs: &[PathBuf], from: &[PathBuf]) -> Result<(), Failure> {
    let is_stdin = |path: &PathBuf| path.as_os_str() == "-";
    if inputs.iter().any(is_stdin) && from.iter().any(is_stdin) {
        return Err(Failure::usage("standard input can't be a document and a list of documents")
            .help("leave out `-`, or `--from -`"));
    }
    Ok(())
}

/// Refuses recorded answers as documents: of `--cache DIR`, `DIR` is read as an argument that names documents.
fn refuse_recordings_among_inputs(inputs: &[PathBuf]) -> Result<(), Failure> {
    match inputs.iter().find(|input| Recorder::stands_in(input)) {
        Some(input) => {
            let folder = input.shown();
            Err(Failure::usage(format!("`{folder}` holds recorded answers, not documents"))
                .help(format!("for a cache write `--cache-dir {folder}`; else leave the folder out")))
        }
        None => Ok(()),
    }
}

/// Reads the extraction that a document starts from.
fn read_extraction(path: &Path) -> Result<Value, Failure> {
    let file = read_text_file(path).map_err(|problem| {
        let failure = Failure::broken(problem.message);
        problem.help.into_iter().fold(failure, Failure::help)
    })?;
    let no_extraction = |message: String| Failure::broken(message).help("an extraction is one JSON object");
    let value = serde_json::from_str(file.without_mark()).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        no_extraction(format!("`{}` is not JSON (line {line}, column {column})", path.shown()))
    })?;
    if is_deeper(&value, MAX_CANDIDATE_DEPTH) {
        let message = format!("`{}` is nested more than {MAX_CANDIDATE_DEPTH} deep", path.shown());
        return Err(no_extraction(message));
    }
    if is_result(&value) {
        return Err(Failure::broken(format!("`{}` is the result of a run, no extraction", path.shown()))
            .help("name the `…-extraction.json` beside it, or write out its `best_extraction`"));
    }
    Ok(value)
}
