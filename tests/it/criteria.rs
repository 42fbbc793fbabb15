//! Criteria beyond scores and counts: paths that go back and forth, scripts, groups; and what the simulation shares
//! with the engine.

use super::harness::{Driver, Step, compiled, course, policy, q, stop_keys, tried};
use super::loop_inventions::{SCRIPT, criterion, policies, trajectories};
use super::loop_model::{Criterion, Tried};
use super::workspace::Workspace;
use loopctl::diag::{Style, render_human};
use loopctl::experiment::{Trajectory, simulate};
use loopctl::policy::{Decision, ScriptCriteria, StopReason};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn checks(decision: &Decision) -> Vec<String> {
    let shown = |check: &loopctl::policy::Check| {
        let at = check.path.as_ref().map_or(String::new(), |path| format!(" at {path}"));
        let sign = if check.holds { "holds" } else { "misses" };
        format!("{} {sign}: {} against {}{at}", check.line, check.value, check.bound)
    };
    decision.checks.iter().filter(|check| check.line.starts_with("stop.")).map(shown).collect()
}

#[test]
fn flip_flop_counts_how_often_a_path_came_back() {
    let candidates = |values: &[Value]| -> Vec<Step> {
        values.iter().map(|value| q(0.5).is(json!({"grade": value, "same": [1]}))).collect()
    };
    let (a, b, c) = (json!("2"), json!("3"), json!(null));
    let once = policy("stop: { flip_flop: { times: 1 } }");
    let twice = policy("stop: { flip_flop: { times: 2 } }");
    let stops = |at: usize| {
        format!("stopped_early/flip_flop after {at}: {} final_iteration_best, 0 rollbacks", at - 1)
    };
    for (policy, values, expected) in [
        (&once, vec![&a, &b, &a], stops(3)),
        (&once, vec![&a, &b, &b, &b, &a], stops(5)),
        (&once, vec![&a, &b, &c, &a], "goes on from 3".to_owned()),
        (&twice, vec![&a, &b, &a, &b], "goes on from 3".to_owned()),
        (&twice, vec![&a, &b, &a, &b, &a], stops(5)),
        (&twice, vec![&a, &b, &a, &c, &a, &b, &a], "goes on from 6".to_owned()),
        // There and back with b, then twice with c.
        (&twice, vec![&a, &b, &a, &c, &a, &c, &a], stops(7)),
    ] {
        let values: Vec<Value> = values.into_iter().cloned().collect();
        assert_eq!(Driver::through(policy, &candidates(&values)).summary(), expected, "{values:?}");
    }
    let driver = Driver::through(&twice, &candidates(&[a.clone(), b.clone(), a]));
    assert_eq!(
        checks(driver.decisions().last().unwrap())[1..],
        ["stop.flip_flop misses: 1 against 2 at /grade"]
    );
    // A field that comes and goes; and in a line of the terminal, which path it was.
    let steps = [json!({"x": 1}), json!({}), json!({"x": 1.0})].map(|candidate| q(0.5).is(candidate));
    let driver = Driver::through(&once, &steps);
    let line = loopctl::report::decision_line(driver.decisions().last().unwrap());
    assert_eq!(line, "→ stop, flip_flop (stop.flip_flop: 1 against 1 at /x)");
}

