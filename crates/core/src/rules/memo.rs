//! Lookups in the candidate for one target of a rule, kept for its other targets.
//!
//! `each: $.rows[*]` with `at_most: $.rows[*]` would inspect every row for every row. The selection of a path from the
//! root is the same for all targets, so a test determines what it needs of it once.

use super::number::Number;
use crate::value::Item;
use smallvec::SmallVec;
use std::collections::HashSet;
use std::fmt;
use std::rc::Rc;

/// The number of paths that are remembered at once. A rule names one or two; the oldest makes room.
const SLOTS: usize = 8;

/// The number of values that are compared with each other pairwise, which needs no memory.
pub(super) const PAIRWISE: usize = 64;

/// The known results for the selections of paths. On the stack: a candidate without issues costs no allocation.
#[derive(Debug, Default)]
pub(crate) struct Memo<'v> {
    slots: SmallVec<[(Key, Known<'v>); SLOTS]>,
    next: usize,
    /// The placeholders of the candidate, if it has any.
    placeholders: Option<Rc<dyn PlaceholderLookup>>,
}

/// The texts of a candidate that are in place of values.
pub(crate) trait PlaceholderLookup: fmt::Debug {
    /// Returns whether a value that is present has nothing in it but placeholders.
    fn are_all_of(&self, pointer: &str, item: Item<'_>) -> bool;
}

/// A path of a test, by its identity, and what the test asks of it.
pub(crate) type Key = (usize, Asks);

/// The questions of tests about the selection of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asks {
    Smallest,
    Largest,
    Same,
    Present,
    Among,
}

/// The known result for a selection.
#[derive(Debug)]
pub(crate) enum Known<'v> {
    /// The smallest or largest number, if there is one.
    Number(Option<Number<'v>>),
    /// The value that all of them equal; `Err` when they differ, which no value equals.
    Same(Result<Option<Item<'v>>, ()>),
    /// `true` if one is present.
    Present(bool),
    /// The number of questions about membership, and all values in canonical form once it was asked often.
    Among(usize, HashSet<String>),
}

impl<'v> Memo<'v> {
    /// One of a candidate with these placeholders, if it has any.
    pub(crate) fn knowing(placeholders: Option<Rc<dyn PlaceholderLookup>>) -> Self {
        Memo { placeholders, ..Memo::default() }
    }

    /// The placeholders of the candidate, if it has any.
    pub(crate) fn placeholders(&self) -> Option<Rc<dyn PlaceholderLookup>> {
        self.placeholders.clone()
    }

    pub(crate) fn get(&mut self, key: Key) -> Option<&mut Known<'v>> {
        self.slots.iter_mut().find(|(known, _)| *known == key).map(|(_, known)| known)
    }

    pub(crate) fn keep(&mut self, key: Key, known: Known<'v>) {
        match self.slots.get_mut(self.next) {
            Some(slot) => *slot = (key, known),
            None => self.slots.push((key, known)),
        }
        self.next = (self.next + 1) % SLOTS;
    }
}
