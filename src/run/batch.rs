//! Many documents, one after the other.

use super::Session;
use super::batch_end::BatchEnd;
use super::observer::Observer;
use super::provider_gone::{MOST_PROVIDER_ERRORS_IN_A_ROW, pause_after, provider_failure};
use super::trace::{end_run, run_span};
use crate::ingest::{Document, Input, InputError};
use crate::plan::Plan;
use crate::policy::{FinalStatus, StopReason};
use crate::result::DocumentResult;
use crate::rules::UNKNOWN_TYPE;
use crate::store::StoreError;
use crate::value::Usage;
use serde_json::Value;
use std::sync::Arc;
use tracing::Instrument;

/// Documents to be run.
pub struct Batch {
    /// The documents.
    pub inputs: Vec<Input>,
    /// The type of all of them; `None` to classify each.
    pub document_type: Option<String>,
    /// Candidate 0 of the only document.
    pub supplied: Option<Arc<Value>>,
    /// Whether every document is tried, however often the provider fails.
    pub keep_going: bool,
}

impl Batch {
    /// Runs every document. An input that can't be read is reported and the others go on. A provider that is plainly gone
    /// ends the batch (without `keep_going`): when its key is missing or refused or its account has nothing left, and when
    /// `MOST_PROVIDER_ERRORS_IN_A_ROW` documents in a row ended by its failures. So does a judge's, if nothing stands in for it.
    ///
    /// # Errors
    /// When the journal or an artifact can't be written; what is finished stays.
    pub async fn run<O: Observer + ?Sized>(
        self,
        session: &Session,
        observer: &mut O,
    ) -> Result<BatchEnd, StoreError> {
        let span = run_span(session.id(), &session.plan().profile.name, self.inputs.len());
        let (end, usage) = self.work_through(session, observer).instrument(span.clone()).await?;
        end_run(&span, &end, usage);
        Ok(end)
    }

    async fn work_through<O: Observer + ?Sized>(
        self,
        session: &Session,
        observer: &mut O,
    ) -> Result<(BatchEnd, Usage), StoreError> {
        let mut usage = Usage::default();
        let mut end = BatchEnd::default();
        let mut errors_in_a_row = 0;
        let mut inputs = self.inputs.into_iter();
        while let Some(input) = inputs.next() {
            if session.is_cancelled() {
                end.cancelled = true;
                end.not_tried = inputs.len() + 1;
                break;
            }
            let document = match session.unless_stopped(read(input)).await {
                None => {
                    end.cancelled = true;
                    end.not_tried = inputs.len() + 1;
                    break;
                }
                Some(Ok(document)) => document,
                Some(Err(error)) => {
                    observer.unusable(&error);
                    end.unusable += 1;
                    continue;
                }
            };
            observer.read(&document);
            let supplied = self.supplied.clone();
            let (asked, named) = (session.asked_anew(), self.document_type.as_deref());
            let result = session.run_asking(&asked, &document, named, supplied, observer).await?;
            end.finished += 1;
            usage += result.usage;
            if result.final_status.passes() && is_unrecognised(session.plan(), &result) {
                end.of_unknown_type += 1;
            }
            match result.final_status {
                FinalStatus::Passed | FinalStatus::Skipped => end.passed += 1,
                FinalStatus::Cancelled => end.cancelled = true,
                FinalStatus::Failed if result.stop_reason == StopReason::ProviderError => {
                    end.provider_errors += 1;
                }
                _ => {}
            }
            let Some(why) = provider_failure(&result) else {
                // Of an unreadable document, nobody was asked.
                if result.stop_reason != StopReason::UnreadableInput {
                    errors_in_a_row = 0;
                }
                continue;
            };
            errors_in_a_row += 1;
            let permanent = asked.is_spent(&result) || errors_in_a_row >= MOST_PROVIDER_ERRORS_IN_A_ROW;
            if inputs.len() == 0 {
                break;
            }
            if permanent && !self.keep_going {
                end.not_tried = inputs.len();
                observer.gave_up(why, errors_in_a_row, inputs.as_slice());
                break;
            }
            let most = session.plan().profile.network.max_retry_wait;
            if let Some(asked) = asked.comes_back(&result, most) {
                let pause = pause_after(errors_in_a_row).max(asked);
                observer.pausing(pause);
                session.pause(pause).await;
            }
        }
        Ok((end, usage))
    }
}

/// Reads a document, on a thread that may wait: standard input comes when somebody writes it.
async fn read(input: Input) -> Result<Document, InputError> {
    match tokio::task::spawn_blocking(move || input.read()).await {
        Ok(document) => document,
        Err(lost) => match lost.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The program ends, and nobody waits for the document.
            Err(_) => std::future::pending().await,
        },
    }
}

/// Whether the profile tells types apart and did not know this document's.
#[must_use]
pub(crate) fn is_unrecognised(plan: &Plan, result: &DocumentResult) -> bool {
    plan.classifier.is_some() && result.document_type == UNKNOWN_TYPE
}
