//! Walking a candidate: its leaves, and what the keys and labels around each say about it.

use crate::value::{Segment, is_blank, push_segment};
use serde_json::{Map, Value};

use super::evidence::write_words;
use super::keys::{NONE, PlaceId, TOP};
use super::names::NameId;
use super::number::{Unit, unit_of_phrase};
use super::{Grounder, Reading, Verdict};
#[cfg(test)]
use super::{Match, Scratch, Settings, SourceIndex, Vocabulary};
#[cfg(test)]
use crate::value::Fuel;

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
    /// The unit that a sibling gives.
    pub(super) unit: Option<Unit>,
    /// The number of all this.
    pub(super) id: PlaceId,
    /// Whether it stands in one of several objects of a list.
    pub(super) is_of_several: bool,
}

/// What an object is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label<'a> {
    pub(super) text: &'a str,
    pub(super) name: NameId,
}

impl<'a> LeafContext<'a> {
    /// No field: the candidate itself.
    fn top() -> Self {
        LeafContext { id: TOP, ..LeafContext::named("", NONE) }
    }

    /// A field at the top of the candidate that has no number yet.
    pub(super) fn named(key: &'a str, name: NameId) -> Self {
        Self { key, name, outer: None, label: None, unit: None, id: NONE, is_of_several: false }
    }

    /// The words of its key and of what is around it.
    pub(super) fn write_words(&self, into: &mut String) {
        if let Some(label) = self.label {
            write_words(label.text, into);
        }
        if let Some(outer) = self.outer {
            outer.write_words(into);
        }
        write_words(self.key, into);
    }
}

/// One leaf of a candidate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf<'a> {
    /// Its JSON Pointer.
    pub pointer: &'a str,
    /// Its value: a string that is not blank, or a number.
    pub value: &'a Value,
}

impl Grounder<'_> {
    /// Grounds every string and number of `candidate` in document order and gives each to `visit`.
    /// Blank strings, nulls and booleans are passed over. It ends early when the fuel is spent.
    #[cfg(test)]
    pub(crate) fn ground_all(
        candidate: &Value,
        vocabulary: &Vocabulary,
        source: &SourceIndex,
        settings: Settings,
        scratch: &mut Scratch,
        fuel: &Fuel,
        mut visit: impl FnMut(Leaf<'_>, Option<Match>),
    ) {
        let mut grounder = Grounder::new(candidate, vocabulary, source, settings, scratch, fuel);
        grounder.each_leaf(candidate, |grounder, leaf, place| {
            if !leaf.value.is_boolean() {
                let found = grounder.ground(leaf.value, place);
                visit(leaf, found);
            }
        });
    }

    /// Judges every leaf of `candidate` that `is_checked` takes, in document order, with the quotes that `offered` has for it, and
    /// gives each that counts to `visit`. It ends early when the fuel is spent.
    pub(crate) fn judge_all<'q>(
        &mut self,
        candidate: &Value,
        reading: Reading<'_>,
        offered: impl Fn(&str) -> &'q [String],
        is_checked: impl Fn(&str) -> bool,
        mut visit: impl FnMut(Leaf<'_>, Verdict),
    ) {
        self.each_leaf(candidate, |grounder, leaf, place| {
            if !is_checked(leaf.pointer) {
                return;
            }
            if let Some(verdict) = grounder.judge(leaf.value, place, offered(leaf.pointer), reading) {
                visit(leaf, verdict);
            }
        });
    }

    /// Every string that is not blank, number and truth value, with its place.
    fn each_leaf(&mut self, candidate: &Value, visit: impl FnMut(&mut Self, Leaf<'_>, &LeafContext<'_>)) {
        let mut pointer = std::mem::take(&mut self.scratch.pointer);
        pointer.clear();
        let mut walk = Walk { grounder: self, pointer: &mut pointer, met: 0, visit };
        walk.value(candidate, &LeafContext::top());
        self.scratch.pointer = pointer;
    }
}

