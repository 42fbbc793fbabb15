//! Finds the numbers of a fixed set of names.
//!
//! Each member of each candidate is looked up here, and most of them are in no rule. Names of up to sixteen bytes, as
//! nearly all are, are compared as two numbers. The table is made once from a profile, so that no candidate can fill
//! it.

use super::program::Index;
use std::sync::Arc;

/// A name as two numbers: its first and its last eight bytes, which overlap in shorter ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Ends {
    head: u64,
    tail: u64,
    length: u32,
}

/// Longest name that its ends tell apart from all others.
const TOLD_BY_ENDS: usize = 16;

impl Ends {
    #[inline]
    fn of(name: &str) -> Self {
        let bytes = name.as_bytes();
        let (head, tail) = match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
            (Some(head), Some(tail)) => (u64::from_le_bytes(*head), u64::from_le_bytes(*tail)),
            _ => match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
                (Some(head), Some(tail)) => {
                    (u32::from_le_bytes(*head).into(), u32::from_le_bytes(*tail).into())
                }
                _ => (bytes.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)), 0),
            },
        };
        Ends { head, tail, length: u32::try_from(bytes.len()).unwrap_or(u32::MAX) }
    }

    /// A number in which every bit of the ends has a say.
    #[inline]
    fn mixed(self) -> u64 {
        /// An odd number without a pattern: 2^64 over the golden ratio.
        const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
        let sum = self.head ^ self.tail.rotate_left(29) ^ u64::from(self.length);
        let wide = u128::from(sum) * u128::from(SPREAD);
        #[expect(clippy::cast_possible_truncation, reason = "both halves are used")]
        let mixed = (wide >> 64) as u64 ^ wide as u64;
        mixed
    }
}

#[derive(Debug, Clone, Default)]
struct Entry {
    ends: Ends,
    /// The number and the name; `None` in an empty place.
    found: Option<(Index, Arc<str>)>,
}

/// Names and their numbers. At most half of the places are taken; a name is in the first free place from where it
/// belongs on.
#[derive(Debug, Default)]
pub(super) struct NameTable {
    places: Vec<Entry>,
}

impl NameTable {
    pub(super) fn new<'n>(names: impl ExactSizeIterator<Item = &'n Arc<str>>) -> Self {
        let mut table =
            NameTable { places: vec![Entry::default(); (2 * names.len()).next_power_of_two().max(2)] };
        for (number, name) in (0..).zip(names) {
            let ends = Ends::of(name);
            let mut at = table.place(ends);
            while table.places.get(at).is_some_and(|place| place.found.is_some()) {
                at = (at + 1) & (table.places.len() - 1);
            }
            if let Some(place) = table.places.get_mut(at) {
                *place = Entry { ends, found: Some((number, Arc::clone(name))) };
            }
        }
        table
    }

    #[inline]
    fn place(&self, ends: Ends) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "of the number, the lower bits are used")]
        let at = ends.mixed() as usize & self.places.len().wrapping_sub(1);
        at
    }

    /// The number of a name.
    #[inline]
    pub(super) fn get(&self, name: &str) -> Option<Index> {
        let ends = Ends::of(name);
        let mut at = self.place(ends);
        loop {
            let Entry { ends: known, found } = self.places.get(at)?;
            let (number, full) = found.as_ref()?;
            if *known == ends && (name.len() <= TOLD_BY_ENDS || **full == *name) {
                return Some(*number);
            }
            at = (at + 1) & (self.places.len() - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_name_has_its_number_and_no_other_name_has_one(
            names in prop::collection::btree_set("[ab_]{0,20}", 0..40),
            others in prop::collection::vec("[ab_]{0,20}", 0..40),
        ) {
            let names: Vec<Arc<str>> = names.into_iter().map(Arc::from).collect();
            let table = NameTable::new(names.iter());
            let plain = |wanted: &str| names.iter().position(|name| **name == *wanted);
            for name in names.iter().map(|name| &**name).chain(others.iter().map(String::as_str)) {
                prop_assert_eq!(table.get(name).map(|number| number as usize), plain(name), "{}", name);
            }
        }
    }
}
