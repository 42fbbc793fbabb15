//! Reads the parts of a candidate's text that a program inspects, in one pass and without a tree.
//!
//! The rest is skipped, which still finds malformed text, nesting that is too deep, and invalid numbers. Of members
//! with the same name the last one counts, at the position of the first, as in a tree.

use super::assessor::Scoring;
use crate::rules::{FieldTrie, Program, ReadSlots, TrieNode, members_of};
use crate::value::{ReadNode, ReadValue, is_blank};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

/// Mappings up to this size are searched for names that occur twice.
const SEARCHED: usize = 12;

/// A candidate as far as it was read, with the purpose of the reading: only for that can it be scored.
#[derive(Debug)]
pub(super) struct ReadCandidate<'t> {
    pub(super) scoring: Arc<Scoring>,
    pub(super) program: Arc<Program>,
    pub(super) form: Form<'t>,
}

#[derive(Debug)]
pub(super) enum Form<'t> {
    /// A part of the program needs a tree.
    Tree(Value),
    /// The candidate, and what was kept below it.
    Read { nodes: Vec<ReadNode<'t>>, slots: ReadSlots },
}

/// Reads a candidate from any deserializer: from a text of its own, or from its position within a larger one.
#[derive(Debug)]
pub(super) struct CandidateReader {
    scoring: Arc<Scoring>,
    program: Arc<Program>,
    as_tree: bool,
}

impl CandidateReader {
    pub(super) fn new(scoring: &Arc<Scoring>, program: &Arc<Program>, as_tree: bool) -> Self {
        // Superfluous members are named wherever they are.
        let looks_below = || scoring.screen().is_closed_below && !program.is_held_against_a_schema();
        let as_tree = as_tree || program.fields.is_tree_needed() || looks_below();
        CandidateReader { scoring: Arc::clone(scoring), program: Arc::clone(program), as_tree }
    }
}

impl<'de> DeserializeSeed<'de> for CandidateReader {
    type Value = ReadCandidate<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let CandidateReader { scoring, program, as_tree } = self;
        let form = if as_tree {
            Form::Tree(Value::deserialize(deserializer)?)
        } else {
            let fields = &program.fields;
            let mut nodes = Vec::with_capacity(2 * fields.count() + 1);
            let mut slots = ReadSlots::new(fields);
            let root = NodeReader { into: &mut nodes, key: None, looked: Looked::At(fields.root()) };
            deserializer.deserialize_any(RootReader { node: root, fields, slots: &mut slots })?;
            Form::Read { nodes, slots }
        };
        Ok(ReadCandidate { scoring, program, form })
    }
}

/// The parts of a value that are inspected.
#[derive(Clone, Copy)]
enum Looked<'a> {
    At(&'a TrieNode),
    Whole,
}

impl<'a> Looked<'a> {
    fn at(node: &'a TrieNode) -> Self {
        if node.is_whole() { Looked::Whole } else { Looked::At(node) }
    }

    fn element(self) -> Option<Self> {
        match self {
            Looked::At(node) => node.each().map(Looked::at),
            Looked::Whole => Some(Looked::Whole),
        }
    }

    fn member(self, name: &str) -> Option<Self> {
        match self {
            Looked::At(node) => node.member(name).map(Looked::at),
            Looked::Whole => Some(Looked::Whole),
        }
    }
}

/// Keeps one value.
struct NodeReader<'a, 't> {
    into: &'a mut Vec<ReadNode<'t>>,
    key: Option<Cow<'t, str>>,
    looked: Looked<'a>,
}

impl<'t> NodeReader<'_, 't> {
    fn keep(self, value: ReadValue<'t>) {
        self.into.push(ReadNode { key: self.key, value, below: 0 });
    }
}

impl<'t> DeserializeSeed<'t> for NodeReader<'_, 't> {
    type Value = ();

