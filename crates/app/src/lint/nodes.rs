//! Parts of YAML files as written.

use crate::value::yaml::{Data, Entry, Node};

/// The entries of a mapping; none of anything else.
pub(crate) fn entries(node: Option<&Node>) -> impl Iterator<Item = &Entry> {
    match node.map(|node| &node.data) {
        Some(Data::Map(entries)) => entries.as_slice(),
        _ => &[],
    }
    .iter()
}

/// A list, or a single node that is short for a list of one.
pub(super) fn one_or_more(node: &Node) -> &[Node] {
    match &node.data {
        Data::List(items) => items,
        Data::Null => &[],
        _ => std::slice::from_ref(node),
    }
}
