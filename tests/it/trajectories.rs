//! The decision table through the command: a provider that answers from a file walks a known course of scores.

use crate::workspace::{Ran, Workspace};
use serde_json::{Map, Value, json};

/// One field in ten is a score of 0.1: an answer with seven fields has 0.7.
const RUBRIC: &str = "types: { unknown: { required: [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10] } }\n";
const RULES: &str = "rules:
  - { id: flawless, when: { field: flaw, required: true }, field: flaw, equals: none, severity: critical }
  - { id: doubtless, when: { field: doubt, required: true }, field: doubt, equals: none, disposition: escalate }
";
const PROFILE: &str = "classify: null
stages:
  - { id: extract, provider: scripted, config: { file: answers.jsonl } }
assess:
  quality: { rubric: steps }
  flaws: { rules: steps, penalty: 0.0, floor: 1.0 }
overall: { from: quality }
accept: { overall: 0.9 }
";

/// A folder with the profile `steps`, whose loop ends as `policy` says, and the provider's answers.
pub(crate) fn steps(policy: &str, answers: &[Value]) -> Workspace {
    let place = Workspace::new();
    place.write("rules/rubrics/steps.yaml", RUBRIC);
    place.write("rules/steps.yaml", RULES);
    place.write("profiles/steps-measured.yaml", PROFILE);
    place.write("profiles/steps.yaml", format!("extends: steps-measured\n{policy}"));
    place.write("doc.txt", "Nothing is read from here.");
    answer(&place, answers);
    place
}

pub(crate) fn answer(place: &Workspace, answers: &[Value]) {
    let lines: String = answers.iter().map(|answer| format!("{answer}\n")).collect();
    place.write("answers.jsonl", lines);
}

/// An answer that scores `tenths` tenths.
pub(crate) fn scoring(tenths: usize) -> Value {
    json!({ "value": candidate(tenths) })
}

fn candidate(tenths: usize) -> Value {
    (1..=tenths).map(|n| (format!("f{n}"), json!(n))).collect::<Map<_, _>>().into()
}

/// Like [`scoring`], with something about it that the rules find.
fn with(tenths: usize, field: &str) -> Value {
    let mut answer = scoring(tenths);
    answer["value"][field] = json!("yes");
    answer
}

pub(crate) fn run(place: &Workspace, more: &[&str]) -> Ran {
    let mut arguments = vec!["run", "--profile", "steps", "--format", "json", "--out", "out", "doc.txt"];
    arguments.extend(more);
    place.run(&arguments)
}

/// Runs a course of tenths under a policy.
fn course(policy: &str, tenths: &[usize]) -> Value {
    let answers: Vec<Value> = tenths.iter().map(|tenths| scoring(*tenths)).collect();
    run(&steps(policy, &answers), &[]).json()
}

/// Checks how it ended: status, reason, candidates, best, why, rollbacks.
#[track_caller]
fn assert_ends(result: &Value, status: &str, reason: &str, iterations: usize, best: usize, rollbacks: u64) {
    assert_eq!(result["final_status"], status, "{result}");
    assert_eq!(result["stop_reason"], reason, "{result}");
    assert_eq!(result["iteration_count"], iterations, "{result}");
    assert_eq!(result["best_iteration"], best, "{result}");
    assert_eq!(result["rollbacks"], rollbacks, "{result}");
    let why = match (iterations, best) {
        (1, _) => "only_iteration".to_owned(),
        (all, best) if best + 1 == all => "final_iteration_best".to_owned(),
        _ => format!("quality_peaked_at_iteration_{best}"),
    };
    assert_eq!(result["selection_reason"], why);
}

const FOUR: &str = "stop: { max_iterations: 4 }\n";

#[test]
fn a_good_candidate_is_accepted_at_once() {
    let place = steps(FOUR, &[scoring(9)]);
    let ran = run(&place, &[]).exits(0);
    let result = ran.json();
    assert_ends(&result, "passed", "accepted", 1, 0, 0);
    assert_eq!(result["best_extraction"], candidate(9));
    assert_eq!(result["improvement_trajectory"], json!([0.9]));
    assert_eq!(
        place.names("out"),
        ["doc-extraction.json", "doc-result.json", "doc-validation.json", "journal.sqlite"]
    );
}

