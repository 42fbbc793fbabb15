//! `loopctl validate`: one extraction against its document, once.

use super::exit::{Exit, Failure};
use super::output::Output;
use super::step::StepArguments;

/// The loop with room for one candidate and no provider: what the policy decides about it is the verdict.
pub(super) fn execute(step: &StepArguments, output: &mut Output) -> Result<Exit, Failure> {
    step.run(&["stop.max_iterations=1", "stop.max_corrections=null"], false, output)
}
