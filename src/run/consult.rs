//! Judges and validators, asked about a candidate.

use super::ask_validator;
use super::document::{InHand, Session, impossible};
use super::request::{answer_of, mend_whole};
use super::work::request_for;
use crate::engine::{CallFailed, Consulted, Input, Produced, Run, Work};
use crate::provider::Provider;
use crate::value::Usage;
use std::sync::Arc;

/// A member of the panel that looks at candidates after the gate.
pub enum Consultant {
    /// A judge's provider.
    Judge(Box<Provider>),
    /// A validator that may be run.
    Validator,
    /// A validator that may not be run, and why.
    NotRun(String),
}

impl Session {
    /// Asks a judge or validator about the candidate.
    pub(super) async fn consult(&self, member: usize, work: &Work, run: &Run, task: &InHand<'_>) -> Input {
        let Some(candidate) = run.pending_candidate() else {
            return impossible("there is no candidate to judge");
        };
        let validators = self.plan.validators.len();
        match self.consultants.get(member) {
            Some(Consultant::Judge(provider)) => {
                let Some(judge) = member.checked_sub(validators).and_then(|at| self.plan.judges.get(at))
                else {
                    return impossible("there is no such judge");
                };
                let request = match request_for(&self.plan, run, task.task(), work) {
                    Ok(request) => request,
                    Err(message) => return impossible(&message),
                };
                let deadline = judge.judge.call.deadline;
                let completion = match self.complete(provider, &request, deadline).await {
                    Ok(completion) => completion,
                    Err(in_flight) => return Input::Stop { in_flight },
                };
                let repairer = judge.repairers.of(&task.reference.document_type);
                match answer_of(provider, completion, |told| mend_whole(repairer, told)) {
                    Ok(Produced { candidate: answer, usage, notes, repairs }) => {
                        match judge.check(&task.reference.document_type, &answer) {
                            Ok(()) => Input::Consulted(Consulted { answer, usage, notes, repairs }),
                            Err(message) => Input::Failed(CallFailed {
                                message,
                                transient: true,
                                retry_after: None,
                                usage,
                            }),
                        }
                    }
                    Err(failed) => Input::Failed(failed),
                }
            }
            Some(Consultant::Validator) => {
                let Some(planned) = self.plan.validators.get(member) else {
                    return impossible("there is no such validator");
                };
                let document_type = &task.reference.document_type;
                let mut cancelled = self.cancelled.clone();
                let Ok(subject) = self.plan.scoring.subject(candidate, Some(&task.source)) else {
                    let why = "the patch could not be applied";
                    return Input::Consulted(Consulted {
                        answer: Arc::new(serde_json::json!({ "unavailable": why })),
                        usage: Usage::default(),
                        notes: Vec::new(),
                        repairs: Vec::new(),
                    });
                };
                tokio::select! {
                    biased;
                    answer = ask_validator(planned, document_type, candidate, subject.value()) => match answer {
                        Ok(consulted) => Input::Consulted(consulted),
                        Err(failed) => Input::Failed(failed),
                    },
                    _ = cancelled.wait_for(|cancelled| *cancelled) => Input::Stop { in_flight: Usage::default() },
                }
            }
            Some(Consultant::NotRun(why)) => Input::Consulted(Consulted {
                answer: Arc::new(serde_json::json!({ "unavailable": why })),
                usage: Usage::default(),
                notes: Vec::new(),
                repairs: Vec::new(),
            }),
            None => impossible("there is no such judge or validator"),
        }
    }
}
