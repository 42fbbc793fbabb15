//! From labels to statements: what counts, what is certified, what is missing, what is refused.

use crate::workspace::{Ran, Workspace};
use serde_json::{Value, json};

/// A policy that certifies what a page can show: few labels, all types together.
pub(crate) const CLINIC: &str = "
extends: balanced
certify: { wrong_documents: 5%, confidence: 95%, grid: [0.98, 0.95, 0.9], exclude: [d-excluded] }
";

pub(crate) fn place(profile: &str) -> Workspace {
    let place = Workspace::new();
    place.write("profiles/clinic.yaml", profile);
    place
}

/// So many labels of documents with this score, the first of them wrong.
pub(crate) fn labels(kind: &str, score: f64, count: usize, wrong: usize) -> Vec<Value> {
    let label = |k| json!({ "document": format!("{kind}-{k}"), "score": score, "wrong": k < wrong, "document_type": kind });
    (0..count).map(label).collect()
}

fn written(labels: &[Value]) -> String {
    labels.iter().map(|label| format!("{label}\n")).collect()
}

pub(crate) fn calibrate(place: &Workspace, labels: &[Value], more: &[&str]) -> Ran {
    place.write("labels.jsonl", written(labels));
    place.run(&[&["calibrate", "--profile", "clinic"], more, &["labels.jsonl"]].concat())
}

/// A hundred good documents of one type, and a few that are not: what people see.
pub(crate) fn clinic_labels() -> Vec<Value> {
    let mut all = labels("pathology", 0.99, 70, 0);
    all.extend(labels("pathology-low", 0.96, 60, 1).into_iter().map(|mut label| {
        label["document_type"] = json!("pathology");
        label
    }));
    all.extend(labels("radiology", 0.96, 20, 3));
    all.push(json!({ "document": "d-rules", "score": 0.99, "wrong": false, "wrote_rules": true, "document_type": "pathology" }));
    all.push(
        json!({ "document": "d-excluded", "score": 0.99, "wrong": false, "document_type": "pathology" }),
    );
    for (reviewer, wrong) in [("ann", true), ("bob", false)] {
        all.push(json!({ "document": "d-two", "score": 0.91, "wrong": wrong, "reviewer": reviewer, "document_type": "pathology" }));
    }
    all
}

#[test]
fn a_clinician_reads_what_is_certified_and_what_is_missing() {
    let ran = calibrate(&place(CLINIC), &clinic_labels(), &["--format", "text"]).exits(0);
    insta::assert_snapshot!("calibrate", ran.out);
    assert_eq!(ran.err, "");
}

#[test]
fn programs_read_the_same_as_json() {
    let value = calibrate(&place(CLINIC), &clinic_labels(), &["--format", "json"]).exits(0).json();
    assert_eq!(value["reviewed"], 151);
    assert_eq!(
        value["left_out"],
        json!({ "wrote_rules": 1, "examples": 0, "excluded": 1, "same_cluster": 0 })
    );
    assert_eq!(value["disputed"], 1);
    let [pathology, radiology] = value["groups"].as_array().unwrap().as_slice() else { panic!("{value}") };
    assert_eq!(pathology["delta"], 0.025);
    // Of two types, each may err half as often: 72 are needed where 59 would do.
    assert_eq!(pathology["certified"]["threshold"], 0.95);
    assert_eq!(
        (&pathology["certified"]["accepted"], &pathology["certified"]["wrong"]),
        (&json!(130), &json!(1))
    );
    assert!(radiology.get("certified").is_none());
    assert_eq!(radiology["thresholds"][1]["verdict"], "too_few");
    assert_eq!(value["statements"].as_array().unwrap().len(), 1);
}

