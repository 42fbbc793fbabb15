//! The top-level fields that a program looks at, numbered, so that a candidate is gone through once and no name is looked up
//! again.

use super::program::Index;
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::sync::Arc;

/// The names of fields by their slots, and the slots by their names.
#[derive(Debug, Default)]
pub struct Slots {
    names: Vec<Arc<str>>,
    by_name: HashMap<Arc<str>, Index, RandomState>,
}

impl Slots {
    /// The slot of a field, which gets one if it has none.
    pub(super) fn add(&mut self, name: &str) -> Index {
        if let Some(known) = self.by_name.get(name) {
            return *known;
        }
        let (name, slot) = (Arc::<str>::from(name), Index::try_from(self.names.len()).unwrap_or(Index::MAX));
        self.names.push(Arc::clone(&name));
        self.by_name.insert(name, slot);
        slot
    }

    /// The slot of a field, if the program looks at it.
    #[must_use]
    pub fn of(&self, name: &str) -> Option<Index> {
        self.by_name.get(name).copied()
    }

    /// The name of a field.
    #[must_use]
    pub fn name(&self, slot: Index) -> Option<&Arc<str>> {
        self.names.get(slot as usize)
    }

    /// The names, in the order of their slots.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(AsRef::as_ref)
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.names.len()
    }
}
