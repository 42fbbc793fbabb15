//! `loopctl sweep`: the best policy of a space, chosen on one part of the documents and judged on the other.

use super::trajectories::{run, scoring, steps};
use super::workspace::Workspace;
use serde_json::{Value, json};

pub(crate) const EXPERIMENT: &str = "
description: How long is long enough?
documents: { trajectories: [runs.jsonl] }
config: { assess.q: given, overall.from: q, accept.overall: 0.9, stop.max_iterations: 2 }
space: { stop.max_iterations: [1, 2, 3] }
objectives: [{ maximize: overall }, { minimize: calls }]
bootstrap: { samples: 2000 }
";

/// Of 200 documents, every second one is better with its third candidate; each is one call.
pub(crate) fn recorded() -> Workspace {
    let place = Workspace::new();
    let lines = (0..200).map(|at| {
        let last = if at % 2 == 0 { 0.9 } else { 0.3 };
        let step = |score: f64| json!({"scores": {"q": score}, "issues": [], "cost_usd": 0.01});
        json!({"id": at, "iterations": [step(0.2), step(0.3), step(last)]}).to_string() + "\n"
    });
    place.write("runs.jsonl", lines.collect::<String>());
    place
}

fn swept(place: &Workspace, experiment: &str) -> Value {
    place.write("it.sweep.yaml", experiment);
    place.run(&["sweep", "it.sweep.yaml", "--format", "json", "--quiet"]).exits(0).json()
}

/// The settings, the standing, and the verdict on each objective of each policy that is shown.
fn shown(findings: &Value) -> Vec<Value> {
    let shown = findings["shown"].as_array().unwrap().iter().map(|one| {
        let verdicts = one["comparison"]["objectives"].as_array().unwrap();
        let verdicts: Vec<&Value> = verdicts.iter().map(|difference| &difference["verdict"]).collect();
        json!([one["settings"]["stop.max_iterations"], one["comparison"]["standing"], verdicts])
    });
    shown.collect()
}

#[test]
fn the_front_is_judged_on_documents_that_it_was_not_chosen_on() {
    let found = swept(&recorded(), EXPERIMENT);
    assert_eq!(found["documents"], json!({"train": 100, "test": 100, "test_ids": 100}));
    let split = &found["split"];
    assert_eq!((&split["share"], &split["seed"]), (&json!(0.5), &json!(1)));
    let named = |part: &str| split[part].as_array().unwrap().iter().map(|id| id.as_u64().unwrap());
    assert_eq!((named("chosen_on").count(), named("judged_on").count()), (100, 100));
    let mut all: Vec<u64> = named("chosen_on").chain(named("judged_on")).collect();
    all.sort_unstable();
    assert!(all.into_iter().eq(0..200));
    let policies = json!({"policies": 3, "left_out": 0, "invalid": 0, "tried": 3, "not_recorded": 0,
        "constraint_missed": 0, "same": 0, "candidates": 3, "front": 3});
    assert_eq!(found["policies"], policies);
    let expected = [
        json!([3, "mixed", ["better", "worse"]]),
        json!([2, "equal", ["equal", "equal"]]),
        json!([1, "mixed", ["worse", "better"]]),
    ];
    assert_eq!(shown(&found), expected);
    // The means are those of the documents: 0.3 and 0.6 less what the split makes of it.
    let best = &found["shown"][0];
    assert_eq!(found["reference"]["test"][0]["mean"], 0.3);
    let difference = &best["comparison"]["objectives"][0];
    let mean = difference["mean"].as_f64().unwrap();
    assert!((0.2..0.4).contains(&mean), "{difference}");
    assert!(difference["low"].as_f64().unwrap() < mean && mean < difference["high"].as_f64().unwrap());
    // Half of the documents pass, none with two candidates.
    let passed = &best["comparison"]["passed"];
    assert_eq!((&passed["reference_only"], &passed["verdict"]), (&json!(0), &json!("better")));
    assert!((passed["policy_only"].as_f64().unwrap() * 0.01 - best["passed"].as_f64().unwrap()).abs() < 1e-9);
}

/// A user with the recordings can check the figures: those of the chosen policy are means over the documents that are
/// named.
#[test]
fn the_documents_that_judged_are_named() {
    let found = swept(&recorded(), EXPERIMENT);
    let judged = found["split"]["judged_on"].as_array().unwrap();
    let of = |id: &Value| if id.as_u64().unwrap().is_multiple_of(2) { 0.9 } else { 0.3 };
    let mean = judged.iter().map(of).sum::<f64>() / 100.0;
    assert!((found["shown"][0]["test"][0]["mean"].as_f64().unwrap() - mean).abs() < 1e-9);
}