    fn deserialize<D: Deserializer<'t>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'t> Visitor<'t> for NodeReader<'_, 't> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.keep(ReadValue::Null);
        Ok(())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.keep(ReadValue::Bool(value));
        Ok(())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.keep(ReadValue::Number(value.into()));
        Ok(())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.keep(ReadValue::Number(value.into()));
        Ok(())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        self.keep(Number::from_f64(value).map_or(ReadValue::Null, ReadValue::Number));
        Ok(())
    }

    fn visit_borrowed_str<E: Error>(self, value: &'t str) -> Result<(), E> {
        self.keep(ReadValue::Text(Cow::Borrowed(value)));
        Ok(())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        self.keep(ReadValue::Text(Cow::Owned(value.to_owned())));
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut elements: A) -> Result<(), A::Error> {
        let NodeReader { into, key, looked } = self;
        let own = into.len();
        into.push(ReadNode { key, value: ReadValue::Null, below: 0 });
        let (mut count, mut present) = (0, 0);
        match looked.element() {
            Some(looked) => {
                while elements
                    .next_element_seed(NodeReader { into: &mut *into, key: None, looked })?
                    .is_some()
                {
                    count += 1;
                }
                present = present_below(into, own);
            }
            None => {
                while let Some(is_present) = elements.next_element_seed(Pass)? {
                    count += 1;
                    present += usize::from(is_present);
                }
            }
        }
        close(into, own, ReadValue::List { count, present });
        Ok(())
    }

    fn visit_map<A: MapAccess<'t>>(self, mut members: A) -> Result<(), A::Error> {
        let NodeReader { into, key, looked } = self;
        let own = into.len();
        into.push(ReadNode { key, value: ReadValue::Null, below: 0 });
        let mut passed = PassedMembers::default();
        while let Some(name) = members.next_key_seed(Name)? {
            match looked.member(&name) {
                Some(looked) => {
                    members.next_value_seed(NodeReader { into: &mut *into, key: Some(name), looked })?;
                }
                None => passed.add(name, members.next_value_seed(Pass)?),
            }
        }
        settle_names(into, own);
        let map = passed.map_with(into, own);
        close(into, own, map);
        Ok(())
    }
}

/// Keeps the candidate itself, and the positions of its fields.
struct RootReader<'a, 't> {
    node: NodeReader<'a, 't>,
    fields: &'a FieldTrie,
    slots: &'a mut ReadSlots,
}

impl<'t> Visitor<'t> for RootReader<'_, 't> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.node.expecting(f)
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.node.visit_unit()
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.node.visit_bool(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.node.visit_u64(value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.node.visit_i64(value)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        self.node.visit_f64(value)
    }

    fn visit_borrowed_str<E: Error>(self, value: &'t str) -> Result<(), E> {
        self.node.visit_borrowed_str(value)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        self.node.visit_str(value)
    }

    fn visit_seq<A: SeqAccess<'t>>(self, elements: A) -> Result<(), A::Error> {
        self.node.visit_seq(elements)
    }

    fn visit_map<A: MapAccess<'t>>(self, mut members: A) -> Result<(), A::Error> {
        let RootReader { node: NodeReader { into, key, .. }, fields, slots } = self;
        let (own, each) = (into.len(), fields.root().each());
        into.push(ReadNode { key, value: ReadValue::Null, below: 0 });
        let (mut passed, mut is_twice) = (PassedMembers::default(), false);
        while let Some(name) = members.next_key_seed(Name)? {
            let slot = fields.slot(&name);
            match slot.and_then(|slot| fields.root().in_slot(slot)).or(each) {
                Some(node) => {
                    match slot {
                        Some(slot) => is_twice |= slots.set(slot, into.len()),
                        None => slots.add_other(&name),
                    }
                    let looked = Looked::at(node);
                    members.next_value_seed(NodeReader { into: &mut *into, key: Some(name), looked })?;
                }
                None => {
                    slots.add_other(&name);
                    passed.add(name, members.next_value_seed(Pass)?);
                }
            }
        }
        // If all members are kept, any of them may occur twice.
        if (is_twice || each.is_some()) && settle_names(into, own) > 0 {
            slots.find_again(fields, into, own);
        }
        let map = passed.map_with(into, own);
        close(into, own, map);
        Ok(())
    }
}

/// Completes the node of a list or mapping whose nodes have been read.
fn close<'t>(nodes: &mut [ReadNode<'t>], own: usize, value: ReadValue<'t>) {
    let below = nodes.len() - own - 1;
    if let Some(node) = nodes.get_mut(own) {
        node.value = value;
        node.below = below;
    }
}

/// The number of present elements or members of the last list or mapping, which was begun at `own`, among those that
/// were kept.
fn present_below(nodes: &[ReadNode<'_>], own: usize) -> usize {
    members_of(nodes, own).filter(|at| nodes.get(*at).is_some_and(ReadNode::is_present)).count()
}

/// The members of one mapping that are not inspected: their names, and whether their values are present.
#[derive(Default)]
struct PassedMembers<'t>(SmallVec<[(Cow<'t, str>, bool); SEARCHED]>);

