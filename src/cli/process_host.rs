//! This process, which carries out runs: its signals and its terminal.

use super::interrupts;
use super::process_streams::process_streams;
use super::progress_line::TerminalProgress;
use crate::execution::RunHost;

/// This process as the host of a run.
pub(super) const PROCESS: RunHost =
    RunHost { listen: interrupts::listen, progress_line: || Some(Box::new(TerminalProgress::start())), say };

/// Writes a line to standard error, on any thread.
pub(super) fn say(line: &str) {
    process_streams().say(line);
}
