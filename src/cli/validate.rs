//! `loopctl validate`: the verdict on one extraction.

use super::headings::{CALLS, PROFILE};
use super::loading::{PolicyArguments, context, library};
use super::run::ConsultedParties;
use super::step::{StepArguments, StepCalls};
use crate::diag::Problems;
use crate::failure::{ExitStatus, Failure};
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

/// Runs the loop with room for one candidate and no provider to ask: the policy's decision about it is the verdict.
pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let profile = arguments.profile.selected();
    let library = library();
    let mut forced = vec!["stop.max_iterations=1", "stop.max_corrections=null"];
    // Problems of the profile are reported when it is compiled.
    let loaded = profile.load(context(), &library, &forced, &mut Problems::new());
    if loaded.is_some_and(|loaded| !loaded.profile.judges.is_empty()) {
        forced.push("judges.*.provider=none");
    }
    let plan = profile.plan(context(), &library, &forced, output)?;
    let calls = StepCalls { allow_commands: arguments.allow_commands, ..StepCalls::default() };
    arguments.step.run(plan, ConsultedParties::Nobody, calls, output)
}
