//! `loopctl validate`: the verdict on one extraction.

use super::headings::{CALLS, PROFILE};
use super::loading::PolicyArguments;
use super::step::StepArguments;
use crate::execution::Step;
use crate::failure::{ExitStatus, Failure};
use crate::requests::RunRequest;
use crate::streams::Streams;
use clap::Args;

#[derive(Args)]
#[command(
    after_help = "Nothing leaves this machine: judges are done without, as with `--judge none`, and services are not asked. `loopctl run --extraction FILE --config stop.max_iterations=1` asks them, too.\n\nWhat is not accepted is `not passed`, with the lines of the profile's `accept` that don't hold. Programs read `final_status: max_iterations_reached`, because there is room for one candidate."
)]
pub(super) struct Arguments {
    #[command(flatten, next_help_heading = PROFILE)]
    profile: PolicyArguments,
    #[command(flatten)]
    step: StepArguments,
    /// Let the profile's validators run programs on this machine
    #[arg(long, help_heading = CALLS)]
    allow_commands: bool,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let calls = RunRequest { allow_commands: arguments.allow_commands, ..RunRequest::default() };
    arguments.step.take(Step::Verdict, arguments.profile.selected(), calls, output)
}
