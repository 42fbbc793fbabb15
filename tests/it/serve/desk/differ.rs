//! Reviewers who differ, and who settles it.

use super::cases::SOUND;
use super::{Desk, JOURNAL, field, plain};
use serde_json::{Value, json};

const REPORT: &str = "report";

/// Two reviewers who accepted the report, and differ on histology and margins.
fn differing() -> Desk {
    let desk = Desk::of(&[(REPORT, SOUND)]);
    let accept: &[(&str, &str)] = &[("decision", "accept"), ("confirmed", "yes")];
    let edit = |who: &str, name: &str, value: &str, why: &str| {
        let form = [("field", name), ("decision", "edit"), ("after", value), ("comment", why)];
        desk.decide(who, REPORT, &form).is(303);
    };
    edit(&desk.anna, "histology", "adenocarcinoma", "see the slides");
    desk.decide(&desk.anna, REPORT, accept).is(303);
    edit(&desk.ben, "histology", "Invasive ductal carcinoma", "as it is written");
    edit(&desk.ben, "margins", "positive", "");
    desk.decide(&desk.ben, REPORT, accept).is(303);
    desk
}

fn exported(desk: &Desk, file: &str) -> String {
    desk.place.run(&["runs", "export", "--journal", JOURNAL, "--to", file]).exits(0);
    desk.place.read(file)
}

#[test]
fn what_reviewers_differ_on_is_disputed_until_it_is_settled() {
    let desk = differing();
    let entry = desk.listed(REPORT);
    assert_eq!((&entry["state"], &entry["disputed"]), (&json!("disputed"), &json!(["histology", "margins"])));
    assert_eq!(entry["reasons"][0], "disputed");
    let chief = desk.chief();
    // It waits for a user who may settle it, and is shown to one who may not.
    for who in [&chief, &desk.anna] {
        let list = plain(&desk.get(who, "/review?reason=disputed").is(200).text());
        assert!(list.contains("reviewers differ on histology, margins"), "{list}");
    }
    let page = desk.page(&chief, REPORT);
    assert_eq!(page.matches("class=\"desk-positions\"").count(), 2, "{page}");
    assert_eq!(page.matches("class=\"desk-settle\"").count(), 2, "{page}");
    for said in ["adenocarcinoma", "see the slides", "as it is written", "anna", "ben"] {
        assert!(page.contains(said), "{said}: {page}");
    }
    // Only what differs is shown at first.
    assert_eq!(page.matches("data-field=").count(), 2, "{page}");
    // A third opinion settles nothing, nor does a user who may not.
    let take = |who: &str, field: &str, whose: &str, why: &str| {
        let decision = format!("take:{whose}");
        desk.decide(who, REPORT, &[("field", field), ("decision", &decision), ("comment", why)])
    };
    let chief_page = desk.page(&chief, REPORT);
    let send = |form: &[(&str, &str)]| desk.send(&chief, &chief_page, (REPORT, "decide"), form);
    send(&[("field", "histology"), ("decision", "take:anna"), ("comment", " ")]).is(422);
    send(&[("field", "grade"), ("decision", "take:anna"), ("comment", "x")]).is(422);
    let forbidden = [("field", "histology"), ("decision", "take:anna"), ("comment", "x")];
    desk.send(&desk.anna, &chief_page, (REPORT, "decide"), &forbidden).is(403);
    let forbidden = [("field", "histology"), ("decision", "accept"), ("settles", "yes"), ("comment", "x")];
    desk.send(&desk.anna, &chief_page, (REPORT, "decide"), &forbidden).is(403);
    take(&chief, "histology", "anna", "the slides show glands").is(303);
    assert_eq!(desk.listed(REPORT)["disputed"], json!(["margins"]));
    take(&chief, "margins", "ben", "dictated so").is(303);
    let shown = desk.shown(REPORT);
    assert_eq!(shown["state"], "accepted", "{shown}");
    let labels = desk.labels("--decisions", REPORT);
    let settled: Vec<&Value> = labels.iter().filter(|label| label["settles"] == true).collect();
    let values: Vec<&Value> = settled.iter().map(|label| &label["after"]).collect();
    assert_eq!(values, ["adenocarcinoma", "positive"]);
    assert!(settled.iter().all(|label| label["reviewer"] == "chief"));
    // The document as a whole has labels that `calibrate` reads, and the last is the last word.
    let verdicts = desk.labels("--verdicts", REPORT);
    assert_eq!(
        verdicts.iter().map(|one| &one["settles"]).collect::<Vec<_>>(),
        [&Value::Null, &Value::Null, &json!(true)]
    );
    desk.give_back(&chief, REPORT);
    // A later decision to the contrary disputes it again.
    desk.decide(&desk.ben, REPORT, &[("field", "histology"), ("decision", "edit"), ("after", "sarcoma")])
        .is(303);
    assert_eq!(desk.listed(REPORT)["disputed"], json!(["histology"]));
}

