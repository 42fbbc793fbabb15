//! Which of two candidates is the better one under `select.order`.

use super::history::IterationSummary;
use crate::profile::{IssueKind, Select, SelectKey, Target};
use crate::value::{EPSILON, Severity};
use std::cmp::Ordering;

/// A candidate's value for each key of the order; more is better.
pub(super) struct RankKey(Vec<f64>);

impl RankKey {
    pub(super) fn of(select: &Select, facts: &IterationSummary) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "counts of issues are small")]
        let value = |key: &SelectKey| match key {
            SelectKey::NoCritical if facts.issues.get(IssueKind::Severity(Severity::Critical)) == 0 => 1.0,
            SelectKey::NoCritical => 0.0,
            SelectKey::Score(Target::Overall) => facts.overall,
            SelectKey::Score(Target::Dimension(name)) => facts.score(name),
            SelectKey::Fewest(kind) => -(facts.issues.get(*kind) as f64),
        };
        RankKey(select.order.iter().map(value).collect())
    }
}

/// Compares key by key, allowing [`EPSILON`]; the first difference decides.
pub(super) fn compare(a: &RankKey, b: &RankKey) -> Ordering {
    for (a, b) in a.0.iter().zip(&b.0) {
        if *a > b + EPSILON {
            return Ordering::Greater;
        }
        if *a < b - EPSILON {
            return Ordering::Less;
        }
    }
    Ordering::Equal
}
