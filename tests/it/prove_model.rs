//! `prove`, held against [`super::loop_model`]: every run over the values that a proof says it tried, one by one and naively.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a few candidates, and milliseconds that are whole and small"
)]

use super::harness::compiled;
use super::loop_inventions::policies;
use super::loop_model::{Criterion, Expected, Key, Policy, Tried};
use loopctl::diag::Problems;
use loopctl::experiment::Trajectory;
use loopctl::experiment::prove::{Broken, Effort, Gap, Proof, Shown, Subject, prove};
use loopctl::policy::Promises;
use loopctl::profile::{Library, PromiseFile};
use loopctl::value::decode::Decode;
use loopctl::value::yaml;
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;

/// The model's view of a promise: whether it holds for a run.
type Naive = fn(&Policy, &[Tried], &Expected) -> bool;

fn overall_of_returned(policy: &Policy, tried: &[Tried], end: &Expected) -> f64 {
    policy.overall(&tried[end.best_iteration])
}

/// The highest overall score of those that did not miss the gate; of all, where all did.
fn best_seen(policy: &Policy, tried: &[Tried]) -> f64 {
    let all = tried.iter().all(|one| policy.misses_gate(one));
    let may_be = tried.iter().filter(|one| all || !policy.misses_gate(one));
    may_be.map(|one| policy.overall(one)).fold(0.0, f64::max)
}

const PROMISES: &[(&str, Naive)] = &[
    ("iterations <= 1", |_, _, end| end.iteration_count <= 1),
    ("iterations < 3", |_, _, end| end.iteration_count < 3),
    ("not passed or issues.critical == 0", |_, tried, end| {
        end.status != "passed" || tried[end.best_iteration].critical == 0
    }),
    ("returned >= best_seen", |policy, tried, end| {
        overall_of_returned(policy, tried, end) >= best_seen(policy, &tried[..end.iteration_count]) - 5e-10
    }),
    ("returned >= first", |policy, tried, end| {
        overall_of_returned(policy, tried, end) >= policy.overall(&tried[0]) - 5e-10
    }),
    ("last >= first or passed", |policy, tried, end| {
        end.status == "passed"
            || policy.overall(&tried[end.iteration_count - 1]) >= policy.overall(&tried[0]) - 5e-10
    }),
    ("status != stopped_early", |_, _, end| end.status != "stopped_early"),
    ("stop_reason != 'rollbacks'", |_, _, end| end.reason != "rollbacks"),
    ("rollbacks == 0 or passed", |_, _, end| end.rollbacks == 0 || end.status == "passed"),
    ("not (rollbacks == 1 and passed)", |_, _, end| !(end.rollbacks == 1 && end.status == "passed")),
    ("tokens < 100 or not passed", |_, tried, end| {
        tried[..end.iteration_count].iter().map(|one| one.tokens).sum::<u64>() < 100 || end.status != "passed"
    }),
];

/// The effort for trying one by one, which needs no more decisions than there are runs.
fn effort() -> Effort {
    Effort { random: 0, decisions: 4 * MOST_RUNS as u64, ..Effort::default() }
}

fn proof_of(policy: &Policy) -> Proof {
    // The model knows of no documents that are unseen or of unknown type.
    let extract = policy.yaml().replace("accept: {", "accept: { unseen: true, unknown_type: true,");
    let compiled = compiled(&extract);
    let listed: Vec<String> = PROMISES.iter().map(|(text, _)| format!("- {text:?}")).collect();
    let file = loopctl::diag::SourceFile::new("promises.yaml", format!("promises:\n{}", listed.join("\n")));
    let mut problems = Problems::new();
    let node = yaml::parse(&file, &mut problems).unwrap();
    let declared = PromiseFile::decode(&node, &mut problems).unwrap().promises;
    let promises = Promises::compile(&declared, &["q", "a", "b"], &Library::embedded(), &mut problems);
    assert!(!problems.has_errors(), "{problems:?}");
    let range = |_: &str| (0.0, 1.0);
    prove(
        &Subject { policy: &compiled.policy, scripts: &compiled.scripts, range: &range },
        &promises,
        effort(),
    )
}

