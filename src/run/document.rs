//! One document's loop, carried out.

use super::answer::{answer_of, impossible, said_in, stop};
use super::asked::{Asked, Candidates};
use super::call::{Calls, stopped};
use super::clock::Time;
use super::consult::Questions;
use super::document_run::DocumentRun;
use super::observer::Observer;
use super::off_thread::off_thread;
use super::session::Session;
use super::trace::{DocumentTrace, document_span, end_document};
use crate::engine::{Input, Outcome, Output, Produced, Run, Work};
use crate::exchange::{Known, attached, first_input, request_for, stage_answer};
use crate::ingest::Document;
use crate::plan::{document_type_of, references_of};
use crate::policy::{Spent, StopReason};
use crate::profile::Mask;
use crate::provider::protocol::DocumentRef;
use crate::repair::MAX_STEPS;
use crate::result::{DocumentResult, ExplanationBuilder};
use crate::score::{Assessment, Assessor, Beside, Judged, Quotes, ScoreBreakdown};
use crate::store::{Artifact, DocumentRecord, StoreError};
use crate::value::{Cancel, Fuel, Millis};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tracing::Instrument;

impl Session {
    /// Runs the loop over one document. `document_type` overrides classification; `supplied` is candidate 0.
    ///
    /// # Errors
    /// When the journal or an artifact can't be written: going on would lose work.
    pub async fn run<O: Observer + ?Sized>(
        &self,
        document: &Document,
        document_type: Option<&str>,
        supplied: Option<Arc<Value>>,
        observer: &mut O,
    ) -> Result<DocumentResult, StoreError> {
        self.run_asking(&self.asked.anew(), document, document_type, supplied, observer).await
    }

    /// The same, asking providers whose state can be looked at afterwards.
    pub(super) async fn run_asking<O: Observer + ?Sized>(
        &self,
        asked: &Asked,
        document: &Document,
        document_type: Option<&str>,
        supplied: Option<Arc<Value>>,
        observer: &mut O,
    ) -> Result<DocumentResult, StoreError> {
        let span = document_span(&document.id);
        let result =
            self.work_on(asked, document, document_type, supplied, observer).instrument(span.clone()).await?;
        end_document(&span, &result);
        Ok(result)
    }

    async fn work_on<O: Observer + ?Sized>(
        &self,
        asked: &Asked,
        document: &Document,
        document_type: Option<&str>,
        supplied: Option<Arc<Value>>,
        observer: &mut O,
    ) -> Result<DocumentResult, StoreError> {
        let attached = attached(&self.plan, document);
        let instead =
            attached.as_ref().map(|file| format!("[the document is the attached file {}]", file.name));
        let own = document.text.as_ref().map(|text| text.as_str()).unwrap_or_default();
        let text = instead.as_deref().unwrap_or(own);
        let mut warnings = Vec::new();
        if instead.is_some() {
            warnings.push(
                "the document has no text to hold values against: what is grounded in it has no score, and no rule can look anything up in it"
                    .to_owned(),
            );
        }
        let typed = document_type_of(&self.plan, document_type, own, "with `--type`", &mut warnings);
        let document_type = typed.name.clone();
        let record = DocumentRecord {
            id: document.id.clone(),
            document_type: document_type.clone(),
            source_digest: document.digest.clone(),
            path: document.path.clone(),
        };
        self.place
            .keep(move |place| {
                place.journal.begin_document(&place.run, &record)?;
                place.artifacts.as_ref().map_or(Ok(()), |artifacts| artifacts.discard(&record.id))
            })
            .await?;
        observer.started(&document.id, &document_type);
        let masked = Mask::apply(&self.plan.profile.mask, text);
        if !self.plan.profile.mask.is_empty() && masked == text && !own.is_empty() {
            warnings
                .push("`mask` found nothing to withhold, so the stages see the whole document".to_owned());
        }
        for judge in self.plan.profile.judges.iter().filter(|judge| !judge.is_asked()) {
            let id = &judge.id.value;
            warnings.push(format!(
                "judge `{id}` was not asked, because it has no provider; name one with `loopctl run --judge`"
            ));
        }
        let mut task = DocumentRun {
            reference: DocumentRef { id: document.id.to_string(), document_type: document_type.clone() },
            typed,
            id: document.id.clone(),
            file_name: document.file_name(),
            text,
            source: Arc::new(self.plan.scoring.source(if attached.is_some() { "" } else { &masked })),
            masked,
            attached,
            references: references_of(&self.plan, document, &document_type, &mut warnings),
            supplied,
            asked,
            assessor: None,
            calls: Arc::new(Calls::new(self.time, self.plan.policy.stop.waiting())),
            at: Millis::default(),
            warnings,
            trace: DocumentTrace::default(),
            explanation: ExplanationBuilder::default(),
        };
        let first = first_input(&self.plan, document, &task.source);
        let mut run = self.plan.engine_run();
        let outcome = self.drive(&mut run, first, &mut task, observer).await?;
        let mut result = DocumentResult::of(
            &self.plan,
            task.id.clone(),
            document_type,
            run.document(),
            &outcome,
            task.warnings,
        );
        result.warnings.extend(task.calls.bill.settle());
        result.cached_calls = task.calls.cached();
        result.answered_by = task.calls.answered();
        result.explanation = Some(task.explanation.close(&self.plan, run.document()));
        let recorded = closing(&outcome, &result)
            .map_err(|source| StoreError::Json { what: format!("the outcome of `{}`", task.id), source })?;
        let result = self
            .place
            .keep(move |place| {
                if let Some(artifacts) = &place.artifacts {
                    artifacts.write(&result.id, Artifact::Result, &result)?;
                }
                place.journal.finish_document(&place.run, &result.id, &recorded)?;
                Ok(result)
            })
            .await?;
        observer.finished(&result);
        Ok(result)
    }

