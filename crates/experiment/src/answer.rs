//! One line of `simulate`'s output.

use super::decider::{Beyond, Decided};
use super::simulate::Simulated;
use crate::policy::{FinalStatus, Selection, SelectionReason, StopReason};
use serde::Serialize;
use serde_json::Value;

/// The end of one simulated document, as `docs/policies.md` writes it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer<'a> {
    id: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<&'a str>,
    final_status: FinalStatus,
    stop_reason: &'a StopReason,
    iteration_count: usize,
    best_iteration: Option<usize>,
    selection_reason: Option<SelectionReason>,
    improvement_trajectory: Vec<f64>,
    rollbacks: u64,
    cost_usd: f64,
    tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    beyond: Option<Beyond>,
}

impl<'a> Answer<'a> {
    /// The answer for the document `id`; `profile` is given if several are compared.
    #[must_use]
    pub fn of(id: &'a Value, profile: Option<&'a str>, simulated: &'a Simulated) -> Self {
        let outcome = &simulated.outcome;
        Answer {
            id,
            profile,
            final_status: outcome.final_status,
            stop_reason: &outcome.stop_reason,
            iteration_count: outcome.iteration_count,
            best_iteration: outcome.best_iteration,
            selection_reason: outcome.selection_reason,
            improvement_trajectory: outcome.improvement_trajectory.iter().copied().map(undusted).collect(),
            rollbacks: outcome.rollbacks,
            cost_usd: undusted(outcome.usage.known_cost_usd.get()),
            tokens: outcome.usage.tokens,
            beyond: None,
        }
    }

    /// Like [`Answer::of`], for a document that was decided about; `overalls` are the overall scores of its candidates. `beyond` is
    /// set if the next recorded candidate does not apply: [`Beyond::OtherBase`] or [`Beyond::OtherFeedback`].
    #[must_use]
    pub fn decided(
        id: &'a Value,
        profile: Option<&'a str>,
        decided: &'a Decided,
        overalls: impl Iterator<Item = f64>,
    ) -> Self {
        Answer {
            id,
            profile,
            final_status: decided.stop_reason.status(),
            stop_reason: &decided.stop_reason,
            iteration_count: decided.iteration_count,
            best_iteration: decided.selection.map(|selection: Selection| selection.iteration),
            selection_reason: decided.selection.map(|selection| selection.reason),
            improvement_trajectory: overalls.map(undusted).collect(),
            rollbacks: decided.rollbacks,
            cost_usd: undusted(decided.spent.usage.known_cost_usd.get()),
            tokens: decided.spent.usage.tokens,
            beyond: decided.beyond.filter(|beyond| *beyond != Beyond::Exhausted),
        }
    }
}

/// A sum as a person would write it: 0.92, not 0.9199999999999999. Twelve decimals, a thousandth of what comparisons of
/// scores allow; decisions use the sum as it is.
pub(super) fn undusted(sum: f64) -> f64 {
    let rounded = (sum * 1e12).round() / 1e12;
    // Beyond this, twelve decimals are more than a number has.
    if sum.abs() < 1e3 { rounded } else { sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_written_without_dust() {
        assert_eq!(undusted(0.1 + 0.2).to_string(), "0.3");
        assert_eq!(undusted(0.333_333).to_string(), "0.333333");
        assert_eq!(undusted(1e300).to_string(), 1e300_f64.to_string());
    }
}
