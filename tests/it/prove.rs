//! `loopctl prove`, and `loopctl profile diff --prove`.

use super::workspace::Workspace;
use loopctl::diag::Problems;
use loopctl::experiment::prove::{Broken, Effort, Proof, Proved, Subject, prove};
use loopctl::experiment::simulate;
use loopctl::policy::{Promises, ScriptCriteria};
use loopctl::profile::{Library, Override, load};
use serde_json::{Value, json};

/// A policy that keeps its promises on what is accepted.
const STRICT: &str = "
classify: null
assess: { q: given, s: given }
overall: { q: 1 }
accept: { overall: 0.9, critical_issues: 0, escalate_issues: 0 }
stop: { max_iterations: 2 }
promises:
  - always: calls <= 2
  - never: passed and issues.critical > 0
  - never: passed and issues.escalate > 0
  - never: passed and overall < 0.9
  - never: passed and q < 0.9
  - script: promises.rhai#kept
";

/// One that keeps its promises on how it continues, and on what it returns.
const STEADY: &str = "
classify: null
assess: { q: given, s: given }
overall: { q: 1 }
accept: { overall: 0.9 }
gate: { s: 0.5, on_correction: stop }
on_regression: rollback
stop:
  max_iterations: 5
  rollbacks: 2
  min_improvement: { delta: 0.05, patience: 3, baseline: best }
select: { order: [overall], ties: last }
promises:
  - never: passed and s < 0.5
  - passed or returned >= best_seen
  - passed or returned >= first
  - rollbacks <= 2
  - monotone: q
";

/// One with a gate.
const GATED: &str = "
classify: null
assess: { q: given, s: given }
overall: { q: 1 }
accept: { overall: 0.9 }
gate: { s: 0.5, on_correction: stop }
on_regression: rollback
stop: { max_iterations: 2 }
select: { order: [overall], ties: last }
promises:
  - never: passed and s < 0.5
  - passed or returned >= best_seen
  - passed or returned >= first
";

/// One with limits of time and tokens.
const THRIFTY: &str = "
classify: null
assess: { q: given }
overall: { q: 1 }
accept: { overall: 0.9 }
stop: { max_iterations: 4, timeout: 30s, budget: { tokens: 1000 } }
";

/// `rules/promises.rhai`
const SCRIPT: &str = "fn kept(run) { run.iterations.len() <= 2 && run.status != \"incomplete\" }";

/// A policy with a limit and nothing else.
const LIMITED: &str = "
classify: null
assess: { q: given }
overall: { q: 1 }
accept: { overall: 0.9 }
stop: { max_iterations: 4 }
";

/// The proof of a profile with settings laid over it.
fn proof(profile: &str, flags: &[&str]) -> Proof {
    proof_within(profile, flags, Effort { random: 50, ..Effort::default() })
}

fn proof_within(profile: &str, flags: &[&str], effort: Effort) -> Proof {
    let library =
        Library::embedded().holding("profiles/tried.yaml", profile).holding("rules/promises.rhai", SCRIPT);
    let mut problems = Problems::new();
    let overrides: Vec<Override> =
        flags.iter().filter_map(|flag| Override::from_flag(flag, &mut problems)).collect();
    let loaded = load("tried", &library, &overrides, &|_| None, &mut problems).unwrap();
    let profile = &loaded.profile;
    let scripts = ScriptCriteria::compile(&profile.policy.stop, &loaded.library, &mut problems);
    let dimensions: Vec<&str> = profile.dimensions.iter().map(|one| one.name.as_str()).collect();
    let promises = Promises::compile(&profile.promises, &dimensions, &loaded.library, &mut problems);
    assert!(!problems.has_errors(), "{flags:?}: {problems:?}");
    let range = |_: &str| (0.0, 1.0);
    let subject = Subject { policy: &profile.policy, scripts: &scripts, range: &range };
    let proof = prove(&subject, &promises, effort);
    // A counterexample is what the policy makes of the trajectory, and no more.
    for proved in &proof.promises {
        if let Some(Broken::Run(run)) = proved.broken() {
            assert_eq!(run.simulated, simulate(&profile.policy, &scripts, &run.trajectory), "{flags:?}");
            assert_eq!(run.simulated.decisions.len(), run.trajectory.iterations.len(), "{flags:?}");
        }
    }
    proof
}

/// The broken promises: the name of each, or the lines that are dead.
fn broken(proof: &Proof) -> Vec<String> {
    let of = |proved: &Proved| match proved.broken() {
        None => Vec::new(),
        Some(Broken::DeadLines(lines)) => lines.iter().map(|line| format!("dead: {line}")).collect(),
        Some(_) => vec![proved.promise.name.clone()],
    };
    proof.promises.iter().flat_map(of).collect()
}

