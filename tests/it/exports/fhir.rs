//! FHIR R4 bundles, held against HL7's schema (`tests/fhir`).

use super::{CORRECTIONS, ODD, export, lines, reports, scripted, scripted_with};
use crate::workspace::Workspace;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The bundles of a file, each of which must be valid.
pub(super) fn bundles(place: &Workspace, file: &str) -> Vec<Value> {
    let schema = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fhir/bundle.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let bundles = lines(place, file);
    for bundle in &bundles {
        let errors: Vec<String> = validator
            .iter_errors(bundle)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:#?}\n{bundle:#}");
        invariants(bundle);
    }
    bundles
}

/// Checks what FHIR asks for and the schema does not know.
fn invariants(bundle: &Value) {
    let entries = bundle["entry"].as_array().unwrap();
    let uris: BTreeSet<&str> = entries.iter().map(|entry| entry["fullUrl"].as_str().unwrap()).collect();
    assert_eq!(uris.len(), entries.len());
    for of in resources(bundle, "Observation") {
        let values = of.as_object().unwrap().keys().filter(|key| key.starts_with("value")).count();
        assert!(values + usize::from(of["dataAbsentReason"].is_object()) <= 1, "{of:#}");
        assert!(values > 0 || of["dataAbsentReason"].is_object() || of["component"].is_array(), "{of:#}");
        assert!(["final", "preliminary"].contains(&of["status"].as_str().unwrap()));
    }
    let report = resources(bundle, "DiagnosticReport")[0];
    let provenance = resources(bundle, "Provenance")[0];
    let named = |list: &Value| -> BTreeSet<String> {
        let list = list.as_array().unwrap().iter();
        list.map(|one| one["reference"].as_str().unwrap().to_owned()).collect()
    };
    assert!(named(&report["result"]).iter().all(|uri| uris.contains(uri.as_str())));
    assert_eq!(named(&provenance["target"]).len(), entries.len() - 1);
    assert!(provenance["recorded"].is_string() && provenance["agent"][0]["who"].is_object());
}

fn resources<'b>(bundle: &'b Value, kind: &str) -> Vec<&'b Value> {
    let entries = bundle["entry"].as_array().unwrap().iter().map(|entry| &entry["resource"]);
    entries.filter(|resource| resource["resourceType"] == kind).collect()
}

/// The observations with a name.
fn observed<'b>(bundle: &'b Value, name: &str) -> Vec<&'b Value> {
    let all = resources(bundle, "Observation").into_iter();
    all.filter(|of| of["code"]["text"] == name).collect()
}

fn part<'e>(of: &'e Value, extension: &str, name: &str) -> &'e Value {
    let url = format!("https://github.com/loopctl/loopctl/fhir/{extension}");
    let whole = of["extension"].as_array().unwrap().iter().find(|one| one["url"] == *url).unwrap();
    whole["extension"].as_array().unwrap().iter().find(|one| one["url"] == *name).unwrap()
}

#[test]
fn only_what_was_accepted_and_needs_no_review_is_final() {
    let place = reports();
    export(&place, "run.ndjson", &[])
        .exits(0)
        .says(&["3 documents of run", "or hold a doubtful value: 2 documents"]);
    let bundles = bundles(&place, "run.ndjson");
    assert_eq!(bundles.len(), 3);
    for bundle in &bundles {
        let report = resources(bundle, "DiagnosticReport")[0];
        let passed = report["identifier"][0]["value"] == "liver-resection";
        let expected = if passed { "final" } else { "preliminary" };
        assert_eq!(report["status"], expected);
        assert!(resources(bundle, "Observation").iter().all(|of| of["status"] == expected));
        assert_eq!(part(report, "decision", "needs-review")["valueBoolean"], !passed);
        // The document's text is no finding, and no one chose a code.
        assert!(observed(bundle, "rawText").is_empty());
        assert!(!bundle.to_string().contains("loinc") && !bundle.to_string().contains("snomed"));
        assert!(resources(bundle, "Observation").iter().all(|of| of["code"].get("coding").is_none()));
    }
    let liver = &bundles[1];
    let grade = observed(liver, "grade")[0];
    assert_eq!(grade["valueString"], "Grade 3 (of 4)");
    let evidence = |name: &str| part(grade, "evidence", name).clone();
    assert_eq!(evidence("support")["valueString"], "verified");
    assert_eq!(evidence("quote")["valueString"], "Grade 3 (of 4)");
    let (start, end) = (evidence("start")["valueInteger"].clone(), evidence("end")["valueInteger"].clone());
    assert_eq!((start, end), (json!(192), json!(206)));
    let provenance = resources(liver, "Provenance")[0];
    let shown = place.run(&["runs", "show", "--format", "json"]).json();
    let said = provenance["extension"].as_array().unwrap();
    assert!(said.iter().any(|one| one["valueString"] == shown["profile_digest"]));
    assert!(provenance.to_string().contains("pattern:pattern"), "{provenance:#}");
    // The same run gives the same bundles.
    let first = place.read("run.ndjson");
    export(&place, "run.ndjson", &[]).exits(0);
    assert_eq!(first, place.read("run.ndjson"));
}

