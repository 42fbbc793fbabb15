//! What several labels of one field of one document say together.

use super::label::{FieldLabel, Standing};
use crate::score::ValueComparison;

/// A label, with who made it and when.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) label: FieldLabel,
    pub(super) reviewer: Option<String>,
    pub(super) at: Option<jiff::Timestamp>,
    pub(super) place: String,
    pub(super) standing: Standing,
}

/// What labels of a field come to.
#[derive(Debug)]
pub(super) enum Settled<'l> {
    /// One label holds.
    Holds(&'l Source),
    /// Labels that nothing puts in order say different things: where they stand, and who made them.
    Disputed(Vec<String>),
}

/// A label that settles what reviewers differ about holds, else the latest; one without a moment is older than those that have one. Labels
/// of one moment, or without any, must agree, and so must those that say that nothing settles them. `None` without labels.
pub(super) fn settle<'l>(
    field: &str,
    labels: &'l [Source],
    comparison: ValueComparison<'_>,
) -> Option<Settled<'l>> {
    let is = |standing: Standing| labels.iter().any(|source| source.standing == standing);
    // Of those that differ one may be left, because whoever made the other did not look: nothing settles it all the same.
    let is_disputed = is(Standing::Disputed);
    let counts = |source: &&Source| match (is_disputed, is(Standing::Settles)) {
        (true, _) => source.standing == Standing::Disputed,
        (false, true) => source.standing == Standing::Settles,
        (false, false) => true,
    };
    let latest = labels.iter().filter(counts).map(|source| source.at).max()?;
    let holds = |source: &&Source| counts(source) && (is_disputed || source.at == latest);
    let mut last = labels.iter().filter(holds);
    let first = last.next()?;
    if !is_disputed && last.all(|other| agree(field, &first.label, &other.label, comparison)) {
        return Some(Settled::Holds(first));
    }
    let said = labels.iter().filter(holds).map(|source| match &source.reviewer {
        Some(reviewer) => format!("{} ({reviewer})", source.place),
        None => source.place.clone(),
    });
    Some(Settled::Disputed(said.collect()))
}

/// Whether two labels accept a value that both take for right.
fn agree(field: &str, a: &FieldLabel, b: &FieldLabel, comparison: ValueComparison<'_>) -> bool {
    a.admits_absence() && b.admits_absence()
        || a.values().any(|a| b.values().any(|b| a == b || comparison.agree(field, a, b)))
}
