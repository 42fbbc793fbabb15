//! Walking a candidate: its leaves, and what the keys and labels around each say about it.

use crate::value::is_blank;
use serde_json::{Map, Value};

use super::keys::{NONE, PlaceId};
use super::names::NameId;

/// Longest text that can be a label, in bytes.
const LONGEST_LABEL: usize = 80;

/// Where a leaf stands in the candidate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeafContext<'a> {
    /// The leaf's key; for the elements of an array, the array's.
    pub(super) key: &'a str,
    /// The key's number.
    pub(super) name: NameId,
    /// The place of the object that holds it. None at the top.
    pub(super) outer: Option<&'a LeafContext<'a>>,
    /// What a sibling (`name`, `test`, `marker`, …) says that the object is about.
    pub(super) label: Option<Label<'a>>,
    /// The number of all this.
    pub(super) id: PlaceId,
}

/// What an object is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label<'a> {
    pub(super) text: &'a str,
    pub(super) name: NameId,
}

impl<'a> LeafContext<'a> {
    /// A field at the top of the candidate that has no number yet.
    pub(super) fn named(key: &'a str, name: NameId) -> Self {
        Self { key, name, outer: None, label: None, id: NONE }
    }
}

/// What an object is about, if a key says so.
pub(super) fn label_of(fields: &Map<String, Value>, is_label: impl Fn(usize) -> bool) -> Option<&str> {
    fields.values().enumerate().find_map(|(at, value)| {
        let text = value.as_str()?;
        (text.len() <= LONGEST_LABEL && !is_blank(text) && is_label(at)).then_some(text)
    })
}