#[test]
fn a_table_says_the_same_as_lines() {
    let place = place(CLINIC);
    let all = labels("pathology", 0.99, 80, 0);
    let lines = calibrate(&place, &all, &["--format", "json"]).exits(0).json();
    for separator in [",", ";"] {
        let row = |label: &Value| {
            let wrong = if label["wrong"] == true { "no" } else { "yes" };
            [label["document"].as_str().unwrap(), wrong, "0.99", "pathology", "ann"].join(separator)
        };
        let head = ["document", "right", "score", "document_type", "reviewer"].join(separator);
        let rows: Vec<String> = std::iter::once(head).chain(all.iter().map(row)).collect();
        place.write("labels.csv", format!("\u{feff}{}\r\n", rows.join("\r\n")));
        let table = place.run_json(&["calibrate", "--profile", "clinic", "--format", "json", "labels.csv"]);
        assert_eq!(table, lines);
    }
}

#[test]
fn what_is_out_of_reach_says_how_many_more_and_of_which_kind() {
    let all = "extends: balanced\ncertify: { per: all, grid: [0.95, 0.9] }\n";
    let few: Vec<Value> = [labels("a", 0.96, 40, 0), labels("b", 0.5, 60, 20)].concat();
    let ran = calibrate(&place(all), &few, &["--format", "text"]).exits(3);
    ran.finds(&[
        "Nothing can be certified of the documents",
        "20 of 100 reviewed documents are wrong: at least 18.4 % must be held back, whatever the threshold",
        "at least 149 reviewed and accepted documents if none of them is wrong, 236 if one is",
        "nearest is overall ≥ 0.95, with 40 documents reviewed and 0 wrong: 109 more with overall ≥ 0.95 would do if none is wrong",
        "that is some 273 documents drawn at random",
    ]);
    // Too many are wrong: no number of reviews helps.
    let bad = labels("a", 0.96, 400, 20);
    calibrate(&place(all), &bad, &["--format", "text"])
        .exits(3)
        .finds(&["no number of reviews helps; better rules may, with labels of newly drawn documents"]);
    // A test that failed is not asked again with more of the same labels.
    let ran = calibrate(&place(all), &labels("a", 0.96, 400, 5), &["--format", "text"]).exits(3).finds(&[
        "these labels were tested, and more of them would be a second look: it takes new ones, of some ",
        " reach overall ≥ 0.95, if as many are wrong as so far",
    ]);
    assert!(!ran.out.contains("would do if none is wrong"), "{}", ran.out);
    let none = labels("a", 0.5, 10, 0);
    calibrate(&place(all), &none, &["--format", "text"])
        .exits(3)
        .finds(&["no reviewed document reaches any of the thresholds"]);
}

#[test]
fn looking_at_any_time_is_tested_by_betting() {
    let profile = "extends: balanced\ncertify: { per: all, grid: [0.9], looks: any_time }\n";
    let enough =
        calibrate(&place(profile), &labels("a", 0.96, 220, 0), &["--format", "json"]).exits(0).json();
    assert!(enough["groups"][0]["thresholds"][0]["e_value"].as_f64().unwrap() >= 20.0);
    // The bound holds at every look, and is that of the test.
    let bound = enough["groups"][0]["thresholds"][0]["upper_bound"].as_f64().unwrap();
    assert!((0.0195..=0.02).contains(&bound), "{bound}");
    calibrate(&place(profile), &labels("a", 0.96, 219, 0), &["--format", "json"]).exits(3);
}

#[test]
fn documents_of_one_patient_count_once() {
    let mut all = labels("pathology", 0.99, 100, 0);
    for (k, label) in all.iter_mut().enumerate() {
        label["cluster"] = json!(format!("patient-{}", k / 2));
    }
    let ran = calibrate(&place(CLINIC), &all, &["--format", "text"]).exits(3);
    ran.finds(&[
        "50 documents reviewed, one of each of 50 clusters",
        "left out: 50 because another of their cluster counts",
    ]);
}

