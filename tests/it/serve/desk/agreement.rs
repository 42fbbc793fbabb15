//! Documents that two people inspect, the second without what the first decided.

use super::{Desk, THYROID, field, run_reports};
use serde_json::json;

#[test]
fn the_second_reviewer_sees_nothing_of_the_first_and_agreement_is_counted() {
    let mut desk = Desk::open();
    let admin = desk.server.token.clone();
    desk.post(&admin, "/review/shares", &[("audit", "0"), ("second", "100")]).is(303);
    run_reports(&desk.place).exits(3);
    desk.run = super::latest_run(&desk.place);
    assert!(
        desk.get(&desk.anna, "/review/agreement")
            .is(200)
            .text()
            .contains("No document has been decided by two")
    );
    desk.decide(&desk.anna, THYROID, &[("field", "margins"), ("decision", "edit"), ("after", "positive")])
        .is(303);
    desk.decide(&desk.anna, THYROID, &[("field", "histology"), ("decision", "accept")]).is(303);
    desk.decide(&desk.anna, THYROID, &[("decision", "accept"), ("confirmed", "yes")]).is(303);
    let list =
        |who: &str| desk.get(who, &format!("/review?reason=second_review&run={}", desk.run)).is(200).text();
    assert!(!list(&desk.anna).contains(THYROID));
    let of_ben = list(&desk.ben);
    assert!(
        of_ben.contains(THYROID) && of_ben.contains("second review") && !of_ben.contains("anna"),
        "{of_ben}"
    );
    let page = desk.page(&desk.ben, THYROID);
    assert!(page.contains("Second review") && !page.contains("anna"), "{page}");
    assert!(!page.contains("<ins>positive"), "{page}");
    // Ben only accepts with the rest what anna inspected; both inspect the histology.
    desk.decide(&desk.ben, THYROID, &[("field", "histology"), ("decision", "accept")]).is(303);
    desk.decide(&desk.ben, THYROID, &[("decision", "accept"), ("confirmed", "yes")]).is(303);
    // What ben accepted is what was extracted, not what anna made of it.
    let shown = desk.shown(THYROID);
    let margins = field(&shown, "margins");
    assert_eq!(margins["disputed"], true, "{margins}");
    let of_ben =
        margins["decisions"].as_array().unwrap().iter().find(|one| one["reviewer"] == "ben").unwrap();
    assert_eq!(of_ben["value"], margins["value"]);
    // The second sees all now, and there is no third look.
    assert!(desk.page(&desk.ben, THYROID).contains("anna"));
    assert!(!list(&desk.ben).contains(THYROID));
    let agreement = desk.get(&desk.anna, "/review/agreement").is(200).text();
    // Only what both inspected is counted; of the rest, the amount is reported.
    assert!(!agreement.contains("<bdi>margins</bdi>") && !agreement.contains("rawText"), "{agreement}");
    assert!(agreement.contains("at least one of them accepted the document as a whole"), "{agreement}");
    let row = agreement.split("<bdi>histology</bdi>").nth(1).unwrap().split("</tr>").next().unwrap();
    assert!(row.contains(">100 %<"), "{row}");
    let whole = agreement.split("<bdi>the document as a whole</bdi>").nth(1).unwrap();
    assert!(whole.split("</tr>").next().unwrap().contains(">100 %<"));
    assert_eq!(shown["state"], json!("disputed"));
}
