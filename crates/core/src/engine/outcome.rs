//! The outcome of a run.

use crate::policy::{FinalStatus, History, SelectionReason, Spent, StopReason};
use crate::profile::LoopPolicy;
use crate::value::{Millis, Usage};
use serde::{Deserialize, Serialize};

/// The end of a run, as `simulate` and the result file write it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The final status.
    pub final_status: FinalStatus,
    /// The reason for stopping.
    pub stop_reason: StopReason,
    /// The number of assessed candidates.
    pub iteration_count: usize,
    /// The iteration of the selected candidate; `None` when no candidate was assessed.
    pub best_iteration: Option<usize>,
    /// The reason for selecting it.
    pub selection_reason: Option<SelectionReason>,
    /// The overall score of every candidate.
    pub improvement_trajectory: Vec<f64>,
    /// Rollbacks of the whole run.
    pub rollbacks: u64,
    /// The usage of the run.
    pub usage: Usage,
    /// The duration of the run.
    pub elapsed_ms: Millis,
    /// A description of what went wrong, if anything did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl Outcome {
    /// The end, for this reason, of a run that assessed these candidates.
    #[must_use]
    pub fn of(
        policy: &LoopPolicy,
        history: &History,
        stop_reason: StopReason,
        spent: Spent,
        detail: Option<String>,
    ) -> Self {
        let selection = history.selection(policy, stop_reason == StopReason::Accepted);
        Outcome {
            final_status: stop_reason.status(),
            stop_reason,
            iteration_count: history.iterations().len(),
            best_iteration: selection.map(|selection| selection.iteration),
            selection_reason: selection.map(|selection| selection.reason),
            improvement_trajectory: history.overalls().collect(),
            rollbacks: history.rollbacks(),
            usage: spent.usage,
            elapsed_ms: spent.elapsed,
            detail,
        }
    }
}
