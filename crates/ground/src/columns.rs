//! Columns: where the items of a list print the same member.

use crate::find::Place;
use std::collections::BTreeMap;

/// The number of items before and after one that are compared with it: a long table may be laid out anew on each page.
const NEIGHBOURS: usize = 200;

/// The places of a member in the rows of its items.
#[derive(Debug, Default)]
pub(crate) struct Column {
    /// For each item that prints a value of the member: where.
    items: BTreeMap<usize, Vec<(u32, u32)>>,
}

/// The agreement of the other items with a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Agreement {
    /// The number of other items that print the member in the place's columns.
    pub(crate) with: usize,
    /// The number of other items that print the member at all.
    pub(crate) of: usize,
}

impl Agreement {
    /// The share of other items that agree.
    pub(crate) fn share(self) -> f32 {
        crate::field::count(self.with) / crate::field::count(self.of.max(1))
    }
}

impl Column {
    pub(crate) fn add(&mut self, item: usize, place: &Place) {
        self.items.entry(item).or_default().push((place.from, place.to));
    }

    pub(crate) fn agreement(&self, item: usize, place: &Place) -> Agreement {
        let meets = |&(from, to): &(u32, u32)| from < place.to && place.from < to;
        let near = item.saturating_sub(NEIGHBOURS)..=item.saturating_add(NEIGHBOURS);
        let others = self.items.range(near).filter(|(other, _)| **other != item);
        let (mut with, mut of) = (0, 0);
        for (_, places) in others {
            of += 1;
            with += usize::from(places.iter().any(meets));
        }
        Agreement { with, of }
    }
}
