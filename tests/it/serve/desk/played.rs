//! The work of a reviewer at the desk, played in a real browser.

use super::super::browser::{Browser, ENTER};
use super::cases::{SOUND, WITHDRAWN};
use super::{Desk, JOURNAL, field};
use serde_json::json;

const SIZE: (u32, u32) = (1280, 900);

/// Opens a document with a token.
fn open(browser: &Browser, desk: &Desk, token: &str, document: &str) {
    browser.open(&format!("http://{}/login#token={token}", desk.server.address));
    let asked = "document.querySelector('#said').textContent.includes('another token')";
    browser.wait(&format!("location.pathname === '/' || {asked}"));
    if browser.run("return location.pathname") != json!("/") {
        // Someone is signed in: the link is followed once they confirm.
        browser.press(ENTER);
        browser.wait("location.pathname === '/'");
    }
    browser.watch();
    browser.open(&format!("http://{}{}", desk.server.address, desk.address(document, "")));
    browser.wait("document.querySelector('.desk-field[aria-current]')");
}

/// Presses Enter when it counts.
fn enter(browser: &Browser) {
    browser.wait("document.querySelector('#desk')?.dataset.enter !== 'waits'");
    browser.press(ENTER);
}

fn said(browser: &Browser, text: &str) {
    browser.wait(&format!("document.querySelector('#said').textContent.includes({})", json!(text)));
}

#[test]
#[ignore = "long"]
fn a_withdrawn_report_is_not_accepted_by_one_enter() {
    let Some(browser) = Browser::start(&[]) else { return };
    let desk = Desk::of(&[("withdrawn", WITHDRAWN)]);
    open(&browser, &desk, &desk.anna.clone(), "withdrawn");
    browser.picture("withdrawn", SIZE);
    assert_eq!(browser.serious(), [""; 0]);
    // The cursor is on the first question, and its passage is marked.
    browser.wait("document.querySelector('.desk-field[aria-current]').matches('.desk-question')");
    let marked = browser.wait("document.querySelector('.desk-document mark.chosen')?.textContent");
    assert!(marked.as_str().unwrap().contains("WITHDRAWN"), "{marked}");
    enter(&browser);
    said(&browser, "Answer first: 2 questions");
    assert_eq!(desk.decisions(), 0);
    browser.picture("withdrawn-refused", SIZE);
    for (left, why) in [("1 of ", "the banner is of an earlier version"), ("2 of ", "asked the sender")] {
        browser.press("a");
        browser.wait("document.activeElement.matches('[name=comment]')");
        // Without a reason nothing is kept.
        if left == "1 of " {
            enter(&browser);
            said(&browser, "say why");
            browser.wait("document.activeElement.matches('[name=comment]')");
        }
        browser.press(why);
        enter(&browser);
        browser.wait(&format!("document.querySelector('.desk-progress').textContent.startsWith('{left}')"));
    }
    browser.picture("withdrawn-answered", SIZE);
    enter(&browser);
    browser.wait("location.pathname === '/review' || document.querySelector('.desk-confirm a[data-focus]')");
    if browser.run("return location.pathname") != json!("/review") {
        browser.run("document.querySelector('.desk-confirm button').focus()");
        enter(&browser);
        browser.wait("location.pathname === '/review'");
    }
    assert_eq!(desk.shown("withdrawn")["state"], "accepted");
    assert_eq!(browser.noted(), [""; 0]);
}

#[test]
#[ignore = "long"]
fn a_pdf_that_nobody_read_is_not_accepted_by_one_enter() {
    let Some(browser) = Browser::start(&[]) else { return };
    let desk = Desk::of_pdf();
    open(&browser, &desk, &desk.anna.clone(), "scan");
    browser.picture("pdf", SIZE);
    assert_eq!(browser.serious(), [""; 0]);
    enter(&browser);
    said(&browser, "Answer first: 7 values that nothing has checked");
    assert_eq!(desk.decisions(), 0);
    browser.press("A");
    said(&browser, "all values compared");
    browser.picture("pdf-compared", SIZE);
    enter(&browser);
    browser.wait("location.pathname === '/review' || document.querySelector('.desk-confirm a[data-focus]')");
    assert_eq!(field(&desk.shown("scan"), "histology")["how"], "each");
    assert_eq!(browser.noted(), [""; 0]);
}

#[test]
#[ignore = "long"]
fn two_reviewers_differ_and_a_third_person_settles_it_by_keyboard() {
    let Some(browser) = Browser::start(&[]) else { return };
    let desk = Desk::of(&[("report", SOUND)]);
    let accept: &[(&str, &str)] = &[("decision", "accept"), ("confirmed", "yes")];
    for (who, side) in [(&desk.anna, "positive"), (&desk.ben, "close")] {
        let form = [("field", "margins"), ("decision", "edit"), ("after", side), ("comment", "dictated so")];
        desk.decide(who, "report", &form).is(303);
        desk.decide(who, "report", accept).is(303);
    }
    let chief = desk.chief();
    browser.open(&format!("http://{}/login#token={chief}", desk.server.address));
    browser.wait("location.pathname === '/'");
    browser.open(&format!("http://{}/review", desk.server.address));
    browser.wait("document.body.innerText.includes('reviewers differ on margins')");
    browser.picture("disputed-queue", SIZE);
    assert_eq!(browser.serious(), [""; 0]);
    open(&browser, &desk, &chief, "report");
    browser.picture("disputed", SIZE);
    assert_eq!(browser.serious(), [""; 0]);
    browser.wait("document.querySelectorAll('.desk-field').length === 1");
    // Without a reason the answer is not taken.
    browser.press("2");
    browser.wait("document.activeElement.matches('.desk-settle [name=comment]')");
    browser.press("the block shows it");
    browser.run("document.querySelector('.desk-field[aria-current]').focus()");
    browser.press("2");
    said(&browser, "margins: settled");
    browser.picture("settled", SIZE);
    let shown = desk.shown("report");
    assert_eq!(
        (&shown["state"], field(&shown, "margins")["decisions"][2]["value"].as_str()),
        (&json!("accepted"), Some("close"))
    );
    assert_eq!(browser.noted(), [""; 0]);
}

#[test]
#[ignore = "long"]
fn fields_that_one_enter_swept_are_not_told_as_looked_at() {
    let Some(browser) = Browser::start(&[]) else { return };
    let desk = Desk::open();
    open(&browser, &desk, &desk.anna.clone(), super::THYROID);
    enter(&browser);
    browser.wait("document.activeElement.matches('.desk-confirm a[data-focus]')");
    browser.run("document.querySelector('.desk-confirm button').focus()");
    enter(&browser);
    browser.wait(&format!("!location.pathname.endsWith('{}')", super::THYROID));
    browser.open(&format!("http://{}{}", desk.server.address, desk.address(super::THYROID, "")));
    browser.wait("document.body.innerText.includes('accepted with the document by you')");
    browser.picture("swept", SIZE);
    let text = browser.text();
    assert!(text.contains("not looked for") && !text.contains("accepted by you"), "{text}");
    let labels = desk.labels("--decisions", super::THYROID);
    assert!(labels.iter().all(|label| label["how"] == "swept" && label["field"] != "grade"), "{labels:?}");
    let list = desk.place.run(&["review", "list", "--journal", JOURNAL, "--format", "text"]).exits(0);
    list.finds(&["accepted"]);
}
