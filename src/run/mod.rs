//! The driver: carries out what the engine asks for, on documents, with providers, journal and artifacts.
//!
//! The only room that knows the time. Everything it is told to do comes from [`crate::engine::Run`]; what happens is
//! recorded before it is acted on.

mod batch;
mod bill;
mod call;
mod claims;
mod clock;
mod consult;
mod course;
mod discretion;
mod document;
mod explanation;
mod fallback;
mod in_hand;
mod kept;
pub mod next;
mod off_thread;
mod plan;
mod provider_gone;
mod record;
mod references;
mod repairs;
mod request;
mod rescore;
mod result;
mod resume;
mod settle;
mod stage_plan;
mod terms;
mod trace;
mod typing;
mod validator;
mod watch;
mod work;

pub use batch::{Batch, BatchEnd, Observer, is_unrecognised};
pub use bill::unpriced;
pub use call::AnsweredBy;
pub use clock::Time;
pub use consult::Consultant;
pub use course::RunTrace;
pub use document::{Candidates, RunStore, Session};
pub use explanation::{EXPLANATION_VERSION, Explained, Explanation, FeedbackSent};
pub use fallback::FallbackChain;
pub use kept::{RescoreBuffer, RescoreLimits, Rescored};
pub use next::next;
pub use plan::Plan;
pub use provider_gone::MOST_PROVIDER_ERRORS_IN_A_ROW;
pub use references::without_references;
pub use repairs::{Repairers, stage_answer};
pub use request::{RawAnswer, Task, correction_feedback, correction_request, judge_request, stage_request};
pub use rescore::Rescore;
pub use result::{DocumentResult, IterationResult, wants_review};
pub use resume::Earlier;
pub use stage_plan::{JudgePlan, StagePlan, ValidatorPlan};
pub use terms::{DimensionWeight, GateTerms, PanelTerms, SelectTerms, Terms};
pub use typing::{TypedAs, document_type_of};
pub use validator::ask_validator;
pub use watch::{FileWatch, WatchError};
pub use work::{first_input, request_for};