/// Mistakes that a user could make in a policy, each with a promise that must break.
const MISTAKES: &[(&str, &[&str], &str)] = &[
    (STRICT, &["stop.max_iterations=3"], "always: calls <= 2"),
    (STRICT, &["stop.max_iterations=3"], "script: promises.rhai#kept"),
    (STRICT, &["stop.max_iterations=null", "stop.max_corrections=2"], "always: calls <= 2"),
    (STRICT, &["accept.critical_issues=null"], "never: passed and issues.critical > 0"),
    (STRICT, &["accept.critical_issues=1"], "never: passed and issues.critical > 0"),
    (STRICT, &["accept.escalate_issues=null"], "never: passed and issues.escalate > 0"),
    (STRICT, &["accept.escalate_issues=2"], "never: passed and issues.escalate > 0"),
    (STRICT, &["accept.overall=0.89"], "never: passed and overall < 0.9"),
    (STRICT, &["accept.overall=0.899"], "never: passed and q < 0.9"),
    (STRICT, &["accept.overall=null"], "never: passed and overall < 0.9"),
    (STRICT, &["accept={ overall: null, s: 0.9 }"], "never: passed and q < 0.9"),
    (STRICT, &["overall={ q: 0.5, s: 0.5 }"], "never: passed and q < 0.9"),
    (STRICT, &["on_escalate=stop"], "dead: accept.escalate_issues"),
    (STRICT, &["accept.q=0.8"], "dead: accept.q"),
    (GATED, &["gate=null"], "never: passed and s < 0.5"),
    (GATED, &["gate={ s: 0.4 }"], "never: passed and s < 0.5"),
    (STEADY, &["select.return=last"], "always: passed or returned >= best_seen"),
    (STEADY, &["select.return=last"], "returns_best"),
    (STEADY, &["select.return=last"], "always: passed or returned >= first"),
    (GATED, &["select.order=[s]"], "always: passed or returned >= best_seen"),
    (GATED, &["select.order=[no_critical, overall]"], "always: passed or returned >= best_seen"),
    (GATED, &["select.order=[{ fewest: escalate }, overall]"], "always: passed or returned >= first"),
    (STEADY, &["stop.rollbacks=3"], "always: rollbacks <= 2"),
    (STEADY, &["stop.rollbacks=null", "stop.min_improvement=null"], "always: rollbacks <= 2"),
    (STEADY, &["on_regression=keep"], "dead: stop.rollbacks"),
    (STEADY, &["stop.stagnation={ window: 2, epsilon: 0.05 }"], "monotone"),
    (STEADY, &["stop.stagnation={ window: 2, epsilon: 0.05 }"], "monotone: q"),
    (STEADY, &["stop.min_improvement.patience=5"], "dead: stop.min_improvement"),
    (STEADY, &["stop.min_improvement.delta=0"], "dead: stop.min_improvement"),
    (STEADY, &["stop.decline={ length: 4 }"], "dead: stop.decline"),
    (GATED, &["accept.s=0.4"], "dead: accept.s"),
    (GATED, &["gate.s=0"], "dead: gate"),
    (STEADY, &["stop.max_iterations=1"], "dead: stop.rollbacks"),
    (LIMITED, &["stop.flip_flop={ times: 3 }"], "dead: stop.flip_flop"),
    (LIMITED, &["stop.oscillation={ window: 5, flips: 3 }"], "dead: stop.oscillation"),
    (LIMITED, &["stop.oscillation={ window: 3, flips: 1, amplitude: 0.1 }"], "monotone"),
    (LIMITED, &["stop.unchanged=true", "stop.any=[{ unchanged: true }]"], "dead: stop.any[0].unchanged"),
    (LIMITED, &["stop.any=[{ max_iterations: 5 }]"], "dead: stop.any[0].max_iterations"),
    (THRIFTY, &["stop.any=[{ timeout: 40s }]"], "dead: stop.any[0].timeout"),
    (THRIFTY, &["stop.any=[{ budget: { tokens: 2000 } }]"], "dead: stop.any[0].budget.tokens"),
];

