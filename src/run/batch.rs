//! Many documents, one after the other.

use super::trace::{end_run, run_span};
use super::{DocumentResult, Plan, Session};
use crate::engine::Event;
use crate::ingest::{Document, Input, InputError};
use crate::policy::FinalStatus;
use crate::rules::UNKNOWN_TYPE;
use crate::store::StoreError;
use crate::value::{DocumentId, Millis, Usage};
use serde_json::Value;
use std::sync::Arc;
use tracing::Instrument;

/// Is told what happens, as it happens. Reports are made of this.
pub trait Observer {
    /// A document was read; its loop is about to begin.
    fn read(&mut self, _document: &Document) {}
    /// A document's loop begins.
    fn started(&mut self, id: &DocumentId, document_type: &str);
    /// Something happened in it, `at` after it began.
    fn event(&mut self, id: &DocumentId, at: Millis, event: &Event);
    /// It is over.
    fn finished(&mut self, result: &DocumentResult);
    /// An input could not be read at all.
    fn unusable(&mut self, error: &InputError);
}

/// Documents to be run.
pub struct Batch {
    /// The documents.
    pub inputs: Vec<Input>,
    /// The type of all of them; `None` to classify each.
    pub document_type: Option<String>,
    /// Candidate 0 of the only document.
    pub supplied: Option<Arc<Value>>,
}

/// How a batch ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BatchEnd {
    /// Documents with a result.
    pub finished: usize,
    /// Those of them that passed or were rightly skipped.
    pub passed: usize,
    /// Those of `passed` that fitted no document type well enough, although the profile tells types apart.
    pub of_unknown_type: usize,
    /// Inputs that could not be read.
    pub unusable: usize,
    /// Those of `finished` whose provider failed.
    pub provider_errors: usize,
    /// Whether someone stopped it.
    pub cancelled: bool,
}

impl Batch {
    /// Runs every document. An input that can't be read is reported and the others go on.
    ///
    /// # Errors
    /// When the journal or an artifact can't be written; what is finished stays.
    pub async fn run(
        self,
        session: &mut Session,
        observer: &mut dyn Observer,
    ) -> Result<BatchEnd, StoreError> {
        let span = run_span(session.id(), &session.plan().profile.name, self.inputs.len());
        let (end, usage) = self.work_through(session, observer).instrument(span.clone()).await?;
        end_run(&span, &end, usage);
        Ok(end)
    }

    async fn work_through(
        self,
        session: &mut Session,
        observer: &mut dyn Observer,
    ) -> Result<(BatchEnd, Usage), StoreError> {
        let mut usage = Usage::default();
        let mut end = BatchEnd::default();
        for input in self.inputs {
            if session.is_cancelled() {
                end.cancelled = true;
                break;
            }
            let document = match input.read() {
                Ok(document) => document,
                Err(error) => {
                    observer.unusable(&error);
                    end.unusable += 1;
                    continue;
                }
            };
            observer.read(&document);
            let supplied = self.supplied.clone();
            let result = session.run(&document, self.document_type.as_deref(), supplied, observer).await?;
            end.finished += 1;
            usage += result.usage;
            if result.final_status.passes() && is_unrecognised(session.plan(), &result) {
                end.of_unknown_type += 1;
            }
            match result.final_status {
                FinalStatus::Passed | FinalStatus::Skipped => end.passed += 1,
                FinalStatus::Cancelled => end.cancelled = true,
                FinalStatus::Failed if result.stop_reason == crate::policy::StopReason::ProviderError => {
                    end.provider_errors += 1;
                }
                _ => {}
            }
        }
        Ok((end, usage))
    }
}

/// Whether the profile tells types apart and did not know this document's.
#[must_use]
pub fn is_unrecognised(plan: &Plan, result: &DocumentResult) -> bool {
    plan.classifier.is_some() && result.document_type == UNKNOWN_TYPE
}
