//! Judges and validators, asked about a candidate.

use super::answer::{answer_of, impossible_reason, stop};
use super::ask_validator;
use super::call::{CallRunner, CallTerms, SkippedCall};
use super::clock::Time;
use super::consultants::Consultant;
use super::document_run::DocumentRun;
use super::fallback::FallbackChain;
use super::session::Session;
use super::validator::question;
use crate::engine::{CallFailed, Consulted, Input, Produced, Run, Work};
use crate::exchange::{AskedValues, RawAnswer, ReferenceLeakFilter, request_for, verdict};
use crate::plan::Plan;
use crate::provider::protocol::CompletionRequest;
use crate::repair::Repaired;
use crate::value::{MAX_CANDIDATE_DEPTH, Millis, Usage, is_deeper};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

/// The note about a judge whose issues would show the stages what they must not see.
const QUOTED: &str = "a judge quoted what only judges see; the quotations were taken out of its issues";

const NOT_APPLIED: &str = "the patch could not be applied";

/// Questions that are being asked at the same time. Dropping them gives them up.
#[derive(Default)]
pub(super) struct PendingQuestions {
    asked: Vec<PendingAnswer>,
    /// Answers that are still to be handed out, in this order.
    answers: VecDeque<Input>,
    /// The usage of calls in flight, once a stop was reported.
    stop: Option<Usage>,
    /// `true` if some wait for a batch.
    postponed: bool,
}

/// The answer to a question; `None` for one that waits for a batch.
type PendingAnswer = Pin<Box<dyn Future<Output = Option<Input>> + Send>>;

impl PendingQuestions {
    pub(super) fn is_empty(&self) -> bool {
        self.asked.is_empty() && self.answers.is_empty() && self.stop.is_none() && !self.postponed
    }

    pub(super) fn ask(&mut self, question: impl Future<Output = Option<Input>> + Send + 'static) {
        self.asked.push(Box::pin(question));
    }

    /// Waits for the next answer. There must be a question. Where time is real, it is the first that comes; where it is
    /// counted, all are waited for and handed out in the order in which they were asked for, because which of them
    /// comes first would differ on replay. `None` when only those that wait for a batch are left.
    pub(super) async fn answer(&mut self, time: Time) -> Option<Input> {
        if time == Time::Real {
            return self.first_answer().await;
        }
        if self.answers.is_empty() {
            self.answers = self.all_answers().await;
        }
        self.answers.pop_front().or_else(|| (!self.postponed).then(stop))
    }

    /// The first answer that comes. A stop is handed out only when there is no answer: one that is there has been paid
    /// for.
    async fn first_answer(&mut self) -> Option<Input> {
        poll_fn(|context| {
            let mut at = 0;
            while let Some(question) = self.asked.get_mut(at) {
                match question.as_mut().poll(context) {
                    Poll::Pending => at += 1,
                    Poll::Ready(said) => {
                        drop(self.asked.remove(at));
                        match said {
                            Some(Input::Stop { in_flight }) => self.stopped(in_flight),
                            None => self.postponed = true,
                            answer => return Poll::Ready(answer),
                        }
                    }
                }
            }
            match self.stop.take() {
                Some(in_flight) => Poll::Ready(Some(Input::Stop { in_flight })),
                None if self.asked.is_empty() => Poll::Ready(None),
                None => Poll::Pending,
            }
        })
        .await
    }

