//! `loopctl read` of a document with pages: its text alone, all of it as data, and its pages as HTML.

use crate::pdf::pdf_of;
use crate::serve::browser::Browser;
use crate::workspace::{Ran, Workspace};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::{Value, json};

const FIRST: [&str; 3] = ["Pathology report", "Histologic grade: <b onclick=alert>2</b>", "Margins: free"];
const SECOND: &str = "BT /F 10 Tf 30 700 Td (Tumor size: 4.6 cm) Tj ET";

fn report() -> Workspace {
    let place = Workspace::new();
    place.write("report.pdf", pdf_of(&FIRST, SECOND));
    place
}

#[test]
fn the_text_alone_is_what_values_are_looked_up_in() {
    let place = report();
    let ran = place.run(&["read", "--text", "report.pdf"]).exits(0);
    assert_eq!(ran.out, format!("{}\n\n\u{c}Tumor size: 4.6 cm\n\n", FIRST.join("\n")));
    place.write("plain.txt", "Grade:  \u{202e}2, margins free\r\n\n");
    assert_eq!(
        place.run(&["read", "--text", "plain.txt"]).exits(0).out,
        "Grade:  \u{202e}2, margins free\r\n\n"
    );
    place.run(&["read", "--text", "--clauses", "plain.txt"]).exits(2).says(&["--clauses"]);
}

#[test]
fn all_that_is_seen_is_data() {
    let place = report();
    let seen = place.run_json(&["read", "report.pdf", "--profile", "clinical", "--format", "json"]);
    assert_eq!((&seen["media_type"], seen.get("encoding")), (&json!("application/pdf"), None));
    assert_eq!(seen["document_type"]["name"], "pathology", "{}", seen["document_type"]);
    assert!(seen["document_type"]["confidence"].as_f64().unwrap() > 0.5);
    assert!(!seen["document_type"]["matched"].as_array().unwrap().is_empty());
    let text: Vec<char> = seen["text"].as_str().unwrap().chars().collect();
    let part = |at: &Value| -> String {
        let number = |name: &str| usize::try_from(at[name].as_u64().unwrap()).unwrap();
        text[number("start")..number("end")].iter().collect()
    };
    let pages = seen["pages"].as_array().unwrap();
    assert_eq!(pages.len(), 2);
    assert_eq!(
        (&pages[1]["page"], &pages[1]["width"], &pages[1]["height"]),
        (&json!(2), &json!(9000.0), &json!(842.0))
    );
    assert_eq!((&pages[1]["word_count"], &pages[1]["is_picture"]), (&json!(4), &json!(false)));
    assert_eq!(part(&pages[1]).trim(), "Tumor size: 4.6 cm");
    for page in pages {
        for word in page["words"].as_array().unwrap() {
            assert_eq!(part(word), word["text"].as_str().unwrap());
            assert_eq!(word["box"].as_array().unwrap().len(), 4);
        }
    }
    // The cells name their pages, too.
    let size = seen["lines"].as_array().unwrap().last().unwrap();
    assert_eq!((&size["page"], &size["cells"][0]["places"][0]["page"]), (&json!(2), &json!(2)), "{size}");
    assert!(place.run(&["read", "report.pdf"]).exits(0).out.contains("page 2, line "));

    place.write("plain.txt", b"\xff\xfeG\0r\0a\0d\0e\0");
    let seen = place.run_json(&["read", "plain.txt", "--format", "json"]);
    assert_eq!((&seen["media_type"], &seen["encoding"]), (&json!("text/plain"), &json!("UTF-16LE")));
    assert_eq!((&seen["text"], seen.get("pages")), (&json!("Grade"), None));
}