#[test]
fn values_have_the_types_that_fhir_knows_and_absent_ones_a_reason() {
    let place = scripted(ODD);
    export(&place, "odd.ndjson", &[]).exits(0);
    let bundle = &bundles(&place, "odd.ndjson")[0];
    let one = |name: &str| observed(bundle, name)[0].clone();
    assert_eq!(one("tumorSizeMm")["valueQuantity"], json!({ "value": -4.5, "unit": "mm" }));
    assert_eq!(one("date")["valueDateTime"], "2016-09-06");
    assert_eq!(one("nodesExamined")["valueInteger"], 3);
    let markers = one("ihcMarkers");
    let component =
        markers["component"].as_array().unwrap().iter().find(|of| of["code"]["text"] == "ER").unwrap();
    assert_eq!(component["valueString"], "positive");
    assert_eq!(part(component, "evidence", "support")["valueString"], "verified");
    for (name, why) in [("laterality", "no value"), ("institution", "nothing about it")] {
        let reason = one(name)["dataAbsentReason"].clone();
        assert_eq!(reason["coding"][0]["code"], "unknown", "{name}");
        assert!(reason["text"].as_str().unwrap().contains(why), "{reason}");
    }
}

/// A policy may accept what the document denies; the recipient of the report must not rely on it.
#[test]
fn a_doubtful_value_of_an_accepted_document_is_preliminary_and_so_is_its_report() {
    let place = scripted_with(ODD, &["--config", "accept.overall=0.5"]);
    export(&place, "odd.csv", &[]).exits(0);
    assert_eq!(super::rows(&place, "odd.csv")[0]["decision"], "passed");
    export(&place, "odd.ndjson", &[]).exits(0).says(&["preliminary, because they", "1 document"]);
    let bundle = &bundles(&place, "odd.ndjson")[0];
    let status = |name: &str| observed(bundle, name)[0]["status"].clone();
    assert_eq!([status("grade"), status("date")], [json!("preliminary"), json!("final")]);
    assert_eq!(resources(bundle, "DiagnosticReport")[0]["status"], "preliminary");
}

#[test]
fn what_a_reviewer_put_right_is_the_value_and_the_reviewer_is_named() {
    let place = scripted(ODD);
    place.write("corrections.jsonl", CORRECTIONS);
    export(&place, "odd.ndjson", &["--corrections", "corrections.jsonl"]).exits(0);
    let bundle = &bundles(&place, "odd.ndjson")[0];
    let grade = observed(bundle, "grade")[0];
    assert_eq!(grade["valueString"], "2");
    assert_eq!(part(grade, "correction", "reviewer")["valueString"], "a.meyer");
    assert_eq!(part(grade, "correction", "at")["valueInstant"], "2026-11-25T00:00:00Z");
    assert!(!grade.to_string().contains("contradicted"));
    // Correcting some values does not make the document accepted.
    assert_eq!(resources(bundle, "DiagnosticReport")[0]["status"], "preliminary");
    assert!(!resources(bundle, "Provenance")[0].to_string().contains("b.berg"));
    assert!(resources(bundle, "Provenance")[0].to_string().contains("a.meyer"));
}

#[test]
fn codes_are_those_that_the_rubric_gives() {
    let place = scripted(ODD);
    let code = r#"{ text: Histologic grade, coding: [{ system: "https://example.org/codes", code: hg, display: Grade }] }"#;
    place.write(
        "rules/rubrics/ours.yaml",
        format!("rubric: ours\nextends: clinical\nfields: {{ grade: {{ fhir: {code} }} }}\n"),
    );
    place.write("profiles/ours.yaml", "extends: marc\nassess: { completeness: { rubric: ours } }\n");
    place.run(&["check", "ours"]).exits(0);
    export(&place, "odd.ndjson", &["--profile", "ours"]).exits(0);
    let bundle = &bundles(&place, "odd.ndjson")[0];
    let grade = observed(bundle, "Histologic grade")[0];
    let coding = json!([{ "system": "https://example.org/codes", "code": "hg", "display": "Grade" }]);
    assert_eq!(grade["code"]["coding"], coding);
    place.write(
        "rules/rubrics/ours.yaml",
        "rubric: ours\nextends: clinical\nfhir: { pathology: { coding: [{ system: loinc, code: ' a' }] } }\n",
    );
    place
        .run(&["check", "ours"])
        .exits(2)
        .finds(&["expected the URI of a code system, found `loinc`", "`http://loinc.org`"]);
}

#[test]
fn other_types_are_refused_and_named_with_those_that_can_be_written() {
    let place = reports();
    place.write(
        "in/note.txt",
        "Chief complaint: cough. Assessment: bronchitis. Plan: rest and fluids for a week.",
    );
    place.run(&[
        "run",
        "--quiet",
        "--profile",
        "clinical",
        "--type",
        "clinical-notes",
        "--out",
        "out",
        "in/note.txt",
    ]);
    let known = "`genomics`, `lab-report`, `pathology`, `radiology`";
    export(&place, "note.ndjson", &[]).exits(2).says(&["because of their type: `clinical-notes`", known]);
    assert!(!place.path("note.ndjson").exists());
    // A profile without such types can write none.
    place.run(&["run", "--quiet", "--profile", "marc-v1", "--out", "other", "in/note.txt"]);
    export(&place, "note.ndjson", &[]).exits(2).says(&["because of their type"]);
}
