//! A recorded run, run again.

use super::event::{Event, Output};
use super::run::{Misuse, Run};
use crate::value::Millis;

/// An event and when it was recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Time since the run began.
    pub at: Millis,
    /// What happened.
    pub event: Event,
}

/// Why a recorded run can't be replayed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The record has an input where the run asked for another.
    #[error("event {index}: {misuse}")]
    Misuse {
        /// Position in the record, from 0.
        index: usize,
        /// What was wrong with it.
        misuse: Misuse,
    },
    /// The policy, or the program, decides otherwise than it did when the run was recorded.
    #[error("event {index} was recorded as `{recorded}`, but the run gives `{replayed}`")]
    Diverged {
        /// Position in the record, from 0.
        index: usize,
        /// Kind of the recorded event.
        recorded: &'static str,
        /// Kind of the event that the run gives; `nothing` when it gives none.
        replayed: &'static str,
    },
}

impl Run {
    /// Brings this run, which has not started, to the state in which the recorded one was after its last event. What was handed out but not
    /// yet carried out by then is left to be polled, so a driver simply goes on.
    ///
    /// # Errors
    /// When the record does not fit the policy.
    pub fn replay(self, record: &[Recorded]) -> Result<Run, ReplayError> {
        let mut run = self;
        for (index, recorded) in record.iter().enumerate() {
            if let Some(input) = recorded.event.as_input() {
                run.outputs.retain(|output| matches!(output, Output::Record(_)));
                if let Some(Output::Record(unrecorded)) = run.outputs.front() {
                    return Err(diverged(index, recorded, unrecorded.kind()));
                }
                run.handle(recorded.at, input).map_err(|misuse| ReplayError::Misuse { index, misuse })?;
            }
            match run.outputs.iter().position(|output| matches!(output, Output::Record(_))) {
                Some(at) => {
                    if let Some(Output::Record(event)) = run.outputs.remove(at)
                        && event != recorded.event
                    {
                        return Err(diverged(index, recorded, event.kind()));
                    }
                }
                None => return Err(diverged(index, recorded, "nothing")),
            }
        }
        run.call_again_in_flight();
        Ok(run)
    }
}

fn diverged(index: usize, recorded: &Recorded, replayed: &'static str) -> ReplayError {
    ReplayError::Diverged { index, recorded: recorded.event.kind(), replayed }
}