/// The values of a quantity that a proof says it tried.
fn values<'a>(proof: &'a Proof, name: &str) -> &'a [Value] {
    proof.enumerated.quantities.iter().find(|one| one.name == name).map_or(&[], |one| &one.values)
}

fn numbers(proof: &Proof, name: &str) -> Vec<f64> {
    values(proof, name).iter().map(|value| value.as_f64().unwrap()).collect()
}

/// A candidate that may be next: its scores, issues and costs, and its relation to those before it.
#[derive(Debug, Clone)]
struct Next {
    tried: Tried,
    content: String,
}

/// Every combination of the values.
fn every_next(policy: &Policy, proof: &Proof) -> Vec<Next> {
    let names = ["q", "a", "b"];
    let direct: Vec<Option<Vec<f64>>> =
        names.iter().map(|name| Some(numbers(proof, name)).filter(|values| !values.is_empty())).collect();
    let free: Vec<usize> = (0..3).filter(|at| policy.weights[*at] > 0.0 && direct[*at].is_none()).collect();
    let overalls = if free.is_empty() { vec![f64::NAN] } else { numbers(proof, "overall") };
    let or_nothing = |at: usize| direct[at].clone().unwrap_or_else(|| vec![f64::NAN]);
    let mut scores = Vec::new();
    for q in or_nothing(0) {
        for a in or_nothing(1) {
            for b in or_nothing(2) {
                for overall in &overalls {
                    let mut one = [q, a, b].map(|score| (!score.is_nan()).then_some(score));
                    let rest: f64 = (0..3).filter_map(|at| Some(policy.weights[at] * one[at]?)).sum();
                    let weight: f64 = free.iter().map(|at| policy.weights[*at]).sum();
                    if weight > 0.0 {
                        let each = (overall - rest) / weight;
                        if !(-1e-9..=1.0 + 1e-9).contains(&each) {
                            continue;
                        }
                        free.iter().for_each(|at| one[*at] = Some(each.clamp(0.0, 1.0)));
                    }
                    scores.push(one);
                }
            }
        }
    }
    let counts = |name: &str| {
        let counts: Vec<u64> = values(proof, name).iter().map(|count| count.as_u64().unwrap()).collect();
        if counts.is_empty() { vec![0] } else { counts }
    };
    let spent = |name: &str| {
        let other = numbers(proof, name).into_iter().filter(|value| *value > 0.0);
        other.map(|value| value as u64).collect::<Vec<_>>()
    };
    let mut spending = vec![(0, 0)];
    spending.extend(spent("elapsed_ms").into_iter().map(|takes| (takes, 0)));
    spending.extend(spent("tokens").into_iter().map(|tokens| (0, tokens)));
    if asks_for_two(&Criterion::All(policy.all.clone())) || asks_for_two(&Criterion::Any(policy.any.clone()))
    {
        for takes in spent("elapsed_ms") {
            spending.extend(spent("tokens").into_iter().map(|tokens| (takes, tokens)));
        }
    }
    let contents: Vec<String> =
        values(proof, "candidate").iter().map(|word| word.as_str().unwrap().to_owned()).collect();
    let contents = if contents.is_empty() { vec!["new".to_owned()] } else { contents };
    let mut all = Vec::new();
    for scores in &scores {
        for critical in counts("issues.critical") {
            for escalate in counts("issues.escalate") {
                for (takes, tokens) in &spending {
                    for content in contents.iter().filter(|content| !is_equal(content)) {
                        let tried = Tried {
                            scores: *scores,
                            critical,
                            escalate,
                            takes: *takes,
                            tokens: *tokens,
                            ..nothing()
                        };
                        all.push(Next { tried, content: content.clone() });
                    }
                }
            }
        }
    }
    // Their scores are those of the candidate that they equal.
    for content in contents.iter().filter(|content| is_equal(content)) {
        all.extend(spending.iter().map(|(takes, tokens)| Next {
            tried: Tried { takes: *takes, tokens: *tokens, ..nothing() },
            content: content.clone(),
        }));
    }
    all
}

