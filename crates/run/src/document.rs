//! One document's loop, carried out.

use super::call::{CallPostponer, CallRunner};
use super::consultants::ConsultedProviders;
use super::document_log::DocumentLog;
use super::document_run::DocumentRun;
use super::host::SessionHost;
use super::off_thread::on_blocking_thread;
use super::prior_work::PriorWork;
use super::projection::{stage_of, write_artifacts};
use super::provider_gone::{issues_of, provider_failure, unheard};
use super::record::recall_chains;
use super::run_observer::RunObserver;
use super::session::Session;
use super::trace::{DocumentTrace, document_span, end_document};
use crate::engine::{Input, Outcome, Run};
use crate::exchange::{Attached, first_input};
use crate::ingest::{Document, DocumentReader, references_of};
use crate::plan::DocumentContext;
use crate::policy::{Spent, StopReason};
use crate::profile::{Judge, Mask, Unasked};
use crate::provider::protocol::DocumentRef;
use crate::result::{DocumentResult, ExplanationBuilder, prepared_in};
use crate::store::{Artifacts, DocumentRecord, DocumentStage, RESUMED, StoreError};
use crate::value::Millis;
use serde_json::Value;
use std::sync::Arc;
use tracing::Instrument;

/// A document with what is needed to work on it.
pub(super) struct Assignment<'a> {
    pub(super) document: &'a Document,
    /// The reader of its file.
    pub(super) reader: &'a DocumentReader,
    /// Overrides classification.
    pub(super) document_type: Option<&'a str>,
    /// Candidate 0.
    pub(super) supplied: Option<Arc<Value>>,
    /// The log of what happens.
    pub(super) log: DocumentLog,
    /// The folder of its artifacts, if any.
    pub(super) artifacts: Option<Artifacts>,
    /// The record of earlier work on it.
    pub(super) prior: PriorWork,
    /// The handler that has its calls wait for a batch, if any.
    pub(super) postponer: Option<Arc<dyn CallPostponer>>,
}

impl Session {
    /// Runs the loop over one document. `document_type` overrides classification; `supplied` is candidate 0.
    ///
    /// # Errors
    /// When the journal or an artifact can't be written: continuing would lose work.
    pub async fn run<O: RunObserver + ?Sized>(
        &self,
        document: &Document,
        document_type: Option<&str>,
        supplied: Option<Arc<Value>>,
        observer: &mut O,
    ) -> Result<DocumentResult, StoreError> {
        let record = DocumentRecord {
            id: document.id.clone(),
            document_type: String::new(),
            source_digest: document.digest.clone(),
            path: document.path.clone(),
        };
        let key = self.store.journal.begin_document(&self.store.run, &record).await?;
        let assignment = Assignment {
            document,
            reader: &self.reader,
            document_type,
            supplied,
            log: DocumentLog::new(Arc::clone(&self.store.journal), key),
            artifacts: self.store.artifacts.clone(),
            prior: PriorWork::default(),
            postponer: None,
        };
        let result = self.run_consulting(&self.consulted.anew(), assignment, observer).await?;
        // Without a handler that has calls wait, it is over.
        result.ok_or(StoreError::ShuttingDown)
    }

    /// Like [`Self::run`], for a document that is in the journal, asking providers whose state can be inspected
    /// afterwards. `None` for one that is left until the calls that wait for a batch are answered.
    pub(super) async fn run_consulting<O: RunObserver + ?Sized>(
        &self,
        consulted: &ConsultedProviders,
        assignment: Assignment<'_>,
        observer: &mut O,
    ) -> Result<Option<DocumentResult>, StoreError> {
        let span = document_span(&assignment.document.id);
        let result = self.work_on(consulted, assignment, observer).instrument(span.clone()).await?;
        if let Some(result) = &result {
            end_document(&span, result);
        }
        Ok(result)
    }

