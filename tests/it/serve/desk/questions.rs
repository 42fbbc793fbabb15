//! Questions that must be answered before a document is accepted.

use super::cases::WITHDRAWN;
use super::{Desk, field, hidden, plain};
use serde_json::{Value, json};

/// The keys of the issues that a document asks about.
fn asked(shown: &Value) -> Vec<String> {
    let questions = shown["questions"].as_array().unwrap();
    questions.iter().map(|question| question["issue"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_withdrawn_report_is_not_accepted_before_somebody_says_why_it_holds() {
    let desk = Desk::of(&[("withdrawn", WITHDRAWN)]);
    let shown = desk.shown("withdrawn");
    let keys = asked(&shown);
    assert_eq!(keys.len(), 2, "{shown}");
    // Its banner is the passage.
    let place = &shown["questions"][0]["place"];
    assert_eq!((&place["line"], &place["start"]), (&json!(1), &json!(4)), "{shown}");
    let page = desk.page(&desk.anna, "withdrawn");
    let rows = page.matches("desk-question in-doubt").count();
    assert_eq!(rows, 2, "{page}");
    assert!(page.contains("Not answered yet: 2 questions about the document as a whole."), "{page}");
    // The passage is marked in the text, by the number of the question.
    let number = page.split("data-number=\"").nth(1).unwrap().split('"').next().unwrap();
    assert!(page.contains(&format!("data-evidence=\"{number}\"")), "{page}");
    let words = plain(&page);
    assert!(words.contains("This report says that it is not final"), "{words}");
    let above = words.split("Values").next().unwrap();
    assert!(!above.contains("DOCUMENT_NOT_FINAL"), "{above}");

    let accept: &[(&str, &str)] = &[("decision", "accept"), ("confirmed", "yes")];
    let refused = desk.decide(&desk.anna, "withdrawn", accept).is(422).text();
    assert!(refused.contains("Answer first: 2 questions about the document as a whole."), "{refused}");
    let holds = |key: &str, why: &str| {
        desk.decide(&desk.anna, "withdrawn", &[("decision", "holds"), ("issue", key), ("comment", why)])
    };
    assert!(holds(&keys[0], " ").is(422).text().contains("Say why it is not a problem"));
    holds("DOCUMENT_NOT_FINAL-000000", "x").is(422);
    desk.decide(&desk.anna, "withdrawn", &[("decision", "holds"), ("comment", "x")]).is(422);
    assert_eq!(desk.decisions(), 0);
    holds(&keys[0], "the banner is of an earlier version").is(303);
    desk.decide(&desk.anna, "withdrawn", accept).is(422);
    assert!(desk.page(&desk.anna, "withdrawn").contains("1 of "));
    holds(&keys[1], "asked the sender").is(303);
    desk.decide(&desk.anna, "withdrawn", accept).is(303);
    let shown = desk.shown("withdrawn");
    assert_eq!(shown["state"], "accepted");
    assert_eq!(shown["questions"][0]["answer"]["comment"], "the banner is of an earlier version");
    // Taken back, the answer is open again.
    desk.decide(&desk.anna, "withdrawn", &[("decision", "undo")]).is(303);
    desk.decide(&desk.anna, "withdrawn", &[("decision", "undo")]).is(303);
    desk.decide(&desk.anna, "withdrawn", accept).is(422);
}

#[test]
fn rejecting_answers_all_and_needs_its_reason() {
    let desk = Desk::of(&[("withdrawn", WITHDRAWN)]);
    desk.decide(&desk.anna, "withdrawn", &[("decision", "reject"), ("comment", "")]).is(422);
    desk.decide(&desk.anna, "withdrawn", &[("decision", "reject"), ("comment", "of someone else")]).is(303);
    assert_eq!(desk.shown("withdrawn")["state"], "rejected");
}

#[test]
fn a_pdf_that_nothing_checked_is_accepted_value_by_value_or_after_it_was_compared() {
    let desk = Desk::of_pdf();
    let page = desk.page(&desk.anna, "scan");
    assert_eq!(page.matches(">not checked<").count(), 7, "{page}");
    assert!(plain(&page).contains("I compared all 7 with the document"), "{page}");
    let quote = "quoted by the model, not looked up: “invasive ductal carcinoma of the left breast”";
    assert!(plain(&page).contains(quote), "{}", plain(&page));
    let accept: &[(&str, &str)] = &[("decision", "accept"), ("confirmed", "yes")];
    let refused = desk.decide(&desk.anna, "scan", accept).is(422).text();
    assert!(refused.contains("Answer first: 7 values that nothing has checked."), "{refused}");
    desk.decide(&desk.anna, "scan", &[("field", "grade"), ("decision", "edit"), ("after", "3")]).is(303);
    assert!(desk.decide(&desk.anna, "scan", accept).is(422).text().contains("6 values"));
    desk.decide(&desk.anna, "scan", &[("decision", "compared")]).is(303);
    desk.decide(&desk.anna, "scan", accept).is(303);
    let shown = desk.shown("scan");
    assert_eq!((&shown["state"], &field(&shown, "histology")["how"]), (&json!("accepted"), &json!("each")));
    assert_eq!(field(&shown, "grade")["decisions"][0]["value"], "3");
    assert!(desk.labels("--decisions", "scan").iter().all(|label| label["how"] == "each"));
}

#[test]
fn a_form_of_the_page_sends_what_the_reviewer_saw() {
    let desk = Desk::of(&[("withdrawn", WITHDRAWN)]);
    let page = desk.page(&desk.anna, "withdrawn");
    assert!(hidden(&page, "issue").starts_with("DOCUMENT_NOT_FINAL-"));
}
