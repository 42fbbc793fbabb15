//! The reports of `loopctl check` on stop criteria hold: of random courses of scores, decided by the functions that
//! decide in a run, none ends by a criterion that is reported never to fire, and every one ends where it is reported
//! to. The other way round, each criterion of a shipped profile about which nothing is reported ends some course.

use super::loop_inventions;
use super::loop_model::Criterion;
use loopctl::diag::{Code, Problems, Style, render_human};
use loopctl::experiment::{IterationRecord, Simulated, Trajectory, simulate};
use loopctl::lint::{ProfileView, lint};
use loopctl::plan::Plan;
use loopctl::policy::{ScriptCriteria, StopReason, Verdict};
use loopctl::profile::{Library, Loaded, load};
use loopctl::value::{Score, Usd};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The profile and its problems.
fn examined(yaml: &str) -> Option<(Loaded, Problems)> {
    let library = Library::embedded().holding("profiles/tried.yaml", yaml);
    let mut problems = Problems::new();
    let loaded = load("tried", &library, &[], &|_| None, &mut problems)?;
    let plan = Plan::compile(&loaded, &mut problems)?;
    lint(ProfileView { loaded: &loaded, plan: &plan }, &mut problems);
    Some((loaded, problems))
}

/// The messages of some codes, each with the location at its beginning, such as `stop.any[0].timeout`.
fn places(problems: &Problems, codes: &[Code]) -> Vec<(String, String)> {
    let found = problems.iter().filter(|problem| codes.contains(&problem.code));
    found
        .filter_map(|problem| {
            let message = problem.message.as_str();
            let place = message.split('`').find(|part| part.starts_with("stop."))?;
            Some((place.to_owned(), message.to_owned()))
        })
        .collect()
}

/// The location of the criterion that ended a run: the last check that was made.
fn ended_by(simulated: &Simulated) -> Option<String> {
    let last = simulated.decisions.last()?;
    let Verdict::Stop { reason } = &last.verdict else { return None };
    if matches!(reason, StopReason::Accepted | StopReason::Gate | StopReason::CriticalIssue) {
        return None;
    }
    Some(last.checks.last()?.line.to_string())
}

/// Returns whether a run was ended by what is at `place`, or by a list that needs it.
fn is_at(ended: &str, place: &str) -> bool {
    let whole = |place: &str| ended == place || ended.starts_with(&format!("{place}."));
    // A list fires with all its members, so the last of them was checked last.
    let list = place.rfind("all[").map(|at| &place[..at + "all[".len()]);
    whole(place) || list.is_some_and(|list| ended.starts_with(list))
}

fn trajectory(steps: Vec<IterationRecord>) -> Trajectory {
    Trajectory { id: json!(0), iterations: steps, slips: Vec::new() }
}

fn simulated(loaded: &Loaded, trajectory: &Trajectory) -> Simulated {
    simulate(&loaded.profile.policy, &ScriptCriteria::default(), trajectory)
}

/// Steps whose scores often repeat, hardly move, fall or go up and down.
fn steps(dimensions: Vec<String>) -> impl Strategy<Value = Vec<IterationRecord>> {
    let score = prop_oneof![
        3 => prop::sample::select(vec![0.02, 0.3, 0.31, 0.33, 0.5, 0.51, 0.55, 0.8, 0.9, 0.97]),
        1 => 0.01..0.98_f64,
    ];
    let step =
        (score, prop::sample::select(vec![1.0, 500.0, 20_000.0, 40_000.0]), 0..4_u8, 0..2_u8, 0.001..0.2_f64)
            .prop_map(move |(score, elapsed_ms, candidate, same, cost)| IterationRecord {
                scores: dimensions.iter().map(|name| (name.clone(), Score::clamped(score))).collect(),
                elapsed_ms,
                cost_usd: Usd::new(cost).unwrap(),
                tokens: 100,
                candidate: Some(Arc::new(json!({"a": candidate, "b": same}))),
                ..IterationRecord::default()
            });
    (prop::collection::vec(step, 1..30), 0..4_u8).prop_map(|(mut steps, rising)| {
        if rising == 0 {
            // Nothing ends what always gains but the limit.
            let mut scores: Vec<_> = steps.iter().map(|step| step.scores.clone()).collect();
            scores.sort_by(|a, b| a[0].1.get().total_cmp(&b[0].1.get()));
            scores.dedup();
            steps.truncate(scores.len());
            steps.iter_mut().zip(scores).for_each(|(step, scores)| step.scores = scores);
            return steps;
        }
        // Runs of falls and of equal scores are what criteria wait for.
        for at in 1..steps.len() {
            if at % 7 == 3 {
                steps[at].scores = steps[at - 1].scores.clone();
            }
        }
        steps
    })
}

