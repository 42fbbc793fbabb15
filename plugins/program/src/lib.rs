//! Programs that loopctl runs: what the provider `command` asks, and validators. A program is run once, gets its input and
//! returns its output within bounds, and ends with everything that it started; or it is kept, and answers one request after
//! the other. A program may also limit itself.

mod deadline;
mod frame;
mod group;
mod kept;
mod limits;
mod locate;
mod run;

pub use deadline::Deadline;
pub use frame::{read_frame, write_frame};
pub use kept::KeptProgram;
pub use limits::{LimitedTasks, ProcessLimits, limit_this_process};
pub use locate::locate;
pub use run::Program;