    /// Feeds the run and does what it asks for until it is over.
    async fn drive<O: Observer + ?Sized>(
        &self,
        run: &mut Run,
        first: Input,
        task: &mut DocumentRun<'_>,
        observer: &mut O,
    ) -> Result<Outcome, StoreError> {
        let mut next = Some(first);
        let mut outcome = None;
        let mut questions = Questions::default();
        loop {
            if let Some(mut input) = next.take() {
                if let Input::Stop { in_flight } = &mut input {
                    *in_flight += task.calls.bill.give_up();
                }
                task.at = task.calls.clock.now();
                if let Err(misuse) = run.handle(task.at, input) {
                    return Ok(self.broken(run, task, misuse.to_string()));
                }
            }
            let Some(output) = run.poll() else {
                if outcome.is_none() && !questions.is_empty() {
                    next = Some(questions.answer(self.time).await);
                    continue;
                }
                return Ok(
                    outcome.unwrap_or_else(|| self.broken(run, task, "the run stood still".to_owned()))
                );
            };
            match output {
                Output::Record(event) => self.record(&event, run, task, observer).await?,
                Output::Call(ref work @ Work::Consult { member, attempt, .. }) => {
                    if self.is_cancelled() {
                        questions.ask(std::future::ready(stop()));
                    } else {
                        let iteration = task.trace.iteration(run.iteration());
                        questions.ask(self.consult((member, attempt), work, run, task).instrument(iteration));
                    }
                }
                Output::Call(work) => {
                    let iteration = task.trace.iteration(run.iteration());
                    next = Some(self.carry_out(work, run, task).instrument(iteration).await);
                }
                Output::Wake { at, .. } => next = Some(self.wait_until(at, task).await),
                Output::Finished(finished) => outcome = Some(*finished),
            }
        }
    }

    /// Does what the run asks for. A cancellation ends it before the next call is made, so that nothing that has been
    /// paid for is thrown away.
    async fn carry_out(&self, work: Work, run: &Run, task: &mut DocumentRun<'_>) -> Input {
        match work {
            Work::Assess { .. } => {
                let mut assessment = Assessment::default();
                if let Some(candidate) = run.pending_candidate() {
                    let quotes = run.pending_quotes().cloned().unwrap_or_default();
                    let judged = Arc::clone(run.judged());
                    (assessment, task.explanation.account) =
                        self.assess(Arc::clone(candidate), quotes, judged, task).await;
                    if task.attached.is_some() {
                        assessment.say_unseen();
                    }
                    task.typed.say(&self.plan, &mut assessment);
                }
                Input::Assessed(Arc::new(assessment))
            }
            _ if self.is_cancelled() => stop(),
            Work::Generate { stage, .. } => match task.supplied.take() {
                Some(candidate) => Input::Supplied(Produced { candidate, ..Produced::default() }),
                None => self.ask(stage, &work, run, task).await,
            },
            Work::Correct { stage, .. } => self.ask(stage, &work, run, task).await,
            // Asked beside the others of the panel, in `drive`.
            Work::Consult { .. } => impossible("the panel is not asked here"),
        }
    }

    /// What tier 1 says of a candidate, and where its points went.
    async fn assess(
        &self,
        candidate: Arc<Value>,
        quotes: Quotes,
        judged: Arc<Judged>,
        task: &mut DocumentRun<'_>,
    ) -> (Assessment, ScoreBreakdown) {
        let document_type = task.reference.document_type.clone();
        let source = task.attached.is_none().then(|| Arc::clone(&task.source));
        let cancel = Cancel::default();
        let idle = task.assessor.take().unwrap_or_else(|| Assessor::new(Arc::clone(&self.plan.scoring)));
        let mut assessor = idle.with_cancel(&cancel);
        let (assessor, assessment, account) =
            off_thread(cancel, self.cancelled.clone(), self.time_left(task), move || {
                let mut assessment = Assessment::default();
                let source = source.as_deref();
                let account = assessor.assess_and_account(
                    &document_type,
                    &candidate,
                    Beside { source, quotes: Some(&quotes), judged: Some(&judged), ..Beside::default() },
                    &mut assessment,
                );
                (assessor, assessment, account)
            })
            .await;
        task.assessor = Some(assessor);
        (assessment, account)
    }

