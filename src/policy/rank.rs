//! Which of two candidates is the better one under `select.order`.

use super::history::IterationSummary;
use crate::profile::{IssueKind, Select, SelectKey, Target};
use crate::value::{EPSILON, Severity};
use std::cmp::Ordering;

/// What a candidate is compared by; more is better.
pub(super) struct RankKey {
    /// Whatever the order says, a candidate that missed the gate is worse than any that did not.
    met_gate: bool,
    /// Its value for each key of the order.
    values: Vec<f64>,
}

impl RankKey {
    pub(super) fn of(select: &Select, facts: &IterationSummary, missed_gate: bool) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "counts of issues are small")]
        let value = |key: &SelectKey| match key {
            SelectKey::NoCritical if facts.issues.get(IssueKind::Severity(Severity::Critical)) == 0 => 1.0,
            SelectKey::NoCritical => 0.0,
            SelectKey::Score(Target::Overall) => facts.overall,
            SelectKey::Score(Target::Dimension(name)) => facts.score(name),
            SelectKey::Fewest(kind) => -(facts.issues.get(*kind) as f64),
        };
        RankKey { met_gate: !missed_gate, values: select.order.iter().map(value).collect() }
    }
}

/// Compares the gate, then key by key, allowing [`EPSILON`]; the first difference decides.
pub(super) fn compare(a: &RankKey, b: &RankKey) -> Ordering {
    if a.met_gate != b.met_gate {
        return a.met_gate.cmp(&b.met_gate);
    }
    for (a, b) in a.values.iter().zip(&b.values) {
        if *a > b + EPSILON {
            return Ordering::Greater;
        }
        if *a < b - EPSILON {
            return Ordering::Less;
        }
    }
    Ordering::Equal
}
