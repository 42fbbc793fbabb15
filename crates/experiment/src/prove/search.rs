//! Every run over the candidates, shortest first.

use super::Subject;
use super::candidates::{Candidate, Candidates};
use super::gap::Gap;
use super::walk::{Key, KeyRule, Walk};
use crate::policy::{Decision, Verdict};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// A candidate that was tried after a run, and the decision about it.
pub(super) struct Tried {
    pub walk: Walk,
    pub decision: Decision,
}

impl Tried {
    /// Returns whether the run continues.
    pub(super) fn goes_on(&self) -> bool {
        matches!(self.decision.verdict, Verdict::Continue { .. })
    }
}

/// Observes the outcome of each run.
pub(super) trait Observer {
    /// Takes the outcomes of every candidate after one run: `None` for those that can't come next.
    fn tried(&mut self, tried: &[Option<Tried>]);

    /// Returns whether a decision can't be made, so that continuing would show nothing.
    fn fails(&mut self, decision: &Decision) -> bool;
}

/// The extent of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Reach {
    /// Runs of up to so many candidates were all tried.
    pub depth: u64,
    /// `true` if that is all there are, over these candidates.
    pub complete: bool,
    /// Decisions that were made.
    pub decisions: u64,
    /// Runs that they represent: those that ended, and those that were followed as far as `depth`.
    pub histories: f64,
}

impl Reach {
    /// The gap that it leaves.
    pub(super) fn gap(&self, limit: u64) -> Option<Gap> {
        (!self.complete).then_some(Gap::Depth { candidates: self.depth, limit })
    }
}

/// Tries every run to this limit of candidates, as far as so many decisions go. The policy ends every run there, before
/// it evaluates any other criterion.
pub(super) fn search(
    subject: &Subject<'_>,
    candidates: &Candidates,
    rule: KeyRule,
    limit: u64,
    most: u64,
    observer: &mut impl Observer,
) -> Reach {
    let list: &[Candidate] = &candidates.list;
    let mut reach = Reach::default();
    // Runs that continue, each with the number of runs that it represents.
    let mut open: Vec<(Walk, f64)> = vec![(Walk::default(), 1.0)];
    for length in 1..=limit {
        let mut next: Vec<(Walk, f64)> = Vec::new();
        let mut known: HashMap<Key, usize, foldhash::fast::FixedState> = HashMap::default();
        // At the last position before the limit, no criterion but the limit itself is evaluated.
        let looks = length + 1 < limit;
        for (walk, stands_for) in &open {
            if reach.decisions.saturating_add(list.len() as u64) > most {
                reach.histories += next.iter().map(|(_, count)| count).sum::<f64>();
                return reach;
            }
            let mut tried: Vec<Option<Tried>> = Vec::with_capacity(list.len());
            for (number, candidate) in list.iter().enumerate() {
                let step = walk.step(subject, 0, number, candidate);
                if step.as_ref().is_some_and(|(_, decision)| observer.fails(decision)) {
                    return reach;
                }
                tried.push(step.map(|(walk, decision)| Tried { walk, decision }));
            }
            reach.decisions += tried.iter().flatten().count() as u64;
            observer.tried(&tried);
            for tried in tried.into_iter().flatten() {
                if !tried.goes_on() || length == limit {
                    reach.histories += stands_for;
                    continue;
                }
                let mut key = Key::new();
                rule.add(&tried.walk, subject, looks, &mut key);
                match known.entry(key) {
                    Entry::Occupied(at) => {
                        if let Some((_, count)) = next.get_mut(*at.get()) {
                            *count += stands_for;
                        }
                    }
                    Entry::Vacant(place) => {
                        place.insert(next.len());
                        next.push((tried.walk, *stands_for));
                    }
                }
            }
        }
        reach.depth = length;
        open = next;
        if open.is_empty() {
            break;
        }
    }
    reach.complete = true;
    reach
}
