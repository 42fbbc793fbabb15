//! Names of files and folders are bytes: every verb, the journal, results and the service work with any of them.
#![cfg(unix)]

use crate::workspace::{Ran, Workspace};
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Names that are no UTF-8, or that look like how such are spelled, or need care elsewhere.
const NAMES: [&[u8]; 6] =
    [b"caf\xe9", b"caf\xe8", b"caf\\xE9", b"two\nlines", b"a 'b' \"c\" $d", "wei\u{df} \u{2603}".as_bytes()];

fn name(bytes: &[u8], ending: &str) -> OsString {
    let mut name = bytes.to_vec();
    name.extend(ending.bytes());
    OsStr::from_bytes(&name).to_owned()
}

fn run(place: &Workspace, folder: &std::path::Path, arguments: &[OsString]) -> Ran {
    Ran::of(place.loopctl(&[]).args(arguments).current_dir(folder))
}

fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

const PROFILE: &str = "classify: null
stages: [{ id: extract, provider: scripted, config: { answers: [{ value: { grade: 2 } }] }, prompt: ask.md }]
assess: { parts: { rubric: parts } }
overall: { from: parts }
accept: { overall: 0.9 }
stop: { max_iterations: 1 }
";

/// A project in a folder of this name, with a document of each name.
fn project(place: &Workspace, folder: &OsStr) -> PathBuf {
    let root = place.path("").join(folder);
    for (file, text) in [
        ("rules/rubrics/parts.yaml", "types: { unknown: { required: [grade] } }\n"),
        ("profiles/parts.yaml", PROFILE),
        ("prompts/ask.md", "What is the grade in {{ source }}?"),
    ] {
        let file = root.join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    std::fs::create_dir_all(root.join("docs")).unwrap();
    for bytes in NAMES {
        std::fs::write(root.join("docs").join(name(bytes, ".txt")), "Grade 2.\n").unwrap();
    }
    root
}

#[test]
fn documents_of_any_name_in_folders_of_any_name_are_run_resumed_reviewed_and_exported() {
    for bytes in NAMES {
        let place = Workspace::new();
        let folder = name(bytes, "");
        let root = project(&place, &folder);
        let out = name(bytes, "-out");
        let mut arguments = words(&["run", "--profile", "parts", "--format", "jsonl", "--jobs", "1"]);
        arguments.extend(["--out".into(), out.clone(), "docs".into()]);
        let tape = name(bytes, "-tape");
        let limited: [OsString; 4] =
            ["--config".into(), "budget.calls=4".into(), "--record".into(), tape.clone()];
        let ran = run(&place, &root, &[&arguments[..], &limited].concat()).exits(1);
        assert_eq!(ran.lines().len(), 4, "{}", ran.err);
        let journal = |verb: &[&str]| {
            let mut arguments = words(verb);
            arguments
                .extend(["--journal".into(), PathBuf::from(&out).join("journal.sqlite").into_os_string()]);
            arguments
        };
        // From elsewhere: the folder of the run is in its record.
        let mut again = words(&["resume", "--budget", "calls=20", "--journal"]);
        again.push(root.join(&out).join("journal.sqlite").into_os_string());
        // A recording is of one run of the command.
        let refused = run(&place, &place.path(""), &again).exits(2);
        if bytes == b"caf\xe9" {
            refused.says(&[
                "caf\\xE9`, where the run began",
                "`caf\\xE9-tape` holds recorded exchanges already",
            ]);
        }
        std::fs::rename(root.join(&tape), root.join(name(bytes, "-tape-before"))).unwrap();
        let ran = run(&place, &place.path(""), &again).exits(0);
        assert_eq!(ran.lines().len(), 2, "{}", ran.err);
        let ran = run(&place, &root, &journal(&["runs", "show", "--format", "json"])).exits(0);
        assert_eq!(ran.json()["documents"]["finished"], 6);
        let mut ids: Vec<String> = run(&place, &root, &journal(&["runs", "export"]))
            .exits(0)
            .lines()
            .iter()
            .map(|line| line["id"].as_str().unwrap().to_owned())
            .collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 6, "{ids:?}");
        assert!(ids.contains(&"caf\\xE9".to_owned()) && ids.contains(&"caf\\x5CxE9".to_owned()), "{ids:?}");
        for id in ["caf\\xE9", "caf\\x5CxE9", "caf\\xE8"] {
            let shown = run(&place, &root, &journal(&["explain", "latest", "--document", id]));
            drop(shown.exits(0));
            drop(run(&place, &root, &journal(&["review", "show", id])).exits(0));
        }
        // What is finished is known again.
        arguments.push("--resume".into());
        let ran = run(&place, &root, &arguments);
        assert_eq!(ran.lines().len(), 0, "{} {}", ran.out, ran.err);
    }
}

#[test]
fn other_verbs_take_files_of_any_name() {
    for bytes in NAMES {
        let place = Workspace::new();
        let root = project(&place, OsStr::new("here"));
        let document = PathBuf::from("docs").join(name(bytes, ".txt")).into_os_string();
        let extraction = name(bytes, ".json");
        std::fs::write(root.join(&extraction), "{\"grade\": 2}").unwrap();
        for verb in ["validate", "correct"] {
            let mut arguments = words(&[verb, "--profile", "parts", "--out"]);
            arguments.extend([
                name(bytes, "-of"),
                "--extraction".into(),
                extraction.clone(),
                document.clone(),
            ]);
            drop(run(&place, &root, &arguments).exits(0));
        }
        let mut arguments = words(&["score", "--profile", "parts", "--source"]);
        arguments.extend([document.clone(), extraction.clone()]);
        drop(run(&place, &root, &arguments).exits(0));
        let mut arguments = words(&["repair"]);
        arguments.push(extraction.clone());
        drop(run(&place, &root, &arguments).exits(0));
        // A list of paths and a profile that is named by its path.
        let profile = name(bytes, ".yaml");
        std::fs::write(root.join("profiles").join(&profile), PROFILE).unwrap();
        let list = name(bytes, ".list");
        let mut lines = document.as_bytes().to_vec();
        lines.push(b'\n');
        if !bytes.contains(&b'\n') {
            std::fs::write(root.join(&list), lines).unwrap();
            let mut arguments = words(&["run", "--format", "jsonl", "--profile", "parts", "--from"]);
            arguments.push(list);
            assert_eq!(run(&place, &root, &arguments).exits(0).lines().len(), 1);
        }
    }
}

#[test]
fn a_record_names_a_file_as_it_is_spelled() {
    let place = Workspace::new();
    let root = project(&place, OsStr::new("here"));
    let record = serde_json::json!({ "id": "x", "path": "docs/caf\\xE9.txt" }).to_string();
    std::fs::write(root.join("list.jsonl"), record + "\n").unwrap();
    let ran = run(&place, &root, &words(&["run", "--profile", "parts", "--format", "jsonl", "list.jsonl"]))
        .exits(0);
    let ids: Vec<Value> = ran.lines().iter().map(|line| line["id"].clone()).collect();
    assert_eq!(ids, ["x"]);
}
