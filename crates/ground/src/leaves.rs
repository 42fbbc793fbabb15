//! The leaves of a record, and the lists that they lie in.

use crate::document::Document;
use crate::find::{Kind, Place, is_absent, kind, places};
use serde_json::Value;
use std::collections::HashMap;

/// Deepest nesting, and most leaves of a record, that are read.
const DEPTH: usize = 64;
const MOST: usize = 20_000;

/// One value of a record.
#[derive(Debug)]
pub(crate) struct RecordLeaf<'a> {
    /// Its JSON Pointer.
    pub(crate) pointer: String,
    /// The pointer with `*` for each index.
    pub(crate) path: String,
    pub(crate) kind: Kind,
    pub(crate) value: &'a Value,
    pub(crate) places: Vec<Place>,
    /// The document has it in no spelling.
    pub(crate) is_absent: bool,
}

/// One list of a record: what its items hold.
#[derive(Debug, Default)]
pub(crate) struct RecordList {
    /// The leaves of each item, as numbers; those of lists within an item, too.
    pub(crate) items: Vec<Vec<usize>>,
    /// The list and item that it lies in.
    pub(crate) outer: Option<(usize, usize)>,
}

/// A record taken apart.
#[derive(Debug, Default)]
pub(crate) struct FlatRecord<'a> {
    pub(crate) leaves: Vec<RecordLeaf<'a>>,
    /// Outer lists come before those within.
    pub(crate) lists: Vec<RecordList>,
    /// The innermost list of each leaf, and the item.
    pub(crate) item_of: Vec<Option<(usize, usize)>>,
}

impl<'a> FlatRecord<'a> {
    pub(crate) fn read(record: &'a Value, document: &Document) -> Self {
        let mut found = FlatRecord::default();
        let mut known = HashMap::new();
        found.walk(
            record,
            document,
            &mut LeafWalk { pointer: String::new(), path: String::new(), within: Vec::new() },
            &mut known,
        );
        found
    }

    fn walk(
        &mut self,
        value: &'a Value,
        document: &Document,
        walk: &mut LeafWalk,
        known: &mut HashMap<String, (Vec<Place>, bool)>,
    ) {
        if walk.depth() > DEPTH || self.leaves.len() >= MOST {
            return;
        }
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    walk.within(&escaped(key), &escaped(key), |walk| {
                        self.walk(member, document, walk, known)
                    });
                }
            }
            Value::Array(items) => {
                let list = self.lists.len();
                self.lists.push(RecordList {
                    items: vec![Vec::new(); items.len()],
                    outer: walk.within.last().copied(),
                });
                for (index, item) in items.iter().enumerate() {
                    walk.within.push((list, index));
                    walk.within(&index.to_string(), "*", |walk| self.walk(item, document, walk, known));
                    walk.within.pop();
                }
            }
            Value::Null | Value::Bool(_) => {}
            Value::Number(_) | Value::String(_) => {
                let Some(kind) = kind(value) else { return };
                let (places, is_absent) = known
                    .entry(value.to_string())
                    .or_insert_with(|| {
                        let places = places(document, value);
                        let is_absent = places.is_empty() && is_absent(document, value);
                        (places, is_absent)
                    })
                    .clone();
                let number = self.leaves.len();
                for (list, item) in &walk.within {
                    if let Some(item) = self.lists.get_mut(*list).and_then(|list| list.items.get_mut(*item)) {
                        item.push(number);
                    }
                }
                self.item_of.push(walk.within.last().copied());
                self.leaves.push(RecordLeaf {
                    pointer: walk.pointer.clone(),
                    path: walk.path.clone(),
                    kind,
                    value,
                    places,
                    is_absent,
                });
            }
        }
    }
}

struct LeafWalk {
    pointer: String,
    path: String,
    within: Vec<(usize, usize)>,
}

impl LeafWalk {
    fn depth(&self) -> usize {
        self.pointer.bytes().filter(|byte| *byte == b'/').count()
    }

    fn within(&mut self, step: &str, general: &str, then: impl FnOnce(&mut Self)) {
        let lengths = (self.pointer.len(), self.path.len());
        self.pointer.push('/');
        self.pointer.push_str(step);
        self.path.push('/');
        self.path.push_str(general);
        then(self);
        self.pointer.truncate(lengths.0);
        self.path.truncate(lengths.1);
    }
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