#[test]
fn the_pages_are_one_file_of_html_that_runs_nothing_of_the_document() {
    let place = report();
    let ran = place.run(&["read", "report.pdf", "--html", "report.html"]).exits(0);
    assert_eq!(ran.out, "");
    let page = place.read("report.html");
    assert_eq!(page.matches(r#"src="data:image/png;base64,iVBOR"#).count(), 2);
    let words = place.run_json(&["read", "report.pdf", "--format", "json"])["pages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| page["words"].as_array().unwrap().len())
        .sum::<usize>();
    assert_eq!(
        (page.matches("<rect ").count(), page.matches(r#"<span class="word""#).count()),
        (words, words)
    );
    // Document text is text.
    assert!(!page.contains("<b onclick") && page.contains("&lt;b"), "{page}");
    // Only our own script may run, and nothing is loaded.
    let script = page.split("<script>").nth(1).unwrap().split("</script>").next().unwrap();
    let digest = loopctl::value::digest_bytes(script.as_bytes());
    let digest: Vec<u8> =
        (0..digest.len()).step_by(2).map(|at| u8::from_str_radix(&digest[at..at + 2], 16).unwrap()).collect();
    let digest = BASE64_STANDARD.encode(digest);
    assert!(page.contains(&format!(
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}';"
    )));
    assert!(!page.contains("http://") && !page.contains("https://"), "{page}");

    place.run(&["read", "report.pdf", "--html", "second.html", "--pages", "2-9"]).exits(0);
    let page = place.read("second.html");
    assert!(page.contains("Tumor") && !page.contains("Margins") && page.contains("1 of 2 pages are shown"));

    // A document without pages is its text.
    place.write("plain.txt", "Grade: <2>\n");
    place.run(&["read", "plain.txt", "--html", "plain.html"]).exits(0);
    assert!(place.read("plain.html").contains("Grade: &lt;2&gt;"));
}

#[test]
fn what_cannot_be_shown_is_said() {
    let place = report();
    let html = |more: &[&str]| place.run(&[&["read", "report.pdf", "--html"], more].concat());
    html(&["r.html", "--pages", "3"]).exits(2).says(&["`report.pdf` has 2 pages, and page 3 is asked for"]);
    html(&["r.html", "--pages", "2-1"]).exits(2).says(&["expected pages such as `3-7`"]);
    html(&["report.pdf"]).exits(2).says(&["would overwrite the document `report.pdf`", "help:"]);
    html(&["none/r.html"]).exits(1).says(&["can't write"]);
    place.run(&["read", "report.pdf", "--pages", "1"]).exits(2).says(&["--html"]);
    place.write("scan.pdf", pdf_of(&[], ""));
    place.run(&["read", "scan.pdf", "--html", "r.html"]).exits(1).says(&["`scan.pdf`", "help:"]);
    let ran = Ran::of(
        place.loopctl(&["read", "-", "--text"]).write_stdin(std::fs::read(place.path("report.pdf")).unwrap()),
    );
    assert!(ran.exits(0).out.contains("Margins: free"));
}

/// A word and its box are shown together in a browser, whichever is clicked.
#[test]
#[ignore = "long"]
fn a_click_on_a_word_shows_its_counterpart() {
    let place = report();
    place.run(&["read", "report.pdf", "--html", "report.html"]).exits(0);
    let Some(browser) = Browser::start(&[]) else { return };
    browser.watch();
    browser.open(&format!("file://{}", place.path("report.html").display()));
    browser.wait("document.querySelector('[data-word=\"2-1\"]')");
    let marked = || browser.run("return [...document.querySelectorAll('.on')].map((it) => it.textContent)");
    browser.run("document.querySelector('.lines [data-word=\"2-1\"]').click()");
    assert_eq!(marked(), json!(["size:", "size:"]));
    browser.run("document.querySelector('.sheet [data-word=\"1-0\"] rect').dispatchEvent(new MouseEvent('click', {bubbles: true}))");
    assert_eq!(marked(), json!(["Pathology", "Pathology"]));
    browser.run("document.querySelector('#page-2 button.number').click()");
    assert_eq!(marked().as_array().unwrap().len(), 8);
    browser.press(crate::serve::browser::ESCAPE);
    assert_eq!(marked(), json!([]));
    browser.picture("read-pages", (1400, 1000));
    assert_eq!(browser.noted(), Vec::<String>::new());
    assert_eq!(browser.serious(), Vec::<String>::new());
}
