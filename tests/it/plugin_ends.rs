//! Plugins that end the process, or keep it from ending: what scripts read off the exit status is still true.
#![cfg(unix)]

use crate::neighbour::{compile, one_stage};
use crate::workspace::{Ran, Workspace};

/// A document that passes regardless of what is found in it.
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
#[ignore = "long"]
fn a_plugin_that_hangs_while_it_is_loaded_does_not_keep_the_process() {
    run(&place(), "hangs_on_load", &[]).exits(1).says(&["can't load", "longer than 10 s"]);
}

/// The folder for temporary files does not matter to plugins that can be loaded from memory.
#[cfg(target_os = "linux")]
#[test]
fn plugins_are_loaded_whatever_the_folder_for_temporary_files_is() {
    use std::os::unix::fs::PermissionsExt;
    let place = Workspace::new();
    place.write("doc.txt", "Grade 2.\n");
    std::fs::create_dir(place.path("open")).unwrap();
    std::fs::set_permissions(place.path("open"), std::fs::Permissions::from_mode(0o777)).unwrap();
    for folder in ["open", "none"] {
        let mut run = place.loopctl(&["run", "--provider", "pattern", "doc.txt"]);
        let ran = Ran::of(run.env("TMPDIR", place.path(folder)));
        assert!(!ran.err.contains("can't load"), "{folder}: {}", ran.err);
        assert!(ran.out.contains("doc"), "{folder}: {} {}", ran.out, ran.err);
    }
    assert_eq!(std::fs::read_dir(place.path("open")).unwrap().count(), 0);
}