#[test]
fn a_third_opinion_settles_nothing_and_nothing_is_final_before() {
    let desk = differing();
    let lines =
        json!({"document": REPORT, "field": "histology", "action": "edit", "after": "adenocarcinoma"});
    desk.place.write("third.jsonl", lines.to_string());
    let import = ["review", "import", "third.jsonl", "--reviewer", "carla", "--journal", JOURNAL];
    desk.place.run(&import).exits(0);
    assert_eq!(desk.listed(REPORT)["disputed"], json!(["histology", "margins"]));
    let list = desk.place.run(&["review", "list", "--journal", JOURNAL, "--format", "text"]).exits(0);
    list.finds(&["disputed", "reviewers differ on histology, margins"]);
    let show = desk.place.run(&["review", "show", REPORT, "--journal", JOURNAL, "--format", "text"]).exits(0);
    show.finds(&["review: disputed", "reviewers differ on histology, margins"]);
    let table = exported(&desk, "run.csv");
    assert!(table.contains("disputed,\"histology, margins\""), "{table}");
    let bundle = exported(&desk, "run.ndjson");
    assert!(!bundle.contains("\"status\":\"final\"") && bundle.contains("disputed"), "{bundle}");
    let line: Value = serde_json::from_str(exported(&desk, "run.jsonl").lines().next().unwrap()).unwrap();
    assert_eq!(
        (&line["reviewed"], &line["disputed"]),
        (&json!("disputed"), &json!(["histology", "margins"]))
    );
    let labels = desk.labels("--decisions", REPORT);
    let disputed = labels.iter().filter(|label| label["disputed"] == true);
    assert!(disputed.clone().all(|label| label["field"] == "histology" || label["field"] == "margins"));
    assert_eq!(disputed.count(), 5, "{labels:?}");
    // What is disputed is in no figure.
    let figures = desk.place.run_json(&["evaluate", "--reviewed", "--journal", JOURNAL, "--format", "json"]);
    let left_out = figures["unmatched"]["disputed"].as_array().unwrap();
    assert_eq!(left_out.len(), 2, "{figures}");

    // By a file it is settled with `settles` and a reason, and only where reviewers differ.
    let settle = |field: &str, comment: Value| {
        let line = json!({"document": REPORT, "field": field, "action": "accept", "settles": true, "comment": comment});
        desk.place.write("settled.jsonl", line.to_string());
        desk.place.run(&["review", "import", "settled.jsonl", "--reviewer", "chief", "--journal", JOURNAL])
    };
    settle("histology", Value::Null).exits(1).says(&["say why"]);
    settle("grade", json!("x")).exits(1).says(&["nothing to settle"]);
    settle("histology", json!("dictated so")).exits(0);
    settle("margins", json!("dictated so")).exits(0);
    assert_eq!(desk.listed(REPORT)["disputed"], json!([]));
}

#[test]
fn one_who_accepts_and_one_who_rejects_differ_on_the_whole() {
    let desk = Desk::of(&[(REPORT, SOUND)]);
    desk.decide(&desk.anna, REPORT, &[("decision", "accept"), ("confirmed", "yes")]).is(303);
    desk.decide(&desk.ben, REPORT, &[("decision", "reject"), ("comment", "a copy")]).is(303);
    assert_eq!(desk.listed(REPORT)["disputed"], json!(["the document as a whole"]));
    let chief = desk.chief();
    let page = desk.page(&chief, REPORT);
    assert!(
        page.contains("Reviewers differ on the document as a whole") && page.contains("a copy"),
        "{page}"
    );
    let settle = |why: &str| {
        desk.decide(&chief, REPORT, &[("decision", "reject"), ("settles", "yes"), ("comment", why)])
    };
    settle("").is(422);
    settle("it is a copy").is(303);
    assert_eq!(desk.listed(REPORT)["state"], "rejected");
}

#[test]
fn what_was_swept_is_told_from_what_was_looked_at_and_what_nobody_looked_for() {
    let desk = Desk::open();
    let accept: &[(&str, &str)] = &[("decision", "accept"), ("confirmed", "yes")];
    desk.decide(&desk.anna, super::THYROID, &[("field", "margins"), ("decision", "accept")]).is(303);
    desk.decide(&desk.anna, super::THYROID, accept).is(303);
    let shown = desk.shown(super::THYROID);
    let how = |name: &str| field(&shown, name)["how"].clone();
    assert_eq!([how("margins"), how("histology"), how("grade")], ["each", "swept", "not_looked_for"]);
    let labels = desk.labels("--decisions", super::THYROID);
    let of = |name: &str| labels.iter().find(|label| label["field"] == name);
    assert_eq!([&of("margins").unwrap()["how"], &of("histology").unwrap()["how"]], ["each", "swept"]);
    // Nothing is reported about what is missing and was not looked for.
    assert!(of("grade").is_none() && of("date").is_none() && of("rawText").is_none(), "{labels:?}");
    let text = desk.place.run(&["review", "show", super::THYROID, "--journal", JOURNAL, "--format", "text"]);
    text.exits(0).finds(&["anna: accept (swept) Papillary carcinoma", "not looked for"]);
    assert!(desk.page(&desk.ben, super::THYROID).contains("accepted with the document by anna"));

    desk.place.run(&["runs", "export", "--journal", JOURNAL, "--to", "run.csv"]).exits(0);
    let mut table = csv::Reader::from_path(desk.place.path("run.csv")).unwrap();
    let rows: Vec<std::collections::HashMap<String, String>> =
        table.deserialize().map(Result::unwrap).collect();
    let row = rows.iter().find(|row| row["document"] == super::THYROID).unwrap();
    assert_eq!([&row["margins.confirmed_by"], &row["margins.how"]], ["anna", "each"]);
    assert_eq!([&row["histology.confirmed_by"], &row["histology.how"]], ["anna", "swept"]);
    assert!(!row.keys().any(|name| name.ends_with("corrected_by")), "{row:?}");

    let figures = desk.place.run_json(&["evaluate", "--reviewed", "--journal", JOURNAL, "--format", "json"]);
    let fields: Vec<&str> =
        figures["fields"].as_array().unwrap().iter().map(|field| field["field"].as_str().unwrap()).collect();
    assert_eq!(fields, ["margins"], "{figures}");
    assert!(figures["unmatched"]["swept"].as_u64().unwrap() >= 2, "{figures}");
    let verdicts = desk.labels("--verdicts", super::THYROID);
    assert_eq!((&verdicts[0]["wrong"], &verdicts[0]["how"]), (&json!(false), &json!("swept")));
}