    async fn work_on<O: RunObserver + ?Sized>(
        &self,
        consulted: &ConsultedProviders,
        assignment: Assignment<'_>,
        observer: &mut O,
    ) -> Result<Option<DocumentResult>, StoreError> {
        let Assignment { document, reader, document_type, supplied, log, artifacts, prior, postponer } =
            assignment;
        let counted = self.with_pages_counted(document, reader).await?;
        let document = counted.as_ref().unwrap_or(document);
        let attached = Attached::of(&self.plan, document);
        let instead = attached.as_ref().and_then(Attached::instead_of_text).map(str::to_owned);
        let own = document.text.as_ref().map(|text| text.as_str()).unwrap_or_default();
        let text = instead.as_deref().unwrap_or(own);
        let mut warnings = Vec::new();
        if instead.is_some() && document.text.is_err() {
            warnings.push(
                "the document has no text to hold values against: what is grounded in it has no score, and no rule can look anything up in it"
                    .to_owned(),
            );
        }
        let context =
            DocumentContext::of(&self.plan, document, document_type, "with `--type`", &mut warnings);
        let document_type = context.document_type().to_owned();
        log.begun(&document_type, &document.digest);
        observer.started(&document.id, &document_type);
        let masked = Mask::apply(&self.plan.profile.mask, text);
        if !self.plan.profile.mask.is_empty() && masked == text && !own.is_empty() {
            warnings
                .push("`mask` found nothing to withhold, so the stages see the whole document".to_owned());
        }
        let profile = &self.plan.profile;
        // That values stay undecided where no model makes the candidates is what `$stage` asks for.
        let is_content = |judge: &Judge| match judge.unasked {
            Some(Unasked::NotNamed) => true,
            Some(Unasked::NoModel) => {
                profile.value_judge().is_some_and(|named| named.value == judge.id.value)
            }
            None => false,
        };
        let without_provider = |judge: &&Judge| !judge.is_asked() && !is_content(judge);
        for judge in self.plan.profile.judges.iter().filter(without_provider) {
            let id = &judge.id.value;
            warnings.push(format!(
                "judge `{id}` was not asked, because it has no provider; name one with `loopctl run --judge`"
            ));
        }
        let from = prior.events.last().map_or(Millis::default(), |(last, _)| last.at);
        let mut task = DocumentRun {
            reference: DocumentRef { id: document.id.to_string(), document_type: document_type.clone() },
            id: document.id.clone(),
            file_name: document.file_name(),
            text,
            source: context.source().cloned().unwrap_or_else(|| Arc::new(self.plan.scoring.source(""))),
            context,
            masked,
            attached,
            reader,
            file: document.file.clone(),
            variables: &document.variables,
            references: references_of(&self.plan, document, &document_type, &mut warnings),
            supplied,
            consulted,
            assessor: None,
            calls: Arc::new(CallRunner::new(self.time, self.plan.policy.stop.waiting(), from, postponer)),
            log: log.clone(),
            prepared: None,
            warnings,
            trace: DocumentTrace::default(),
            explanation: ExplanationBuilder::default(),
        };
        let (mut run, mut first) = match self.take_up(document, &mut task, prior) {
            Ok(taken_up) => taken_up,
            Err(why) => {
                let run = self.plan.engine_run_for(&task.context);
                let outcome = self.ended(&run, &task, why);
                return self.close_document(&run, task, &outcome, artifacts, observer).await.map(Some);
            }
        };
        // A document whose pages can't be shown ends before anything is paid for.
        if matches!(first, Some(Input::Started))
            && let Err(reason) = self.draw_pages(&mut task).await?
        {
            first = Some(Input::Unreadable { reason });
        }
        let host = SessionHost::new(self, &mut task, observer);
        let Some(outcome) = host.drive(&mut run, first).await? else {
            task.log.park().await?;
            return Ok(None);
        };
        self.close_document(&run, task, &outcome, artifacts, observer).await.map(Some)
    }

    /// The run of a document, as far as it has come, and its first input.
    fn take_up(
        &self,
        document: &Document,
        task: &mut DocumentRun<'_>,
        prior: PriorWork,
    ) -> Result<(Run, Option<Input>), String> {
        let first = first_input(&self.plan, document, &task.source);
        if prior.next == 0 {
            return Ok((self.plan.engine_run_for(&task.context), Some(first)));
        }
        let mut record = Vec::with_capacity(prior.events.len());
        for (recorded, payload) in prior.events {
            task.explanation.read(&recorded.event, &payload);
            if let Some(prepared) = prepared_in(&recorded.event, &payload) {
                task.prepared = Some(prepared);
            }
            task.calls.recall(&payload);
            recall_chains(task.consulted, &payload);
            record.push(recorded);
        }
        let run = self.plan.engine_run_for(&task.context).replay(&record).map_err(|error| {
            format!(
                "its recorded events can't be replayed: {error}; `loopctl runs retry --anew` begins it again"
            )
        })?;
        task.log.resume(prior.next, prior.answers);
        if record.len() < prior.counted {
            task.log.remark(Millis::default(), RESUMED, format!("{{\"keeps\":{}}}", record.len()));
        }
        let first = record.is_empty().then_some(first);
        Ok((run, first))
    }

