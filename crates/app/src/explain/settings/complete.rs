//! The settings of a profile, all of them and in the order in which they are explained.

use crate::diag::{SourceFile, Span};
use crate::profile::{Profile, defaults};
use crate::stop::STOP;
use crate::value::shape::Mapping;
use crate::value::yaml::{Data, Entry, Node};

/// The origin of a setting that has a default and was removed.
const TAKEN_AWAY: &str = "taken away";

/// Adds removed settings, and brings the keys into their order.
pub(super) fn complete(root: &mut Node) {
    add_missing(root, &defaults());
    sort(root, Profile::mapping());
    if let Data::Map(entries) = &mut root.data {
        for entry in entries.iter_mut().filter(|entry| entry.key == "stop") {
            sort(&mut entry.value, &STOP);
        }
    }
}

/// Adds `null` for a setting that has a default and was removed, so that it stays so when the settings are read again.
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

/// Brings the keys of a mapping into the order in which they are declared; others come last, in their own order.
fn sort(node: &mut Node, declared: &Mapping) {
    if let Data::Map(entries) = &mut node.data {
        let place = |key: &str| declared.all_keys().position(|known| known.name == key).unwrap_or(usize::MAX);
        entries.sort_by_key(|entry| place(&entry.key));
    }
}
