//! Programs that loopctl runs: what the provider `command` asks, and validators. A program is run once, gets its input and
//! returns its output within bounds, and ends with everything that it started. A program may also limit itself.

mod deadline;
mod group;
mod limits;
mod locate;
mod run;

pub use deadline::Deadline;
pub use limits::{ProcessLimits, limit_this_process};
pub use locate::locate;
pub use run::Program;
