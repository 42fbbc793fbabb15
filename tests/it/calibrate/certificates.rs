//! Certificates: bound to the policy of a run, said by `run` and `check`, void when something changes, watched by an audit.
#![cfg(unix)]

use crate::workspace::{Ran, Workspace};
use serde_json::{Value, json};

/// What a document says is copied by a program, so that good documents score 1 and poor ones half of that.
const PROFILE: &str = "classify: null
stages: [{ id: extract, provider: 'command:m1', config: { command: [sh, answer.sh], answer: value }, prompt: ask.md, retries: 0 }]
assess: { parts: { rubric: parts } }
overall: { from: parts }
accept: { overall: 0.4 }
stop: { max_iterations: 1 }
certify: { wrong_documents: 10%, confidence: 90%, grid: [0.9, 0.4], per: all, audit: 50% }
";

const GOOD: usize = 24;
const POOR: usize = 6;

fn place() -> Workspace {
    let place = Workspace::new();
    place.write("rules/rubrics/parts.yaml", "types: { unknown: { required: [grade, stage] } }\n");
    place.write("profiles/parts.yaml", PROFILE);
    place.write("prompts/ask.md", "What is the grade in {{ source }}?");
    let script = "if grep -q good; then echo '{\"grade\": \"2\", \"stage\": \"1\"}'; else echo '{\"grade\": \"2\"}'; fi";
    place.write("answer.sh", script);
    for k in 0..GOOD {
        place.write(&format!("docs/good-{k:02}.txt"), "A good report. Grade 2, stage 1.\n");
    }
    for k in 0..POOR {
        place.write(&format!("docs/poor-{k:02}.txt"), "A report. Grade 2.\n");
    }
    place
}

fn run(place: &Workspace, more: &[&str]) -> Ran {
    let first = ["run", "--profile", "parts", "--allow-commands", "--format", "jsonl", "--out", "out"];
    place.run(&[&first, more, &["docs"]].concat())
}

/// The arguments that name the run's journal.
const RUN: [&str; 6] = ["--profile", "parts", "--run", "latest", "--journal", "out/journal.sqlite"];

fn calibrate(place: &Workspace, more: &[&str]) -> Ran {
    place.run(&[&["calibrate"], RUN.as_slice(), more].concat())
}

/// Labels of all documents: the poor ones are wrong.
fn write_labels(place: &Workspace) {
    let ran = calibrate(place, &["--draw", "1000", "--format", "jsonl"]).exits(0);
    let labels: String = ran
        .lines()
        .into_iter()
        .map(|mut label| {
            assert!(label.get("score").is_none(), "who knows the score reviews otherwise");
            label["wrong"] = json!(label["document"].as_str().unwrap().contains("poor"));
            format!("{label}\n")
        })
        .collect();
    assert_eq!(labels.lines().count(), GOOD + POOR);
    place.write("labels.jsonl", labels);
}

/// A run, its labels, and the certificate that they make.
fn certified() -> Workspace {
    let place = place();
    run(&place, &[]).exits(0);
    write_labels(&place);
    let ran =
        calibrate(&place, &["--out", "certificates/parts.json", "--format", "text", "labels.jsonl"]).exits(0);
    ran.says(&["the certificate is in `certificates/parts.json`"]).finds(&[
        "Of documents accepted at overall ≥ 0.90, at most 10 % hold a wrong value, with 90 % confidence (n = 24, wrong = 0)",
    ]);
    place
}

#[test]
fn a_certificate_says_all_that_it_rests_on_and_nothing_of_the_documents() {
    let place = certified();
    let certificate = place.json("certificates/parts.json");
    assert_eq!(certificate["format"], "loopctl certificate");
    assert!(certificate["run"].as_str().is_some() && certificate["date"].as_str().unwrap().ends_with('Z'));
    let calibration = &certificate["calibration"];
    assert_eq!((&calibration["wrong_documents"], &calibration["confidence"]), (&json!(0.1), &json!(0.9)));
    assert_eq!(calibration["grid"], json!([0.9, 0.4]));
    let basis = &certificate["basis"];
    assert!(basis["settings"]["accept"].is_string() && basis["settings"].get("certify").is_none());
    let files: Vec<&Value> = basis["files"].as_array().unwrap().iter().map(|file| &file["name"]).collect();
    assert_eq!(files, ["ask.md", "parts.yaml"]);
    assert_eq!(basis["providers"][0]["model"], "m1");
    assert!(!place.read("certificates/parts.json").contains("good-"));
}

