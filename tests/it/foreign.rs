//! Journals and folders of others: their content is no permission to run programs or to send documents anywhere.
#![cfg(unix)]

use crate::workspace::{Ran, Workspace};
use serde_json::json;
use std::os::unix::fs::symlink;

const JOURNAL: &str = "out/journal.sqlite";

/// A project whose program leaves a trace, with a run of which one document is left.
fn left_over(profile: &str, flags: &[&str]) -> Workspace {
    left_over_of(profile, flags, &["docs"])
}

/// Like [`left_over`], of other documents, of which the first is finished.
fn left_over_of(profile: &str, flags: &[&str], inputs: &[&str]) -> Workspace {
    let place = Workspace::new();
    place.write("rules/rubrics/parts.yaml", "types: { unknown: { required: [grade] } }\n");
    place.write("profiles/parts.yaml", profile);
    place.write("prompts/ask.md", "What is the grade in {{ source }}?");
    place.write("answer.sh", "echo x >> ran; echo '{\"grade\": \"2\"}'");
    place.write("docs/a.txt", "Grade 2.\n");
    place.write("docs/b.txt", "Grade 3.\n");
    let fixed = ["run", "--profile", "parts", "--jobs", "1", "--out", "out", "--config", "budget.calls=1"];
    let ran = place.run(&[&fixed[..], flags, inputs].concat()).exits(1);
    ran.says(&["the run's budget is spent"]);
    place
}

fn profile(provider: &str) -> String {
    format!(
        "classify: null
stages: [{{ id: extract, {provider}, prompt: ask.md, retries: 0 }}]
assess: {{ parts: {{ rubric: parts }} }}
overall: {{ from: parts }}
accept: {{ overall: 0.9 }}
stop: {{ max_iterations: 1 }}
"
    )
}

fn resume(place: &Workspace, more: &[&str]) -> Ran {
    place.run(&[&["resume", "--journal", JOURNAL, "--budget", "calls=10"], more].concat())
}

fn runs_of_the_program(place: &Workspace) -> usize {
    if place.path("ran").exists() { place.read("ran").lines().count() } else { 0 }
}

const COMMAND: &str = "provider: command, config: { command: [sh, answer.sh], answer: value }";

#[test]
fn a_recorded_permission_to_run_programs_is_none() {
    let in_profile = left_over(&profile(COMMAND), &["--allow-commands"]);
    let by_flag = left_over(
        &profile("provider: pattern"),
        &[
            "--allow-commands",
            "--provider",
            "command",
            "--provider-config",
            "command=[sh, answer.sh]",
            "--provider-config",
            "answer=value",
        ],
    );
    let by_config = left_over(
        &profile("provider: pattern"),
        &[
            "--allow-commands",
            "--config",
            "stages.0.provider=command",
            "--config",
            "stages.0.config={ command: [sh, answer.sh], answer: value }",
        ],
    );
    for place in [in_profile, by_flag, by_config] {
        assert_eq!(runs_of_the_program(&place), 1);
        resume(&place, &[]).exits(2).says(&[
            "runs the program `sh answer.sh`",
            "its journal may be someone else's",
            "--allow-commands",
        ]);
        assert_eq!(runs_of_the_program(&place), 1);
        // Verbs that only inspect the run start nothing either.
        for verb in [["review", "list"], ["runs", "show"], ["runs", "export"]] {
            place.run(&[&verb[..], &["--journal", JOURNAL]].concat());
        }
        assert_eq!(runs_of_the_program(&place), 1);
        resume(&place, &["--allow-commands"]).exits(0);
        assert_eq!(runs_of_the_program(&place), 2);
    }
}

#[test]
fn a_validator_that_is_a_program_is_neither_run_nor_left_out_in_silence() {
    let checked = profile("provider: scripted, config: { answers: [{ value: { grade: 2 } }] }").replace(
        "assess: {",
        "validators: { check: { command: [sh, check.sh], stages: [a] } }\nassess: { checked: { external: { validator: check } },",
    );
    let place = left_over(&checked, &["--allow-commands"]);
    place.write("check.sh", "echo x >> ran");
    resume(&place, &[]).exits(2).says(&[
        "runs the program `sh check.sh` (",
        "parts.yaml:",
        "--allow-commands",
    ]);
    assert_eq!(runs_of_the_program(&place), 0);
}

#[test]
fn a_harmless_run_goes_on_without_further_words() {
    let place =
        left_over(&profile("provider: scripted, config: { answers: [{ value: { grade: 2 } }] }"), &[]);
    resume(&place, &[]).exits(0);
    // The budget of the record is no longer that of the run.
    let place =
        left_over(&profile("provider: scripted, config: { answers: [{ value: { grade: 2 } }] }"), &[]);
    place.run(&["resume", "--journal", JOURNAL, "--config", "budget.calls=10"]).exits(0);
}

