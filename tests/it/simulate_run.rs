//! `loopctl simulate --run`: other policies on a recorded run.

use super::trajectories::{run, scoring, steps};
use super::workspace::{Ran, Workspace};
use serde_json::{Value, json};

/// Scores of 0.3, 0.5, 0.4, 0.6 under a policy that keeps every candidate, which ends after four of them.
fn recorded() -> Workspace {
    let answers: Vec<Value> = [3, 5, 4, 6].map(scoring).to_vec();
    let place = steps("stop: { max_iterations: 4 }\nfeedback: { template: feedback/plain.md }", &answers);
    place.write("prompts/feedback/plain.md", "Once more, please.");
    run(&place, &[]).exits(3);
    place
}

fn tried(place: &Workspace, arguments: &[&str]) -> Ran {
    place.run(
        &[&["simulate", "--run", "latest", "--journal", "out/journal.sqlite", "-p", "steps"], arguments]
            .concat(),
    )
}

fn ending(answer: &Value) -> Value {
    json!([
        answer["stop_reason"],
        answer["iteration_count"],
        answer["best_iteration"],
        answer["improvement_trajectory"]
    ])
}

#[test]
fn the_same_policy_ends_as_it_did() {
    let place = recorded();
    let ran = tried(&place, &[]).exits(0);
    assert_eq!(ran.err, "");
    assert_eq!(ending(&ran.json()), json!(["max_iterations", 4, 3, [0.3, 0.5, 0.4, 0.6]]));
    assert_eq!(ran.json()["id"], "doc");
}

#[test]
fn a_policy_that_stops_earlier_is_exact() {
    let place = recorded();
    let with = |setting: &str| ending(&tried(&place, &["--config", setting]).exits(0).json());
    assert_eq!(with("stop.max_iterations=2"), json!(["max_iterations", 2, 1, [0.3, 0.5]]));
    assert_eq!(with("accept.overall=0.5"), json!(["accepted", 2, 1, [0.3, 0.5]]));
    assert_eq!(with("stop.decline.length=2"), json!(["decline", 3, 1, [0.3, 0.5, 0.4]]));
    // What the run spent is known, call by call.
    assert_eq!(with("stop.budget.calls=3")[1], json!(3));
}

#[test]
fn what_was_not_recorded_is_counted_and_never_guessed() {
    let place = recorded();
    let ran = tried(&place, &["--config", "stop.max_iterations=6"]).exits(0);
    assert_eq!(ending(&ran.json()), json!(["trajectory_exhausted", 4, 3, [0.3, 0.5, 0.4, 0.6]]));
    ran.says(&["`steps`: how 1 of 1 document end is not in the record, and not guessed (`incomplete`): 1 would have gone on after the last candidate"]);
    // After 0.4 it would have gone back to 0.5, and the outcome of that is unknown.
    let ran = tried(&place, &["--config", "on_regression=rollback"]).exits(0);
    assert_eq!(ending(&ran.json()), json!(["trajectory_exhausted", 3, 1, [0.3, 0.5, 0.4]]));
    assert_eq!(ran.json()["beyond"], "other_base");
    ran.says(&["1 would have corrected another candidate"]);
    // A policy that stops at the first rollback is known.
    let ran = tried(&place, &["--config", "on_regression=rollback", "--config", "stop.rollbacks=1"]).exits(0);
    assert_eq!(ending(&ran.json()), json!(["rollbacks", 3, 1, [0.3, 0.5, 0.4]]));
}

#[test]
fn feedback_that_tells_the_target_makes_other_candidates() {
    let place = steps("stop: { max_iterations: 2 }", &[scoring(3), scoring(5)]);
    run(&place, &[]).exits(3);
    let ran = tried(&place, &["--config", "accept.overall=0.5"]).exits(0);
    assert_eq!(ending(&ran.json()), json!(["trajectory_exhausted", 1, 0, [0.3]]));
    ran.says(&["1 would have been told otherwise by feedback (accept.overall)"]);
    // The first candidate was asked for without feedback.
    let ran = tried(&place, &["--config", "accept.overall=0.3"]).exits(0);
    assert_eq!(ending(&ran.json()), json!(["accepted", 1, 0, [0.3]]));
}

