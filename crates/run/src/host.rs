//! A live run's side of the loop: what the engine asks for is asked of providers, kept in the journal, and reported to
//! the observer.

use super::answer::{answer_of, impossible, impossible_reason, said_in, stop};
use super::call::{CallTerms, SkippedCall};
use super::clock::Time;
use super::consult::PendingQuestions;
use super::consultants::Candidates;
use super::document_run::DocumentRun;
use super::off_thread::{FEW_BYTES, off_thread};
use super::run_observer::RunObserver;
use super::session::Session;
use crate::engine::{Event, Input, Outcome, Produced, Run, Work};
use crate::exchange::{
    Host, NotDriven, PendingAssessment, PreparedFeedback, RawAnswer, Task, drive, request_for, stage_answer,
};
use crate::repair::MAX_STEPS;
use crate::score::Assessment;
use crate::store::StoreError;
use crate::value::{Cancel, Fuel, Millis, about_bytes};
use std::sync::Arc;
use std::time::Duration;
use tracing::Instrument;

/// Carries out the loop of one document.
pub(super) struct SessionHost<'s, 'd, O: ?Sized> {
    session: &'s Session,
    task: &'s mut DocumentRun<'d>,
    observer: &'s mut O,
    questions: PendingQuestions,
    /// `true` if a call of a stage waits for a batch.
    postponed: bool,
}

impl<'s, 'd, O: RunObserver + ?Sized> SessionHost<'s, 'd, O> {
    pub(super) fn new(session: &'s Session, task: &'s mut DocumentRun<'d>, observer: &'s mut O) -> Self {
        SessionHost { session, task, observer, questions: PendingQuestions::default(), postponed: false }
    }

    /// Drives the run until it is over; `None` when it waits for a batch.
    pub(super) async fn drive(
        mut self,
        run: &mut Run,
        first: Option<Input>,
    ) -> Result<Option<Outcome>, StoreError> {
        let plan = Arc::clone(&self.session.plan);
        let (context, prepared) = (self.task.context.clone(), self.task.prepared.take());
        match drive(&plan, &context, run, first, prepared, &mut self).await {
            Ok(Some(outcome)) => Ok(Some(outcome)),
            Ok(None) if self.postponed || !self.questions.is_empty() => Ok(None),
            Ok(None) => Ok(Some(self.session.broken(run, self.task, "the run stood still".to_owned()))),
            Err(NotDriven::Misuse(misuse)) => {
                Ok(Some(self.session.broken(run, self.task, misuse.to_string())))
            }
            Err(NotDriven::Host(error)) => Err(error),
        }
    }
}

impl<O: RunObserver + ?Sized> SessionHost<'_, '_, O> {
    /// Asks the provider of a stage, once the pages that it gets are drawn: those of a run that was resumed are not yet.
    async fn ask_stage(
        &mut self,
        stage: (usize, &Work),
        feedback: Option<&PreparedFeedback>,
        run: &Run,
    ) -> Result<Option<Input>, StoreError> {
        match self.session.draw_pages(self.task).await? {
            _ if self.session.takes_no_calls() => Ok(Some(stop())),
            Ok(()) => Ok(self.session.ask_stage(stage, feedback, run, self.task).await),
            Err(why) => Ok(Some(impossible(&why))),
        }
    }
}

impl Session {
    /// Asks the provider of a stage. `None` if that waits for a batch.
    async fn ask_stage(
        &self,
        (stage, work): (usize, &Work),
        feedback: Option<&PreparedFeedback>,
        run: &Run,
        task: &DocumentRun<'_>,
    ) -> Option<Input> {
        let Candidates::Providers(providers) = &task.consulted.candidates else {
            return Some(impossible("there is no provider to ask"));
        };
        let (Some(chain), Some(planned)) = (providers.get(stage), self.plan.stages.get(stage)) else {
            return Some(impossible("there is no such stage"));
        };
        let asked = Task { feedback, ..task.task() };
        let mut request = match request_for(&self.plan, run, asked, &task.source, work) {
            Ok(request) => request,
            Err(message) => return Some(impossible(&message)),
        };
        // Requests count attempts from 1.
        let Some((provider, attempt)) = chain.turn(request.attempt.saturating_sub(1)) else {
            return Some(impossible("there is no provider to ask"));
        };
        request.attempt = attempt;
        provider.name_model(&mut request);
        task.log.flush();
        let call = stage_call(run.iteration(), stage, work);
        let terms = CallTerms {
            answers: task.log.answers_to(call.clone()),
            call,
            since: task.calls.clock.now(),
            deadline: planned.stage.call.deadline,
            stops: self.stops(),
        };
        let called = match task.calls.make(terms, provider, &request).await {
            Ok(called) => called,
            Err(SkippedCall::Stopped) => return Some(stop()),
            Err(SkippedCall::Postponed) => return None,
        };
        let (plan, outputs) = (Arc::clone(&self.plan), run.stage_outputs().clone());
        let (context, file_name) = (task.context.clone(), task.file_name.clone());
        let cancel = Cancel::default();
        let fuel = Fuel::new(MAX_STEPS, &cancel);
        let bytes = task.text.len()
            + match said_in(&called) {
                Some(RawAnswer::Text(text)) => text.len(),
                Some(RawAnswer::Value(value)) => about_bytes(value, FEW_BYTES),
                None => 0,
            };
        let left = self.time_left(task);
        let (called, read) = off_thread(cancel, self.stops().cancelled, left, bytes, move || {
            let read = said_in(&called).map(|told| {
                stage_answer(&plan, &outputs, stage, &context, file_name.as_deref(), told, &fuel)
            });
            (called, read)
        })
        .await;
        Some(match answer_of(provider, &called, |_| read.unwrap_or_else(|| Err("nothing".to_owned()))) {
            Ok(mut produced) => {
                self.budget().add(produced.usage);
                produced.notes.extend(chain.note());
                Input::Produced(produced)
            }
            Err(failed) => {
                self.budget().add(failed.usage);
                Input::Failed(chain.after(failed, &called))
            }
        })
    }

