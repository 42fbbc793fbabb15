//! The inputs of a run, its outputs and its events.

use super::Outcome;
use crate::policy::Decision;
use crate::repair::RepairStep;
use crate::score::{Assessment, Quotes};
use crate::value::{Millis, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// Something that happened outside the run.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// The run begins.
    Started,
    /// The document can't be used; the loop does not begin.
    Unreadable {
        /// The reason, for people.
        reason: String,
    },
    /// Candidate 0 was supplied, instead of the answer to the first [`Work::Generate`].
    Supplied(Produced),
    /// [`Work::Generate`] or [`Work::Correct`] gave the output of a stage.
    Produced(Produced),
    /// [`Work::Assess`] is done.
    Assessed(Arc<Assessment>),
    /// [`Work::Consult`] gave an answer.
    Consulted {
        /// The member of the panel that answered.
        member: usize,
        /// The answer and its cost.
        consulted: Consulted,
    },
    /// [`Work::Consult`] failed.
    Unanswered {
        /// The member of the panel that was asked.
        member: usize,
        /// The failure.
        failure: CallFailed,
    },
    /// [`Work::Generate`] or [`Work::Correct`] failed.
    Failed(CallFailed),
    /// The time that [`Output::Wake`] named has come.
    Woke,
    /// Someone stops the run.
    Stop {
        /// The usage of calls that were in flight and are given up.
        in_flight: Usage,
    },
}

/// A candidate and what it cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Produced {
    /// The candidate.
    pub candidate: Arc<Value>,
    /// Passages of the document that came with it.
    #[serde(default, skip_serializing_if = "Quotes::is_empty")]
    pub quotes: Quotes,
    /// The usage of the call. All zero for a candidate that was supplied.
    pub usage: Usage,
    /// The provider's notes about its answer.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The repairs made to the answer to get the candidate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<RepairStep>,
}

/// A judge's or validator's answer and what it cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Consulted {
    /// The answer.
    pub answer: Arc<Value>,
    /// The usage of the call.
    pub usage: Usage,
    /// The provider's notes about its answer.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The repairs made to the answer to read it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<RepairStep>,
}

/// A call that gave no candidate or answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CallFailed {
    /// A description of what went wrong, for people; never document text.
    pub message: String,
    /// `true` if trying again may help.
    pub transient: bool,
    /// `true` if asking for anything else would fail as well: there is no key, no such model.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub permanent: bool,
    /// The wait before another try that the provider asks for.
    #[serde(default)]
    pub retry_after: Option<Millis>,
    /// The wait before another try if the provider doesn't ask; without it, a pause that doubles each time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backoff: Option<Millis>,
    /// The usage of the failed call.
    pub usage: Usage,
}

/// Something that the driver must do.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// Keep this event before continuing.
    Record(Event),
    /// Do this and answer with an input.
    Call(Work),
    /// Come back with [`Input::Woke`] at this time.
    Wake {
        /// The time, from the start of the run.
        at: Millis,
        /// The reason for the wait.
        reason: WakeReason,
    },
    /// The run is over.
    Finished(Box<Outcome>),
}

/// The reason why a run waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WakeReason {
    /// A failed call is tried again; the provider said when.
    RetryAfter,
    /// A failed call is tried again after a pause of our own, longer each time on average.
    Backoff,
}

/// Work for the driver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "work")]
pub enum Work {
    /// Run a stage for candidate 0.
    Generate {
        /// The stage, from 0.
        #[serde(default, skip_serializing_if = "is_first")]
        stage: usize,
        /// Attempts before this one.
        attempt: u32,
    },
    /// Run a stage to correct a candidate.
    Correct {
        /// The iteration being produced, from 1.
        iteration: usize,
        /// The iteration that the correction starts from.
        base: usize,
        /// The stage, from 0.
        #[serde(default, skip_serializing_if = "is_first")]
        stage: usize,
        /// Attempts before this one.
        attempt: u32,
    },
    /// Assess the candidate of this iteration, as far as possible without asking anyone else.
    Assess {
        /// The iteration.
        iteration: usize,
    },
    /// Ask a judge or validator about the candidate of this iteration.
    Consult {
        /// The iteration.
        iteration: usize,
        /// The member of the panel, from 0.
        member: usize,
        /// Attempts before this one.
        attempt: u32,
    },
}

impl Work {
    /// Returns whether this and `other` are attempts at the same work.
    #[must_use]
    pub fn is_attempt_at(&self, other: &Work) -> bool {
        self.clone().first() == other.clone().first()
    }

    fn first(mut self) -> Work {
        match &mut self {
            Work::Generate { attempt, .. }
            | Work::Correct { attempt, .. }
            | Work::Consult { attempt, .. } => *attempt = 0,
            Work::Assess { .. } => {}
        }
        self
    }

