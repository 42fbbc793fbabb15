//! `loopctl simulate`: policies tried on trajectories.

use super::workspace::{Ran, Workspace};
use serde_json::{Value, json};

/// Weights and bounds like those of the example in `docs/policies.md`. Nothing that a run would need is there.
const PAPERS: &str = "
stages: [{ id: extract, provider: not-installed, prompt: missing.md, output: schemas/missing.json }]
assess: { completeness: { rubric: missing }, accuracy: given, schema_compliance: given }
overall: { completeness: 0.4, accuracy: 0.4, schema_compliance: 0.2 }
accept: { completeness: 0.90, accuracy: 0.95, schema_compliance: 0.95, critical_issues: 0 }
gate: { schema_compliance: 0.5, on_correction: rollback }
on_regression: rollback
stop: { max_corrections: 3, rollbacks: 2, unchanged: true, timeout: 5s }
";

const EXAMPLE: &str = r#"{"id": "d1", "iterations": [
  {"scores": {"completeness": 0.85, "accuracy": 0.97, "schema_compliance": 0.96},
   "issues": [{"code": "REQUIRED_FIELD", "severity": "critical", "path": "/authors"}],
   "elapsed_ms": 1200, "cost_usd": 0.02, "tokens": 900}]}"#;

fn place() -> Workspace {
    let place = Workspace::new();
    place.write("profiles/papers.yaml", PAPERS);
    place
}

/// One document: completeness, accuracy and schema_compliance of each candidate.
fn document(id: &str, courses: &[[f64; 3]]) -> Value {
    let steps: Vec<Value> = courses
        .iter()
        .map(|[c, a, s]| {
            json!({"scores": {"completeness": c, "accuracy": a, "schema_compliance": s},
                   "issues": [], "elapsed_ms": 1000, "cost_usd": 0.1, "tokens": 10})
        })
        .collect();
    json!({"id": id, "iterations": steps})
}

fn simulated(place: &Workspace, lines: &str, arguments: &[&str]) -> Ran {
    place.write("t.jsonl", lines);
    place.run(&[&["simulate", "--profile", "papers"], arguments, &["t.jsonl"]].concat())
}

#[test]
fn the_example_of_the_loop_page_is_answered_as_it_says() {
    let ran = simulated(&place(), &EXAMPLE.replace('\n', " "), &[]).exits(0);
    assert_eq!(
        ran.out,
        concat!(
            r#"{"id":"d1","final_status":"incomplete","stop_reason":"trajectory_exhausted","iteration_count":1,"#,
            r#""best_iteration":0,"selection_reason":"only_iteration","improvement_trajectory":[0.92],"#,
            r#""rollbacks":0,"cost_usd":0.02,"tokens":900}"#,
            "\n"
        )
    );
    assert_eq!(ran.err, "");
}

#[test]
fn documents_that_pass_by_a_bound_on_issues_that_nobody_knows_are_counted() {
    let told = document("told", &[[0.95, 0.96, 0.97]]);
    let mut silent = document("silent", &[[0.95, 0.96, 0.97]]);
    silent["iterations"][0].as_object_mut().unwrap().remove("issues");
    let mut poor = document("poor", &[[0.5, 0.5, 0.97]]);
    poor["iterations"][0].as_object_mut().unwrap().remove("issues");
    let ran = simulated(&place(), &format!("{told}\n{silent}\n{poor}\n"), &[]).exits(0);
    let expected = "warning: `papers`: 1 document passed by `accept.critical_issues` though the line does not say which issues \
                    there were (no `issues`)\n";
    assert_eq!(ran.err, expected);
    let ran =
        simulated(&place(), &format!("{silent}\n"), &["--config", "accept.critical_issues=null"]).exits(0);
    assert_eq!(ran.err, "");
}

