//! Judges and validators, asked about a candidate.

use super::bill::Bill;
use super::document::{InHand, Session, complete, impossible_reason, stop};
use super::fallback::Chain;
use super::request::{answer_of, mend_whole};
use super::work::request_for;
use super::{Plan, ask_validator};
use crate::engine::{CallFailed, Consulted, Input, Produced, Run, Work};
use crate::provider::protocol::CompletionRequest;
use crate::value::Usage;
use serde_json::{Value, json};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use tokio::sync::watch;

/// A member of the panel that looks at candidates after the gate.
pub enum Consultant {
    /// A judge's providers.
    Judge(Chain),
    /// A validator that may be run.
    Validator,
    /// A validator that may not be run, and why.
    NotRun(String),
}

/// Questions that are being asked at the same time. Dropped, they are given up.
#[derive(Default)]
pub(super) struct Questions(Vec<Pin<Box<dyn Future<Output = Input> + Send>>>);

impl Questions {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn ask(&mut self, question: impl Future<Output = Input> + Send + 'static) {
        self.0.push(Box::pin(question));
    }

    /// Waits for the first answer. There must be a question.
    pub(super) async fn first_answer(&mut self) -> Input {
        poll_fn(|context| {
            for at in 0..self.0.len() {
                if let Some(question) = self.0.get_mut(at)
                    && let Poll::Ready(answer) = question.as_mut().poll(context)
                {
                    drop(self.0.remove(at));
                    return Poll::Ready(answer);
                }
            }
            Poll::Pending
        })
        .await
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
        task: &InHand<'_>,
    ) -> impl Future<Output = Input> + Send + 'static {
        let prepared = self.prepare(member, work, run, task);
        let (plan, cancelled, bill) =
            (Arc::clone(&self.plan), self.cancelled.clone(), Arc::clone(&self.bill));
        let document_type = task.reference.document_type.clone();
        async move {
            let said = match prepared {
                Ok(Question::Judge { at, chain, request }) => {
                    ask_judge(&plan, at, &chain, attempt, &request, cancelled, &bill).await
                }
                Ok(Question::Validator { candidate, subject }) => {
                    let mut cancelled = cancelled;
                    let Some(planned) = plan.validators.get(member) else {
                        return Input::heard(member, Err(impossible_reason("there is no such validator")));
                    };
                    tokio::select! {
                        biased;
                        answer = ask_validator(planned, &document_type, &candidate, &subject) => Some(answer),
                        _ = cancelled.wait_for(|cancelled| *cancelled) => None,
                    }
                }
                Ok(Question::Unavailable(why)) => Some(Ok(unavailable(&why))),
                Err(why) => Some(Err(impossible_reason(&why))),
            };
            said.map_or_else(stop, |said| Input::heard(member, said))
        }
    }

    fn prepare(&self, member: usize, work: &Work, run: &Run, task: &InHand<'_>) -> Result<Question, String> {
        let candidate = run.pending_candidate().ok_or("there is no candidate to judge")?;
        match self.consultants.get(member) {
            Some(Consultant::Judge(chain)) => {
                let at = member.checked_sub(self.plan.validators.len()).ok_or("there is no such judge")?;
                let request = Box::new(request_for(&self.plan, run, task.task(), work)?);
                Ok(Question::Judge { at, chain: chain.clone(), request })
            }
            Some(Consultant::Validator) => {
                let Ok(subject) = self.plan.scoring.subject(candidate, Some(&task.source)) else {
                    return Ok(Question::Unavailable("the patch could not be applied".to_owned()));
                };
                Ok(Question::Validator { candidate: Arc::clone(candidate), subject: subject.value().clone() })
            }
            Some(Consultant::NotRun(why)) => Ok(Question::Unavailable(why.clone())),
            None => Err("there is no such judge or validator".to_owned()),
        }
    }
}

/// A question with all that it takes to ask it.
enum Question {
    Judge { at: usize, chain: Chain, request: Box<CompletionRequest> },
    Validator { candidate: Arc<Value>, subject: Value },
    Unavailable(String),
}

/// Asks a judge; `None` when someone stopped the run meanwhile.
async fn ask_judge(
    plan: &Plan,
    at: usize,
    chain: &Chain,
    attempt: u32,
    request: &CompletionRequest,
    cancelled: watch::Receiver<bool>,
    bill: &Bill,
) -> Option<Result<Consulted, CallFailed>> {
    let (Some(judge), Some(provider)) = (plan.judges.get(at), chain.turn(attempt)) else {
        return Some(Err(impossible_reason("there is no such judge")));
    };
    let document_type = &request.document.document_type;
    let completion = complete(provider, request, judge.judge.call.deadline, cancelled, bill).await?;
    let repairer = judge.repairers.of(document_type);
    let said = answer_of(provider, completion, |told| {
        let mended = mend_whole(repairer, told)?;
        judge.check(document_type, &mended.value)?;
        plan.panel.read(plan.validators.len() + at, &mended.value)?;
        Ok(mended)
    });
    Some(match said {
        Ok(Produced { candidate: answer, usage, mut notes, repairs }) => {
            notes.extend(chain.note());
            Ok(Consulted { answer, usage, notes, repairs })
        }
        Err(failure) => Err(chain.after(failure)),
    })
}

fn unavailable(why: &str) -> Consulted {
    Consulted {
        answer: Arc::new(json!({ "unavailable": why })),
        usage: Usage::default(),
        notes: Vec::new(),
        repairs: Vec::new(),
    }
}
