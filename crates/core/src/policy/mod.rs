//! Decisions as pure functions over the history of a run: gate, acceptance, criteria, selection
//! (`docs/how-the-loop-decides.md`).

mod accept;
mod candidate_facts;
mod check;
mod condition;
mod decide;
mod decision;
mod history;
mod memory;
mod promise;
mod promises;
mod rank;
mod refusal;
mod review;
mod script_criteria;

#[doc(hidden)]
pub use accept::{acceptance, line_of};
pub use candidate_facts::CandidateFacts;
pub use check::{Check, Checks, Line};
pub use condition::{Condition, ConditionError};
#[doc(hidden)]
pub use decide::settle;
pub use decide::{Spent, decide};
pub use decision::{Decision, FinalStatus, SelectionReason, StopReason, Verdict};
#[doc(hidden)]
pub use history::misses_gate;
pub use history::{History, IssueCounts, Iteration, IterationSummary, Selection};
#[doc(hidden)]
pub use memory::memory;
pub use promise::{Ended, PromiseCondition};
pub use promises::{Promise, PromiseKind, Promises, Waiver};
#[doc(hidden)]
pub use rank::ranks_below;
#[doc(hidden)]
pub use refusal::refusal;
pub use review::Review;
pub use script_criteria::ScriptCriteria;
