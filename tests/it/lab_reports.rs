//! Laboratory reports of many layouts: recognised by their rows, and read row by row without a model.

use crate::workspace::Workspace;
use serde_json::{Value, json};
use std::path::Path;

/// Each made-up report with its rows.
fn reports() -> Vec<(String, String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/labs");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "json") {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let rows = std::fs::read_to_string(path.with_extension("json")).unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            found.push((name, text, serde_json::from_str(&rows).unwrap()));
        }
    }
    assert!(found.len() >= 8, "{}", found.len());
    found
}

/// The result of the provider `pattern` for a document whose type it had to find.
fn run(name: &str, text: &str) -> Value {
    let place = Workspace::new();
    let file = format!("{name}.txt");
    place.write(&file, text);
    place.run(&["run", "--provider", "pattern", "--profile", "clinical", "--format", "json", &file]).json()
}

fn rows(result: &Value) -> Vec<Value> {
    let items = result["best_extraction"]["labValues"].as_array().cloned().unwrap_or_default();
    let told = ["test", "value", "unit", "referenceRange", "flag"];
    let own = |item: &Value| {
        let members = item.as_object().unwrap().iter().filter(|(name, _)| told.contains(&name.as_str()));
        Value::Object(members.map(|(name, value)| (name.clone(), value.clone())).collect())
    };
    items.iter().map(own).collect()
}

#[test]
fn reports_of_any_layout_are_recognised_and_read() {
    for (name, text, expected) in reports() {
        let result = run(&name, &text);
        assert_eq!(result["document_type"], "lab-report", "{name}");
        assert_eq!(json!(rows(&result)), expected["labValues"], "{name}");
        let left = result["iterations"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|one| one["validation"]["issues"].as_array());
        assert!(left.flatten().all(|issue| issue["code"] != "ROW_NOT_EXTRACTED"), "{name}");
    }
}

#[test]
fn prose_with_numbers_is_no_laboratory_report() {
    let text = "The patient is 54 years old and takes 5 mg daily.
He was seen 3 times in 2023, for 2-3 days each.
On 2024-01-03 the pressure was 120 over 80.
Sodium was not measured; potassium was normal.
";
    assert_ne!(run("prose", text)["document_type"], "lab-report");
    // A table ends where prose begins.
    let text = "Test        Result    Unit     Reference
Sodium      131       mmol/L   136-145
Potassium   4.4       mmol/L   3.5-5.1
Creatinine  1.9       mg/dL    0.6-1.2

These results were telephoned to the ward at ten o'clock in the evening of that day.
Signed      C. Doe    MD
";
    let found = rows(&run("ended", text));
    assert_eq!(found.len(), 3, "{found:?}");
    // The content of a column of another kind belongs to no member.
    let text = "Test        Result    Method       Reference range\nSodium      131       ISE          136-145\nPotassium   4.4       electrode    3.5-5.1\n";
    let sodium = json!({"test": "Sodium", "value": "131", "referenceRange": "136-145"});
    assert_eq!(rows(&run("method", text)).first(), Some(&sodium));
}

#[test]
fn what_is_ticked_is_the_value() {
    let text = "SURGICAL PATHOLOGY REPORT
Specimen: colon, right hemicolectomy

FINAL DIAGNOSIS: Adenocarcinoma
Histologic grade:  [ ] well differentiated   [x] moderately differentiated   [ ] poorly differentiated
";
    let result = run("boxes", text);
    assert_eq!(result["document_type"], "pathology");
    let grade = result["best_extraction"]["grade"].as_str().unwrap_or_default();
    assert!(grade.contains("moderately") && !grade.contains("well") && !grade.contains('['), "{grade}");
}
