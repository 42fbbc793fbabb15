//! The pages of `evaluate`, `sweep` and `calibrate` on a small screen: plots are as wide as one, so that their text is as large as it
//! says, and no label lies over another one or is cut off; cells of tables bear the names of their columns, which stack there.

use super::{calibrate, evaluate, sweep};
use regex::Regex;
use serde_json::json;

/// The position of a label in its plot: from left to right, and its base line. At a font size of 12 units, a letter
/// takes [`LETTER`] units on average.
struct Label {
    text: String,
    left: f64,
    right: f64,
    base: f64,
}

const LETTER: f64 = 6.4;

fn labels(plot: &str) -> Vec<Label> {
    let text = Regex::new(r"<text ([^>]*)>([^<]*)</text>").unwrap();
    let attribute = |attributes: &str, name: &str| {
        let found = Regex::new(&format!("(?:^| ){name}=\"([^\"]*)\"")).unwrap();
        found.captures(attributes).map(|found| found[1].to_owned())
    };
    let number = |attributes: &str, name: &str| {
        attribute(attributes, name).map_or(0.0, |text| text.parse::<f64>().unwrap())
    };
    let label = |found: regex::Captures<'_>| {
        let width = found[2].replace("&gt;", ">").chars().count() as f64 * LETTER;
        let x = number(&found[1], "x") + number(&found[1], "dx");
        let left = match attribute(&found[1], "text-anchor").as_deref() {
            Some("end") => x - width,
            Some("middle") => x - width / 2.0,
            _ => x,
        };
        let base = number(&found[1], "y") + number(&found[1], "dy");
        Label { text: found[2].to_owned(), left, right: left + width, base }
    };
    text.captures_iter(plot).map(label).collect()
}

/// Checks every plot and table of a page; returns the number of labels.
fn fits(page: &str) -> usize {
    let plot = Regex::new(r#"(?s)<svg class="plot compact" viewBox="0 0 400 ([0-9.]+)".*?</svg>"#).unwrap();
    assert_eq!(page.matches("<svg class=\"plot").count(), plot.find_iter(page).count(), "a plot is wider");
    let mut count = 0;
    for found in plot.captures_iter(page) {
        let height: f64 = found[1].parse().unwrap();
        let labels = labels(&found[0]);
        for (at, one) in labels.iter().enumerate() {
            let place = format!("`{}` at {}, {}", one.text, one.left, one.base);
            assert!(one.left >= 0.0 && one.right <= 400.0, "{place} is cut");
            assert!(one.base >= 10.0 && one.base <= height - 2.0, "{place} is cut: {height}");
            for other in labels.iter().skip(at + 1) {
                let is_over =
                    one.left < other.right && other.left < one.right && (one.base - other.base).abs() < 11.0;
                assert!(!is_over, "{place} and `{}` at {}, {}", other.text, other.left, other.base);
            }
        }
        count += labels.len();
    }
    for cell in page.split("<td").skip(1) {
        assert!(
            cell.split('>').next().unwrap().contains("data-of=\""),
            "{}",
            cell.split("</td>").next().unwrap()
        );
    }
    count
}

#[test]
fn labels_of_an_evaluation_fit() {
    let place = evaluate::place();
    for name in ["grade", "aFieldWhoseNameIsMuchLongerThanThePlotHasRoomForBesideIt"] {
        let documents: Vec<(String, f64)> =
            (0..12).map(|at| (format!("d{at}"), 0.99 - f64::from(at) * 0.03)).collect();
        let results: Vec<_> = documents
            .iter()
            .map(|(id, score)| (id.as_str(), *score > 0.7, *score, json!({ name: "2" })))
            .collect();
        place.write("results.jsonl", evaluate::results(&place, &results));
        let labels = documents.iter().map(|(id, _)| evaluate::label(id, json!({ name: "2" })) + "\n");
        place.write("gold.jsonl", labels.collect::<String>());
        place
            .run(&["evaluate", "gold.jsonl", "--results", "results.jsonl", "--report", "page.html"])
            .exits(0);
        assert!(fits(&place.read("page.html")) >= 6 + 1 + 11);
    }
}

#[test]
fn labels_of_a_sweep_fit() {
    let place = sweep::recorded();
    let text = sweep::EXPERIMENT.replace("[{ maximize: overall }, { minimize: calls }]", "[{ maximize: overall }, { minimize: '0.000123 * calls + 0 * rollbacks + 0 * minor_issues + 0 * tokens' }, { minimize: calls }]");
    for text in [sweep::EXPERIMENT, &text] {
        place.write("it.sweep.yaml", text.replace("samples: 2000", "samples: 4000"));
        place.run(&["sweep", "it.sweep.yaml", "--report", "page.html"]).exits(0);
        let page = place.read("page.html");
        assert!(fits(&page) > 12);
        for number in ["1", "2", "3"] {
            assert!(page.contains(&format!(">{number}</text></g>")), "{number}: {page}");
        }
    }
}

#[test]
fn labels_of_a_calibration_fit() {
    let place = calibrate::labels::place(calibrate::labels::CLINIC);
    for accepted in [70, 400] {
        let mut all = calibrate::labels::labels("pathology", 0.99, accepted, 0);
        all.extend(calibrate::labels::labels("other", 0.5, 20, 9).into_iter().map(|mut label| {
            label["document_type"] = json!("pathology");
            label
        }));
        calibrate::labels::calibrate(&place, &all, &["--report", "page.html"]).exits(0);
        let page = place.read("page.html");
        assert!(page.contains(">≥ 0.9") && fits(&page) >= 14);
    }
}
