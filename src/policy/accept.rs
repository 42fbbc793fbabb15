//! Whether a candidate is good enough.

use super::{Check, Checks, IterationSummary};
use crate::profile::{Accept, LoopPolicy, Target};
use crate::value::at_least;

/// Looks at every line of `accept`, so that all that is missing can be shown; `true` when all hold.
pub(super) fn accepted(accept: &Accept, facts: &IterationSummary, checks: &mut Checks) -> bool {
    let mut all = true;
    for (target, bound) in &accept.thresholds {
        let value = match target {
            Target::Overall => facts.overall,
            Target::Dimension(name) => facts.score(name),
        };
        let holds = at_least(value, bound.get());
        all &= checks.look(&format!("accept.{}", target.name()), holds, value, bound.get());
    }
    for (kind, limit) in &accept.issue_limits {
        let count = facts.issues.get(*kind);
        #[expect(clippy::cast_precision_loss, reason = "counts of issues are small")]
        let (value, bound) = (count as f64, *limit as f64);
        all &= checks.look(&format!("accept.{}_issues", kind.as_str()), count <= *limit, value, bound);
    }
    // Of documents that have been seen, and whose type is known, there is nothing to say.
    if facts.unseen && !accept.unseen {
        all &= checks.look("accept.unseen", false, 1.0, 0.0);
    }
    if facts.unknown_type && !accept.unknown_type {
        all &= checks.look("accept.unknown_type", false, 1.0, 0.0);
    }
    all
}

/// Whether the lines of `accept` hold for a candidate, each with its numbers. The gate and who must decide about issues,
/// which come before acceptance in the table, are not looked at.
#[must_use]
pub(crate) fn acceptance(policy: &LoopPolicy, facts: &IterationSummary) -> (bool, Vec<Check>) {
    let mut checks = Checks::default();
    let all = accepted(&policy.accept, facts, &mut checks);
    (all, checks.0)
}
