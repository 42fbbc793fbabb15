//! Transposed tables: the items of a list are beside one another, and each member has a row.

use crate::columns::MemberColumn;
use crate::document::Document;
use crate::find::Place;
use crate::leaves::{FlatRecord, RecordList};
use crate::rows;
use std::collections::HashMap;
use std::ops::Range;

/// The fewest members and items of a table that is read so.
const MEMBERS: usize = 3;
const ITEMS: usize = 2;
/// The least share of an item's other members that agree with the columns of one.
const AGREES: f32 = 0.5;

/// The leaves of a list, by member and item, that are printed in the row of their member and in the columns of their
/// item, with the place.
pub(crate) fn bound(
    document: &Document,
    record: &FlatRecord<'_>,
    own: &[Vec<usize>],
    within: &Range<usize>,
) -> Vec<(usize, Place)> {
    let mut members: Vec<(&str, Vec<(usize, usize)>)> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for (item, leaves) in own.iter().enumerate() {
        for number in leaves {
            let Some(leaf) = record.leaves.get(*number) else { continue };
            let at = *known.entry(&leaf.path).or_insert_with(|| {
                members.push((&leaf.path, Vec::new()));
                members.len() - 1
            });
            if let Some((_, leaves)) = members.get_mut(at) {
                leaves.push((item, *number));
            }
        }
    }
    members.retain(|(_, leaves)| leaves.len() >= ITEMS);
    if members.len() < MEMBERS {
        return Vec::new();
    }
    let items =
        members.iter().map(|(_, leaves)| leaves.iter().map(|(_, number)| *number).collect()).collect();
    let assigned = rows::assign(record, &RecordList { items, outer: None }, within);
    let windows = rows::windows(&assigned, within);
    let printed = |number: usize, window: &Range<usize>| -> Vec<Place> {
        let places = record.leaves.get(number).map(|leaf| leaf.places.as_slice()).unwrap_or_default();
        places.iter().filter(|place| rows::is_within(place, window)).copied().collect()
    };
    let mut columns: Vec<MemberColumn> = (0..own.len()).map(|_| MemberColumn::default()).collect();
    for (member, ((_, leaves), window)) in members.iter().zip(&windows).enumerate() {
        let Some(window) = window else { continue };
        for (item, number) in leaves {
            for place in printed(*number, window) {
                if let Some(column) = columns.get_mut(*item) {
                    column.add(member, &place, document);
                }
            }
        }
    }
    let mut found = Vec::new();
    for (member, ((_, leaves), window)) in members.iter().zip(&windows).enumerate() {
        let Some(window) = window else { continue };
        let mut here: Vec<(usize, Place)> = Vec::new();
        for (item, number) in leaves {
            let agreement =
                |place: &Place| columns.get(*item).map(|column| column.agreement(member, place, document));
            let agrees = |place: &&Place| {
                agreement(place)
                    .is_some_and(|agreement| agreement.with >= ITEMS && agreement.share() >= AGREES)
            };
            let places = printed(*number, window);
            here.extend(places.iter().find(agrees).map(|place| (*number, *place)));
        }
        // A row in which one item only has its value is not a row of the table.
        let stand_apart = here.iter().any(|(_, one)| here.iter().any(|(_, other)| one.to <= other.from));
        if here.len() >= ITEMS && stand_apart {
            found.extend(here);
        }
    }
    found
}
