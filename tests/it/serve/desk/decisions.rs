//! Decisions in the browser are those that the command line would have kept.

use super::{Desk, JOURNAL, THYROID, field, plain, run_reports};
use crate::workspace::Workspace;
use serde_json::{Value, json};

/// Corrections without who says so, and when.
fn corrections(place: &Workspace) -> Vec<Value> {
    let mut lines = place.run(&["review", "export", "--decisions", "--journal", JOURNAL]).exits(0).lines();
    for line in &mut lines {
        line["at"] = Value::Null;
        line["reviewer"] = Value::Null;
    }
    lines
}

#[test]
fn decisions_of_the_desk_are_those_of_a_worksheet() {
    let desk = Desk::open();
    let decide = |form: &[(&str, &str)]| desk.decide(&desk.anna, THYROID, form).is(303);
    decide(&[("field", "histology"), ("decision", "accept")]);
    decide(&[("field", "margins"), ("decision", "edit"), ("after", "positive"), ("comment", "see line 3")]);
    decide(&[("field", "grade"), ("decision", "not_present")]);
    let next = decide(&[("decision", "accept"), ("confirmed", "yes")]);
    assert!(next.header("location").unwrap().starts_with("/review/"), "{}", next.head);
    let shown = desk.shown(THYROID);
    assert_eq!((&shown["state"], &shown["decided_by"]), (&json!("accepted"), &json!("anna")));
    let margins = &field(&shown, "margins")["decisions"][0];
    assert_eq!((&margins["value"], &margins["comment"]), (&json!("positive"), &json!("see line 3")));
    let journal = rusqlite::Connection::open(desk.place.path(JOURNAL)).unwrap();
    let spent = "SELECT count(*) FROM reviews WHERE json_extract(decision, '$.spent_ms') = 1200";
    assert_eq!(journal.query_row(spent, [], |row| row.get::<_, i64>(0)).unwrap(), 4);

    let by_command = Workspace::new();
    run_reports(&by_command).exits(3);
    let lines = [
        json!({"document": THYROID, "field": "histology", "action": "accept"}),
        json!({"document": THYROID, "field": "margins", "action": "edit", "after": "positive"}),
        json!({"document": THYROID, "field": "grade", "action": "not_present"}),
        json!({"document": THYROID, "action": "accept"}),
    ];
    by_command.write("decided.jsonl", lines.map(|line| line.to_string()).join("\n"));
    by_command.run(&["review", "import", "decided.jsonl", "--reviewer", "x", "--journal", JOURNAL]).exits(0);
    assert_eq!(corrections(&desk.place), corrections(&by_command));
}

#[test]
fn a_value_is_checked_and_scored_before_it_is_kept() {
    let desk = Desk::open();
    let page = desk.page(&desk.anna, THYROID);
    let check = |form: &[(&str, &str)]| desk.send(&desk.anna, &page, (THYROID, "check"), form);
    let checked = check(&[("field", "margins"), ("decision", "edit"), ("after", "positive")]).is(200).text();
    assert!(checked.contains("Score of the document: ") && checked.contains("Save it"), "{checked}");
    assert_eq!(desk.decisions(), 0);
    // A date is expected, and none is typed in.
    let wrong = check(&[("field", "date"), ("decision", "missed"), ("after", "soon")]).is(422).text();
    assert!(
        plain(&wrong).contains("expected a date, found soon") && wrong.contains("aria-invalid=\"true\""),
        "{wrong}"
    );
    let nothing = check(&[("field", "margins"), ("decision", "edit"), ("after", " ")]).is(422).text();
    assert!(plain(&nothing).contains("edit needs the right value, found nothing"), "{nothing}");
    let unknown = check(&[("field", "marginz"), ("decision", "missed"), ("after", "x")]).is(422).text();
    assert!(plain(&unknown).contains("did you mean margins?"), "{unknown}");
    let decide = |form: &[(&str, &str)]| desk.send(&desk.anna, &page, (THYROID, "decide"), form);
    decide(&[("field", "date"), ("decision", "missed"), ("after", "soon")]).is(422);
    decide(&[("field", "margins"), ("decision", "praise")]).is(422);
    decide(&[("decision", "edit"), ("after", "x")]).is(422);
    assert_eq!(desk.decisions(), 0);
}

#[test]
fn undo_takes_back_the_latest_decision() {
    let desk = Desk::open();
    desk.decide(&desk.anna, THYROID, &[("decision", "undo")]).is(422);
    desk.decide(&desk.anna, THYROID, &[("field", "margins"), ("decision", "accept")]).is(303);
    assert!(desk.page(&desk.anna, THYROID).contains("accepted by you"));
    desk.decide(&desk.anna, THYROID, &[("decision", "undo")]).is(303);
    assert!(field(&desk.shown(THYROID), "margins").get("decisions").is_none());
    assert!(!desk.page(&desk.anna, THYROID).contains("accepted by you"));
    assert_eq!(desk.decisions(), 2);
}

