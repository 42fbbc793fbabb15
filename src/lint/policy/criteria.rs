//! The stop criteria of a profile with their places, in the order in which they are looked at.

use super::view::{View, entry_of};
use crate::diag::Span;
use crate::profile::{Budget, Criterion, GroupMember};
use crate::value::yaml::{Data, Node};

/// A criterion and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    pub(super) criterion: Criterion,
    /// Its place in the profile, as decisions name it: `stop.any[0].timeout`.
    pub(super) path: String,
    pub(super) span: Span,
    /// When it is looked at: what has a lower number is looked at before, as in the decision table.
    pub(super) rank: usize,
    /// Whether it ends the loop by itself: it stands under `stop` or in `stop.any`, or is all that stands in a list.
    pub(super) alone: bool,
    /// The list all of whose members must fire, where it is in one: `stop.all`.
    pub(super) together: Option<String>,
}

impl Placed {
    /// Whether it stands under `stop` itself.
    pub(super) fn is_plain(&self) -> bool {
        self.rank < FIRST_OF_ANY
    }
}

/// Ranks of what is in groups.
const FIRST_OF_ANY: usize = 1_000;
const FIRST_OF_ALL: usize = 1_000_000;

/// Every criterion of a profile.
pub(super) fn criteria(view: &View<'_>) -> Vec<Placed> {
    let stop = &view.policy.stop;
    let mut found: Vec<Placed> = stop
        .before_rollback()
        .chain(stop.after_rollback())
        .filter(|criterion| !matches!(criterion, Criterion::Budget(budget) if *budget == Budget::default()))
        .map(|criterion| Placed {
            path: format!("stop.{}", key(&criterion)),
            span: view.key(&["stop", key(&criterion)]).clone(),
            rank: rank(&criterion),
            alone: true,
            together: None,
            criterion,
        })
        .collect();
    for (group, members, first) in [("any", &stop.any, FIRST_OF_ANY), ("all", &stop.all, FIRST_OF_ALL)] {
        let Some(entry) = view.entry(&["stop", group]) else { continue };
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
    fn members(&mut self, members: &[GroupMember], node: &Node, place: &str, together: Option<&String>) {
        let Data::List(items) = &node.data else { return };
        for (at, (member, item)) in members.iter().zip(items).enumerate() {
            let here = format!("{place}[{at}]");
            let inner = |key: &str| entry_of(item, key).map(|entry| &entry.value);
            match member {
                GroupMember::One(criterion) => {
                    let key = key(criterion);
                    self.found.push(Placed {
                        path: format!("{here}.{key}"),
                        span: entry_of(item, key).map_or(&item.span, |entry| &entry.key_span).clone(),
                        rank: self.next,
                        alone: together.is_none(),
                        together: together.cloned(),
                        criterion: criterion.clone(),
                    });
                    self.next += 1;
                }
                GroupMember::Any(members) => {
                    if let Some(node) = inner("any") {
                        // One of several ways for the list above to fire: nothing follows for the list.
                        let (start, within) = (self.found.len(), format!("{here}.any"));
                        self.members(members, node, &within, together);
                        for placed in self.found.iter_mut().skip(start) {
                            placed.together = placed.together.take().filter(|list| list.starts_with(&within));
                        }
                    }
                }
                GroupMember::All(members) => {
                    if let Some(node) = inner("all") {
                        let within = format!("{here}.all");
                        // A list with one member is that member.
                        let list = if members.len() > 1 { Some(&within) } else { together };
                        self.members(members, node, &within, list);
                    }
                }
            }
        }
    }
}

/// The key of a criterion in YAML.
pub(super) fn key(criterion: &Criterion) -> &'static str {
    match criterion {
        Criterion::MaxIterations(_) => "max_iterations",
        Criterion::MaxCorrections(_) => "max_corrections",
        Criterion::Unchanged => "unchanged",
        Criterion::Rollbacks(_) => "rollbacks",
        Criterion::Stagnation(_) => "stagnation",
        Criterion::MinImprovement(_) => "min_improvement",
        Criterion::Decline(_) => "decline",
        Criterion::Oscillation(_) => "oscillation",
        Criterion::FlipFlop(_) => "flip_flop",
        Criterion::Script(_) => "script",
        Criterion::Timeout(_) => "timeout",
        Criterion::Budget(_) => "budget",
    }
}

/// The line of the decision table, with what shares a line in order.
fn rank(criterion: &Criterion) -> usize {
    match criterion {
        Criterion::MaxIterations(_) => 40,
        Criterion::MaxCorrections(_) => 41,
        Criterion::Unchanged => 50,
        Criterion::Rollbacks(_) => 60,
        Criterion::Stagnation(_) => 70,
        Criterion::MinImprovement(_) => 80,
        Criterion::Decline(_) => 90,
        Criterion::Oscillation(_) => 100,
        Criterion::FlipFlop(_) => 110,
        Criterion::Script(_) => 120,
        Criterion::Timeout(_) => 130,
        Criterion::Budget(_) => 131,
    }
}

/// With how many candidates assessed a criterion can fire at the earliest.
pub(super) fn needs(criterion: &Criterion) -> u64 {
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    match criterion {
        Criterion::MaxIterations(limit) => *limit,
        Criterion::MaxCorrections(limit) => limit.saturating_add(1),
        Criterion::Unchanged => 2,
        // Candidate 0 is never rolled back: there is nothing better, and a missed gate ends the loop.
        Criterion::Rollbacks(limit) => limit.saturating_add(1),
        Criterion::Stagnation(stagnation) => count(stagnation.window),
        Criterion::MinImprovement(improvement) => count(improvement.patience).saturating_add(1),
        Criterion::Decline(length) => count(*length),
        // Two neighbouring differences make one change of direction.
        Criterion::Oscillation(oscillation) => count(oscillation.flips).saturating_add(2),
        // There and back is two changes.
        Criterion::FlipFlop(times) => times.saturating_mul(2).saturating_add(1),
        Criterion::Script(_) | Criterion::Timeout(_) | Criterion::Budget(_) => 1,
    }
}

/// The limit that ends a run first, with the number of candidates at which it does.
pub(super) fn limit(placed: &[Placed]) -> Option<(&Placed, u64)> {
    placed
        .iter()
        .filter(|p| p.is_plain())
        .filter(|p| matches!(p.criterion, Criterion::MaxIterations(_) | Criterion::MaxCorrections(_)))
        .map(|placed| (placed, needs(&placed.criterion)))
        .min_by_key(|(placed, most)| (*most, placed.rank))
}
