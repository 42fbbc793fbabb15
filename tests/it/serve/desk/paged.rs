//! Documents with pages: their pictures, the words over them, and boxes round the passages of fields.

use super::{Desk, JOURNAL, THYROID, token};
use crate::serve::running::Server;
use crate::workspace::{Workspace, documents};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use std::fmt::Write as _;

/// The document of these tests.
pub(super) const REPORT: &str = "report";

/// The lines of its pages. The last one contradicts the first.
pub(crate) const PAGES: [&[&str]; 3] = [
    &[
        "SURGICAL PATHOLOGY REPORT",
        "INSTITUTION: General Hospital",
        "DATE: 2024-03-05",
        "FINAL DIAGNOSIS:",
        "Left breast, lumpectomy: Invasive ductal carcinoma, grade 2.",
        "Surgical margins: negative for carcinoma.",
    ],
    &[
        "GROSS DESCRIPTION",
        "Received fresh is a fibrofatty specimen, 4.0 x 3.0 x 2.5 cm.",
        "The cut surface is tan.",
    ],
    &["ADDENDUM", "Surgical margins: positive for carcinoma.", "ER: positive. PR: positive. HER2: negative."],
];

/// A PDF of A4 pages with these lines, 24 points apart.
pub(crate) fn pdf(pages: &[&[&str]]) -> Vec<u8> {
    let mut objects = String::new();
    let mut kids = String::new();
    for (at, lines) in pages.iter().enumerate() {
        let (page, content) = (2 * at + 4, 2 * at + 5);
        let mut drawn = String::from("BT /F 12 Tf 24 TL 60 760 Td\n");
        for line in *lines {
            writeln!(drawn, "({line}) Tj T*").unwrap();
        }
        drawn.push_str("ET");
        write!(kids, "{page} 0 R ").unwrap();
        writeln!(objects, "{page} 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {content} 0 R/Resources<</Font<</F 3 0 R>>>>>>endobj").unwrap();
        writeln!(objects, "{content} 0 obj<</Length {}>>stream\n{drawn}\nendstream endobj", drawn.len())
            .unwrap();
    }
    format!(
        "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[{kids}]/Count {}>>endobj\n3 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n{objects}trailer<</Root 1 0 R>>\n%%EOF\n",
        pages.len()
    )
    .into_bytes()
}

impl Desk {
    /// A service whose journal has a run of a PDF.
    pub(super) fn of_pages(pages: &[&[&str]]) -> Self {
        let place = Workspace::new();
        place.write("report.pdf", pdf(pages));
        run_pdf(&place);
        Self::serve(place)
    }

    /// The paths in the access log, the latest last.
    fn logged(&self) -> Vec<String> {
        let journal = rusqlite::Connection::open(self.place.path(JOURNAL)).unwrap();
        let mut query = journal.prepare("SELECT path FROM access_log ORDER BY number").unwrap();
        let rows = query.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    }
}

/// Runs the PDF of a workspace.
fn run_pdf(place: &Workspace) {
    let arguments = ["run", "--quiet", "--profile", "clinical", "--type", "pathology", "--journal", JOURNAL];
    place.run(&[&arguments[..], &["report.pdf"]].concat());
}

