//! Programs that loopctl runs: what the provider `command` asks, and validators. A program is run once, gets its input and
//! returns its output within bounds, and ends with everything that it started.

mod group;
mod locate;
mod run;

pub use locate::locate;
pub use run::Program;
