//! Columns: where the items of a list print the same member.

use crate::document::Document;
use crate::find::Place;
use std::collections::BTreeMap;

/// The number of items before and after one that are compared with it: the layout of a long table may change on each
/// page.
const NEIGHBOURS: usize = 200;
/// The distance, in columns, within which the ends of cells are flush.
const FLUSH: u32 = 2;

/// The places of a member in the rows of its items.
#[derive(Debug, Default)]
pub(crate) struct MemberColumn {
    /// For each item that prints a value of the member: where.
    items: BTreeMap<usize, Vec<ColumnSpan>>,
}

/// The columns of a place and of its cell.
#[derive(Debug, Clone, Copy)]
struct ColumnSpan {
    from: u32,
    to: u32,
    cell: (u32, u32),
}

impl ColumnSpan {
    fn new(document: &Document, place: &Place) -> Self {
        let cell = document.cells.get(place.cell).map_or((place.from, place.to), |cell| (cell.from, cell.to));
        ColumnSpan { from: place.from, to: place.to, cell }
    }

    /// Returns whether both lie in the same columns, or both begin or both end cells that are flush on the other side.
    fn is_under(self, other: ColumnSpan) -> bool {
        let flush = |a: u32, b: u32| a.abs_diff(b) <= FLUSH;
        let begin = flush(self.from, self.cell.0) && flush(other.from, other.cell.0);
        let end = flush(self.to, self.cell.1) && flush(other.to, other.cell.1);
        self.from < other.to && other.from < self.to
            || begin && flush(self.cell.1, other.cell.1)
            || end && flush(self.cell.0, other.cell.0)
    }
}

/// The agreement of the other items with a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ColumnAgreement {
    /// The number of other items that print the member in the place's columns.
    pub(crate) with: usize,
    /// The number of other items that print the member at all.
    pub(crate) of: usize,
}

impl ColumnAgreement {
    /// The share of other items that agree.
    pub(crate) fn share(self) -> f32 {
        crate::field::count(self.with) / crate::field::count(self.of.max(1))
    }
}

impl MemberColumn {
    pub(crate) fn add(&mut self, item: usize, place: &Place, document: &Document) {
        self.items.entry(item).or_default().push(ColumnSpan::new(document, place));
    }

    pub(crate) fn agreement(&self, item: usize, place: &Place, document: &Document) -> ColumnAgreement {
        let own = ColumnSpan::new(document, place);
        let meets = |other: &ColumnSpan| own.is_under(*other);
        let near = item.saturating_sub(NEIGHBOURS)..=item.saturating_add(NEIGHBOURS);
        let others = self.items.range(near).filter(|(other, _)| **other != item);
        let (mut with, mut of) = (0, 0);
        for (_, places) in others {
            of += 1;
            with += usize::from(places.iter().any(meets));
        }
        ColumnAgreement { with, of }
    }
}
