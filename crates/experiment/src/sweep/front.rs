//! The Pareto front: policies that no other one beats in everything.

use super::file::Goal;

/// The indices of the points on the front, the best in the first objective first. A point is left out if another one is
/// at least as good in every objective; of equal ones the first stays. Numbers that differ by less than 1e-12 are
/// equal: sums have rounding errors.
#[must_use]
pub fn front(goals: &[Goal], points: &[&[f64]]) -> Vec<usize> {
    // Less is better from here on.
    let oriented: Vec<Vec<f64>> = points
        .iter()
        .map(|point| {
            let losses = point.iter().zip(goals).map(|(value, goal)| match goal {
                Goal::Maximize => -value,
                Goal::Minimize => *value,
            });
            losses.map(|loss| (loss * 1e12).round()).collect()
        })
        .collect();
    let mut order: Vec<(&Vec<f64>, usize)> = oriented.iter().zip(0..).collect();
    order.sort_by(|(a, at), (b, other)| {
        let first = a.iter().zip(*b).map(|(a, b)| a.total_cmp(b)).find(|ordering| ordering.is_ne());
        first.unwrap_or_else(|| at.cmp(other))
    });
    // A point that is beaten is beaten by an earlier one.
    let mut front: Vec<(&Vec<f64>, usize)> = Vec::new();
    for (point, at) in order {
        let is_beaten =
            front.iter().any(|(known, _)| known.iter().zip(point).all(|(known, own)| known <= own));
        if !is_beaten {
            front.push((point, at));
        }
    }
    front.into_iter().map(|(_, at)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GOALS: [Goal; 2] = [Goal::Maximize, Goal::Minimize];

    #[test]
    fn points_that_another_one_beats_are_left_out() {
        let points: [&[f64]; 6] =
            [&[0.8, 2.0], &[0.9, 3.0], &[0.9, 4.0], &[0.7, 2.0], &[0.5, 1.0], &[0.8, 2.0]];
        assert_eq!(front(&GOALS, &points), [1, 0, 4]);
        let dust: [&[f64]; 2] = [&[0.3, 1.0], &[0.1 + 0.2, 1.0]];
        assert_eq!(front(&GOALS, &dust), [0]);
        assert!(front(&GOALS, &[]).is_empty());
    }

    proptest! {
        #[test]
        fn nobody_on_the_front_is_beaten_and_everybody_else_is(
            points in prop::collection::vec((0..6_u8, 0..6_u8), 0..40),
        ) {
            let points: Vec<[f64; 2]> = points.into_iter().map(|(a, b)| [f64::from(a), f64::from(b)]).collect();
            let lent: Vec<&[f64]> = points.iter().map(<[f64; 2]>::as_slice).collect();
            let found = front(&GOALS, &lent);
            let as_good = |a: usize, b: usize| points[a][0] >= points[b][0] && points[a][1] <= points[b][1];
            for at in 0..points.len() {
                let beaten = found.iter().any(|other| *other != at && as_good(*other, at));
                prop_assert_eq!(found.contains(&at), !beaten);
            }
        }
    }
}
