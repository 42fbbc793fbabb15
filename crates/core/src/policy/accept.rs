//! Decides whether a candidate is good enough.

use super::check::Observer;
use super::{CandidateFacts, Checks, IterationSummary};
use crate::profile::{Accept, IssueKind, LoopPolicy, Target};
use crate::value::{Disposition, Severity, at_least};
use std::sync::Arc;

/// Evaluates every line of `accept`, so that all that is missing can be shown; `true` when all hold.
pub(super) fn accepted(accept: &Accept, facts: &impl CandidateFacts, seen: &mut impl Observer) -> bool {
    let mut all = true;
    for threshold in &accept.thresholds {
        let value = match &threshold.target {
            Target::Overall => facts.overall(),
            Target::Dimension(name) => facts.score(name),
        };
        let bound = threshold.bound.get();
        all &= seen.look(|| Arc::clone(threshold.line()).into(), at_least(value, bound), value, bound);
    }
    let issues = facts.issues();
    for (kind, limit) in &accept.issue_limits {
        let count = issues.get(*kind);
        #[expect(clippy::cast_precision_loss, reason = "counts of issues are small")]
        let (value, bound) = (count as f64, *limit as f64);
        all &= seen.look(|| line_of(*kind).into(), count <= *limit, value, bound);
    }
    // Conditions that hold, such as of documents that have been seen, add no line.
    for condition in accept.refusing(facts.broken_conditions()) {
        all &= seen.look(|| Arc::<str>::from(condition.line()).into(), false, 1.0, 0.0);
    }
    all
}

/// The line of a limit of issues.
pub fn line_of(kind: IssueKind) -> &'static str {
    match kind {
        IssueKind::Severity(Severity::Critical) => "accept.critical_issues",
        IssueKind::Severity(Severity::Major) => "accept.major_issues",
        IssueKind::Severity(Severity::Minor) => "accept.minor_issues",
        IssueKind::Severity(Severity::Info) => "accept.info_issues",
        IssueKind::Disposition(Disposition::Correct) => "accept.correct_issues",
        IssueKind::Disposition(Disposition::Escalate) => "accept.escalate_issues",
        IssueKind::Disposition(Disposition::Warn) => "accept.warn_issues",
    }
}

/// Returns whether the lines of `accept` hold for a candidate, each with its numbers. The gate and `on_escalate`, which
/// come before acceptance in the table, are ignored.
#[must_use]
pub fn acceptance(policy: &LoopPolicy, facts: &IterationSummary) -> (bool, Checks) {
    let mut checks = Checks::default();
    let all = accepted(&policy.accept, facts, &mut checks);
    (all, checks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_issues_are_called_as_in_the_profile() {
        for kind in IssueKind::ALL {
            assert_eq!(line_of(kind), format!("accept.{}_issues", kind.as_str()));
        }
    }
}