#[test]
fn each_page_has_a_picture_its_words_and_boxes_round_what_fields_say() {
    let desk = Desk::of_pages(&PAGES);
    let page = desk.page(&desk.anna, REPORT);
    assert_eq!(page.matches("class=\"desk-page\"").count(), 3, "{page}");
    assert!(
        page.contains("aria-label=\"Page 3 of 3\"") && page.contains("viewBox=\"0 0 595 842\""),
        "{page}"
    );
    // The value of the margins is on one page, and what contradicts it on another.
    let number =
        page.split("data-field=\"margins\" data-number=\"").nth(1).unwrap().split('"').next().unwrap();
    let on = |kind: &str| -> Vec<usize> {
        let sheets = page.split("<figure").skip(1).zip(1..);
        let has = |sheet: &str| {
            sheet.contains(&format!(
                "desk-place\" tabindex=\"-1\" role=\"img\" aria-label=\"margins: {kind}\""
            ))
        };
        sheets.filter(|(sheet, _)| has(sheet)).map(|(_, at)| at).collect()
    };
    assert_eq!((on("says the value"), on("says another value")), (vec![1], vec![3]), "{number}: {page}");

    let at = |what: &str| desk.address(REPORT, &format!("pages/{what}"));
    let picture = desk.get(&desk.anna, &at("3?scale=2")).is(200);
    assert!(picture.body.starts_with(b"\x89PNG"), "{}", picture.head);
    let size = |from: usize| u32::from_be_bytes(picture.body[from..from + 4].try_into().unwrap());
    assert_eq!((size(16), size(20)), (1190, 1684));
    assert_eq!(picture.header("content-type"), Some("image/png"));
    assert_eq!(picture.header("cache-control"), Some("private, no-cache"));
    assert_eq!(picture.header("x-content-type-options"), Some("nosniff"));
    assert!(picture.header("content-security-policy").unwrap().contains("default-src 'self'"));
    assert_eq!(picture.header("cross-origin-resource-policy"), Some("same-origin"));
    let small = desk.get(&desk.anna, &at("3?scale=small")).is(200);
    assert!(small.body.len() < picture.body.len());
    // A picture that the browser has is not sent again, and not without being allowed.
    let tag = picture.header("etag").unwrap().to_owned();
    let again = |who: &str| {
        let asked = desk.server.request("GET", &at("3?scale=2")).token(who);
        asked.header("If-None-Match", &tag).send()
    };
    assert!(again(&desk.anna).is(304).body.is_empty());
    again("loopctl_none").is(401);

    let words = desk.get(&desk.anna, &at("3/words")).is(200);
    assert_eq!(words.header("cache-control"), Some("no-store"));
    assert!(
        words.text().contains(">ADDENDUM</tspan>") && !words.text().contains("Received"),
        "{}",
        words.text()
    );
    for (what, status) in [
        ("0", 404),
        ("4", 404),
        ("70000", 404),
        ("x", 404),
        ("4/words", 404),
        ("1?scale=5", 400),
        ("1?scale=1e9", 400),
        ("1?scale=-1", 400),
    ] {
        desk.get(&desk.anna, &at(what)).is(status);
    }
}

#[test]
fn pictures_are_for_those_who_may_see_the_document() {
    let desk = Desk::of_pages(&PAGES);
    let submitter = token(&desk.place, "lab", "submit");
    let addresses = ["file", "pages/1", "pages/1?scale=small", "pages/1/words"];
    for what in addresses {
        let path = desk.address(REPORT, what);
        desk.get(&submitter, &path).is(403);
        desk.server.request("GET", &path).send().is(401);
        let foreign = desk.server.request("GET", &path).header("Sec-Fetch-Site", "cross-site");
        foreign.header("Cookie", "loopctl_session=x").header("Sec-Fetch-Mode", "no-cors").send().is(403);
        desk.get(&desk.anna, &desk.address("gone", what)).is(404);
    }
    // As the document itself: a reviewer who does not have it may read it.
    desk.page(&desk.anna, REPORT);
    desk.get(&desk.ben, &desk.address(REPORT, "pages/1")).is(200);
    // Another file in its place is none that was reviewed.
    desk.place.write("report.pdf", pdf(&PAGES[..1]));
    for what in addresses {
        desk.get(&desk.anna, &desk.address(REPORT, what)).is(404);
    }
    assert!(desk.page(&desk.anna, REPORT).contains("has changed since the run"));
}