/// Resumes the same journal as a user who has never seen its run, in a folder of their own.
fn resume_as_a_stranger(place: &Workspace, here: &str, more: &[&str]) -> Ran {
    std::fs::create_dir_all(place.path(here)).unwrap();
    let journal = place.path(JOURNAL);
    let fixed = ["resume", "--journal", journal.to_str().unwrap(), "--budget", "calls=10"];
    let mut command = place.loopctl(&[&fixed[..], more].concat());
    Ran::of(command.current_dir(place.path(here)).env("LOOPCTL_HOME", place.path("home-of-a-stranger")))
}

const SCRIPTED: &str = "provider: scripted, config: { answers: [{ value: { grade: 2 } }] }";

#[test]
fn files_that_a_strangers_record_reads_and_writes_are_permitted_one_by_one() {
    let elsewhere = tempfile::tempdir().unwrap();
    let at = |name: &str| elsewhere.path().join(name).to_str().unwrap().to_owned();
    std::fs::create_dir(at("secrets")).unwrap();
    std::fs::write(at("secrets/key.txt"), "Grade 3.\n").unwrap();
    let (cache, key) = (at("cache"), at("secrets/key.txt"));
    let place = left_over_of(&profile(SCRIPTED), &["--cache-dir", &cache], &["docs", &key]);
    // The user who began the run resumes it without further words: see the other test.
    let refused = resume_as_a_stranger(&place, "project-of-a-stranger", &[]).exits(2);
    let folder = place.path("").canonicalize().unwrap();
    refused.says(&[
        &format!("works in the folder `{}`, where its record says that it began", folder.display()),
        &format!("writes to `{cache}` (--cache-dir in its record)"),
        &format!("reads the document `{key}`"),
        "its journal may be someone else's",
        &format!("--allow-path {}", at("secrets")),
    ]);
    // Permission for one of them is none for the others.
    let here = place.path("").to_str().unwrap().to_owned();
    let refused = resume_as_a_stranger(&place, "project-of-a-stranger", &["--allow-path", &here]).exits(2);
    assert!(refused.err.contains("/secrets") && !refused.err.contains("works in"), "{}", refused.err);
    let all = ["--allow-path", &here, "--allow-path", &cache, "--allow-path", &at("secrets")];
    resume_as_a_stranger(&place, "project-of-a-stranger", &all).exits(0);
}

#[test]
fn a_run_of_ones_own_reads_and_writes_where_it_did() {
    let elsewhere = tempfile::tempdir().unwrap();
    let at = |name: &str| elsewhere.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(at("key.txt"), "Grade 3.\n").unwrap();
    let place = left_over_of(&profile(SCRIPTED), &["--cache-dir", &at("cache")], &["docs", &at("key.txt")]);
    resume(&place, &[]).exits(0);
    // To others the folder of the run, or one above it, is permission for what lies below.
    for here in ["", "."] {
        let place = left_over(&profile(SCRIPTED), &[]);
        resume_as_a_stranger(&place, here, &[]).exits(0);
    }
}

#[test]
fn a_link_below_the_folder_that_leads_out_of_it_is_out_of_it() {
    let elsewhere = tempfile::tempdir().unwrap();
    let place = left_over(&profile(SCRIPTED), &[]);
    std::fs::write(elsewhere.path().join("key"), "Grade 3.\n").unwrap();
    std::fs::remove_file(place.path("docs/b.txt")).unwrap();
    symlink(elsewhere.path().join("key"), place.path("docs/b.txt")).unwrap();
    resume_as_a_stranger(&place, "", &[]).exits(2).says(&["reads the document `", "key`", "--allow-path"]);
}

#[test]
fn a_recording_that_is_there_is_followed_by_another() {
    let place = left_over(&profile(SCRIPTED), &["--record", "tape"]);
    resume(&place, &[]).exits(2).says(&["`tape` holds recorded exchanges already", "--record"]);
    resume(&place, &["--record", "tape-2"]).exits(0);
    assert_eq!(place.names("tape-2").len(), 1, "{:?}", place.names("tape-2"));
}

#[test]
fn a_setting_of_resume_that_makes_another_policy_is_named() {
    let place = left_over(&profile(SCRIPTED), &[]);
    resume(&place, &["--config", "accept.overall=0.5"]).exits(2).says(&[
        "`--config accept.overall=0.5` makes another policy of `parts` than run `",
        "only its `budget` may be another",
    ]);
    // A file that has changed is what it was: the folder's.
    place.write("profiles/parts.yaml", profile(SCRIPTED).replace("0.9", "0.8"));
    resume(&place, &["--config", "accept.overall=0.5"]).exits(2).says(&["has changed since run"]);
}

#[test]
fn servers_that_the_folder_of_the_run_names_are_asked_for() {
    let place =
        left_over(&profile("provider: scripted, config: { answers: [{ value: { grade: 2 } }] }"), &[]);
    // The same profile by its digest needs no more words; one that now names a server is another.
    place.write(
        "profiles/parts.yaml",
        profile("provider: 'openai:m', config: { base_url: 'https://evil.example/v1' }"),
    );
    resume(&place, &[]).exits(2).says(&[
        "sends documents to `evil.example` (",
        "parts.yaml:2",
        "--allow-host evil.example",
    ]);
    resume(&place, &["--allow-host", "evil.example"]).exits(2).says(&["has changed since run"]);
}