#[test]
fn other_keys_that_look_at_issues_are_counted_where_nobody_knows_them() {
    let mut silent = document("silent", &[[0.5, 0.5, 0.97], [0.6, 0.5, 0.97]]);
    silent["iterations"][1].as_object_mut().unwrap().remove("issues");
    let ran = simulated(
        &place(),
        &silent.to_string(),
        &["--config", "on_escalate=stop", "--config", "select.order=[no_critical, overall]"],
    );
    let expected = "warning: `papers`: 1 document not passed, and decided on by `on_escalate`, `select.order` though the line does not \
                    say which issues there were (no `issues`)\n";
    assert_eq!(ran.exits(0).err, expected);
    let told = document("told", &[[0.5, 0.5, 0.97]]);
    let ran = simulated(&place(), &format!("{told}\n{silent}\n{told}\n"), &["--require", "issues"]).exits(1);
    assert_eq!(ran.lines().len(), 2);
    ran.says(&["t.jsonl, line 2: an iteration does not say which issues there were (no `issues`), and `--require issues` asks for it"]);
}

#[test]
fn gate_acceptance_rollback_and_criteria_apply() {
    let (good, fair, poor) = ([0.95, 0.96, 0.97], [0.8, 0.8, 0.8], [0.5, 0.5, 0.8]);
    let documents = [
        document("gate", &[[1.0, 1.0, 0.4]]),
        document("accepted", &[fair, good, poor]),
        document("rollbacks", &[fair, poor, [0.8, 0.8, 0.4], good]),
        document("limit", &[poor, fair, poor, fair, good]),
    ];
    let text: String = documents.iter().map(|one| format!("{one}\n")).collect();
    let answers = simulated(&place(), &text, &[]).exits(0).lines();
    let seen: Vec<Value> = answers
        .iter()
        .map(|a| {
            json!([
                a["id"],
                a["final_status"],
                a["stop_reason"],
                a["iteration_count"],
                a["best_iteration"],
                a["selection_reason"],
                a["rollbacks"],
                a["cost_usd"],
                a["tokens"]
            ])
        })
        .collect();
    assert_eq!(
        seen,
        [
            json!(["gate", "failed", "gate", 1, 0, "only_iteration", 0, 0.1, 10]),
            json!(["accepted", "passed", "accepted", 2, 1, "final_iteration_best", 0, 0.2, 20]),
            json!([
                "rollbacks",
                "stopped_early",
                "rollbacks",
                3,
                0,
                "quality_peaked_at_iteration_0",
                2,
                0.3,
                30
            ]),
            json!([
                "limit",
                "max_iterations_reached",
                "max_iterations",
                4,
                3,
                "final_iteration_best",
                1,
                0.4,
                40
            ]),
        ]
    );
    // Time adds up, each iteration counts as one call, and settings are laid over the profile.
    let with = |setting: &str| {
        let answers = simulated(&place(), &text, &["--config", setting]).lines();
        (answers[3]["stop_reason"].clone(), answers[3]["iteration_count"].clone())
    };
    assert_eq!(with("stop.timeout=1999ms"), (json!("timeout"), json!(2)));
    assert_eq!(with("stop.timeout=2000ms"), (json!("timeout"), json!(3)));
    assert_eq!(with("stop.budget.calls=3"), (json!("budget"), json!(3)));
    assert_eq!(with("stop.budget.cost_usd=0.3"), (json!("budget"), json!(3)));
    assert_eq!(with("stop.budget.tokens=11"), (json!("budget"), json!(2)));
}

#[test]
fn candidates_that_are_given_can_be_equal() {
    let mut same = document("same", &[[0.8; 3], [0.8; 3], [0.8; 3]]);
    same["iterations"][0]["candidate"] = json!({"a": 1, "b": 2.0});
    same["iterations"][2]["candidate"] = json!({"b": 2, "a": 1});
    let answer = simulated(&place(), &same.to_string(), &[]).exits(0).json();
    assert_eq!((&answer["stop_reason"], &answer["iteration_count"]), (&json!("unchanged"), &json!(3)));
}