#[test]
fn a_second_reviewer_sees_the_pages_and_nothing_of_the_first() {
    let mut desk = Desk::of_pages(&PAGES);
    let admin = desk.server.token.clone();
    desk.post(&admin, "/review/shares", &[("audit", "0"), ("second", "100")]).is(303);
    run_pdf(&desk.place);
    desk.run = super::latest_run(&desk.place);
    let edit =
        [("field", "margins"), ("decision", "edit"), ("after", "close"), ("comment", "seen on page 3")];
    desk.decide(&desk.anna, REPORT, &edit).is(303);
    desk.decide(&desk.anna, REPORT, &[("decision", "retype"), ("after", "radiology")]).is(303);
    desk.decide(&desk.anna, REPORT, &[("decision", "reject"), ("comment", "not ours")]).is(303);
    let page = desk.page(&desk.ben, REPORT);
    assert!(page.contains("Second review"), "{page}");
    assert!(!page.contains("seen on page 3") && !page.contains("extracted as of"), "{page}");
    desk.get(&desk.ben, &desk.address(REPORT, "pages/3")).is(200);
}

#[test]
fn the_pages_of_a_document_are_one_view_in_the_access_log() {
    let desk = Desk::of_pages(&PAGES);
    let views = |desk: &Desk| desk.logged().iter().filter(|path| path.contains("/report")).count();
    // What is asked for without the page of the document is logged each time.
    for what in ["pages/1", "pages/1/words"] {
        desk.get(&desk.ben, &desk.address(REPORT, what)).is(200);
    }
    desk.page(&desk.anna, REPORT);
    for what in ["pages/1", "pages/2?scale=small", "pages/1/words", "file"] {
        desk.get(&desk.anna, &desk.address(REPORT, what)).is(200);
    }
    // A change is written with what was logged before it.
    desk.post(&desk.anna, &desk.address(REPORT, "lease"), &[]).is(200);
    desk.page(&desk.ben, REPORT);
    let counted = crate::workspace::until("the log", || Some(views(&desk)).filter(|count| *count >= 5));
    assert_eq!(counted, 5, "{:?}", desk.logged());
}

#[test]
fn a_text_has_no_pages_and_an_image_is_its_only_one() {
    let desk = Desk::open();
    let page = desk.page(&desk.anna, THYROID);
    assert!(!page.contains("desk-page\"") && !page.contains("desk-tools"), "{page}");
    for what in ["pages/1", "pages/1/words"] {
        let answer = desk.get(&desk.anna, &desk.address(THYROID, what));
        assert!((400..500).contains(&answer.status), "{}", answer.head);
    }
}

#[test]
fn a_scan_without_text_shows_its_pages_all_the_same() {
    let desk = Desk::of_pdf();
    let page = desk.page(&desk.anna, "scan");
    assert!(page.contains("data-more") && page.contains("/scan/pages/1?scale=2"), "{page}");
    assert!(!page.contains("data-show=\"text\""), "{page}");
    let picture = desk.get(&desk.anna, &desk.address("scan", "pages/1")).is(200);
    assert!(picture.body.starts_with(b"\x89PNG"));
    // Nothing tells how many pages it has but that there is no other.
    let none = desk.get(&desk.anna, &desk.address("scan", "pages/2"));
    assert!(none.status == 422 && none.text().contains("has no page 2"), "{}", none.text());
}

#[test]
fn process_v2_takes_a_pdf() {
    let place = Workspace::new();
    let server = Server::start(&place, &["--profile", "clinical", "--provider", "pattern"]);
    let text = std::fs::read_to_string(documents().join("pathology-gastric.txt")).unwrap();
    let lines: Vec<String> =
        text.lines().map(|line| line.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let sheets: Vec<&[&str]> = lines.chunks(30).collect();
    let body = json!({
        "fileBase64": STANDARD.encode(pdf(&sheets)), "mimeType": "application/pdf", "filename": "gastric.pdf"
    });
    let answer = server.post("/api/upload/process-v2", &body).is(200).json();
    assert_eq!(answer["classifiedType"], "pathology", "{answer}");
    assert!(answer["extractedData"]["histology"].is_string(), "{answer}");
    let job = server.get(&format!("/api/jobs/{}", answer["documentId"].as_str().unwrap())).is(200).json();
    assert_eq!((&job["media_type"], &job["reading"]), (&json!("application/pdf"), &json!(null)));
}
