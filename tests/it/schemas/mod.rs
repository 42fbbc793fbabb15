//! The content of YAML is declared once: schemas, reference pages and decoders agree.

mod agree;
mod declared;
mod files;
mod fresh;
mod mistakes;

use loopctl::diag::{Code, Level, Problems, SourceFile};

use loopctl::experiment::scenario::{RuleCases, ScenarioFile, VocabularyCases};
use loopctl::experiment::sweep::Experiment;
use loopctl::ingest::Classifier;
use loopctl::profile::{Library, load};
use loopctl::provider::Prices;
use loopctl::reference::FileKind;
use loopctl::rules::{EvidenceCounts, PatternCheck, check_extraction, compile};
use loopctl::value::decode::Decode;
use loopctl::value::yaml;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// The schema of a kind, ready to check values.
fn validator(kind: &FileKind) -> jsonschema::Validator {
    jsonschema::draft7::new(&kind.schema()).unwrap()
}

/// The reasons why a schema refuses a value; empty when it does not.
fn refusals(validator: &jsonschema::Validator, value: &Value) -> Vec<String> {
    validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

/// A YAML text as JSON.
fn json_of(name: &str, text: &str) -> Value {
    let mut problems = Problems::new();
    let node = yaml::parse(&SourceFile::new(name, text), &mut problems);
    assert!(!problems.has_errors(), "{name}: {problems:?}");
    node.unwrap().to_json()
}

/// A profile with nothing but a rubric.
const PROFILE_OF_RUBRIC: &str = "{ assess: { it: { rubric: page } }, overall: { from: it }, accept: { overall: 1 }, \
    stop: { max_iterations: 1 }, classify: null }";

/// The codes of everything that the decoder of a kind finds wrong, each with its message.
fn mistakes(kind: &FileKind, text: &str) -> Vec<(Code, String)> {
    let mut problems = Problems::new();
    let file = SourceFile::new("page.yaml", text);
    let node = |problems: &mut Problems| yaml::parse(&file, problems);
    match kind.name {
        "profile" => {
            let library = Library::embedded().holding("profiles/page.yaml", text).holding(
                "profiles/parent.yaml",
                "{ assess: { completeness: given, validity: given }, overall: { from: validity }, accept: { overall: 1 } }",
            );
            load("page", &library, &[], &|_| None, &mut problems);
        }
        "rules" | "rubric" => {
            let (measure, path) = match kind.name {
                "rules" => (json!({ "rules": "page", "penalty": 0.1 }), "rules/page.yaml"),
                _ => (json!({ "rubric": "page" }), "rules/rubrics/page.yaml"),
            };
            let profile = json!({
                "assess": { "it": measure }, "overall": { "from": "it" }, "accept": { "overall": 1 },
                "stop": { "max_iterations": 1 }, "classify": null,
            });
            let library =
                Library::embedded().holding(path, text).holding("profiles/page.yaml", profile.to_string());
            let loaded = load("page", &library, &[], &|_| None, &mut problems).unwrap();
            assert!(!problems.has_errors(), "{problems:?}");
            let (dimensions, overall) = (&loaded.profile.dimensions, &loaded.profile.policy.overall);
            compile(dimensions, overall, &["pathology".to_owned()], &loaded.library, &mut problems);
        }
        "extraction" => {
            if let Some(node) = node(&mut problems) {
                check_extraction(&node, PatternCheck::Syntax, &mut problems);
            }
        }
        "classification" => {
            Classifier::parse(&file, &mut problems);
        }
        "evidence" => {
            EvidenceCounts::parse(&file, &mut problems);
        }
        "prices" => {
            Prices::parse(&file, &mut problems);
        }
        "label-map" => {
            let (kind, library) = (loopctl::lint::FileKind::LabelMap, Library::embedded());
            loopctl::lint::check_file(
                kind,
                std::path::Path::new("it.map.yaml"),
                &file,
                &library,
                &mut problems,
            );
        }
        "experiment" => {
            Experiment::parse(&file, &mut problems);
        }
        "scenarios" => {
            if let Some(node) = node(&mut problems) {
                ScenarioFile::decode(&node, &mut problems);
            }
        }
        "vocabulary" | "context" => {
            // A rubric names it, as a profile's rubric does.
            let (names, path) = match kind.name {
                "vocabulary" => (json!({ "vocabularies": ["page"] }), "rules/vocabularies/page.yaml"),
                _ => (json!({ "context": "page" }), "rules/page.yaml"),
            };
            let mut rubric = names;
            rubric["types"] = json!({});
            let library = Library::embedded()
                .holding(path, text)
                .holding("rules/rubrics/page.yaml", rubric.to_string())
                .holding("profiles/page.yaml", PROFILE_OF_RUBRIC);
            let loaded = load("page", &library, &[], &|_| None, &mut problems).unwrap();
            let (dimensions, overall) = (&loaded.profile.dimensions, &loaded.profile.policy.overall);
            compile(dimensions, overall, &[], &loaded.library, &mut problems);
        }
        "vocabulary-tests" => {
            if let Some(node) = node(&mut problems) {
                VocabularyCases::decode(&node, &mut problems);
            }
        }
        "rule-tests" => {
            if let Some(node) = node(&mut problems) {
                RuleCases::decode(&node, &mut problems);
            }
        }
        other => panic!("{other}"),
    }
    let errors = problems.iter().filter(|problem| problem.level == Level::Error);
    errors.map(|problem| (problem.code, problem.to_string())).collect()
}

/// Returns whether a mistake is one of form, which a schema sees, too.
fn is_of_form(code: Code) -> bool {
    matches!(code, Code::UnknownKey | Code::WrongType | Code::OutOfRange | Code::UnknownWord)
}