#[test]
fn groups_name_what_fired() {
    let stagnation = "stagnation: { window: 2, epsilon: 0.05 }";
    let decline = "decline: { length: 3 }";
    let ended = |at: usize, reason: &str, best: &str| {
        format!("stopped_early/{reason} after {at}: {best}, 0 rollbacks")
    };
    let peaked = "0 quality_peaked_at_iteration_0";
    for (stop, steps, expected) in [
        (
            format!("all: [{{ {stagnation} }}, {{ {decline} }}]"),
            course(&[0.6, 0.5, 0.48]),
            ended(3, "stagnation+decline", peaked),
        ),
        (
            format!("all: [{{ {stagnation} }}, {{ {decline} }}]"),
            course(&[0.6, 0.5, 0.4]),
            "goes on from 2".to_owned(),
        ),
        (
            format!("any: [{{ {decline} }}, {{ {stagnation} }}]"),
            course(&[0.6, 0.5, 0.48]),
            ended(3, "decline", peaked),
        ),
        (
            format!("any: [{{ {stagnation} }}, {{ {decline} }}]"),
            course(&[0.6, 0.58]),
            ended(2, "stagnation", peaked),
        ),
        (
            format!("all: [{{ max_iterations: 3 }}, {{ any: [{{ {decline} }}, {{ {stagnation} }}] }}]"),
            course(&[0.6, 0.58, 0.57]),
            ended(3, "max_iterations+decline", peaked),
        ),
        ("any: [{ max_iterations: 2 }]".to_owned(), course(&[0.6, 0.5]), ended(2, "max_iterations", peaked)),
        (
            "all: [{ max_corrections: 1 }, { script: { fifth: tried.rhai#fifth } }]".to_owned(),
            course(&[0.5; 5]),
            ended(5, "max_iterations+script:fifth", "4 final_iteration_best"),
        ),
        (
            format!("any: [{{ max_iterations: 2 }}]\n  all: [{{ {decline} }}]\n  {stagnation}")
                .replace("\n  ", ", "),
            course(&[0.6, 0.58]),
            ended(2, "stagnation", peaked),
        ),
    ] {
        let driver = Driver::through_scripted(&compiled(&format!("stop: {{ {stop} }}")), &steps);
        assert_eq!(driver.summary(), expected, "{stop}");
    }
    let stop =
        format!("stop: {{ all: [{{ {stagnation} }}, {{ any: [{{ {decline} }}, {{ rollbacks: 1 }}] }}] }}");
    let driver = Driver::through(&policy(&stop), &course(&[0.6, 0.25]));
    let seen = checks(driver.decisions().last().unwrap());
    assert_eq!(
        seen[1..],
        [
            "stop.all[0].stagnation misses: 0.35 against 0.05",
            "stop.all[1].any[0].decline misses: 2 against 3",
            "stop.all[1].any[1].rollbacks misses: 0 against 1"
        ]
    );
}

#[test]
fn groups_and_scripts_that_can_not_be_used_are_shown_where_they_stand() {
    for (stop, expected) in [
        ("any: []", "this group has no criterion"),
        ("any: { decline: { length: 2 } }", "expected a list of criteria, found a mapping"),
        ("all: [stagnation]", "expected one criterion, such as"),
        ("all: [{ decline: { length: 2 }, max_iterations: 3 }]", "is one criterion, found 2"),
        ("all: [{ declin: { length: 2 } }]", "unknown criterion `declin`"),
        ("all: [{ any: [{ timeout: 3 }] }]", "a duration needs its unit"),
        ("any: [{ unchanged: false }]", "expected `true`"),
        ("any: [{ script: { a: tried.rhai#flat, b: tried.rhai#flat } }]", "is one script, found 2"),
        ("all: [{ budget: {} }]", "this budget has no limit"),
        ("flip_flop: { times: 0 }", "`times`"),
        ("script: { 'a+b': tried.rhai#flat }", "is made of letters, digits"),
        ("script: { a: tried.rhai }", "expected a script and a function"),
        ("script: { a: tired.rhai#flat }", "there is no script `rules/tired.rhai`"),
        ("script: { a: tried.rhai#flatt }", "has no function `flatt`"),
        ("any: [{ script: { a: tried.rhai#two } }]", "`two` in `tried.rhai` takes 2 values"),
    ] {
        let script = format!("{SCRIPT}\nfn two(a, b) {{ true }}");
        let (_, problems) = tried(&format!("stop: {{ {stop} }}"), &script);
        let text = render_human(&problems, Style::Plain);
        assert!(problems.has_errors() && text.contains(expected.trim_matches('`')), "{stop}:\n{text}");
        assert!(problems.iter().all(|problem| problem.span.is_some()), "{stop}:\n{text}");
    }
    let (_, problems) = tried("stop: { script: { a: tried.rhai#flat } }", "fn flat(run) { true");
    let text = render_human(&problems, Style::Plain);
    assert!(problems.has_errors() && text.contains("tried.rhai:1"), "{text}");
}