    /// The time that the document has left, where the time is real.
    fn time_left(&self, task: &DocumentRun<'_>) -> Option<Duration> {
        let limit = self.plan.policy.stop.timeout().filter(|_| self.time == Time::Real)?;
        Some((limit - task.calls.clock.now()).duration())
    }
}

impl<O: RunObserver + ?Sized> Host for SessionHost<'_, '_, O> {
    type Error = StoreError;

    fn now(&mut self) -> Millis {
        self.task.calls.clock.now()
    }

    fn before(&mut self, mut input: Input) -> Input {
        if let Input::Stop { in_flight } = &mut input {
            let given_up = self.task.calls.cost_tracker.give_up();
            self.session.budget().add(given_up);
            *in_flight += given_up;
        }
        input
    }

    fn record(
        &mut self,
        run: &Run,
        at: Millis,
        event: &Event,
        feedback: Option<&PreparedFeedback>,
    ) -> Result<(), StoreError> {
        self.session.record((at, event), feedback, run, self.task, self.observer)
    }

    fn needs_feedback(&self, _: &Work) -> bool {
        true
    }

    async fn assess(&mut self, run: &Run, pending: PendingAssessment) -> Assessment {
        let iteration = self.task.trace.iteration(run.iteration());
        let cancel = Cancel::default();
        let idle = self.task.assessor.take().unwrap_or_else(|| self.task.context.assessor());
        let mut assessor = idle.with_cancel(&cancel);
        let bytes = self.task.text.len() + about_bytes(&pending.candidate, FEW_BYTES);
        let (cancelled, left) = (self.session.stops().cancelled, self.session.time_left(self.task));
        let work = move || {
            let (assessment, account) = pending.assess_and_account(&mut assessor);
            (assessor, assessment, account)
        };
        let (assessor, assessment, account) =
            off_thread(cancel, cancelled, left, bytes, work).instrument(iteration).await;
        self.task.assessor = Some(assessor);
        self.task.explanation.account = account;
        assessment
    }

    /// Does what the run asks for. A cancellation ends it before the next call is made, so that nothing that has been
    /// paid for is thrown away.
    async fn ask(
        &mut self,
        run: &Run,
        work: &Work,
        feedback: Option<&PreparedFeedback>,
    ) -> Result<Option<Input>, StoreError> {
        let iteration = self.task.trace.iteration(run.iteration());
        let told = match *work {
            // The panel is asked all at the same time.
            Work::Consult { member, attempt, .. } => {
                self.task.log.flush();
                // Those of a run that was resumed are not drawn yet.
                let drawn = self.session.draw_pages(self.task).await?;
                if self.session.takes_no_calls() {
                    self.questions.ask(std::future::ready(Some(stop())));
                } else if let Err(why) = drawn {
                    let failed = Input::on_answer(member, Err(impossible_reason(&why)));
                    self.questions.ask(std::future::ready(Some(failed)));
                } else {
                    let question = self.session.consult((member, attempt), work, run, self.task);
                    self.questions.ask(question.instrument(iteration));
                }
                return Ok(None);
            }
            Work::Assess { .. } => Some(impossible("candidates are assessed where the run is driven")),
            Work::Generate { .. } | Work::Correct { .. } if self.session.takes_no_calls() => Some(stop()),
            Work::Generate { stage, .. } => match self.task.supplied.take() {
                Some(candidate) => Some(Input::Supplied(Produced { candidate, ..Produced::default() })),
                None => self.ask_stage((stage, work), None, run).instrument(iteration).await?,
            },
            Work::Correct { stage, .. } => {
                self.ask_stage((stage, work), feedback, run).instrument(iteration).await?
            }
        };
        self.postponed |= told.is_none();
        Ok(told)
    }

    fn without_feedback(&mut self, why: String) -> Result<Input, StoreError> {
        Ok(impossible(&why))
    }

    async fn wake(&mut self, at: Millis) -> Input {
        self.task.log.flush();
        let mut stops = self.session.stops();
        tokio::select! {
            () = self.task.calls.clock.wait_until(at) => Input::Woke,
            () = stops.no_more_calls() => stop(),
        }
    }

    async fn later(&mut self) -> Option<Input> {
        if self.postponed || self.questions.is_empty() {
            return None;
        }
        self.questions.answer(self.session.time).await
    }
}

/// The name of a stage's call in the journal.
fn stage_call(iteration: usize, stage: usize, work: &Work) -> String {
    let attempt = match work {
        Work::Generate { attempt, .. } | Work::Correct { attempt, .. } => *attempt,
        Work::Assess { .. } | Work::Consult { .. } => 0,
    };
    format!("stage {iteration} {stage} {attempt}")
}
