//! Every host that assesses a candidate of a document with a profile reports the same: there is one way to an
//! assessment.

use crate::serve::running::Server;
use crate::workspace::{Ran, Workspace};
use loopctl::diag::Problems;
use loopctl::ingest::{Document, DocumentReader, read_next_input};
use loopctl::next::{NextInput, next};
use loopctl::plan::{DocumentContext, Given, Plan};
use loopctl::profile::{Library, load};
use loopctl::score::Assessment;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::LazyLock;

/// Measures all that a text needs no provider for. It masks what stages must not see, tells types apart, and has scores that no
/// issue speaks of.
const PROFILE: &str = "
assess:
  completeness: { rubric: notes }
  accuracy: grounding
  validity: { rules: notes, penalty: 0.2 }
  tone: { script: 'notes.rhai#tone' }
overall: { completeness: 0.3, accuracy: 0.3, validity: 0.2, tone: 0.2 }
accept: { overall: 0.9 }
stop: { max_iterations: 1 }
classify: notes-types
mask: [{ pattern: 'SECRET.*', replace: '[withheld]' }]
stages: [{ id: extract, provider: fake, prompt: extract.md }]
";
const SCRIPT: &str = "fn tone(candidate, source) { if \"grade_status\" in candidate { 0.4 } else { 1.0 } }";
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
        .holding("rules/notes.rhai", SCRIPT)
        .holding("rules/notes-types.yaml", CLASSIFY)
        .holding("rules/rubrics/notes.yaml", RUBRIC);
    let mut problems = Problems::new();
    let loaded = load("notes", &library, &[], &|_| None, &mut problems);
    let plan = loaded.and_then(|loaded| Plan::compile(&loaded, &mut problems));
    plan.unwrap_or_else(|| panic!("{problems:?}"))
});

/// The findings: the scores, and the issues in their order.
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
    let document = read_next_input(&input, &DocumentReader::in_process()).unwrap();
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
    place.write("rules/notes.rhai", SCRIPT);
    place.write("rules/notes-types.yaml", CLASSIFY);
    place.write("rules/rubrics/notes.yaml", RUBRIC);
    place
}

/// A candidate of a document of its own, and the expected findings.
struct Case {
    id: String,
    text: &'static str,
    document_type: Option<&'static str>,
    candidate: Value,
    expected: Value,
}

/// Known candidates of every text, and random ones.
fn cases() -> Vec<Case> {
    let known = [
        json!({ "diagnosis": "adenocarcinoma", "grade": "2", "side": "left" }),
        json!({ "diagnosis": "adenocarcinoma", "grade": "2", "side": "left", "grade_status": "2" }),
        json!({ "diagnosis": "carcinoid", "grade": "high" }),
        json!({ "sender": "Dr. Gray" }),
        json!({}),
    ];
    let known = TEXTS.into_iter().flat_map(|text| known.clone().map(|candidate| (candidate, text, None)));
    let types = prop::option::of(prop::sample::select(vec!["report", "letter"]));
    let others = (candidate(), prop::sample::select(TEXTS.to_vec()), types);
    let mut runner = TestRunner::default();
    let others: Vec<_> = (0..30).map(|_| others.new_tree(&mut runner).unwrap().current()).collect();
    let cases = known.chain(others).enumerate().map(|(at, (candidate, text, document_type))| {
        let expected = in_context(&PLAN, text, document_type, &candidate);
        Case { id: format!("d{at}"), text, document_type, candidate, expected }
    });
    let cases: Vec<Case> = cases.collect();
    for code in ["DOCUMENT_TYPE_UNKNOWN", "NOT_ACCEPTED"] {
        assert!(cases.iter().any(|case| case.expected.to_string().contains(code)), "{code}");
    }
    cases
}

impl Case {
    #[track_caller]
    fn is_said(&self, host: &str, assessed: &Value) {
        let overall = assessed["overall"].as_f64().unwrap_or_else(|| panic!("{host}: {assessed}"));
        let found = said(&assessed["scores"], overall, &assessed["issues"]);
        assert_eq!(
            found, self.expected,
            "{host}: {} of {} ({:?})",
            self.candidate, self.text, self.document_type
        );
    }

    /// Like [`Case::is_said`], for a host that shows of each issue only what a person reads, and of the scores only the
    /// whole.
    #[track_caller]
    fn is_shown(&self, host: &str, overall: &Value, shown: impl Iterator<Item = Value>) {
        let read = |issue: &Value| {
            ["code", "severity", "path", "message"]
                .map(|name| issue[name].as_str().unwrap_or_default().to_owned())
        };
        let mut shown: Vec<_> = shown.map(|issue| read(&issue)).collect();
        let mut expected: Vec<_> = self.expected["issues"].as_array().unwrap().iter().map(read).collect();
        shown.sort();
        expected.sort();
        assert_eq!(shown, expected, "{host}: {} of {}", self.candidate, self.text);
        assert_eq!(*overall, self.expected["overall"], "{host}: {} of {}", self.candidate, self.text);
    }
}

