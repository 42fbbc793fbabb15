//! The settlement of several labels of one field of one document.

use super::label::{FieldLabel, Standing};
use crate::score::ValueComparison;

/// A label, with its reviewer and its time.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) label: FieldLabel,
    pub(super) reviewer: Option<String>,
    pub(super) at: Option<jiff::Timestamp>,
    pub(super) place: String,
    pub(super) standing: Standing,
}

/// The outcome of labels of a field.
#[derive(Debug)]
pub(super) enum Settled<'l> {
    /// One label holds.
    Holds(&'l Source),
    /// Labels that nothing settles differ: their locations, and who made them.
    Disputed(Vec<String>),
}

/// Settles the labels of a field. They are disputed if one of them is marked as disputed. Otherwise the label that
/// settles a difference between reviewers holds, or else the latest; a label without a time is older than any other.
/// Labels of the same time, or without any, must agree. `None` without labels.
pub(super) fn settle<'l>(
    field: &str,
    labels: &'l [Source],
    comparison: ValueComparison<'_>,
) -> Option<Settled<'l>> {
    let is = |standing: Standing| labels.iter().any(|source| source.standing == standing);
    // One disputed label is enough: the other reviewer may not have inspected the value.
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

/// Returns whether two labels accept a value that both consider right.
fn agree(field: &str, a: &FieldLabel, b: &FieldLabel, comparison: ValueComparison<'_>) -> bool {
    a.admits_absence() && b.admits_absence()
        || a.values().any(|a| b.values().any(|b| a == b || comparison.agree(field, a, b)))
}
