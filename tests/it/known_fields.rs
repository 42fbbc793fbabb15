//! Fields that the host fills in (`from:` of a rubric's field): no stage is asked for them, and they count as present.

use crate::journal::assert_replays;
use crate::workspace::{Ran, Workspace};
use serde_json::{Value, json};

const RUBRIC: &str = "fields:
  text: { from: source }
  file: { from: file_name }
  kind: { from: document_type }
types: { unknown: { required: [grade, size, text, file, kind] } }
";

const PROFILE: &str = "classify: null
stages:
  - { id: extract, provider: scripted, config: { file: answers.jsonl }, prompt: extract.md, output: schemas/extract.schema.json }
assess:
  completeness: { rubric: report }
  schema: { schema: schemas/extract.schema.json }
  accuracy: grounding
overall: { completeness: 0.4, schema: 0.2, accuracy: 0.4 }
accept: { overall: 1.0, unknown_type: true }
stop: { max_iterations: 3 }
mask: [{ pattern: 'Patient: \\w+', replace: 'Patient: X' }]
";

fn place(answers: &[Value]) -> Workspace {
    let place = Workspace::new();
    let text = json!({ "type": "string" });
    let schema = json!({ "type": "object", "additionalProperties": false, "required": ["grade", "text", "file", "kind"],
        "properties": { "grade": text, "size": text, "text": text, "text_status": text, "file": text, "kind": text } });
    place.write("rules/rubrics/report.yaml", RUBRIC);
    place.write("schemas/extract.schema.json", schema.to_string());
    place.write("profiles/known.yaml", PROFILE);
    place.write(
        "prompts/extract.md",
        "Extract from\n=====DOCUMENT=====\n{{ source }}\n=====END OF DOCUMENT=====\nlike {{ schema }}",
    );
    place.write("doc.txt", "Patient: Smith\nA tumor of grade II. Its size: 66 mm.\n");
    place.write("answers.jsonl", answers.iter().map(|answer| format!("{answer}\n")).collect::<String>());
    place
}

const MASKED: &str = "Patient: X\nA tumor of grade II. Its size: 66 mm.\n";

fn next(place: &Workspace, history: &Value) -> Value {
    let input = json!({ "document": { "id": "doc", "path": "doc.txt" }, "history": history });
    Ran::of(place.loopctl(&["next", "--profile", "known"]).write_stdin(input.to_string())).exits(0).json()
}

#[test]
fn what_the_host_knows_is_filled_in_and_counts() {
    let answers = [
        json!({ "value": { "grade": "II" } }),
        // What a model writes there all the same is replaced.
        json!({ "value": { "grade": "II", "size": "66 mm", "text": "made up", "text_status": "not_present" } }),
    ];
    let place = place(&answers);
    let arguments = ["run", "--profile", "known", "--format", "json", "--out", "out", "doc.txt"];
    let result = place.run(&arguments).exits(0).json();
    assert_eq!(
        result["best_extraction"],
        json!({ "grade": "II", "size": "66 mm", "text": MASKED, "file": "doc.txt", "kind": "unknown" })
    );
    assert_eq!(result["improvement_trajectory"].as_array().unwrap().len(), 2);
    let scores = &result["best_validation"]["scores"];
    assert_eq!(*scores, json!({ "completeness": 1.0, "schema": 1.0, "accuracy": 1.0 }), "{result}");
    assert_eq!(place.json("out/doc-extraction.json")["text"], MASKED);
    assert_replays(&place, "known");
}

#[test]
fn no_stage_is_asked_for_it_and_no_correction_repeats_it() {
    let place = place(&[]);
    let asked = next(&place, &json!([]));
    let schema = &asked["request"]["schema"];
    let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["grade", "size"]);
    assert_eq!(schema["required"], json!(["grade"]));
    let asked = next(&place, &json!([{ "candidate": { "grade": "II" } }]));
    assert_eq!(asked["request"]["base"], 0);
    let prompt = asked["request"]["messages"][0]["content"].as_str().unwrap();
    assert!(prompt.contains("Missing: size.") && !prompt.contains("\"kind\""), "{prompt}");
    assert_eq!(prompt.matches("A tumor of grade II").count(), 1, "{prompt}");
}

#[test]
fn a_candidate_that_is_handed_in_is_assessed_as_it_is() {
    let place = place(&[]);
    let record = json!({ "id": 1, "source": MASKED, "extraction": { "grade": "II", "file": "doc.txt" } });
    place.write("records.jsonl", record.to_string());
    let scored = place.run_json(&["score", "--profile", "known", "records.jsonl"]);
    assert_eq!(
        (&scored["scores"]["completeness"], &scored["scores"]["accuracy"]),
        (&json!(0.4), &json!(1.0))
    );
}

#[test]
fn the_shipped_profiles_ask_no_model_for_the_text() {
    let place = Workspace::new();
    place.write("doc.txt", "PRESCRIPTION\nRx: Metformin 500 mg, twice daily. Dispense 60 tablets.\n");
    let input = json!({ "document": { "path": "doc.txt" }, "document_type": "prescription", "history": [] });
    for profile in ["clinical", "balanced", "batch", "real-time"] {
        let ran = Ran::of(place.loopctl(&["next", "--profile", profile]).write_stdin(input.to_string()));
        let request = &ran.exits(0).json()["request"];
        assert!(!request["messages"].to_string().contains("rawText"), "{profile}");
        assert!(!request["schema"].to_string().contains("rawText"), "{profile}");
        let quotes = matches!(profile, "clinical" | "balanced");
        assert_eq!(request["schema"]["properties"].get("evidence").is_some(), quotes, "{profile}");
    }
}
