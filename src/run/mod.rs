//! The driver: carries out what the engine asks for, on documents, with providers, journal and artifacts.
//!
//! The only room that knows the time. Everything it is told to do comes from [`crate::engine::Run`]; what happens is
//! recorded before it is acted on.

mod answer;
mod asked;
mod batch;
mod batch_end;
mod bill;
mod call;
mod clock;
mod consult;
mod document;
mod document_run;
mod embedded;
mod fallback;
mod observer;
mod off_thread;
mod open;
mod provider_gone;
mod record;
mod resume;
mod session;
mod trace;
mod validator;

pub use asked::{Candidates, Consultant};
pub use batch::{Batch, is_unrecognised};
pub use batch_end::BatchEnd;
pub use bill::unpriced;
pub use clock::Time;
pub use embedded::{BuildError, Loop, LoopBuilder};
pub use fallback::FallbackChain;
pub use observer::Observer;
pub use open::{OpenError, asked_of, open_panel, open_stages, plan_ids, plugins_of};
pub use provider_gone::MOST_PROVIDER_ERRORS_IN_A_ROW;
pub use resume::Earlier;
pub use session::{RunStore, Session};
pub use validator::ask_validator;

// What a run works from and leaves, under the names that it has had here.
pub use crate::exchange::{
    RawAnswer, Task, correction_feedback, correction_request, first_input, judge_request, request_for,
    stage_answer, stage_request,
};
pub use crate::next::{self, next};
pub use crate::plan::{
    DimensionWeight, GateTerms, JudgePlan, PanelTerms, Plan, Repairers, SelectTerms, StagePlan, Terms,
    ValidatorPlan, document_type_of, without_references,
};
pub use crate::rescore::{Rescore, RescoreBuffer, RescoreLimits, Rescored, RunTrace};
pub use crate::result::{
    AnsweredBy, DocumentResult, EXPLANATION_VERSION, Explained, Explanation, FeedbackSent, IterationResult,
    wants_review,
};