/// Returns whether two things must be used up at once for a group to hold.
fn asks_for_two(criterion: &Criterion) -> bool {
    match criterion {
        Criterion::All(members) => {
            members.iter().filter(|one| spends(one)).count() > 1 || members.iter().any(asks_for_two)
        }
        Criterion::Any(members) => members.iter().any(asks_for_two),
        _ => false,
    }
}

fn spends(criterion: &Criterion) -> bool {
    match criterion {
        Criterion::Any(members) | Criterion::All(members) => members.iter().any(spends),
        Criterion::Timeout(_) | Criterion::Cents(_) | Criterion::Tokens(_) | Criterion::Calls(_) => true,
        _ => false,
    }
}

fn is_equal(content: &str) -> bool {
    content.starts_with("equal to")
}

fn nothing() -> Tried {
    Tried {
        scores: [None; 3],
        critical: 0,
        escalate: 0,
        warn: 0,
        content: (0, None),
        takes: 0,
        cents: 0,
        tokens: 0,
        calls: 1,
    }
}

/// The next candidate of a run, if it can come next. The first part of what it is are values that may come back, the second
/// tells apart what is otherwise equal.
fn following(policy: &Policy, so_far: &[Tried], next: &Next) -> Option<Tried> {
    let new = u8::try_from(so_far.len()).unwrap();
    let latest = so_far.last().map(|one| one.content.0);
    if so_far.is_empty() && is_equal(&next.content) {
        return None;
    }
    let equal = match next.content.as_str() {
        "equal to the one before" => so_far.last(),
        "equal to the best so far" => so_far.get(policy.expected(so_far).best_iteration),
        _ => None,
    };
    if let Some(equal) = equal {
        return Some(Tried { takes: next.tried.takes, tokens: next.tried.tokens, ..equal.clone() });
    }
    let value = match next.content.as_str() {
        "new" => new,
        "new, with a value of the one before" => latest?,
        "new, with the value before that again" => {
            so_far.iter().rev().map(|one| one.content.0).find(|one| Some(*one) != latest)?
        }
        _ => return None,
    };
    Some(Tried { content: (value, Some(new)), ..next.tried.clone() })
}

/// Every run that ends, with how it does.
fn every_run(
    policy: &Policy,
    nexts: &[Next],
    depth: usize,
    so_far: &mut Vec<Tried>,
    see: &mut dyn FnMut(&[Tried], &Expected),
) {
    for next in nexts {
        let Some(tried) = following(policy, so_far, next) else { continue };
        so_far.push(tried);
        let end = policy.expected(so_far);
        if end.status != "incomplete" {
            see(so_far, &end);
        } else if so_far.len() < depth {
            every_run(policy, nexts, depth, so_far, see);
        }
        so_far.pop();
    }
}

/// A run of a proof, as the model has it.
fn as_tried(trajectory: &Trajectory) -> Vec<Tried> {
    let tried = |record: &loopctl::experiment::IterationRecord| {
        let score =
            |name: &str| record.scores.iter().find(|(known, _)| known == name).map(|(_, score)| score.get());
        let issues = |code: &str| record.issues.iter().filter(|issue| issue.code == code).count() as u64;
        Tried {
            scores: ["q", "a", "b"].map(score),
            critical: issues("A_CRITICAL"),
            escalate: issues("A_ESCALATE"),
            warn: 0,
            content: record.candidate.as_ref().map_or((0, None), |one| {
                let part = |key: &str| one[key].as_u64().unwrap() as u8;
                (part("value"), Some(part("number")))
            }),
            takes: record.elapsed_ms as u64,
            cents: 0,
            tokens: record.tokens,
            calls: 1,
        }
    };
    let mut all: Vec<Tried> = trajectory.iterations.iter().map(tried).collect();
    if trajectory.iterations.iter().all(|record| record.candidate.is_none()) {
        for (at, one) in all.iter_mut().enumerate() {
            one.content.0 = u8::try_from(at).unwrap();
        }
    }
    all
}

