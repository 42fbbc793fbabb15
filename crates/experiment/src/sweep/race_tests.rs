use super::*;
use crate::diag::{Problems, SourceFile};
use crate::profile::{Library, load};
use crate::sweep::Experiment;
use crate::sweep::measures::Measure;
use proptest::prelude::*;

fn goals(constraints: &str) -> Goals {
    let text = format!(
        "documents: {{ fresh: [reports] }}\nbudget: {{ calls: 9 }}\nspace: {{ stop.max_iterations: [1] }}
objectives: [{{ maximize: overall }}, {{ minimize: calls }}]\nconstraints: {constraints}\n"
    );
    let mut problems = Problems::new();
    let experiment = Experiment::parse(&SourceFile::new("it", text.as_str()), &mut problems);
    let loaded = load("balanced", &Library::embedded(), &[], &|_| None, &mut problems).unwrap();
    let experiment = experiment.unwrap_or_else(|| panic!("{problems:?}"));
    Goals::of(&experiment, &loaded.profile.policy)
}

/// A document with this score and so many calls.
fn document(overall: f64, calls: f64) -> Measured {
    let mut numbers = [0.0; Measure::ALL.len()];
    numbers[Measure::Overall.place()] = overall;
    numbers[Measure::Calls.place()] = calls;
    Measured::for_tests(numbers, vec![overall, calls])
}

/// Runs a race to its end: `score` gives the numbers of a policy on a document. Returns the number of runs.
fn run(race: &mut Race<'_>, score: impl Fn(usize, usize) -> (f64, f64)) -> usize {
    let mut runs = 0;
    for at in 0.. {
        if !race.is_on() {
            break;
        }
        let of = |policy: &usize| {
            let (overall, calls) = score(*policy, at);
            document(overall, calls)
        };
        let measured: Vec<Measured> = race.policies().iter().map(of).collect();
        runs += measured.len();
        race.add(document(0.5, 1.0), measured).unwrap();
    }
    runs
}

#[test]
fn the_worse_half_goes_and_the_better_gets_twice_the_documents() {
    let goals = goals("[]");
    let mut race = Race::new(&goals, 8, Schedule::of(8, 100, 4), 0.95);
    // Better by their numbers, and the more they are, the less even they are: nothing is shown.
    let runs = run(&mut race, |policy, at| {
        let noise = if at % 2 == 0 { 0.2 } else { -0.2 };
        (number_of(policy) * (0.1 + noise), 1.0)
    });
    let rounds: Vec<_> =
        race.rounds().iter().map(|round| (round.policies, round.documents, round.left)).collect();
    assert_eq!(rounds, [(8, 4, 4), (4, 8, 2), (2, 16, 2)]);
    assert_eq!(race.ranking().unwrap(), [7, 6]);
    assert_eq!(runs, Schedule::of(8, 100, 4).runs());
    let first: Vec<_> = race.dropped().iter().take(4).map(|one| (one.policy, one.round, one.why)).collect();
    assert_eq!(first, [3, 2, 1, 0].map(|policy| (policy, 1, Drop::WorseHalf)));
}

#[test]
fn what_is_shown_to_be_worse_is_dropped_at_once() {
    let goals = goals("[]");
    let mut race = Race::new(&goals, 3, Schedule::of(3, 64, 32), 0.95);
    let runs = run(&mut race, |policy, at| {
        let noise = if at % 2 == 0 { 0.02 } else { -0.02 };
        (if policy == 1 { 0.2 + noise } else { 0.8 + noise * number_of(policy) }, 1.0)
    });
    let dropped = &race.dropped()[0];
    assert_eq!((dropped.policy, dropped.why), (1, Drop::ShownWorse));
    // 2^(1 − n), for two policies that are compared, is below 0.05 / 64 documents from thirteen documents on.
    assert!((13..=14).contains(&dropped.documents), "{dropped:?}");
    assert_eq!(race.rounds()[0].shown_worse, 1);
    assert!(runs < Schedule::of(3, 64, 32).runs());
    // Both others are as good in the first objective, and nothing tells them apart.
    assert_eq!(race.policies(), [0, 2]);
}

#[test]
fn ties_go_to_the_next_objective_and_constraints_come_first() {
    let goals = goals("['calls <= 2 * reference.calls']");
    let mut race = Race::new(&goals, 3, Schedule::of(3, 4, 4), 0.95);
    run(&mut race, |policy, _| [(0.9, 3.0), (0.7, 2.0), (0.7, 1.0)][policy]);
    assert_eq!(race.ranking().unwrap(), [2, 1, 0]);
    assert!(race.keeps_constraints(1).unwrap() && !race.keeps_constraints(0).unwrap());
}

#[test]
fn a_race_that_is_stopped_keeps_what_was_run() {
    let goals = goals("[]");
    let mut race = Race::new(&goals, 4, Schedule::of(4, 40, 4), 0.95);
    let measured = (0..4).map(|policy| document(number_of(policy), 1.0)).collect();
    race.add(document(0.5, 1.0), measured).unwrap();
    race.stop();
    assert!(!race.is_on());
    assert_eq!(race.rounds(), [Round { policies: 4, documents: 1, shown_worse: 0, worse_half: 0, left: 4 }]);
    assert_eq!(race.ranking().unwrap()[0], 3);
    // Nothing more is taken in.
    race.add(document(0.5, 1.0), Vec::new()).unwrap();
    assert_eq!(race.reference().len(), 1);
}

#[expect(clippy::cast_precision_loss, reason = "small")]
fn number_of(policy: usize) -> f64 {
    policy as f64
}

proptest! {
    /// Whatever the numbers of policies are, the schedule is kept, each policy is left or was dropped once, and the
    /// best of the first round with the same score everywhere wins.
    #[test]
    fn everybody_is_left_or_was_dropped_once(
        policies in 1..12_usize, documents in 1..40_usize, first in 1..8_usize,
        scores in prop::collection::vec(0.0..1.0_f64, 12 * 40), is_steady in any::<bool>(),
    ) {
        let goals = goals("[]");
        let schedule = Schedule::of(policies, documents, first);
        let mut race = Race::new(&goals, policies, schedule.clone(), 0.95);
        let score = |policy: usize, at: usize| scores[if is_steady { policy } else { policy * 40 + at }];
        let runs = run(&mut race, |policy, at| (score(policy, at), 1.0));
        prop_assert!(runs <= schedule.runs());
        let mut all: Vec<usize> = race.dropped().iter().map(|one| one.policy).collect();
        all.extend(race.policies());
        all.sort_unstable();
        prop_assert_eq!(all, (0..policies).collect::<Vec<_>>());
        for (round, heat) in race.rounds().iter().zip(schedule.heats()) {
            prop_assert!(round.policies <= heat.policies && round.documents <= heat.documents);
            prop_assert_eq!(round.policies, round.shown_worse + round.worse_half + round.left);
        }
        if is_steady {
            let best = (0..policies).max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap();
            prop_assert_eq!(race.ranking().unwrap()[0], best);
        }
    }
}