/// The file reruns it: everything follows from it and the recordings, regardless of the order of their lines.
#[test]
fn the_same_file_gives_the_same_answer() {
    let place = recorded();
    let first = swept(&place, EXPERIMENT);
    assert_eq!(swept(&place, EXPERIMENT), first);
    let mut lines: Vec<String> = place.read("runs.jsonl").lines().map(|line| format!("{line}\n")).collect();
    lines.reverse();
    place.write("runs.jsonl", lines.concat());
    let mirrored = swept(&place, EXPERIMENT);
    assert_eq!(shown(&mirrored), shown(&first));
    assert_eq!(mirrored["shown"][0]["passed"], first["shown"][0]["passed"]);
    let other = swept(&place, &format!("{EXPERIMENT}split: {{ seed: 2 }}\n"));
    assert_ne!(other["shown"][0]["test"], mirrored["shown"][0]["test"]);
}

#[test]
fn constraints_and_conditions_leave_policies_out() {
    let place = recorded();
    let no_dearer = swept(&place, &format!("{EXPERIMENT}constraints: ['calls <= reference.calls']\n"));
    assert_eq!(no_dearer["policies"]["constraint_missed"], 1);
    assert_eq!(no_dearer["shown"][0]["settings"]["stop.max_iterations"], 2);
    let no_two = swept(&place, &format!("{EXPERIMENT}conditions: ['stop.max_iterations != 2']\n"));
    assert_eq!((&no_two["policies"]["left_out"], &no_two["policies"]["tried"]), (&json!(1), &json!(2)));
    let none = swept(&place, &format!("{EXPERIMENT}constraints: ['overall > 2']\n"));
    assert_eq!(none["shown"], json!([]));
}

/// Policies that would have continued beyond the record are counted, and nothing is reported about them.
#[test]
fn policies_that_go_beyond_the_record_are_not_chosen() {
    let found = swept(&recorded(), &EXPERIMENT.replace("[1, 2, 3] }", "{ from: 1, to: 5 } }"));
    assert_eq!(found["policies"]["not_recorded"], 2);
    let best = shown(&found)[0].clone();
    assert_eq!(best[0], 3);
}

#[test]
fn several_profiles_and_any_expression() {
    let place = recorded();
    place.write("profiles/short.yaml", "extends: balanced\nreview: { when: 'status != passed' }\n");
    let text =
        EXPERIMENT.replace("space: {", "profiles: [balanced, ./profiles/short.yaml]\nspace: {").replace(
            "[{ maximize: overall }, { minimize: calls }]",
            "[{ minimize: 'calls + 10 * review', name: effort }]",
        );
    let found = swept(&place, &text);
    assert_eq!(found["policies"]["policies"], 6);
    assert_eq!(found["objectives"], json!([{"name": "effort", "goal": "minimize"}]));
    // `balanced` never asks for a review, so one call is all the effort.
    assert_eq!(found["shown"][0]["profile"], "balanced");
    assert_eq!(found["shown"][0]["test"][0]["mean"], 1.0);
}

#[test]
fn a_page_has_plots_and_tables_and_nothing_from_elsewhere() {
    let place = recorded();
    place.write("it.sweep.yaml", EXPERIMENT);
    let ran = place.run(&["sweep", "it.sweep.yaml", "--report", "r.html"]).exits(0);
    assert!(
        ran.out.contains("better than `balanced` in at least one objective, and worse in another"),
        "{}",
        ran.out
    );
    let page = place.read("r.html");
    assert_eq!(page.matches("<svg class=\"plot").count(), 3, "a front and the differences of two objectives");
    for forbidden in ["<script", "http:", "https:", "NaN", "inf"] {
        assert!(!page.replace("default-src 'none'", "").contains(forbidden), "{forbidden}");
    }
    assert!(page.contains("How long is long enough?"));
}

