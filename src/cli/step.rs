//! The common part of `validate` and `correct`: one extraction, one document, one step of the loop.

use super::headings::{ARGUMENTS, DOCUMENTS, OUTPUT};
use super::logging::LogArguments;
use super::passwords::PasswordArguments;
use super::process_host::PROCESS;
use super::result_format::RecordFormat;
use crate::execution::{RunOptions, Step, take_step};
use crate::failure::{ExitStatus, Failure};
use crate::profiles::SelectedProfile;
use crate::requests::{RecordedPath, RunRequest};
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
    #[command(flatten)]
    passwords: PasswordArguments,
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

impl StepArguments {
    /// Takes a step with the calls of a request.
    pub(super) fn take(
        &self,
        step: Step,
        profile: SelectedProfile,
        calls: RunRequest,
        output: &mut Streams,
    ) -> Result<ExitStatus, Failure> {
        let path = |path: &PathBuf| RecordedPath(path.clone());
        let request = RunRequest {
            document_type: self.document_type.clone(),
            out: self.out.as_ref().map(path),
            extraction: Some(path(&self.extraction)),
            inputs: vec![path(&self.input)],
            format: self.format.format,
            jobs: Some(1),
            drain: Some(Millis::default()),
            ..calls
        };
        let options =
            RunOptions { profile, log: self.log.settings(), host: PROCESS, ..RunOptions::default() };
        Ok(take_step(step, request, options, &self.passwords.context()?, output)?.exit)
    }
}
