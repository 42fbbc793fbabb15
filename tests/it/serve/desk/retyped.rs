//! The type of a document: given where it is submitted, and corrected by its reviewer.

use super::cases::SOUND;
use super::{Desk, JOURNAL, plain};
use crate::serve::running::Server;
use crate::workspace::Workspace;
use serde_json::json;

const REPORT: &str = "report";

#[test]
fn a_reviewer_corrects_the_type_and_everyone_is_told() {
    let desk = Desk::of(&[(REPORT, SOUND)]);
    let retype = |named: &str| {
        let form = [("decision", "retype"), ("after", named), ("comment", "an ultrasound")];
        desk.decide(&desk.anna, REPORT, &form)
    };
    for wrong in ["", "invoice"] {
        let refused = retype(wrong).is(422).text();
        assert!(refused.contains("right-type-wrong"), "{refused}");
    }
    assert_eq!(desk.decisions(), 0);
    desk.decide(&desk.anna, REPORT, &[("decision", "accept"), ("confirmed", "yes")]).is(303);
    retype("radiology").is(303);
    let shown = desk.shown(REPORT);
    let corrected = &shown["corrected_type"];
    assert_eq!((&corrected["document_type"], &corrected["reviewer"]), (&json!("radiology"), &json!("anna")));
    assert!(corrected["at"].as_str().unwrap().ends_with('Z'));
    // The document is open again: its values are of another type.
    assert_eq!((&shown["state"], &shown["document_type"]), (&json!("in_review"), &json!("pathology")));
    let page = plain(&desk.page(&desk.ben, REPORT));
    assert!(page.contains("By anna, this document is radiology"), "{page}");
    let labels = desk.labels("--decisions", REPORT);
    let label = labels.iter().find(|label| label["action"] == "retype").unwrap();
    assert_eq!((&label["document_type"], &label["fields"]), (&json!("radiology"), &json!({})));

    let export = |file: &str| {
        desk.place.run(&["runs", "export", "--journal", JOURNAL, "--to", file]).exits(0);
        desk.place.read(file)
    };
    assert!(export("out.jsonl").contains(r#""corrected_type":"radiology""#));
    let table = export("out.csv");
    let (head, row) = table.split_once('\n').unwrap();
    let at = head.split(',').position(|name| name == "corrected_type").unwrap();
    assert_eq!(row.split(',').nth(at), Some("radiology"), "{row}");

    // What was exported is understood again, and taken back like any decision.
    let line = json!({"document": REPORT, "action": "retype", "document_type": "laboratory", "fields": {}});
    desk.place.write("typed.jsonl", line.to_string());
    desk.place.run(&["review", "import", "typed.jsonl", "--reviewer", "ben", "--journal", JOURNAL]).exits(0);
    assert_eq!(desk.shown(REPORT)["corrected_type"]["document_type"], "laboratory");
    desk.give_back(&desk.anna, REPORT);
    desk.decide(&desk.ben, REPORT, &[("decision", "undo")]).is(303);
    assert_eq!(desk.shown(REPORT)["corrected_type"]["document_type"], "radiology");
    desk.place.write("typed.jsonl", r#"{"document": "report", "action": "retype"}"#);
    let refused =
        desk.place.run(&["review", "import", "typed.jsonl", "--reviewer", "ben", "--journal", JOURNAL]);
    refused.exits(1).says(&["`retype` needs the name of the right type"]);
}

#[test]
fn the_type_is_chosen_where_a_document_is_submitted() {
    let place = Workspace::new();
    let server = Server::start(&place, &["--profile", "clinical", "--provider", "pattern"]);
    let page = server.request("GET", "/").admin().header("Accept", "text/html").send().is(200).text();
    assert!(
        page.contains("name=\"document_type\"") && page.contains("<option value=\"radiology\">"),
        "{page}"
    );
    let submit = |named: &str| {
        let fields = [("profile", "clinical"), ("document_type", named)];
        let form = server.request("POST", "/documents").admin().header("Accept", "text/html");
        form.files(&fields, &[("note.txt", SOUND)]).send()
    };
    assert!(submit("invoice").is(422).text().contains("has no document type"));
    submit(" radiology ").is(303);
    let job = server.get("/api/jobs").is(200).json()["jobs"][0].clone();
    assert_eq!(job["document_type"], "radiology");
    let done = server.finished(job["id"].as_str().unwrap());
    assert_eq!(done["outcome"]["document_type"], "radiology");
}
