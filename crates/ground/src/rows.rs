//! Rows: which row of the document each item of a list is printed in.

use crate::document::Document;
use crate::find::Place;
use crate::leaves::{FlatRecord, RecordList};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

/// Most steps of one assignment; a longer list is assigned greedily.
const MOST_STEPS: usize = 8_000_000;
/// The rows above and below the one that it is found by to which an item reaches when no neighbour ends it.
const ABOVE: usize = 2;
const BELOW: usize = 4;

/// The rows of each item; none where the document does not show the item in one place.
pub(crate) fn assign(
    record: &FlatRecord<'_>,
    list: &RecordList,
    within: &Range<usize>,
) -> Vec<Option<usize>> {
    let scores: Vec<BTreeMap<usize, f32>> =
        list.items.iter().map(|item| by_row(record, item, within)).collect();
    let rows: Vec<usize> = {
        let all: HashSet<usize> = scores.iter().flat_map(|rows| rows.keys().copied()).collect();
        let mut rows: Vec<usize> = all.into_iter().collect();
        rows.sort_unstable();
        rows
    };
    let ordered = in_order(record, list, &scores, &rows);
    let total: f32 = ordered.iter().zip(&scores).filter_map(|(row, scores)| scores.get(&(*row)?)).sum();
    let free = greedily(record, list, &scores);
    let best: f32 = free.iter().zip(&scores).filter_map(|(row, scores)| scores.get(&(*row)?)).sum();
    // A list in another order than the document's.
    if total * 1.3 < best { free } else { ordered }
}

/// The evidence for each row: values that are printed there, rarer and longer ones more.
fn by_row(record: &FlatRecord<'_>, item: &[usize], within: &Range<usize>) -> BTreeMap<usize, f32> {
    let mut rows = BTreeMap::new();
    for leaf in item.iter().filter_map(|leaf| record.leaves.get(*leaf)) {
        let own: HashSet<usize> =
            leaf.places.iter().map(|place| place.row).filter(|row| within.contains(row)).collect();
        let length = leaf.value.as_str().map_or_else(|| leaf.value.to_string().len(), str::len);
        #[expect(clippy::cast_precision_loss, reason = "counts of rows are small")]
        let weight = (if length > 3 { 2.0 } else { 1.0 }) * (0.3 + 1.0 / own.len().max(1) as f32);
        for row in own {
            *rows.entry(row).or_insert(0.0) += weight;
        }
    }
    rows
}

/// The assignment in the document's order that has the most in its favour.
fn in_order(
    record: &FlatRecord<'_>,
    list: &RecordList,
    scores: &[BTreeMap<usize, f32>],
    rows: &[usize],
) -> Vec<Option<usize>> {
    if scores.len().saturating_mul(rows.len()) > MOST_STEPS {
        return greedily(record, list, scores);
    }
    let width = rows.len() + 1;
    // `best[i * width + j]`: the most that items before `i` can have in rows before `j`.
    let mut best = vec![0.0f32; (scores.len() + 1) * width];
    let mut took = vec![false; (scores.len() + 1) * width];
    let at = |i: usize, j: usize| i * width + j;
    for (i, own) in scores.iter().enumerate() {
        for j in 1..width {
            let row = rows.get(j - 1).copied().unwrap_or_default();
            let value = |at: usize| best.get(at).copied().unwrap_or_default();
            let taken = own.get(&row).map(|score| score + value(at(i, j - 1)));
            let skipped = value(at(i, j)).max(value(at(i + 1, j - 1)));
            let takes = taken.is_some_and(|taken| taken > skipped);
            let here = if takes { taken.unwrap_or(skipped) } else { skipped };
            if let (Some(slot), Some(took)) = (best.get_mut(at(i + 1, j)), took.get_mut(at(i + 1, j))) {
                (*slot, *took) = (here, takes);
            }
        }
    }
    let mut found = vec![None; scores.len()];
    let (mut i, mut j) = (scores.len(), rows.len());
    while i > 0 && j > 0 {
        let value = |at: usize| best.get(at).copied().unwrap_or_default();
        if took.get(at(i, j)).copied().unwrap_or_default() {
            if let Some(slot) = found.get_mut(i - 1) {
                *slot = rows.get(j - 1).copied();
            }
            (i, j) = (i - 1, j - 1);
        } else if value(at(i, j)) <= value(at(i, j - 1)) {
            j -= 1;
        } else {
            i -= 1;
        }
    }
    found
}

/// Each item in the row that has the most in its favour, in columns where no other item has more: two lists may be
/// printed side by side.
fn greedily(
    record: &FlatRecord<'_>,
    list: &RecordList,
    scores: &[BTreeMap<usize, f32>],
) -> Vec<Option<usize>> {
    let mut wishes: Vec<(usize, usize, f32)> = scores
        .iter()
        .enumerate()
        .flat_map(|(item, rows)| rows.iter().map(move |(row, score)| (item, *row, *score)))
        .collect();
    wishes.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)).then(a.1.cmp(&b.1)));
    let mut found = vec![None; scores.len()];
    let mut taken: HashMap<usize, Vec<Range<usize>>> = HashMap::new();
    for (item, row, _) in wishes {
        let Some(slot) = found.get_mut(item).filter(|slot| slot.is_none()) else { continue };
        let own = list.items.get(item).into_iter().flatten().filter_map(|leaf| record.leaves.get(*leaf));
        let places: Vec<Range<usize>> = own
            .filter_map(|leaf| leaf.places.iter().find(|place| place.row == row))
            .map(|place| place.start..place.end)
            .collect();
        let spans = taken.entry(row).or_default();
        let from = places.iter().map(|place| place.start).min().unwrap_or_default();
        let to = places.iter().map(|place| place.end).max().unwrap_or_default();
        if spans.iter().any(|span| span.start < to && from < span.end) {
            continue;
        }
        spans.push(from..to);
        *slot = Some(row);
    }
    found
}

/// The rows that each item reaches over: to those of its neighbours.
pub(crate) fn windows(rows: &[Option<usize>], within: &Range<usize>) -> Vec<Option<Range<usize>>> {
    let mut taken: Vec<usize> = rows.iter().flatten().copied().collect();
    taken.sort_unstable();
    taken.dedup();
    let window = |row: usize| {
        let at = taken.partition_point(|other| *other < row);
        let before = at.checked_sub(1).and_then(|at| taken.get(at));
        let after = taken.get(at + 1);
        let from =
            before.map_or(row.saturating_sub(ABOVE), |before| (before + 1).max(row.saturating_sub(ABOVE)));
        let to = after.map_or(row + BELOW, |after| (*after).min(row + BELOW * 2));
        from.max(within.start)..to.min(within.end).max(row + 1)
    };
    rows.iter().map(|row| row.map(window)).collect()
}

/// All rows of a document.
pub(crate) fn all(document: &Document) -> Range<usize> {
    0..document.rows.len()
}

/// Returns whether a place lies in a window.
pub(crate) fn is_within(place: &Place, window: &Range<usize>) -> bool {
    window.contains(&place.row)
}
