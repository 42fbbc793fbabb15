//! `loopctl prove`: which values are tried, and the report where they do not reach what a promise asks about.

use super::workspace::Workspace;
use serde_json::Value;

/// The result for one promise of a profile, and why not more was shown.
fn shown(profile: &str, promise: &str) -> (Value, String) {
    let place = Workspace::new();
    place.write("profiles/mine.yaml", format!("{profile}promises: [{{ {promise} }}]\n"));
    let ran = place.run(&["prove", "mine", "--format", "json", "--random", "0", "--allow-not-shown"]);
    super::prove_not_shown::shown(&ran.json(), promise)
}

/// A policy that accepts at 0.9, with what the test adds.
fn policy(accept: &str, stop: &str) -> String {
    format!(
        "classify: null\nassess: {{ q: given, s: given }}\noverall: {{ q: 1 }}\n\
         accept: {{ overall: 0.9, unseen: true, unknown_type: true{accept} }}\nstop: {{ {stop} }}\n"
    )
}

#[test]
fn what_a_promise_says_of_spending_is_tried_around_its_constants() {
    let plain = policy("", "max_iterations: 3");
    for broken in [
        "never: passed and tokens > 0",
        "never: passed and cost_usd > 0",
        "never: passed and elapsed_ms > 0",
        "never: tokens > 99 and tokens < 101",
        "never: cost_usd > 0.0101 and cost_usd < 0.0103",
        "never: tokens > 5 and cost_usd > 0.1",
        "never: tokens > 5 and elapsed_ms > 30 and elapsed_ms < 32",
    ] {
        let (holds, why) = shown(&plain, broken);
        assert_eq!(holds, false, "{broken}: {why}");
    }
    let (holds, why) = shown(&plain, "always: tokens >= 0");
    assert_eq!(holds, true, "{why}");
}

#[test]
fn a_group_of_limits_is_tried_with_both_used_up_by_one_iteration() {
    let both = policy("", "max_iterations: 3, all: [{ timeout: 1s }, { budget: { tokens: 100 } }]");
    let (holds, why) = shown(&both, "never: iterations == 1 and not passed");
    assert_eq!(holds, false, "{why}");
    // One that is a member of a member counts, too.
    let nested =
        policy("", "max_iterations: 3, all: [{ any: [{ timeout: 1s }] }, { budget: { tokens: 100 } }]");
    let (holds, why) = shown(&nested, "never: iterations == 1 and not passed");
    assert_eq!(holds, false, "{why}");
}

#[test]
fn issues_have_a_severity_and_a_disposition() {
    let all = policy(", critical_issues: 1, major_issues: 1, minor_issues: 1", "max_iterations: 2");
    // Everything that escalates is minor, major or critical.
    let none = "issues.critical == 0 and issues.major == 0 and issues.minor == 0";
    let (holds, why) = shown(&all, &format!("never: issues.escalate > 0 and {none}"));
    assert_eq!(holds, true, "{why}");
    let (holds, why) = shown(&all, "never: passed and issues.escalate > 0 and issues.minor > 0");
    assert_eq!(holds, false, "{why}");
    let (holds, why) = shown(&all, "never: passed and issues.escalate > 1 and issues.critical > 0");
    assert_eq!(holds, false, "{why}");
}

#[test]
fn an_overall_score_that_no_candidate_has_is_said() {
    let halves = "classify: null\nassess: { q: given, s: given }\noverall: { q: 1, s: 1 }\n\
                  accept: { q: 0.9, s: 0.9, unseen: true, unknown_type: true }\nstop: { max_iterations: 2 }\n";
    let (holds, why) = shown(halves, "never: passed and overall > 0.971 and overall < 0.973");
    assert_eq!(holds, false, "{why}");
    let (holds, why) = shown(halves, "never: passed and q < 0.9");
    assert_eq!(holds, true, "{why}");
    // The heaviest dimension alone does not come so low.
    let (holds, why) = shown(halves, "never: overall > 0.471 and overall < 0.473");
    assert_eq!(holds, Value::Null);
    assert!(why.contains("no candidate was tried whose overall score lies at or just below 0.471"), "{why}");
}

#[test]
fn scores_that_rise_or_fall_more_often_than_the_tried_ones_are_said() {
    let rising = policy("", "max_iterations: 12, min_improvement: { delta: 0.02, patience: 1 }");
    let (holds, why) = shown(&rising, "never: iterations > 8");
    assert_eq!(holds, Value::Null, "{why}");
    assert!(why.contains("of 12 candidates, and scores that rise more often were not tried"), "{why}");
    let falling = policy("", "max_iterations: 4, decline: { length: 3 }");
    let (holds, why) = shown(&falling, "always: iterations <= 4");
    assert_eq!(holds, true, "{why}");
}

#[test]
fn repeated_candidates_that_are_neither_the_best_nor_the_latest_are_said() {
    let grouped = policy("", "max_iterations: 4, all: [{ unchanged: true }, { max_iterations: 2 }]");
    let (holds, why) = shown(&grouped, "always: iterations <= 4");
    assert_eq!(holds, Value::Null);
    assert!(why.contains("of candidates that equal an earlier one"), "{why}");
    // Of two candidates one is the latest.
    let short = policy("", "max_iterations: 2, all: [{ unchanged: true }, { max_iterations: 2 }]");
    let (holds, why) = shown(&short, "always: iterations <= 2");
    assert_eq!(holds, true, "{why}");
}

#[test]
fn policies_that_dispose_of_issues_otherwise_are_not_called_the_same() {
    let place = Workspace::new();
    let one = policy("", "max_iterations: 2");
    place.write("profiles/one.yaml", &one);
    place.write("profiles/other.yaml", format!("{one}dispositions: {{ otherwise: escalate }}\n"));
    let compared = place
        .run(&["profile", "diff", "--prove", "one", "other", "--random", "0", "--format", "json"])
        .json();
    assert_eq!(compared["same"], Value::Null, "{compared:#}");
    assert!(compared["enumerated"]["gaps"].to_string().contains("`dispositions`"), "{compared:#}");
}