impl<'t> PassedMembers<'t> {
    fn add(&mut self, name: Cow<'t, str>, is_present: bool) {
        self.0.push((name, is_present));
    }

    /// The number of members, and of those that are present. Of members with the same name the last one counts.
    fn count(&self) -> (usize, usize) {
        let PassedMembers(all) = self;
        let present = |count: usize, is_present: bool| count + usize::from(is_present);
        let is_last = |at: usize, name: &str| all.iter().skip(at + 1).all(|(later, _)| later != name);
        if all.len() <= SEARCHED {
            let last = all.iter().enumerate().filter(|(at, (name, _))| is_last(*at, name));
            return last
                .fold((0, 0), |(count, there), (_, (_, is_there))| (count + 1, present(there, *is_there)));
        }
        let by_name: HashMap<&str, bool, foldhash::fast::RandomState> =
            all.iter().map(|(name, is_present)| (name.as_ref(), *is_present)).collect();
        (by_name.len(), by_name.values().fold(0, |there, is_there| present(there, *is_there)))
    }

    /// The mapping that they and the members that were kept, below `own`, make up.
    fn map_with<'n>(&self, nodes: &[ReadNode<'_>], own: usize) -> ReadValue<'n> {
        let (count, present) = self.count();
        let kept = members_of(nodes, own).count();
        ReadValue::Map { count: count + kept, present: present + present_below(nodes, own) }
    }
}

/// Leaves of members with the same name the last one, at the place of the first. Returns how many were left out.
fn settle_names(nodes: &mut Vec<ReadNode<'_>>, own: usize) -> usize {
    if !has_names_twice(nodes, own) {
        return 0;
    }
    let positions: Vec<usize> = members_of(nodes, own).collect();
    let mut rest = nodes.split_off(own + 1).into_iter();
    let mut members: Vec<Vec<ReadNode<'_>>> = Vec::new();
    for (at, position) in positions.iter().enumerate() {
        let next = positions.get(at + 1).copied().unwrap_or(usize::MAX);
        let member: Vec<ReadNode<'_>> = rest.by_ref().take(next - position).collect();
        let name = member.first().map(|node| &node.key);
        match members.iter_mut().find(|known| known.first().map(|node| &node.key) == name) {
            Some(known) => *known = member,
            None => members.push(member),
        }
    }
    let left_out = positions.len() - members.len();
    nodes.extend(members.into_iter().flatten());
    left_out
}

fn has_names_twice(nodes: &[ReadNode<'_>], own: usize) -> bool {
    let names = || members_of(nodes, own).filter_map(|at| nodes.get(at)?.key.as_deref());
    let count = names().count();
    if count <= SEARCHED {
        return names().enumerate().any(|(at, name)| names().take(at).any(|before| before == name));
    }
    let mut seen = HashSet::with_capacity_and_hasher(count, foldhash::fast::RandomState::default());
    !names().all(|name| seen.insert(name))
}

/// Reads the name of a member.
struct Name;

impl<'t> DeserializeSeed<'t> for Name {
    type Value = Cow<'t, str>;

    fn deserialize<D: Deserializer<'t>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'t> Visitor<'t> for Name {
    type Value = Cow<'t, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string key")
    }

    fn visit_borrowed_str<E: Error>(self, name: &'t str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(name))
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(name.to_owned()))
    }
}

/// Skips a value, and reports whether it is present. `serde::de::IgnoredAny` would skip over invalid numbers, and over
/// any depth.
struct Pass;

impl<'t> DeserializeSeed<'t> for Pass {
    type Value = bool;

    fn deserialize<D: Deserializer<'t>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'t> Visitor<'t> for Pass {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<bool, E> {
        Ok(true)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<bool, E> {
        Ok(true)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<bool, E> {
        Ok(true)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<bool, E> {
        Ok(Number::from_f64(value).is_some())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<bool, E> {
        Ok(!is_blank(text))
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut elements: A) -> Result<bool, A::Error> {
        let mut any = false;
        while let Some(is_present) = elements.next_element_seed(Pass)? {
            any |= is_present;
        }
        Ok(any)
    }

    fn visit_map<A: MapAccess<'t>>(self, mut members: A) -> Result<bool, A::Error> {
        let mut passed = PassedMembers::default();
        while let Some(name) = members.next_key_seed(Name)? {
            passed.add(name, members.next_value_seed(Pass)?);
        }
        Ok(passed.count().1 > 0)
    }
}