#[test]
fn mistakes_in_a_policy_break_the_promise_that_they_touch() {
    for kept in [STRICT, GATED, STEADY, THRIFTY, LIMITED] {
        let proof = proof(kept, &[]);
        assert_eq!(broken(&proof), [""; 0], "{kept}");
        assert!(proof.enumerated.complete && proof.enumerated.gaps.is_empty(), "{:?}", proof.enumerated);
    }
    let mut missed = Vec::new();
    let mut tried: Vec<(&str, &[&str], Vec<String>)> = Vec::new();
    for (policy, flags, promise) in MISTAKES {
        let known = tried.iter().position(|(of, with, _)| of == policy && with == flags);
        let at = known.unwrap_or_else(|| {
            tried.push((policy, flags, broken(&proof(policy, flags))));
            tried.len() - 1
        });
        let found = &tried[at].2;
        if !found.iter().any(|found| found == promise) {
            missed.push((flags, promise, found.clone()));
        }
    }
    assert!(tried.len() >= 30);
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn counterexamples_are_the_shortest() {
    let length = |profile: &str, flags: &[&str], promise: &str| {
        let proof = proof(profile, flags);
        let proved = proof.promises.iter().find(|proved| proved.promise.name == promise).unwrap();
        let Some(Broken::Run(run)) = proved.broken() else { panic!("{promise} holds") };
        assert!(!run.by_chance);
        run.trajectory.iterations.len()
    };
    assert_eq!(length(STRICT, &["accept.critical_issues=null"], "never: passed and issues.critical > 0"), 1);
    assert_eq!(length(STEADY, &["select.return=last"], "always: passed or returned >= best_seen"), 2);
    assert_eq!(length(STRICT, &["stop.max_iterations=6"], "always: calls <= 2"), 3);
}

#[test]
fn what_is_too_much_is_said_and_tried_by_chance() {
    let long = LIMITED.replace("max_iterations: 4", "max_iterations: 900");
    let effort = Effort { decisions: 50, random: 500, ..Effort::default() };
    let proof = proof_within(&long, &["promises=[{ never: iterations == 9 }]"], effort);
    assert!(!proof.enumerated.complete && proof.enumerated.depth < 9, "{:?}", proof.enumerated);
    let found = proof.promises.iter().find(|one| one.promise.name.starts_with("never")).unwrap();
    let Some(Broken::Run(run)) = found.broken() else { panic!("not found by chance") };
    assert!(run.by_chance);
    assert_eq!(run.trajectory.iterations.len(), 9);
}

#[test]
#[ignore = "long"]
fn the_promises_of_shipped_profiles_hold() {
    let place = Workspace::new();
    for name in
        ["aas", "balanced", "batch", "clinical", "definition", "literature", "marc", "marc-v1", "real-time"]
    {
        let proof = place.run(&["prove", name, "--format", "json", "--random", "300"]).exits(0).json();
        assert_eq!(
            (&proof["holds"], &proof["enumerated"]["complete"]),
            (&json!(true), &json!(true)),
            "{name}"
        );
    }
}

/// A profile of a project with a mistake in it.
fn broken_project() -> Workspace {
    let place = Workspace::new();
    place.write("rules/promises.rhai", SCRIPT);
    let careless = STRICT
        .replace("critical_issues: 0", "critical_issues: 1")
        .replace("max_iterations: 2", "max_iterations: 3, stagnation: { window: 2, epsilon: 0.05 }");
    place.write("profiles/mine.yaml", careless);
    place
}

#[test]
fn a_broken_promise_is_told_with_the_run_and_its_places() {
    let place = broken_project();
    let ran = place.run(&["prove", "mine"]).exits(3);
    insta::assert_snapshot!("prove_broken", ran.out);
    let proof = place.run(&["prove", "mine", "--format", "json"]).exits(3).json();
    let broken: Vec<&Value> =
        proof["promises"].as_array().unwrap().iter().filter(|one| one["holds"] == false).collect();
    let critical =
        broken.iter().find(|one| one["promise"] == "never: passed and issues.critical > 0").unwrap();
    assert!(critical["place"].as_str().unwrap().starts_with("profiles/mine.yaml:9:"), "{critical}");
    assert_eq!(critical["counterexample"]["outcome"]["final_status"], "passed");
    assert_eq!(critical["counterexample"]["trajectory"]["iterations"].as_array().unwrap().len(), 1);
}

#[test]
fn counterexamples_are_files_that_simulate_and_test_take() {
    let place = broken_project();
    place.run(&["prove", "mine", "--out", "runs.jsonl"]).exits(3);
    let lines = place.run(&["simulate", "-p", "mine", "--format", "jsonl", "runs.jsonl"]).exits(0).lines();
    let critical = lines.iter().find(|line| line["id"] == "never: passed and issues.critical > 0").unwrap();
    assert_eq!(critical["final_status"], "passed");
    // Both runs of a promise about two candidates are there.
    assert!(lines.iter().any(|line| line["id"] == "monotone (the worse candidate)"), "{lines:?}");

    place.run(&["prove", "mine", "--out", "runs/"]).exits(3);
    let name = "runs/never-passed-and-issues-critical-0.jsonl";
    let run: Value = serde_json::from_str(&std::fs::read_to_string(place.path(name)).unwrap()).unwrap();
    place.run(&["simulate", "-p", "mine", name]).exits(0);
    let case = json!({ "cases": [{
        "name": "one critical issue does not pass",
        "trajectory": run["iterations"],
        "expect": { "final_status": "max_iterations_reached" },
    }] });
    place.write("profiles/mine.test.yaml", case.to_string());
    place.run(&["test", "mine"]).exits(3).finds(&["final_status"]);
}

#[test]
fn promises_may_stand_in_a_file_of_their_own() {
    let place = Workspace::new();
    place.write("promises.yaml", "promises: [{ always: calls <= 5 }, { monotone: accuracy }]\n");
    let ran = place.run(&["prove", "balanced", "--promises", "promises.yaml", "--random", "100"]).exits(3);
    assert!(ran.out.contains("broken     always: calls <= 5  [promises.yaml:1:22]"), "{}", ran.out);
    assert!(ran.out.contains("holds      monotone: accuracy"), "{}", ran.out);
    place.run(&["prove", "balanced", "--promises", "none.yaml"]).exits(2).says(&["none.yaml"]);
}

#[test]
fn what_cannot_be_promised_is_refused_where_it_stands() {
    for (promises, said) in [
        ("[{ always: cals <= 6 }]", "did you mean `calls`?"),
        ("[{ never: passed and issues.critcal > 0 }]", "it can't be computed"),
        ("[{ monotone: acuracy }]", "did you mean `accuracy`?"),
        ("[{ waive: monotonic }]", "did you mean `monotone`?"),
        ("[{ always: passed, never: passed }]", "a promise is one of"),
        ("[{ waive: ends, line: stop.decline }]", "`line` belongs to `waive: no_dead_criterion`"),
        ("[{ always: passed, because: why not }]", "`because` belongs to `waive`"),
        ("[{ script: none.rhai#f }]", "there is no script `rules/none.rhai`"),
        ("[passed = 1]", "write `==`"),
        ("[3]", "expected a condition, or a mapping"),
    ] {
        let place = Workspace::new();
        place.write("profiles/mine.yaml", format!("extends: balanced\npromises: {promises}\n"));
        place.run(&["prove", "mine"]).exits(2).says(&["profiles/mine.yaml:2:", said]);
        // `check` says it, too.
        place.run(&["check", "mine"]).exits(2).finds(&[said]);
    }
    let place = Workspace::new();
    let waived = "extends: balanced\npromises: [{ waive: no_dead_criterion, line: stop.unchangd }]\n";
    place.write("profiles/mine.yaml", waived);
    place.run(&["prove", "mine"]).exits(0).says(&["did you mean `stop.unchanged`?"]);
}

#[test]
fn two_policies_are_compared_over_every_run() {
    let place = Workspace::new();
    place.write("profiles/a.yaml", LIMITED);
    place.write("profiles/same.yaml", LIMITED.replace("max_iterations: 4", "max_corrections: 3"));
    place.write("profiles/strict.yaml", LIMITED.replace("0.9", "0.95"));
    place.write("profiles/short.yaml", LIMITED.replace("max_iterations: 4", "max_iterations: 3"));
    let compared = |other: &str| {
        place.run(&["profile", "diff", "--prove", "a", other, "--format", "json"]).exits(0).json()
    };
    let only = |compared: &Value| {
        ["before_accepts_only_what_after_accepts", "after_accepts_only_what_before_accepts"]
            .map(|key| compared[key]["holds"].as_bool().unwrap())
    };
    let same = compared("same");
    assert_eq!((&same["same"], only(&same)), (&json!(true), [true, true]), "{same}");
    assert_eq!(same["enumerated"]["complete"], true);
    let strict = compared("strict");
    assert_eq!((&strict["same"], only(&strict)), (&json!(false), [false, true]));
    assert_eq!(strict["difference"]["before"]["trajectory"]["iterations"].as_array().unwrap().len(), 1);
    let short = compared("short");
    assert_eq!((&short["same"], only(&short)), (&json!(false), [false, true]));
    assert_eq!(short["difference"]["before"]["trajectory"]["iterations"].as_array().unwrap().len(), 3);

    let text =
        place.run(&["profile", "diff", "--prove", "a", "short", "--exit-code", "--out", "d.jsonl"]).exits(3);
    insta::assert_snapshot!("prove_difference", text.out);
    place.run(&["simulate", "-p", "a", "-p", "short", "d.jsonl"]).exits(0);
    place.run(&["profile", "diff", "--prove", "a", "same", "--exit-code"]).exits(0);
}
