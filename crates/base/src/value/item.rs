//! Values of a candidate, wherever they are: in a tree, or read from text as far as they are inspected.

use super::candidate::canonical;
use super::decimal::compare_numbers;
use super::pointer::{Pointer, Segment};
use serde_json::{Map, Number, Value};
use std::borrow::Cow;
use std::cmp::Ordering;

/// Objects up to this size are searched through: hashing a name takes longer.
const SEARCHED: usize = 8;

/// A value.
#[derive(Debug, Clone, Copy)]
pub enum Item<'v> {
    /// `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number, as precise as it is written.
    Number(&'v Number),
    /// A string.
    Text(&'v str),
    /// A list.
    List(Branch<'v>),
    /// A mapping.
    Map(Branch<'v>),
}

/// A list or mapping.
#[derive(Debug, Clone, Copy)]
pub enum Branch<'v> {
    /// In a tree: the list or mapping itself.
    Tree(&'v Value),
    /// Read from text: its node, and what was kept below it.
    Read(&'v [ReadNode<'v>]),
}

/// A value that was read from text. What was kept of a list or mapping follows it, in the order of the text.
#[derive(Debug)]
pub struct ReadNode<'t> {
    /// The name, in a mapping; `None` in a list.
    pub key: Option<Cow<'t, str>>,
    /// The value; of a list or mapping only the counts.
    pub value: ReadValue<'t>,
    /// The number of following nodes that are below it.
    pub below: usize,
}

/// The kind of a [`ReadNode`], with the value of a scalar.
#[derive(Debug)]
pub enum ReadValue<'t> {
    /// `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number, as precise as it is written.
    Number(Number),
    /// A string, borrowed where it has no escapes.
    Text(Cow<'t, str>),
    /// A list.
    List {
        /// The number of its elements.
        count: usize,
        /// The number of those that are present ([`super::is_present`]).
        present: usize,
    },
    /// A mapping.
    Map {
        /// The number of its members.
        count: usize,
        /// The number of those that are present ([`super::is_present`]).
        present: usize,
    },
}

impl<'v> From<&'v Value> for Item<'v> {
    #[inline]
    fn from(value: &'v Value) -> Self {
        match value {
            Value::Null => Item::Null,
            Value::Bool(b) => Item::Bool(*b),
            Value::Number(number) => Item::Number(number),
            Value::String(text) => Item::Text(text),
            Value::Array(_) => Item::List(Branch::Tree(value)),
            Value::Object(_) => Item::Map(Branch::Tree(value)),
        }
    }
}

impl<'v> Item<'v> {
    /// The first of some nodes.
    #[inline]
    pub fn read(nodes: &'v [ReadNode<'v>]) -> Option<Self> {
        let node = nodes.first()?;
        Some(match &node.value {
            ReadValue::Null => Item::Null,
            ReadValue::Bool(b) => Item::Bool(*b),
            ReadValue::Number(number) => Item::Number(number),
            ReadValue::Text(text) => Item::Text(text),
            ReadValue::List { .. } => Item::List(Branch::Read(nodes.get(..=node.below)?)),
            ReadValue::Map { .. } => Item::Map(Branch::Read(nodes.get(..=node.below)?)),
        })
    }

    /// The string, `None` for anything else.
    #[inline]
    pub fn as_text(self) -> Option<&'v str> {
        if let Item::Text(text) = self { Some(text) } else { None }
    }

    /// The list or mapping as it is in a tree.
    pub fn tree(self) -> Option<&'v Value> {
        match self {
            Item::List(Branch::Tree(value)) | Item::Map(Branch::Tree(value)) => Some(value),
            _ => None,
        }
    }

    /// The member of a mapping with this name.
    #[inline]
    pub fn member(self, name: &str) -> Option<Item<'v>> {
        let Item::Map(branch) = self else { return None };
        match branch {
            Branch::Tree(Value::Object(members)) => Some(member(members, name)?.into()),
            Branch::Tree(_) => None,
            Branch::Read(_) => {
                branch.children().find(|(segment, _)| *segment == Segment::Key(name)).map(|(_, value)| value)
            }
        }
    }

    /// The element of a list at this position.
    pub fn element(self, position: usize) -> Option<Item<'v>> {
        let Item::List(branch) = self else { return None };
        match branch {
            Branch::Tree(value) => value.get(position).map(Item::from),
            Branch::Read(_) => branch.children().nth(position).map(|(_, value)| value),
        }
    }

    /// The elements of a list; none for anything else.
    pub fn elements(self) -> impl Iterator<Item = Item<'v>> {
        let children = if let Item::List(branch) = self { branch.children() } else { Children::None };
        children.map(|(_, value)| value)
    }

    /// The value that a pointer leads to, if there is one.
    pub fn at(self, pointer: &Pointer<'_>) -> Option<Item<'v>> {
        let above = pointer.parent().map_or(Some(self), |parent| self.at(parent))?;
        match pointer.last() {
            None => Some(above),
            Some(Segment::Key(key)) => above.member(key),
            Some(Segment::Index(index)) => above.element(index),
        }
    }

    /// The value on its own. If it was read in part, only what was kept.
    pub fn to_value(self) -> Value {
        match self {
            Item::Null => Value::Null,
            Item::Bool(b) => Value::Bool(b),
            Item::Number(number) => Value::Number(number.clone()),
            Item::Text(text) => Value::from(text),
            Item::List(Branch::Tree(value)) | Item::Map(Branch::Tree(value)) => value.clone(),
            Item::List(branch) => branch.children().map(|(_, value)| value.to_value()).collect(),
            Item::Map(branch) => {
                let member = |(segment, value): (Segment<'_>, Item<'_>)| match segment {
                    Segment::Key(key) => (key.to_owned(), value.to_value()),
                    Segment::Index(index) => (index.to_string(), value.to_value()),
                };
                branch.children().map(member).collect::<Map<_, _>>().into()
            }
        }
    }

    /// One text for all that are equal.
    pub fn canonical(self) -> String {
        match self.tree() {
            Some(value) => canonical(value),
            None => canonical(&self.to_value()),
        }
    }

    /// Returns whether it is equal as JSON, ignoring the case of texts if that is asked.
    #[inline]
    pub fn equals(self, other: Item<'_>, ignore_case: bool) -> bool {
        match (self, other) {
            (Item::Text(a), Item::Text(b)) => a == b || ignore_case && same_letters(a, b),
            (Item::Null, Item::Null) => true,
            (Item::Bool(a), Item::Bool(b)) => a == b,
            (Item::Number(a), Item::Number(b)) => compare_numbers(a, b) == Some(Ordering::Equal),
            (Item::List(a), Item::List(b)) => {
                let same = |((_, x), (_, y)): ((_, Item<'_>), (_, Item<'_>))| x.equals(y, ignore_case);
                a.len() == b.len() && a.children().zip(b.children()).all(same)
            }
            (Item::Map(a), Item::Map(b)) => {
                let same = |(segment, x): (Segment<'_>, Item<'_>)| match segment {
                    Segment::Key(key) => other.member(key).is_some_and(|y| x.equals(y, ignore_case)),
                    Segment::Index(_) => false,
                };
                a.len() == b.len() && a.children().all(same)
            }
            _ => false,
        }
    }
}