struct Walk<'w, 'g, V> {
    grounder: &'w mut Grounder<'g>,
    pointer: &'w mut String,
    /// How many keys and labels were met: those of the next object follow.
    met: usize,
    visit: V,
}

impl<'g, V: FnMut(&mut Grounder<'g>, Leaf<'_>, &LeafContext<'_>)> Walk<'_, 'g, V> {
    fn value(&mut self, value: &Value, place: &LeafContext<'_>) {
        if !self.grounder.fuel.spend(1) {
            return;
        }
        match value {
            Value::Object(fields) => {
                let first = self.met;
                self.met += 1 + fields.len();
                let name = self.grounder.scratch.keys.met(first);
                let own = (name != NONE)
                    .then(|| self.grounder.scratch.keys.label(fields, first + 1, self.grounder.vocabulary))
                    .flatten();
                // The candidate itself is no place.
                let outer = if self.pointer.is_empty() { None } else { Some(place) };
                let label = own.map(|text| Label { text, name }).or(outer.and_then(|outer| outer.label));
                let unit = unit_beside(fields).and_then(unit_of_phrase);
                for (at, (key, value)) in fields.iter().enumerate() {
                    if value.is_null() {
                        self.grounder.fuel.spend(1);
                        continue;
                    }
                    self.within(key, |walk| {
                        let Grounder { vocabulary, fuel, .. } = *walk.grounder;
                        let keys = &mut walk.grounder.scratch.keys;
                        let mut place = LeafContext {
                            key,
                            name: keys.met(first + 1 + at),
                            outer,
                            label,
                            unit,
                            id: NONE,
                            is_of_several: place.is_of_several,
                        };
                        place.id = keys.place(&place, vocabulary, fuel);
                        walk.value(value, &place);
                    });
                }
            }
            Value::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    let mut digits = [0; 20];
                    let index = write_index(i, &mut digits);
                    let is_of_several = place.is_of_several || (items.len() > 1 && item.is_object());
                    let place = LeafContext { is_of_several, ..*place };
                    self.within(index, |walk| walk.value(item, &place));
                }
            }
            Value::String(text) if is_blank(text) => {}
            Value::String(_) | Value::Number(_) | Value::Bool(_) => {
                (self.visit)(self.grounder, Leaf { pointer: self.pointer, value }, place);
            }
            Value::Null => {}
        }
    }

    /// Runs `then` with one more step in the pointer.
    fn within(&mut self, step: &str, then: impl FnOnce(&mut Self)) {
        let len = self.pointer.len();
        push_segment(self.pointer, Segment::Key(step));
        then(self);
        self.pointer.truncate(len);
    }
}

fn write_index(index: usize, digits: &mut [u8; 20]) -> &str {
    let mut rest = index;
    let mut from = digits.len();
    for (at, slot) in digits.iter_mut().enumerate().rev() {
        *slot = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
        from = at;
        if rest == 0 {
            break;
        }
    }
    digits.get(from..).and_then(|digits| std::str::from_utf8(digits).ok()).unwrap_or_default()
}

/// What an object says the unit of its values is.
fn unit_beside(fields: &Map<String, Value>) -> Option<&str> {
    const KEYS: [&str; 3] = ["unit", "units", "unitOfMeasure"];
    // Going through the keys once is cheaper than three lookups, which digest each name.
    let said = fields.iter().filter(|(key, _)| key.starts_with("unit")).filter_map(|(key, value)| {
        let rank = KEYS.iter().position(|known| known == key)?;
        Some((rank, value.as_str()?))
    });
    said.min_by_key(|(rank, _)| *rank).map(|(_, text)| text).filter(|text| !is_blank(text))
}

/// What an object is about, if a key says so.
pub(super) fn label_of(fields: &Map<String, Value>, is_label: impl Fn(usize) -> bool) -> Option<&str> {
    fields.values().enumerate().find_map(|(at, value)| {
        let text = value.as_str()?;
        (text.len() <= LONGEST_LABEL && !is_blank(text) && is_label(at)).then_some(text)
    })
}