    /// The next attempt at this work.
    #[must_use]
    pub(super) fn again(mut self) -> Work {
        match &mut self {
            Work::Generate { attempt, .. }
            | Work::Correct { attempt, .. }
            | Work::Consult { attempt, .. } => *attempt = attempt.saturating_add(1),
            Work::Assess { .. } => {}
        }
        self
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_first(stage: &usize) -> bool {
    *stage == 0
}

fn nothing(usage: &Usage) -> bool {
    *usage == Usage::default()
}

/// Something that happened in a run. Serialized, events in the order of their occurrence are the journal's format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "event")]
pub enum Event {
    /// The run began.
    Started,
    /// The document can't be used.
    Unreadable {
        /// The reason.
        reason: String,
    },
    /// Work was handed out.
    Called(Work),
    /// Candidate 0 was supplied.
    Supplied {
        /// The candidate.
        #[serde(flatten)]
        produced: Produced,
    },
    /// A stage of several answered.
    Staged {
        /// The iteration that it was for.
        iteration: usize,
        /// The stage.
        stage: usize,
        /// Its output and cost.
        #[serde(flatten)]
        produced: Produced,
    },
    /// The outputs of several stages were made into a candidate.
    Assembled {
        /// Its iteration.
        iteration: usize,
        /// The candidate.
        candidate: Arc<Value>,
        /// Passages of the document that came with the outputs, by their locations in the candidate.
        #[serde(default, skip_serializing_if = "Quotes::is_empty")]
        quotes: Quotes,
    },
    /// A candidate came back from the only stage.
    Produced {
        /// Its iteration.
        iteration: usize,
        /// The candidate and its cost.
        #[serde(flatten)]
        produced: Produced,
    },
    /// A judge or validator gave no answer.
    Unanswered {
        /// The iteration of the candidate.
        iteration: usize,
        /// The member of the panel.
        member: usize,
        /// The failure.
        #[serde(flatten)]
        failure: CallFailed,
    },
    /// A stage's call failed.
    Failed {
        /// The iteration that it was for.
        iteration: usize,
        /// The failure.
        #[serde(flatten)]
        failure: CallFailed,
    },
    /// The run waits.
    Waiting {
        /// The time at which the wait ends.
        until: Millis,
        /// The reason.
        reason: WakeReason,
    },
    /// The wait is over.
    Woke,
    /// A candidate was assessed, as far as possible without asking anyone else.
    Assessed {
        /// Its iteration.
        iteration: usize,
        /// The result of scoring.
        assessment: Arc<Assessment>,
    },
    /// A judge or validator answered.
    Consulted {
        /// The iteration of the candidate.
        iteration: usize,
        /// The member of the panel.
        member: usize,
        /// The answer and its cost.
        #[serde(flatten)]
        consulted: Consulted,
    },
    /// The assessment that is decided on, if it differs from that of scoring: with the answers of judges and
    /// validators, or with locked fields that changed.
    Concluded {
        /// The iteration.
        iteration: usize,
        /// The whole assessment.
        assessment: Arc<Assessment>,
    },
    /// A decision was made.
    Decided(Arc<Decision>),
    /// Someone stopped the run.
    Stopped {
        /// The usage of calls that were in flight.
        #[serde(default, skip_serializing_if = "nothing")]
        in_flight: Usage,
    },
    /// The run is over.
    Finished(Box<Outcome>),
}

impl Event {
    /// The word that the journal files it under.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Event::Started => "started",
            Event::Unreadable { .. } => "unreadable",
            Event::Called(_) => "called",
            Event::Supplied { .. } => "supplied",
            Event::Staged { .. } => "staged",
            Event::Assembled { .. } => "assembled",
            Event::Produced { .. } => "produced",
            Event::Unanswered { .. } => "unanswered",
            Event::Failed { .. } => "failed",
            Event::Waiting { .. } => "waiting",
            Event::Woke => "woke",
            Event::Assessed { .. } => "assessed",
            Event::Consulted { .. } => "consulted",
            Event::Concluded { .. } => "concluded",
            Event::Decided(_) => "decided",
            Event::Stopped { .. } => "stopped",
            Event::Finished(_) => "finished",
        }
    }

    /// The input that caused it; `None` for what the run itself did.
    #[must_use]
    pub fn as_input(&self) -> Option<Input> {
        match self {
            Event::Started => Some(Input::Started),
            Event::Unreadable { reason } => Some(Input::Unreadable { reason: reason.clone() }),
            Event::Supplied { produced } => Some(Input::Supplied(produced.clone())),
            Event::Produced { produced, .. } | Event::Staged { produced, .. } => {
                Some(Input::Produced(produced.clone()))
            }
            Event::Failed { failure, .. } => Some(Input::Failed(failure.clone())),
            Event::Assessed { assessment, .. } => Some(Input::Assessed(Arc::clone(assessment))),
            Event::Consulted { member, consulted, .. } => {
                Some(Input::Consulted { member: *member, consulted: consulted.clone() })
            }
            Event::Unanswered { member, failure, .. } => {
                Some(Input::Unanswered { member: *member, failure: failure.clone() })
            }
            Event::Woke => Some(Input::Woke),
            Event::Stopped { in_flight } => Some(Input::Stop { in_flight: *in_flight }),
            Event::Called(_)
            | Event::Waiting { .. }
            | Event::Assembled { .. }
            | Event::Concluded { .. }
            | Event::Decided(_)
            | Event::Finished(_) => None,
        }
    }
}