fn member<'v>(members: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    if members.len() > SEARCHED {
        return members.get(name);
    }
    members.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
}

fn same_letters(a: &str, b: &str) -> bool {
    if a.is_ascii() && b.is_ascii() {
        return a.eq_ignore_ascii_case(b);
    }
    a.chars().flat_map(char::to_lowercase).eq(b.chars().flat_map(char::to_lowercase))
}

impl<'v> Branch<'v> {
    /// The number of its elements or members.
    #[inline]
    pub fn len(self) -> usize {
        match self {
            Branch::Tree(Value::Array(items)) => items.len(),
            Branch::Tree(Value::Object(members)) => members.len(),
            Branch::Tree(_) => 0,
            Branch::Read(nodes) => match nodes.first().map(|node| &node.value) {
                Some(ReadValue::List { count, .. } | ReadValue::Map { count, .. }) => *count,
                _ => 0,
            },
        }
    }

    /// The elements of a list in a tree.
    #[inline]
    pub fn elements(self) -> Option<&'v [Value]> {
        match self {
            Branch::Tree(Value::Array(items)) => Some(items),
            _ => None,
        }
    }

    /// Its elements or members, as far as they were kept.
    #[inline]
    pub fn children(self) -> Children<'v> {
        match self {
            Branch::Tree(Value::Array(items)) => Children::Elements(items.iter().enumerate()),
            Branch::Tree(Value::Object(members)) => Children::Members(members.iter()),
            Branch::Tree(_) => Children::None,
            Branch::Read(nodes) => Children::Read { nodes: nodes.get(1..).unwrap_or_default(), position: 0 },
        }
    }
}

/// The elements of a list or the members of a mapping.
pub enum Children<'v> {
    /// None: the value is a scalar.
    None,
    /// The elements of a list in a tree.
    Elements(std::iter::Enumerate<std::slice::Iter<'v, Value>>),
    /// The members of a mapping in a tree.
    Members(serde_json::map::Iter<'v>),
    /// Of a value that was read from text.
    Read {
        /// The nodes that are left.
        nodes: &'v [ReadNode<'v>],
        /// The position of the next element.
        position: usize,
    },
}

impl<'v> Iterator for Children<'v> {
    type Item = (Segment<'v>, Item<'v>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Children::None => None,
            Children::Elements(items) => items.next().map(|(at, item)| (Segment::Index(at), item.into())),
            Children::Members(members) => {
                members.next().map(|(key, value)| (Segment::Key(key), value.into()))
            }
            Children::Read { nodes, position } => {
                let value = Item::read(nodes)?;
                let node = nodes.first()?;
                let segment = match &node.key {
                    Some(key) => Segment::Key(key),
                    None => Segment::Index(*position),
                };
                *nodes = nodes.get(1 + node.below..).unwrap_or_default();
                *position += 1;
                Some((segment, value))
            }
        }
    }
}
