//! Quotes beside the values: asked for, read from answers, kept through corrections, and given to `score` and `next`.

use crate::journal::{assert_replays, recorded_state};
use crate::pipeline;
use crate::workspace::{Ran, Workspace};
use serde_json::{Value, json};

const PROFILE: &str = "classify: null
stages:
  - { id: extract, provider: scripted, config: { file: answers.jsonl }, prompt: extract.md, evidence: quotes,
      output: schemas/extract.schema.json }
assess:
  completeness: { rubric: report }
  schema: { schema: schemas/extract.schema.json }
overall: { completeness: 0.5, schema: 0.5 }
accept: { overall: 0.9 }
stop: { max_iterations: 3 }
";

fn place(profile: &str, answers: &[Value]) -> Workspace {
    let place = Workspace::new();
    place.write(
        "rules/rubrics/report.yaml",
        "types: { unknown: { required: [grade, size], optional: [side] } }\n",
    );
    place.write(
        "schemas/extract.schema.json",
        json!({ "type": "object", "additionalProperties": false, "properties": {
            "grade": { "type": "string" }, "size": { "type": "integer" }, "side": { "$ref": "#/$defs/side" },
        }, "$defs": { "side": { "enum": ["left", "right"] } } })
        .to_string(),
    );
    place.write("profiles/quoted.yaml", profile);
    place.write(
        "prompts/extract.md",
        "Extract from\n=====DOCUMENT=====\n{{ source }}\n=====END OF DOCUMENT=====\nlike {{ schema }}",
    );
    place.write("doc.txt", "Tumor of the left breast, grade II of III. Size: 66 mm.\n");
    let lines: String = answers.iter().map(|answer| format!("{answer}\n")).collect();
    place.write("answers.jsonl", lines);
    place
}

fn run(place: &Workspace) -> Value {
    let arguments = ["run", "--profile", "quoted", "--format", "json", "--out", "out", "doc.txt"];
    Ran::of(place.loopctl(&arguments).arg("--quiet")).json()
}

/// The quotes of each candidate, as the journal has them.
fn quotes(place: &Workspace) -> Vec<Value> {
    let state = recorded_state(place);
    state.iterations().iter().map(|of| serde_json::to_value(&of.quotes).unwrap()).collect()
}

fn next(place: &Workspace, profile: &str, history: &Value) -> Ran {
    let input = json!({ "document": { "id": "doc", "path": "doc.txt" }, "history": history });
    Ran::of(place.loopctl(&["next", "--profile", profile]).write_stdin(input.to_string()))
}

#[test]
fn quotes_are_asked_for_and_the_candidate_is_the_extraction() {
    let place = place(PROFILE, &[]);
    let asked = next(&place, "quoted", &json!([])).exits(0).json();
    let schema = &asked["request"]["schema"];
    assert_eq!(schema["required"], json!(["extraction", "evidence"]));
    assert_eq!(schema["properties"]["extraction"]["properties"]["side"], json!({ "$ref": "#/$defs/side" }));
    assert_eq!(schema["$defs"]["side"], json!({ "enum": ["left", "right"] }));
    let prompt = |asked: &Value| asked["request"]["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(prompt(&asked).contains("\"evidence\""), "the schema in the prompt is the one of the answer");
    assert!(prompt(&asked).trim_end().ends_with("`_status` fields need none."));
    // In a correction the form of the answer is stated last, after what is wrong.
    let first = json!({ "extraction": { "grade": "2" }, "evidence": [{ "path": "/grade", "quote": "grade II of III" }] });
    let asked = next(&place, "quoted", &json!([{ "candidate": first }])).exits(0).json();
    assert_eq!(asked["iterations"][0]["scores"]["schema"], 1.0, "{asked}");
    assert!(prompt(&asked).contains("\"grade\": \"2\"") && !prompt(&asked).contains("grade II of III\""));
    assert!(prompt(&asked).trim_end().ends_with("`_status` fields need none."));
    // A profile that asks for none gets none.
    place.write("profiles/plain.yaml", PROFILE.replace("evidence: quotes", "evidence: none"));
    let asked = next(&place, "plain", &json!([])).exits(0).json();
    assert_eq!(asked["request"]["schema"]["properties"]["grade"], json!({ "type": "string" }));
    assert!(!prompt(&asked).contains("evidence"));
}

