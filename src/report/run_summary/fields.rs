//! Which fields of the extractions hold something.

use super::bounded::{Bounded, Count, cut};
use crate::result::DocumentResult;
use crate::value::{escape, is_present};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Most fields that are counted apart, for each document type.
pub(super) const MOST_FIELDS: usize = 300;
/// Longest path of a field, in characters.
const LONGEST_PATH: usize = 120;
/// What an extraction says of a field that the document has nothing about.
const NOT_PRESENT: &str = "not_present";
/// What stands behind the name of a field where an extraction says how it stands, and what may stand there.
const STATUS: &str = "_status";
const STATUSES: [&str; 3] = ["present", NOT_PRESENT, "ambiguous"];

/// In how many extractions a field holds something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Fill {
    /// Extractions that name it, or whose rubric misses it.
    pub(crate) named: u64,
    /// Those with a value: not null, not empty, not `not_present`.
    pub(crate) filled: u64,
    /// Those that say that the document has nothing about it.
    pub(crate) not_present: u64,
}

impl Count for Fill {
    fn absorb(&mut self, other: Self) {
        self.named = self.named.saturating_add(other.named);
        self.filled = self.filled.saturating_add(other.filled);
        self.not_present = self.not_present.saturating_add(other.not_present);
    }
}

/// Fields by path.
pub(super) type Fields = Bounded<String, Fill, MOST_FIELDS>;

/// How a field stands in one extraction.
#[derive(Debug, Clone, Copy, Default)]
struct Standing {
    filled: bool,
    not_present: bool,
}

/// Counts the fields of a result: the members of the extraction, and of objects in it.
pub(super) fn count(fields: &mut Fields, result: &DocumentResult) {
    let mut found = BTreeMap::new();
    if let Some(Value::Object(members)) = result.best_extraction.as_deref() {
        look(members, "", &mut found);
        for (name, value) in members {
            if let Value::Object(members) = value {
                look(members, &format!("/{}", escape(name)), &mut found);
            }
        }
    }
    for name in result.best_validation.iter().flat_map(|validation| &validation.missing) {
        // A rubric names what is deeper by a path of its own.
        if !name.contains(['.', '[', '/', '$']) {
            found.entry(format!("/{name}")).or_default();
        }
    }
    for (path, standing) in found {
        fields.of(cut(&path, LONGEST_PATH)).absorb(Fill {
            named: 1,
            filled: u64::from(standing.filled && !standing.not_present),
            not_present: u64::from(standing.not_present),
        });
    }
}

fn look(members: &Map<String, Value>, above: &str, found: &mut BTreeMap<String, Standing>) {
    let mut statuses = BTreeSet::new();
    for (name, value) in members {
        let says = value.as_str().filter(|text| STATUSES.contains(text));
        if let (Some(field), Some(status)) = (name.strip_suffix(STATUS), says) {
            let of = found.entry(format!("{above}/{}", escape(field))).or_default();
            of.not_present |= status == NOT_PRESENT;
            statuses.insert(name.as_str());
        }
    }
    for (name, value) in members.iter().filter(|(name, _)| !statuses.contains(name.as_str())) {
        let of = found.entry(format!("{above}/{}", escape(name))).or_default();
        let says_nothing = value.as_str() == Some(NOT_PRESENT);
        of.filled = is_present(value) && !says_nothing;
        of.not_present |= says_nothing;
    }
}