#[test]
fn prices_and_plugins_of_a_record_are_named_again() {
    let scripted = profile("provider: scripted, config: { answers: [{ value: { grade: 2 } }] }");
    let place = left_over(&scripted, &[]);
    place.write(
        "free.yaml",
        "prices: [{ provider: scripted, models: ['*'], input: 0, output: 0, as_of: 2026-01-01 }]\n",
    );
    let ran = place.run(&[
        "run",
        "--profile",
        "parts",
        "--jobs",
        "1",
        "--out",
        "two",
        "--config",
        "budget.calls=1",
        "--prices",
        "free.yaml",
        "docs",
    ]);
    ran.exits(1);
    let again = |more: &[&str]| {
        let fixed = ["resume", "--journal", "two/journal.sqlite", "--budget", "calls=10"];
        place.run(&[&fixed[..], more].concat())
    };
    again(&[]).exits(2).says(&["by the prices in `free.yaml`", "--prices free.yaml"]);
    again(&["--prices", "free.yaml"]).exits(0);
}

#[test]
fn what_a_record_writes_besides_its_results_is_not_written_again() {
    let scripted = profile("provider: scripted, config: { answers: [{ value: { grade: 2 } }] }");
    let place = left_over(&scripted, &["--report", "page.html", "--log", "text", "--log-file", "run.log"]);
    for file in ["page.html", "run.log"] {
        place.write(file, "mine");
    }
    resume(&place, &[]).exits(0).says(&["the run's command had `--log`, `--report`"]);
    assert_eq!((place.read("page.html"), place.read("run.log")), ("mine".to_owned(), "mine".to_owned()));
}

#[test]
fn a_folder_says_what_it_takes_and_where_documents_go() {
    let place = Workspace::new();
    place.write(
        "profiles/clinical.yaml",
        "extends: balanced\nstages:\n  - { id: extract, provider: 'openai:m', prompt: extract.md,\n      config: { base_url: 'http://127.0.0.1:9/v1' }, retries: 0 }\n",
    );
    place.write("docs/a.txt", "A report.\n");
    place.run(&["run", "--profile", "clinical", "--quiet", "docs"]).says(&[
        "the profile `clinical` ships with loopctl, and is changed here by profiles/clinical.yaml",
        "documents go to `127.0.0.1:9` (named by ",
        "profiles/clinical.yaml:4)",
    ]);
    let checked = place.run(&["check", "clinical"]);
    assert!(checked.out.contains("LC639") && checked.out.contains("127.0.0.1:9"), "{}", checked.out);
    // A server named on the command line is known to the user.
    let ran = place.run(&[
        "run",
        "--provider",
        "openai:m",
        "--provider-config",
        "base_url=http://127.0.0.1:9/v1",
        "docs",
    ]);
    assert!(!ran.err.contains("documents go to"), "{}", ran.err);
}

#[test]
fn links_and_lists_that_lead_out_of_a_folder_are_left_out() {
    let place = Workspace::new();
    place.write("secret/key.txt", "a key\n");
    place.write("project/docs/a.txt", "A report.\n");
    symlink(place.path("secret/key.txt"), place.path("project/docs/b.txt")).unwrap();
    symlink(place.path("secret"), place.path("project/docs/more")).unwrap();
    let ran = place.run(&["run", "--format", "jsonl", "project/docs"]);
    assert_eq!(ran.lines().len(), 1);
    ran.says(&["left out: 2 links that lead out of their folder"]);
    let list = json!({ "id": "s", "path": "../../secret/key.txt" }).to_string();
    place.write("project/docs/list.jsonl", &list);
    let ran = place.run(&["run", "--format", "jsonl", "project/docs"]).exits(1);
    ran.says(&["leads out of the folder that the list was found in"]);
    // What a person names is read.
    assert_eq!(place.run(&["run", "--format", "jsonl", "project/docs/b.txt"]).lines().len(), 1);
    assert_eq!(place.run(&["run", "--format", "jsonl", "project/docs/list.jsonl"]).lines().len(), 1);
}

#[test]
fn prices_of_a_folder_are_told_and_free_ones_warned_of() {
    let place = Workspace::new();
    place.write(
        "prices.yaml",
        "prices: [{ provider: openai, models: ['*'], input: 0, output: 0, as_of: 2026-01-01 }]\n",
    );
    place.write("docs/a.txt", "A report.\n");
    let flags = ["--provider", "openai:gpt-5", "--provider-config", "base_url=http://127.0.0.1:9/v1"];
    let ran = place.run(&[&["run", "--config", "budget.cost_usd=1", "docs"], &flags[..]].concat());
    ran.says(&[
        "what calls cost is counted by `",
        "prices.yaml`",
        "`openai` asks nothing for `gpt-5`, and it charges",
    ]);
    let checked = place.run(&["check", "prices.yaml"]);
    assert!(checked.out.contains("LC640"), "{}", checked.out);
}
