//! Predictions of whether a candidate with one shortcoming can be accepted when it has no other.

use super::scoring::weights;
use crate::plan::Plan;
use crate::profile::{IssueKind, Measure, OnEscalate, Target};
use crate::value::{Disposition, Severity, below};

/// The best that a candidate can score.
pub(super) struct Outlook<'a> {
    plan: &'a Plan,
}

impl<'a> Outlook<'a> {
    /// `None` where nothing can be accepted, whatever it scores.
    pub(super) fn of(plan: &'a Plan) -> Option<Self> {
        let outlook = Outlook { plan };
        outlook.passes("", 0.0, None).then_some(outlook)
    }

    /// Returns whether a candidate is accepted that loses `drop` in one dimension, has one issue, and is perfect
    /// otherwise.
    pub(super) fn passes(&self, dimension: &str, drop: f64, issue: Option<(Severity, Disposition)>) -> bool {
        let policy = &self.plan.policy;
        let score = |name: &str| {
            let known = self.plan.profile.dimensions.iter().find(|known| known.name == name);
            let given = known.is_some_and(|d| matches!(d.measure, Measure::Given) && d.second.is_none());
            let best = if given { 0.0 } else { 1.0 };
            if name == dimension { best - drop } else { best }
        };
        let overall: f64 = weights(self.plan).into_iter().map(|(name, weight)| weight * score(name)).sum();
        let holds = policy.accept.thresholds.iter().all(|threshold| {
            let reached = match &threshold.target {
                Target::Overall => overall,
                Target::Dimension(name) => score(name),
            };
            !below(reached, threshold.bound.get())
        });
        let limited = |kind: IssueKind| {
            policy.accept.issue_limits.iter().any(|(known, most)| *known == kind && *most == 0)
        };
        let refused = issue.is_some_and(|(severity, handled)| {
            limited(IssueKind::Severity(severity))
                || limited(IssueKind::Disposition(handled))
                || handled == Disposition::Escalate && policy.on_escalate == OnEscalate::Stop
        });
        let gated = policy.gate.as_ref().is_some_and(|gate| below(score(&gate.dimension), gate.bound.get()));
        holds && !refused && !gated
    }
}