fn criterion() -> impl Strategy<Value = String> {
    let small = 1..5_u8;
    let share = prop::sample::select(vec!["0", "0.01", "0.05", "0.3", "1"]);
    prop_oneof![
        Just("unchanged: true".to_owned()),
        small.clone().prop_map(|n| format!("rollbacks: {n}")),
        (2..6_u8, share.clone()).prop_map(|(w, e)| format!("stagnation: {{ window: {w}, epsilon: {e} }}")),
        (share.clone(), small.clone(), prop::sample::select(vec!["previous", "best"]))
            .prop_map(|(d, p, b)| format!("min_improvement: {{ delta: {d}, patience: {p}, baseline: {b} }}")),
        (2..6_u8).prop_map(|n| format!("decline: {{ length: {n} }}")),
        (3..7_u8, small.clone(), share)
            .prop_map(|(w, f, a)| format!("oscillation: {{ window: {w}, flips: {f}, amplitude: {a} }}")),
        (1..4_u8).prop_map(|n| format!("flip_flop: {{ times: {n} }}")),
        prop::sample::select(vec!["0s", "1s", "30s"]).prop_map(|t| format!("timeout: {t}")),
        (1..30_u8).prop_map(|n| format!("budget: {{ calls: {n} }}")),
        (1..8_u8).prop_map(|n| format!("max_iterations: {n}")),
        // Those that are invented elsewhere, so that none is missing; scripts need a file.
        loop_inventions::criterion().prop_filter_map("a script", |one| (!matches!(
            one,
            Criterion::Script(_)
        ))
        .then(|| one.yaml())),
    ]
}

/// A random policy: a limit, some criteria, perhaps groups.
fn policy() -> impl Strategy<Value = String> {
    let limit = prop_oneof![
        (2..10_u8).prop_map(|n| format!("max_iterations: {n}")),
        (1..9_u8).prop_map(|n| format!("max_corrections: {n}")),
        (20..30_u8).prop_map(|n| format!("max_iterations: {n}")),
        (2..6_u8, 1..6_u8).prop_map(|(n, m)| format!("max_iterations: {n}, max_corrections: {m}")),
    ];
    let group = |least: usize| prop::collection::vec(criterion(), least..4);
    let on = prop::sample::select(vec!["keep", "rollback"]);
    let order =
        prop::sample::select(vec!["[overall]", "[r, overall]", "[overall, r]", "[no_critical, overall]"]);
    let gate = prop::sample::select(vec!["", "gate: { q: 0.4, on_correction: rollback }\n"]);
    (limit, prop::collection::vec(criterion(), 0..4), group(0), group(0), on, order, gate).prop_map(
        |(limit, plain, any, all, on, order, gate)| {
            let mut stop = vec![limit];
            let mut known: BTreeSet<String> = ["max_iterations", "max_corrections"].map(str::to_owned).into();
            for criterion in plain {
                if known.insert(criterion.split(':').next().unwrap().to_owned()) {
                    stop.push(criterion);
                }
            }
            for (name, members) in [("any", any), ("all", all)] {
                if !members.is_empty() {
                    let members: Vec<String> = members.iter().map(|m| format!("{{ {m} }}")).collect();
                    stop.push(format!("{name}: [{}]", members.join(", ")));
                }
            }
            format!(
                "assess: {{ q: given, r: given }}\noverall: {{ q: 0.5, r: 0.5 }}\naccept: {{ overall: 0.99 }}\non_regression: {on}\nselect: {{ order: {order} }}\n{gate}stop: {{ {} }}\n",
                stop.join(", ")
            )
        },
    )
}

