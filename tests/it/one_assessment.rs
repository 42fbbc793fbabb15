//! Whoever assesses a candidate of a document with a profile says the same of it: there is one way to an assessment.

use crate::workspace::{Ran, Workspace};
use loopctl::diag::Problems;
use loopctl::ingest::Document;
use loopctl::next::{NextInput, next};
use loopctl::plan::{DocumentContext, Given, Plan};
use loopctl::profile::{Library, load};
use loopctl::score::Assessment;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::LazyLock;

/// Measures all that a text needs no provider for. It masks what stages must not see, and tells types apart.
const PROFILE: &str = "
assess:
  completeness: { rubric: notes }
  accuracy: grounding
  validity: { rules: notes, penalty: 0.2 }
overall: { completeness: 0.4, accuracy: 0.4, validity: 0.2 }
accept: { overall: 0.9 }
stop: { max_iterations: 1 }
classify: notes-types
mask: [{ pattern: 'SECRET.*', replace: '[withheld]' }]
stages: [{ id: extract, provider: fake, prompt: extract.md }]
";
const CLASSIFY: &str = "
minimum: 2
classify:
  report: [{ pattern: '\\breport\\b', weight: 2 }, { pattern: '\\bdiagnosis\\b', weight: 2 }]
  letter: [{ pattern: '\\bdear\\b', weight: 2 }, { pattern: '\\bregards\\b', weight: 2 }]
";
const RUBRIC: &str = "
types:
  report: { required: [diagnosis, grade], important: [side] }
  letter: { required: [sender] }
  unknown: { required: [diagnosis] }
fields: { grade: { mentions: ['\\bgrade\\b'] } }
";
const RULES: &str = "rules: [{ id: graded, field: grade, matches: '^[1-4]$', code: NO_GRADE, message: '`grade` is no grade' }]\n";

static PLAN: LazyLock<Plan> = LazyLock::new(|| {
    let library = Library::embedded()
        .holding("profiles/notes.yaml", PROFILE)
        .holding("rules/notes.yaml", RULES)
        .holding("rules/notes-types.yaml", CLASSIFY)
        .holding("rules/rubrics/notes.yaml", RUBRIC);
    let mut problems = Problems::new();
    let loaded = load("notes", &library, &[], &|_| None, &mut problems);
    let plan = loaded.and_then(|loaded| Plan::compile(&loaded, &mut problems));
    plan.unwrap_or_else(|| panic!("{problems:?}"))
});

/// What is said: the scores, and the issues in their order.
fn said(scores: &Value, overall: f64, issues: &Value) -> Value {
    json!({ "scores": scores, "overall": overall, "issues": issues })
}

fn of(assessment: &Assessment) -> Value {
    let json = serde_json::to_value(assessment).unwrap();
    said(&json["scores"], assessment.overall, &json["issues"])
}

/// Assesses the candidate as a value and as text, which must say the same.
fn in_context(plan: &Plan, text: &str, document_type: Option<&str>, candidate: &Value) -> Value {
    let document = Document::from_text("d", text);
    let context = DocumentContext::of(plan, &document, document_type, "", &mut Vec::new());
    let (mut assessor, mut of_value, mut of_text) =
        (context.assessor(), Assessment::default(), Assessment::default());
    context.assess(&mut assessor, candidate, Given::default(), &mut of_value);
    context.assess_text(&mut assessor, &candidate.to_string(), Given::default(), &mut of_text).unwrap();
    assert_eq!(of_value, of_text);
    context.conclude_alone(&mut of_value);
    of(&of_value)
}

fn by_next(plan: &Plan, text: &str, document_type: Option<&str>, candidate: &Value) -> Value {
    let mut input =
        json!({ "document": { "id": "d", "text": text }, "history": [{ "candidate": candidate }] });
    if let Some(document_type) = document_type {
        input["document_type"] = document_type.into();
    }
    let input = NextInput::parse(&input).unwrap();
    let document = input.read_document().unwrap();
    let answer = next(plan, &document, input.document_type.as_deref(), &input.history).unwrap();
    of(&answer.assessment.unwrap())
}

const TEXTS: [&str; 5] = [
    "Report. Diagnosis: adenocarcinoma, grade 2, left lung. SECRET carcinoid.",
    "Dear colleague, thank you. Kind regards, Dr. Gray",
    "Nothing of any kind is recognised in these words.",
    "The report has no diagnosis of it. Dear all, regards.",
    "Grade 3 sarcoma of the right thigh, as in the report of SECRET. Diagnosis follows.",
];