/// The provider that the command of a run asked holds for every profile: its candidates came from there.
#[test]
fn a_run_with_another_provider_than_its_profile_has_is_tried_with_it() {
    let place = steps("stop: { max_iterations: 2 }\n", &[scoring(3), scoring(5)]);
    place.write("others.jsonl", place.read("answers.jsonl"));
    run(&place, &["--provider", "scripted", "--provider-config", "file=others.jsonl"]).exits(3);
    let text = "documents: { run: latest, journal: out/journal.sqlite }
profiles: [steps]
reference: steps
space: { stop.max_iterations: [1, 2] }
objectives: [{ maximize: overall }]
";
    place.write("it.sweep.yaml", text);
    // That one document can't be split comes after everything about settings.
    place.run(&["sweep", "it.sweep.yaml"]).exits(1).says(&["1 document can't be split"]);
    place.write("it.sweep.yaml", format!("{text}config: {{ feedback.history: 3 }}\n"));
    place.run(&["sweep", "it.sweep.yaml"]).exits(2).says(&[
        "the run would have had other candidates under these settings: `feedback`",
        "what the run's command set with `--config` belongs under `config` of the experiment",
    ]);
}

#[test]
fn a_run_is_tried_as_far_as_it_was_recorded() {
    let answers: Vec<Value> = [3, 5, 4, 6].map(scoring).to_vec();
    let place = steps("stop: { max_iterations: 4 }\nfeedback: { template: feedback/plain.md }", &answers);
    place.write("prompts/feedback/plain.md", "Once more, please.");
    run(&place, &[]).exits(3);
    let text = "
documents: { run: latest, journal: out/journal.sqlite }
profiles: [steps]
reference: steps
space: { stop.max_iterations: [2, 4, 6] }
objectives: [{ maximize: overall }]
";
    place.write("it.sweep.yaml", text);
    // One document is too few to be split.
    place.run(&["sweep", "it.sweep.yaml"]).exits(1).says(&["1 document can't be split in two parts"]);
    place.write(
        "it.sweep.yaml",
        text.replace("stop.max_iterations", "repair.drop_unknown").replace("[2, 4, 6]", "[true]"),
    );
    place.run(&["sweep", "it.sweep.yaml"]).exits(1);
}

#[test]
fn what_is_wrong_is_said_where_it_stands() {
    let place = recorded();
    for (from, to, said) in [
        (
            "maximize: overall",
            "maximize: overal",
            "nothing is measured that is called `overal`: did you mean `overall`?",
        ),
        ("[1, 2, 3]", "[]", "this setting has no values"),
        ("[1, 2, 3]", "{ from: 3, to: 1 }", "from 3 to 1 by 1 is not a range"),
        ("space:", "profiles: [balancd]\nspace:", "no profile is called `balancd`"),
        (
            "space: { stop.max_iterations: [1, 2, 3] }",
            "space: { stop.max_iteration: [1] }",
            "unknown key `max_iteration`",
        ),
        ("runs.jsonl", "run.jsonl", "can't read `run.jsonl`"),
        ("samples: 2000", "samples: 200", "with 200 samples nothing could be told apart"),
        ("space:", "constraints: ['calls < reference.call']\nspace:", "did you mean `calls`?"),
        ("space:", "conditions: ['stop.max_iterations < x']\nspace:", "the space has no setting `x`"),
        ("maximize: overall", "maximize: '1 / (calls - 1)'", "has no number for some document"),
    ] {
        place.write("it.sweep.yaml", EXPERIMENT.replacen(from, to, 1));
        let ran = place.run(&["sweep", "it.sweep.yaml", "--quiet"]);
        assert!(matches!(ran.code, Some(1 | 2)), "{to}: {:?}", ran.code);
        ran.says(&[said]);
    }
    // `check` knows such files, too.
    place.write("it.sweep.yaml", EXPERIMENT);
    place.run(&["check", "it.sweep.yaml"]).exits(0);
}

#[test]
fn a_constraint_that_is_kept_only_where_it_was_chosen_is_said() {
    let place = recorded();
    let split = |seed: u32, more: &str| format!("{EXPERIMENT}split: {{ test: 0.5, seed: {seed} }}\n{more}");
    let (seed, between) = (1..20)
        .find_map(|seed| {
            let best = &swept(&place, &split(seed, ""))["shown"][0];
            let (train, test) = (best["train"][0].as_f64()?, best["test"][0]["mean"].as_f64()?);
            (train > test + 0.01).then_some((seed, f64::midpoint(train, test)))
        })
        .unwrap();
    let constraint = format!("overall >= {between}");
    let experiment = split(seed, &format!("constraints: ['{constraint}', 'calls <= 3']\n"));
    let found = swept(&place, &experiment);
    assert_eq!(found["shown"][0]["constraints_missed"], json!([constraint]));
    let said = place.run(&["sweep", "it.sweep.yaml", "--quiet"]).exits(0).out;
    assert!(said.contains(&format!("does not keep the constraint `{constraint}`")), "{said}");
}