    /// All answers, or those that have come when the run is stopped, and then the stop.
    async fn all_answers(&mut self) -> VecDeque<Input> {
        let mut open: Vec<(PendingAnswer, Option<Option<Input>>)> =
            self.asked.drain(..).map(|question| (question, None)).collect();
        poll_fn(|context| {
            for (question, answer) in open.iter_mut().filter(|(_, answer)| answer.is_none()) {
                match question.as_mut().poll(context) {
                    Poll::Ready(Some(Input::Stop { in_flight })) => self.stopped(in_flight),
                    Poll::Ready(said) => {
                        self.postponed |= said.is_none();
                        *answer = Some(said);
                    }
                    Poll::Pending => {}
                }
            }
            if self.stop.is_none() && open.iter().any(|(_, answer)| answer.is_none()) {
                return Poll::Pending;
            }
            let stop = self.stop.take().map(|in_flight| Input::Stop { in_flight });
            Poll::Ready(
                open.iter_mut().filter_map(|(_, answer)| answer.take().flatten()).chain(stop).collect(),
            )
        })
        .await
    }

    fn stopped(&mut self, in_flight: Usage) {
        *self.stop.get_or_insert_default() += in_flight;
    }
}

impl Session {
    /// Asks a judge or validator about the candidate. The question owns what it needs, so that several can be asked at
    /// once.
    pub(super) fn consult(
        &self,
        (member, attempt): (usize, u32),
        work: &Work,
        run: &Run,
        task: &DocumentRun<'_>,
    ) -> impl Future<Output = Option<Input>> + Send + 'static {
        let prepared = self.prepare(member, work, run, task);
        let (plan, budget) = (Arc::clone(&self.plan), Arc::clone(self.budget()));
        let document_type = task.reference.document_type.clone();
        // All questions of a round begin at the same time, whichever is answered before another is asked.
        let calls = Arc::clone(&task.calls);
        let call = format!("member {member} {} {attempt}", run.iteration());
        let mut terms = CallTerms {
            answers: task.log.answers_to(call.clone()),
            call,
            since: calls.clock.now(),
            deadline: Millis::default(),
            stops: self.stops(),
        };
        async move {
            let said = match prepared {
                Ok(PanelQuestion::Judge { at, chain, request, discretion, values }) => {
                    let said =
                        ask_judge(&plan, (at, attempt), terms, &chain, (*request, values.as_ref()), &calls)
                            .await;
                    let said = said.map(|said| said.map(|said| discreet(said, discretion.as_ref())));
                    said.map(|said| said.map(|said| noted(said, values.as_ref())))
                }
                Ok(PanelQuestion::Service { chain, request }) => {
                    ask_service(&plan, (member, attempt), terms, &chain, *request, &calls).await
                }
                Ok(PanelQuestion::Validator { candidate, subject }) => {
                    let Some(planned) = plan.validators.get(member) else {
                        let none = Err(impossible_reason("there is no such validator"));
                        return Some(Input::on_answer(member, none));
                    };
                    tokio::select! {
                        biased;
                        answer = ask_validator(planned, &document_type, &candidate, &subject) => Ok(answer),
                        () = terms.stops.give_up() => Err(SkippedCall::Stopped),
                    }
                }
                Ok(PanelQuestion::Unavailable(why)) => Ok(Ok(unavailable(&why))),
                Err(why) => Ok(Err(impossible_reason(&why))),
            };
            if let Ok(said) = &said {
                budget.add(said.as_ref().map_or_else(|failed| failed.usage, |consulted| consulted.usage));
            }
            match said {
                Ok(said) => Some(Input::on_answer(member, said)),
                Err(SkippedCall::Stopped) => Some(stop()),
                Err(SkippedCall::Postponed) => None,
            }
        }
    }

    fn prepare(
        &self,
        member: usize,
        work: &Work,
        run: &Run,
        task: &DocumentRun<'_>,
    ) -> Result<PanelQuestion, String> {
        let candidate = run.pending_candidate().ok_or("there is no candidate to judge")?;
        match task.consulted.consultants.get(member) {
            Some(Consultant::Judge(chain)) => {
                let at = member.checked_sub(self.plan.validators.len()).ok_or("there is no such judge")?;
                let request = Box::new(request_for(&self.plan, run, task.task(), &task.source, work)?);
                let judge = self.plan.judges.get(at);
                let discretion =
                    judge.and_then(|judge| ReferenceLeakFilter::of(&judge.judge, task.task(), candidate));
                let values = AskedValues::of(&self.plan, run, member);
                Ok(PanelQuestion::Judge { at, chain: chain.shared(), request, discretion, values })
            }
            Some(Consultant::Service(chain)) => {
                let Ok(subject) = self.plan.scoring.subject(candidate, Some(&task.source)) else {
                    return Ok(PanelQuestion::Unavailable(NOT_APPLIED.to_owned()));
                };
                let id = self.plan.panel.members().get(member).map(|member| member.id.to_string());
                let iteration = u32::try_from(run.iteration()).unwrap_or(u32::MAX);
                let mut request = CompletionRequest {
                    document: task.reference.clone(),
                    stage: id.unwrap_or_default(),
                    iteration,
                    ..CompletionRequest::default()
                };
                let body = question(&task.reference.document_type, candidate, subject.value());
                request.options.extra_body = body.as_object().cloned().unwrap_or_default();
                if let Work::Consult { attempt, .. } = work {
                    request.attempt = attempt.saturating_add(1);
                }
                Ok(PanelQuestion::Service { chain: chain.shared(), request: Box::new(request) })
            }
            Some(Consultant::Validator) => {
                let Ok(subject) = self.plan.scoring.subject(candidate, Some(&task.source)) else {
                    return Ok(PanelQuestion::Unavailable(NOT_APPLIED.to_owned()));
                };
                Ok(PanelQuestion::Validator {
                    candidate: Arc::clone(candidate),
                    subject: subject.value().clone(),
                })
            }
            Some(Consultant::NotRun(why)) => Ok(PanelQuestion::Unavailable(why.clone())),
            None => Err("there is no such judge or validator".to_owned()),
        }
    }
}

