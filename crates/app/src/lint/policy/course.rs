//! Implications between criteria: which one fires whenever another one would, in every course of overall scores.

use super::view::View;
use crate::profile::{
    Baseline, Budget, Criterion, MinImprovement, OnGateMiss, OnRegression, SelectKey, Target,
};
use crate::stop::{Decline, Rollbacks};

/// The time at which a criterion fires that another one implies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// At the same candidate, or before it.
    NotLater,
    /// Always at an earlier candidate.
    Before,
}

/// The settings of a policy that these implications rest on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ground {
    /// `true` if a candidate whose overall score is below the best one's is rolled back.
    falls_roll_back: bool,
    /// `true` if only such candidates are, but for ties.
    only_falls_roll_back: bool,
    /// `true` if candidates with the same overall score may still rank differently.
    ties_may_roll_back: bool,
}

impl Ground {
    pub(super) fn of(view: &View<'_>) -> Self {
        let policy = view.policy;
        let is_overall = |key: &SelectKey| match (key, &policy.overall) {
            (SelectKey::Score(Target::Overall), _) => true,
            (SelectKey::Score(Target::Dimension(name)), crate::profile::Overall::From(from)) => name == from,
            _ => false,
        };
        let by_overall = policy.select.order.first().is_some_and(is_overall);
        let rolls_back = policy.on_regression == OnRegression::Rollback;
        let gate = policy.gate.as_ref().is_some_and(|gate| gate.on_correction == OnGateMiss::Rollback);
        Ground {
            falls_roll_back: rolls_back && by_overall,
            only_falls_roll_back: rolls_back && by_overall && !gate,
            ties_may_roll_back: policy.select.order.len() > 1,
        }
    }
}

/// Returns whether `first` fires no later than `second` in every course of scores, and whether it fires earlier.
pub(super) fn implied(first: &Criterion, second: &Criterion, ground: Ground) -> Option<When> {
    let sooner = |sooner: bool| Some(if sooner { When::Before } else { When::NotLater });
    /// `a` steps are enough where `b` are needed.
    fn steps<T: PartialOrd>(a: T, b: T) -> Option<When> {
        (a <= b).then(|| if a < b { When::Before } else { When::NotLater })
    }
    match (first, second) {
        (
            Criterion::MaxIterations(_) | Criterion::MaxCorrections(_),
            Criterion::MaxIterations(_) | Criterion::MaxCorrections(_),
        ) => steps(first.earliest(), second.earliest()),
        (Criterion::MaxIterations(_) | Criterion::MaxCorrections(_), _) => {
            let most = first.earliest();
            steps(most, second.earliest())
        }
        (Criterion::Unchanged(_), Criterion::Unchanged(_)) => Some(When::NotLater),
        (Criterion::Rollbacks(a), Criterion::Rollbacks(b)) => steps(a.0, b.0),
        (Criterion::Decline(a), Criterion::Decline(b)) => steps(a.length, b.length),
        (Criterion::FlipFlop(a), Criterion::FlipFlop(b)) => steps(a.times, b.times),
        (Criterion::Timeout(a), Criterion::Timeout(b)) => (a.after <= b.after).then_some(When::NotLater),
        (Criterion::Budget(a), Criterion::Budget(b)) => within(a, b).then_some(When::NotLater),
        (Criterion::Script(a), Criterion::Script(b)) => {
            (a.function.value == b.function.value).then_some(When::NotLater)
        }
        (Criterion::Stagnation(a), Criterion::Stagnation(b)) => {
            if a.epsilon >= b.epsilon {
                steps(a.window, b.window)
            } else {
                None
            }
        }
        (Criterion::Oscillation(a), Criterion::Oscillation(b)) => {
            if a.window >= b.window && a.amplitude <= b.amplitude { steps(a.flips, b.flips) } else { None }
        }
        (Criterion::MinImprovement(a), Criterion::MinImprovement(b)) => {
            let baseline = a.baseline == b.baseline || a.baseline == Baseline::Best;
            if baseline && a.delta >= b.delta { steps(a.patience, b.patience) } else { None }
        }
        // Scores that fall, or hardly move, gain too little.
        (Criterion::MinImprovement(a), Criterion::Decline(Decline { length })) => {
            steps(a.patience, length.saturating_sub(1))
        }
        (Criterion::MinImprovement(a), Criterion::Stagnation(b)) => {
            if b.epsilon <= a.delta {
                steps(a.patience, b.window.saturating_sub(1))
            } else {
                None
            }
        }
        // If no fall is tolerated, nothing goes up and down. With two changes of direction, one fall is not the last
        // step.
        (Criterion::MinImprovement(MinImprovement { patience: 1, .. }), Criterion::Oscillation(b)) => {
            sooner(b.flips > 1)
        }
        (Criterion::Decline(Decline { length: 2 }), Criterion::Oscillation(b)) => sooner(b.flips > 1),
        (Criterion::Rollbacks(Rollbacks(1)), Criterion::Oscillation(b)) if ground.falls_roll_back => {
            sooner(b.flips > 1)
        }
        // Each score that falls is below the best.
        (Criterion::Rollbacks(Rollbacks(limit)), Criterion::Decline(Decline { length }))
            if ground.falls_roll_back =>
        {
            steps(usize::try_from(*limit).unwrap_or(usize::MAX), length.saturating_sub(1))
        }
        (Criterion::Rollbacks(Rollbacks(limit)), Criterion::MinImprovement(b))
            if ground.falls_roll_back && b.delta == 0.0 && b.baseline == Baseline::Best =>
        {
            steps(usize::try_from(*limit).unwrap_or(usize::MAX), b.patience)
        }
        // A score below the best gains nothing on it. Against the candidate before, that holds for the first in a row.
        (Criterion::MinImprovement(a), Criterion::Rollbacks(Rollbacks(limit)))
            if ground.only_falls_roll_back =>
        {
            let ties = ground.ties_may_roll_back && a.delta < 1e-6;
            let sees = a.baseline == Baseline::Best || a.patience == 1;
            if sees && !ties {
                steps(a.patience, usize::try_from(*limit).unwrap_or(usize::MAX))
            } else {
                None
            }
        }
        // These imply no other criterion. Each is named, so that the compiler asks about a new one.
        (
            Criterion::Unchanged(_)
            | Criterion::Rollbacks(_)
            | Criterion::Stagnation(_)
            | Criterion::MinImprovement(_)
            | Criterion::Decline(_)
            | Criterion::Oscillation(_)
            | Criterion::FlipFlop(_)
            | Criterion::Script(_)
            | Criterion::Timeout(_)
            | Criterion::Budget(_)
            | Criterion::Any(_)
            | Criterion::All(_),
            _,
        ) => None,
    }
}

/// Returns whether anything that reaches a limit of `wide` reaches one of `narrow`.
fn within(narrow: &Budget, wide: &Budget) -> bool {
    fn bounded<T: PartialOrd>(narrow: Option<T>, wide: Option<T>) -> bool {
        wide.is_none_or(|wide| narrow.is_some_and(|narrow| narrow <= wide))
    }
    bounded(narrow.cost_usd.map(|usd| usd.get()), wide.cost_usd.map(|usd| usd.get()))
        && bounded(narrow.tokens, wide.tokens)
        && bounded(narrow.calls, wide.calls)
}