#[test]
fn run_and_check_say_what_is_promised_and_why_it_is_void() {
    let place = certified();
    let promise = "Of documents accepted at overall ≥ 0.90";
    run(&place, &["--certificate", "certificates/parts.json"])
        .exits(0)
        .says(&["certificate `certificates/parts.json`", promise]);
    // The profile may name the certificate, and mark what it does not cover for review, without making it void.
    let adopted = PROFILE.replace("audit: 50%", "audit: 50%, certificate: certificates/parts.json")
        + "review: { when: overall < 0.9 }\n";
    place.write("profiles/parts.yaml", &adopted);
    run(&place, &[]).exits(0).says(&[promise]);
    place.run(&["check", "parts"]).exits(0).finds(&["0 warnings"]);

    place.write(
        "profiles/parts.yaml",
        adopted.replace("accept: { overall: 0.4 }", "accept: { overall: 0.3 }"),
    );
    let void =
        "the certificate `certificates/parts.json` is void: since it was made, the setting `accept` changed";
    run(&place, &["--quiet"]).exits(0).says(&[void, "run `loopctl calibrate` again"]);
    place.run(&["check", "parts"]).exits(0).finds(&["warning[LC551]", void]);
    let ran = place
        .run(&["calibrate", "--profile", "parts", "--verify", "certificates/parts.json", "--format", "text"])
        .exits(3);
    ran.finds(&[void]);

    place.write("profiles/parts.yaml", &adopted);
    place.write("prompts/ask.md", "Which grade is in {{ source }}?");
    run(&place, &[]).exits(0).says(&["is void: since it was made, the file `ask.md` changed"]);
    place.write("prompts/ask.md", "What is the grade in {{ source }}?");
    let other = place.run(&[
        "run",
        "--profile",
        "parts",
        "--allow-commands",
        "--provider",
        "command:m2",
        "--out",
        "other",
        "docs",
    ]);
    other.says(&["the setting `stages`, the models changed"]);

    place.write("certificates/parts.json", "{}");
    place.run(&["check", "parts"]).exits(0).finds(&["warning[LC551]", "can't be used: it is no certificate"]);
    run(&place, &["--certificate", "certificates/parts.json"]).exits(1).says(&["it is no certificate"]);
}

#[test]
fn scores_of_another_policy_are_refused() {
    let place = certified();
    place.write("profiles/parts.yaml", PROFILE.replace("max_iterations: 1", "max_iterations: 2"));
    let ran = calibrate(&place, &["labels.jsonl"]).exits(2);
    ran.says(&["is of another policy: since it began, the setting `stop` changed"]);
    // What is to be certified is no part of the policy.
    place.write("profiles/parts.yaml", PROFILE.replace("wrong_documents: 10%", "wrong_documents: 1%"));
    calibrate(&place, &["labels.jsonl", "--format", "text"]).exits(3).finds(&["Nothing can be certified"]);
}

