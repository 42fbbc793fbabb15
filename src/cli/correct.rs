//! `loopctl correct`: one correction of one extraction.

use super::exit::{Exit, Failure};
use super::output::Output;
use super::step::StepArguments;

/// The loop with room for one correction, whose candidate is returned whatever it scores. An extraction that is
/// accepted as it stands is not corrected.
pub(super) fn execute(step: &StepArguments, output: &mut Output) -> Result<Exit, Failure> {
    let forced = ["stop={max_iterations: 2}", "gate=null", "on_escalate=continue", "select.return=last"];
    step.run(&forced, true, output)
}
