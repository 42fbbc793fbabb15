//! The locations in a candidate that a program inspects, as one tree of names.
//!
//! Each top-level field has a number, its slot, so that a candidate is traversed once and no name is looked up again.
//! Below the fields, the tree says what must be kept of a candidate that is read from text.

use super::name_table::NameTable;
use super::program::Index;
use crate::value::PathStep;
use std::sync::Arc;

/// The slots of the fields that a path begins with; none if it does not begin with names.
pub(super) type Slots = Arc<[Index]>;

/// The locations that a program inspects.
#[derive(Debug, Default)]
pub struct FieldTrie {
    root: TrieNode,
    slots: NameTable,
    needs_tree: bool,
}

/// The parts of one value that are inspected.
#[derive(Debug, Clone, Default)]
pub struct TrieNode {
    /// Members by name. Those of the root are in the order of their slots.
    members: Vec<(Arc<str>, TrieNode)>,
    /// All members or elements.
    each: Option<Box<TrieNode>>,
    /// Everything below it.
    whole: bool,
}

impl FieldTrie {
    /// The slot of a field, which gets one if it has none.
    pub(super) fn add_field(&mut self, name: &str) -> Index {
        Index::try_from(self.root.place_of(name)).unwrap_or(Index::MAX)
    }

    /// Notes that what some steps lead to is inspected, or with `whole` everything below it. Returns the slots of the
    /// fields that they begin with, if they begin with names.
    pub(super) fn add(&mut self, steps: &[PathStep], whole: bool) -> Slots {
        let slots = match steps.first() {
            Some(PathStep::Key(name)) => [self.add_field(name)].into(),
            Some(PathStep::Keys(names)) => names.iter().map(|name| self.add_field(name)).collect(),
            _ => Slots::default(),
        };
        self.root.add(steps, whole);
        slots
    }

    /// The slot of a field of which everything is inspected.
    pub(super) fn add_whole_field(&mut self, name: &str) -> Index {
        let slot = self.add_field(name);
        self.root.change_member(name, |member| member.whole = true);
        slot
    }

    /// Notes that something inspects candidates in a way that needs a tree.
    pub(super) fn needs_tree(&mut self) {
        self.needs_tree = true;
    }

    /// Completes the tree once all locations are there: what is inspected of every member is inspected of those with
    /// names, too.
    pub(super) fn close(&mut self) {
        self.root.close();
        self.slots = NameTable::new(self.root.members.iter().map(|(name, _)| name));
    }

    /// Returns whether a candidate must be a tree to be scored.
    #[must_use]
    pub fn is_tree_needed(&self) -> bool {
        self.needs_tree || self.root.whole
    }

    /// The inspected parts of the candidate itself.
    #[must_use]
    pub fn root(&self) -> &TrieNode {
        &self.root
    }

    /// The slot of a field, if the program inspects it.
    #[must_use]
    #[inline]
    pub fn slot(&self, name: &str) -> Option<Index> {
        self.slots.get(name)
    }

    /// The name of a field.
    #[must_use]
    pub fn name(&self, slot: Index) -> Option<&Arc<str>> {
        self.root.members.get(slot as usize).map(|(name, _)| name)
    }

    /// The names, in the order of their slots.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.root.members.iter().map(|(name, _)| name.as_ref())
    }

    /// The number of fields that have slots.
    #[must_use]
    pub fn count(&self) -> usize {
        self.root.members.len()
    }
}

impl TrieNode {
    fn add(&mut self, steps: &[PathStep], whole: bool) {
        let Some((step, rest)) = steps.split_first() else {
            self.whole |= whole;
            return;
        };
        match step {
            PathStep::Key(name) => self.change_member(name, |member| member.add(rest, whole)),
            PathStep::Keys(names) => {
                for name in names {
                    self.change_member(name, |member| member.add(rest, whole));
                }
            }
            PathStep::Index(_) | PathStep::Wildcard => self.each.get_or_insert_default().add(rest, whole),
        }
    }

    fn change_member(&mut self, name: &str, change: impl FnOnce(&mut TrieNode)) {
        let at = self.place_of(name);
        if let Some((_, member)) = self.members.get_mut(at) {
            change(member);
        }
    }

    fn place_of(&mut self, name: &str) -> usize {
        self.members.iter().position(|(known, _)| **known == *name).unwrap_or_else(|| {
            self.members.push((Arc::from(name), TrieNode::default()));
            self.members.len() - 1
        })
    }

    fn close(&mut self) {
        if let Some(each) = &mut self.each {
            each.close();
        }
        for (_, member) in &mut self.members {
            if let Some(each) = &self.each {
                member.merge(each);
            }
            member.close();
        }
    }

    fn merge(&mut self, other: &TrieNode) {
        self.whole |= other.whole;
        for (name, node) in &other.members {
            self.change_member(name, |member| member.merge(node));
        }
        if let Some(each) = &other.each {
            self.each.get_or_insert_default().merge(each);
        }
    }

    /// The inspected parts of a member.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&TrieNode> {
        self.members.iter().find(|(known, _)| **known == *name).map(|(_, node)| node).or(self.each())
    }

    /// The inspected parts of the field in a slot; of the root only.
    #[must_use]
    pub fn in_slot(&self, slot: Index) -> Option<&TrieNode> {
        self.members.get(slot as usize).map(|(_, node)| node)
    }

    /// The inspected parts of each member or element.
    #[must_use]
    pub fn each(&self) -> Option<&TrieNode> {
        self.each.as_deref()
    }

    /// Returns whether everything below it is inspected.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.whole
    }
}
