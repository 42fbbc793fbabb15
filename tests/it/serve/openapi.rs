//! The description of the API: checked in, the same as the service gives, and understood by tools that others wrote.
//!
//! `LOOPCTL_OPENAPI_TOOLS` names a Python environment with `openapi-python-client` and `schemathesis`; `.ci/run` makes one.

use super::running::Server;
use crate::workspace::{Workspace, documents};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn checked_in() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/openapi.json")
}

fn server(place: &Workspace) -> Server {
    Server::start(place, &["--profile", "clinical", "--provider", "pattern"])
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    let said =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(output.status.success(), "{command:?}\n{said}");
}

/// The tools, where they are installed.
fn tools() -> Option<PathBuf> {
    let named = std::env::var_os("LOOPCTL_OPENAPI_TOOLS").filter(|folder| !folder.is_empty());
    let tools = named.map(|folder| std::path::absolute(folder).unwrap().join("bin"));
    if tools.is_none() {
        eprintln!("not tried: LOOPCTL_OPENAPI_TOOLS names no Python environment");
    }
    tools
}

#[test]
fn the_description_is_the_one_that_is_checked_in() {
    let place = Workspace::new();
    let description = server(&place).get("/api/openapi.json").is(200).json();
    let text = serde_json::to_string_pretty(&description).unwrap() + "\n";
    if std::env::var_os("LOOPCTL_UPDATE").is_some() {
        std::fs::write(checked_in(), &text).unwrap();
    }
    let known = std::fs::read_to_string(checked_in()).unwrap_or_default();
    assert!(
        known == text,
        "docs/openapi.json is not what the service says: run the tests with LOOPCTL_UPDATE=1"
    );
}

#[test]
fn each_operation_has_a_name_and_says_what_it_answers() {
    let description: Value = serde_json::from_slice(&std::fs::read(checked_in()).unwrap()).unwrap();
    let mut names = BTreeSet::new();
    for (path, item) in description["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let name = operation["operationId"].as_str().unwrap();
            assert!(names.insert(name.to_owned()), "{name} names two operations");
            assert!(!operation["summary"].as_str().unwrap().is_empty());
            for (status, response) in operation["responses"].as_object().unwrap() {
                let words = response["description"].as_str().unwrap_or_default();
                assert!(!words.is_empty(), "{method} {path} does not say what {status} is");
            }
        }
    }
    assert!(names.len() >= 16, "{names:?}");
}

#[test]
fn a_generated_client_can_use_it() {
    let Some(tools) = tools() else { return };
    let place = Workspace::new();
    let server = server(&place);
    let client = place.path("client");
    let path =
        std::env::join_paths([tools.clone(), PathBuf::from("/usr/bin"), PathBuf::from("/bin")]).unwrap();
    run(Command::new(tools.join("openapi-python-client"))
        .args(["generate", "--fail-on-warning", "--path"])
        .arg(checked_in())
        .arg("--output-path")
        .arg(&client)
        .env("PATH", path));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/openapi/client.py");
    run(Command::new(tools.join("python"))
        .arg(script)
        .args([&format!("http://{}", server.address), &server.token])
        .arg(documents().join("pathology-gastric.txt"))
        .env("PYTHONPATH", &client));
}

#[test]
fn made_up_requests_are_answered_as_it_says() {
    let Some(tools) = tools() else { return };
    let place = Workspace::new();
    let server = server(&place);
    let checks = [
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_schema_conformance",
    ];
    // A form with one file and one with a list of files are the same; what never ends, and what waits for a model, is not asked.
    let rounds = [
        (vec!["--exclude-path-regex", "events|process-v2|uploads"], Some("negative_data_rejection")),
        (vec!["--include-path", "/api/uploads"], None),
    ];
    for (paths, more) in rounds {
        let mut command = Command::new(tools.join("schemathesis"));
        command.arg("run").arg(checked_in()).args(["--url", &format!("http://{}", server.address)]);
        command.args(["--header", &format!("Authorization: Bearer {}", server.token)]);
        command
            .args(["--max-examples", "30", "--seed", "1", "--phases", "examples,coverage,fuzzing"])
            .args(paths);
        checks.iter().copied().chain(more).for_each(|check| {
            command.args(["--checks", check]);
        });
        run(command.current_dir(place.path("")));
    }
}
