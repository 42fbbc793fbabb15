//! The documents that are meant, as a stream.

use crate::failure::Failure;
use crate::ingest::without_references;
use crate::ingest::{Input, InputError, Listing, MEDIA_ENDINGS, SkipReason, Skipped, Wanted};
use crate::plan::Plan;
use crate::provider::Recorder;
use crate::run::Inputs;
use crate::value::ShownPath;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The number of inputs inspected together where some may be the references of others.
const TOGETHER: usize = 4_096;

/// The inputs that were left out, once all are listed.
#[derive(Debug, Clone, Default)]
pub(super) struct SkippedInputs(Arc<Mutex<Option<Skipped>>>);

impl SkippedInputs {
    /// A line for people, if there is anything to report. `again` is how many inputs the journal found to be repeated.
    pub(super) fn line(&self, again: usize) -> Option<String> {
        let mut skipped = self.0.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        (0..again).for_each(|_| skipped.count(SkipReason::Again));
        skipped.line()
    }
}

/// The inputs of a run.
struct InputStream {
    listing: Listing,
    plan: Arc<Plan>,
    waiting: VecDeque<Result<Input, InputError>>,
    references: u64,
    skipped_inputs: SkippedInputs,
}

/// The inputs that the arguments stand for, found lazily. If `keeps_repeats`, what is named twice comes twice, and
/// nothing is remembered of each document.
pub(super) fn inputs(
    plan: &Arc<Plan>,
    arguments: &[PathBuf],
    from: &[PathBuf],
    out: Option<&Path>,
    keeps_repeats: bool,
) -> (Inputs, SkippedInputs) {
    let endings: &[&str] = if plan.attaches() { &MEDIA_ENDINGS } else { &[] };
    let listing = Listing::new(Wanted {
        arguments: arguments.to_vec(),
        from: from.to_vec(),
        endings,
        apart: out.into_iter().map(Path::to_path_buf).collect(),
        document_types: Some(plan.document_types().map(str::to_owned).collect()),
        holds_recordings: Some(Recorder::stands_in),
        holds_results: Some(holds_results),
        keeps_repeats,
    });
    let skipped_inputs = SkippedInputs::default();
    let found = InputStream {
        listing,
        plan: Arc::clone(plan),
        waiting: VecDeque::new(),
        references: 0,
        skipped_inputs: skipped_inputs.clone(),
    };
    (Box::new(found), skipped_inputs)
}

/// Returns whether the arguments mean one document, whatever is found.
pub(super) fn is_one(arguments: &[PathBuf], from: &[PathBuf]) -> bool {
    let [only] = arguments else { return false };
    let records = only
        .extension()
        .is_some_and(|ending| ["jsonl", "ndjson"].iter().any(|known| ending.eq_ignore_ascii_case(known)));
    from.is_empty() && !records && (only.as_os_str() == "-" || only.is_file() || !only.exists())
}

impl Iterator for InputStream {
    type Item = Result<Input, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        if !self.plan.has_references() {
            let next = self.listing.next();
            if next.is_none() {
                self.say();
            }
            return next;
        }
        if self.waiting.is_empty() {
            self.look_at_more();
        }
        self.waiting.pop_front()
    }
}

impl InputStream {
    /// Takes those of the next inputs that are not references of others.
    fn look_at_more(&mut self) {
        loop {
            let mut inputs = Vec::new();
            for found in self.listing.by_ref().take(TOGETHER) {
                match found {
                    Ok(input) => inputs.push(input),
                    Err(error) => self.waiting.push_back(Err(error)),
                }
            }
            if inputs.is_empty() && self.waiting.is_empty() {
                return self.say();
            }
            let all = inputs.len();
            let documents = without_references(&self.plan, inputs);
            self.references += u64::try_from(all - documents.len()).unwrap_or_default();
            self.waiting.extend(documents.into_iter().map(Ok));
            if !self.waiting.is_empty() {
                return;
            }
        }
    }

    fn say(&self) {
        let mut skipped: Skipped = self.listing.skipped().clone();
        (0..self.references).for_each(|_| skipped.count(SkipReason::Reference));
        *self.skipped_inputs.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(skipped);
    }
}

/// Returns whether a folder has the journal of a run, as folders of results have.
fn holds_results(folder: &Path) -> bool {
    folder.join("journal.sqlite").is_file()
}

/// Refuses an output folder among the inputs: a run over its own results would be useless.
pub(super) fn refuse_out_among_inputs(out: Option<&Path>, inputs: &[PathBuf]) -> Result<(), Failure> {
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
pub(super) fn refuse_standard_input_twice(inputs: &[PathBuf], from: &[PathBuf]) -> Result<(), Failure> {
    let is_stdin = |path: &PathBuf| path.as_os_str() == "-";
    if inputs.iter().any(is_stdin) && from.iter().any(is_stdin) {
        return Err(Failure::usage("standard input can't be a document and a list of documents")
            .help("leave out `-`, or `--from -`"));
    }
    Ok(())
}

/// Refuses recorded answers as documents. With `--cache DIR`, the folder is taken for documents.
pub(super) fn refuse_cassettes_among_inputs(inputs: &[PathBuf]) -> Result<(), Failure> {
    match inputs.iter().find(|input| Recorder::stands_in(input)) {
        Some(input) => {
            let folder = input.shown();
            Err(Failure::usage(format!("`{folder}` holds recorded answers, not documents"))
                .help(format!("for a cache write `--cache-dir {folder}`; else leave the folder out")))
        }
        None => Ok(()),
    }
}