/// Puts every document with its candidate into the workspace, as the answers of the provider `scripted`.
fn place_documents<'c>(place: &Workspace, cases: impl IntoIterator<Item = &'c Case>) {
    let mut answers = String::new();
    for case in cases {
        place.write(&format!("documents/{}.txt", case.id), case.text);
        answers += &format!("{}\n", json!({ "id": case.id, "value": case.candidate }));
    }
    place.write("answers.jsonl", answers);
}

const ASKED: [&str; 6] =
    ["--profile", "notes", "--provider", "scripted", "--provider-config", "file=answers.jsonl"];

#[test]
fn verbs_about_one_candidate_say_the_same() {
    let (place, cases) = (place(), cases());
    let mut records = String::new();
    for Case { id, text, document_type, candidate, .. } in &cases {
        let mut record = json!({ "id": id, "extraction": candidate, "source": text });
        if let Some(document_type) = document_type {
            record["document_type"] = (*document_type).into();
        }
        records += &format!("{record}\n");
    }
    place.write("records.jsonl", records);
    let scored =
        place.run(&["score", "--profile", "notes", "--format", "jsonl", "records.jsonl"]).exits(0).lines();
    assert_eq!(scored.len(), cases.len());
    for (answer, case) in scored.iter().zip(&cases) {
        case.is_said("score", answer);
    }
    // Each start of the program takes its time: one document of each kind.
    for case in cases.iter().filter(|case| case.document_type.is_none()).step_by(5) {
        place.write("d.txt", case.text);
        place.write("candidate.json", case.candidate.to_string());
        let arguments =
            ["validate", "--profile", "notes", "--extraction", "candidate.json", "--format", "json", "d.txt"];
        case.is_said("validate", &Ran::of(&mut place.loopctl(&arguments)).json()["best_validation"]);
        let input = json!({ "document": { "id": "d", "text": case.text }, "history": [{ "candidate": case.candidate }] });
        let ran = Ran::of(place.loopctl(&["next", "--profile", "notes"]).write_stdin(input.to_string()));
        case.is_said("next", &ran.json()["assessment"]);
        // What is handed in is nothing, and what is handed back is the candidate.
        place.write("answers.jsonl", json!({ "value": case.candidate }).to_string());
        place.write("candidate.json", "{}");
        let mut arguments = vec!["correct", "--extraction", "candidate.json", "--format", "json", "d.txt"];
        arguments.extend(ASKED);
        let corrected = Ran::of(&mut place.loopctl(&arguments)).json();
        assert_eq!(corrected["iteration_count"], 2, "{corrected}");
        case.is_said("correct", &corrected["best_validation"]);
    }
}

#[test]
fn a_run_and_those_who_look_at_it_say_the_same() {
    let (place, cases) = (place(), cases());
    let cases: Vec<&Case> = cases.iter().filter(|case| case.document_type.is_none()).collect();
    place_documents(&place, cases.iter().copied());
    let mut arguments = vec!["run", "--quiet", "--out", "out", "--journal", "j.sqlite", "documents"];
    arguments.extend(ASKED);
    place.run(&arguments);
    for case in &cases {
        case.is_said("run", &place.json(&format!("out/{}-result.json", case.id))["best_validation"]);
    }
    for case in cases.iter().step_by(5) {
        let shown =
            place.run_json(&["review", "show", &case.id, "--journal", "j.sqlite", "--format", "json"]);
        let of_fields =
            shown["fields"].as_array().unwrap().iter().filter_map(|field| field["issues"].as_array());
        let issues = of_fields.chain(shown["issues"].as_array()).flatten().cloned();
        case.is_shown("review show", &shown["overall"], issues);
    }
}