#[test]
fn an_audit_is_drawn_from_what_is_covered_and_finds_drift() {
    let place = certified();
    let verify = ["--verify", "certificates/parts.json"];
    let drawn =
        calibrate(&place, &[verify.as_slice(), &["--draw-audit", "--format", "text"]].concat()).exits(0).out;
    let ids: Vec<&str> = drawn.lines().collect();
    assert!((4..20).contains(&ids.len()) && ids.iter().all(|id| id.contains("good")), "{ids:?}");

    let write = |wrong: usize, count: usize| {
        let label = |k: usize| json!({ "document": format!("n{k}"), "score": if k < count { 0.95 } else { 0.5 }, "wrong": k < wrong });
        place.write("audit.jsonl", (0..count + 3).map(|k| format!("{}\n", label(k))).collect::<String>());
    };
    let verified = |code: i32| {
        let first = ["calibrate", "--profile", "parts"];
        place.run(&[&first, verify.as_slice(), &["--format", "text", "audit.jsonl"]].concat()).exits(code)
    };
    write(1, 20);
    verified(0).finds(&[
        "holds for this policy",
        "Nothing speaks against the promise: 1 of 20 audited documents are wrong",
        "3 audited documents are not covered by the certificate",
    ]);
    write(8, 20);
    verified(3).finds(&[
        "The promise no longer holds: 8 of 20 audited documents are wrong, which is more than 10 % explain",
    ]);
}

#[test]
fn a_run_alone_needs_fewer_reviews_of_documents_that_were_drawn() {
    let place = place();
    run(&place, &[]).exits(0);
    let settings = PROFILE.replace("wrong_documents: 10%", "wrong_documents: 5%");
    place.write("profiles/parts.yaml", settings);
    write_labels(&place);
    // All were looked at, and none is wrong above the threshold: nothing is left to chance.
    calibrate(&place, &["labels.jsonl", "--format", "text"]).exits(3);
    let ran = calibrate(&place, &["labels.jsonl", "--only-this-run", "--format", "text"]).exits(0);
    ran.finds(&["Of the documents of this run accepted at overall ≥ 0.90, at most 5 % hold a wrong value"]);
    place
        .run(&["calibrate", "--profile", "parts", "--only-this-run", "labels.jsonl"])
        .exits(2)
        .says(&["--run RUN"]);
    // The same from the folder of results.
    let folder = [
        "calibrate",
        "--profile",
        "parts",
        "--results",
        "out",
        "--only-this-run",
        "--format",
        "text",
        "labels.jsonl",
    ];
    place.run(&folder).exits(0).finds(&["(n = 24, wrong = 0)"]);
}

#[test]
fn a_run_without_labels_says_how_many_reviews_it_takes() {
    let place = place();
    run(&place, &[]).exits(0);
    // 22 with none wrong, 38 with one, and 24 of 30 documents score above 0.9.
    calibrate(&place, &["--format", "text"]).exits(0).finds(&[
        "30 documents in the run; to draw at random:",
        "overall ≥  reached by  if none is wrong  if one is",
        "     0.90          24                28         48",
        "at most 10 % are wrong, with 90 % confidence",
    ]);
    let [needed] = &calibrate(&place, &["--only-this-run", "--format", "jsonl"]).exits(0).lines()[..] else {
        panic!("one group")
    };
    assert!(needed["thresholds"][0]["to_draw_if_none_is_wrong"].as_u64().unwrap() < 28, "{needed}");
    // A certificate without labels is a mistake.
    calibrate(&place, &["--out", "c.json"]).exits(2).says(&["no labels are named"]);
}

#[test]
fn documents_that_were_chosen_are_noticed_and_unknown_ones_refused() {
    let place = place();
    run(&place, &["--config", "accept.overall=0.9"]).exits(3);
    let label = |id: &str| format!("{}\n", json!({ "document": id, "wrong": false }));
    let all = calibrate(&place, &["--config", "accept.overall=0.9", "--draw", "30", "--format", "text"])
        .exits(0)
        .out;
    let poor: String = all.lines().filter(|id| id.contains("poor")).map(label).collect();
    place.write("poor.jsonl", poor);
    let of = |file: &str| calibrate(&place, &["--config", "accept.overall=0.9", "--format", "text", file]);
    of("poor.jsonl").exits(3).says(&["warning: the reviewed documents were not drawn at random: 0.0 % of them may be accepted, and 80.0 % of those of the run"]);
    place.write("strange.jsonl", label("nobody-knows"));
    of("strange.jsonl")
        .exits(1)
        .says(&["1 of the labelled documents are not in the run, such as `nobody-knows`"]);
}
