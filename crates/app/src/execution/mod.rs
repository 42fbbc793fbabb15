//! Runs, from a request to the results of its documents.
//!
//! A run is planned (`planned_run`: its policy, and what its user permits), opened (`opened_run`: providers, the journal, the run in
//! it), carried out (`carried_out`: document by document, with a display) and concluded (its summary, hints, the outcome).

mod batches;
mod call_recording;
mod carried_out;
mod display;
mod documents;
mod explain_hint;
mod host;
mod input_problems;
mod input_stream;
mod live_lines;
mod opened_run;
mod parties;
mod planned_run;
mod providers;
mod result_writer;
mod resume_hint;

pub use self::host::{MakeProgressLine, ProgressLine, RescoreWatch, RunHost, StopRequests};
pub use self::planned_run::Step;
pub use self::providers::providers_or_warn;

use self::planned_run::PlannedRun;
use crate::context::Context;
use crate::failure::{ExitStatus, Failure};
use crate::logging::LogSettings;
use crate::profiles::SelectedProfile;
use crate::requests::RunRequest;
use crate::result::DocumentResult;
use crate::resumption::{ResumedRun, RunSelection};
use crate::streams::Streams;
use std::path::PathBuf;

/// The options of the process that carries out a request: they are no part of the run's record.
#[derive(Default)]
pub struct RunOptions {
    /// The profile of the request, with the settings by which this user overrides those of a record.
    pub profile: SelectedProfile,
    /// The run of the journal that the documents belong to.
    pub selection: RunSelection,
    /// The file for the summary as a page.
    pub report: Option<PathBuf>,
    /// The log of the process.
    pub log: LogSettings,
    /// The run that is resumed.
    pub resumed: Option<ResumedRun>,
    /// `true` if results are returned, instead of written to standard output.
    pub returns_results: bool,
    /// Scores documents again when all are done.
    pub watch: Option<RescoreWatch>,
    /// The process.
    pub host: RunHost,
}

/// A run that is over, or was stopped.
#[derive(Debug)]
pub struct FinishedRun {
    /// Its results, if they are returned.
    pub results: Vec<DocumentResult>,
    /// The outcome.
    pub exit: ExitStatus,
}

/// Carries out a request. Messages and progress go to standard error, results to standard output. The thread is blocked
/// until the run is over.
///
/// # Errors
/// When the request can't be carried out; documents that fail are counted and reported.
pub fn run(
    request: RunRequest,
    options: RunOptions,
    context: &Context,
    output: &mut Streams,
) -> Result<FinishedRun, Failure> {
    PlannedRun::of(request, options, context, output)?.carry_out(context, output)
}

/// Takes one step of the loop with one document and one extraction, in memory.
///
/// # Errors
/// Like [`run`].
pub fn take_step(
    step: Step,
    request: RunRequest,
    options: RunOptions,
    context: &Context,
    output: &mut Streams,
) -> Result<FinishedRun, Failure> {
    PlannedRun::of_step(step, request, options, context, output)?.carry_out(context, output)
}
