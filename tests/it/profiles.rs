//! The origins of profiles, and what is laid over them.

use crate::trajectories::{answer, scoring, steps};
use crate::workspace::{Ran, Workspace};
use serde_json::{Value, json};

/// A course that only its limits end: how many iterations it takes shows which limit holds.
fn endless() -> Workspace {
    let answers: Vec<Value> = (0..20).map(|_| scoring(5)).collect();
    steps("stop: { max_iterations: 6 }\n", &answers)
}

fn iterations(place: &Workspace, variables: &[(&str, &str)], flags: &[&str]) -> u64 {
    let mut command = place.loopctl(&["run", "-q", "--profile", "steps", "--format", "json", "doc.txt"]);
    command.args(flags).envs(variables.iter().copied());
    Ran::of(&mut command).json()["iteration_count"].as_u64().unwrap()
}

#[test]
fn flags_beat_variables_and_variables_beat_the_profile() {
    let place = endless();
    let (marc, own) = (("MARC_MAX_ITERATIONS", "5"), ("LOOPCTL_MAX_ITERATIONS", "4"));
    let set = ["--config", "stop.max_iterations=3"];
    assert_eq!(iterations(&place, &[], &[]), 6);
    assert_eq!(iterations(&place, &[marc], &[]), 5);
    assert_eq!(iterations(&place, &[own], &[]), 4);
    assert_eq!(iterations(&place, &[marc, own], &[]), 4);
    assert_eq!(iterations(&place, &[marc, own], &set), 3);
    assert_eq!(iterations(&place, &[("MARC_MAX_ITERATIONS", "")], &[]), 6);
    assert_eq!(
        iterations(&place, &[], &["--config", "stop.max_iterations=3", "--config", "stop.max_iterations=2"]),
        2
    );
}

#[test]
fn the_reliability_loops_variables_mean_what_they_meant() {
    let place = endless();
    let run = |name: &str, value: &str| {
        let mut command = place.loopctl(&["run", "-q", "--profile", "steps", "--format", "json", "doc.txt"]);
        Ran::of(command.env(name, value)).json()
    };
    let threshold = run("MARC_QUALITY_THRESHOLD", "0.5");
    assert_eq!((&threshold["stop_reason"], &threshold["iteration_count"]), (&json!("accepted"), &json!(1)));
    let improvement = run("MARC_MIN_IMPROVEMENT", "0.05");
    assert_eq!(improvement["stop_reason"], "min_improvement");
    let mut slow = scoring(5);
    slow["delay_ms"] = json!(30);
    answer(&place, &[slow]);
    assert_eq!(run("MARC_TIMEOUT_MS", "20")["stop_reason"], "timeout");
    assert_eq!(run("LOOPCTL_TIMEOUT_MS", "20")["stop_reason"], "timeout");
}

#[test]
fn settings_that_make_no_sense_are_shown_where_they_were_made() {
    let place = Workspace::new();
    place.write("doc.txt", "x");
    for (variable, value) in [
        ("MARC_QUALITY_THRESHOLD", "high"),
        ("MARC_QUALITY_THRESHOLD", "nan"),
        ("MARC_QUALITY_THRESHOLD", "95"),
        ("MARC_MAX_ITERATIONS", "0"),
        ("MARC_MAX_ITERATIONS", "[3]"),
        ("MARC_MIN_IMPROVEMENT", "-1"),
        ("MARC_TIMEOUT_MS", "soon"),
        ("LOOPCTL_MAX_ITERATIONS", "1e9"),
    ] {
        let ran = Ran::of(place.loopctl(&["run", "doc.txt"]).env(variable, value));
        ran.exits(2).says(&[&format!("{variable}:1:1")]);
    }
    for setting in [
        "accept.overall",
        "accept.overall=",
        "accept..overall=1",
        "=1",
        "accept.overall=[",
        "stop=3",
        "nme=x",
        "name.x=1",
    ] {
        let ran = place.run(&["run", "--config", setting, "doc.txt"]).exits(2);
        assert!(ran.err.contains("error[LC"), "{setting}: {}", ran.err);
    }
}

#[test]
fn every_verb_takes_settings() {
    let place = Workspace::new();
    place.write(
        "r.jsonl",
        "{\"id\": 1, \"document_type\": \"pathology\", \"extraction\": {\"grade\": \"x\"}}\n",
    );
    let overall = |setting: &str| {
        place.run_json(&["score", "--config", setting, "r.jsonl"])["overall"].as_f64().unwrap()
    };
    let validity = overall("overall={validity: 1}");
    assert!((validity - 0.9 * 1.0 / 2.0).abs() < 0.5, "{validity}");
    assert!((overall("overall={from: validity}") - 0.9).abs() < 1e-9);
    assert!(
        (overall("assess.validity.penalty=0.4") - overall("assess.validity.penalty=0.1") + 0.15 * 0.3).abs()
            < 1e-9
    );
}

