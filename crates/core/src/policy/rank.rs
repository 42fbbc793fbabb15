//! Determines which of two candidates is the better one under `select.order`.

use super::CandidateFacts;
use super::history::Iteration;
use crate::profile::{IssueKind, Select, SelectKey, Target};
use crate::value::{EPSILON, Severity};
use std::cmp::Ordering;

/// The facts by which candidates are compared.
pub(super) struct Ranked<'a, F> {
    pub(super) facts: &'a F,
    /// Regardless of the order, a candidate that missed the gate is worse than any that did not.
    pub(super) missed_gate: bool,
}

/// Returns whether one candidate ranks strictly below another: the gate first, then the order.
#[must_use]
pub fn ranks_below(select: &Select, one: &Iteration, other: &Iteration) -> bool {
    let one = Ranked { facts: &one.facts, missed_gate: one.missed_gate };
    let other = Ranked { facts: &other.facts, missed_gate: other.missed_gate };
    compare(select, &one, &other) == Ordering::Less
}

/// Compares the gate, then key by key, allowing [`EPSILON`]; the first difference decides. The better one is the greater.
pub(super) fn compare<F: CandidateFacts>(select: &Select, a: &Ranked<'_, F>, b: &Ranked<'_, F>) -> Ordering {
    if a.missed_gate != b.missed_gate {
        return b.missed_gate.cmp(&a.missed_gate);
    }
    for key in &select.order {
        let (a, b) = (value(key, a.facts), value(key, b.facts));
        if a > b + EPSILON {
            return Ordering::Greater;
        }
        if a < b - EPSILON {
            return Ordering::Less;
        }
    }
    Ordering::Equal
}

/// More is better.
#[expect(clippy::cast_precision_loss, reason = "counts of issues are small")]
fn value(key: &SelectKey, facts: &impl CandidateFacts) -> f64 {
    match key {
        SelectKey::NoCritical if facts.issues().get(IssueKind::Severity(Severity::Critical)) == 0 => 1.0,
        SelectKey::NoCritical => 0.0,
        SelectKey::Score(Target::Overall) => facts.overall(),
        SelectKey::Score(Target::Dimension(name)) => facts.score(name),
        SelectKey::Fewest(kind) => -(facts.issues().get(*kind) as f64),
    }
}
