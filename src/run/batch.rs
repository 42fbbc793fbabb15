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
            let asked = session.asked_anew();
            // What is said of one document wins over what is said of all.
            let named = document.document_type.as_deref().or(self.document_type.as_deref());
            let result = session.run_asking(&asked, &document, named, supplied, observer).await?;
            end.finished += 1;
            usage += result.usage;
            if result.final_status.passes() && is_unrecognised(session.plan(), &result) {
                end.of_unknown_type += 1;
            }
            match result.final_status {
                FinalStatus::Passed | FinalStatus::Skipped => end.passed += 1,
                // An interrupt may cut the last assessment short, after which there was nothing more to ask.
                _ if session.is_cancelled() => end.cancelled = true,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Problems;
    use crate::engine::{Event, Work};
    use crate::ingest::find;
    use crate::plan::Plan;
    use crate::profile::{Library, load};
    use crate::run::{Candidates, RunStore};
    use crate::store::{Journal, RunRecord};
    use crate::value::{DocumentId, Millis};
    use serde_json::json;
    use tokio::sync::watch;

    /// Interrupts when it sees an assessment begin.
    struct Impatient(watch::Sender<bool>);

    impl Observer for Impatient {
        fn started(&mut self, _: &DocumentId, _: &str) {}
        fn event(&mut self, _: &DocumentId, _: Millis, event: &Event) {
            if matches!(event, Event::Called(Work::Assess { .. })) {
                self.0.send(true).unwrap();
            }
        }
        fn finished(&mut self, _: &DocumentResult) {}
        fn unusable(&mut self, _: &InputError) {}
    }

    /// A verdict of which nobody knows whether all was looked at is not the document's.
    #[test]
    fn an_interrupt_during_the_last_assessment_is_said() {
        let mut problems = Problems::new();
        let once = crate::profile::Override::from_flag("stop.max_iterations=1", &mut problems).unwrap();
        let loaded = load("batch", &Library::embedded(), &[once], &|_| None, &mut problems).unwrap();
        let plan = Arc::new(Plan::compile(&loaded, &mut problems).unwrap());
        let journal = Journal::in_memory().unwrap();
        let run = journal
            .begin_run(&RunRecord {
                started_at: "2024-01-01T00:00:00Z".into(),
                profile: "batch".into(),
                profile_digest: String::new(),
                loopctl_version: String::new(),
                plugins: json!([]),
                settings: json!({}),
            })
            .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.txt");
        std::fs::write(&path, "Grade: 2").unwrap();
        let (cancel, cancelled) = watch::channel(false);
        let place = RunStore { journal: Arc::new(journal), run, artifacts: None };
        let session = Session::new(plan, Candidates::Supplied, Vec::new(), place, cancelled);
        let batch = Batch {
            inputs: find([path]).inputs,
            document_type: Some("pathology".into()),
            supplied: Some(Arc::new(json!({ "grade": "2" }))),
            keep_going: false,
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let end = runtime.block_on(batch.run(&session, &mut Impatient(cancel))).unwrap();
        assert!(end.cancelled && end.finished == 1 && end.passed == 0, "{end:?}");
    }
}
