//! `loopctl calibrate --evidence`: the counts of patterns from labels, the table of them, and profiles that use it.

use crate::workspace::Workspace;
use serde_json::{Value, json};

/// A document whose grade and size are stated, and one whose date is not the field's.
const SOURCE: &str = "FINAL DIAGNOSIS: Invasive carcinoma.\nHistologic grade: grade 2.\nMargins: negative.\n";

fn record(id: usize, grade: &str, label: &str) -> String {
    json!({
        "id": id.to_string(), "document_type": "pathology", "source": SOURCE,
        "extraction": { "grade": grade, "margins": "negative" },
        "labels": { "/grade": label, "/margins": "right" },
    })
    .to_string()
}

/// Records of which so many grades are right, and the others wrong though the document says them.
fn records(right: usize, wrong: usize) -> String {
    let lines =
        (0..right + wrong).map(|id| record(id, "grade 2", if id < right { "right" } else { "wrong" }));
    lines.collect::<Vec<_>>().join("\n")
}

fn calibrated(place: &Workspace, more: &[&str]) -> Value {
    let arguments = ["calibrate", "--profile", "clinical", "--evidence", "--format", "json", "records.jsonl"];
    place.run(&[&arguments[..], more].concat()).exits(0).json()
}

/// The pattern in which the grade appears, as counted.
fn of_grade(found: &Value) -> &Value {
    let patterns = found["patterns"].as_array().unwrap();
    patterns.iter().find(|one| one["wrong"] != json!(0)).unwrap_or(&patterns[0])
}

fn validated(place: &Workspace, profile: &str) -> Value {
    place.write("doc.txt", SOURCE);
    place.write("doc.json", json!({ "grade": "grade 2", "margins": "negative" }).to_string());
    let arguments = [
        "score",
        "--profile",
        profile,
        "--type",
        "pathology",
        "--source",
        "doc.txt",
        "--format",
        "jsonl",
        "doc.json",
    ];
    place.run(&arguments).exits(0).json()
}

#[test]
fn a_pattern_that_reviewers_correct_is_not_trusted_any_more() {
    let place = Workspace::new();
    place.write("records.jsonl", records(30, 30));
    let found = calibrated(&place, &["--out", "rules/evidence.yaml"]);
    assert_eq!((&found["right"], &found["wrong"]), (&json!(90), &json!(30)));
    let grade = of_grade(&found);
    assert_eq!(
        (&grade["right"], &grade["wrong"], &grade["from"]),
        (&json!(30), &json!(30), &json!("pattern"))
    );
    assert_eq!(grade["trusted"], false);
    assert!(grade["shipped"]["bound"].as_f64().unwrap() > 0.97, "{grade}");
    assert!(grade["in_use"].as_f64() < grade["shipped"]["bound"].as_f64(), "{grade}");

    let checked = place.run(&["check", "rules/evidence.yaml"]).exits(0).out;
    assert!(checked.contains("1 file checked: 0 errors"), "{checked}");
    place.write(
        "profiles/own.yaml",
        "extends: clinical\nassess: { accuracy: { grounding: { patterns: evidence.yaml } } }\n",
    );
    place.run(&["check", "own"]).exits(0);
    let support = |profile: &str| validated(&place, profile)["evidence"]["/grade"]["support"].clone();
    assert_eq!(support("clinical"), "verified");
    assert_eq!(support("own"), "undecided");
    // The issue about the value names the counts of the file in use.
    let issues = validated(&place, "own")["issues"].to_string();
    assert!(issues.contains("right in 30 of 60 labelled values"), "{issues}");
    let page = place.run(&["profile", "explain", "own", "--full"]).exits(0).out;
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        page.contains("the labels counted in `rules/evidence.yaml` allow when 5% of values are mistakes"),
        "{page}"
    );
}

#[test]
fn few_labels_are_taken_with_the_shipped_ones_or_alone() {
    let place = Workspace::new();
    place.write("records.jsonl", records(6, 0));
    let beside = of_grade(&calibrated(&place, &[])).clone();
    assert_eq!((&beside["bound"], &beside["trusted"]), (&Value::Null, &json!(true)));
    let alone = of_grade(&calibrated(&place, &["--alone", "--out", "evidence.yaml"])).clone();
    assert_ne!(alone["from"], "pattern");
    assert!(alone["in_use"].as_f64() < beside["in_use"].as_f64(), "{alone} {beside}");
    assert!(place.read("evidence.yaml").contains("beside_shipped: false\n"));
    let text = place
        .run(&[
            "calibrate",
            "--profile",
            "clinical",
            "--evidence",
            "--format",
            "text",
            "--alone",
            "records.jsonl",
        ])
        .exits(0)
        .out;
    assert!(
        text.contains("12 values labelled: 12 right, 0 wrong (0.0 %; `grounding.mistakes` assumes 5.0 %)"),
        "{text}"
    );
    assert!(text.contains("labels: by all patterns"), "{text}");
}

