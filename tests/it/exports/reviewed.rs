//! Decisions of reviewers, in exports.

use super::fhir::bundles;
use super::{ODD, export, lines, reports, rows, scripted};
use crate::workspace::Workspace;
use serde_json::{Value, json};

const PASSED: &str = "liver-resection";

/// Decides about the report that passed.
fn decide(place: &Workspace, decision: &str) {
    place.write("decided.jsonl", format!("{{ \"document\": \"{PASSED}\", {decision} }}"));
    place.run(&["review", "import", "decided.jsonl", "--reviewer", "a.meyer"]).exits(0);
}

/// The decisions of reviewers on each document, as a table reports them.
fn reviewed(place: &Workspace) -> Vec<(String, String)> {
    export(place, "run.csv", &[]).exits(0);
    let row = |mut row: std::collections::HashMap<String, String>| {
        (row.remove("document").unwrap_or_default(), row.remove("reviewed").unwrap_or_default())
    };
    let mut all: Vec<(String, String)> = rows(place, "run.csv").into_iter().map(row).collect();
    all.retain(|(_, reviewed)| !reviewed.is_empty());
    all
}

/// The status of the reports, in the order of the run.
fn statuses(place: &Workspace) -> Vec<Value> {
    let status = |bundle: Value| bundle.pointer("/entry/0/resource/status").cloned().unwrap_or_default();
    bundles(place, "run.ndjson").into_iter().map(status).collect()
}

#[test]
fn a_document_that_passed_and_was_rejected_is_nobodys_finding() {
    let place = reports();
    assert_eq!(reviewed(&place), []);
    export(&place, "run.ndjson", &[]).exits(0);
    assert_eq!(statuses(&place), ["preliminary", "final", "preliminary"]);

    // A reviewer who begins has not said yet that it is right.
    decide(&place, r#""field": "margins", "action": "accept""#);
    assert_eq!(reviewed(&place), [(PASSED.to_owned(), "in_review".to_owned())]);
    export(&place, "run.ndjson", &[]).exits(0);
    assert_eq!(statuses(&place), ["preliminary"; 3]);

    decide(&place, r#""action": "accept""#);
    assert_eq!(reviewed(&place), [(PASSED.to_owned(), "accepted".to_owned())]);
    export(&place, "run.ndjson", &[]).exits(0);
    assert_eq!(statuses(&place), ["preliminary", "final", "preliminary"]);

    decide(&place, r#""action": "reject", "comment": "of another patient""#);
    assert_eq!(reviewed(&place), [(PASSED.to_owned(), "rejected".to_owned())]);
    export(&place, "run.ndjson", &[]).exits(0).says(&["or reviewers rejected them: 1 document"]);
    assert_eq!(statuses(&place), ["preliminary"; 2]);
    export(&place, "run.jsonl", &[]).exits(0);
    let said: Vec<Value> =
        lines(&place, "run.jsonl").into_iter().map(|line| line["reviewed"].clone()).collect();
    assert_eq!(said, [Value::Null, "rejected".into(), Value::Null]);
}

/// Keeps decisions about the document `odd`.
fn decide_odd(place: &Workspace, decisions: &[Value]) {
    let lines: Vec<String> = decisions.iter().map(Value::to_string).collect();
    place.write("decided.jsonl", lines.join("\n"));
    place.run(&["review", "import", "decided.jsonl", "--reviewer", "a.meyer"]).exits(0);
}

#[test]
fn what_reviewers_decided_is_what_is_exported() {
    let place = scripted(ODD);
    decide_odd(
        &place,
        &[
            json!({"document": "odd", "field": "grade", "action": "edit", "after": "2"}),
            json!({"document": "odd", "field": "nodesExamined", "action": "accept"}),
            json!({"document": "odd", "field": "margins", "action": "not_present"}),
        ],
    );
    export(&place, "odd.csv", &[]).exits(0);
    let row = &rows(&place, "odd.csv")[0];
    let of = |heading: &str| row[heading].as_str();
    assert_eq!(
        ["reviewed", "grade", "grade.support", "grade.start", "grade.corrected_by"].map(of),
        ["in_review", "2", "", "", "a.meyer"]
    );
    let nodes = ["nodesExamined", "nodesExamined.support", "nodesExamined.confirmed_by", "nodesExamined.how"];
    assert_eq!(nodes.map(of), ["3", "verified", "a.meyer", "each"]);
    assert!(!row.contains_key("nodesExamined.corrected_by") && !row.contains_key("grade.confirmed_by"));
    assert_eq!(["margins", "margins.corrected_by"].map(of), ["", "a.meyer"]);
    assert!(!row.contains_key("histology.corrected_by"));

    export(&place, "odd.jsonl", &[]).exits(0);
    let result = &lines(&place, "odd.jsonl")[0];
    assert_eq!(result["best_extraction"]["grade"], "2");
    assert!(result["best_extraction"].get("margins").is_none());
    let said = result["corrections"].as_array().unwrap();
    let grade = said.iter().find(|one| one["field"] == "/grade").unwrap();
    assert_eq!((&grade["before"], &grade["reviewer"]), (&json!("-1+1"), &json!("a.meyer")));

    export(&place, "odd.ndjson", &[]).exits(0);
    let bundle = bundles(&place, "odd.ndjson").remove(0).to_string();
    assert!(bundle.contains("a.meyer") && !bundle.contains("-1+1"), "{bundle}");

    // A file takes precedence, regardless of the time of its corrections.
    place.write(
        "later.jsonl",
        r#"{"document": "odd", "field": "grade", "after": "3", "reviewer": "b.berg", "at": "2020-01-01"}"#,
    );
    export(&place, "odd.csv", &["--corrections", "later.jsonl"]).exits(0);
    let row = &rows(&place, "odd.csv")[0];
    assert_eq!((row["grade"].as_str(), row["grade.corrected_by"].as_str()), ("3", "b.berg"));

    export(&place, "plain.csv", &["--without-reviews"]).exits(0);
    let row = &rows(&place, "plain.csv")[0];
    assert_eq!(row["nodesExamined"], "3");
    assert!(row["grade"].contains("-1+1") && !row.contains_key("grade.corrected_by"));
}

#[test]
fn a_rejected_document_keeps_what_was_extracted() {
    let place = scripted(ODD);
    decide_odd(
        &place,
        &[
            json!({"document": "odd", "field": "grade", "action": "edit", "after": "2"}),
            json!({"document": "odd", "action": "reject"}),
        ],
    );
    export(&place, "odd.jsonl", &[]).exits(0);
    let result = &lines(&place, "odd.jsonl")[0];
    assert_eq!(
        (&result["reviewed"], &result["best_extraction"]["grade"]),
        (&json!("rejected"), &json!("-1+1"))
    );
    assert!(result.get("corrections").is_none());
}

#[test]
fn a_report_without_its_corrections_is_not_final() {
    let place = reports();
    decide(&place, r#""field": "grade", "action": "edit", "after": "Grade 2""#);
    decide(&place, r#""action": "accept""#);
    export(&place, "run.ndjson", &["--without-reviews"]).exits(0);
    assert_eq!(statuses(&place), ["preliminary"; 3]);
    assert!(!place.read("run.ndjson").contains("\"Grade 2\""));
}
