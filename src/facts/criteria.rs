//! The stop criteria of a profile with their places, in the order in which they are looked at.

use crate::diag::Span;
use crate::profile::StopCriteria;
use crate::stop::{Criterion, Kind};
use crate::value::yaml::{Data, Entry, Node};

/// A criterion and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    pub(crate) criterion: Criterion,
    /// Its place in the profile, as decisions name it: `stop.any[0].timeout`.
    pub(crate) path: String,
    pub(crate) span: Span,
    /// When it is looked at: what has a lower number is looked at before (`docs/how-the-loop-decides.md`).
    pub(crate) rank: usize,
    /// Whether it ends the loop by itself: it stands under `stop` or in `stop.any`, or is all that stands in a list.
    pub(crate) alone: bool,
    /// The list all of whose members must fire, where it is in one: `stop.all`.
    pub(crate) together: Option<String>,
}

impl Placed {
    /// Whether it stands under `stop` itself.
    pub(crate) fn is_plain(&self) -> bool {
        self.rank < FIRST_OF_ANY
    }
}

/// Ranks of what is in groups.
const FIRST_OF_ANY: usize = 1_000;
const FIRST_OF_ALL: usize = 1_000_000;

/// Every criterion of a profile, whose merged settings are `root`.
pub(crate) fn placed(stop: &StopCriteria, root: &Node) -> Vec<Placed> {
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
pub(crate) fn entry_of<'a>(node: &'a Node, key: &str) -> Option<&'a Entry> {
    match &node.data {
        Data::Map(entries) => entries.iter().find(|entry| entry.key == key),
        _ => None,
    }
}