/// A question with all that it takes to ask it.
enum PanelQuestion {
    Judge {
        at: usize,
        chain: FallbackChain,
        request: Box<CompletionRequest>,
        discretion: Option<ReferenceLeakFilter>,
        values: Option<AskedValues>,
    },
    Service {
        chain: FallbackChain,
        request: Box<CompletionRequest>,
    },
    Validator {
        candidate: Arc<Value>,
        subject: Value,
    },
    Unavailable(String),
}

/// Asks a judge.
async fn ask_judge(
    plan: &Plan,
    (at, attempt): (usize, u32),
    terms: CallTerms,
    chain: &FallbackChain,
    (mut request, values): (CompletionRequest, Option<&AskedValues>),
    calls: &CallRunner,
) -> Result<Result<Consulted, CallFailed>, SkippedCall> {
    let (Some(judge), Some((provider, attempt))) = (plan.judges.get(at), chain.turn(attempt)) else {
        return Ok(Err(impossible_reason("there is no such judge")));
    };
    request.attempt = attempt;
    provider.name_model(&mut request);
    let document_type = &request.document.document_type;
    let terms = CallTerms { deadline: judge.judge.call.deadline, ..terms };
    let called = calls.make(terms, provider, &request).await?;
    let repairer = judge.repairers.of(document_type);
    let said = answer_of(provider, &called, |told| {
        let read = |answer: &Value| {
            judge.check(document_type, answer)?;
            plan.panel.read(plan.validators.len() + at, answer)
        };
        if let Some(value) = values.map(|asked| asked.in_words(told)).transpose()?.flatten() {
            return Ok(Repaired { value, steps: Vec::new() }.into());
        }
        let mended = verdict(repairer, told, &read)?;
        read(&mended.value).map_err(unusable)?;
        Ok(mended.into())
    });
    Ok(match said {
        Ok(Produced { candidate: answer, usage, mut notes, repairs, .. }) => {
            notes.extend(chain.note());
            Ok(Consulted { answer, usage, notes, repairs })
        }
        Err(failure) => Err(chain.after(failure, &called)),
    })
}

