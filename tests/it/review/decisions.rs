//! The outcome of decisions: disputes, undo, labels, and results that have changed since.

use super::{decision, field, import, reviewed_run, run_again, shown};
use crate::workspace::Workspace;
use serde_json::{Value, json};

const THYROID: &str = "thyroid-resection";

#[test]
fn reviewers_who_differ_are_told_and_the_latest_holds() {
    let place = reviewed_run();
    import(&place, "a", &[decision(THYROID, "margins", "edit", Some("positive"))]).exits(0);
    let second = import(&place, "b", &[decision(THYROID, "margins", "edit", Some("negative"))]).exits(0);
    let answer = second.lines().remove(0);
    assert_eq!(answer["documents"][0]["disputed"], json!(["margins"]));
    assert_eq!(answer["documents"][0]["extraction"]["margins"], "negative");
    let list = place.run(&["review", "list", "--format", "text"]).exits(0);
    list.finds(&["disputed", "a, b; reviewers differ on margins"]);
    let page = place.run(&["review", "show", THYROID, "--format", "text"]).exits(0);
    page.finds(&["waits because: disputed"]);
    assert_eq!(field(&shown(&place), "margins")["disputed"], true);
    import(&place, "a", &[decision(THYROID, "margins", "edit", Some("negative"))]).exits(0);
    assert!(field(&shown(&place), "margins").get("disputed").is_none());
}

#[test]
fn undo_takes_back_only_what_its_reviewer_decided() {
    let place = reviewed_run();
    import(&place, "a", &[decision(THYROID, "grade", "missed", Some("1"))]).exits(0);
    import(&place, "b", &[decision(THYROID, "margins", "edit", Some("positive"))]).exits(0);
    import(&place, "a", &[decision(THYROID, "", "undo", None)]).exits(0);
    let shown = shown(&place);
    assert!(field(&shown, "grade").get("decisions").is_none(), "{shown}");
    assert_eq!(field(&shown, "margins")["decisions"][0]["reviewer"], "b");
    let nothing = json!({"document": THYROID, "action": "undo", "at": "2026-11-26"}).to_string();
    import(&place, "a", &[nothing]).exits(1).says(&["`a` has decided nothing"]);
}

#[test]
fn decisions_are_labels_and_accepting_a_document_labels_all_of_it() {
    let place = reviewed_run();
    place.run(&["evaluate", "--reviewed"]).exits(1).says(&["nothing is decided about the results of run"]);
    place.run(&["evaluate"]).exits(2).says(&["GOLD"]);
    import(
        &place,
        "a",
        &[decision(THYROID, "margins", "edit", Some("positive")), decision(THYROID, "", "accept", None)],
    )
    .exits(0);
    let labels = place.run(&["review", "export", "--decisions"]).exits(0).lines();
    let of = |name: &str| labels.iter().find(|label| label["field"] == name).unwrap();
    assert_eq!((&of("margins")["after"], &of("margins")["reviewer"]), (&json!("positive"), &json!("a")));
    assert_eq!(of("histology")["after"], of("histology")["before"]);
    assert_eq!(of("specimens")["after"], of("specimens")["before"]);
    assert!(labels.iter().all(|label| !label["field"].as_str().unwrap().starts_with('/')), "{labels:?}");
    // No one has looked for what is missing, so it is not reported as absent.
    assert!(labels.iter().all(|label| label["field"] != "grade"), "{labels:?}");
    assert_eq!(
        [&of("margins")["how"], &of("histology")["how"], &of("specimens")["how"]],
        ["each", "swept", "swept"]
    );
    place.run(&["review", "export", "--decisions", "--to", "gold.jsonl"]).exits(0);
    let by_file = place.run_json(&["evaluate", "gold.jsonl", "--format", "json"]);
    let by_flag = place.run_json(&["evaluate", "--reviewed", "--format", "json"]);
    for figures in ["fields", "all_fields", "documents"] {
        assert_eq!(by_file[figures], by_flag[figures], "{figures}");
    }
    let margins =
        by_flag["fields"].as_array().unwrap().iter().find(|field| field["field"] == "margins").unwrap();
    assert_eq!(margins["wrong"], 1, "{margins}");
    // An older label of the same document gives way, however it names the document.
    let older = json!({"document": "reports/thyroid-resection.txt", "at": "2020-01-01", "fields": {"margins": "negative"}});
    place.write("older.jsonl", older.to_string());
    let both = place.run_json(&["evaluate", "older.jsonl", "--reviewed", "--format", "json"]);
    assert_eq!(both["fields"], by_flag["fields"], "{}", both["unmatched"]);
    place.run(&["evaluate", "--reviewed", "--results", "out"]).exits(2);
}

#[test]
fn decisions_about_documents_as_a_whole_have_lines_that_label_nothing() {
    let place = reviewed_run();
    let why = "two lines of a fax";
    let fax = json!({"document": "chest-x-ray", "action": "reject", "comment": why}).to_string();
    import(&place, "a", &[fax, decision("liver-resection", "", "reject", None)]).exits(0);
    import(&place, "b", &[decision(THYROID, "margins", "edit", Some("positive"))]).exits(0);
    place.run(&["review", "export", "--decisions", "--to", "gold.jsonl"]).exits(0).says(&["3 decisions"]);
    let lines = place.run(&["review", "export", "--decisions"]).exits(0).lines();
    let of = |name: &str| lines.iter().find(|line| line["document"] == name).unwrap();
    let (fax, liver) = (of("chest-x-ray"), of("liver-resection"));
    assert_eq!(
        (&fax["action"], &fax["comment"], &fax["reviewer"]),
        (&json!("reject"), &json!(why), &json!("a"))
    );
    assert_eq!((&liver["action"], liver.get("comment")), (&json!("reject"), None));
    assert_eq!(of(THYROID)["after"], "positive");
    // The file is read as labels and as corrections all the same.
    let by_file = place.run_json(&["evaluate", "gold.jsonl", "--format", "json"]);
    let by_flag = place.run_json(&["evaluate", "--reviewed", "--format", "json"]);
    assert_eq!(by_file["fields"], by_flag["fields"]);
    place.run(&["runs", "export", "--to", "run.csv", "--corrections", "gold.jsonl"]).exits(0);
    // Another run takes them as decisions; a line with values of fields is none.
    run_again(&place);
    place.run(&["review", "import", "gold.jsonl"]).exits(0);
    assert_eq!(place.run_json(&["review", "show", "chest-x-ray", "--format", "json"])["state"], "rejected");
    let labels = json!({"document": THYROID, "fields": {"margins": "positive"}}).to_string();
    import(&place, "a", &[labels]).exits(1).says(&["unknown key"]);
}