/// Returns whether reports can be compared: those on money and scripts differ in form. (The model's issues that
/// escalate are major.)
fn is_comparable(criterion: &Criterion) -> bool {
    match criterion {
        Criterion::Cents(_) | Criterion::Script(_) => false,
        Criterion::Any(members) | Criterion::All(members) => members.iter().all(is_comparable),
        _ => true,
    }
}

/// Lines that decided no run that was tried.
fn no_run(gap: &Gap) -> Option<&Vec<String>> {
    if let Gap::NoRun(lines) = gap { Some(lines) } else { None }
}

fn small(mut policy: Policy, most: usize) -> Policy {
    policy.max_iterations = Some(most);
    policy.max_corrections = None;
    policy.cents = None;
    policy.scripts.clear();
    policy.any.retain(is_comparable);
    policy.all.retain(is_comparable);
    for key in &mut policy.order {
        if *key == Key::FewestMajor {
            *key = Key::FewestEscalate;
        }
    }
    policy
}

/// More runs than these are not tried one by one.
const MOST_RUNS: usize = 8_000;

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "long"]
    fn a_naive_model_finds_the_same(policy in policies(), most in 1..=3_usize) {
        let mut policy = small(policy, most);
        let mut proof = proof_of(&policy);
        let mut nexts = every_next(&policy, &proof);
        if nexts.len().pow(most as u32) > MOST_RUNS {
            policy = small(policy, 2);
            proof = proof_of(&policy);
            nexts = every_next(&policy, &proof);
        }
        let depth = policy.max_iterations.unwrap();
        prop_assume!(nexts.len().pow(depth as u32) <= MOST_RUNS);
        // Of too many candidates a part is tried, which is reported; the model tries all.
        prop_assume!(!proof.enumerated.gaps.contains(&Gap::ManyCandidates));
        prop_assert!(proof.enumerated.complete, "{:?}", proof.enumerated);
        prop_assert_eq!(proof.enumerated.candidates, nexts.len(), "{:?}", proof.enumerated);

        let mut shortest: Vec<Option<usize>> = vec![None; PROMISES.len()];
        let mut reasons: BTreeSet<String> = BTreeSet::new();
        let mut runs = 0.0;
        every_run(&policy, &nexts, depth, &mut Vec::new(), &mut |tried, end| {
            runs += 1.0;
            reasons.insert(end.reason.clone());
            for ((_, holds), shortest) in PROMISES.iter().zip(&mut shortest) {
                if !holds(&policy, tried, end) && shortest.is_none_or(|known| tried.len() < known) {
                    *shortest = Some(tried.len());
                }
            }
        });
        prop_assert_eq!(proof.enumerated.histories, runs, "{}", policy.yaml());

        for ((text, holds), shortest) in PROMISES.iter().zip(&shortest) {
            let name = format!("always: {text}");
            let proved = proof.promises.iter().find(|proved| proved.promise.name == name).unwrap();
            let found = match proved.broken() {
                Some(Broken::Run(run)) => Some(run),
                _ => None,
            };
            let length = found.map(|run| run.trajectory.iterations.len());
            prop_assert_eq!(length, *shortest, "{}\n{}", text, policy.yaml());
            if let Some(run) = found {
                let tried = as_tried(&run.trajectory);
                let end = policy.expected(&tried);
                prop_assert!(!holds(&policy, &tried, &end), "{text}\n{}\n{tried:?}\n{end:?}", policy.yaml());
            }
        }
        // A criterion that ends a run is not dead, and the other way round.
        let lines = proof.promises.iter().flat_map(|proved| match &proved.shown {
            Shown::Broken(Broken::DeadLines(lines)) => vec![lines],
            Shown::NotShown(gaps) => gaps.iter().filter_map(no_run).collect(),
            _ => Vec::new(),
        });
        let dead: Vec<&String> = lines.flatten().collect();
        for criterion in policy.plain() {
            let (reason, key) = (criterion.name(), criterion.key());
            if key == "budget" {
                continue;
            }
            let is_dead = dead.iter().any(|line| **line == format!("stop.{key}"));
            prop_assert_eq!(is_dead, !reasons.contains(&reason), "{} of\n{}\n{:?}", key, policy.yaml(), dead);
        }
    }
}
