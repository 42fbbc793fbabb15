//! Plugins that end the process, or keep it from ending: what scripts read off the exit status is still true.
#![cfg(unix)]

use crate::neighbour::{compile, one_stage};
use crate::workspace::{Ran, Workspace};
use std::fs::File;
use std::time::{Duration, SystemTime};

/// A document that passes whatever is found in it.
fn place() -> Workspace {
    one_stage("pattern", "", "accept: { overall: 0 }\nstop: { max_iterations: 1 }\n")
}

/// The document, asked of this neighbour.
fn run(place: &Workspace, neighbour: &str, more: &[&str]) -> Ran {
    let library = compile(neighbour, &place.path("elsewhere"));
    let library = library.to_str().unwrap();
    place.run(&["plugin", "trust", library]).exits(0);
    let mut arguments = vec!["run", "--profile", "parts", "--out", "out", "doc.txt", "--provider", library];
    arguments.extend(more);
    place.run(&arguments)
}

#[test]
fn a_plugin_that_exits_does_not_make_a_success() {
    let place = place();
    run(&place, "faulty", &["--provider-config", "fault=none"]).exits(0);
    let ran = run(&place, "faulty", &["--provider-config", "fault=exits_in_close"]).exits(1);
    ran.says(&[
        "error: a plugin ended the process in the middle of its work",
        "help: `loopctl plugin check`",
    ]);
    assert!(place.path("out/doc-result.json").exists());
}

#[test]
fn what_a_plugin_prints_stands_between_no_results() {
    let ran = run(&place(), "faulty", &["--provider-config", "fault=prints", "--format", "jsonl"]).exits(0);
    assert_eq!(ran.lines().len(), 1, "{}", ran.out);
    assert!(!ran.out.contains("no result"), "{}", ran.out);
    ran.says(&["no result"]);
}

#[test]
fn a_plugin_that_hangs_in_release_keeps_neither_the_answer_nor_the_process() {
    run(&place(), "hangs_in_release", &[]).exits(0);
}

#[test]
fn a_plugin_that_hangs_while_it_is_loaded_does_not_keep_the_process() {
    run(&place(), "hangs_on_load", &[]).exits(1).says(&["can't load", "longer than 10 s"]);
}

#[test]
fn copies_that_were_left_behind_are_removed_when_they_are_old() {
    let place = Workspace::new();
    place.write("doc.txt", "Grade 2.\n");
    let yesterday = SystemTime::now() - Duration::from_secs(25 * 60 * 60);
    let aged = |name: &str| {
        let path = place.write(&format!("tmp/{name}"), "x");
        File::options().write(true).open(&path).unwrap().set_modified(yesterday).unwrap();
        path
    };
    let suffix = std::env::consts::DLL_SUFFIX;
    let left = aged(&format!("loopctl-plugin-a1B2c3{suffix}"));
    let kept = [
        aged(&format!("loopctl-plugin-notes-of-mine{suffix}")),
        aged("loopctl-plugin-a1B2c3.txt"),
        place.write(&format!("tmp/loopctl-plugin-d4E5f6{suffix}"), "another process is about to load it"),
    ];
    let target = aged("target");
    let link = place.path(format!("tmp/loopctl-plugin-g7H8i9{suffix}"));
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let mut run = place.loopctl(&["run", "--provider", "pattern", "doc.txt"]);
    Ran::of(run.env("TMPDIR", place.path("tmp")));
    assert!(!left.exists());
    for path in kept.iter().chain([&target, &link]) {
        assert!(path.exists(), "{}", path.display());
    }
    assert_eq!(std::fs::read_dir(place.path("tmp")).unwrap().count(), kept.len() + 2);
}
