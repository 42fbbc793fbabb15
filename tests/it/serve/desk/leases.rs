//! One reviewer at a time has a document.

use super::{Desk, THYROID, field, hidden};
use serde_json::json;

const MARGINS: [(&str, &str); 2] = [("field", "margins"), ("decision", "accept")];

#[test]
fn who_has_a_document_decides_and_others_wait() {
    let desk = Desk::open();
    let page = desk.page(&desk.anna, THYROID);
    let of_ben = desk.page(&desk.ben, THYROID);
    assert!(super::plain(&of_ben).contains("anna is reviewing this document until"), "{of_ben}");
    assert!(!of_ben.contains("name=\"decision\""));
    let whole = [("shown", hidden(&page, "shown")), ("seen", "0".to_owned())];
    let form: Vec<(&str, &str)> =
        whole.iter().map(|(name, value)| (*name, value.as_str())).chain(MARGINS).collect();
    let refused = desk.post(&desk.ben, &desk.address(THYROID, "decide"), &form).is(409).json();
    assert!(
        refused["error"].as_str().unwrap().starts_with("`anna` is reviewing `thyroid-resection` until"),
        "{refused}"
    );
    let again = desk.post(&desk.ben, &desk.address(THYROID, "lease"), &[]).is(409).json();
    assert!(again["help"].as_str().unwrap().contains("nothing was saved"), "{again}");
    desk.send(&desk.anna, &page, (THYROID, "decide"), &MARGINS).is(303);
    assert_eq!(field(&desk.shown(THYROID), "margins")["decisions"][0]["reviewer"], "anna");
    // Another page of the same reviewer has taken it since: the one that is left gives nothing back.
    desk.post(&desk.anna, &desk.address(THYROID, "release"), &[("until_ms", "1")]).is(204);
    desk.post(&desk.ben, &desk.address(THYROID, "lease"), &[]).is(409);
    let renewed = desk.post(&desk.anna, &desk.address(THYROID, "lease"), &[]).is(200).json();
    let until = renewed["until_ms"].to_string();
    desk.post(&desk.anna, &desk.address(THYROID, "release"), &[("until_ms", &until)]).is(204);
    desk.post(&desk.ben, &desk.address(THYROID, "lease"), &[]).is(200);
    assert_eq!(desk.decisions(), 1);
}

#[test]
fn without_a_lease_nothing_is_decided() {
    let desk = Desk::open();
    let shown = desk.shown(THYROID)["shown"].as_str().unwrap().to_owned();
    let form = [("shown", shown.as_str()), ("seen", "0"), MARGINS[0], MARGINS[1]];
    let refused = desk.post(&desk.anna, &desk.address(THYROID, "decide"), &form).is(409).json();
    assert_eq!(refused["error"], json!("you no longer have `thyroid-resection` open"));
    // The time of a lease is over.
    desk.page(&desk.anna, THYROID);
    let journal = rusqlite::Connection::open(desk.place.path(super::JOURNAL)).unwrap();
    assert_eq!(journal.execute("UPDATE leases SET until_ms = 1", []).unwrap(), 1);
    desk.post(&desk.anna, &desk.address(THYROID, "decide"), &form).is(409);
    desk.page(&desk.ben, THYROID);
    desk.post(&desk.ben, &desk.address(THYROID, "decide"), &form).is(303);
    assert_eq!(desk.decisions(), 1);
}

#[test]
fn two_reviewers_who_ask_at_once_never_decide_the_same_document() {
    let desk = Desk::open();
    let shown = desk.shown(THYROID)["shown"].as_str().unwrap().to_owned();
    let kept: Vec<u16> = std::thread::scope(|scope| {
        let asked: Vec<_> = (0..8)
            .map(|number| {
                let (desk, shown) = (&desk, shown.as_str());
                scope.spawn(move || {
                    let who = if number % 2 == 0 { &desk.anna } else { &desk.ben };
                    desk.post(who, &desk.address(THYROID, "lease"), &[]);
                    let form = [("shown", shown), ("seen", "0"), MARGINS[0], MARGINS[1]];
                    desk.post(who, &desk.address(THYROID, "decide"), &form).status
                })
            })
            .collect();
        asked.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(kept.iter().filter(|status| **status == 303).count(), 1, "{kept:?}");
    assert!(kept.iter().all(|status| [303, 409].contains(status)), "{kept:?}");
    assert_eq!(desk.decisions(), 1);
}

#[test]
fn what_was_decided_or_run_since_is_not_decided_over() {
    let desk = Desk::open();
    let page = desk.page(&desk.anna, THYROID);
    desk.send(&desk.anna, &page, (THYROID, "decide"), &MARGINS).is(303);
    let refused = desk.send(&desk.anna, &page, (THYROID, "decide"), &MARGINS).is(409).json();
    assert!(refused["error"].as_str().unwrap().starts_with("something was decided"), "{refused}");
    let page = desk.page(&desk.anna, THYROID);
    let journal = rusqlite::Connection::open(desk.place.path(super::JOURNAL)).unwrap();
    let change = "UPDATE outcomes SET outcome = replace(outcome, 'Papillary carcinoma', 'Carcinoma') WHERE outcome LIKE '%thyroid-resection%'";
    assert_eq!(journal.execute(change, []).unwrap(), 1);
    let refused = desk.send(&desk.anna, &page, (THYROID, "decide"), &MARGINS).is(409).json();
    assert!(refused["error"].as_str().unwrap().starts_with("there is another result"), "{refused}");
    let fresh = desk.page(&desk.anna, THYROID);
    assert!(fresh.contains("1 decision is about an earlier result"), "{fresh}");
    assert_eq!(desk.decisions(), 1);
}