#[test]
fn other_prompts_feedback_and_measures_are_refused() {
    let place = recorded();
    for (setting, key) in [
        ("feedback.history=3", "`feedback`"),
        ("assess.flaws.penalty=0.5", "`assess`"),
        ("dispositions.X=warn", "`dispositions`"),
    ] {
        let said = ["`steps` can't be tried on run", key, "it makes or measures candidates otherwise"];
        let ran = tried(&place, &["--config", setting]).exits(2).says(&said);
        assert_eq!(ran.out, "");
    }
    tried(&place, &["-p", "balanced"]).exits(2).says(&["`balanced` can't be tried on run", "`stages`"]);
    place.write("prompts/feedback/plain.md", "Once more, and better.");
    tried(&place, &[]).exits(2).says(&["has changed since run", "bring its files back"]);
}

/// A model is asked with the text of a prompt. Its location, its name, and how the profile is written do not matter.
#[test]
fn a_prompt_that_was_moved_is_the_same_and_one_that_was_changed_is_not() {
    let place = recorded();
    place.write("prompts/feedback/elsewhere.md", "Once more, please.");
    place.write(
        "profiles/moved.yaml",
        "extends: steps-measured\n'stop':\n  max_iterations: 2\nfeedback:\n  template: \"feedback/elsewhere.md\"\n",
    );
    let moved = ["simulate", "--run", "latest", "--journal", "out/journal.sqlite", "-p", "moved"];
    let ran = place.run(&moved).exits(0);
    assert_eq!(ending(&ran.json()), json!(["max_iterations", 2, 1, [0.3, 0.5]]));
    place.write("prompts/feedback/elsewhere.md", "Once more, and better.");
    place.run(&moved).exits(2).says(&["`moved` can't be tried on run", "`feedback`"]);
    // The same name in another project is another file.
    place.write("other/profiles/steps.yaml", place.read("profiles/steps.yaml"));
    place.write("other/profiles/steps-measured.yaml", place.read("profiles/steps-measured.yaml"));
    place.write("other/prompts/feedback/plain.md", "Once more, and better.");
    let other =
        ["simulate", "--run", "latest", "--journal", "out/journal.sqlite", "-p", "other/profiles/steps.yaml"];
    place.run(&other).exits(2).says(&["can't be tried on run", "`feedback`"]);
    place.write("other/prompts/feedback/plain.md", "Once more, please.");
    place.run(&other).exits(0);
}

#[test]
fn a_prompt_that_was_moved_since_the_run_is_as_it_was() {
    let place = recorded();
    let profile = place.read("profiles/steps.yaml");
    std::fs::remove_file(place.path("prompts/feedback/plain.md")).unwrap();
    place.write("prompts/feedback/2026/plain.md", "Once more, please.");
    place.write("profiles/steps.yaml", profile.replace("feedback/plain.md", "feedback/2026/plain.md"));
    assert_eq!(
        ending(&tried(&place, &[]).exits(0).json()),
        json!(["max_iterations", 4, 3, [0.3, 0.5, 0.4, 0.6]])
    );
    place.write("prompts/feedback/2026/plain.md", "Once more, and better.");
    tried(&place, &[]).exits(2).says(&["has changed since run"]);
    place.write("prompts/feedback/2026/plain.md", "Once more, please.");
    place.write("rules/steps.yaml", format!("{}\n# changed\n", place.read("rules/steps.yaml")));
    tried(&place, &[]).exits(2).says(&["has changed since run"]);
}

#[test]
fn documents_without_a_candidate_are_left_out() {
    let place = steps("stop: { max_iterations: 2 }", &[json!({"fault": "invalid_request"})]);
    run(&place, &[]);
    let ran = tried(&place, &[]).exits(0).says(&["1 document of run", "without a candidate: left out"]);
    assert_eq!(ran.out, "");
}

#[test]
fn what_does_not_go_together_is_wrong_usage() {
    let place = recorded();
    tried(&place, &["t.jsonl"]).exits(2).says(&["cannot be used with"]);
    place
        .run(&["simulate", "--journal", "out/journal.sqlite", "t.jsonl"])
        .exits(2)
        .says(&["`--journal` goes with `--run`"]);
    place
        .run(&["simulate", "--run", "nope", "--journal", "out/journal.sqlite", "-p", "steps"])
        .exits(1)
        .says(&["holds no run `nope`"]);
}
