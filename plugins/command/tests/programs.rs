//! Programs that answer, fail, write without end, read nothing, and don't want to stop.
#![expect(clippy::unwrap_used, reason = "helpers of tests may fail the test")]
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Command as Process;
use std::sync::Arc;

use loopctl_command::Command;
use loopctl_plugin_sdk::abi::{LC_CANCELLED, LC_INVALID_CONFIG, LC_PERMANENT, LC_TRANSIENT};
use loopctl_plugin_sdk::protocol::{Completion, CompletionRequest, DocumentRef, RequestOptions};
use loopctl_plugin_sdk::{Cancel, DirectPlugin, Failure};
use serde_json::{Value, json};

/// The configuration that runs a line of `sh`.
fn sh(script: &str, more: Value) -> Value {
    let mut config = json!({"command": ["sh", "-c", script]});
    config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    config
}

fn request(id: &str) -> CompletionRequest {
    CompletionRequest {
        document: DocumentRef { id: id.into(), document_type: "pathology".into() },
        options: RequestOptions { model: Some("m1".into()), ..RequestOptions::default() },
        ..CompletionRequest::default()
    }
}

fn ask(config: &Value) -> Result<Completion, Failure> {
    Command::open(config).unwrap().complete(&request("a"), &Cancel::new())
}

fn fails(config: &Value) -> (i32, String) {
    let failure = ask(config).unwrap_err();
    (failure.status, failure.error.message)
}

