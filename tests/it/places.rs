//! Places of passages on pages: beside the evidence of results, in explanations, exports and reviews; and nothing of them
//! where a document has no pages.

use crate::pdf::pdf_of;
use crate::workspace::Workspace;
use loopctl::ingest::DocumentReader;
use serde_json::{Value, json};

const FIRST: [&str; 2] = ["Invoice number: 4711", "Customer: Anna Meyer"];
const SECOND: &str = "BT /F 10 Tf 30 700 Td (Total: 18.50 EUR) Tj ET";

/// The width of the pages, in points.
const WIDTH: f64 = 9000.0;

/// An invoice with its total on the second page, and the values that are taken from it.
fn invoice() -> Workspace {
    let place = Workspace::new();
    place.write("invoice.pdf", pdf_of(&FIRST, SECOND));
    place.write("invoice.txt", format!("{}\n\u{c}Total: 18.50 EUR", FIRST.join("\n")));
    place.write("right.json", r#"{"invoiceNumber": "4711", "total": 18.5}"#);
    place
}

fn scored(place: &Workspace, source: &str, extraction: &str, profile: &str) -> Value {
    let arguments = ["score", "--profile", profile, "--type", "unknown", "--source", source];
    place.run(&[&arguments[..], &["--format", "json", extraction]].concat()).json()[0].clone()
}

/// The share of a box of a page that is dark, and the share that it has of all that is dark on the page.
fn ink(pdf: &[u8], page: usize, bounds: &Value) -> (f64, f64) {
    const SCALE: f32 = 2.0;
    let picture = DocumentReader::in_process().page_picture(pdf, page, SCALE).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(picture.png())).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    // The picture has fewer pixels than were asked for where a page is larger than any paper.
    let scale = f64::from(info.width) / WIDTH;
    let [left, top, width, height] = [0, 1, 2, 3].map(|at| bounds[at].as_f64().unwrap() * scale);
    let samples = pixels.len() / info.height as usize / info.width as usize;
    let (mut inside, mut dark_inside, mut dark) = (0.0, 0.0, 0.0);
    for (row, pixels) in (0_u32..).zip(pixels.chunks(samples * info.width as usize)) {
        for (column, pixel) in (0_u32..).zip(pixels.chunks(samples)) {
            let (x, y) = (f64::from(column) + 0.5, f64::from(row) + 0.5);
            let is_dark = f64::from(u8::from(pixel[0] < 128));
            dark += is_dark;
            if (left..left + width).contains(&x) && (top..top + height).contains(&y) {
                inside += 1.0;
                dark_inside += is_dark;
            }
        }
    }
    (dark_inside / inside, dark_inside / dark)
}

#[test]
fn evidence_names_the_page_and_a_box_that_lies_on_the_ink() {
    let place = invoice();
    let result = scored(&place, "invoice.pdf", "right.json", "balanced");
    for (path, page) in [("/invoiceNumber", 1), ("/total", 2)] {
        let leaf = &result["evidence"][path];
        assert_eq!(leaf["support"], "verified", "{result:#}");
        let places = leaf["places"].as_array().unwrap();
        assert_eq!((places.len(), &places[0]["page"]), (1, &json!(page)), "{leaf}");
        let boxes = places[0]["boxes"].as_array().unwrap();
        assert_eq!(boxes.len(), 1, "{leaf}");
        let (covered, share) = ink(&std::fs::read(place.path("invoice.pdf")).unwrap(), page, &boxes[0]);
        // Letters cover a part of their box, and a value is a part of its page.
        assert!((0.05..0.7).contains(&covered), "{path}: {covered} of {boxes:?}");
        assert!((0.02..0.6).contains(&share), "{path}: {share} of {boxes:?}");
    }
    // Beside the box there is no ink.
    let beside = json!([400.0, 120.0, 40.0, 12.0]);
    assert_eq!(ink(&std::fs::read(place.path("invoice.pdf")).unwrap(), 2, &beside).0, 0.0);
}

#[test]
fn a_passage_behind_withheld_text_is_where_it_is_seen() {
    let place = invoice();
    place.write(
        "masked.yaml",
        "name: masked\nextends: balanced\nmask: [{ pattern: '(?s)Invoice.*Meyer', replace: 'x' }]\n",
    );
    let plain = scored(&place, "invoice.pdf", "right.json", "balanced");
    let masked = scored(&place, "invoice.pdf", "right.json", "masked.yaml");
    let total = |result: &Value| result["evidence"]["/total"].clone();
    assert_ne!(total(&plain)["start"], total(&masked)["start"]);
    assert_eq!(total(&plain)["places"], total(&masked)["places"]);
    assert_eq!(total(&masked)["places"][0]["page"], 2, "{masked:#}");
}

