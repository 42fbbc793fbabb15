//! The candidates of runs that are over, scored again with another plan, without asking anyone.

mod course;
mod kept;
mod recorder;
mod standing;

pub use course::RunTrace;
pub use kept::{RescoreBuffer, RescoreLimits, Rescored};
pub use recorder::RescoreRecorder;
pub use standing::Rescore;