#[test]
fn a_script_that_fails_never_ends_the_loop_and_is_noted() {
    for (function, why) in [
        ("fn f(run) { throw \"no idea\" }", "threw: no idea"),
        ("fn f(run) { 1 }", "returned i64; expected true or false"),
        ("fn f(run) { loop { } }", "went over its limit"),
        ("fn f(run) { run.iterations[7].overall > 0 }", "index"),
    ] {
        for stop in ["script: { odd: tried.rhai#f }", "any: [{ script: { odd: tried.rhai#f } }]"] {
            let (compiled, problems) = tried(&format!("stop: {{ {stop} }}"), function);
            assert!(problems.is_empty(), "{problems:?}");
            let driver = Driver::through_scripted(&compiled.unwrap(), &course(&[0.5, 0.6]));
            assert_eq!(driver.summary(), "goes on from 1");
            for decision in driver.decisions() {
                let [note] = &decision.notes[..] else { panic!("{:?}", decision.notes) };
                assert!(note.contains("script.odd` was not looked at") && note.contains(why), "{note}");
            }
        }
    }
    // Without its scripts a policy does not pass them over in silence either.
    let compiled = compiled("stop: { script: { flat: tried.rhai#flat } }");
    let driver = Driver::through(&compiled.policy, &course(&[0.5; 4]));
    assert_eq!(driver.summary(), "goes on from 3");
    assert!(driver.decisions().all(|decision| decision.notes.len() == 1));
}

