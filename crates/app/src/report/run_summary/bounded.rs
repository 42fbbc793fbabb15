//! Counts by key in bounded room, independent of the order in which things are counted.

use std::collections::BTreeMap;

/// A value that can be added up.
pub(super) trait Count: Default + PartialEq {
    /// Adds the counts of another.
    fn absorb(&mut self, other: Self);
}

impl Count for u64 {
    fn absorb(&mut self, other: u64) {
        *self = self.saturating_add(other);
    }
}

/// Counts by key: the first `MOST` in the order of their keys, and all others together. The kept ones follow from the
/// keys alone, so that neither the order of counting nor the way in which counts are merged changes anything: a key
/// that is kept in the end was among the first ones from the start, and has always been counted separately.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bounded<K: Ord, V, const MOST: usize> {
    pub(super) kept: BTreeMap<K, V>,
    pub(super) rest: V,
}

impl<K: Ord, V: Default, const MOST: usize> Default for Bounded<K, V, MOST> {
    fn default() -> Self {
        Bounded { kept: BTreeMap::new(), rest: V::default() }
    }
}

impl<K: Ord, V: Count, const MOST: usize> Bounded<K, V, MOST> {
    /// The count of a key.
    pub(super) fn of(&mut self, key: K) -> &mut V {
        if !self.kept.contains_key(&key) && self.kept.len() >= MOST {
            match self.kept.last_key_value() {
                Some((last, _)) if *last > key => {
                    if let Some((_, pushed_out)) = self.kept.pop_last() {
                        self.rest.absorb(pushed_out);
                    }
                }
                _ => return &mut self.rest,
            }
        }
        self.kept.entry(key).or_default()
    }

    /// Adds the counts of another.
    pub(super) fn merge(&mut self, other: Self) {
        self.rest.absorb(other.rest);
        for (key, count) in other.kept {
            self.of(key).absorb(count);
        }
    }

    /// Returns whether there were more keys than are kept.
    pub(super) fn has_rest(&self) -> bool {
        self.rest != V::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counted(keys: &[u8]) -> Bounded<u8, u64, 4> {
        let mut counts: Bounded<u8, u64, 4> = Bounded::default();
        keys.iter().for_each(|key| counts.of(*key).absorb(1));
        counts
    }

    proptest! {
        #[test]
        fn the_order_of_counting_changes_nothing(
            mut keys in proptest::collection::vec(0..9_u8, 0..40),
            cut in 0..40_usize,
        ) {
            let counts = counted(&keys);
            prop_assert!(counts.kept.len() <= 4);
            prop_assert_eq!(counts.kept.values().sum::<u64>() + counts.rest, keys.len() as u64);
            let (first, second) = keys.split_at(cut.min(keys.len()));
            let mut merged = counted(second);
            merged.merge(counted(first));
            prop_assert_eq!(&merged, &counts);
            keys.reverse();
            prop_assert_eq!(counted(&keys), counts);
        }
    }
}
