//! The policies that are shown, and the one that is chosen: by the documents of one part alone.

use super::file::Goal;
use super::front::front;
use super::trial::Evaluation;
use serde::Serialize;
use std::collections::BTreeMap;

/// A policy of the space that was tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Tried {
    /// The index of its profile in the experiment.
    pub profile: usize,
    /// Its combination in the space.
    pub combination: usize,
    /// Its evaluation.
    pub evaluation: Evaluation,
}

/// The numbers of policies of a space, by what became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Combinations, over each profile.
    pub policies: usize,
    /// Left out by the experiment's conditions.
    pub left_out: usize,
    /// Refused: no profile may have such settings.
    pub invalid: usize,
    /// Tried on every document.
    pub tried: usize,
    /// Of these, policies that would have continued, with some document, in a way that is not recorded. Nothing is
    /// reported about them.
    pub not_recorded: usize,
    /// Policies that miss a constraint.
    pub constraint_missed: usize,
    /// Policies with the same outcome on every document as one before them.
    pub same: usize,
    /// The remaining policies, among which is chosen.
    pub candidates: usize,
    /// Of these, policies that no other one beats in every objective.
    pub front: usize,
}

/// The choice among policies.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The numbers of policies, by what became of them.
    pub counts: Counts,
    /// Policies on the front, the best in the first objective first, each with the number of others that come to the
    /// same. The first one is the chosen one.
    pub shown: Vec<(Tried, usize)>,
    /// The means of some of the policies among which was chosen, for a plot.
    pub points: Vec<Vec<f64>>,
}

/// The most points of a plot.
const MOST_POINTS: usize = 2_000;

impl Choice {
    /// Chooses among the policies that were tried, in the order of the space. At most `show` are shown: both ends of
    /// the front, and others between them at equal distances. `counts` has the numbers of those that were not tried.
    #[must_use]
    pub fn among(tried: Vec<Tried>, goals: &[Goal], show: usize, counts: Counts) -> Self {
        let mut counts = Counts { tried: tried.len(), ..counts };
        let mut known: BTreeMap<(u64, Vec<u64>), usize> = BTreeMap::new();
        let mut candidates: Vec<(Tried, usize)> = Vec::new();
        for one in tried {
            let evaluation = &one.evaluation;
            if evaluation.beyond > 0 {
                counts.not_recorded += 1;
                continue;
            }
            if !evaluation.keeps_constraints {
                counts.constraint_missed += 1;
                continue;
            }
            // Review is not part of how documents end, and may be an objective.
            let key = (evaluation.behaviour, evaluation.means.iter().map(|mean| mean.to_bits()).collect());
            match known.get(&key).and_then(|at| candidates.get_mut(*at)) {
                Some((_, same)) => {
                    *same += 1;
                    counts.same += 1;
                }
                None => {
                    known.insert(key, candidates.len());
                    candidates.push((one, 0));
                }
            }
        }
        counts.candidates = candidates.len();
        let points: Vec<&[f64]> = candidates.iter().map(|(one, _)| one.evaluation.means.as_slice()).collect();
        let front = front(goals, &points);
        counts.front = front.len();
        let on_front = spread(front.len(), show).filter_map(|at| front.get(at));
        let shown = on_front.filter_map(|at| candidates.get(*at).cloned()).collect();
        let some = spread(candidates.len(), MOST_POINTS).filter_map(|at| candidates.get(at));
        let points = some.map(|(one, _)| one.evaluation.means.clone()).collect();
        Choice { counts, shown, points }
    }
}

/// At most `most` indices of a list of this length: the first and the last one, and others at equal distances.
fn spread(length: usize, most: usize) -> impl Iterator<Item = usize> {
    let taken = length.min(most);
    (0..taken).map(move |number| match taken {
        0 | 1 => 0,
        _ => number * (length - 1) / (taken - 1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(combination: usize, means: [f64; 2], behaviour: u64) -> Tried {
        let evaluation = Evaluation { means: means.to_vec(), keeps_constraints: true, beyond: 0, behaviour };
        Tried { profile: 0, combination, evaluation }
    }

    #[test]
    fn what_is_not_known_or_not_allowed_is_counted_and_not_chosen() {
        let mut all = vec![
            tried(0, [0.9, 9.0], 0),
            tried(1, [0.8, 2.0], 1),
            tried(2, [0.8, 2.0], 1),
            tried(3, [0.99, 1.0], 3),
            tried(4, [0.98, 1.0], 4),
            tried(5, [0.7, 3.0], 5),
        ];
        all[3].evaluation.beyond = 1;
        all[4].evaluation.keeps_constraints = false;
        let before = Counts { policies: 8, left_out: 2, ..Counts::default() };
        let choice = Choice::among(all, &[Goal::Maximize, Goal::Minimize], 5, before);
        let counts = Counts {
            tried: 6,
            not_recorded: 1,
            constraint_missed: 1,
            same: 1,
            candidates: 3,
            front: 2,
            ..before
        };
        assert_eq!(choice.counts, counts);
        let shown: Vec<(usize, usize)> =
            choice.shown.iter().map(|(one, same)| (one.combination, *same)).collect();
        assert_eq!(shown, [(0, 0), (1, 1)]);
        assert_eq!(choice.points.len(), 3);
    }

    #[test]
    fn both_ends_of_a_long_front_are_shown() {
        assert_eq!(spread(100, 4).collect::<Vec<_>>(), [0, 33, 66, 99]);
        assert_eq!(spread(100, 1).collect::<Vec<_>>(), [0]);
        assert_eq!(spread(2, 4).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(spread(0, 4).count(), 0);
    }
}