#[test]
fn cases_of_a_test_say_the_same() {
    let (place, cases) = (place(), cases());
    let codes = [
        "MISSING_FIELD",
        "UNGROUNDED_VALUE",
        "NO_GRADE",
        "NOT_ACCEPTED",
        "DOCUMENT_TYPE_UNKNOWN",
        "TYPE_MISMATCH",
    ];
    let tested = |case: &Case| {
        let mut issues = case.expected["issues"].as_array().unwrap().clone();
        // A case has no locations.
        issues.iter_mut().for_each(|issue| drop(issue.as_object_mut().unwrap().remove("source_span")));
        let has = |code: &str| issues.iter().any(|issue| issue["code"] == code);
        let unsaid: Vec<Value> =
            codes.iter().filter(|code| !has(code)).map(|code| json!({ "code": code })).collect();
        let (scores, overall) = (&case.expected["scores"], &case.expected["overall"]);
        let assessed = json!({ "scores": scores, "overall": overall, "issues": issues, "no_issues": unsaid });
        let mut tested = json!({
            "name": case.id, "source": case.text, "candidates": [case.candidate], "expect": { "assessments": [assessed] },
        });
        if let Some(document_type) = case.document_type {
            tested["document_type"] = document_type.into();
        }
        tested
    };
    let mut file = json!({ "cases": cases.iter().map(tested).collect::<Vec<_>>() });
    place.write("profiles/notes.test.yaml", file.to_string());
    let said = format!("{0} passed: {0} cases", cases.len());
    place.run(&["test", "notes"]).exits(0).finds(&[&said]);
    // Every case checks the findings.
    for case in file["cases"].as_array_mut().unwrap() {
        let overall = &mut case["expect"]["assessments"][0]["overall"];
        let score = overall.as_f64().unwrap();
        *overall = json!(if score < 0.5 { score + 0.3 } else { score - 0.3 });
    }
    place.write("profiles/notes.test.yaml", file.to_string());
    place.run(&["test", "notes"]).exits(3).finds(&[&format!("{} failed", cases.len())]);
}

#[test]
fn the_service_says_the_same() {
    let (place, cases) = (place(), cases());
    place_documents(&place, &cases);
    let server = Server::start(&place, &ASKED);
    let mut jobs = Vec::new();
    for case in &cases {
        let mut scored = json!({ "text": case.text, "extraction": case.candidate });
        let mut submitted = json!({ "text": case.text, "file_name": format!("{}.txt", case.id) });
        if let Some(document_type) = case.document_type {
            scored["document_type"] = document_type.into();
            submitted["document_type"] = document_type.into();
        }
        case.is_said("/api/score", &server.post("/api/score", &scored).is(200).json()["assessment"]);
        jobs.push(server.post("/api/jobs", &submitted).is(202).json());
    }
    for (case, job) in cases.iter().zip(&jobs) {
        let id = job["id"].as_str().unwrap();
        server.finished(id);
        let result = server.get(&format!("/api/jobs/{id}/result")).is(200).json();
        case.is_said("/api/jobs", &result["best_validation"]);
    }
    // The desk scores what the document would have with a value that is typed in.
    let has_text = |case: &Case, field: &str| case.candidate.get(field).is_some_and(Value::is_string);
    let edits = cases.iter().zip(&jobs).filter_map(|(case, job)| {
        let field =
            ["diagnosis", "grade", "side", "sender"].into_iter().find(|field| has_text(case, field))?;
        Some((case, job, field))
    });
    for (case, job, field) in edits.take(12) {
        let desk = format!("/review/{}/{}", job["run"].as_str().unwrap(), job["document"].as_str().unwrap());
        let page = server.get(&desk).is(200).text();
        let hidden = |name: &str| {
            let (_, rest) = page.split_once(&format!("name=\"{name}\" value=\"")).unwrap();
            rest.split('"').next().unwrap().to_owned()
        };
        let form = format!(
            "decision=edit&field={field}&after=seldom&shown={}&seen={}",
            hidden("shown"),
            hidden("seen")
        );
        let request = server.request("POST", &format!("{desk}/check")).admin();
        let checked =
            request.body("application/x-www-form-urlencoded", form.as_bytes()).send().is(200).text();
        let mut edited = case.candidate.clone();
        edited[field] = "seldom".into();
        let expected = in_context(&PLAN, case.text, case.document_type, &edited)["overall"].as_f64().unwrap();
        let (_, score) = checked.split_once("Score of the document: ").unwrap_or_else(|| panic!("{checked}"));
        let (_, score) = score.split_once("<strong>").unwrap();
        assert!(score.starts_with(&format!("{expected:.3}<")), "{expected}: {}", &score[..40]);
    }
}

/// The assessor's own measures, which know nothing of the document, are taken by none but the context of a document,
/// and by what inspects single rules.
#[test]
fn nothing_measures_beside_the_context() {
    const MAY: [&str; 3] = [
        "crates/core/src/plan/context.rs",
        "crates/app/src/lint/content/examples.rs",
        "crates/experiment/src/scenario/rule_cases.rs",
    ];
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("src"), root.join("crates")];
    let (mut looked, mut found) = (0, Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if name.starts_with("crates/core/src/score/")
                || MAY.contains(&name.as_str())
                || !name.ends_with(".rs")
            {
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