#[test]
fn the_more_mistakes_are_assumed_the_less_a_passage_says() {
    let place = Workspace::new();
    place.write("records.jsonl", records(6, 0));
    let bound = |mistakes: &str| {
        let setting = format!("assess.accuracy.grounding.mistakes={mistakes}");
        of_grade(&calibrated(&place, &["--config", &setting]))["in_use"].as_f64().unwrap()
    };
    assert!(bound("0.3") < bound("0.05") && bound("0.05") < bound("0.01"));
}

#[test]
fn what_reviewers_decide_about_a_run_is_counted() {
    let place = Workspace::new();
    place.write(
        "reports/a.txt",
        "FINAL DIAGNOSIS: Liver: hepatocellular carcinoma.\nHistologic grade: grade 2.\nMargins: negative.\n",
    );
    place.run(&["run", "--quiet", "--profile", "clinical", "reports"]);
    let counted = || {
        place.run(&[
            "calibrate",
            "--profile",
            "clinical",
            "--evidence",
            "--run",
            "latest",
            "--format",
            "json",
        ])
    };
    counted().exits(1).says(&["nothing is decided about any value"]);
    let decide = |lines: &[Value]| {
        let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
        place.write("decided.jsonl", lines.join("\n"));
        place.run(&["review", "import", "decided.jsonl", "--reviewer", "ab"]).exits(0);
    };
    decide(&[
        json!({ "document": "a", "action": "accept", "field": "margins" }),
        json!({ "document": "a", "action": "edit", "field": "grade", "after": "grade 3" }),
    ]);
    let found = counted().exits(0).json();
    assert_eq!((&found["right"], &found["wrong"]), (&json!(1), &json!(1)), "{found}");
    // A document that was accepted as is does not imply that any of its values was inspected.
    let place = Workspace::new();
    place.write("reports/a.txt", "FINAL DIAGNOSIS: Liver: hepatocellular carcinoma.\nMargins: negative.\n");
    place.run(&["run", "--quiet", "--profile", "clinical", "reports"]);
    place.write("decided.jsonl", json!({ "document": "a", "action": "accept" }).to_string());
    place.run(&["review", "import", "decided.jsonl", "--reviewer", "ab"]).exits(0);
    place
        .run(&["calibrate", "--profile", "clinical", "--evidence", "--run", "latest"])
        .exits(1)
        .says(&["no one says of a value that it was looked at"]);
}

#[test]
fn mistakes_are_named_with_their_place() {
    let place = Workspace::new();
    let refused = |arguments: &[&str], exit: i32, says: &[&str]| {
        place
            .run(&[&["calibrate", "--profile", "clinical", "--evidence"], arguments].concat())
            .exits(exit)
            .says(says);
    };
    refused(&[], 2, &["no decisions are named", "--run RUN"]);
    place.write("records.jsonl", record(1, "grade 2", "wrogn"));
    refused(
        &["records.jsonl"],
        1,
        &["records.jsonl:1", "the label of `/grade` is neither", "did you mean `wrong`?"],
    );
    place.write("records.jsonl", record(1, "grade 2", "right").replace("\"/margins\"", "\"/margin\""));
    refused(&["records.jsonl"], 1, &["`labels` has `/margin`, and the extraction has no value there"]);
    place.write("records.jsonl", "{\"id\": 1, \"extraction\": {}, \"source\": \"\"}\n");
    refused(&["records.jsonl"], 1, &["the record lacks `labels`"]);
    place.write("records.jsonl", records(2, 1));
    place.write("notes.yaml", "mine: 1\n");
    refused(
        &["records.jsonl", "--out", "notes.yaml"],
        2,
        &["would overwrite `notes.yaml`, which is not a table of patterns"],
    );
    refused(&["records.jsonl", "--out", "records.jsonl"], 2, &["which is read here"]);
    place
        .run(&["calibrate", "--profile", "literature", "--evidence", "records.jsonl"])
        .exits(2)
        .says(&["holds no value against its document"]);

    let checked = |text: &str| {
        place.write("rules/evidence.yaml", text);
        let ran = place.run(&["check", "rules/evidence.yaml"]);
        format!("{}{}", ran.out, ran.err)
    };
    for (text, says) in [
        (
            "labelled: { right: 2 }\npatterns: { number/statment: { right: 1 } }\n",
            "did you mean `number/statement`?",
        ),
        ("labelled: { right: 2 }\npatterns: { number/statement: { rihgt: 1 } }\n", "did you mean `right`?"),
        ("labelled: { right: 2 }\npatterns: {}\nbeside_shiped: true\n", "did you mean `beside_shipped`?"),
        (
            "labelled: { right: 2 }\npatterns: { number/statement: { right: 3 } }\n",
            "the patterns have 3 right values together, and 2 were labelled",
        ),
    ] {
        let said = checked(text);
        assert!(said.contains(says), "{said}");
        assert!(said.contains("rules/evidence.yaml:"), "{said}");
    }
    place.write(
        "profiles/own.yaml",
        "extends: clinical\nassess: { accuracy: { grounding: { patterns: evidense.yaml } } }\n",
    );
    let said = place.run(&["check", "own"]).exits(2).out;
    assert!(
        said.contains("there is no file `rules/evidense.yaml`")
            && said.contains("did you mean `evidence.yaml`?"),
        "{said}"
    );
}