#[test]
fn corrections_of_others_are_decisions() {
    let place = reviewed_run();
    let correction = |field: &str, before: Value, after: Value| {
        json!({"document": THYROID, "field": field, "before": before, "after": after, "reviewer": "desk", "cluster": "case 7", "at": "2026-11-25T09:30:00Z"})
            .to_string()
    };
    let same = json!("Papillary carcinoma");
    let lines = [
        correction("histology", same.clone(), same),
        correction("margins", json!("Margins are uninvolved"), json!("positive")),
        correction("grade", Value::Null, Value::Null),
        correction("date", Value::Null, json!("2026-11-25")),
    ];
    import(&place, "nobody", &lines).exits(0);
    let shown = shown(&place);
    for (name, action) in
        [("histology", "accept"), ("margins", "edit"), ("grade", "not_present"), ("date", "missed")]
    {
        let decision = &field(&shown, name)["decisions"][0];
        assert_eq!((&decision["action"], &decision["reviewer"]), (&json!(action), &json!("desk")), "{name}");
        assert_eq!(decision["at"], "2026-11-25T09:30:00Z");
    }
    let slip = json!({"document": THYROID, "field": "grade", "aftr": "2"}).to_string();
    import(&place, "x", &[slip]).exits(1).says(&["line 1, `aftr`: unknown key; did you mean `after`?"]);
    import(&place, "x", &["{".to_owned()]).exits(1).says(&["line 1: no JSON, at column"]);
}

#[test]
fn a_changed_profile_scores_nothing_and_decisions_are_kept() {
    let place = Workspace::new();
    place.write("profiles/mine.yaml", "extends: clinical\n");
    place.write(
        "report.txt",
        "SURGICAL PATHOLOGY REPORT\nFINAL DIAGNOSIS: carcinoma, of the breast. Margins: negative.\n",
    );
    place.run(&["run", "--quiet", "--profile", "mine", "report.txt"]).exits(3);
    let margins = [decision("report", "margins", "edit", Some("positive"))];
    let scored = import(&place, "a", &margins).exits(0).lines().remove(0);
    assert!(scored["documents"][0]["validation"]["overall"].is_number(), "{scored}");
    place.write("profiles/mine.yaml", "extends: clinical\naccept: { overall: 0.5 }\n");
    let grade = [decision("report", "grade", "missed", Some("2"))];
    let changed = import(&place, "a", &grade).exits(0).says(&[
        "the profile `mine`, or a file that it reaches, has changed since the run, so corrected extractions are not scored",
    ]);
    let said =
        "note: the profile `mine`, or a file that it reaches, has changed since the run: fields are those";
    place.run(&["review", "show", "report"]).exits(0).says(&[said]);
    std::fs::remove_file(place.path("profiles/mine.yaml")).unwrap();
    place.run(&["review", "export", "--to", "sheet.csv"]).exits(0).says(&["can't be used any more"]);
    let answer = changed.lines().remove(0);
    assert_eq!((&answer["kept"], &answer["documents"][0]["validation"]), (&json!(1), &Value::Null));
}

#[test]
fn decisions_about_an_earlier_result_do_not_count() {
    let place = reviewed_run();
    import(&place, "a", &[decision(THYROID, "", "reject", None)]).exits(0);
    // The journal gets another result of the same document.
    let journal = rusqlite::Connection::open(place.home().join("journal.sqlite")).unwrap();
    let changed = journal
        .execute("UPDATE outcomes SET outcome = replace(outcome, 'Papillary carcinoma', 'Carcinoma') WHERE outcome LIKE '%thyroid-resection%'", [])
        .unwrap();
    assert_eq!(changed, 1);
    let shown = shown(&place);
    assert_eq!((&shown["state"], &shown["outdated"]), (&json!("waiting"), &json!(1)));
    place
        .run(&["review", "list", "--format", "text"])
        .exits(0)
        .finds(&["1 decision is about an earlier result"]);
}

#[test]
fn decisions_go_with_finished_documents_and_end_with_their_run() {
    let place = reviewed_run();
    import(&place, "a", &[decision(THYROID, "", "reject", None)]).exits(0);
    let run = place.run_json(&["runs", "list", "--format", "json"])[0]["id"].clone();
    // Another profile takes finished documents over, with what was decided about them.
    let resumed = [
        "run",
        "--quiet",
        "--resume",
        "--profile",
        "clinical",
        "--config",
        "stop.max_iterations=2",
        "reports",
    ];
    place.run(&resumed);
    assert_eq!(place.run_json(&["runs", "list", "--format", "json"]).as_array().unwrap().len(), 2);
    assert_eq!(shown(&place)["state"], "rejected");
    run_again(&place);
    assert_eq!(shown(&place)["state"], "waiting");
    place.run(&["runs", "prune", run.as_str().unwrap()]).exits(0);
}
