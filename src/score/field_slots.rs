//! The top-level fields of a candidate, each in the slot that the program has for it.

use crate::rules::{Index, Slots};
use serde_json::Value;

/// What a candidate has in each slot.
#[derive(Debug, Default)]
pub(super) struct FieldSlots<'c> {
    values: Vec<Option<&'c Value>>,
}

/// Room for slots, kept between candidates.
#[derive(Debug, Default)]
pub(super) struct SlotRoom {
    values: Vec<Option<&'static Value>>,
    /// The slots of the fields of the candidate before, in its order: the next one most likely has the same.
    order: Vec<Option<Index>>,
}

impl<'c> FieldSlots<'c> {
    /// Goes through the members of `candidate` once.
    pub(super) fn read(candidate: &'c Value, slots: &Slots, room: &mut SlotRoom) -> Self {
        let mut values: Vec<Option<&'c Value>> = std::mem::take(&mut room.values);
        values.clear();
        values.resize(slots.count(), None);
        let Value::Object(members) = candidate else { return FieldSlots { values } };
        room.order.resize(members.len(), None);
        for ((name, value), before) in members.iter().zip(&mut room.order) {
            let same = before.filter(|slot| slots.name(*slot).is_some_and(|known| **known == **name));
            *before = same.or_else(|| slots.of(name));
            if let Some(place) = before.and_then(|slot| values.get_mut(slot as usize)) {
                *place = Some(value);
            }
        }
        FieldSlots { values }
    }

    /// The field in a slot.
    pub(super) fn get(&self, slot: Index) -> Option<&'c Value> {
        self.values.get(slot as usize).copied().flatten()
    }

    /// Gives the room back. An emptied vector that is collected into one of the same layout keeps its memory.
    pub(super) fn end(self, room: &mut SlotRoom) {
        let mut values = self.values;
        values.clear();
        room.values = values.into_iter().map(|_| None).collect();
    }
}
