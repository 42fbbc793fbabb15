//! Files that hold several documents: shown, split, worked on and merged.

use crate::workspace::Workspace;
use serde_json::{Value, json};

const PATHOLOGY: &str = include_str!("../documents/pathology-gastric.txt");
const RADIOLOGY: &str = include_str!("../../examples/reports/chest-x-ray.txt");
const LABORATORY: &str = include_str!("../labs/columns.txt");

/// The clinical policy, with files split and merged by these rules.
fn place(merge: &str) -> Workspace {
    let place = Workspace::new();
    place.write(
        "profiles/split.yaml",
        format!("extends: clinical\nsections: {{ split: true, merge: {merge} }}\n"),
    );
    place.write("scans.txt", [PATHOLOGY, RADIOLOGY, LABORATORY].map(str::trim_end).join("\n\x0c"));
    place.write("pathology.txt", PATHOLOGY.trim_end());
    place
}

fn run(place: &Workspace, file: &str, exit: i32) -> Vec<Value> {
    let ran = place.run(&["run", "--profile", "split", "--format", "json", "--out", "out", file]);
    let results = ran.exits(exit).json();
    results.as_array().unwrap().clone()
}

#[test]
fn the_sections_of_a_file_are_shown_before_anything_is_asked() {
    let place = place("{}");
    let found = place.run(&["read", "scans.txt", "--sections", "--profile", "split", "--format", "json"]);
    let found = found.exits(0).json();
    let sections = found["sections"].as_array().unwrap();
    let types: Vec<_> = sections.iter().map(|section| section["document_type"].as_str().unwrap()).collect();
    assert_eq!(types, ["pathology", "radiology", "lab-report"]);
    assert_eq!(sections[0]["reasons"], json!([]));
    assert!(sections[1]["reasons"].as_array().unwrap().contains(&json!("new_page")));
    assert_eq!(sections[0]["lines"][0], 1);
    let text = place.run(&["read", "scans.txt", "--sections", "--profile", "split"]).exits(0);
    assert!(text.out.contains("3 documents in one file"), "{}", text.out);
    // A policy that tells no types apart can't tell sections apart.
    place.write("profiles/plain.yaml", "extends: clinical\nclassify: null\n");
    let refused = place.run(&["read", "scans.txt", "--sections", "--profile", "plain"]).exits(2);
    assert!(refused.err.contains("tells no document types apart"), "{}", refused.err);
}

#[test]
fn each_section_is_worked_on_as_its_own_type_and_the_file_gets_one_result() {
    let place = place("{ default: first }");
    let results = run(&place, "scans.txt", 3);
    let ids: Vec<_> = results.iter().map(|result| result["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 4);
    let section = |id: &str| results.iter().find(|result| result["id"] == id).unwrap();
    let types = ["scans#1", "scans#2", "scans#3"].map(|id| section(id)["document_type"].clone());
    assert_eq!(types, [json!("pathology"), json!("radiology"), json!("lab-report")]);
    // The same values as from a file with this report alone.
    let alone = run(&place, "pathology.txt", 3);
    assert_eq!(alone.len(), 1);
    assert_eq!(section("scans#1")["best_extraction"], alone[0]["best_extraction"]);
    let merged = section("scans");
    assert_eq!(merged["status"], "not_passed");
    assert_eq!(merged["sections"][2]["id"], "scans#3");
    assert_eq!(&place.json("out/scans-merged.json"), merged);
    let (whole, own) = (&merged["extraction"], &section("scans#3")["best_extraction"]);
    assert_eq!(whole["labValues"], own["labValues"]);
}

#[test]
fn a_type_that_is_given_is_that_of_the_whole_file() {
    let place = place("{}");
    let ran =
        place.run(&["run", "--profile", "split", "--type", "pathology", "--format", "json", "scans.txt"]);
    assert_eq!(ran.exits(3).json()["document_type"], "pathology");
}

/// Two sections of other types; their values come from `answers.jsonl`. `more` is added to the profile.
fn small(more: &str) -> Workspace {
    let place = Workspace::new();
    place.write("rules/rubrics/small.yaml", "types: { a: { required: [site] }, b: { required: [site] } }\n");
    let classify = r"
minimum: 1
classify: { a: [{ pattern: alpha, weight: 2 }], b: [{ pattern: beta, weight: 2 }] }
sections: { least_characters: 4 }
";
    place.write("rules/classify-small.yaml", classify);
    place.write("prompts/a.md", "{{ source }}");
    let profile = "classify: classify-small
stages: [{ id: one, provider: scripted, config: { file: answers.jsonl }, prompt: a.md }]
assess: { quality: { rubric: small } }
overall: { from: quality }
accept: { overall: 0.9 }
stop: { max_iterations: 2 }
sections: { split: true, merge: { default: conflict } }
";
    place.write("profiles/small.yaml", format!("{profile}{more}\n"));
    let answer = |id: &str, site: &str| json!({ "id": id, "value": { "site": site, "grade": 2 } });
    place.write("answers.jsonl", format!("{}\n{}\n", answer("doc#1", "colon"), answer("doc#2", "liver")));
    place.write("doc.txt", "Alpha text\n\x0cBeta text\n");
    place
}

#[test]
fn values_that_differ_are_left_to_a_person() {
    let place = small("");
    let arguments = ["run", "--profile", "small", "--jobs", "1", "--format", "json", "doc.txt"];
    let results = place.run(&arguments).exits(3).json();
    let results = results.as_array().unwrap();
    assert_eq!(results[0]["final_status"], "passed");
    assert_eq!(results[1]["final_status"], "passed");
    let merged = &results[2];
    assert_eq!(merged["status"], "conflict");
    assert_eq!(merged["extraction"], json!({ "site": null, "grade": 2 }));
    assert_eq!(merged["conflicts"][0]["path"], "/site");
    let values = merged["conflicts"][0]["values"].as_array().unwrap();
    let mut sections: Vec<_> = values.iter().map(|value| value["section"].as_str().unwrap()).collect();
    sections.sort_unstable();
    assert_eq!(sections, ["doc#1", "doc#2"]);
}

#[test]
fn a_file_is_incomplete_until_its_last_section_is_done_and_resume_merges_it() {
    let place = small("budget: { calls: 1 }");
    let arguments =
        ["run", "--profile", "small", "--jobs", "1", "--out", "out", "--format", "json", "doc.txt"];
    place.run(&arguments);
    assert_eq!(place.json("out/doc-merged.json")["status"], "incomplete");
    place.run(&["resume", "--budget", "calls=9"]).exits(3);
    let merged = place.json("out/doc-merged.json");
    assert_eq!(merged["status"], "conflict", "{merged}");
    assert_eq!(merged["sections"].as_array().unwrap().len(), 2);
    assert_eq!(merged["sections"][1]["document_type"], "b");
}
