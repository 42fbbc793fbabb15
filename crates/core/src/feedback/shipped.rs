//! The shipped templates, whichever they are: the content that each must have, and its form.

use super::*;
use crate::diag::{Problems, SourceFile};
use crate::profile::{Library, Lock, PreviousOutput, Profile, load};
use crate::score::Assessment;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

fn prompt(name: &str) -> Arc<SourceFile> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join("prompts").join(name);
    SourceFile::new(name, std::fs::read_to_string(path).unwrap())
}

/// Every file of `prompts/feedback`, loaded.
fn feedback_templates() -> Vec<(String, Templates, Template)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join("prompts/feedback");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".md"))
        .collect();
    names.sort();
    assert!(names.contains(&"default.md".to_owned()));
    let loaded = |name: String| {
        let (mut templates, mut problems) = (Templates::default(), Problems::new());
        let template = templates.add(Role::Feedback, &prompt(&format!("feedback/{name}")), &mut problems);
        assert!(problems.is_empty(), "{problems:?}");
        (name, templates, template.unwrap())
    };
    names.into_iter().map(loaded).collect()
}

fn profile(previous_output: PreviousOutput, lock: Lock) -> Profile {
    let mut profile =
        load("balanced", &Library::embedded(), &[], &|_| None, &mut Problems::new()).unwrap().profile;
    (profile.feedback.previous_output, profile.feedback.lock) = (previous_output, lock);
    profile
}

fn assessed(overall: f64, issues: Value) -> Assessment {
    Assessment {
        scores: [("accuracy", crate::value::Score::clamped(overall))].into_iter().collect(),
        overall,
        issues: serde_json::from_value(issues).unwrap(),
        missing: vec![Arc::from("grade"), Arc::from("site")],
        ..Assessment::default()
    }
}

/// A correction of candidate 0 after one failed attempt, with everything that feedback can hold.
fn rich(profile: &Profile) -> Guidance {
    let candidates = [
        json!({"histology": "adenocarcinoma", "margins": "deep: 2 mm", "date": "", "size": {"cm": -3}}),
        json!({"histology": "carcinoma", "margins": "clear", "size": {"cm": 3}}),
    ]
    .map(Arc::new);
    let issues = json!([
        {"code": "MISSING_FIELD", "severity": "major", "path": "/grade", "message": "required field `grade` is missing",
         "suggested_fix": "look for `Grade:` or `differentiated`"},
        {"code": "SIZE_RANGE", "severity": "critical", "path": "/size/cm", "message": "`/size/cm` is `-3`; expected 0 or more"},
        {"code": "SCHEMA_MIN_LENGTH", "severity": "minor", "path": "/date", "message": "\"\" is shorter than 1 character"},
        {"code": "ASK", "severity": "critical", "disposition": "escalate", "path": "/x", "message": "for a person only"},
    ]);
    let assessments = [assessed(0.8, issues), assessed(0.55, json!([]))];
    let correction = Correction {
        iteration: 2,
        base: 0,
        tried: candidates.iter().zip(&assessments).collect(),
        rolled_back: vec![(1, 0)],
    };
    Guidance::gather(&profile.policy, &profile.feedback, "extract", candidates.first(), &correction).unwrap()
}

#[test]
fn the_default_feedback_reads_well() {
    let (_, templates, template) =
        feedback_templates().into_iter().find(|(name, ..)| name == "default.md").unwrap();
    for (name, previous_output, lock, max_bytes) in [
        ("include", PreviousOutput::Include, Lock::None, 20_000),
        ("include_locked", PreviousOutput::Include, Lock::Passing, 20_000),
        ("omit", PreviousOutput::Omit, Lock::None, 20_000),
        ("failing_fields", PreviousOutput::FailingFields, Lock::None, 20_000),
        ("short", PreviousOutput::FailingFields, Lock::None, 600),
    ] {
        let mut guidance = rich(&profile(previous_output, lock));
        let text = templates.feedback(&template, &mut guidance, max_bytes).unwrap();
        assert!(!text.contains("for a person only"));
        insta::assert_snapshot!(format!("feedback_default_{name}"), text);
    }
}