#[test]
fn the_loop_ends_at_its_limit_and_not_before() {
    let result = course(FOUR, &[1, 3, 5, 7, 9]);
    assert_ends(&result, "max_iterations_reached", "max_iterations", 4, 3, 0);
    assert_eq!(result["improvement_trajectory"], json!([0.1, 0.3, 0.5, 0.7]));
    assert_ends(&course(FOUR, &[1, 3, 5, 9]), "passed", "accepted", 4, 3, 0);
    let two = course("stop: { max_corrections: 2 }\n", &[1, 7, 5, 9]);
    assert_ends(&two, "max_iterations_reached", "max_iterations", 3, 1, 0);
    let none = course("stop: { max_corrections: 0 }\n", &[1, 7]);
    assert_ends(&none, "max_iterations_reached", "max_iterations", 1, 0, 0);
}

#[test]
fn every_line_of_accept_must_hold() {
    let policy = "accept: { critical_issues: 0, flaws: 0.5 }\nselect: { order: [no_critical, overall] }\n\
                  stop: { max_iterations: 3 }\n";
    let flawed = run(&steps(policy, &[with(10, "flaw"), with(9, "flaw"), scoring(9)]), &[]).exits(0);
    assert_ends(&flawed.json(), "passed", "accepted", 3, 2, 0);
    let never = run(&steps(policy, &[with(10, "flaw"), scoring(3), with(9, "flaw")]), &[]).exits(3);
    assert_ends(&never.json(), "max_iterations_reached", "max_iterations", 3, 1, 0);
    assert_eq!(never.json()["iterations"][0]["critical"], 1);
}

#[test]
fn too_little_gain_ends_it() {
    // 0.5 → 0.6 meets a delta of 0.1, though the difference of the two floating point numbers is below it.
    let once =
        "stop: { max_iterations: 9, min_improvement: { delta: 0.1, patience: 1, baseline: previous } }\n";
    assert_ends(&course(once, &[5, 6, 7, 7, 9]), "stopped_early", "min_improvement", 4, 3, 0);
    assert_ends(&course(once, &[5, 3, 9]), "stopped_early", "min_improvement", 2, 0, 0);
    assert_ends(&course(once, &[5, 9]), "passed", "accepted", 2, 1, 0);
    let twice =
        "stop: { max_iterations: 9, min_improvement: { delta: 0.1, patience: 2, baseline: previous } }\n";
    assert_ends(&course(twice, &[5, 3, 4, 4, 4, 9]), "stopped_early", "min_improvement", 5, 0, 0);
    // Against the best so far, climbing back is no gain.
    let best = "stop: { max_iterations: 9, min_improvement: { delta: 0.1, patience: 2, baseline: best } }\n";
    assert_ends(&course(best, &[5, 3, 4, 9]), "stopped_early", "min_improvement", 3, 0, 0);
}

