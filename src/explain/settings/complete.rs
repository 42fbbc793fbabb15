//! The settings of a profile, all of them and in the order in which they are explained.

use crate::diag::{SourceFile, Span};
use crate::profile::defaults;
use crate::value::yaml::{Data, Entry, Node};

/// The origin of a setting that has a default and was taken away.
const TAKEN_AWAY: &str = "taken away";

/// The keys of a profile in the order in which they are explained.
const PROFILE_ORDER: [&str; 25] = [
    "name",
    "description",
    "extends",
    "classify",
    "candidate",
    "pre_existing",
    "variables",
    "stages",
    "generate_once",
    "mask",
    "judges",
    "validators",
    "assess",
    "overall",
    "accept",
    "gate",
    "dispositions",
    "on_escalate",
    "on_regression",
    "stop",
    "select",
    "feedback",
    "repair",
    "network",
    "review",
];

/// The keys of `stop` in the order in which they are looked at.
const STOP_ORDER: [&str; 14] = [
    "max_iterations",
    "max_corrections",
    "unchanged",
    "rollbacks",
    "stagnation",
    "min_improvement",
    "decline",
    "oscillation",
    "flip_flop",
    "script",
    "timeout",
    "budget",
    "any",
    "all",
];

/// Adds what was taken away, and brings the keys into their order.
pub(super) fn complete(root: &mut Node) {
    add_missing(root, &defaults());
    sort(root, &PROFILE_ORDER);
    if let Data::Map(entries) = &mut root.data {
        for entry in entries.iter_mut().filter(|entry| entry.key == "stop") {
            sort(&mut entry.value, &STOP_ORDER);
        }
    }
}

/// Adds `null` for what has a default and was taken away, so that it is away, too, when the settings are read again.
fn add_missing(node: &mut Node, defaults: &Node) {
    let (Data::Map(entries), Data::Map(known)) = (&mut node.data, &defaults.data) else { return };
    for default in known {
        match entries.iter_mut().find(|entry| entry.key == default.key) {
            Some(entry) => add_missing(&mut entry.value, &default.value),
            None => entries.push(Entry {
                key: default.key.clone(),
                key_span: default.key_span.clone(),
                value: Node {
                    span: Span::new(&SourceFile::argument(TAKEN_AWAY, ""), 0, 0),
                    data: Data::Null,
                },
            }),
        }
    }
}

/// Brings the keys of a mapping into an order; others come last, as they stand.
fn sort(node: &mut Node, order: &[&str]) {
    if let Data::Map(entries) = &mut node.data {
        let place = |key: &str| order.iter().position(|known| *known == key).unwrap_or(order.len());
        entries.sort_by_key(|entry| place(&entry.key));
    }
}