    /// Makes the result of a run that is over, writes it where it is kept, and tells the observer.
    async fn close_document<O: RunObserver + ?Sized>(
        &self,
        run: &Run,
        task: DocumentRun<'_>,
        outcome: &Outcome,
        artifacts: Option<Artifacts>,
        observer: &mut O,
    ) -> Result<DocumentResult, StoreError> {
        let document_type = task.reference.document_type.clone();
        let mut result = DocumentResult::of(
            &self.plan,
            task.id.clone(),
            document_type,
            run.document(),
            outcome,
            task.warnings,
        );
        result.warnings.extend(task.calls.cost_tracker.settle());
        result.cached_calls = task.calls.cached();
        result.answered_by = task.calls.answered();
        // The journal has what explains it among the events.
        let recorded = serde_json::to_string(&result)
            .map_err(|source| StoreError::Json { what: format!("the result of `{}`", task.id), source })?;
        result.explanation = Some(task.explanation.close(&self.plan, run.document()));
        let stage = stage_of(&result, unheard(issues_of(&result)).is_some());
        if let Some(artifacts) = artifacts {
            let (state, written) = (run.document().clone(), result.clone());
            on_blocking_thread(move || write_artifacts(&artifacts, &state, &written, stage)).await?;
        }
        let reason = match stage {
            DocumentStage::Failed => provider_failure(&result).map(str::to_owned),
            _ => None,
        };
        task.log.end(stage, reason, Some(recorded)).await?;
        observer.finished(&result);
        Ok(result)
    }

    /// A bug in this driver ends the document, with what it has, instead of the process.
    pub(super) fn broken(&self, run: &Run, task: &DocumentRun<'_>, detail: String) -> Outcome {
        self.ended(run, task, format!("a mistake in loopctl itself, please report it: {detail}"))
    }

    /// The end of a document that can't be continued.
    fn ended(&self, run: &Run, task: &DocumentRun<'_>, detail: String) -> Outcome {
        let spent = Spent { elapsed: task.calls.clock.now(), usage: run.document().usage() };
        let reason = StopReason::ProviderError;
        Outcome {
            best_iteration: None,
            selection_reason: None,
            ..Outcome::of(&self.plan.policy, run.history(), reason, spent, Some(detail))
        }
    }
}

#[cfg(feature = "journal")]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunStore;
    use crate::consultants::Candidates;
    use crate::diag::Problems;
    use crate::engine::{Event, Recorded, Work};
    use crate::ingest::InputError;
    use crate::plan::Plan;
    use crate::policy::FinalStatus;
    use crate::profile::{Library, load};
    use crate::store::{Journal, RunRecord};
    use crate::value::DocumentId;
    use serde_json::json;
    use std::time::Duration;
    use tokio::sync::watch;

    /// Keeps the events, taking its time over each, and cancels when it sees an assessment begin.
    struct Witness {
        record: Vec<Recorded>,
        cancel: Option<watch::Sender<bool>>,
    }

    impl RunObserver for Witness {
        fn started(&mut self, _: &DocumentId, _: &str) {}
        fn event(&mut self, _: &DocumentId, at: Millis, event: &Event) {
            self.record.push(Recorded { at, event: event.clone() });
            std::thread::sleep(Duration::from_millis(3));
            if let (Event::Called(Work::Assess { .. }), Some(cancel)) = (event, &self.cancel) {
                cancel.send(true).unwrap();
            }
        }
        fn finished(&mut self, _: &DocumentResult) {}
        fn unusable(&mut self, _: &InputError) {}
    }

    fn run_supplied(cancelling: bool) -> (Arc<Plan>, DocumentResult, Vec<Recorded>) {
        let mut problems = Problems::new();
        let loaded = load("batch", &Library::embedded(), &[], &|_| None, &mut problems).unwrap();
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
        let (cancel, cancelled) = watch::channel(false);
        let place = RunStore { journal: Arc::new(journal), run, artifacts: None };
        let session = Session::new(Arc::clone(&plan), Candidates::Supplied, Vec::new(), place, cancelled);
        let document = Document::from_text("d", "Grade: 2");
        let mut witness = Witness { record: Vec::new(), cancel: cancelling.then_some(cancel) };
        let result = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
            .block_on(session.run(
                &document,
                Some("pathology"),
                Some(Arc::new(json!({"grade": "2"}))),
                &mut witness,
            ))
            .unwrap();
        (plan, result, witness.record)
    }

    #[test]
    fn what_a_run_records_can_be_replayed() {
        let (plan, result, record) = run_supplied(false);
        plan.engine_run().replay(&record).unwrap();
        assert_eq!(record.last().unwrap().at, result.elapsed_ms);
    }

    #[test]
    fn a_candidate_that_is_there_when_the_run_is_cancelled_is_kept() {
        let (plan, result, record) = run_supplied(true);
        assert_eq!((result.final_status, result.iteration_count), (FinalStatus::Cancelled, 1));
        assert_eq!(*result.best_extraction.unwrap(), json!({"grade": "2"}));
        plan.engine_run().replay(&record).unwrap();
    }
}
