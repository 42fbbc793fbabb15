//! The top-level fields of a candidate, each in the slot that the program has for it.

use super::field_trie::FieldTrie;
use super::program::Index;
use crate::value::{Fuel, Item, JsonPath, Pointer, ReadNode};
use serde_json::Value;
use std::num::NonZero;

/// With this many members for each slot, looking up each name in a candidate takes less time than looking up each
/// member in the slots.
const MANY: usize = 4;

/// The value of a candidate in each slot.
#[derive(Debug)]
pub(crate) enum FieldSlots<'c> {
    /// The candidate is a tree.
    Tree(Vec<Option<&'c Value>>),
    /// The candidate was read from text, into these nodes.
    Read(&'c [ReadNode<'c>], &'c ReadSlots),
}

/// The positions of each slot's field among the nodes of a candidate that was read from text.
#[derive(Debug)]
pub(crate) struct ReadSlots {
    places: Vec<Option<NonZero<usize>>>,
    /// Names of members that have no slot.
    others: Vec<Box<str>>,
}

impl ReadSlots {
    pub(crate) fn new(fields: &FieldTrie) -> Self {
        ReadSlots { places: vec![None; fields.count()], others: Vec::new() }
    }

    /// Sets the position of a field; returns whether it was somewhere else before. No field is at the position of the
    /// candidate itself, 0.
    pub(crate) fn set(&mut self, slot: Index, node: usize) -> bool {
        let place = self.places.get_mut(slot as usize);
        place.is_some_and(|place| std::mem::replace(place, NonZero::new(node)).is_some())
    }

    /// Notes the name of a member that has no slot.
    pub(crate) fn add_other(&mut self, name: &str) {
        self.others.push(name.into());
    }

    /// Looks for all fields anew, by their names.
    pub(crate) fn find_again(&mut self, fields: &FieldTrie, nodes: &[ReadNode<'_>], own: usize) {
        for at in members_of(nodes, own) {
            let name = nodes.get(at).and_then(|node| node.key.as_deref());
            if let Some(slot) = name.and_then(|name| fields.slot(name)) {
                self.set(slot, at);
            }
        }
    }
}

/// Room for the slots of trees, kept between candidates.
#[derive(Debug, Default)]
pub(crate) struct SlotRoom(Vec<Option<&'static Value>>);

impl<'c> FieldSlots<'c> {
    /// Goes through the members of `candidate` once, or looks its fields up if nearly all members are none of them.
    pub(crate) fn of_tree(candidate: &'c Value, fields: &FieldTrie, room: &mut SlotRoom) -> Self {
        let mut values: Vec<Option<&'c Value>> = std::mem::take(&mut room.0);
        values.clear();
        values.resize(fields.count(), None);
        if let Value::Object(members) = candidate {
            if members.len() > MANY * fields.count() {
                for (name, place) in fields.names().zip(&mut values) {
                    *place = members.get(name);
                }
            } else {
                for (name, value) in members {
                    let place = fields.slot(name).and_then(|slot| values.get_mut(slot as usize));
                    if let Some(place) = place {
                        *place = Some(value);
                    }
                }
            }
        }
        FieldSlots::Tree(values)
    }

    /// The field in a slot.
    #[inline]
    pub(crate) fn get(&self, slot: Index) -> Option<Item<'c>> {
        match self {
            FieldSlots::Tree(values) => values.get(slot as usize).copied().flatten().map(Item::from),
            FieldSlots::Read(nodes, places) => {
                let place = places.places.get(slot as usize).copied().flatten()?;
                Item::read(nodes.get(place.get()..)?)
            }
        }
    }

    /// The names of the members of a candidate, which is this tree if it is one.
    pub(crate) fn names<'n>(&'n self, fields: &'n FieldTrie, tree: Option<&'n Value>) -> Vec<&'n str> {
        match (self, tree) {
            (FieldSlots::Read(_, slots), _) => {
                let own = fields.names().zip(&slots.places).filter(|(_, place)| place.is_some());
                own.map(|(name, _)| name).chain(slots.others.iter().map(|name| &**name)).collect()
            }
            (FieldSlots::Tree(_), Some(Value::Object(members))) => {
                members.keys().map(String::as_str).collect()
            }
            (FieldSlots::Tree(_), _) => Vec::new(),
        }
    }

    /// Calls `visit` with each value that a path from the candidate selects; the fields that it begins with have these slots.
    pub(crate) fn select(
        &self,
        candidate: Item<'c>,
        path: &JsonPath,
        slots: &[Index],
        fuel: &Fuel,
        visit: &mut dyn FnMut(&Pointer<'_>, Item<'c>),
    ) {
        if slots.is_empty() {
            return path.visit(candidate, fuel, visit);
        }
        for (name, slot) in path.first_names().zip(slots) {
            if let Some(field) = self.get(*slot) {
                path.visit_below(name, field, fuel, visit);
            }
        }
    }

    /// Gives the room back. An emptied vector that is collected into one of the same layout keeps its memory.
    pub(crate) fn end(self, room: &mut SlotRoom) {
        if let FieldSlots::Tree(mut values) = self {
            values.clear();
            room.0 = values.into_iter().map(|_| None).collect();
        }
    }
}

/// The positions of the members of the last mapping, which was begun at `own`.
pub(crate) fn members_of(nodes: &[ReadNode<'_>], own: usize) -> impl Iterator<Item = usize> {
    let mut next = own + 1;
    std::iter::from_fn(move || {
        let at = next;
        next += 1 + nodes.get(at)?.below;
        Some(at)
    })
}