/// Before anything is decided, with what was expected and found, at the value in the experiment.
#[test]
fn a_value_that_no_profile_can_have_is_refused_where_it_stands() {
    let place = recorded();
    let space = "space: { stop.max_iterations: [1, 2, 3] }";
    for (with, marked, said) in [
        ("accept.overall: [0.5, 1.7]", "1.7", "expected a score from 0 to 1, found 1.7"),
        ("accept.overall: [high, 0.5]", "high", "expected a number, found text"),
        ("accept.overall: { from: 0.5, to: 1.7, step: 0.4 }", "{ from", "from 0 to 1, found 1.3"),
        ("accept.overal: [0.5]", "overal", "no dimension is called `overal`"),
        ("stop.max_iteration: [5]", "max_iteration:", "unknown key `max_iteration`"),
        ("on_regression: [keep, rolback]", "rolback", "did you mean `rollback`?"),
        ("stop.min_improvement: [null, { delta: 0.1, patience: soon }]", "soon", "found text"),
        ("overall.from: [q, z]", "z]", "`z`"),
    ] {
        let wrong = space.replace(" }", &format!(", {with} }}"));
        place.write("it.sweep.yaml", EXPERIMENT.replace(space, &wrong));
        let ran = place.run(&["sweep", "it.sweep.yaml", "--report", "r.html"]).exits(2);
        let at = format!("it.sweep.yaml:5:{}", wrong.find(marked).unwrap() + 1);
        let ran = ran.says(&[&at, said]);
        assert_eq!(ran.out, "", "{with}");
        assert_eq!(ran.err.matches("error").count(), 2, "one mistake, and what follows of it: {}", ran.err);
        assert!(!place.path("r.html").exists(), "{with}");
        // What conditions leave out is not tried, and may be anything.
        let text = EXPERIMENT.replace(space, &format!("{wrong}\nconditions: ['stop.max_iterations == 7']"));
        place.write("it.sweep.yaml", text);
        place.run(&["sweep", "it.sweep.yaml"]).exits(0);
    }
}

/// Values that are wrong together alone are counted: conditions leave such combinations out.
#[test]
fn values_that_do_not_go_together_are_no_mistake_of_one() {
    let place = recorded();
    let space = "space: { assess.q: [given, null], overall.from: [q, z] }";
    let text = EXPERIMENT.replace("space: { stop.max_iterations: [1, 2, 3] }", space);
    place.write("it.sweep.yaml", text.replace("assess.q: given,", "assess: { q: given, z: given },"));
    let ran = place.run(&["sweep", "it.sweep.yaml", "--format", "json", "--quiet"]).exits(0);
    let ran = ran.says(&["1 policy of the space can't be used", "it.sweep.yaml"]);
    assert_eq!(ran.json()["policies"]["invalid"], 1);
}

#[test]
fn a_value_that_makes_a_run_another_is_refused_where_it_stands() {
    let answers: Vec<Value> = [3, 5, 4, 6].map(scoring).to_vec();
    let place = steps("stop: { max_iterations: 4 }", &answers);
    run(&place, &[]).exits(3);
    let text = "documents: { run: latest, journal: out/journal.sqlite }
profiles: [steps]
reference: steps
space: { feedback.history: [3] }
objectives: [{ maximize: overall }]
";
    place.write("it.sweep.yaml", text);
    let said = ["it.sweep.yaml:4:29", "the run would have had other candidates", "`feedback`"];
    place.run(&["sweep", "it.sweep.yaml"]).exits(2).says(&said);
    // Another file with the same words makes the same candidates; that one document can't be split comes afterwards.
    let shipped = include_str!("../../prompts/feedback/default.md");
    place.write("prompts/feedback/copy.md", shipped);
    let copy = text.replace("feedback.history: [3]", "feedback.template: [feedback/copy.md]");
    place.write("it.sweep.yaml", &copy);
    place.run(&["sweep", "it.sweep.yaml"]).exits(1).says(&["1 document can't be split"]);
    place.write("prompts/feedback/copy.md", format!("{shipped}\nBe careful."));
    place.run(&["sweep", "it.sweep.yaml"]).exits(2).says(&["it.sweep.yaml:4:30", "`feedback`"]);
}
