//! `loopctl prove` and `profile diff --prove` where not all was tried that may break a promise: `not shown`, and why.

use super::workspace::Workspace;
use serde_json::{Value, json};

/// A policy with a limit, and what the test adds to it.
const LIMITED: &str = "
classify: null
assess: { q: given, s: given }
overall: { q: 1 }
accept: { overall: 0.9 }
stop: { max_iterations: 4 }
";

/// A project with this profile, `mine`.
fn project(profile: &str) -> Workspace {
    let place = Workspace::new();
    place.write("profiles/mine.yaml", profile);
    place
}

/// A project with `LIMITED` and these promises.
fn promising(promises: &str) -> Workspace {
    project(&format!("{LIMITED}promises: {promises}\n"))
}

/// The result for one promise: `holds`, and why not more was shown.
pub(crate) fn shown(proof: &Value, promise: &str) -> (Value, String) {
    let mut all = proof["promises"].as_array().into_iter().flatten();
    all.find(|one| one["promise"] == promise).map_or_else(
        || ("there is no such promise".into(), proof.to_string()),
        |one| (one["holds"].clone(), one["not_shown_because"].to_string()),
    )
}

#[test]
fn a_search_that_was_cut_short_shows_nothing_that_it_did_not_break() {
    let place = promising("[{ never: passed and q < 0.5 }, { always: calls <= 1 }]");
    let short = ["prove", "mine", "--decisions", "30", "--random", "0"];
    let ran = place.run(&short).exits(3);
    assert!(ran.out.contains("not shown  never: passed and q < 0.5"), "{}", ran.out);
    assert!(ran.out.contains("broken     always: calls <= 1"), "{}", ran.out);
    let proof = place.run(&[&short[..], &["--format", "json"]].concat()).exits(3).json();
    let (holds, why) = shown(&proof, "never: passed and q < 0.5");
    assert_eq!(holds, Value::Null);
    assert!(why.contains("of 4 candidates was tried; `--decisions` allows for more"), "{why}");
    assert_eq!((&proof["holds"], &proof["enumerated"]["complete"]), (&json!(false), &json!(false)));
    // The same with enough decisions.
    let proof = place.run(&["prove", "mine", "--format", "json", "--random", "0"]).exits(3).json();
    assert_eq!(shown(&proof, "never: passed and q < 0.5"), (json!(true), "null".to_owned()));
}

#[test]
fn what_is_not_shown_ends_with_3_unless_it_is_allowed() {
    let place = promising("[{ never: passed and q < 0.5 }]");
    let short = ["prove", "mine", "--decisions", "30", "--random", "0"];
    let ran = place.run(&short).exits(3);
    assert!(ran.out.contains("none broken, 7 not shown"), "{}", ran.out);
    let allowing = [&short[..], &["--allow-not-shown"]].concat();
    place.run(&allowing).exits(0);
    let json = [&allowing[..], &["--format", "json"]].concat();
    assert_eq!(place.run(&json).exits(0).json()["holds"], Value::Null);
    // What is broken is not allowed.
    let place = promising("[{ always: calls <= 1 }]");
    place.run(&allowing).exits(3);
}

#[test]
fn a_promise_that_computes_is_not_shown_by_trying_values() {
    let place = promising("[{ never: passed and q * q < 0.5 }, { never: passed and q < 0.89 }]");
    let proof = place.run(&["prove", "mine", "--format", "json"]).exits(3).json();
    let (holds, why) = shown(&proof, "never: passed and q * q < 0.5");
    assert_eq!(holds, Value::Null);
    assert!(why.contains("what lies between these values may break it"), "{why}");
    assert_eq!(shown(&proof, "never: passed and q < 0.89").0, true);
    // Which of two scores is higher is not known from their constants.
    for compared in ["never: passed and q < s and s < q", "always: q in [s, q] or passed or not passed"] {
        let (kind, condition) = compared.split_once(": ").unwrap();
        let place = promising(&format!("[{{ {kind}: '{condition}' }}]"));
        let proof = place.run(&["prove", "mine", "--format", "json"]).exits(3).json();
        assert_eq!(shown(&proof, compared).0, Value::Null, "{compared}");
    }
    // Found between the values, it is broken all the same.
    let place = promising("[{ never: q * q < 0.4 and q * q > 0.1 }]");
    let proof = place.run(&["prove", "mine", "--format", "json"]).exits(3).json();
    assert_eq!(shown(&proof, "never: q * q < 0.4 and q * q > 0.1").0, false);
}

