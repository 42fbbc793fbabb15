//! The documents that are meant, as a stream.

use super::documents::NamedDocuments;
use crate::ingest::without_references;
use crate::ingest::{Input, InputError, Listing, MEDIA_ENDINGS, SkipReason, Skipped, Wanted};
use crate::plan::Plan;
use crate::provider::Recorder;
use crate::run::Inputs;
use std::collections::VecDeque;
use std::path::Path;
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

/// The inputs that are named, found lazily. If `keeps_repeats`, what is named twice comes twice, and nothing is
/// remembered of each document.
pub(super) fn inputs(
    plan: &Arc<Plan>,
    documents: &NamedDocuments,
    out: Option<&Path>,
    keeps_repeats: bool,
) -> (Inputs, SkippedInputs) {
    let endings: &[&str] = if plan.attaches() { &MEDIA_ENDINGS } else { &[] };
    let listing = Listing::new(Wanted {
        arguments: documents.inputs.clone(),
        from: documents.from.clone(),
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