#[test]
fn the_shipped_task_reads_well() {
    let (mut templates, mut problems) = (Templates::default(), Problems::new());
    let template = templates.add_stage(&prompt("extract.md"), &[], &mut problems).unwrap();
    let (stages, variables) = (BTreeMap::new(), |schema| (schema, "Grade: 2\n"));
    for (name, (schema, source)) in
        [("plain", variables(None)), ("schema", variables(Some("{\"type\": \"object\"}")))]
    {
        let variables = StageVariables {
            document_type: "pathology",
            source,
            schema,
            stage: "extract",
            stages: &stages,
            context: &[],
            variables: &serde_json::Map::new(),
        };
        insta::assert_snapshot!(format!("extract_{name}"), templates.task(&template, &variables).unwrap());
    }
}

#[test]
fn every_feedback_template_says_what_a_correction_must_know() {
    for (name, templates, template) in feedback_templates() {
        let written = prompt(&format!("feedback/{name}"));
        let uses = |variable: &str| written.text().contains(&format!("{{{{ {variable} }}}}"));
        for show in [PreviousOutput::Include, PreviousOutput::Omit, PreviousOutput::FailingFields] {
            let mut guidance = rich(&profile(show, Lock::Passing));
            let text = templates.feedback(&template, &mut guidance, 20_000).unwrap();
            let said = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
            let any_of = |parts: &[&str]| {
                let is_said = parts.iter().any(|part| said.contains(part));
                assert!(is_said, "{name}, {show:?}: none of {parts:?} is said:\n{text}");
            };
            any_of(&["left out", "leave out"]);
            any_of(&["never an empty string", "never an empty text", "never write an empty string"]);
            any_of(&["correction 2"]);
            any_of(&["expected 0 or more"]);
            any_of(&["`grade` is missing"]);
            any_of(&["attempt 1"]);
            // The earlier answer is shown as far as the profile says, and a part is called one.
            let shown = uses("previous") && show != PreviousOutput::Omit;
            assert_eq!(text.contains("\"cm\": -3"), shown, "{name}, {show:?}:\n{text}");
            let whole = shown && show == PreviousOutput::Include;
            assert_eq!(text.contains("adenocarcinoma"), whole, "{name}, {show:?}:\n{text}");
            assert!(!said.contains("so far: none"), "{name}, {show:?}:\n{text}");
            if shown && show == PreviousOutput::FailingFields && written.text().contains("if partial") {
                any_of(&["only the fields with issues"]);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// No two correction requests after a rollback are the same, though attempts fail in the same way
    /// and however little room there is.
    #[test]
    fn requests_after_rollbacks_differ(
        attempts in prop::collection::vec((0..3_u8, 0..3_u8), 2..8),
        issues in 0..30_usize,
        history in 1..4_usize,
        max_bytes in 1..3_000_usize,
        show in prop::sample::select(vec![PreviousOutput::Include, PreviousOutput::Omit, PreviousOutput::FailingFields]),
    ) {
        let mut profile = profile(show, Lock::None);
        (profile.feedback.history, profile.feedback.max_bytes) = (history, max_bytes);
        let wrong: Vec<Value> = (0..issues)
            .map(|n| json!({"code": "X", "severity": "major", "path": format!("/f{n}"), "message": "is wrong"}))
            .collect();
        let mut candidates = vec![Arc::new(json!({"a": "x"}))];
        let mut assessments = vec![assessed(0.9, Value::Array(wrong))];
        for (value, tenths) in &attempts {
            candidates.push(Arc::new(json!({ "a": value })));
            assessments.push(assessed(f64::from(*tenths) / 10.0, json!([])));
        }
        for (name, templates, template) in feedback_templates() {
            let mut texts = Vec::new();
            for iteration in 2..=candidates.len() {
                let correction = Correction {
                    iteration,
                    base: 0,
                    tried: candidates.iter().zip(&assessments).take(iteration).collect(),
                    rolled_back: (1..iteration).map(|at| (at, 0)).collect(),
                };
                let mut guidance =
                    Guidance::gather(&profile.policy, &profile.feedback, "extract", candidates.first(), &correction).unwrap();
                prop_assert!(guidance.failed_attempts.len() <= history);
                texts.push(templates.feedback(&template, &mut guidance, max_bytes).unwrap());
            }
            let mut distinct = texts.clone();
            distinct.sort();
            distinct.dedup();
            prop_assert_eq!(distinct.len(), texts.len(), "{}: {:?}", name, texts);
        }
    }
}
