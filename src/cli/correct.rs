//! `loopctl correct`: one correction of one extraction.

use super::headings::{CALLS, PROFILE};
use super::loading::{CallArguments, ProfileArguments, library};
use super::permission::say_where_documents_go;
use super::run::ConsultedParties;
use super::step::{StepArguments, StepCalls};
use super::tape::RecorderArguments;
use crate::failure::{ExitStatus, Failure};
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

/// Runs the loop with room for one correction, whose candidate is returned whatever its score. An extraction that is
/// already accepted is not corrected.
pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let forced = ["stop={max_iterations: 2}", "gate=null", "on_escalate=continue", "select.return=last"];
    let plan = arguments.profile.plan(&forced, output)?;
    if let Some(loaded) = arguments.profile.loaded_from(&library(), &forced) {
        say_where_documents_go(&loaded, output);
    }
    let calls = StepCalls {
        allow_commands: arguments.calls.allow_commands,
        prices: arguments.calls.prices.clone(),
        tape: arguments.tape.clone(),
    };
    arguments.step.run(plan, ConsultedParties::Everybody, calls, output)
}
