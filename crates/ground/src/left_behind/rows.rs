//! Left rows: rows of a table that no item of a list took, although their neighbours were taken.

use super::like::{MANY, like};
use super::taken::{Taken, TakenList, TakenRow};
use super::words::LeftWords;
use crate::document::Document;
use crate::leaves::FlatRecord;
use serde_json::Value;
use std::collections::HashSet;
use std::ops::Range;

/// A row that no item took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftRow {
    /// The JSON Pointer of the list whose items have the rows around it.
    pub list: String,
    /// The bytes of the row, from its first value to its last.
    pub bytes: Range<usize>,
}

/// The number of items before and after a row that it is compared with.
const NEAR: usize = 6;
/// The least number of them that it must be like.
const ALIKE: usize = 2;
/// Numbers that head columns.
const YEARS: std::ops::RangeInclusive<f64> = 1900.0..=2100.0;
/// Most rows of a document that are compared, and most that are reported for a list.
const ROWS: usize = 100_000;
const TOLD: usize = 20;

/// The rows that no item took, by list. A list that `is_whole` by its pointer is to have all rows of its tables: there
/// one item is enough to know them by, and many that lack are not a sign that only some are asked for.
#[must_use]
pub fn left_rows(document: &Document, record: &Value, is_whole: impl Fn(&str) -> bool) -> Vec<LeftRow> {
    let record = FlatRecord::read(record, document);
    if record.lists.is_empty() {
        return Vec::new();
    }
    let taken = Taken::read(document, &record);
    let mut found = Vec::new();
    let mut left = ROWS;
    for (list, pointer) in taken.lists.iter().zip(pointers(&record)) {
        let Some(pointer) = pointer else { continue };
        let is_whole = is_whole(&pointer);
        let table = ItemTable { document, taken: &taken, list, spacing: spacing(&list.rows), is_whole };
        found.extend(table.left(&mut left).into_iter().map(|bytes| LeftRow { list: pointer.clone(), bytes }));
    }
    found
}

/// The pointer of each list that has a value.
fn pointers(record: &FlatRecord<'_>) -> Vec<Option<String>> {
    let mut depths = vec![0; record.lists.len()];
    let mut found = vec![None; record.lists.len()];
    for (number, list) in record.lists.iter().enumerate() {
        let outer = list.outer.and_then(|(outer, _)| depths.get(outer)).copied().unwrap_or(0);
        if let Some(depth) = depths.get_mut(number) {
            *depth = outer + 1;
        }
        let Some(leaf) = list.items.iter().flatten().find_map(|leaf| record.leaves.get(*leaf)) else {
            continue;
        };
        // The general path has a `*` for each list that the leaf lies in.
        let mut general = leaf.path.split('/').enumerate().filter(|(_, step)| *step == "*");
        let Some((at, _)) = general.nth(outer) else { continue };
        let steps: Vec<&str> = leaf.pointer.split('/').take(at).collect();
        if let Some(slot) = found.get_mut(number) {
            *slot = Some(steps.join("/"));
        }
    }
    found
}

/// The usual number of rows from an item to the next one.
fn spacing(rows: &[TakenRow]) -> usize {
    let mut between: Vec<usize> = rows
        .iter()
        .zip(rows.iter().skip(1))
        .map(|(one, next)| next.row.saturating_sub(one.row))
        .filter(|rows| *rows > 0)
        .collect();
    between.sort_unstable();
    between.get(between.len() / 2).copied().unwrap_or(1)
}

/// The table that the items of a list are in.
struct ItemTable<'a> {
    document: &'a Document,
    taken: &'a Taken,
    list: &'a TakenList,
    spacing: usize,
    is_whole: bool,
}

/// A row that is like those of items.
struct Alike {
    bytes: Range<usize>,
    /// It is below the last item, or above the first.
    is_outside: bool,
}