#[test]
fn scripts_decide_and_warn_in_runs_and_simulations() {
    let place = Workspace::new();
    place.write(
        "rules/stop.rhai",
        "fn plateau(run) { run.iterations.len() == 2 }\nfn odd(run) { 1 / 0 > 0 }\n",
    );
    place.write(
        "profiles/mine.yaml",
        "extends: batch\nassess: { q: given }\noverall: { from: q }\naccept: { overall: 0.9 }
stop: { max_iterations: 9, min_improvement: null, script: { odd: stop.rhai#odd, plateau: stop.rhai#plateau } }\n",
    );
    let line = json!({"id": 1, "iterations": vec![json!({"scores": {"q": 0.5}}); 5]});
    place.write("t.jsonl", format!("{line}\n{line}\n"));
    let ran = place.run(&["simulate", "-p", "mine", "t.jsonl"]).exits(0);
    assert_eq!(ran.lines()[1]["stop_reason"], "script:plateau");
    assert_eq!(ran.lines()[1]["final_status"], "stopped_early");
    assert_eq!(
        ran.err.matches("warning: `mine`: the criterion `stop.script.odd` was not looked at").count(),
        1
    );

    place.write("answers.jsonl", "{\"value\": {\"a\": 1}}\n{\"value\": {\"a\": 2}}\n");
    place.write("doc.txt", "text");
    let ran = place.run(&[
        "run",
        "-p",
        "mine",
        "--config",
        "assess.q={script: stop.rhai#half}",
        "--provider",
        "scripted",
        "--provider-config",
        "file=answers.jsonl",
        "--format",
        "json",
        "doc.txt",
    ]);
    ran.exits(2).says(&["`stop.rhai` has no function `half`"]);
    place.write("rules/half.rhai", "fn half(candidate, source) { 0.5 }\n");
    let ran = place
        .run(&[
            "run",
            "-p",
            "mine",
            "--config",
            "assess.q={script: half.rhai#half}",
            "--provider",
            "scripted",
            "--provider-config",
            "file=answers.jsonl",
            "--format",
            "json",
            "doc.txt",
        ])
        .exits(3)
        .says(&["warning: the criterion `stop.script.odd` was not looked at", "→ stop, script:plateau"]);
    let result = ran.json();
    assert_eq!(result["stop_reason"], "script:plateau");
    // Said once in the result, though each decision says it.
    assert_eq!(result["warnings"].to_string().matches("stop.script.odd").count(), 1, "{result}");
}

/// An `overall` that a judge gives is a dimension and the overall score in one.
#[test]
fn the_overall_score_may_be_a_dimension_of_its_own() {
    let own = "assess: { overall: given, q: given }\noverall: { from: overall }";
    let step = |overall: f64, a: f64| q(0.1).score("overall", overall).score("a", a);
    for (more, steps, expected) in [
        ("", vec![step(0.95, 0.0)], "passed/accepted after 1: 0 only_iteration, 0 rollbacks"),
        ("", vec![step(0.94, 1.0)], "goes on from 0"),
        (
            "gate: { overall: 0.5 }",
            vec![step(0.4, 1.0)],
            "failed/gate after 1: 0 only_iteration, 0 rollbacks",
        ),
    ] {
        assert_eq!(Driver::through(&policy(&format!("{own}\n{more}")), &steps).summary(), expected, "{more}");
    }
    let (_, problems) = tried("assess: { overall: given }\noverall: { q: 1, from: null }", SCRIPT);
    let text = render_human(&problems, Style::Plain);
    assert!(
        text.contains("can't be called `overall`") && text.contains("overall: { from: overall }"),
        "{text}"
    );
}

/// Everything that a line for `simulate` says of a trajectory.
fn recorded(trajectory: &[Tried]) -> Trajectory {
    let iterations: Vec<Value> = trajectory.iter().map(Tried::recorded).collect();
    Trajectory::parse(json!({"id": "d", "iterations": iterations}).to_string().as_bytes()).unwrap()
}

proptest! {
    #![proptest_config(config(250))]

    #[test]
    fn simulate_decides_as_a_run_does(policy in policies(), trajectory in trajectories(), length in 1..=9_usize) {
        let compiled = compiled(&policy.yaml());
        // In a simulation each iteration is one call.
        let seen: Vec<Tried> = trajectory[..length].iter().map(|one| Tried { calls: 1, ..one.clone() }).collect();
        let simulated = simulate(&compiled.policy, &compiled.scripts, &recorded(&seen));
        let steps: Vec<Step> = seen.iter().map(Tried::step).collect();
        let driver = Driver::through_scripted(&compiled, &steps);
        prop_assert_eq!(simulated.decisions.iter().collect::<Vec<_>>(), driver.decisions().collect::<Vec<_>>());
        match &driver.outcome {
            Some(outcome) => prop_assert_eq!(&simulated.outcome, outcome),
            None => prop_assert_eq!(&simulated.outcome.stop_reason, &StopReason::TrajectoryExhausted),
        }

        let expected = policy.expected(&seen);
        let outcome = &simulated.outcome;
        prop_assert_eq!(outcome.final_status.as_str(), expected.status);
        prop_assert_eq!(outcome.stop_reason.to_string(), expected.reason);
        prop_assert_eq!(outcome.iteration_count, expected.iteration_count);
        prop_assert_eq!(outcome.best_iteration, Some(expected.best_iteration));
        prop_assert_eq!(outcome.selection_reason.unwrap().to_string(), expected.selection_reason);
        prop_assert_eq!(outcome.rollbacks, expected.rollbacks);
        let assessed = &seen[..expected.iteration_count];
        let cost: f64 = assessed.iter().map(|one| f64::from(one.cents) / 100.0).sum();
        prop_assert!((outcome.usage.known_cost_usd.get() - cost).abs() < 1e-9);
        prop_assert_eq!(outcome.usage.tokens, assessed.iter().map(|one| one.tokens).sum::<u64>());
    }

    #[test]
    fn rollbacks_are_counted_where_decisions_say_so(policy in policies(), trajectory in trajectories()) {
        let compiled = compiled(&policy.yaml());
        let simulated = simulate(&compiled.policy, &compiled.scripts, &recorded(&trajectory));
        let rolled_back = simulated.decisions.iter().filter(|decision| decision.rolled_back).count();
        prop_assert_eq!(simulated.outcome.rollbacks, rolled_back as u64);
        prop_assert!(policy.rollback || rolled_back == 0);
        // A candidate that was rolled back is never built upon, nor what is returned unless it is the best or last.
        for (before, decision) in simulated.decisions.iter().zip(simulated.decisions.iter().skip(1)) {
            if let (loopctl::policy::Verdict::Continue { base }, true) = (&decision.verdict, decision.rolled_back) {
                prop_assert_eq!(*base, before.best);
            }
        }
    }

    /// With nothing else configured, a criterion ends the loop at the same candidate on its own and as the only member of
    /// a group, and returns the same.
    #[test]
    fn a_group_of_one_is_its_member(criterion in criterion(), trajectory in trajectories(), all in any::<bool>(), rollback in any::<bool>()) {
        let wrapped = if all { Criterion::All(vec![criterion.clone()]) } else { Criterion::Any(vec![criterion.clone()]) };
        let ends = |criterion: &Criterion| {
            let regression = if rollback { "rollback" } else { "keep" };
            let compiled = compiled(&format!("accept: {{ overall: 1, critical_issues: 0 }}\noverall: {{ from: null, q: 0.5, a: 0.5 }}\non_regression: {regression}\nstop: {{ {} }}", criterion.yaml()));
            simulate(&compiled.policy, &compiled.scripts, &recorded(&trajectory)).outcome
        };
        let (plain, group) = (ends(&criterion), ends(&wrapped));
        prop_assert_eq!(group.iteration_count, plain.iteration_count);
        prop_assert_eq!(group.stop_reason.to_string(), plain.stop_reason.to_string());
        prop_assert_eq!(group.best_iteration, plain.best_iteration);
        prop_assert_eq!(group.improvement_trajectory, plain.improvement_trajectory);
    }

    /// `all` waits for the last of its members, `any` for none.
    #[test]
    fn any_fires_no_later_than_its_members_and_all_no_earlier(
        one in criterion(), other in criterion(), trajectory in trajectories(),
    ) {
        let ends = |criterion: &Criterion| {
            let compiled = compiled(&format!("accept: {{ overall: 1 }}\nstop: {{ {} }}", criterion.yaml()));
            let simulated = simulate(&compiled.policy, &compiled.scripts, &recorded(&trajectory));
            (simulated.outcome.iteration_count, simulated.outcome.stop_reason == StopReason::TrajectoryExhausted)
        };
        let (first, second) = (ends(&one), ends(&other));
        let any = ends(&Criterion::Any(vec![one.clone(), other.clone()]));
        let all = ends(&Criterion::All(vec![one, other]));
        prop_assert_eq!(any, first.min(second));
        prop_assert!(all >= first.max(second) || all.1 || first.1 || second.1);
        prop_assert!(all.0 >= first.0.max(second.0));
    }
}

/// The independent model has every declared criterion, alone and in groups, and in the declared order.
#[test]
fn no_criterion_is_missing_where_policies_are_invented() {
    let declared: Vec<String> = stop_keys().into_iter().map(str::to_owned).collect();
    let mut runner = TestRunner::deterministic();
    let (mut alone, mut in_groups) = (BTreeSet::new(), BTreeSet::new());
    for _ in 0..2_000 {
        in_groups.insert(criterion().new_tree(&mut runner).unwrap().current().key());
        let policy = policies().new_tree(&mut runner).unwrap().current();
        let keys: Vec<String> = policy.plain().iter().map(Criterion::key).collect();
        assert!(keys.is_sorted_by_key(|key| declared.iter().position(|one| one == key)), "{keys:?}");
        alone.extend(keys);
    }
    let declared: BTreeSet<String> = declared.into_iter().collect();
    assert_eq!(alone, declared, "`Policy::plain` of loop_model.rs and `policies` of loop_inventions.rs");
    assert_eq!(in_groups, declared, "`criterion` of loop_inventions.rs");
}

#[test]
fn without_scripts_nothing_is_compiled() {
    assert_eq!(format!("{:?}", compiled("").scripts), format!("{:?}", ScriptCriteria::default()));
}
