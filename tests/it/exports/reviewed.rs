//! What reviewers decided, in exports.

use super::fhir::bundles;
use super::{export, lines, reports, rows};
use crate::workspace::Workspace;
use serde_json::Value;

const PASSED: &str = "liver-resection";

/// Decides about the report that passed.
fn decide(place: &Workspace, decision: &str) {
    place.write("decided.jsonl", format!("{{ \"document\": \"{PASSED}\", {decision} }}"));
    place.run(&["review", "import", "decided.jsonl", "--reviewer", "a.meyer"]).exits(0);
}

/// What a table says that reviewers made of each document.
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

    // Whoever begins to look has not said yet that it is right.
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