impl ItemTable<'_> {
    fn left(&self, budget: &mut usize) -> Vec<Range<usize>> {
        let rows = &self.list.rows;
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Vec::new() };
        if rows.len() < self.needed() {
            return Vec::new();
        }
        let from = first.row.saturating_sub(self.spacing).max(self.list.within.start);
        let mut found: Vec<Alike> = Vec::new();
        let mut end = last.row + self.spacing;
        let mut row = from;
        while row <= end && row < self.list.within.end && *budget > 0 {
            *budget -= 1;
            if let Some(alike) = self.alike(row) {
                if row > last.row {
                    end = row + self.spacing;
                }
                found.push(alike);
            }
            row += 1;
        }
        let taken = rows.len();
        // A list of some rows only: the largest, those of one kind.
        let inside = found.iter().filter(|row| !row.is_outside).count();
        if inside * 2 > taken && !self.is_whole {
            return Vec::new();
        }
        found.into_iter().take(TOLD).map(|row| row.bytes).collect()
    }

    /// The number of items that a row must be like.
    fn needed(&self) -> usize {
        if self.is_whole { 1 } else { ALIKE }
    }

    /// The values of a row, if they are placed as those of the items around it, and no item has them.
    fn alike(&self, row: usize) -> Option<Alike> {
        let cells = self.document.rows.get(row).filter(|cells| !cells.is_empty())?;
        let rows = &self.list.rows;
        let at = rows.partition_point(|taken| taken.row < row);
        let above = rows.get(at.saturating_sub(NEAR)..at)?;
        let below = rows.get(at..(at + NEAR).min(rows.len()))?;
        let mut matched: HashSet<usize> = HashSet::new();
        let (mut alike, mut is_typed, mut few, mut small) = (0, false, true, 0);
        let (mut before, mut after) = (None, None);
        for (is_above, taken) in
            above.iter().rev().map(|taken| (true, taken)).chain(below.iter().map(|taken| (false, taken)))
        {
            let Some(like) = like(self.document, cells.clone(), taken, self.is_whole) else { continue };
            alike += 1;
            is_typed |= like.is_typed || (like.is_ruled && is_above);
            let begins =
                taken.members.first().is_some_and(|(_, place)| begins_small(self.document, place.start));
            small += usize::from(begins);
            few &= like.of < MANY;
            matched.extend(&like.cells);
            let side = if is_above { &mut before } else { &mut after };
            side.get_or_insert((taken.item, taken.row));
        }
        if alike < self.needed() || !is_typed || !self.has_no_item_between(before, after) {
            return None;
        }
        let near = |other: Option<(usize, usize)>| {
            other.is_some_and(|(_, other)| other.abs_diff(row) <= self.spacing * 3 + 1)
        };
        let is_outside = before.is_none() || after.is_none();
        if !near(before) && !near(after) {
            return None;
        }
        let used = matched.iter().filter(|cell| self.taken.cells.contains(cell)).count();
        if used * 2 >= matched.len() {
            return None;
        }
        let own = || matched.iter().filter_map(|cell| self.document.cells.get(*cell));
        let words = LeftWords::shipped();
        if own().any(|cell| words.is_no_item(self.document, cell, few)) {
            return None;
        }
        // A text that began in the row above; the head of the columns.
        let begins = own().map(|cell| cell.start).min()?;
        if (small * 2 <= alike && begins_small(self.document, begins))
            || (before.is_none() && self.has_only_years(&matched))
        {
            return None;
        }
        let (start, end) = (own().map(|cell| cell.start).min()?, own().map(|cell| cell.end).max()?);
        Some(Alike { bytes: start..end, is_outside })
    }

    /// Returns whether all numbers of some cells are years.
    fn has_only_years(&self, cells: &HashSet<usize>) -> bool {
        let numbers = cells.iter().flat_map(|at| {
            let first = self.document.numbers.partition_point(|number| number.cell < *at);
            self.document.numbers.iter().skip(first).take_while(move |number| number.cell == *at)
        });
        let mut whole = numbers.filter(|number| !number.is_part).peekable();
        whole.peek().is_some()
            && whole.all(|number| YEARS.contains(&number.value) && number.value.fract() == 0.0)
    }

    /// Returns whether the items around a row follow each other in the list: one between them may be the row's, in
    /// other words.
    fn has_no_item_between(&self, before: Option<(usize, usize)>, after: Option<(usize, usize)>) -> bool {
        match (before, after) {
            (Some((before, _)), Some((after, _))) => before.abs_diff(after) == 1,
            (Some((only, _)), None) | (None, Some((only, _))) => only == 0 || only + 1 == self.list.items,
            (None, None) => false,
        }
    }
}

/// Returns whether a lower-case letter is at a byte.
fn begins_small(document: &Document, byte: usize) -> bool {
    document.char_at(byte).is_some_and(char::is_lowercase)
}
