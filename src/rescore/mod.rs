//! The candidates of runs that are over, scored again with another plan, without asking anyone.

mod course;
mod kept;
mod standing;

pub(crate) use course::RunTrace;
pub(crate) use kept::{RescoreBuffer, RescoreLimits, Rescored};
pub(crate) use standing::Rescore;
