//! The common part of `validate` and `correct`: one extraction, one document, one step of the loop.

use super::headings::{ARGUMENTS, DOCUMENTS, OUTPUT};
use super::journal_place::JournalPlace;
use super::logging::LogArguments;
use super::result_format::RecordFormat;
use super::run::{ConsultedParties, RunInvocation};
use crate::failure::{ExitStatus, Failure};
use crate::plan::Plan;
use crate::requests::{RecordedPath, RecordingRequest, RunRequest};
use crate::resumption::RunSelection;
use crate::streams::Streams;
use crate::value::Millis;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct StepArguments {
    /// Type of the document, instead of classifying it
    #[arg(long = "type", value_name = "TYPE", help_heading = DOCUMENTS)]
    document_type: Option<String>,
    /// The extraction to start from
    #[arg(long, value_name = "FILE", help_heading = DOCUMENTS)]
    extraction: PathBuf,
    #[command(flatten, next_help_heading = OUTPUT)]
    format: RecordFormat,
    /// Write extractions and validations to this folder
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    out: Option<PathBuf>,
    #[command(flatten, next_help_heading = OUTPUT)]
    log: LogArguments,
    /// The document: a file, or `-` for standard input
    #[arg(value_name = "INPUT", help_heading = ARGUMENTS)]
    input: PathBuf,
}

/// The permissions, prices and recordings of a step's calls, if there are any.
#[derive(Default)]
pub(super) struct StepCalls {
    pub(super) allow_commands: bool,
    pub(super) prices: Option<PathBuf>,
    pub(super) recording: RecordingRequest,
}

impl StepArguments {
    /// Runs the loop with a plan that ends after the step.
    pub(super) fn run(
        &self,
        plan: Plan,
        consulted: ConsultedParties,
        calls: StepCalls,
        output: &mut Streams,
    ) -> Result<ExitStatus, Failure> {
        let path = |path: &PathBuf| RecordedPath(path.clone());
        let request = RunRequest {
            document_type: self.document_type.clone(),
            out: self.out.as_ref().map(path),
            extraction: Some(path(&self.extraction)),
            prices: calls.prices.map(RecordedPath),
            inputs: vec![path(&self.input)],
            allow_commands: calls.allow_commands,
            recording: calls.recording,
            jobs: Some(1),
            drain: Some(Millis::default()),
            ..RunRequest::default()
        };
        RunInvocation {
            plan,
            request,
            is_resumable: false,
            journal: JournalPlace::Memory,
            log: self.log.settings(),
            format: self.format.chosen(output)?,
            report: None,
            consulted,
            selection: RunSelection::Fresh,
            files_digest: String::new(),
            texts_digest: String::new(),
            certified: None,
            watching: None,
            within: None,
            overrides: None,
        }
        .run(None, output)
    }
}
