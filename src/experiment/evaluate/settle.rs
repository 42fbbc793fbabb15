//! What several labels of one field of one document say together.

use super::label::FieldLabel;
use crate::score::ValueComparison;

/// A label, with who made it and when.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) label: FieldLabel,
    pub(super) reviewer: Option<String>,
    pub(super) at: Option<jiff::Timestamp>,
    pub(super) place: String,
}

/// What labels of a field come to.
#[derive(Debug)]
pub(super) enum Settled<'l> {
    /// One label holds.
    Holds(&'l Source),
    /// Labels that nothing puts in order say different things: where they stand, and who made them.
    Disputed(Vec<String>),
}

/// The latest label holds; one without a moment is older than those that have one. Labels of one moment, or without any, must agree.
/// `None` without labels.
pub(super) fn settle<'l>(
    field: &str,
    labels: &'l [Source],
    comparison: ValueComparison<'_>,
) -> Option<Settled<'l>> {
    let latest = labels.iter().map(|source| source.at).max()?;
    let mut last = labels.iter().filter(|source| source.at == latest);
    let first = last.next()?;
    if last.all(|other| agree(field, &first.label, &other.label, comparison)) {
        return Some(Settled::Holds(first));
    }
    let said = labels.iter().filter(|source| source.at == latest).map(|source| match &source.reviewer {
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