    /// How long the document may take yet, where the time is real.
    fn time_left(&self, task: &DocumentRun<'_>) -> Option<Duration> {
        let limit = self.plan.policy.stop.timeout().filter(|_| self.time == Time::Real)?;
        Some((limit - task.calls.clock.now()).duration())
    }

    /// Asks the provider of a stage.
    async fn ask(&self, stage: usize, work: &Work, run: &Run, task: &DocumentRun<'_>) -> Input {
        let Candidates::Providers(providers) = &task.asked.candidates else {
            return impossible("there is no provider to ask");
        };
        let (Some(chain), Some(planned)) = (providers.get(stage), self.plan.stages.get(stage)) else {
            return impossible("there is no such stage");
        };
        let mut request = match request_for(&self.plan, run, task.task(), &task.source, work) {
            Ok(request) => request,
            Err(message) => return impossible(&message),
        };
        // Requests count attempts from 1.
        let Some((provider, attempt)) = chain.turn(request.attempt.saturating_sub(1)) else {
            return impossible("there is no provider to ask");
        };
        request.attempt = attempt;
        let deadline = planned.stage.call.deadline;
        let (since, cancelled) = (task.calls.clock.now(), self.cancelled.clone());
        let Some(called) = task.calls.make(since, provider, &request, deadline, cancelled).await else {
            return stop();
        };
        let (plan, outputs) = (Arc::clone(&self.plan), run.stage_outputs().clone());
        let (document_type, source) = (task.reference.document_type.clone(), Arc::clone(&task.source));
        let file_name = task.file_name.clone();
        let cancel = Cancel::default();
        let fuel = Fuel::new(MAX_STEPS, &cancel);
        let (called, read) = off_thread(cancel, self.cancelled.clone(), self.time_left(task), move || {
            let known =
                Known { document_type: &document_type, text: source.text(), file_name: file_name.as_deref() };
            let read = said_in(&called)
                .map(|told| stage_answer(&plan, &outputs, stage, known, &source, told, &fuel));
            (called, read)
        })
        .await;
        match answer_of(provider, &called, |_| read.unwrap_or_else(|| Err("nothing".to_owned()))) {
            Ok(mut produced) => {
                produced.notes.extend(chain.note());
                Input::Produced(produced)
            }
            Err(failed) => Input::Failed(chain.after(failed, &called)),
        }
    }

    /// A mistake of this driver ends the document, with what it has, instead of the process.
    fn broken(&self, run: &Run, task: &DocumentRun<'_>, detail: String) -> Outcome {
        let spent = Spent { elapsed: task.calls.clock.now(), usage: run.document().usage() };
        let detail = format!("a mistake in loopctl itself, please report it: {detail}");
        let reason = StopReason::ProviderError;
        Outcome {
            best_iteration: None,
            selection_reason: None,
            ..Outcome::of(&self.plan.policy, run.history(), reason, spent, Some(detail))
        }
    }

    async fn wait_until(&self, at: Millis, task: &DocumentRun<'_>) -> Input {
        let mut cancelled = self.cancelled.clone();
        tokio::select! {
            () = task.calls.clock.wait_until(at) => Input::Woke,
            () = stopped(&mut cancelled) => stop(),
        }
    }
}

/// An outcome as the journal keeps it: with what people are told besides.
fn closing(outcome: &Outcome, result: &DocumentResult) -> Result<Value, serde_json::Error> {
    let mut recorded = serde_json::to_value(outcome)?;
    if let Value::Object(members) = &mut recorded {
        members.insert("review".to_owned(), result.review.into());
        members.insert("message".to_owned(), serde_json::to_value(&result.message)?);
        members.insert("warnings".to_owned(), serde_json::to_value(&result.warnings)?);
    }
    Ok(recorded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Problems;
    use crate::engine::{Event, Recorded};
    use crate::ingest::InputError;
    use crate::plan::Plan;
    use crate::policy::FinalStatus;
    use crate::profile::{Library, load};
    use crate::run::RunStore;
    use crate::store::{Journal, RunRecord};
    use crate::value::DocumentId;
    use serde_json::json;
    use tokio::sync::watch;

    /// Keeps the events, taking its time over each, and cancels when it sees an assessment begin.
    struct Witness {
        record: Vec<Recorded>,
        cancel: Option<watch::Sender<bool>>,
    }

    impl Observer for Witness {
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
