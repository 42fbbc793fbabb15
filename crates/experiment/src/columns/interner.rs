//! Names as numbers: each is kept once.

use std::collections::BTreeMap;
use std::sync::Arc;

/// The most names that are kept when the table is cleared: other documents mostly have the same.
const KEPT: usize = 1_000;

/// Names, numbered from 0.
#[derive(Debug, Clone, Default)]
pub(super) struct Interner {
    names: Vec<Arc<str>>,
    numbers: BTreeMap<Arc<str>, u32>,
}

impl Interner {
    /// The number of a name. A few names tend to follow each other in the same order over and over: `turn`, the number
    /// of requests so far, tells where to look first.
    pub(super) fn number_of(&mut self, name: &str, turn: usize) -> u32 {
        if let Some(place) = turn.checked_rem(self.names.len())
            && self.names.get(place).is_some_and(|known| known.as_ref() == name)
            && let Ok(number) = u32::try_from(place)
        {
            return number;
        }
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        // Memory runs out before there are so many names.
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let name: Arc<str> = name.into();
        self.names.push(Arc::clone(&name));
        self.numbers.insert(name, number);
        number
    }

    /// Returns whether the number is that of a name.
    pub(super) fn is_named(&self, number: u32, name: &str) -> bool {
        self.name(number) == Some(name)
    }

    /// The name with a number.
    pub(super) fn name(&self, number: u32) -> Option<&str> {
        self.names.get(usize::try_from(number).ok()?).map(AsRef::as_ref)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(AsRef::as_ref)
    }

    /// Forgets the names if there are very many. Their numbers must no longer be in use.
    pub(super) fn shed(&mut self) {
        if self.names.len() > KEPT {
            *self = Interner::default();
        }
    }
}
