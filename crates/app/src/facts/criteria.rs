//! The stop criteria of a profile with their places, in the order in which they are checked.

use crate::diag::Span;
use crate::profile::StopCriteria;
use crate::stop::{Criterion, Kind};
use crate::value::yaml::{Data, Entry, Node};

/// A criterion and its place.
#[derive(Debug, Clone)]
pub struct Placed {
    /// The criterion itself, never a group.
    pub criterion: Criterion,
    /// Its place in the profile, as decisions name it: `stop.any[0].timeout`.
    pub path: String,
    /// The place of its key in the YAML source, or of what surrounds it if the key is not written there.
    pub span: Span,
    /// Its rank: criteria with a lower number are checked first (`docs/how-the-loop-decides.md`).
    pub rank: usize,
    /// `true` if it ends the loop by itself: it is under `stop` or in `stop.any`, or is the only member of a list.
    pub alone: bool,
    /// The list all of whose members must fire, where it is in one: `stop.all`.
    pub together: Option<String>,
}

impl Placed {
    /// Returns whether it is under `stop` itself.
    pub fn is_plain(&self) -> bool {
        self.rank < FIRST_OF_ANY
    }
}

/// Ranks of criteria in groups.
const FIRST_OF_ANY: usize = 1_000;
const FIRST_OF_ALL: usize = 1_000_000;

/// Every criterion of a profile, whose merged settings are `root`.
pub fn placed(stop: &StopCriteria, root: &Node) -> Vec<Placed> {
    let written = |key: &str| root.get("stop").and_then(|stop| entry_of(stop, key));
    let mut found: Vec<Placed> = stop
        .ungrouped()
        .enumerate()
        .map(|(rank, criterion)| Placed {
            path: format!("stop.{}", criterion.key()),
            span: written(criterion.key()).map_or(&root.span, |entry| &entry.key_span).clone(),
            rank,
            alone: true,
            together: None,
            criterion: criterion.clone(),
        })
        .collect();
    for (group, members, first) in [("any", stop.any(), FIRST_OF_ANY), ("all", stop.all(), FIRST_OF_ALL)] {
        let Some(entry) = written(group) else { continue };
        let place = format!("stop.{group}");
        let together = (group == "all" && members.len() > 1).then(|| place.clone());
        let mut collector = Collector { found: &mut found, next: first };
        collector.members(members, &entry.value, &place, together.as_ref());
    }
    found
}

struct Collector<'a> {
    found: &'a mut Vec<Placed>,
    next: usize,
}

impl Collector<'_> {
    fn members(&mut self, members: &[Criterion], node: &Node, place: &str, together: Option<&String>) {
        let Data::List(items) = &node.data else { return };
        for (at, (member, item)) in members.iter().zip(items).enumerate() {
            let here = format!("{place}[{at}]");
            let inner = |key: &str| entry_of(item, key).map(|entry| &entry.value);
            match member.kind() {
                Kind::Any(members) => {
                    if let Some(node) = inner("any") {
                        // One of several ways for the list above to fire: nothing follows for the list.
                        let (start, within) = (self.found.len(), format!("{here}.any"));
                        self.members(members, node, &within, together);
                        for placed in self.found.iter_mut().skip(start) {
                            placed.together = placed.together.take().filter(|list| list.starts_with(&within));
                        }
                    }
                }
                Kind::All(members) => {
                    if let Some(node) = inner("all") {
                        let within = format!("{here}.all");
                        // A list with one member is that member.
                        let list = if members.len() > 1 { Some(&within) } else { together };
                        self.members(members, node, &within, list);
                    }
                }
                Kind::Rule(_) => {
                    let key = member.key();
                    self.found.push(Placed {
                        path: format!("{here}.{key}"),
                        span: entry_of(item, key).map_or(&item.span, |entry| &entry.key_span).clone(),
                        rank: self.next,
                        alone: together.is_none(),
                        together: together.cloned(),
                        criterion: member.clone(),
                    });
                    self.next += 1;
                }
            }
        }
    }
}

/// The entry under a key, if `node` is a mapping that has it.
pub fn entry_of<'a>(node: &'a Node, key: &str) -> Option<&'a Entry> {
    match &node.data {
        Data::Map(entries) => entries.iter().find(|entry| entry.key == key),
        _ => None,
    }
}