#[test]
fn quotes_of_unchanged_values_stay_through_corrections() {
    let answers = [
        // As a model writes it: prose, a comma too many, a value of the wrong type, a quote of the wrong shape.
        json!({ "text": "Here it is:\n{\"extraction\": {\"grade\": \"2\", \"side\": \"left\",}, \"evidence\": [{\"path\": \"/grade\", \"quote\": \"grade II\"}, {\"path\": \"/side\", \"quote\": \"left breast\"}, {\"quote\": 3}]}" }),
        json!({ "value": { "extraction": { "grade": "II", "side": "left", "size": "66" },
                           "evidence": { "/size": ["Size: 66 mm"], "/nothing": 4 } } }),
    ];
    let place = place(PROFILE, &answers);
    let result = run(&place);
    assert_eq!(result["final_status"], "passed", "{result}");
    assert_eq!(result["best_extraction"], json!({ "grade": "II", "side": "left", "size": 66 }));
    assert_eq!(place.json("out/doc-extraction.json"), json!({ "grade": "2", "side": "left" }));
    assert_eq!(
        quotes(&place),
        [
            json!({ "/grade": ["grade II"], "/side": ["left breast"] }),
            // The grade is another, and nothing was quoted for it.
            json!({ "/side": ["left breast"], "/size": ["Size: 66 mm"] }),
        ]
    );
    assert_replays(&place, "quoted");
}

#[test]
fn an_extraction_alone_is_taken_without_quotes() {
    for answer in [
        json!({ "value": { "grade": "2", "size": 66 } }),
        json!({ "text": "{\"grade\": \"2\", \"size\": 66}" }),
        json!({ "value": { "extraction": { "grade": "2", "size": 66 }, "evidence": "none" } }),
        json!({ "value": { "extraction": { "grade": "2", "size": 66 } } }),
    ] {
        let place = place(PROFILE, std::slice::from_ref(&answer));
        let result = run(&place);
        assert_eq!(result["best_extraction"], json!({ "grade": "2", "size": 66 }), "{answer}");
        assert_eq!(result["final_status"], "passed", "{answer}");
        assert_eq!(quotes(&place), [json!({})], "{answer}");
    }
}

#[test]
fn quotes_of_several_stages_stand_where_their_outputs_go() {
    let profile = pipeline::PROFILE.replace("prompt: ", "evidence: quotes, prompt: ");
    let answers = [
        pipeline::answer(
            "tagger",
            json!({ "extraction": { "found": ["nodule"] }, "evidence": [{ "path": "/found/0", "quote": "A nodule." }] }),
        ),
        pipeline::answer(
            "classifier",
            json!({ "extraction": "benign", "evidence": [{ "path": "", "quote": "IMPRESSION" }] }),
        ),
        pipeline::answer("adviser", json!({ "extraction": {}, "evidence": [] })),
        pipeline::answer(
            "adviser",
            json!({ "extraction": { "advice": "wait" }, "evidence": { "/advice": "wait" } }),
        ),
    ];
    let place = pipeline::place(&profile, &answers);
    let arguments = ["run", "--profile", "parts", "--format", "json", "--out", "out", "doc.txt"];
    let result = place.run(&arguments).exits(0).json();
    assert_eq!(
        result["best_extraction"],
        json!({ "tags": { "found": ["nodule"] }, "class": "benign", "advice": "wait" })
    );
    let earlier = json!({ "/tags/found/0": ["A nodule."], "/class": ["IMPRESSION"] });
    let mut later = earlier.clone();
    later["/advice"] = json!(["wait"]);
    // The stages before the last were not asked again.
    assert_eq!(quotes(&place), [earlier, later]);
    assert_replays(&place, "parts");
}

#[test]
fn score_and_next_take_evidence_and_say_what_is_wrong_with_it() {
    let place = place(PROFILE, &[]);
    let record = |evidence: Value| json!({ "id": "a", "extraction": { "grade": "2" }, "evidence": evidence });
    let lines = [
        record(json!({ "/grade": "grade II", "/size": ["a", "b"] })),
        record(json!([{ "path": "/grade", "quote": "grade II" }])),
        record(json!(null)),
        record(json!("grade II")),
        record(json!({ "/grade": ["grade II", 2] })),
        record(json!([{ "quote": "grade II" }])),
    ];
    place.write("records.jsonl", lines.iter().map(|line| format!("{line}\n")).collect::<String>());
    let scored = place.run(&["score", "--profile", "quoted", "--format", "jsonl", "records.jsonl"]).exits(1);
    let scored = scored.says(&[
        "records.jsonl:4: evidence: expected an object from JSON Pointers to quotes, or a list of objects with `path` and `quote`, found text",
        "records.jsonl:5: evidence: expected text or a list of texts at `/grade`, found a number",
        "records.jsonl:6: evidence: expected an object with `path` and `quote` as entry 1 of the list",
    ]);
    assert_eq!(scored.lines().len(), 3);
    let entry = |evidence: Value| json!([{ "candidate": { "grade": "2" }, "evidence": evidence }]);
    next(&place, "quoted", &entry(json!({ "/grade": "grade II" }))).exits(0);
    next(&place, "quoted", &entry(json!({ "/grade": true })))
        .exits(2)
        .says(&["/history/0/evidence: expected text or a list of texts at `/grade`, found true or false"]);
}
