//! What goes into a run and what comes out of it.

use super::Outcome;
use crate::policy::Decision;
use crate::score::Assessment;
use crate::value::{Millis, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// What happened outside.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// The run begins.
    Started,
    /// The document can't be used; the loop does not begin.
    Unreadable {
        /// Why, for people.
        reason: String,
    },
    /// [`Work::Generate`] or [`Work::Correct`] gave a candidate.
    Produced(Produced),
    /// [`Work::Assess`] is done.
    Assessed(Box<Assessment>),
    /// [`Work::Generate`] or [`Work::Correct`] failed.
    Failed(CallFailed),
    /// The time that [`Output::Wake`] named has come.
    Woke,
    /// Someone stops the run.
    Stop,
}

/// A candidate and what it cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Produced {
    /// The candidate.
    pub candidate: Arc<Value>,
    /// What the call used up. All zero for a candidate that was supplied.
    pub usage: Usage,
    /// What the provider says about its answer.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// A call that gave no candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallFailed {
    /// What went wrong, for people; never document text.
    pub message: String,
    /// Whether trying again may help.
    pub transient: bool,
    /// How long the provider asks to wait before that.
    #[serde(default)]
    pub retry_after: Option<Millis>,
    /// What the failed call used up.
    pub usage: Usage,
}

/// What the driver must do.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// Keep this event before going on.
    Record(Event),
    /// Do this and answer with an input.
    Call(Work),
    /// Come back with [`Input::Woke`] at this time.
    Wake {
        /// When, from the start of the run.
        at: Millis,
        /// Why the run waits.
        reason: WakeReason,
    },
    /// The run is over.
    Finished(Box<Outcome>),
}

/// Why a run waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WakeReason {
    /// A failed call is tried again; the provider said when.
    RetryAfter,
    /// A failed call is tried again after a pause that doubles each time.
    Backoff,
}

/// Work for the driver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "work")]
pub enum Work {
    /// Run the stages for candidate 0.
    Generate {
        /// Attempts before this one.
        attempt: u32,
    },
    /// Correct a candidate.
    Correct {
        /// The iteration being produced, from 1.
        iteration: usize,
        /// The iteration that the correction starts from.
        base: usize,
        /// Attempts before this one.
        attempt: u32,
    },
    /// Assess the candidate of this iteration.
    Assess {
        /// The iteration.
        iteration: usize,
    },
}

/// What happened in a run, in the order in which it happened. Serialized, it is the journal's format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "event")]
pub enum Event {
    /// The run began.
    Started,
    /// The document can't be used.
    Unreadable {
        /// Why.
        reason: String,
    },
    /// Work was handed out.
    Called(Work),
    /// A candidate came back.
    Produced {
        /// Its iteration.
        iteration: usize,
        /// The candidate and its cost.
        #[serde(flatten)]
        produced: Produced,
    },
    /// A call failed.
    Failed {
        /// The iteration that it was for.
        iteration: usize,
        /// What went wrong.
        #[serde(flatten)]
        failure: CallFailed,
    },
    /// The run waits.
    Waiting {
        /// Until when.
        until: Millis,
        /// Why.
        reason: WakeReason,
    },
    /// The wait is over.
    Woke,
    /// A candidate was assessed.
    Assessed {
        /// Its iteration.
        iteration: usize,
        /// What scoring said.
        assessment: Box<Assessment>,
    },
    /// A decision was made.
    Decided(Decision),
    /// Someone stopped the run.
    Stopped,
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
            Event::Produced { .. } => "produced",
            Event::Failed { .. } => "failed",
            Event::Waiting { .. } => "waiting",
            Event::Woke => "woke",
            Event::Assessed { .. } => "assessed",
            Event::Decided(_) => "decided",
            Event::Stopped => "stopped",
            Event::Finished(_) => "finished",
        }
    }

    /// The input that caused it; `None` for what the run itself did.
    #[must_use]
    pub fn as_input(&self) -> Option<Input> {
        match self {
            Event::Started => Some(Input::Started),
            Event::Unreadable { reason } => Some(Input::Unreadable { reason: reason.clone() }),
            Event::Produced { produced, .. } => Some(Input::Produced(produced.clone())),
            Event::Failed { failure, .. } => Some(Input::Failed(failure.clone())),
            Event::Assessed { assessment, .. } => Some(Input::Assessed(assessment.clone())),
            Event::Woke => Some(Input::Woke),
            Event::Stopped => Some(Input::Stop),
            Event::Called(_) | Event::Waiting { .. } | Event::Decided(_) | Event::Finished(_) => None,
        }
    }
}