#[test]
fn the_request_goes_in_and_the_answer_comes_out() {
    // What it reads is what it answers with.
    let told = ask(&sh("cat", json!({"answer": "value"}))).unwrap().value.unwrap();
    assert_eq!((&told["version"], &told["document"]["id"]), (&json!(1), &json!("a")));
    assert_eq!(told["options"]["model"], "m1");
    let completion = ask(&sh(r#"echo '{"value": [1], "usage": {"output_tokens": 3}}'"#, json!({}))).unwrap();
    assert_eq!((completion.value, completion.usage.output_tokens), (Some(json!([1])), 3));
    let text = ask(&json!({"program": "printf", "args": ["%s", "a b"], "answer": "text"})).unwrap();
    assert_eq!(text.text.as_deref(), Some("a b"));
}

#[test]
fn a_program_is_found_from_its_folder_and_runs_there() {
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("answer.sh");
    // By another process: whatever a test beside this one starts would hold a file open that is written here, and what is
    // open for writing can't be run.
    let write = |text: &str| {
        let mut sh = Process::new("sh");
        assert!(
            sh.args(["-c", r#"printf %s "$1" > "$0""#]).arg(&script).arg(text).status().unwrap().success()
        );
    };
    write("#!/bin/sh\npwd\n");
    let config = json!({"command": "./answer.sh", "cwd": dir.path(), "answer": "text"});
    let refused = Command::open(&config).unwrap_err();
    assert_eq!(refused.status, LC_INVALID_CONFIG);
    assert!(refused.error.message.contains("chmod +x"), "{refused}");
    assert!(Process::new("chmod").arg("+x").arg(&script).status().unwrap().success());
    let said = ask(&config).unwrap().text.unwrap();
    assert_eq!(Path::new(said.trim()).canonicalize().unwrap(), dir.path().canonicalize().unwrap());
    // The script is there, but not what its first line names.
    write("#!/no/such/interpreter\n");
    assert!(fails(&config).1.contains("interpreter"), "{:?}", fails(&config));
}

#[test]
fn only_what_was_asked_for_of_the_environment_is_passed_on() {
    // Cargo sets this one for every test.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let script = r#"echo "${CARGO_MANIFEST_DIR-unset} ${PATH:+path}""#;
    let none = ask(&sh(script, json!({"answer": "text"}))).unwrap().text.unwrap();
    assert_eq!(none, "unset path\n");
    let named = json!({"answer": "text", "env": ["CARGO_MANIFEST_DIR", "NO_SUCH_VARIABLE"]});
    assert!(ask(&sh(script, named)).unwrap().text.unwrap().ends_with("plugins/command path\n"));
}

#[test]
fn a_failure_shows_status_and_the_end_of_standard_error() {
    let script = "echo nothing useful; echo first >&2; echo 'no such model' >&2; exit 3";
    let (status, message) = fails(&sh(script, json!({})));
    assert_eq!(status, LC_PERMANENT);
    assert_eq!(message, "`sh` ended with exit status: 3; standard error: first no such model");
    let (_, quiet) = fails(&sh(script, json!({"show_stderr": false})));
    assert_eq!(quiet, "`sh` ended with exit status: 3");
    let (_, killed) = fails(&sh("kill -TERM $$", json!({})));
    assert!(killed.contains("signal: 15"), "{killed}");
    let (status, message) = fails(&sh("exit 75", json!({})));
    assert_eq!(status, LC_TRANSIENT, "{message}");
    // Standard error alone is not a failure, however much of it.
    let chatty = "head -c 1000000 /dev/zero >&2; echo 1";
    assert_eq!(ask(&sh(chatty, json!({"answer": "value"}))).unwrap().value, Some(json!(1)));
}

#[test]
fn answers_that_are_none_are_said_to_be_none() {
    for (script, says) in [
        ("true", "is empty"),
        ("echo Grade 2", "not JSON (line 1"),
        ("echo '{\"grade\": 2}'", "neither `value` nor `text`"),
    ] {
        let (status, message) = fails(&sh(script, json!({})));
        assert!(message.contains(says) && message.contains("the answer of `sh`"), "{message}");
        assert_eq!(status, LC_TRANSIENT);
        assert!(!message.contains("rade"), "{message}");
    }
}

#[test]
fn a_program_that_writes_without_end_is_killed() {
    let (status, message) = fails(&sh("yes", json!({"max_output_bytes": 1000})));
    assert_eq!(status, LC_PERMANENT);
    assert!(message.contains("more than 1000 bytes and was killed"), "{message}");
    let all =
        ask(&sh("head -c 1000 /dev/zero | tr '\\0' a", json!({"max_output_bytes": 1000, "answer": "text"})));
    assert_eq!(all.unwrap().text.unwrap().len(), 1000);
}

#[test]
fn what_is_not_read_is_no_failure_and_blocks_nothing() {
    let request = CompletionRequest { source: Some("x".repeat(20 << 20)), ..CompletionRequest::default() };
    let ask = |script: &str| {
        let plugin = Command::open(&sh(script, json!({"answer": "value"}))).unwrap();
        plugin.complete(&request, &Cancel::new()).unwrap().value.unwrap()
    };
    assert_eq!(ask("echo 1"), 1);
    assert_eq!(ask("exec <&-; echo 2"), 2);
    // Written before the input is read, and more than a pipe holds.
    assert_eq!(ask("head -c 1000000 /dev/zero | tr '\\0' ' '; wc -c > /dev/null; echo 3"), 3);
}

#[test]
fn a_program_that_ends_takes_with_it_what_it_left_running() {
    // The process left behind holds standard output open.
    let left = ask(&sh("sleep 1000 & echo 1", json!({"answer": "value"}))).unwrap();
    assert_eq!(left.value, Some(json!(1)));
}

#[test]
fn cancelling_kills_the_program_and_its_children() {
    let dir = tempfile::tempdir().unwrap();
    let fifo = dir.path().join("alive");
    assert!(Process::new("mkfifo").arg(&fifo).status().unwrap().success());
    // Any survivor holds the pipe open. Signals that can be ignored are.
    let script = "trap '' TERM INT HUP; exec 3>alive; (sleep 1000; echo survived >&3) & echo ready >&3; sleep 1000; echo survived >&3";
    let plugin = Command::open(&sh(script, json!({"cwd": dir.path()}))).unwrap();
    let cancel = Arc::new(Cancel::new());
    let theirs = Arc::clone(&cancel);
    let call = std::thread::spawn(move || plugin.complete(&request("a"), &theirs));
    let mut alive = BufReader::new(std::fs::File::open(fifo).unwrap());
    let mut line = String::new();
    alive.read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    cancel.cancel();
    let mut rest = String::new();
    alive.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
    assert_eq!(call.join().unwrap().unwrap_err().status, LC_CANCELLED);
}

#[test]
fn a_call_that_is_given_up_already_starts_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let plugin = Command::open(&sh("echo > started", json!({"cwd": dir.path()}))).unwrap();
    let cancel = Cancel::new();
    cancel.cancel();
    assert_eq!(plugin.complete(&request("a"), &cancel), Err(Failure::cancelled()));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn calls_run_beside_each_other() {
    let dir = tempfile::tempdir().unwrap();
    // Each waits until all are there.
    let script = r#"read -r request; echo > "$$.here"
while [ "$(ls | wc -l)" -lt 8 ]; do :; done; printf '%s' "$request""#;
    let plugin = Command::open(&sh(script, json!({"cwd": dir.path(), "answer": "value"}))).unwrap();
    let answers: Vec<Value> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..8)
            .map(|at| {
                let plugin = &plugin;
                scope.spawn(move || {
                    // `read` wants a line's end; a document's id may hold one only as an escape.
                    plugin.complete(&request(&format!("doc {at}")), &Cancel::new())
                })
            })
            .collect();
        calls.into_iter().map(|call| call.join().unwrap().unwrap().value.unwrap()).collect()
    });
    for (at, answer) in answers.iter().enumerate() {
        assert_eq!(answer["document"]["id"], format!("doc {at}"));
    }
}
