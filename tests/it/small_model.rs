//! A real small model, without a script: a base model of 270 million parameters, free and under a grammar. It says
//! labels for values, repeats what it was asked, breaks off in the middle and says that it has finished. Nothing that
//! it says may pass.
//!
//! Its answers on our own reports are kept in `tests/small-model/answers.jsonl`. Where `LOOPCTL_SMALL_MODEL` names a
//! folder with the model (`.ci/run` makes one), it is asked again.

use crate::workspace::{Ran, Workspace};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const PROFILE: &str = "extends: clinical
stages:
  - { id: extract, evidence: none, prompt: small.md, output: schemas/small.schema.json, retries: 0, deadline: 10m }
stop: { max_iterations: 1, timeout: 20m }
";

const PROMPT: &str = "Report:
{{ source }}

JSON with the histology, grade, margins, date and institution of this report:
";

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A project that asks for little, as a small model needs it.
fn project() -> Workspace {
    let place = Workspace::new();
    let text = json!({ "type": "string" });
    let fields = ["histology", "grade", "margins", "date", "institution"]
        .map(|field| (field.to_owned(), text.clone()));
    let schema = json!({
        "type": "object",
        "properties": Value::Object(fields.into_iter().collect()),
        "required": ["histology"],
        "additionalProperties": false,
    });
    place.write("profiles/small.yaml", PROFILE);
    place.write("prompts/small.md", PROMPT);
    place.write("schemas/small.schema.json", schema.to_string());
    place
}

/// A report of ours, as the model was shown it.
fn report(place: &Workspace, name: &str) {
    let of = ["examples/reports", "tests/documents"].map(|folder| repository().join(folder).join(name));
    let text = of.iter().find_map(|path| std::fs::read_to_string(path).ok()).unwrap();
    place.write(name, text.chars().take(1_300).collect::<String>());
}

#[test]
fn what_it_said_of_our_own_reports_does_not_pass() {
    let recorded = std::fs::read_to_string(repository().join("tests/small-model/answers.jsonl")).unwrap();
    let mut wrong = Vec::new();
    for one in recorded.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let place = project();
        let name = one["report"].as_str().unwrap();
        report(&place, name);
        place.write("answers.jsonl", json!({ "text": one["says"] }).to_string());
        let ran = place.run(&[
            "run",
            "--profile",
            "small",
            "--type",
            "pathology",
            "--provider",
            "scripted",
            "--provider-config",
            "file=answers.jsonl",
            "--format",
            "json",
            name,
        ]);
        let result: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err));
        let issues = &result["best_validation"]["issues"];
        let is_told = match one["told"].as_str() {
            Some(code) => issues.as_array().into_iter().flatten().any(|issue| issue["code"] == code),
            // What breaks off may be taken as far as it goes, or be refused.
            None => {
                result["detail"].is_string() || issues.as_array().is_some_and(|issues| !issues.is_empty())
            }
        };
        if result["final_status"] == "passed" || ran.code == Some(0) {
            wrong.push(format!("{name}: {} passed", one["says"]));
        }
        if !is_told {
            wrong.push(format!("{name}: what is wrong with {} is not said: {result}", one["says"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The model behind its server; it ends with the test.
struct Model {
    server: Child,
    url: String,
}

impl Model {
    fn start(folder: &Path) -> Self {
        let mut server = Command::new("node")
            .args(["serve.mjs", "model.gguf", "60"])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut port).unwrap();
        assert!(!port.trim().is_empty(), "the server of the small model did not start");
        Model { server, url: format!("http://127.0.0.1:{}/v1", port.trim()) }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[test]
fn nothing_that_it_says_passes() {
    let Some(folder) = std::env::var_os("LOOPCTL_SMALL_MODEL").filter(|folder| !folder.is_empty()) else {
        eprintln!("the small model was not asked: `LOOPCTL_SMALL_MODEL` names no folder");
        return;
    };
    let model = Model::start(Path::new(&folder));
    for (name, mode) in [("liver-resection.txt", "schema"), ("thyroid-resection.txt", "none")] {
        let place = project();
        report(&place, name);
        let mode = format!("json_mode={mode}");
        let mut command = place.loopctl(&[
            "run",
            "--profile",
            "small",
            "--type",
            "pathology",
            "--provider",
            "vllm:small",
            "--provider-config",
            &mode,
            "--format",
            "json",
            name,
        ]);
        let ran = Ran::of(command.env("VLLM_BASE_URL", &model.url));
        let result: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err));
        assert_eq!(result["usage"]["calls"], 1, "{}", ran.err);
        assert_ne!(result["final_status"], "passed", "{}", result["best_extraction"]);
        // Every answer was taken in, or refused with a reason.
        let is_told = !result["best_extraction"].is_null() || result["detail"].is_string();
        assert!(is_told, "{result}");
    }
}
