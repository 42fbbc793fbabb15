//! The list of documents that wait.

use super::{Desk, JOURNAL, THYROID, run_reports};
use serde_json::json;

/// The documents of a list, in its order.
fn listed(page: &str) -> Vec<String> {
    let rows = page.split("data-of=\"Document\"").skip(1);
    rows.map(|row| row.split("<bdi>").nth(1).unwrap().split('<').next().unwrap().to_owned()).collect()
}

#[test]
fn documents_wait_for_reasons_and_leave_when_they_are_decided() {
    let desk = Desk::open();
    let list = |query: &str| desk.get(&desk.anna, &format!("/review{query}")).is(200).text();
    let all = listed(&list(""));
    assert_eq!(all.len(), 2, "{all:?}");
    assert!(all.contains(&THYROID.to_owned()));
    // A row says which fields a look is about.
    let page = list("");
    let row = page.split("<tr>").find(|row| row.contains(THYROID)).unwrap();
    assert!(row.contains(": <bdi>") && row.contains("grade</bdi>"), "{row}");
    assert_eq!(listed(&list("?reason=refused")).len(), 2);
    assert_eq!(listed(&list("?reason=escalated")), [""; 0]);
    assert_eq!(listed(&list("?type=radiology")), ["chest-x-ray"]);
    assert_eq!(listed(&list("?run=other")), [""; 0]);
    assert_eq!(listed(&list("?mine=yes")), [""; 0]);
    desk.page(&desk.ben, "chest-x-ray");
    assert!(list("").contains("(open: ben)"));
    desk.decide(&desk.anna, THYROID, &[("field", "margins"), ("decision", "accept")]).is(303);
    assert_eq!(listed(&list("?mine=yes&state=in_review")), [THYROID]);
    assert!(list("").contains("in review by you"), "{}", list(""));
    desk.decide(&desk.anna, THYROID, &[("decision", "accept"), ("confirmed", "yes")]).is(303);
    assert_eq!(listed(&list("")), ["chest-x-ray"]);
    assert_eq!(listed(&list("?state=accepted")), [THYROID]);
    assert_eq!(listed(&list("?state=all")).len(), 2);
    // A run that is over meanwhile is seen, and one that is removed is gone.
    run_reports(&desk.place);
    assert_eq!(listed(&list("")).len(), 3);
    desk.place.run(&["runs", "prune", &desk.run, "--journal", JOURNAL]).exits(0);
    assert_eq!(listed(&list("?state=all")).len(), 2);
}

#[test]
fn the_page_of_a_run_counts_what_waits_and_what_was_decided() {
    let desk = Desk::open();
    let run = |said: &str| {
        let page = desk.get(&desk.anna, &format!("/runs/{}", desk.run)).is(200).text();
        assert!(page.contains(said), "`{said}`: {page}");
    };
    run("<span>Needs review</span><strong>2</strong>");
    desk.decide(&desk.anna, THYROID, &[("decision", "accept"), ("confirmed", "yes")]).is(303);
    run("<span>Needs review</span><strong>1</strong>");
    run("1 already decided");
}

#[test]
fn a_share_of_all_documents_is_drawn_before_they_are_run() {
    let desk = Desk::open();
    desk.post(&desk.anna, "/review/shares", &[("audit", "100"), ("second", "0")]).is(403);
    let admin = desk.server.token.clone();
    let wrong = desk.post(&admin, "/review/shares", &[("audit", "101"), ("second", "0")]).is(400).json();
    assert_eq!(wrong["error"], json!("`audit`: expected 0 to 100 percent, found `101`"));
    desk.post(&admin, "/review/shares", &[("audit", "100"), ("second", "0")]).is(303);
    // A run keeps the shares with which it began.
    let listed_of = |run: &str| listed(&desk.get(&desk.anna, &format!("/review?run={run}")).is(200).text());
    assert_eq!(listed_of(&desk.run).len(), 2);
    run_reports(&desk.place).exits(3);
    let run = super::latest_run(&desk.place);
    assert_eq!(listed_of(&run).last().map(String::as_str), Some("liver-resection"));
    let list = desk.place.run_json(&["review", "list", "--journal", JOURNAL, "--format", "json"]);
    let reasons: Vec<_> = list.as_array().unwrap().iter().map(|entry| entry["reasons"].clone()).collect();
    assert_eq!(reasons[2], json!(["audit_sample"]), "{reasons:?}");
    assert!(reasons.iter().all(|reasons| reasons.as_array().unwrap().contains(&json!("audit_sample"))));
    let drawn = ["review", "list", "--reason", "audit_sample", "--journal", JOURNAL, "--format", "json"];
    assert_eq!(desk.place.run_json(&drawn).as_array().unwrap().len(), 3);
}
