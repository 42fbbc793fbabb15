//! Counts of the fields of extractions that have a value.

use super::bounded::{Bounded, Count};
use crate::result::DocumentResult;
use crate::score::Support;
use crate::value::prose::cut;
use crate::value::{escape, is_present};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Most fields that are counted separately, for each document type.
pub(super) const MOST_FIELDS: usize = 300;
/// Longest path of a field, in characters.
const LONGEST_PATH: usize = 120;
/// The status of a field that the document has nothing about.
const NOT_PRESENT: &str = "not_present";
/// The suffix of the member with the status of a field, and the values of such a member.
const STATUS: &str = "_status";
const STATUSES: [&str; 3] = ["present", NOT_PRESENT, "ambiguous"];

/// The number of extractions in which a field has a value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Fill {
    /// Extractions that name it, or whose rubric misses it.
    pub named: u64,
    /// Those with a value: not null, not empty, not `not_present`.
    pub filled: u64,
    /// Those that report that the document has nothing about it.
    pub not_present: u64,
    /// The support of documents for its values.
    #[serde(skip_serializing_if = "Supports::is_empty")]
    pub support: Supports,
}

/// The number of values with each support. A list has as many values as texts, numbers and truth values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Supports {
    verified: u64,
    entailed: u64,
    undecided: u64,
    conflicting: u64,
    unsupported: u64,
    contradicted: u64,
}

impl Supports {
    fn is_empty(&self) -> bool {
        self.sum() == 0
    }

    /// The number of values that were looked for.
    pub(super) fn sum(&self) -> u64 {
        self.each().into_iter().map(|(_, count)| count).sum()
    }

    /// The number of these that the document confirms without contradiction.
    pub(super) fn supported(&self) -> u64 {
        self.verified.saturating_add(self.entailed)
    }

    /// Each support with its count, the best first.
    pub(super) fn each(&self) -> [(&'static str, u64); 6] {
        [
            ("Verified", self.verified),
            ("Entailed", self.entailed),
            ("Undecided", self.undecided),
            ("Conflicting", self.conflicting),
            ("Unsupported", self.unsupported),
            ("Contradicted", self.contradicted),
        ]
    }

    /// The number of values with the support of this word.
    pub(super) fn count(&self, word: &str) -> u64 {
        self.each().into_iter().find(|(known, _)| *known == word).map_or(0, |(_, count)| count)
    }

    fn of(&mut self, support: Support) -> &mut u64 {
        match support {
            Support::Verified => &mut self.verified,
            Support::Entailed => &mut self.entailed,
            Support::Undecided => &mut self.undecided,
            Support::Conflicting => &mut self.conflicting,
            Support::Unsupported => &mut self.unsupported,
            Support::Contradicted => &mut self.contradicted,
        }
    }
}

impl Count for Supports {
    fn absorb(&mut self, other: Self) {
        self.verified = self.verified.saturating_add(other.verified);
        self.entailed = self.entailed.saturating_add(other.entailed);
        self.undecided = self.undecided.saturating_add(other.undecided);
        self.conflicting = self.conflicting.saturating_add(other.conflicting);
        self.unsupported = self.unsupported.saturating_add(other.unsupported);
        self.contradicted = self.contradicted.saturating_add(other.contradicted);
    }
}

impl Count for Fill {
    fn absorb(&mut self, other: Self) {
        self.named = self.named.saturating_add(other.named);
        self.filled = self.filled.saturating_add(other.filled);
        self.not_present = self.not_present.saturating_add(other.not_present);
        self.support.absorb(other.support);
    }
}

/// Fields by path.
pub(super) type Fields = Bounded<String, Fill, MOST_FIELDS>;

/// The status of a field in one extraction.
#[derive(Debug, Clone, Copy, Default)]
struct Standing {
    filled: bool,
    not_present: bool,
    support: Supports,
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
    for (path, leaf) in result.best_validation.iter().flat_map(|validation| validation.evidence.iter()) {
        // The deepest field that is counted separately: a member of an object at the top, else the member at the top.
        let ends = path.match_indices('/').map(|(at, _)| at).skip(1).take(2);
        let names = ends.filter_map(|end| path.get(..end)).chain([path]);
        let counted = names.filter(|name| found.contains_key(*name)).max_by_key(|name| name.len());
        if let Some(of) = counted.and_then(|name| found.get_mut(name)) {
            *of.support.of(leaf.support) += 1;
        }
    }
    for (path, standing) in found {
        fields.of(cut(&path, LONGEST_PATH)).absorb(Fill {
            named: 1,
            filled: u64::from(standing.filled && !standing.not_present),
            not_present: u64::from(standing.not_present),
            support: standing.support,
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
