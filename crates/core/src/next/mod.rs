//! The loop as data, for callers who drive their own model: the policy's verdict on a history, and what it asks next.
//!
//! [`next`] gives the same [`Run`](crate::engine::Run) that a live run has the candidates of the history, in virtual time, so
//! the two can't disagree. It keeps nothing: a caller hands over the whole history each time.

mod answer;
mod drive;
mod input;

pub use answer::{NextAnswer, NextOutcome, NextRequest};
pub use drive::{NextError, next};
pub use input::{Entry, Mistake, ModelOutput, NextInput, Text};
