//! The top-level fields of a candidate, each in the slot that the program has for it.

use super::reader::members_of;
use crate::rules::{FieldTrie, Index};
use crate::value::{Fuel, Item, JsonPath, Pointer, ReadNode};
use serde_json::Value;
use std::num::NonZero;

/// What a candidate has in each slot.
#[derive(Debug, Default)]
pub(super) struct FieldSlots<'c> {
    values: Vec<Option<Item<'c>>>,
}

/// Where a candidate that was read from text has the field of each slot, among its nodes.
#[derive(Debug)]
pub(super) struct ReadSlots(Vec<Option<NonZero<usize>>>);

impl ReadSlots {
    pub(super) fn new(fields: &FieldTrie) -> Self {
        ReadSlots(vec![None; fields.count()])
    }

    /// Sets where a field is; whether it was somewhere else, too. No field is where the candidate itself is, at 0.
    pub(super) fn set(&mut self, slot: Index, node: usize) -> bool {
        let place = self.0.get_mut(slot as usize);
        place.is_some_and(|place| std::mem::replace(place, NonZero::new(node)).is_some())
    }

    /// Looks for all fields anew, by their names.
    pub(super) fn find_again(&mut self, fields: &FieldTrie, nodes: &[ReadNode<'_>], own: usize) {
        for at in members_of(nodes, own) {
            let name = nodes.get(at).and_then(|node| node.key.as_deref());
            if let Some(slot) = name.and_then(|name| fields.slot(name)) {
                self.set(slot, at);
            }
        }
    }
}

/// Room for slots, kept between candidates.
#[derive(Debug, Default)]
pub(super) struct SlotRoom {
    values: Vec<Option<Item<'static>>>,
}

impl<'c> FieldSlots<'c> {
    /// Goes through the members of `candidate` once.
    pub(super) fn of_tree(candidate: &'c Value, fields: &FieldTrie, room: &mut SlotRoom) -> Self {
        let mut slots = FieldSlots::empty(fields, room);
        if let Value::Object(members) = candidate {
            for (name, value) in members {
                if let Some(slot) = fields.slot(name) {
                    slots.set(slot, value.into());
                }
            }
        }
        slots
    }

    /// Takes the fields of a candidate that was read from text.
    pub(super) fn of_read(nodes: &'c [ReadNode<'c>], read: &ReadSlots, fields: &FieldTrie, room: &mut SlotRoom) -> Self {
        let mut slots = FieldSlots::empty(fields, room);
        for (value, place) in slots.values.iter_mut().zip(&read.0) {
            *value = place.and_then(|place| Item::read(nodes.get(place.get()..)?));
        }
        slots
    }

    fn empty(fields: &FieldTrie, room: &mut SlotRoom) -> Self {
        let mut values: Vec<Option<Item<'c>>> = std::mem::take(&mut room.values);
        values.clear();
        values.resize(fields.count(), None);
        FieldSlots { values }
    }

    fn set(&mut self, slot: Index, value: Item<'c>) {
        if let Some(place) = self.values.get_mut(slot as usize) {
            *place = Some(value);
        }
    }

    /// The field in a slot.
    pub(super) fn get(&self, slot: Index) -> Option<Item<'c>> {
        self.values.get(slot as usize).copied().flatten()
    }

    /// Calls `visit` with each value that a path from the candidate selects; the field that it begins with has this slot.
    pub(super) fn select(
        &self,
        candidate: Item<'c>,
        path: &JsonPath,
        slot: Option<Index>,
        fuel: &Fuel,
        visit: &mut dyn FnMut(&Pointer<'_>, Item<'c>),
    ) {
        match slot {
            Some(slot) => {
                if let Some(field) = self.get(slot) {
                    path.visit_below(field, fuel, visit);
                }
            }
            None => path.visit(candidate, fuel, visit),
        }
    }

    /// Gives the room back. An emptied vector that is collected into one of the same layout keeps its memory.
    pub(super) fn end(self, room: &mut SlotRoom) {
        let mut values = self.values;
        values.clear();
        room.values = values.into_iter().map(|_| None).collect();
    }
}