#[test]
fn labels_that_cannot_be_used_are_named() {
    let place = place(CLINIC);
    place.write(
        "labels.jsonl",
        "{\"document\": \"a\"}\nx\n[]\n{\"document\": \"b\", \"wrong\": false, \"exampel\": true}\n",
    );
    place.run(&["calibrate", "--profile", "clinic", "labels.jsonl"]).exits(1).says(&[
        "labels.jsonl, line 1: `wrong`: expected true or false (in a table also yes, no, 1 or 0), found nothing",
        "labels.jsonl, line 2: column 1: not JSON",
        "labels.jsonl, line 3: expected a JSON object",
        "labels.jsonl, line 4: nothing reads `exampel`; did you mean `example`?",
        "4 lines can't be read",
    ]);
    place.write("labels.csv", "document,wrong\na,false,more\nb,perhaps\n");
    place.run(&["calibrate", "--profile", "clinic", "labels.csv"]).exits(1).says(&[
        "labels.csv, line 2: expected 2 cells, as in the first row, found 3",
        "labels.csv, line 3: `wrong`: expected true or false (in a table also yes, no, 1 or 0), found `perhaps`",
    ]);
    // Lines are counted alike regardless of their endings.
    place.write("labels.csv", "document,wrong\r\na,false\r\nb,WAHR\r\n");
    place.run(&["calibrate", "--profile", "clinic", "labels.csv"]).exits(1).says(&[
        "labels.csv, line 3: `wrong`: expected true or false (in a table also yes, no, 1 or 0), found `WAHR`",
    ]);
    place.write("labels.jsonl", "{\"document\": \"a\", \"rigth\": true}\n");
    place
        .run(&["calibrate", "--profile", "clinic", "labels.jsonl"])
        .exits(1)
        .says(&["line 1: nothing reads `rigth`; did you mean `right`?"]);
    for (head, says) in [
        ("document,rigth", "labels.csv, line 1: nothing reads `rigth`; did you mean `right`?"),
        ("Document,wrong", "labels.csv, line 1: nothing reads `Document`; did you mean `document`?"),
        ("document,falsch", "labels.csv, line 1: no column is called `wrong`"),
    ] {
        place.write("labels.csv", format!("{head}\na,true\nb,true\nc,true\n"));
        let ran = place.run(&["calibrate", "--profile", "clinic", "labels.csv"]).exits(1).says(&[says]);
        assert_eq!(ran.err.matches("labels.csv, line").count(), 1, "{}", ran.err);
    }
    place.write("labels.jsonl", "{\"document\": \"a\", \"wrong\": false}\n");
    let ran = place.run(&["calibrate", "--profile", "clinic", "labels.jsonl"]).exits(1);
    ran.says(&["the label of `a` has no `score`, and no run gives one", "--run RUN"]);
    place.run(&["calibrate", "--profile", "clinic"]).exits(2).says(&["no labels are named"]);
    place
        .run(&["calibrate", "--profile", "clinic", "not-there.jsonl"])
        .exits(1)
        .says(&["can't read `not-there.jsonl`"]);
}

#[test]
fn settings_that_promise_nothing_are_refused() {
    for (settings, says) in [
        ("wrong_documents: 0%", "expected a share such as `2%` or `0.02`, found `0%`"),
        ("wrong_documents: 120%", "it lies between 0.01 % and 99.99 %"),
        ("confidence: 20%", "a confidence of 20 % is less than a coin's"),
        ("grid: [0.9, 0.95]", "begin with the strictest"),
        ("grid: { from: 0.8, to: 0.9, step: 0.01 }", "begin with the strictest"),
        ("score: accurcy", "did you mean `accuracy`?"),
        ("looks: twice", "`once`"),
    ] {
        let place = place(&format!("extends: balanced\ncertify: {{ {settings} }}\n"));
        let ran = place.run(&["check", "clinic"]).exits(2);
        assert!(ran.out.contains(says), "{settings}: {}", ran.out);
    }
}
