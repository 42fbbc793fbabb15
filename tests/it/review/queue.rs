//! The documents that wait for a person, and what a reviewer is shown.

use super::{decision, field, import, reviewed_run, run_again, shown};
use crate::workspace::Workspace;

#[test]
fn documents_that_did_not_pass_wait() {
    let place = reviewed_run();
    let list = place.run_json(&["review", "list", "--format", "json"]);
    let ids: Vec<&str> =
        list.as_array().unwrap().iter().map(|entry| entry["document"].as_str().unwrap()).collect();
    assert!(ids.contains(&"chest-x-ray") && ids.contains(&"thyroid-resection"), "{list}");
    assert!(!ids.contains(&"liver-resection"), "{list}");
    for entry in list.as_array().unwrap() {
        assert_eq!((&entry["state"], &entry["final_status"]), (&"waiting".into(), &"stopped_early".into()));
        assert!(entry["reasons"].as_array().unwrap().contains(&"refused".into()), "{entry}");
    }
    let none = ["review", "list", "--reason", "escalated", "--state", "accepted", "--format", "json"];
    assert_eq!(place.run_json(&none), serde_json::json!([]));
    place.run(&["review", "list", "--reason", "refuse"]).exits(2).says(&["'refused'"]);
    place.run(&["review", "list", "--format", "text"]).exits(0).finds(&[
        "2 wait",
        "document",
        "waits because",
        "thyroid-resection  pathology",
    ]);
    place.run(&["runs", "show", "--format", "text"]).exits(0).finds(&["for a person: 2 wait"]);
    assert_eq!(place.run_json(&["runs", "show", "--format", "json"])["review"]["waiting"], 2);
}

#[test]
fn what_reviewers_read() {
    let place = Workspace::new();
    let report = "SURGICAL PATHOLOGY REPORT\nFINAL DIAGNOSIS: Left breast, lumpectomy: Invasive ductal carcinoma.\n\
                  Surgical margins: negative for carcinoma.\n";
    place.write("report.txt", report);
    place.run(&["run", "--quiet", "--profile", "clinical", "report.txt"]).exits(3);
    let text = |arguments: &[&str]| {
        let ran = place.run(&[arguments, &["--format", "text"]].concat()).exits(0);
        ran.out
            .lines()
            .map(|line| if line.starts_with("run ") { "run …" } else { line }.to_owned() + "\n")
            .collect()
    };
    let mut read: String = text(&["review", "list"]);
    read += &text(&["review", "show", "report"]);
    place.write("decided.jsonl", [decision("report", "grade", "missed", Some("2"))].join("\n"));
    read += &text(&["review", "import", "decided.jsonl", "--reviewer", "a.meyer"]);
    place.write("decided.jsonl", [decision("report", "grade", "missed", Some("3"))].join("\n"));
    read += &text(&["review", "import", "decided.jsonl", "--reviewer", "b.kaya"]);
    read += &text(&["review", "show", "report"]);
    read += &text(&["review", "list"]);
    insta::assert_snapshot!(read);
}

#[test]
fn the_most_urgent_reason_comes_first() {
    let place = reviewed_run();
    let list = place.run_json(&["review", "list", "--format", "json"]);
    let urgency = ["escalated", "refused", "conflicting", "unverified", "review_when"];
    let rank = |reason: &serde_json::Value| urgency.iter().position(|known| reason == known).unwrap();
    let mut before = 0;
    for entry in list.as_array().unwrap() {
        let ranks: Vec<usize> = entry["reasons"].as_array().unwrap().iter().map(rank).collect();
        assert!(ranks.is_sorted() && ranks[0] >= before, "{list}");
        before = ranks[0];
    }
}

#[test]
fn a_field_is_shown_with_its_place_its_issues_and_what_was_decided() {
    let place = reviewed_run();
    let before = shown(&place);
    let histology = field(&before, "histology");
    assert_eq!(histology["value"], "Papillary carcinoma");
    assert_eq!(histology["place"]["text"], "Papillary carcinoma");
    assert!(histology["place"]["before"].as_str().unwrap().ends_with("HISTOLOGIC TYPE: "));
    let grade = field(&before, "grade");
    assert!(grade["value"].is_null());
    assert_eq!(grade["issues"][0]["code"], "MISSING_FIELD");
    // The document's text is no extracted value.
    assert!(before["fields"].as_array().unwrap().iter().all(|field| field["field"] != "rawText"));

    import(&place, "a.meyer", &[decision("thyroid-resection", "grade", "missed", Some("2"))]).exits(0);
    let after = shown(&place);
    let decided = &field(&after, "grade")["decisions"][0];
    assert_eq!((&decided["reviewer"], &decided["action"]), (&"a.meyer".into(), &"missed".into()));
    assert_eq!((&decided["value"], &after["state"]), (&"2".into(), &"in_review".into()));
    place.run(&["review", "show", "thyroid-resection", "--format", "text"]).exits(0).finds(&[
        "HISTOLOGIC TYPE: [Papillary carcinoma]",
        "a.meyer: missed 2",
        "review: in review",
    ]);
}

#[test]
fn a_document_that_has_changed_is_not_quoted() {
    let place = reviewed_run();
    place.write("reports/thyroid-resection.txt", "another report");
    let shown = shown(&place);
    assert!(shown["without_text"].as_str().unwrap().contains("has changed since the run"), "{shown}");
    assert!(field(&shown, "histology")["place"].is_null());
}

#[test]
fn documents_and_runs_are_guessed_at() {
    let place = reviewed_run();
    place
        .run(&["review", "show", "thyroid-resektion"])
        .exits(2)
        .says(&["no result of a document `thyroid-resektion`", "did you mean `thyroid-resection`?"]);
    place.run(&["review", "show", "nowhere", "thyroid-resection"]).exits(1).says(&["holds no run `nowhere`"]);
    run_again(&place).exits(3);
    let runs = place.run_json(&["runs", "list", "--format", "json"]);
    let first = runs[0]["id"].as_str().unwrap();
    import(&place, "x", &[decision("chest-x-ray", "", "reject", None)]).exits(0);
    let of = |run: &str| place.run_json(&["review", "show", run, "chest-x-ray", "--format", "json"]);
    assert_eq!(of(first)["state"], "waiting");
    assert_eq!(of("latest")["state"], "rejected");
    Workspace::new().run(&["review", "list"]).exits(1).says(&["there is no journal"]);
}
