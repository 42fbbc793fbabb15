//! The loop as a pure state machine: events in, actions out (`docs/how-the-loop-decides.md` as code).
//!
//! A driver calls [`Run::handle`] with what happened and then [`Run::poll`] until it returns `None`, carrying out
//! each [`Output`]: record an event, make a call, wake the run later, or take the outcome. The run reads no clock,
//! does no IO and draws no random numbers; time comes in with every input. An event is handed out before the call
//! that it explains, so a driver that records in order can always [`Run::replay`] a run to the same state.

mod conclude;
mod consultation;
mod document_state;
mod event;
mod outcome;
mod pending_panel;
mod pipeline;
mod replay;
mod retry;
mod run;

#[doc(hidden)]
pub use conclude::{Conclusion, Measured};
#[doc(hidden)]
pub use document_state::MOST_ITERATIONS;
pub use document_state::{Callee, DocumentState, FailedCall, IterationState, MemberAnswer, StageAnswer};
pub use event::{CallFailed, Consulted, Event, Input, Output, Produced, WakeReason, Work};
pub use outcome::Outcome;
pub use pipeline::{FeedbackTo, Outputs, Pipeline, PipelineStage};
pub use replay::{Recorded, ReplayError};
pub use retry::Retry;
pub use run::{Misuse, Run};