#[test]
fn a_nearer_profile_hides_a_farther_one() {
    let place = Workspace::new();
    let named = |name: &str| format!("extends: marc\nname: {name}\n");
    place.write("doc.txt", "x");
    let profile = || {
        place.run_json(&["run", "-q", "--profile", "near", "--format", "json", "doc.txt"])["profile"].clone()
    };
    std::fs::create_dir(place.home().join("profiles")).unwrap();
    std::fs::write(place.home().join("profiles/near.yaml"), named("at-home")).unwrap();
    assert_eq!(profile(), "at-home");
    place.write("profiles/near.yaml", named("in-the-project"));
    assert_eq!(profile(), "in-the-project");
    // A shipped profile can be replaced, and one given by path brings its own folder.
    place.write("profiles/balanced.yaml", named("my-balanced"));
    let run = |arguments: &[&str]| {
        let mut all = vec!["run", "-q", "--format", "json", "doc.txt"];
        all.extend(arguments);
        place.run_json(&all)["profile"].clone()
    };
    assert_eq!(run(&[]), "my-balanced");
    place.write("elsewhere/profiles/far.yaml", "extends: far-parent\n");
    place
        .write("elsewhere/profiles/far-parent.yaml", "extends: marc\nassess: { validity: { rules: own } }\n");
    place.write("elsewhere/rules/own.yaml", "rules:\n  - { id: a, field: grade, type: text }\n");
    assert_eq!(run(&["--profile", "elsewhere/profiles/far.yaml"]), "far");
    let by_variable = Ran::of(
        place.loopctl(&["run", "-q", "--format", "json", "doc.txt"]).env("LOOPCTL_PROFILE", "real-time"),
    );
    assert_eq!(by_variable.json()["profile"], "real-time");
}

#[test]
fn mappings_merge_lists_replace_and_null_takes_away() {
    let answers: Vec<Value> = [5, 3, 2, 1].into_iter().map(scoring).collect();
    let place = steps("stop: { max_iterations: 4, rollbacks: 1 }\non_regression: rollback\n", &answers);
    let run = |profile: &str| {
        place.write("profiles/child.yaml", profile);
        place.run_json(&["run", "-q", "--profile", "child", "--format", "json", "doc.txt"])
    };
    assert_eq!(run("extends: steps\n")["stop_reason"], "rollbacks");
    // Only the named key changes.
    let merged = run("extends: steps\nstop: { max_iterations: 1 }\n");
    assert_eq!((&merged["stop_reason"], &merged["iteration_count"]), (&json!("max_iterations"), &json!(1)));
    let taken = run("extends: steps\nstop: { rollbacks: null }\n");
    assert_eq!((&taken["stop_reason"], &taken["iteration_count"]), (&json!("max_iterations"), &json!(4)));
    assert_eq!(
        run("extends: steps\nselect: { order: [overall], return: last }\nstop: { rollbacks: null }\n")["best_iteration"],
        3
    );
}

#[test]
fn variables_fill_in_settings() {
    let place = endless();
    place.write("profiles/steps.yaml", "extends: steps-measured\nstop: { max_iterations: \"${N:-3}\" }\n");
    let text = place.run(&["check", "steps"]);
    // In quotes it is a text, as anywhere in YAML.
    text.exits(2).finds(&["profiles/steps.yaml:2:25"]);
    place.write(
        "profiles/steps.yaml",
        "extends: steps-measured\nstop:\n  max_iterations: ${N:-3}\ndescription: costs $${N}\n",
    );
    assert_eq!(iterations(&place, &[], &[]), 3);
    assert_eq!(iterations(&place, &[("N", "2")], &[]), 2);
    assert_eq!(iterations(&place, &[("N", "")], &[]), 3);
    let ran = Ran::of(place.loopctl(&["check", "steps"]).env("N", "two"));
    ran.exits(2).finds(&["profiles/steps.yaml:3:19", "whole number"]);
    place.write("profiles/steps.yaml", "extends: steps-measured\nstop:\n  max_iterations: ${LIMIT}\n");
    place.run(&["check", "steps"]).exits(2).finds(&["profiles/steps.yaml:3:19", "`LIMIT` is not set"]);
    let nasty = "3\nextends: clinical";
    Ran::of(place.loopctl(&["check", "steps"]).env("LIMIT", nasty))
        .exits(2)
        .finds(&["profiles/steps.yaml:3:19"]);
}