#[test]
fn a_document_without_pages_has_no_places() {
    let place = invoice();
    let result = scored(&place, "invoice.txt", "right.json", "balanced");
    assert_eq!(result["evidence"]["/total"]["support"], "verified", "{result:#}");
    assert!(!result.to_string().contains("places"), "{result:#}");
    let read = place.run(&["read", "invoice.txt"]).exits(0).out;
    assert!(!read.contains("page 1"), "{read}");
}

/// A run over the liver report as a PDF.
fn liver() -> Workspace {
    let place = Workspace::new();
    let report = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/reports/liver-resection.txt");
    let text = std::fs::read_to_string(report).unwrap();
    place.write("liver.pdf", pdf_of(&text.lines().collect::<Vec<_>>(), ""));
    place.run(&["run", "--quiet", "--profile", "clinical", "--out", "out", "liver.pdf"]).exits(0);
    place
}

#[test]
fn results_exports_and_reviews_of_a_run_name_the_page() {
    let place = liver();
    let result = place.json("out/liver-result.json");
    let evidence = result["best_validation"]["evidence"].as_object().unwrap();
    let located: Vec<&Value> = evidence.values().filter(|leaf| leaf.get("start").is_some()).collect();
    assert!(located.len() >= 3, "{result:#}");
    for leaf in &located {
        assert_eq!(leaf["places"][0]["page"], 1, "{leaf}");
    }

    place.run(&["runs", "export", "--to", "run.csv"]).exits(0);
    let mut table = csv::Reader::from_path(place.path("run.csv")).unwrap();
    let headings = table.headers().unwrap().clone();
    let row = table.records().next().unwrap().unwrap();
    let cell = |name: &str| &row[headings.iter().position(|heading| heading == name).unwrap()];
    let (path, leaf) = evidence.iter().find(|(path, _)| *path == "/margins").unwrap();
    assert_eq!(cell("margins.page"), "1", "{path}");
    assert_eq!(serde_json::from_str::<Value>(cell("margins.places")).unwrap(), leaf["places"]);

    place.run(&["runs", "export", "--to", "run.ndjson"]).exits(0);
    let bundle = place.read("run.ndjson");
    assert!(
        bundle.contains(
            r#"{"url":"places","extension":[{"url":"page","valueInteger":1},{"url":"boxes","valueString":"[["#
        ),
        "{bundle}"
    );

    let shown = place.run_json(&["review", "show", "liver", "--format", "json"]);
    let margins = shown["fields"].as_array().unwrap().iter().find(|field| field["field"] == "margins");
    assert_eq!(margins.unwrap()["place"]["places"], leaf["places"], "{shown:#}");
    place.run(&["review", "show", "liver", "--format", "text"]).exits(0).finds(&["page 1, line "]);
}

#[test]
fn an_issue_names_the_page_of_what_it_quotes() {
    let place = liver();
    place.write("wrong.json", r#"{"margins": "involved by tumor"}"#);
    let arguments =
        ["score", "--profile", "clinical", "--source", "liver.pdf", "--format", "json", "wrong.json"];
    let result = place.run(&arguments).json()[0].clone();
    let issues = result["issues"].as_array().unwrap();
    let quoting: Vec<&Value> = issues.iter().filter(|issue| issue.get("source_span").is_some()).collect();
    assert!(!quoting.is_empty(), "{result:#}");
    for issue in quoting {
        assert_eq!(issue["places"][0]["page"], 1, "{issue}");
    }
}

#[test]
fn an_explained_field_names_the_page_of_each_mention() {
    let place = liver();
    let arguments = ["explain", "liver.pdf", "--field", "margins", "--profile", "clinical"];
    let told = place.run_json(&[&arguments[..], &["--format", "json"]].concat());
    let mentions = told["mentions"].as_array().unwrap();
    assert!(!mentions.is_empty(), "{told:#}");
    for mention in mentions {
        assert_eq!(mention["places"][0]["page"], 1, "{mention}");
    }
    place.run(&arguments).exits(0).finds(&["page 1   line "]);
}
