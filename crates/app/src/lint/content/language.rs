//! Rule files as written: the things that each rule names, and their positions.

use crate::lint::nodes::one_or_more;
use crate::rules::CHECKS;
use crate::value::yaml::{Data, Node};

/// Keys that hold conditions or checks of their own.
const NESTED: [&str; 4] = ["when", "key", "value", "not"];
/// Keys that hold lists of conditions.
const LISTED: [&str; 2] = ["all", "any"];

/// Something in a rule that can be inspected by itself.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part<'n> {
    /// A field name or path, with the key that it is under.
    Reference(&'n str, &'n Node),
    /// The setting of `matches`.
    Matches(&'n Node),
}

/// The rules of a file.
pub(super) fn rules(root: &Node) -> &[Node] {
    match root.get("rules").map(|rules| &rules.data) {
        Some(Data::List(rules)) => rules,
        _ => &[],
    }
}

/// The texts of a list, or the one text.
pub(super) fn texts(node: Option<&Node>) -> Vec<&str> {
    node.map(one_or_more).unwrap_or_default().iter().filter_map(Node::as_text).collect()
}

/// Visits every part of a rule or condition.
pub(super) fn visit<'n>(node: &'n Node, see: &mut dyn FnMut(Part<'n>)) {
    let Data::Map(entries) = &node.data else { return };
    for entry in entries {
        let (key, value) = (entry.key.as_str(), &entry.value);
        match key {
            "each" => see(Part::Reference("each", value)),
            "matches" => see(Part::Matches(value)),
            "field" => references(key, value, see),
            _ if NESTED.contains(&key) => visit(value, see),
            _ if LISTED.contains(&key) => one_or_more(value).iter().for_each(|inner| visit(inner, see)),
            _ => {
                let check = CHECKS.iter().find(|check| check.key.name == key);
                if let Some(named) = check.and_then(|check| (check.named)(value)) {
                    references(key, named, see);
                }
            }
        }
    }
}

fn references<'n>(key: &'n str, node: &'n Node, see: &mut dyn FnMut(Part<'n>)) {
    for each in one_or_more(node) {
        if each.as_text().is_some() {
            see(Part::Reference(key, each));
        }
    }
}
