//! The best policy of many, on recorded documents or on those that are run for it.

mod entrants;
mod inputs;
mod open_experiment;
mod race;
mod recorded_sweep;
mod recordings;
mod runner;
mod trying;

use crate::context::Context;
use crate::experiment::sweep::Findings;
use crate::failure::Failure;
use crate::report::sweep_html;
use crate::report_file::write_report;
use crate::streams::Streams;
use open_experiment::OpenExperiment;
use recorded_sweep::RecordedSweep;
use std::path::PathBuf;

/// A request to carry out an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepRequest {
    /// The file of the experiment.
    pub file: PathBuf,
    /// With fresh documents, the number of policies that run at the same time.
    pub jobs: usize,
    /// `true` if profiles may run programs on this machine.
    pub allow_commands: bool,
    /// A price table that takes precedence over the others.
    pub prices: Option<PathBuf>,
    /// The file for the findings as a page.
    pub report: Option<PathBuf>,
    /// `true` if the rounds of a race are not reported.
    pub quiet: bool,
}

/// The findings of an experiment.
#[derive(Debug)]
pub struct SweepAnswer {
    /// The findings.
    pub findings: Findings,
    /// `true` if all recorded documents could be read; the rest was reported.
    pub is_whole: bool,
}

/// Shows how many policies of all were tried, as their numbers arrive: until there are no more.
pub type ShowTried<'s> = dyn FnMut(usize, &mut dyn Iterator<Item = usize>, &mut Streams) + 's;

/// Carries out an experiment. Policies that can't be used, and doubts about the documents, are reported.
///
/// # Errors
/// When the experiment, a profile or the documents can't be used, or the page can't be written.
pub fn sweep(
    request: &SweepRequest,
    context: &Context,
    show: &mut ShowTried<'_>,
    output: &mut Streams,
) -> Result<SweepAnswer, Failure> {
    let open = OpenExperiment::read(&request.file, context, output)?;
    open.check_values(None, output)?;
    let answer = if open.is_fresh() {
        SweepAnswer { findings: race::race(&open, request, output)?, is_whole: true }
    } else {
        let sweep = RecordedSweep::new(&open, output)?;
        SweepAnswer { findings: sweep.findings(show, output)?, is_whole: !sweep.recordings.reading.broken }
    };
    if let Some(file) = &request.report {
        write_report(file, &sweep_html(&answer.findings))?;
    }
    Ok(answer)
}