#[test]
fn lines_that_can_not_be_used_are_named_and_the_others_answered() {
    let place = place();
    let good = document("good", &[[0.8; 3]]).to_string();
    let text = format!(
        "\u{feff}{good}\n{{\"id\": \"x\"\n\n{good}\n{{\"id\": 1, \"iterations\": [{{\"scores\": {{\"completeness\": 1.2}}}}]}}\n{good}"
    );
    let ran = simulated(&place, &text, &[]).exits(1).says(&[
        "t.jsonl, line 2: column ",
        "t.jsonl, line 5: `/iterations/0/scores/completeness`: expected a number from 0 to 1, found 1.2",
    ]);
    // One line each, and one on what is wanted.
    assert_eq!((ran.lines().len(), ran.err.lines().count()), (3, 3), "{}", ran.err);
    // From standard input, and beside a file that is not there.
    let ran = Ran::of(place.loopctl(&["simulate", "-p", "papers", "missing.jsonl", "-"]).write_stdin(text));
    let ran = ran.exits(1).says(&["can't read `missing.jsonl`", "standard input, line 2"]);
    assert_eq!(ran.lines().len(), 3);
}

#[test]
fn several_profiles_answer_each_document() {
    let text = format!("{}\n{}\n", document("a", &[[0.8; 3]]), document("b", &[[0.8; 3]]));
    let ran = simulated(&place(), &text, &["--profile", "batch"]).exits(0);
    let seen: Vec<Value> = ran.lines().iter().map(|a| json!([a["id"], a["profile"]])).collect();
    assert_eq!(
        seen,
        [json!(["a", "papers"]), json!(["a", "batch"]), json!(["b", "papers"]), json!(["b", "batch"])]
    );
    assert!(simulated(&place(), &text, &[]).lines()[0].get("profile").is_none());
}

#[test]
fn profiles_can_be_compared_on_what_was_recorded() {
    let place = Workspace::new();
    let step = |quality: f64| json!({"scores": {"quality": quality}, "issues": [], "elapsed_ms": 900, "cost_usd": 0.001});
    let documents = [
        json!({"id": "up", "iterations": [step(0.5), step(0.8), step(1.0)]}),
        json!({"id": "down", "iterations": [step(0.5), step(0.333_333), step(0.25), step(0.2)]}),
        json!({"id": "flat", "iterations": vec![step(0.5); 6]}),
        json!({"id": "good", "iterations": [step(1.0), step(0.5)]}),
    ];
    let text: String = documents.iter().map(|one| format!("{one}\n")).collect();
    place.write("t.jsonl", text);
    let run = |arguments: &[&str]| place.run(&[&["simulate", "t.jsonl"], arguments].concat());
    run(&[]).exits(0).says(&[
        "`balanced` decides by `completeness`, `accuracy`, `validity`, `consistency`, which no trajectory has",
        "the trajectories have `quality`; `--overall-from quality`",
    ]);
    let ran = run(&["--overall-from", "quality", "--format", "text", "-p", "balanced", "-p", "real-time"]);
    let ran = ran.exits(0);
    assert_eq!(ran.err, "");
    insta::assert_snapshot!(ran.out);
    let set = run(&["--config", "assess.quality=given", "--config", "overall.from=quality"]).exits(0);
    assert_eq!(set.out, run(&["--overall-from", "quality"]).out);
}

#[test]
fn what_can_not_be_simulated_is_wrong_usage() {
    let place = place();
    place.write("t.jsonl", EXAMPLE.replace('\n', " "));
    place
        .run(&["simulate", "-p", "paper", "t.jsonl"])
        .exits(2)
        .says(&["no profile is called `paper`", "`papers`"]);
    place
        .run(&["simulate", "--overall-from", "a.b", "t.jsonl"])
        .exits(2)
        .says(&["not a name of a dimension"]);
    let ran = place.run(&["simulate", "-p", "papers", "--config", "stop.rollback=1", "t.jsonl"]).exits(2);
    ran.says(&["unknown key `rollback`", "did you mean `rollbacks`?"]);
}
