//! The files that a foreign project can have read: its own, and nothing that is no file.

use crate::workspace::{Ran, Workspace};
use std::os::unix::fs::symlink;
use std::path::Path;

const SECRET: &str = "grade is a secret that no server may see";

/// A project whose stage shows `notes.md`, `fine.md` and a schema to its provider, with a secret beside the project.
fn project() -> Workspace {
    let place = Workspace::new();
    place.write("../secret.txt", SECRET);
    place.write("../elsewhere/profiles/base.yaml", "extends: batch\n");
    place.write("../elsewhere/prompts/fine.md", SECRET);
    place.write("doc.txt", "A nodule.\n");
    place.write("answers.jsonl", "{\"value\": {\"grade\": \"2\"}}\n");
    place.write("prompts/fine.md", "Tag: {{ source }}");
    place.write("prompts/notes.md", "# Grade\nGrade it.\n");
    place.write("rules/mine.yaml", "rules: [{ id: a, field: grade, matches: 'x' }]\n");
    place.write("rules/rubrics/parts.yaml", "types: { unknown: { required: [grade] } }\n");
    place.write("schemas/mine.schema.json", "{\"type\": \"object\"}");
    place.write(
        "profiles/mine.yaml",
        "extends: ./base.yaml
classify: null
stages:
  - { id: extract, provider: scripted, config: { file: answers.jsonl }, prompt: fine.md,
      output: schemas/mine.schema.json, context_files: [notes.md] }
assess: { completeness: { rubric: parts }, validity: { rules: mine } }
overall: { completeness: 0.5, validity: 0.5, accuracy: null, consistency: null }
",
    );
    place.write("profiles/base.yaml", "extends: batch\n");
    place
}

fn pipe(path: &Path) {
    let _ = std::fs::remove_file(path);
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn lead(place: &Workspace, from: &str, to: &str) {
    let link = place.path(from);
    if link.is_dir() {
        std::fs::remove_dir_all(&link).unwrap();
    } else {
        let _ = std::fs::remove_file(&link);
    }
    symlink(to, link).unwrap();
}

#[test]
fn links_out_of_a_project_are_refused_whatever_names_them() {
    project().run(&["check", "mine"]).exits(0);
    for (link, target) in [
        ("prompts/fine.md", "../../secret.txt"),
        ("prompts/fine.md", "/proc/self/environ"),
        ("prompts/notes.md", "../../secret.txt"),
        ("prompts", "../elsewhere/prompts"),
        ("rules/mine.yaml", "../../secret.txt"),
        ("rules/rubrics/parts.yaml", "../../../secret.txt"),
        ("rules/rubrics", "/etc"),
        ("schemas/mine.schema.json", "../../secret.txt"),
        ("profiles/mine.yaml", "../../secret.txt"),
        ("profiles/base.yaml", "../../elsewhere/profiles/base.yaml"),
    ] {
        let place = project();
        lead(&place, link, target);
        for verb in [&["check", "mine"][..], &["run", "--profile", "mine", "doc.txt"]] {
            let ran = place.run(verb);
            if link == "rules/rubrics" {
                // There is no such file in that folder.
                ran.exits(2);
                continue;
            }
            let ran = ran.exits(2);
            let said = format!("{}{}", ran.out, ran.err);
            let is_refused =
                said.contains("leads out of the folder") || said.contains("is outside the folders");
            assert!(is_refused, "{link}: {said}");
            assert!(!said.contains("secret that"), "{link}: {said}");
        }
    }
}

#[test]
fn links_within_a_project_are_followed_but_not_to_hidden_files() {
    let place = project();
    place.write("shared/common.md", "Tag: {{ source }}");
    place.write(".env", "KEY=sk-1\n");
    lead(&place, "prompts/fine.md", "../shared/common.md");
    place.run(&["check", "mine"]).exits(0);
    lead(&place, "prompts/fine.md", "../.env");
    let ran = place.run(&["check", "mine"]).exits(2).finds(&["hidden file"]);
    assert!(!ran.out.contains("sk-1"), "{}", ran.out);
}

#[test]
fn a_profile_extends_files_of_its_project_or_of_the_working_directory() {
    let place = project();
    place.write("profiles/mine.yaml", "extends: ../../elsewhere/profiles/base.yaml\n");
    let refused = "is outside the folders in which files are looked up";
    place.run(&["check", "mine"]).exits(2).finds(&[refused, "profiles/mine.yaml:1:10"]);
    let mut command = place.loopctl(&["check", "work/profiles/mine.yaml"]);
    Ran::of(command.current_dir(place.path(".."))).exits(0);
}

#[test]
fn pipes_and_devices_are_refused_and_not_waited_for() {
    for name in [
        "prompts/fine.md",
        "prompts/notes.md",
        "rules/mine.yaml",
        "rules/rubrics/parts.yaml",
        "schemas/mine.schema.json",
        "profiles/base.yaml",
        "profiles/mine.yaml",
        "prices.yaml",
    ] {
        let place = project();
        pipe(&place.path(name));
        let ran = place.run(&["check", "mine"]).exits(2).finds(&["it is a named pipe, not a regular file"]);
        assert!(ran.out.contains(name), "{}", ran.out);
    }
    let place = project();
    place.run(&["repair", "--schema", "/dev/zero", "doc.txt"]).exits(1).says(&["it has more than"]);
    place.run(&["check", "/dev/zero/x.yaml"]).exits(2);
}

#[test]
fn checking_a_folder_ends_whatever_stands_in_it() {
    let place = project();
    pipe(&place.path("rules/pipe.yaml"));
    symlink("/", place.path("prompts/root")).unwrap();
    symlink("../../secret.txt", place.path("schemas/secret.json")).unwrap();
    let ran = place.run(&["check"]).exits(0).finds(&[
        "`./rules/pipe.yaml` can't be used: it is a named pipe, not a regular file",
        "`./prompts/root` can't be used: it leads out of the folder",
        "`./schemas/secret.json` can't be used: it leads out of the folder",
    ]);
    assert!(!ran.out.contains("secret that"), "{}", ran.out);
}

#[test]
fn a_folder_of_documents_holds_no_files_of_the_kernel() {
    let place = project();
    place.write("docs/a.txt", "A nodule.\n");
    symlink("/proc/self/environ", place.path("docs/b.txt")).unwrap();
    pipe(&place.path("docs/c.txt"));
    let ran = place.run(&["run", "--profile", "mine", "--format", "jsonl", "docs"]);
    let ids: Vec<String> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].to_string())
        .collect();
    assert_eq!(ids, ["\"a\""], "{}", ran.err);
}
