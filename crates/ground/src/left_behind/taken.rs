//! Taken cells: those that hold the values of a record.

use crate::document::Document;
use crate::find::{Kind, Place, places};
use crate::leaves::{FlatRecord, RecordLeaf, RecordList};
use crate::rows;
use serde_json::Value;
use std::collections::HashSet;
use std::ops::Range;

/// Most places of a value outside of lists that are taken: one that appears everywhere says nothing of where it is
/// from.
const PLACES: usize = 3;

/// The values of one item in its row.
#[derive(Debug)]
pub(super) struct TakenRow {
    /// The item's number.
    pub(super) item: usize,
    pub(super) row: usize,
    /// The kind of each value with the place where the row prints it, from left to right.
    pub(super) members: Vec<(Kind, Place)>,
}

/// The rows of a list's items, from the top.
#[derive(Debug, Default)]
pub(super) struct TakenList {
    pub(super) rows: Vec<TakenRow>,
    /// The number of its items.
    pub(super) items: usize,
    /// The rows of the document in which it lies.
    pub(super) within: Range<usize>,
}

/// The cells of a document that a record takes.
#[derive(Debug, Default)]
pub(super) struct Taken {
    /// By the number of the list.
    pub(super) lists: Vec<TakenList>,
    pub(super) cells: HashSet<usize>,
}

impl Taken {
    pub(super) fn read(document: &Document, record: &FlatRecord<'_>) -> Self {
        let mut taken = Taken::default();
        let mut windows: Vec<Vec<Option<Range<usize>>>> = Vec::new();
        for list in &record.lists {
            let within = match list.outer {
                None => Some(rows::all(document)),
                Some((outer, item)) => {
                    windows.get(outer).and_then(|items| items.get(item)).cloned().flatten()
                }
            };
            let Some(within) = within else {
                windows.push(vec![None; list.items.len()]);
                taken.lists.push(TakenList::default());
                continue;
            };
            let assigned = rows::assign(record, list, &within);
            let own = rows::windows(&assigned, &within);
            let read = taken.list(record, list, &assigned, &own, within);
            taken.lists.push(read);
            windows.push(own);
        }
        let tops = record.leaves.iter().zip(&record.item_of).filter(|(_, item)| item.is_none());
        for (leaf, _) in tops.filter(|(leaf, _)| leaf.places.len() <= PLACES) {
            taken.cells.extend(leaf.places.iter().map(|place| place.cell));
        }
        taken
    }

    /// Takes the cells of a list's items: in the item's row, or in the rows that it reaches over.
    fn list(
        &mut self,
        record: &FlatRecord<'_>,
        list: &RecordList,
        assigned: &[Option<usize>],
        windows: &[Option<Range<usize>>],
        within: Range<usize>,
    ) -> TakenList {
        let mut read = TakenList { rows: Vec::new(), items: list.items.len(), within };
        for (item, (leaves, (row, window))) in list.items.iter().zip(assigned.iter().zip(windows)).enumerate()
        {
            let (Some(row), Some(window)) = (row, window) else { continue };
            let mut members = Vec::new();
            for leaf in leaves.iter().filter_map(|leaf| record.leaves.get(*leaf)) {
                match in_row(leaf, *row, &members) {
                    Some(place) => members.push((leaf.kind, place)),
                    None => {
                        let near = leaf.places.iter().find(|place| rows::is_within(place, window));
                        self.cells.extend(near.map(|place| place.cell));
                    }
                }
            }
            members.sort_by_key(|(_, place)| place.start);
            self.cells.extend(members.iter().map(|(_, place)| place.cell));
            read.rows.push(TakenRow { item, row: *row, members });
        }
        read.rows.sort_by_key(|taken| (taken.row, taken.item));
        read
    }
}

/// The place of a leaf in a row that no member before it has.
fn in_row(leaf: &RecordLeaf<'_>, row: usize, members: &[(Kind, Place)]) -> Option<Place> {
    let first = leaf.places.partition_point(|place| place.row < row);
    let own = leaf.places.get(first..)?.iter().take_while(|place| place.row == row);
    let is_free = |place: &&Place| !members.iter().any(|(_, other)| other.start == place.start);
    own.clone().find(is_free).or(own.clone().next()).copied()
}

/// Returns whether a value of a record is at some bytes of a document.
#[must_use]
pub fn is_used(document: &Document, record: &Value, bytes: &Range<usize>) -> bool {
    match record {
        Value::Object(members) => members.values().any(|member| is_used(document, member, bytes)),
        Value::Array(items) => items.iter().any(|item| is_used(document, item, bytes)),
        Value::Null | Value::Bool(_) => false,
        Value::Number(_) | Value::String(_) => {
            places(document, record).iter().any(|place| place.start < bytes.end && bytes.start < place.end)
        }
    }
}