#[test]
fn what_a_function_tells_apart_is_not_known() {
    let place = promising("[{ script: 'mine.rhai#kept' }]");
    place.write("rules/mine.rhai", "fn kept(run) { run.iterations.len() <= 4 }");
    let proof = place.run(&["prove", "mine", "--format", "json"]).exits(3).json();
    let (holds, why) = shown(&proof, "script: mine.rhai#kept");
    assert_eq!(holds, Value::Null);
    assert!(why.contains("what the function tells apart"), "{why}");
    assert_eq!(shown(&proof, "ends").0, true);

    // A criterion that is a function may decide anything.
    let place = project(&LIMITED.replace("4 }", "4, script: { enough: 'mine.rhai#enough' } }"));
    place.write("rules/mine.rhai", "fn enough(run) { run.iterations.len() == 3 }");
    let proof = place.run(&["prove", "mine", "--format", "json"]).exits(3).json();
    let (holds, why) = shown(&proof, "ends");
    assert_eq!(holds, Value::Null);
    assert!(why.contains("`stop.script`"), "{why}");
}

#[test]
fn a_criterion_that_fails_ends_the_search_with_its_reason() {
    for (function, said) in [
        ("fn enough(run) { loop {} }", "operations"),
        ("fn enough(run) { run.nothing.at_all }", "mine.rhai"),
        ("fn enough(run) { 3 }", "true or false"),
    ] {
        let place = project(&LIMITED.replace("4 }", "4, script: { enough: 'mine.rhai#enough' } }"));
        place.write("rules/mine.rhai", function);
        let proof = place.run(&["prove", "mine", "--format", "json"]).exits(3).json();
        let gaps = proof["enumerated"]["gaps"].to_string();
        assert!(gaps.contains("the search ended: ") && gaps.contains(said), "{function}: {gaps}");
        assert_eq!(proof["holds"], Value::Null, "{function}");
    }
}

#[test]
fn more_issues_than_are_tried_are_said() {
    let place = project(&LIMITED.replace("overall: 0.9", "overall: 0.9, major_issues: 250"));
    let proof = place.run(&["prove", "mine", "--format", "json"]).exits(3).json();
    let (holds, why) = shown(&proof, "accepts_by_every_line");
    assert_eq!(holds, Value::Null);
    assert!(why.contains("more than 100 issues"), "{why}");
    // Nothing shows that the line decides nothing: only that it decided no run of these.
    let (holds, why) = shown(&proof, "no_dead_criterion");
    assert_eq!(holds, Value::Null);
    assert!(why.contains("`accept.major_issues` decided no run that was tried"), "{why}");
}

#[test]
fn what_lies_just_above_the_constant_of_a_promise_is_tried() {
    let place = promising("[{ never: q > 0.7 and q < 0.9 }, { never: passed and q > 0.95 }]");
    let proof = place.run(&["prove", "mine", "--format", "json", "--random", "0"]).exits(3).json();
    assert_eq!(shown(&proof, "never: q > 0.7 and q < 0.9").0, false);
    assert_eq!(shown(&proof, "never: passed and q > 0.95").0, false);
}

#[test]
fn a_repeated_candidate_scores_as_the_one_that_it_equals() {
    // One that scores so is accepted, and nothing is refined after that.
    let unchanged = LIMITED
        .replace("4 }", "4, unchanged: true }")
        .replace("0.9 }", "0.9, unseen: true, unknown_type: true }");
    let place =
        project(&format!("{unchanged}promises: [{{ never: stop_reason == 'unchanged' and last > 0.9 }}]\n"));
    let proof = place.run(&["prove", "mine", "--format", "json"]).exits(3).json();
    let (holds, why) = shown(&proof, "never: stop_reason == 'unchanged' and last > 0.9");
    assert_eq!(holds, Value::Null);
    assert!(why.contains("equal the best or the latest"), "{why}");
}

#[test]
fn policies_are_called_the_same_only_if_all_was_tried() {
    let place = Workspace::new();
    place.write("profiles/a.yaml", LIMITED);
    place.write("profiles/b.yaml", LIMITED.replace("max_iterations: 4", "max_corrections: 3"));
    let short = ["profile", "diff", "--prove", "a", "b", "--decisions", "10", "--random", "0"];
    let compared = place.run(&[&short[..], &["--format", "json"]].concat()).exits(0).json();
    assert_eq!((&compared["same"], &compared["difference"]), (&Value::Null, &Value::Null), "{compared:#}");
    assert_eq!(compared["before_accepts_only_what_after_accepts"]["holds"], Value::Null);
    let ran = place.run(&[&short[..], &["--exit-code"]].concat()).exits(3);
    assert!(ran.out.contains("not shown"), "{}", ran.out);
    let whole = ["profile", "diff", "--prove", "a", "b", "--exit-code", "--format", "json"];
    assert_eq!(place.run(&whole).exits(0).json()["same"], true);
}
