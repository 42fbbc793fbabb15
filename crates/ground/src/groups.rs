//! Groups of rows: values that a table prints once, for all rows below.

use crate::document::Document;
use crate::find::Place;
use crate::leaves::{FlatRecord, RecordLeaf};
use crate::rows;
use crate::steps::step;
use std::collections::HashMap;
use std::ops::Range;

/// The distance, in columns, within which two cells are one under the other.
const FLUSH: u32 = 1;

/// An item of a list, as its rows are walked over.
#[derive(Debug)]
struct PrintedItem {
    number: usize,
    /// The row that it is printed in.
    row: usize,
}

/// The value of a member that holds from a row on.
#[derive(Debug)]
struct OpenValue<'a> {
    value: &'a serde_json::Value,
    place: Place,
}

/// The leaves of a list that are printed above their items, in the heading of a group or in its first row, with the place.
pub(crate) fn headed(
    document: &Document,
    record: &FlatRecord<'_>,
    own: &[Vec<usize>],
    assigned: &[Option<usize>],
    windows: &[Option<Range<usize>>],
) -> HashMap<usize, Place> {
    let mut items: Vec<PrintedItem> = assigned
        .iter()
        .enumerate()
        .filter_map(|(number, row)| Some(PrintedItem { number, row: (*row)? }))
        .collect();
    items.sort_by_key(|item| (item.row, item.number));
    let mut paths: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
    for (at, item) in items.iter().enumerate() {
        for number in own.get(item.number).into_iter().flatten() {
            if let Some(leaf) = record.leaves.get(*number) {
                paths.entry(&leaf.path).or_default().push((at, *number));
            }
        }
    }
    let taken: Vec<usize> = items.iter().map(|item| item.row).collect();
    let mut found = HashMap::new();
    for leaves in paths.values() {
        let mut open: Option<OpenValue<'_>> = None;
        let mut runs: HashMap<usize, Vec<(usize, Place)>> = HashMap::new();
        let mut before: Option<usize> = None;
        for (at, number) in leaves {
            let (Some(item), Some(leaf)) = (items.get(*at), record.leaves.get(*number)) else { continue };
            let window = windows.get(item.number).and_then(Option::as_ref);
            let here = window.and_then(|window| last_within(leaf, window.start, item.row + 1));
            let from = before.map_or(0, |row| row + 1);
            before = Some(item.row);
            if let Some(place) = here {
                open = Some(OpenValue { value: leaf.value, place });
                continue;
            }
            if window.is_some_and(|window| leaf.places.iter().any(|place| rows::is_within(place, window))) {
                continue;
            }
            step(1);
            if let Some(place) = last_within(leaf, from, item.row) {
                runs.entry(place.start).or_default().push((*number, place));
                open = Some(OpenValue { value: leaf.value, place });
            } else if let Some(open) = open.as_ref().filter(|open| open.value == leaf.value)
                && !is_ended(document, &open.place, from, item.row, &taken)
            {
                runs.entry(open.place.start).or_default().push((*number, open.place));
            }
        }
        // A heading of one row only can't be told from a value of the row above.
        let is_item = |run: &Vec<(usize, Place)>| {
            run.first().is_some_and(|(_, place)| taken.binary_search(&place.row).is_ok())
        };
        let headed: Vec<(usize, Place)> =
            runs.into_values().filter(|run| run.len() > 1 || is_item(run)).flatten().collect();
        // One value alone is rather that of the row above, written down twice.
        if headed.len() > 1 {
            found.extend(headed);
        }
    }
    found
}

/// The last place of a value in some rows.
fn last_within(leaf: &RecordLeaf<'_>, from: usize, to: usize) -> Option<Place> {
    leaf.places.iter().rev().find(|place| (from..to).contains(&place.row)).copied()
}

/// Returns whether a row holds another cell in the columns of a heading: there another group begins.
fn is_ended(document: &Document, heading: &Place, from: usize, row: usize, taken: &[usize]) -> bool {
    let is_item = |row: usize| taken.binary_search(&row).is_ok();
    let Some(own) = document.cells.get(heading.cell) else { return true };
    // A heading above the rows may be flush with cells of the rows, which are not headings.
    let skips_items = !is_item(heading.row);
    (from.max(heading.row + 1)..=row).filter(|row| !(skips_items && is_item(*row))).any(|row| {
        step(1);
        let cells = document.row_cells(row);
        let flush = |a: u32, b: u32| a.abs_diff(b) <= FLUSH;
        cells.iter().any(|cell| flush(cell.from, own.from) || flush(cell.to, own.to))
    })
}
