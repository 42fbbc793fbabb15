//! `loopctl correct`: one correction of one extraction.

use super::headings::{CALLS, PROFILE};
use super::loading::{CallArguments, ProfileArguments, context, library};
use super::run::ConsultedParties;
use super::step::{StepArguments, StepCalls};
use super::tape::RecorderArguments;
use crate::diag::Problems;
use crate::failure::{ExitStatus, Failure};
use crate::resumption::say_where_documents_go;
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
    let (profile, library) = (arguments.profile.selected(), library());
    let plan = profile.plan(context(), &library, &forced, output)?;
    if let Some(loaded) = profile.load(context(), &library, &forced, &mut Problems::new()) {
        say_where_documents_go(&loaded, output);
    }
    let calls = StepCalls {
        allow_commands: arguments.calls.allow_commands,
        prices: arguments.calls.prices.clone(),
        recording: arguments.tape.request(),
    };
    arguments.step.run(plan, ConsultedParties::Everybody, calls, output)
}
