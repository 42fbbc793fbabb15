//! Decisions of reviewers in the journal, as corrections of an extraction.

use super::corrections::{Applied, is_within};
use crate::review::{ReviewDocument, Reviewed};
use crate::score::top_level_field;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The changes and confirmations by the decisions about a document, in the order of time; `reviewed` is their outcome.
///
/// A list that lost an item is one correction, whole: its other items have other numbers since, and the evidence for
/// one of them would be beside another.
pub fn decided(document: &ReviewDocument, reviewed: &Reviewed) -> Vec<Applied> {
    let (before, after) = (document.extraction(), &reviewed.extraction);
    let is_list = |place: &str| {
        [before, after].into_iter().any(|whole| whole.pointer(place).is_some_and(Value::is_array))
    };
    let value_at = |whole: &Value, place: &str| whole.pointer(place).cloned().unwrap_or_default();
    let held = || reviewed.fields().filter_map(|(path, field)| Some((path.pointer(), field.holds()?)));
    let shortened: BTreeSet<&str> = held()
        .filter(|(_, position)| position.value.is_none())
        .filter_map(|(path, _)| path.rsplit_once('/').map(|(above, _)| above))
        .filter(|&above| !above.is_empty() && is_list(above))
        .collect();
    let mut places = BTreeMap::new();
    for (path, position) in held() {
        // The outermost list comes first in their order.
        let list = shortened.iter().copied().find(|list| is_within(path, list));
        let latest = places.entry(list.unwrap_or(path)).or_insert(position);
        if latest.at < position.at {
            *latest = position;
        }
    }
    let mut applied: Vec<Applied> = places
        .into_iter()
        .map(|(place, position)| Applied {
            path: place.to_owned(),
            top: top_level_field(place).unwrap_or_default(),
            before: value_at(before, place),
            after: value_at(after, place),
            reviewer: Some(position.reviewer.clone()),
            at: Some(position.at),
            how: position.how,
        })
        .collect();
    applied.sort_by_key(|one| one.at);
    applied
}
