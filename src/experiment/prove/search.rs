//! Every run over the candidates, shortest first.

use super::Subject;
use super::candidates::{Candidate, Candidates};
use super::walk::{Key, KeyRule, Walk};
use crate::policy::{Decision, Verdict};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// A candidate that was tried after a run, and what came of it.
pub(super) struct Tried {
    pub walk: Walk,
    pub decision: Decision,
}

impl Tried {
    /// Whether the run goes on.
    pub(super) fn goes_on(&self) -> bool {
        matches!(self.decision.verdict, Verdict::Continue { .. })
    }
}

/// Looks at what comes of each run.
pub(super) trait Observer {
    /// Every candidate that can come next was tried after one run: `None` for those that can't.
    fn tried(&mut self, tried: &[Option<Tried>]);
}

/// How many candidates runs have at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Depth {
    pub candidates: u64,
    /// Whether the policy ends every run there, before it looks at any other criterion.
    pub is_limit: bool,
}

/// How far the search came.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Reach {
    /// Runs of up to so many candidates were all tried.
    pub depth: u64,
    /// Whether that is all there are.
    pub complete: bool,
    /// Decisions that were made.
    pub decisions: u64,
    /// Runs that they stand for: those that ended, and those that were followed as far as `depth`.
    pub histories: f64,
}

/// Tries every run to this depth, as far as so many decisions go.
pub(super) fn search(
    subject: &Subject<'_>,
    candidates: &Candidates,
    rule: KeyRule,
    depth: Depth,
    most: u64,
    observer: &mut impl Observer,
) -> Reach {
    let list: &[Candidate] = &candidates.list;
    let mut reach = Reach::default();
    // Runs that go on, each with how many runs it stands for.
    let mut open: Vec<(Walk, f64)> = vec![(Walk::default(), 1.0)];
    for length in 1..=depth.candidates {
        let mut next: Vec<(Walk, f64)> = Vec::new();
        let mut known: HashMap<Key, usize, foldhash::fast::FixedState> = HashMap::default();
        // At the last place before the limit, no criterion is looked at but the limit itself.
        let looks = !depth.is_limit || length + 1 < depth.candidates;
        for (walk, stands_for) in &open {
            if reach.decisions.saturating_add(list.len() as u64) > most {
                reach.histories += next.iter().map(|(_, count)| count).sum::<f64>();
                return reach;
            }
            let step = |(number, candidate): (usize, &Candidate)| {
                let (walk, decision) = walk.step(subject, 0, number, candidate)?;
                Some(Tried { walk, decision })
            };
            let tried: Vec<Option<Tried>> = list.iter().enumerate().map(step).collect();
            reach.decisions += tried.iter().flatten().count() as u64;
            observer.tried(&tried);
            for tried in tried.into_iter().flatten() {
                if !tried.goes_on() || length == depth.candidates {
                    reach.histories += stands_for;
                    continue;
                }
                let mut key = Key::new();
                rule.add(&tried.walk, subject, list, looks, &mut key);
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
    reach.complete = !candidates.is_part;
    reach
}
