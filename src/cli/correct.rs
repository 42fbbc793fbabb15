//! `loopctl correct`: one correction of one extraction.

use super::headings::{CALLS, PROFILE};
use super::loading::{CallArguments, ProfileArguments};
use super::step::StepArguments;
use super::tape::RecorderArguments;
use crate::execution::Step;
use crate::failure::{ExitStatus, Failure};
use crate::requests::{RecordedPath, RunRequest};
use crate::streams::Streams;
use clap::Args;

#[derive(Args)]
pub(super) struct Arguments {
    #[command(flatten, next_help_heading = PROFILE)]
    profile: ProfileArguments,
    #[command(flatten)]
    step: StepArguments,
    #[command(flatten, next_help_heading = CALLS)]
    tape: RecorderArguments,
    #[command(flatten, next_help_heading = CALLS)]
    calls: CallArguments,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let calls = RunRequest {
        allow_commands: arguments.calls.allow_commands,
        prices: arguments.calls.prices.clone().map(RecordedPath),
        recording: arguments.tape.request(),
        ..RunRequest::default()
    };
    arguments.step.take(Step::Correction, arguments.profile.selected(), calls, output)
}
