//! Walking a candidate: its leaves, and what the keys and labels around each say about it.

use crate::value::{Segment, push_segment};
use serde_json::{Map, Value};

use super::evidence::write_words;
use super::names::{key_is, unit_in_key};
use super::words::{is_generic_key, is_label_key};
use super::{Grounder, Reading, Verdict};
#[cfg(test)]
use super::{Scratch, Settings, SourceIndex, Vocabulary};
use crate::score::quotes::Quotes;
#[cfg(test)]
use crate::value::Fuel;

/// Longest text that can be a label, in bytes.
const LONGEST_LABEL: usize = 80;

/// Where a leaf stands in the candidate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeafContext<'a> {
    /// The leaf's key; for the elements of an array, the array's.
    pub key: &'a str,
    /// The place of the object that holds it. None at the top.
    pub outer: Option<&'a LeafContext<'a>>,
    /// What a sibling (`name`, `test`, `marker`, …) says that the object is about.
    pub label: Option<&'a str>,
    /// The unit that a sibling gives.
    pub unit: Option<&'a str>,
    /// Whether it stands in one of several objects of a list.
    pub is_of_several: bool,
}

impl<'a> LeafContext<'a> {
    /// A field at the top of the candidate.
    #[must_use]
    pub(crate) fn top(key: &'a str) -> Self {
        Self { key, outer: None, label: None, unit: None, is_of_several: false }
    }

    /// The words of its key and of what is around it: the label, else the keys as far as each says nothing alone.
    pub(super) fn write_words(&self, into: &mut String) {
        if let Some(label) = self.label {
            write_words(label, into);
        }
        if let Some(outer) = self.outer {
            outer.write_words(into);
        }
        write_words(self.key, into);
    }

    pub(super) fn is_generic(&self) -> bool {
        key_is(self.key, is_generic_key)
    }

    pub(super) fn is_label(&self) -> bool {
        key_is(self.key, is_label_key)
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
        mut visit: impl FnMut(Leaf<'_>, Option<super::Match>),
    ) {
        let mut grounder = Grounder::new(candidate, vocabulary, source, settings, scratch, fuel);
        grounder.each_leaf(candidate, |grounder, leaf, place| {
            if !leaf.value.is_boolean() {
                let found = grounder.ground(leaf.value, place);
                visit(leaf, found);
            }
        });
    }

    /// Judges every leaf of `candidate` that `is_checked` takes, in document order, and gives each that counts to `visit`. It ends
    /// early when the fuel is spent.
    pub(crate) fn judge_all(
        &mut self,
        candidate: &Value,
        reading: Reading<'_>,
        quotes: Option<&Quotes>,
        is_checked: impl Fn(&str) -> bool,
        mut visit: impl FnMut(Leaf<'_>, Verdict),
    ) {
        self.each_leaf(candidate, |grounder, leaf, place| {
            if !is_checked(leaf.pointer) {
                return;
            }
            let offered = quotes.map_or(&[][..], |quotes| quotes.at(leaf.pointer));
            if let Some(verdict) = grounder.judge(leaf.value, place, offered, reading) {
                visit(leaf, verdict);
            }
        });
    }

    /// Every string that is not blank, number and truth value, with its place.
    fn each_leaf(&mut self, candidate: &Value, visit: impl FnMut(&mut Self, Leaf<'_>, &LeafContext<'_>)) {
        let mut pointer = std::mem::take(&mut self.scratch.pointer);
        pointer.clear();
        let mut walk = Walk { grounder: self, pointer: &mut pointer, visit };
        walk.value(candidate, &LeafContext::top(""));
        self.scratch.pointer = pointer;
    }
}

struct Walk<'w, 'g, V> {
    grounder: &'w mut Grounder<'g>,
    pointer: &'w mut String,
    visit: V,
}

impl<'g, V: FnMut(&mut Grounder<'g>, Leaf<'_>, &LeafContext<'_>)> Walk<'_, 'g, V> {
    fn value(&mut self, value: &Value, place: &LeafContext<'_>) {
        if !self.grounder.fuel.spend(1) {
            return;
        }
        match value {
            Value::Object(fields) => {
                let (label, unit) = (label_of(fields), text_at(fields, &["unit", "units", "unitOfMeasure"]));
                // The candidate itself is no place.
                let outer = if self.pointer.is_empty() { None } else { Some(place) };
                for (key, value) in fields {
                    self.within(key, |walk| {
                        walk.value(
                            value,
                            &LeafContext {
                                key,
                                outer,
                                label: label.or(if outer.is_some() { place.label } else { None }),
                                unit,
                                is_of_several: place.is_of_several,
                            },
                        )
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
            Value::String(text) if text.trim().is_empty() => {}
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

fn text_at<'a>(fields: &'a Map<String, Value>, keys: &[&str]) -> Option<&'a str> {
    keys.iter()
        .find_map(|key| fields.get(*key).and_then(Value::as_str))
        .filter(|text| !text.trim().is_empty())
}

/// What an object is about, if a key says so.
fn label_of(fields: &Map<String, Value>) -> Option<&str> {
    fields
        .iter()
        .find(|(key, value)| {
            value.as_str().is_some_and(|text| text.len() <= LONGEST_LABEL && !text.trim().is_empty())
                && key_is(key, is_label_key)
        })
        .and_then(|(_, value)| value.as_str())
}

/// Gives every key and label of a candidate to `learn`, but for the keys that say nothing.
pub(super) fn names(candidate: &Value, learn: &mut impl FnMut(&str)) {
    match candidate {
        Value::Object(fields) => {
            if let Some(label) = label_of(fields) {
                learn(label);
            }
            for (key, value) in fields {
                if !key_is(key, is_generic_key) && !key_is(key, is_label_key) {
                    learn(key);
                    if let Some((_, stem)) = unit_in_key(key) {
                        learn(stem);
                    }
                }
                names(value, learn);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| names(item, learn)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