#[test]
fn a_regression_goes_back_to_the_best() {
    let policy = "on_regression: rollback\nselect: { order: [overall], ties: first }\n\
                  stop: { max_iterations: 9, rollbacks: 2 }\n";
    assert_ends(&course(policy, &[5, 3, 4, 9]), "stopped_early", "rollbacks", 3, 0, 2);
    // An equal candidate is no regression, and resets the count.
    let result = course(policy, &[5, 3, 5, 4, 6, 2, 2, 9]);
    assert_ends(&result, "stopped_early", "rollbacks", 7, 4, 4);
    let rolled: Vec<bool> = result["iterations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|iteration| iteration["rolled_back"].as_bool().unwrap())
        .collect();
    assert_eq!(rolled, [false, true, false, true, false, true, true]);
    // A candidate that ends the loop on an earlier line is not counted.
    let short = "on_regression: rollback\nstop: { max_iterations: 2, rollbacks: 2 }\n";
    assert_ends(&course(short, &[5, 3]), "max_iterations_reached", "max_iterations", 2, 0, 0);
    let keep = "on_regression: keep\nstop: { max_iterations: 4, rollbacks: 2 }\n";
    assert_ends(&course(keep, &[5, 3, 2, 1]), "max_iterations_reached", "max_iterations", 4, 0, 0);
}

#[test]
fn what_comes_again_ends_it() {
    let policy = "stop: { max_iterations: 9, unchanged: true }\n";
    let place = steps(policy, &[]);
    place.write("answers.jsonl", "{\"value\": {\"f1\": 1, \"f2\": [1, 2]}}\n{\"value\": {\"f2\": [2, 1], \"f1\": 1}}\n{\"value\": {\"f2\": [1, 2], \"f1\": 1}}\n");
    assert_ends(&run(&place, &[]).json(), "stopped_early", "unchanged", 3, 2, 0);
    let first = "select: { order: [overall], ties: first }\nstop: { max_iterations: 9, unchanged: true }\n";
    assert_ends(&course(first, &[3, 4, 3]), "stopped_early", "unchanged", 3, 1, 0);
}

#[test]
fn the_course_of_scores_ends_it() {
    let flat = "stop: { max_iterations: 9, stagnation: { window: 3, epsilon: 0.15 } }\n";
    assert_ends(&course(flat, &[3, 5, 6, 6, 9]), "stopped_early", "stagnation", 4, 3, 0);
    let falling = "stop: { max_iterations: 9, decline: { length: 3 } }\n";
    assert_ends(&course(falling, &[3, 5, 5, 4, 3, 9]), "stopped_early", "decline", 5, 2, 0);
    let swinging = "stop: { max_iterations: 9, oscillation: { window: 4, flips: 2, amplitude: 0.2 } }\n";
    assert_ends(&course(swinging, &[3, 5, 4, 6, 4, 6, 9]), "stopped_early", "oscillation", 6, 5, 0);
}

#[test]
fn the_gate_ends_it_or_goes_back() {
    let stop = "gate: { quality: 0.3, on_correction: stop }\nstop: { max_iterations: 9 }\n";
    let result = course(stop, &[2, 9]);
    assert_ends(&result, "failed", "gate", 1, 0, 0);
    assert_eq!(result["iterations"][0]["missed_gate"], true);
    assert_ends(&course(stop, &[5, 2, 9]), "failed", "gate", 2, 0, 0);
    let back = "gate: { quality: 0.3, on_correction: rollback }\non_regression: rollback\n\
                stop: { max_iterations: 9, rollbacks: 2 }\n";
    assert_ends(&course(back, &[5, 2, 6, 2, 1, 9]), "stopped_early", "rollbacks", 5, 2, 3);
}

#[test]
fn a_doubt_that_a_person_must_decide_ends_it() {
    let policy = "on_escalate: stop\nstop: { max_iterations: 9 }\n";
    let result = run(&steps(policy, &[scoring(3), with(10, "doubt"), scoring(9)]), &[]).exits(3).json();
    assert_ends(&result, "failed", "critical_issue", 2, 1, 0);
}

#[test]
fn selection_follows_its_order_and_ties() {
    let policy = |select: &str| format!("select: {select}\nstop: {{ max_iterations: 4 }}\n");
    let tenths = [3, 5, 5, 4];
    assert_eq!(course(&policy("{ order: [overall], ties: first }"), &tenths)["best_iteration"], 1);
    assert_eq!(course(&policy("{ order: [overall], ties: last }"), &tenths)["best_iteration"], 2);
    let last = course(&policy("{ order: [overall], return: last }"), &tenths);
    assert_eq!(last["best_iteration"], 3);
    assert_eq!(last["best_extraction"], candidate(4));
}

#[test]
fn a_budget_ends_it_when_it_is_spent() {
    let paid = |tenths: usize| {
        let mut answer = scoring(tenths);
        answer["tokens"] = json!({"input": 70, "output": 30});
        answer["cost_usd"] = json!(0.01);
        answer
    };
    let place = steps("stop: { max_iterations: 9 }\n", &[paid(1), paid(2), paid(3), paid(4)]);
    for (setting, iterations) in [
        ("stop.budget.cost_usd=0.03", 3),
        ("stop.budget.cost_usd=0.031", 4),
        ("stop.budget.tokens=200", 2),
        ("stop.budget.tokens=201", 3),
        ("stop.budget.calls=1", 1),
    ] {
        let result = run(&place, &["--config", setting]).exits(3).json();
        assert_ends(&result, "stopped_early", "budget", iterations, iterations - 1, 0);
        assert_eq!(result["usage"]["tokens"], 100 * iterations);
        assert_eq!(result["usage"]["calls"], iterations);
        assert!((result["usage"]["cost_usd"].as_f64().unwrap() - 0.01 * iterations as f64).abs() < 1e-9);
    }
    // Good enough beats spent.
    let place = steps("stop: { max_iterations: 9 }\n", &[paid(9)]);
    assert_ends(&run(&place, &["--config", "stop.budget.calls=1"]).json(), "passed", "accepted", 1, 0, 0);
}

#[test]
fn time_ends_it_when_it_is_over() {
    let mut slow = scoring(3);
    slow["delay_ms"] = json!(60);
    let place = steps("stop: { max_iterations: 9 }\n", &[slow.clone(), slow]);
    let result = run(&place, &["--config", "stop.timeout=50ms"]).exits(3).json();
    assert_ends(&result, "stopped_early", "timeout", 1, 0, 0);
    assert!(result["elapsed_ms"].as_u64().unwrap() > 50);
}

#[test]
fn a_call_that_fails_for_a_passing_reason_is_made_again() {
    let limited = json!({"fault": "rate_limited", "retry_after_ms": 1});
    let answers = [limited.clone(), limited.clone(), scoring(3), limited.clone(), scoring(9)];
    let place = steps(FOUR, &answers);
    let ran = run(&place, &[]).exits(0).says(&["call failed", "rate_limited", "trying again"]);
    let result = ran.json();
    assert_ends(&result, "passed", "accepted", 2, 1, 0);
    assert_eq!(result["usage"]["calls"], 5);
    assert!(result["warnings"].to_string().contains("rate_limited"), "{result}");

    answer(&place, &[limited.clone(), limited.clone(), limited, scoring(9)]);
    let spent = run(&place, &[]).exits(1).json();
    assert_eq!((&spent["final_status"], &spent["stop_reason"]), (&json!("failed"), &json!("provider_error")));
    assert_eq!(spent["best_extraction"], Value::Null);
    assert_eq!(spent["usage"]["calls"], 3);
    assert_eq!(run(&place, &["--config", "stages.0.retries=0"]).exits(1).json()["usage"]["calls"], 1);
    assert_eq!(run(&place, &["--config", "stages.0.retries=3"]).exits(0).json()["usage"]["calls"], 4);
}

#[test]
fn a_call_that_fails_for_good_keeps_the_best_so_far() {
    for (fault, word) in [
        (json!({"fault": "unauthorized"}), "unauthorized"),
        (json!({"fault": "invalid_request"}), "invalid_request"),
        (json!({"fault": "permanent", "message": "the model is gone"}), "the model is gone"),
        (json!({"fault": "wrong_status", "status": 77}), "status 77"),
        (json!({"fault": "huge", "bytes": 40_000_000}), "bytes"),
    ] {
        let place = steps(FOUR, &[scoring(5), fault.clone(), scoring(9)]);
        let ran = run(&place, &[]).exits(1);
        let result = ran.json();
        assert_ends(&result, "failed", "provider_error", 1, 0, 0);
        assert_eq!(result["best_extraction"], candidate(5));
        assert!(result["detail"].as_str().unwrap().contains(word), "{fault}: {result}");
        assert!(result["detail"].as_str().unwrap().contains("scripted"), "{result}");
    }
    let place = steps(FOUR, &[scoring(5)]);
    let result = run(&place, &[]).exits(1).json();
    assert!(result["detail"].as_str().unwrap().contains("run out"), "{result}");
}

#[test]
fn a_panic_in_a_plugin_ends_one_call() {
    let place = steps(FOUR, &[json!({"fault": "panic"}), scoring(9)]);
    let ran = run(&place, &[]);
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    let result = ran.json();
    assert!(result["warnings"].to_string().contains("panicked"), "{result}");
    // Other documents continue.
    let mut lines = vec![json!({"id": "doc", "fault": "panic"}), json!({"id": "doc", "fault": "panic"})];
    lines.push(scoring(9));
    answer(&place, &lines);
    place.write("other.txt", "x");
    let ran = place.run(&["run", "--profile", "steps", "--format", "jsonl", "doc.txt", "other.txt"]).exits(1);
    assert_eq!(ran.lines()[1]["final_status"], "passed", "{}", ran.out);
}

#[test]
fn a_call_that_hangs_ends_at_its_deadline() {
    let place = steps(FOUR, &[scoring(5), json!({"fault": "hang"})]);
    let ran =
        run(&place, &["--config", "stages.0.deadline=100ms", "--config", "stages.0.retries=0"]).exits(1);
    let result = ran.json();
    assert_ends(&result, "failed", "provider_error", 1, 0, 0);
    assert!(result["detail"].as_str().unwrap().contains("deadline"), "{result}");
}

#[test]
fn an_answer_that_is_no_json_is_asked_for_again_and_not_shown() {
    let secret = "Jane Doe, 4 Elm Street";
    let place =
        steps(FOUR, &[json!({"text": format!("I read: {secret}")}), json!({"fault": "empty"}), scoring(9)]);
    let ran = run(&place, &[]).exits(0).says(&["there is no JSON in the text"]);
    assert_eq!(ran.json()["usage"]["calls"], 3);
    assert!(!ran.err.contains(secret) && !ran.out.contains(secret), "{}", ran.err);
    answer(&place, &[json!({"text": " {\"f1\": 1}\n"})]);
    assert_eq!(
        run(&place, &["--config", "stop.max_iterations=1"]).json()["best_extraction"],
        json!({"f1": 1})
    );
}

#[test]
fn candidates_of_any_json_are_assessed() {
    for value in [json!(null), json!([]), json!("text"), json!(7), json!({"a": {"b": [[[]]]}})] {
        let place = steps("stop: { max_iterations: 1 }\n", &[json!({"value": value})]);
        let result = run(&place, &[]).exits(3).json();
        assert_eq!(result["improvement_trajectory"], json!([0.0]), "{value}");
        assert_eq!(result["best_extraction"], value);
    }
}

/// `balanced` as it is shipped: its rubric, its rules, its rollback.
#[test]
fn balanced_goes_back_when_a_correction_makes_things_worse() {
    let place = Workspace::new();
    place.write(
        "report.txt",
        "Pathology report\nHistologic type: invasive ductal carcinoma\nHistologic grade: 2\nMargins: negative\n",
    );
    let good = json!({"value": {"histology": "invasive ductal carcinoma", "grade": "2"}});
    let worse = json!({"value": {"histology": "invasive ductal carcinoma"}});
    let worst = json!({"value": {"histology": "melanoma"}});
    answer(&place, &[good, worse, worst]);
    let result = place.run(&[
        "run",
        "--provider",
        "scripted",
        "--provider-config",
        "file=answers.jsonl",
        "--format",
        "json",
        "report.txt",
    ]);
    let result = result.exits(3).json();
    assert_ends(&result, "stopped_early", "rollbacks", 3, 0, 2);
    // required 1.0, important 0.7, optional 0.3: both required of 4.3 in all, and the text, which the host has.
    let overall = 0.3 * 2.3 / 4.3 + 0.7;
    assert!((result["improvement_trajectory"][0].as_f64().unwrap() - overall).abs() < 1e-9, "{result}");
    let overall = 0.3 * 1.3 / 4.3 + 0.4 + 0.15 + 0.15 * 0.85;
    assert!((result["improvement_trajectory"][1].as_f64().unwrap() - overall).abs() < 1e-9, "{result}");
}

/// The output that a person sees. Times differ from run to run.
#[test]
fn progress_and_summary_read_well() {
    let mut priced = with(7, "flaw");
    priced["tokens"] = json!({"input": 812, "output": 96});
    priced["cost_usd"] = json!(0.0031);
    priced["notes"] = json!(["the grade is hard to read"]);
    let policy = "accept: { critical_issues: 0 }\non_regression: rollback\nstop: { max_iterations: 9 }\n";
    let limited = json!({"fault": "rate_limited", "retry_after_ms": 1});
    let place = steps(policy, &[scoring(3), priced, limited, scoring(2), scoring(9)]);
    let ran = place.run(&["run", "--profile", "steps", "--format", "text", "doc.txt"]).exits(0);
    let shown = format!("standard error:\n{}\nstandard output:\n{}", ran.err, ran.out);
    let times = regex::Regex::new(r"\d+(\.\d+)? m?s\b").unwrap();
    insta::assert_snapshot!(times.replace_all(&shown, "[time]"));
}
