//! Certificates: bound to the policy of a run, said by `run` and `check`, void when something changes, watched by an audit.
#![cfg(unix)]

use crate::workspace::{Ran, Workspace};
use serde_json::{Value, json};

/// A profile whose program copies what a document says, so that good documents score 1 and poor ones half of that.
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
        "Of documents accepted by `passed and overall ≥ 0.90`, at most 10 % hold a wrong value, with 90 % confidence (n = 24, wrong = 0)",
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
    let promise = "Of documents accepted by `passed and overall ≥ 0.90`";
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
    place
        .run(&["check", "parts"])
        .exits(0)
        .finds(&["warning[LC551]", "can't be used: it is not a certificate"]);
    run(&place, &["--certificate", "certificates/parts.json"]).exits(1).says(&["it is not a certificate"]);
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
        "Nothing speaks against the promise: 1 of 20 audited documents is wrong",
        "3 audited documents are not covered by the certificate",
    ]);
    write(8, 20);
    let drifted = verified(3).finds(&[
        "is of this policy, but its audit speaks against it",
        "The promise no longer holds: 8 of 20 audited documents are wrong, more than chance explains where at most 10 % are",
    ]);
    assert!(!drifted.out.contains("holds for this policy"), "{}", drifted.out);
    let first = ["calibrate", "--profile", "parts", "--format", "json"];
    let json = place.run(&[&first, verify.as_slice(), &["audit.jsonl"]].concat()).exits(3).json();
    assert_eq!(json["holds"], false);
}

#[test]
fn an_audit_that_no_covered_document_is_in_shows_nothing() {
    let place = certified();
    let verified = |labels: &str, more: &[&str]| {
        place.write("audit.jsonl", labels);
        let all = ["--verify", "certificates/parts.json", "--format", "text", "audit.jsonl"];
        place.run(&[&["calibrate", "--profile", "parts"], more, all.as_slice()].concat())
    };
    let nothing = "No audited document is covered by the certificate: the audit shows nothing";
    let ran = verified("", &[]).exits(3).finds(&[nothing]);
    assert!(!ran.out.contains("Nothing speaks against"), "{}", ran.out);
    let low = json!({ "document": "n1", "score": 0.5, "wrong": true }).to_string();
    verified(&low, &[])
        .exits(3)
        .finds(&[nothing, "1 audited document is not covered by the certificate, and says nothing about it"]);
    // Those that the certificate was made by would speak for it.
    let own = verified(&place.read("labels.jsonl"), &["--run", "latest", "--journal", "out/journal.sqlite"]);
    own.exits(3)
        .finds(&[nothing, "left out: 30 audited documents, because the certificate was made by them"]);
}

#[test]
fn a_certificate_that_somebody_changed_is_void() {
    let place = certified();
    let text = place.read("certificates/parts.json");
    let void = "the certificate `certificates/parts.json` is void: since it was made, the certificate itself changed";
    let verify =
        ["calibrate", "--profile", "parts", "--verify", "certificates/parts.json", "--format", "text"];
    place.run(&verify).exits(0).finds(&["holds for this policy"]);
    let without_digest = {
        let mut value: Value = serde_json::from_str(&text).unwrap();
        value.as_object_mut().unwrap().remove("digest");
        value.to_string()
    };
    let lower = text.replace("\"threshold\": 0.9,", "\"threshold\": 0.1,");
    assert_ne!(lower, text);
    for forged in [lower, without_digest] {
        place.write("certificates/parts.json", &forged);
        let ran = place.run(&verify).exits(3).finds(&[void]);
        assert!(!ran.out.contains("Of documents"), "what it says is not repeated: {}", ran.out);
        run(&place, &["--certificate", "certificates/parts.json"]).exits(0).says(&[void]);
    }
}

#[test]
fn a_certificate_never_stands_where_something_else_did() {
    let place = certified();
    let labels = place.read("labels.jsonl");
    let out = |file: &str| calibrate(&place, &["--out", file, "--format", "text", "labels.jsonl"]);
    out("labels.jsonl").exits(2).says(&["would overwrite `labels.jsonl`, which is a file of labels"]);
    out("profiles/parts.yaml").exits(2).says(&["which is the profile or a file that it reads"]);
    out("out/good-00-result.json").exits(2).says(&["which is not a certificate"]);
    place.write("notes.txt", "Mine.");
    out("notes.txt").exits(2).says(&["would overwrite `notes.txt`, which is not a certificate"]);
    assert_eq!(place.read("labels.jsonl"), labels);
    assert_eq!(
        (place.read("profiles/parts.yaml").as_str(), place.read("notes.txt").as_str()),
        (PROFILE, "Mine.")
    );
    // Another certificate may replace one.
    out("certificates/parts.json").exits(0);
}

#[test]
fn results_certify_nothing_because_they_do_not_say_their_settings() {
    let place = certified();
    place.write("profiles/lax.yaml", PROFILE.replace("overall: 0.4", "overall: 0.1"));
    let of = |profile: &str, more: &[&str]| {
        let first = ["calibrate", "--profile", profile, "--results", "out", "--format", "text"];
        place.run(&[&first, more, &["labels.jsonl"]].concat())
    };
    of("lax", &[]).exits(2).says(&["is of the profile `parts`, and not of `lax`"]);
    of("parts", &["--out", "c.json"]).exits(2).says(&["no certificate can be made of results", "--run RUN"]);
    assert!(!place.path("c.json").exists());
    of("parts", &[]).exits(0).says(&["nothing shows that these are of the policy as it is"]);
}

#[test]
fn what_a_certificate_leaves_open_is_said() {
    let place = certified();
    let named = PROFILE.replace("audit: 50%", "audit: 50%, certificate: certificates/parts.json");
    let wrong = "the profile asks for at most 2 % wrong documents, and the certificate `certificates/parts.json` promises at most 10 %";
    let review = "documents that pass with overall below 0.9 can go without review, and the certificate `certificates/parts.json` does not cover them";
    let with = |settings: String| {
        place.write("profiles/parts.yaml", settings);
        (place.run(&["check", "parts"]).exits(0).out, run(&place, &[]).exits(0).err)
    };
    let covered = "review: { when: overall < 0.9 }\n";
    let (check, ran) = with(named.replace("wrong_documents: 10%", "wrong_documents: 2%") + covered);
    assert!(check.contains("warning[LC551]") && check.contains(wrong) && ran.contains(wrong), "{check}{ran}");
    assert!(!check.contains(review) && !ran.contains(review), "{check}{ran}");
    for open in ["", "review: { when: overall < 0.85 }\n", "review: { when: status != passed }\n"] {
        let (check, ran) = with(named.clone() + open);
        assert!(check.contains(review) && ran.contains(review), "{open}: {check}{ran}");
    }
    let (check, ran) = with(named + covered);
    assert!(!check.contains("LC551") && !ran.contains("warning"), "{check}{ran}");
}

#[test]
fn a_run_alone_needs_fewer_reviews_of_documents_that_were_drawn() {
    let place = place();
    run(&place, &[]).exits(0);
    let settings = PROFILE.replace("wrong_documents: 10%", "wrong_documents: 5%");
    place.write("profiles/parts.yaml", settings);
    write_labels(&place);
    // All were inspected, and none is wrong above the threshold: nothing is left to chance.
    calibrate(&place, &["labels.jsonl", "--format", "text"]).exits(3);
    let ran = calibrate(&place, &["labels.jsonl", "--only-this-run", "--format", "text"]).exits(0);
    ran.finds(&["Of the documents of this run accepted by `passed and overall ≥ 0.90`, at most 5 % hold a wrong value"]);
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
