//! `loopctl runs export --to FILE`: runs as tables, workbooks, lines and FHIR bundles.

mod fhir;
mod reviewed;
mod tables;
mod wrong_use;

use crate::workspace::{Ran, Workspace};
use serde_json::Value;

/// The three reports of the repository, run by the strict profile: one passes, two need review.
pub(crate) fn reports() -> Workspace {
    let place = Workspace::new();
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/reports");
    for name in ["chest-x-ray", "liver-resection", "thyroid-resection"] {
        let file = format!("{name}.txt");
        place.write(&format!("in/{file}"), std::fs::read(examples.join(&file)).unwrap());
    }
    place.run(&["run", "--quiet", "--profile", "clinical", "--out", "out", "in"]).exits(3);
    place
}

/// The extraction of a scripted model from one pathology report, in YAML, and nothing else.
pub(super) const ODD: &str = r#"- value:
    histology: '=HYPERLINK("http://x")'
    grade: "-1+1"
    margins: "@free, or \"not\""
    tumorSizeMm: -4.5
    date: "2016-09-06"
    nodesExamined: 3
    ihcMarkers: { PR: "+", ER: positive }
    laterality: null
    institution_status: not_present
"#;

/// A document `odd`, and what a scripted model extracts from it.
pub(super) fn scripted(answers: &str) -> Workspace {
    scripted_with(answers, &[])
}

/// Like [`scripted`], with more arguments.
pub(super) fn scripted_with(answers: &str, more: &[&str]) -> Workspace {
    let place = Workspace::new();
    place.write("answers.yaml", answers);
    place.write(
        "odd.txt",
        "HISTOLOGIC TYPE: carcinoma. GRADE: 2. Date: 2016-09-06. ER: positive. 3 nodes examined.",
    );
    let usual = "run --quiet --profile marc --type pathology --provider scripted --provider-config file=answers.yaml \
                 --config stop.max_iterations=1 --out out odd.txt";
    let words: Vec<&str> = usual.split_whitespace().chain(more.iter().copied()).collect();
    place.run(&words);
    place
}

/// Exports the latest run to a file.
pub(super) fn export(place: &Workspace, file: &str, more: &[&str]) -> Ran {
    place.run(&[&["runs", "export", "--to", file], more].concat())
}

/// The rows of a table, each as its cells by heading.
pub(super) fn rows(place: &Workspace, file: &str) -> Vec<std::collections::HashMap<String, String>> {
    let text = place.read(file);
    csv::Reader::from_reader(text.as_bytes()).deserialize().map(|row| row.unwrap()).collect()
}

/// The JSON values of a file, one on each line.
pub(super) fn lines(place: &Workspace, file: &str) -> Vec<Value> {
    place.read(file).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Corrections as reviewers write them down.
pub(super) const CORRECTIONS: &str = r#"{"document": "odd", "field": "grade", "before": "-1+1", "after": "1", "reviewer": "b.berg", "at": "2026-11-24"}
{"document": "odd", "field": "grade", "before": "-1+1", "after": "2", "reviewer": "a.meyer", "at": "2026-11-25"}
{"document": "odd", "field": "nodesExamined", "after": 3, "reviewer": "a.meyer", "at": "2026-11-25"}
{"document": "odd", "field": "/ihcMarkers/PR", "after": null}
"#;
