//! The positions of the lines that decisions name.

use super::criteria::entry_of;
use super::origin::Origin;
use crate::value::yaml::{Data, Node};

/// The position of a decision's line in a profile's merged settings: `accept.overall`, `gate`,
/// `stop.any[0].budget.calls`. `None` for a line that the profile implies without writing it.
pub fn place_of_line(root: &Node, line: &str) -> Option<Origin> {
    // A dimension's name may have dots in it.
    if let Some(name) = line.strip_prefix("accept.") {
        return entry_of(root.get("accept")?, name).map(|entry| Origin::of(&entry.value));
    }
    let mut node = root;
    for part in line.split('.') {
        let (key, index) = match part.strip_suffix(']').and_then(|part| part.split_once('[')) {
            Some((key, index)) => (key, index.parse::<usize>().ok()),
            None => (part, None),
        };
        node = &entry_of(node, key)?.value;
        if let (Some(index), Data::List(items)) = (index, &node.data) {
            node = items.get(index)?;
        }
    }
    Some(Origin::of(node))
}