fn value() -> impl Strategy<Value = Value> {
    let words = ["adenocarcinoma", "carcinoid", "2", "3", "left", "right", "Dr. Gray", "nothing of the sort"];
    prop_oneof![
        4 => prop::sample::select(words.to_vec()).prop_map(Value::from),
        1 => Just(Value::Null),
        1 => (0..5_i64).prop_map(Value::from),
        1 => prop::collection::vec(prop::sample::select(words.to_vec()).prop_map(Value::from), 0..3).prop_map(Value::from),
    ]
}

fn candidate() -> impl Strategy<Value = Value> {
    let field = prop::sample::select(vec!["diagnosis", "grade", "side", "sender", "remark", "grade_status"]);
    prop::collection::btree_map(field, value(), 0..6).prop_map(|members| json!(members))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn hosts_in_the_process_say_the_same(
        candidate in candidate(),
        text in prop::sample::select(TEXTS.to_vec()),
        document_type in prop::option::of(prop::sample::select(vec!["report", "letter"])),
    ) {
        let expected = in_context(&PLAN, text, document_type, &candidate);
        prop_assert_eq!(by_next(&PLAN, text, document_type, &candidate), expected);
    }
}

/// Puts the profile into a workspace.
fn place() -> Workspace {
    let place = Workspace::new();
    place.write("profiles/notes.yaml", PROFILE);
    place.write("rules/notes.yaml", RULES);
    place.write("rules/notes-types.yaml", CLASSIFY);
    place.write("rules/rubrics/notes.yaml", RUBRIC);
    place
}

#[test]
fn the_verbs_say_the_same() {
    let candidates = [
        json!({ "diagnosis": "adenocarcinoma", "grade": "2", "side": "left" }),
        json!({ "diagnosis": "carcinoid", "grade": "high" }),
        json!({ "sender": "Dr. Gray" }),
        json!({}),
    ];
    let place = place();
    let mut records = String::new();
    let mut expected = Vec::new();
    for text in TEXTS {
        for candidate in &candidates {
            records += &format!("{}\n", json!({ "id": "d", "extraction": candidate, "source": text }));
            expected.push((text, candidate, in_context(&PLAN, text, None, candidate)));
        }
    }
    assert!(expected.iter().any(|(_, _, said)| said.to_string().contains("DOCUMENT_TYPE_UNKNOWN")));
    place.write("records.jsonl", records);
    let scored =
        place.run(&["score", "--profile", "notes", "--format", "jsonl", "records.jsonl"]).exits(0).lines();
    for (answer, (text, candidate, expected)) in scored.iter().zip(&expected) {
        let found = said(&answer["scores"], answer["overall"].as_f64().unwrap(), &answer["issues"]);
        assert_eq!(found, *expected, "score: {candidate} of {text}");
    }
    // Each start of the program takes its time: one document of each kind.
    for (text, candidate, expected) in expected.iter().step_by(candidates.len() + 1) {
        place.write("d.txt", text);
        place.write("candidate.json", candidate.to_string());
        let arguments =
            ["validate", "--profile", "notes", "--extraction", "candidate.json", "--format", "json", "d.txt"];
        let ran = Ran::of(&mut place.loopctl(&arguments));
        let result = ran.json();
        let assessed = &result["best_validation"];
        let found = said(&assessed["scores"], assessed["overall"].as_f64().unwrap(), &assessed["issues"]);
        assert_eq!(found, *expected, "validate: {candidate} of {text}");
        let input =
            json!({ "document": { "id": "d", "text": text }, "history": [{ "candidate": candidate }] });
        let ran = Ran::of(place.loopctl(&["next", "--profile", "notes"]).write_stdin(input.to_string()));
        let assessed = &ran.json()["assessment"];
        let found = said(&assessed["scores"], assessed["overall"].as_f64().unwrap(), &assessed["issues"]);
        assert_eq!(found, *expected, "next: {candidate} of {text}");
    }
}

/// The assessor's own measures, which know nothing of the document, are taken by none but the context of a document, and by what
/// looks at single rules.
#[test]
fn nothing_measures_beside_the_context() {
    const MAY: [&str; 3] =
        ["src/plan/context.rs", "src/lint/content/examples.rs", "src/experiment/scenario/rule_cases.rs"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("src")];
    let (mut looked, mut found) = (0, Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if name.starts_with("src/score/") || MAY.contains(&name.as_str()) || !name.ends_with(".rs") {
                continue;
            }
            looked += 1;
            let text = std::fs::read_to_string(&path).unwrap();
            let beside = [
                "ssessor.measure(",
                ".measure_beside(",
                ".measure_and_account(",
                ".measure_text(",
                "say_unseen(",
                "say_unknown_type(",
            ];
            found.extend(
                beside.iter().filter(|call| text.contains(**call)).map(|call| format!("{name}: {call}")),
            );
        }
    }
    assert!(looked > 100 && found.is_empty(), "{found:#?}");
}
