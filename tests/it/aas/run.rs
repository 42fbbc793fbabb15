//! Edits through the command: with the answers of the example, with patches that don't apply, and with a validator.

use crate::workspace::Workspace;
use serde_json::{Value, json};

fn example(name: &str) -> String {
    std::fs::read_to_string(format!("{}/examples/aas/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn place() -> Workspace {
    let place = Workspace::new();
    for name in ["pump.json", "date.yaml", "limit.yaml"] {
        place.write(name, example(name));
    }
    place
}

fn answers(place: &Workspace, patches: &[Value]) {
    let answers: Vec<Value> = patches.iter().map(|patch| json!({"value": patch})).collect();
    place.write("answers.yaml", Value::from(answers).to_string());
}

fn edit<'a>(answers: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments =
        vec!["run", "--profile", "aas", "--provider", "scripted", "--provider-config", answers];
    arguments.extend(["--var", "task=Change it: now # please", "--quiet"]);
    arguments.extend(more);
    arguments.push("pump.json");
    arguments
}

#[test]
fn a_mistake_goes_back_and_the_corrected_patch_is_returned() {
    let place = place();
    let result = place.run(&edit("file=date.yaml", &["--format", "json", "--out", "out"])).exits(0).json();
    assert_eq!((&result["final_status"], &result["stop_reason"]), (&json!("passed"), &json!("accepted")));
    assert_eq!((&result["iteration_count"], &result["best_iteration"]), (&json!(2), &json!(1)));
    assert_eq!(result["best_extraction"][1]["value"]["value"], "2024-06-19");
    assert_eq!(result["improvement_trajectory"], json!([0.9, 1.0]));
    assert!(result.get("message").is_none(), "{result}");
    let first = place.json("out/pump-validation.json");
    let issue = &first["issues"][0];
    assert_eq!(
        (&issue["code"], &issue["disposition"], &issue["path"]),
        (&json!("TYPE_MISMATCH"), &json!("correct"), &json!("/submodels/0/submodelElements/2/value"))
    );
    assert_eq!(place.json("out/pump-extraction_corrected1.json"), result["best_extraction"]);
}

#[test]
fn what_a_person_must_decide_ends_the_run_with_a_message() {
    let place = place();
    let result = place.run(&edit("file=limit.yaml", &["--format", "json"])).exits(3).json();
    assert_eq!(
        (&result["final_status"], &result["stop_reason"]),
        (&json!("failed"), &json!("critical_issue"))
    );
    assert_eq!(result["best_extraction"][0]["value"], "90");
    let message = result["message"].as_str().unwrap();
    for part in [
        "A person must decide",
        "SEMANTIC_VIOLATION at /submodels/0/submodelElements/2/value/0/min",
        "`\"90\"`",
    ] {
        assert!(message.contains(part), "{message}");
    }
    let shown = place.run(&edit("file=limit.yaml", &[])).exits(3).out;
    assert!(shown.contains("A person must decide") && shown.contains("SEMANTIC_VIOLATION"), "{shown}");
}

#[test]
fn a_patch_that_was_cut_short_is_no_edit() {
    let place = place();
    let edit_of = |value: &str| {
        json!([{"op": "replace", "path": "/submodels/0/submodelElements/1/value", "value": value}])
            .to_string()
    };
    let (one, two) = (edit_of("12-345"), edit_of("12-346"));
    let cut = format!("{}, {{\"op\": \"repl", one.trim_end_matches(']'));
    let texts =
        ["[".to_owned(), cut, format!("First:\n{one}\nThen:\n{two}\n"), format!("```json\n{two}\n```")];
    let answers: Vec<Value> = texts.iter().map(|text| json!({"text": text})).collect();
    place.write("answers.yaml", Value::from(answers).to_string());
    let more = ["--format", "json", "--config", "stages.0.retries=3"];
    let result = place.run(&edit("file=answers.yaml", &more)).exits(0).json();
    assert_eq!(result["best_extraction"].to_string(), two);
    assert_eq!((&result["iteration_count"], &result["usage"]["calls"]), (&json!(1), &json!(4)));
    let warnings = result["warnings"].to_string();
    assert!(
        warnings.contains("not whole") && warnings.contains("different values in the text"),
        "{warnings}"
    );
}

#[test]
fn patches_that_do_not_apply_are_corrected() {
    let place = place();
    answers(
        &place,
        &[
            json!({"assetAdministrationShells": []}),
            json!([{"op": "replace", "path": "/submodels/7/id", "value": "x"}]),
            json!([{"op": "replace", "path": "/submodels/0/submodelElements/1/value", "value": "12-345"}]),
        ],
    );
    let result = place.run(&edit("file=answers.yaml", &["--format", "json", "--out", "out"])).exits(0).json();
    assert_eq!((&result["final_status"], &result["iteration_count"]), (&json!("passed"), &json!(3)));
    assert_eq!(result["improvement_trajectory"], json!([0.0, 0.0, 1.0]));
    for (name, path, says) in [
        ("pump-validation.json", "", "found an object"),
        ("pump-validation_corrected1.json", "/0", "`/submodels` is a list of 1 elements"),
    ] {
        let issue = place.json(&format!("out/{name}"))["issues"][0].clone();
        assert_eq!((&issue["code"], &issue["disposition"]), (&json!("INVALID_PATCH"), &json!("correct")));
        assert_eq!(issue["path"], path);
        assert!(issue["message"].as_str().unwrap().contains(says), "{issue}");
    }
}

#[test]
fn no_more_than_three_candidates_are_asked_for_and_the_least_bad_is_returned() {
    let place = place();
    let value = |text: &str| json!([{"op": "add", "path": "/submodels/0/submodelElements/2/value/1/value", "value": text}]);
    let twice = json!([
        {"op": "add", "path": "/submodels/0/submodelElements/2/value/1/value", "value": "x"},
        {"op": "add", "path": "/submodels/0/submodelElements/2/value/0/max", "value": "y"}
    ]);
    answers(&place, &[twice, value("16,1"), value("16.1 bar"), json!([])]);
    let result = place.run(&edit("file=answers.yaml", &["--format", "json"])).exits(3).json();
    assert_eq!(result["final_status"], "max_iterations_reached");
    assert_eq!((&result["iteration_count"], &result["best_iteration"]), (&json!(3), &json!(2)));
}

#[test]
fn a_task_is_needed_and_a_document_that_is_json() {
    let place = place();
    place
        .run(&[
            "run",
            "--profile",
            "aas",
            "--provider",
            "scripted",
            "--provider-config",
            "file=date.yaml",
            "pump.json",
        ])
        .exits(2)
        .says(&["needs the variable `task`", "--var task=TEXT"]);
    place
        .run(&["run", "--profile", "aas", "--var", "task", "pump.json"])
        .exits(2)
        .says(&["needs a name and a text"]);
    place.write("pump.json", "not JSON");
    let result = place.run(&edit("file=date.yaml", &["--format", "json"])).exits(3).json();
    assert_eq!(result["stop_reason"], "unreadable_input");
    assert!(result["detail"].as_str().unwrap().contains("not JSON"), "{result}");
}

#[test]
fn prompts_use_variables_that_the_profile_has() {
    let place = Workspace::new();
    place.write("prompts/p.md", "{{ variables.tsk }} {{ variables.other }}");
    place.write(
        "profiles/p.yaml",
        "extends: aas\nvariables: { task: x, size: 3 }\nstages: [{ id: a, provider: scripted, prompt: p.md }]\n",
    );
    place.run(&["check", "p"]).exits(2).finds(&["did you mean `variables.task`?", "--var other=TEXT"]);
    place
        .run(&["check", "p", "--config", "variables={a b: 1}"])
        .exits(2)
        .finds(&["`a b` can't be the name of a variable"]);
}

#[test]
fn documents_are_checked_without_a_provider() {
    let place = place();
    place.write("none.json", r#"[{"op": "test", "path": "/submodels/0/modelType", "value": "Submodel"}]"#);
    place.write("bad.json", r#"[{"op": "remove", "path": "/submodels/0/id"}]"#);
    let validate = |patch: &str| {
        let arguments =
            ["validate", "--profile", "aas", "--extraction", patch, "--format", "json", "pump.json"];
        place.run(&arguments)
    };
    assert_eq!(validate("none.json").exits(0).json()["final_status"], "passed");
    let result = validate("bad.json").exits(3).json();
    assert_eq!(result["best_validation"]["issues"][0]["code"], "REQUIRED_FIELD");
    let score = |arguments: &[&str]| {
        let scored =
            place.run(&[&["score", "--profile", "aas", "--format", "jsonl"], arguments].concat()).exits(0);
        scored.lines().remove(0)
    };
    assert_eq!(score(&["--source", "pump.json", "none.json"])["overall"], 1.0);
    assert_eq!(score(&["--source", "pump.json", "bad.json"])["issues"][0]["path"], "/submodels/0/id");
    assert_eq!(score(&["none.json"])["issues"][0]["code"], "INVALID_PATCH");
    assert_eq!(score(&["--config", "candidate=value", "pump.json"])["overall"], 1.0);
}

/// A user who asks for a serial number need not mend the whole document.
#[test]
fn mistakes_that_an_edit_does_not_touch_do_not_block_it() {
    let place = place();
    let mut pump: Value = serde_json::from_str(&example("pump.json")).unwrap();
    pump["submodels"][0].as_object_mut().unwrap().remove("id");
    place.write("pump.json", pump.to_string());
    place.write("none.json", r#"[{"op": "test", "path": "/submodels/0/modelType", "value": "Submodel"}]"#);
    place.write("bad.json", r#"[{"op": "remove", "path": "/submodels/0/submodelElements/0/idShort"}]"#);
    place.write("mended.json", r#"[{"op": "add", "path": "/submodels/0/id", "value": 7}]"#);
    let validate = |patch: &str, more: &[&str]| {
        let arguments =
            ["validate", "--profile", "aas", "--extraction", patch, "--format", "json", "pump.json"];
        place.run(&[&arguments, more].concat()).json()
    };
    let found = |result: &Value, path: &str| {
        let issues = result["best_validation"]["issues"].as_array().unwrap();
        let issue = issues.iter().find(|issue| issue["path"] == path).unwrap();
        (issue["disposition"].as_str().unwrap().to_owned(), issue.get("pre_existing") == Some(&json!(true)))
    };
    let passed = validate("none.json", &[]);
    assert_eq!(
        (&passed["final_status"], &passed["best_validation"]["overall"]),
        (&json!("passed"), &json!(1.0))
    );
    assert_eq!(found(&passed, "/submodels/0/id"), ("warn".to_owned(), true));
    let blocked = validate("none.json", &["--config", "pre_existing=block"]);
    assert_ne!(blocked["final_status"], "passed");
    assert_eq!(found(&blocked, "/submodels/0/id"), ("correct".to_owned(), false));
    // What the edit breaks blocks as ever, and so does what it touches.
    let worse = validate("bad.json", &[]);
    assert_ne!(worse["final_status"], "passed");
    assert_eq!(found(&worse, "/submodels/0/id"), ("warn".to_owned(), true));
    assert_eq!(found(&worse, "/submodels/0/submodelElements/0/idShort"), ("correct".to_owned(), false));
    assert_eq!(found(&validate("mended.json", &[]), "/submodels/0/id"), ("correct".to_owned(), false));
}

/// A stand-in for the package, which answers as the package does.
const ENGINES: &str = r#"
import enum
class Level(enum.Enum):
    INFO = 0
    WARNING = 1
    ERROR = 2
class Result:
    def __init__(self, message, level=Level.INFO, parts=()):
        self.message, self.level, self.sub_results = message, level, list(parts)
    def ok(self):
        return self.level != Level.ERROR
def check_json_data(data):
    print("the engine talks")
    assert data["submodels"][0]["submodelElements"][1]["value"] == "12-345"
    said = "Constraint AASd-120 violated: element 0 must not have an idShort @ X in Y @ /submodels/0/submodel_elements/1"
    return Result("Check", Level.ERROR, [
        Result("Check meta model"),
        Result("Check constraints", Level.ERROR, [Result(said, Level.ERROR), Result("hm @ /submodels/0", Level.WARNING)]),
    ])
"#;

#[test]
fn the_validator_is_asked_about_the_patched_document() {
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        return;
    }
    let place = place();
    place.write("engines/aas_test_engines/__init__.py", "");
    place.write("engines/aas_test_engines/file.py", ENGINES);
    answers(
        &place,
        &[json!([{"op": "replace", "path": "/submodels/0/submodelElements/1/value", "value": "12-345"}])],
    );
    let arguments = edit(
        "file=answers.yaml",
        &["--format", "json", "--allow-commands", "--config", "stop.max_iterations=1"],
    );
    let result = |packages: &str| {
        let mut command = place.loopctl(&arguments);
        crate::workspace::Ran::of(command.env("PYTHONPATH", place.path(packages))).json()
    };
    let heard = result("engines");
    let issues = &heard["best_validation"]["issues"];
    assert_eq!(
        (&issues[0]["code"], &issues[0]["disposition"], &issues[0]["path"]),
        (&json!("CONSTRAINT_VIOLATION"), &json!("correct"), &json!("/submodels/0/submodelElements/1")),
        "{heard}"
    );
    assert_eq!(
        (&issues[1]["code"], &issues[1]["disposition"]),
        (&json!("TEST_ENGINES_WARNING"), &json!("warn"))
    );
    // The structure passed, the constraints have two issues, the templates did not run.
    let conformity = heard["best_validation"]["scores"]["conformity"].as_f64().unwrap();
    assert!((conformity - (1.0 + 1.0 / 3.0) / 3.0).abs() < 1e-9, "{conformity}");

    place.write("broken/aas_test_engines/__init__.py", "raise ImportError");
    let skipped = result("broken");
    let issue = &skipped["best_validation"]["issues"][0];
    assert_eq!((&issue["code"], &issue["disposition"]), (&json!("VALIDATOR_UNAVAILABLE"), &json!("warn")));
    assert!(issue["message"].as_str().unwrap().contains("pip install aas-test-engines"), "{issue}");
    assert_eq!(skipped["final_status"], "passed");
}