#[test]
fn a_document_with_doubts_is_accepted_after_a_question_and_the_next_is_shown() {
    let desk = Desk::open();
    let asked = desk.decide(&desk.anna, THYROID, &[("decision", "accept")]).is(200).text();
    assert!(
        asked.contains("have not been decided: ") && asked.contains("Accept all values unchanged"),
        "{asked}"
    );
    assert_eq!(desk.decisions(), 0);
    let next = desk.decide(&desk.anna, THYROID, &[("decision", "accept"), ("confirmed", "yes")]).is(303);
    let (page, _) = next.header("location").unwrap().split_once("?after=").unwrap();
    assert_eq!(page, desk.address("chest-x-ray", ""));
    let here = desk.get(&desk.anna, next.header("location").unwrap()).is(200).text();
    let back = format!("<a href=\"{}\">Back to", desk.address(THYROID, ""));
    assert!(here.contains("was accepted. 1 more is waiting.") && here.contains(&back), "{here}");
    // A page shows only what its reader has done, regardless of the address.
    let other = desk.get(&desk.ben, next.header("location").unwrap()).is(200).text();
    assert!(!other.contains("was accepted."), "{other}");
    for made_up in ["1000000", "-1", "x", "%3Cb%3E"] {
        let page = desk.get(&desk.anna, &format!("/review?after={made_up}")).is(200).text();
        assert!(!page.contains("Back to"), "{page}");
    }
    // It is given back, and another reviewer may inspect it.
    desk.post(&desk.ben, &desk.address(THYROID, "lease"), &[]).is(200);
    let no_reason =
        desk.decide(&desk.anna, "chest-x-ray", &[("decision", "reject"), ("comment", " ")]).is(422);
    assert!(no_reason.text().contains("say why, so that others know"));
    let rejected = desk
        .decide(&desk.anna, "chest-x-ray", &[("decision", "reject"), ("comment", "two lines of a fax")])
        .is(303);
    let list = desk.get(&desk.anna, rejected.header("location").unwrap()).is(200).text();
    assert!(list.contains("was rejected. No more are waiting."), "{list}");
    assert_eq!(desk.shown("chest-x-ray")["state"], "rejected");
}

#[test]
fn nothing_of_a_document_is_markup_and_no_other_file_is_served() {
    let desk = Desk::open();
    let page = desk.page(&desk.anna, THYROID);
    assert!(page.contains("<mark tabindex=\"-1\" data-evidence="), "{page}");
    desk.get(&desk.anna, &desk.address(THYROID, "file")).is(404);
    desk.get(&desk.anna, &desk.address("gone", "")).is(404);
    let gone = desk.get(&desk.anna, "/review/gone/gone").is(404);
    assert!(gone.text().contains("The journal holds no run"), "{}", gone.text());
    let submitter = super::token(&desk.place, "lab", "submit");
    for path in ["/review", "/review/agreement", &desk.address(THYROID, ""), &desk.address(THYROID, "file")] {
        desk.get(&submitter, path).is(403);
    }
    desk.post(&submitter, &desk.address(THYROID, "lease"), &[]).is(403);
}

#[test]
fn an_image_is_shown_as_it_is() {
    let place = Workspace::new();
    // A picture of one grey point.
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0\x3a\x7e\x9b\x55\0\0\0\nIDAT\x08\xd7c\x68\0\0\0\x82\0\x81\xdd\x43\x6a\xf4\0\0\0\0IEND\xaeB`\x82";
    place.write("scans/scan.png", png);
    place.run(&["run", "--quiet", "--profile", "clinical", "--journal", JOURNAL, "scans/scan.png"]);
    super::draw_none(&place);
    let server = super::super::running::Server::start(&place, &[]);
    let run = super::latest_run(&place);
    let page = server.get(&format!("/review/{run}/scan")).is(200).text();
    assert!(page.contains(&format!("<img src=\"/review/{run}/scan/file\"")), "{page}");
    let file = server.get(&format!("/review/{run}/scan/file")).is(200);
    assert_eq!((file.header("content-type"), file.body.as_slice()), (Some("image/png"), png.as_slice()));
    assert_eq!(file.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(file.header("x-frame-options"), Some("DENY"));
    place.write("scans/scan.png", b"<html><script>alert(1)</script>");
    server.get(&format!("/review/{run}/scan/file")).is(404);
}