/// The answer of a judge, without its quotations of what only it was shown.
fn discreet(mut consulted: Consulted, discretion: Option<&ReferenceLeakFilter>) -> Consulted {
    if let Some(kept) = discretion.and_then(|discretion| discretion.kept(&consulted.answer)) {
        consulted.answer = Arc::new(kept);
        consulted.notes.push(QUOTED.to_owned());
    }
    consulted
}

/// The answer of a judge of single values, with a note on what it was not asked.
fn noted(mut consulted: Consulted, asked: Option<&AskedValues>) -> Consulted {
    consulted.notes.extend(asked.and_then(|asked| asked.note(&consulted.answer)));
    consulted
}

/// Asks a service that validates. It is not a model: its calls are not counted among those of the loop.
async fn ask_service(
    plan: &Plan,
    (member, attempt): (usize, u32),
    terms: CallTerms,
    chain: &FallbackChain,
    mut request: CompletionRequest,
    calls: &CallRunner,
) -> Result<Result<Consulted, CallFailed>, SkippedCall> {
    let (Some(planned), Some((provider, attempt))) = (plan.validators.get(member), chain.turn(attempt))
    else {
        return Ok(Err(impossible_reason("there is no such validator")));
    };
    request.attempt = attempt;
    let terms = CallTerms { deadline: planned.validator.deadline, ..terms };
    let called = calls.make_unbilled(terms, provider, &request).await?;
    let said = answer_of(provider, &called, |told| {
        let RawAnswer::Value(answer) = told else { return Err("text where JSON was expected".to_owned()) };
        // A deeper value could be written to the journal, but not read again.
        if is_deeper(answer, MAX_CANDIDATE_DEPTH) {
            return Err(format!("JSON that is nested more than {MAX_CANDIDATE_DEPTH} deep"));
        }
        // It was asked and has not checked anything, so the answer is a failure.
        if answer.get("unavailable").is_some() {
            return Err("a report that it is unavailable".to_owned());
        }
        plan.panel.read(member, answer).map_err(unusable)?;
        Ok(Repaired { value: answer.clone(), steps: Vec::new() }.into())
    });
    Ok(match said {
        Ok(Produced { candidate: answer, notes, .. }) => {
            Ok(Consulted { answer, usage: Usage::default(), notes, repairs: Vec::new() })
        }
        Err(failure) => {
            let free = CallFailed { usage: Usage::default(), ..failure };
            Err(chain.after(free, &called))
        }
    })
}

/// The reason why a value can't be used as an answer, as the end of "answered with".
fn unusable(why: String) -> String {
    format!("JSON that can't be used: {why}")
}

fn unavailable(why: &str) -> Consulted {
    Consulted {
        answer: Arc::new(json!({ "unavailable": why })),
        usage: Usage::default(),
        notes: Vec::new(),
        repairs: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{pending, ready};

    fn heard(member: usize) -> Option<Input> {
        Some(Input::on_answer(member, Ok(unavailable("asleep"))))
    }

    /// The answers handed out until the stop, by member.
    async fn until_stopped(mut questions: PendingQuestions, time: Time) -> Vec<usize> {
        let mut heard = Vec::new();
        loop {
            assert!(!questions.is_empty());
            match questions.answer(time).await {
                Some(Input::Consulted { member, .. }) => heard.push(member),
                Some(Input::Stop { .. }) => return heard,
                other => panic!("{other:?}"),
            }
        }
    }

    #[tokio::test]
    async fn an_answer_that_is_there_goes_before_a_stop() {
        for time in [Time::Real, Time::Counted] {
            let mut questions = PendingQuestions::default();
            questions.ask(ready(Some(stop())));
            questions.ask(pending());
            questions.ask(ready(heard(2)));
            questions.ask(ready(Some(stop())));
            questions.ask(ready(heard(4)));
            assert_eq!(until_stopped(questions, time).await, [2, 4], "{time:?}");
        }
    }
}