fn scored() -> impl Strategy<Value = Vec<IterationRecord>> {
    // The two dimensions differ, so that ties in one are none in the other.
    (steps(vec!["q".to_owned(), "r".to_owned()]), prop::collection::vec(-0.2..0.2_f64, 30)).prop_map(
        |(mut steps, shifts)| {
            for (step, shift) in steps.iter_mut().zip(shifts) {
                if let [(_, q), (_, r)] = step.scores.as_mut_slice()
                    && shift > 0.1
                {
                    *r = Score::clamped(q.get() + shift - 0.15);
                    *q = Score::clamped(q.get() - shift + 0.15);
                }
            }
            steps
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "long"]
    fn what_is_said_never_to_fire_never_does(policy in policy(), courses in prop::collection::vec(scored(), 40)) {
        let Some((loaded, problems)) = examined(&policy) else { panic!("{policy}") };
        let never = places(&problems, &[Code::NeverFires, Code::Overtaken]);
        let always = places(&problems, &[Code::AlwaysFires]);
        for steps in courses {
            let course = trajectory(steps);
            let simulated = simulated(&loaded, &course);
            if let Some(ended) = ended_by(&simulated) {
                for (place, message) in &never {
                    prop_assert!(!is_at(&ended, place), "{policy}\n{message}\nended by {ended}: {:?}", simulated.outcome);
                }
            }
            for (_, message) in &always {
                let after: usize = message.split(' ').find_map(|word| word.parse().ok()).unwrap();
                let many = simulated.outcome.iteration_count;
                prop_assert!(many <= after, "{policy}\n{message}\n{:?}", simulated.outcome);
            }
        }
    }
}

/// A profile's own limits and criteria, as decisions name them.
fn configured(loaded: &Loaded) -> Vec<String> {
    let stop = loaded.merged.get("stop").unwrap().to_json();
    let mut found: Vec<String> = Vec::new();
    for (key, value) in stop.as_object().unwrap() {
        if *value != json!(false) {
            found.push(format!("stop.{key}"));
        }
    }
    found
}

#[test]
fn what_is_not_said_of_a_shipped_criterion_is_not_so() {
    let mut runner =
        TestRunner::new_with_rng(Config::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    for name in loopctl::profile::available(&Library::embedded()) {
        let mut problems = Problems::new();
        let loaded = load(&name, &Library::embedded(), &[], &|_| None, &mut problems).unwrap();
        let plan = Plan::compile(&loaded, &mut problems).unwrap();
        lint(ProfileView { loaded: &loaded, plan: &plan }, &mut problems);
        assert_eq!(problems.warning_count(), 0, "{}", render_human(&problems, Style::Plain));
        let never = places(&problems, &[Code::NeverFires, Code::Overtaken]);
        let mut open: BTreeSet<String> = configured(&loaded).into_iter().collect();
        never.iter().for_each(|(place, _)| {
            open.remove(place);
        });
        let dimensions: Vec<String> = loaded.profile.dimensions.iter().map(|d| d.name.clone()).collect();
        let strategy = steps(dimensions);
        for _ in 0..3_000 {
            let mut course = trajectory(strategy.new_tree(&mut runner).unwrap().current());
            if name == "aas" {
                // It accepts everything that has no issue to be corrected.
                for step in &mut course.iterations {
                    step.issues.push(loopctl::experiment::StepIssue {
                        code: "TYPE_MISMATCH".to_owned(),
                        severity: loopctl::value::Severity::Major,
                        disposition: None,
                        path: String::new(),
                        auto_fixable: false,
                    });
                }
            }
            if let Some(ended) = ended_by(&simulated(&loaded, &course)) {
                open.retain(|place| !is_at(&ended, place));
            }
            if open.is_empty() {
                break;
            }
        }
        assert!(open.is_empty(), "nothing ends `{name}` by {open:?}, and nothing is said of it");
    }
}

/// The messages about shipped profiles: two criteria come together with the limit, and count when it is raised (with
/// `MARC_MAX_ITERATIONS`, say).
#[test]
fn what_is_said_of_shipped_profiles() {
    let mut said = Vec::new();
    for name in loopctl::profile::available(&Library::embedded()) {
        let mut problems = Problems::new();
        let loaded = load(&name, &Library::embedded(), &[], &|_| None, &mut problems).unwrap();
        let plan = Plan::compile(&loaded, &mut problems).unwrap();
        lint(ProfileView { loaded: &loaded, plan: &plan }, &mut problems);
        said.extend(
            problems.iter().filter(|p| p.code.as_str().starts_with("LC5")).map(|p| p.message.clone()),
        );
    }
    assert_eq!(
        said,
        [
            "`stop.decline` can never fire: it needs 3 candidates, and `max_iterations: 3` ends the loop first",
            "in `real-time` `stop.min_improvement` can never fire: it needs 2 candidates, and `max_iterations: 2` ends the loop first",
        ]
    );
}

/// Returns whether a profile gets a warning of a code.
fn warned(yaml: &str, code: Code) -> bool {
    let library = Library::embedded()
        .holding("profiles/tried.yaml", yaml)
        .holding(
            "rules/esc.yaml",
            "rules: [{ id: a, field: a, type: list, severity: critical, disposition: escalate }]\n",
        )
        .holding(
            "rules/esc-minor.yaml",
            "rules: [{ id: a, field: a, type: list, severity: minor, disposition: escalate }]\n",
        )
        .holding(
            "rules/stop.rhai",
            "fn done(run) { run.iterations[run.iterations.len() - 1].scores.extra > 0.5 }\n",
        );
    let mut problems = Problems::new();
    let loaded = load("tried", &library, &[], &|_| None, &mut problems);
    let loaded = loaded.unwrap_or_else(|| panic!("{problems:?}\n{yaml}"));
    let plan = Plan::compile(&loaded, &mut problems).unwrap_or_else(|| panic!("{problems:?}\n{yaml}"));
    lint(ProfileView { loaded: &loaded, plan: &plan }, &mut problems);
    problems.iter().any(|problem| problem.code == code && problem.level == loopctl::diag::Level::Warning)
}

const TWO_JUDGES: &str = "
extends: batch
judges:
  a: { provider: scripted, prompt: judge/literature.md, on_failure: { retry: 0, then: { fallback: 0.5 } } }
  b: { provider: scripted, prompt: judge/literature.md, on_failure: { retry: 0, then: { fallback: 0.5 } } }
assess:
  judged: { ensemble: { members: [{ judge: a, score: /s }, { judge: b, score: /s }], combine: mean, disagreement: { above: 0.3, then: escalate } } }
overall: { completeness: 0.5, judged: 0.5, accuracy: 0, validity: 0, consistency: 0 }
";

#[test]
fn doubts_are_raised_where_they_are_well_founded() {
    let disagree = |accept: &str| format!("{TWO_JUDGES}accept: {{ overall: 0.5, {accept} }}\n");
    let rule = |rules: &str, accept: &str| {
        format!(
            "extends: batch\nassess: {{ validity: {{ rules: {rules}, penalty: 0.1 }} }}\naccept: {{ overall: 0.5, {accept} }}\n"
        )
    };
    let judge = |weight: f64, then: &str, accept: &str| {
        let rest = 1.0 - weight;
        format!(
            "extends: batch\njudges: {{ a: {{ provider: scripted, prompt: judge/literature.md, on_failure: {{ then: {then} }} }} }}\nassess: {{ judged: {{ judge: a, score: /s }} }}\noverall: {{ completeness: {rest}, judged: {weight}, accuracy: null, validity: null, consistency: null }}\naccept: {{ overall: 0.7, {accept} }}\n"
        )
    };
    let script = |stop: &str| {
        format!("extends: batch\nassess: {{ extra: given }}\nstop: {{ max_iterations: 4, {stop} }}\n")
    };
    let selected =
        |more: &str| format!("extends: balanced\nselect: {{ order: [no_critical, overall] }}\n{more}\n");
    let gated = |gate: &str| format!("extends: balanced\ngate: {{ {gate}, on_correction: rollback }}\n");
    let generated = |budget: &str| {
        format!(
            "classify: null\nstages:\n  - {{ id: one, provider: pattern, prompt: extract.md, into: one }}\n  - {{ id: two, provider: pattern, prompt: extract.md }}\ngenerate_once: [one]\nassess: {{ completeness: {{ rubric: clinical }} }}\noverall: {{ from: completeness }}\naccept: {{ overall: 0.9 }}\nstop: {{ max_iterations: 4, budget: {{ {budget} }} }}\n"
        )
    };
    let course = |stop: &str| format!("extends: balanced\nstop: {{ max_iterations: 4, {stop} }}\n");
    for (yaml, code, expected) in [
        // A disagreement for a person to decide is a critical issue.
        (disagree("critical_issues: null"), Code::NobodyDecides, true),
        (disagree("critical_issues: 0"), Code::NobodyDecides, false),
        (disagree("critical_issues: 1"), Code::NobodyDecides, true),
        (rule("esc", "critical_issues: 0"), Code::NobodyDecides, false),
        (rule("esc", "major_issues: 0"), Code::NobodyDecides, true),
        (rule("esc-minor", "critical_issues: 0"), Code::NobodyDecides, true),
        // So is the failure of a judge, where acceptance can do without its score.
        (judge(0.2, "escalate", "major_issues: 3"), Code::NobodyDecides, true),
        (judge(0.5, "escalate", "major_issues: 3"), Code::NobodyDecides, false),
        (judge(0.2, "escalate", "critical_issues: 0"), Code::NobodyDecides, false),
        (judge(0.2, "{ fallback: 0.5 }", "major_issues: 3"), Code::NobodyDecides, false),
        // Scripts see every score.
        (script("rollbacks: null"), Code::MeasuredForNothing, true),
        (script("any: [{ script: { done: 'stop.rhai#done' } }]"), Code::MeasuredForNothing, false),
        (script("any: [{ all: [{ script: { done: 'stop.rhai#done' } }] }]"), Code::MeasuredForNothing, false),
        // Critical issues that are all for a person to decide are kept out with those.
        (selected("accept: { critical_issues: null }"), Code::CriticalAccepted, true),
        (
            selected(
                "accept: { critical_issues: null, escalate_issues: 0 }\ndispositions: { otherwise: escalate }",
            ),
            Code::CriticalAccepted,
            false,
        ),
        (
            selected(
                "accept: { critical_issues: null }\non_escalate: stop\ndispositions: { otherwise: escalate }",
            ),
            Code::CriticalAccepted,
            false,
        ),
        (selected("accept: { critical_issues: null, escalate_issues: 0 }"), Code::CriticalAccepted, true),
        (
            selected(
                "accept: { critical_issues: null, escalate_issues: 0 }\ndispositions: { A: correct, otherwise: escalate }",
            ),
            Code::CriticalAccepted,
            true,
        ),
        // The overall score of `balanced` goes from 0.12 to 1: a correction can gain 0.88, and no more.
        (
            course("min_improvement: { delta: 0.88, patience: 1, baseline: previous }"),
            Code::AlwaysFires,
            false,
        ),
        (
            course("min_improvement: { delta: 0.89, patience: 1, baseline: previous }"),
            Code::AlwaysFires,
            true,
        ),
        (course("stagnation: { window: 2, epsilon: 0.88 }"), Code::AlwaysFires, false),
        (course("stagnation: { window: 2, epsilon: 0.89 }"), Code::AlwaysFires, true),
        // A list with one member is that member.
        (
            "extends: balanced\nstop: { max_iterations: 6, all: [{ max_iterations: 2 }], decline: { length: 4 } }\n".to_owned(),
            Code::Overtaken,
            true,
        ),
        (
            "extends: balanced\nstop: { max_iterations: 6, any: [{ max_iterations: 1 }], unchanged: true }\n".to_owned(),
            Code::OneCandidate,
            true,
        ),
        // Stages that corrections don't ask again are counted once: 3 + 4 × 3.
        (generated("calls: 15"), Code::NeverFires, true),
        (generated("calls: 14"), Code::NeverFires, false),
        (gated("accuracy: 0.95"), Code::GateAboveAcceptance, true),
        (gated("accuracy: 0.87"), Code::GateAboveAcceptance, false),
        (gated("validity: 0.5"), Code::GateAboveAcceptance, false),
    ] {
        assert_eq!(warned(&yaml, code), expected, "{}\n{yaml}", code.as_str());
    }
}
