//! The documents that `loopctl run` takes: folders at any depth, patterns, lists and records.

use crate::workspace::{Ran, Workspace};
use serde_json::json;

const REPORT: &str = "Pathology report. Histologic type: ductal carcinoma. Histologic grade: 2.";

fn ids(ran: &Ran) -> Vec<String> {
    ran.lines().iter().map(|line| line["id"].as_str().unwrap().to_owned()).collect()
}

fn record(id: &str, more: &serde_json::Value) -> String {
    let mut record = json!({ "id": id });
    for (key, value) in more.as_object().unwrap() {
        record[key] = value.clone();
    }
    record.to_string() + "\n"
}

#[test]
fn what_is_left_out_is_counted_and_the_results_of_a_run_are_no_documents() {
    let place = Workspace::new();
    for name in
        ["reports/a.txt", "reports/2024/b.txt", "reports/scan.tif", "reports/x.pptx", "reports/.notes/c.txt"]
    {
        place.write(name, REPORT);
    }
    let run = |more: &[&str]| {
        place.run(
            &[&["run", "--format", "jsonl", "--config", "stop.max_iterations=1"], more, &["reports"]]
                .concat(),
        )
    };
    let first = run(&["--out", "reports/out"]);
    assert_eq!(ids(&first), ["2024/b", "a"]);
    first.says(&["left out: 2 files with other endings (.pptx 1, .tif 1), 1 hidden file or folder, 1 folder of results\n"]);
    let again = run(&["--out", "reports/out"]);
    assert_eq!(ids(&again).len(), 2);
    again.says(&["1 hidden file or folder, 1 folder of results"]);
    // Regardless of the folder of a later run's results.
    let other = run(&["--out", "other", "--quiet"]);
    assert_eq!((ids(&other).len(), other.err.as_str()), (2, ""));
}

#[test]
fn files_that_differ_in_their_ending_both_run() {
    let place = Workspace::new();
    place.write("in/x.txt", REPORT);
    place.write("in/x.md", REPORT);
    let ran = place.run(&["run", "--format", "jsonl", "--out", "out", "in"]);
    assert_eq!(ids(&ran), ["x", "in/x"]);
    let results = place.names("out").into_iter().filter(|name| name.ends_with("-result.json"));
    assert_eq!(results.count(), 2);
    assert_eq!(ids(&place.run(&["run", "--format", "jsonl", "in/x.txt", "in/x.md"])), ["x.txt", "x.md"]);
}

#[test]
fn a_pattern_in_quotes_finds_what_it_says() {
    let place = Workspace::new();
    for name in ["r/1/report.txt", "r/2/report.txt", "r/2/deep/report.txt", "r/2/note.md", "r/log.out"] {
        place.write(name, REPORT);
    }
    let run = |pattern: &str| place.run(&["run", "--format", "jsonl", pattern]);
    assert_eq!(ids(&run("r/**/report.txt")), ["1/report", "2/deep/report", "2/report"]);
    assert_eq!(ids(&run("r/*/report.txt")), ["1/report", "2/report"]);
    assert_eq!(ids(&run("*/2/*.md")), ["r/2/note"]);
    run("r/*.xml").exits(1).says(&["no file matches `r/*.xml`", "`**/` matches any folders"]);
    run("reprots/*.txt").exits(1).says(&["there is no folder `reprots`"]);
    run("r/[a").exits(1).says(&["unclosed character class"]);
}

#[test]
fn records_are_documents_each_with_its_type() {
    let place = Workspace::new();
    place.write("files/b.txt", REPORT);
    let lines = [
        record("one", &json!({ "text": REPORT, "document_type": "pathology" })),
        record("two", &json!({ "path": "files/b.txt", "document_type": "radiology" })),
        record("three", &json!({ "text": REPORT, "variables": { "ward": "3" } })),
    ];
    place.write("all.jsonl", lines.concat());
    let arguments = ["run", "--format", "jsonl", "--type", "clinical-notes"];
    let ran = place.run(&[&arguments[..], &["--out", "out", "all.jsonl"]].concat());
    assert_eq!(ids(&ran), ["one", "two", "three"]);
    let types: Vec<_> = ran.lines().iter().map(|line| line["document_type"].clone()).collect();
    assert_eq!(types, ["pathology", "radiology", "clinical-notes"]);
    assert!(place.names("out").contains(&"three-result.json".to_owned()));
    // The same from a list, which is any file, and from a pipe.
    place.write("list", lines.concat());
    assert_eq!(ids(&place.run(&[&arguments[..], &["--from", "list"]].concat())), ["one", "two", "three"]);
    let piped =
        Ran::of(place.loopctl(&[&arguments[..], &["--from", "-"]].concat()).write_stdin(lines.concat()));
    assert_eq!(ids(&piped), ["one", "two", "three"]);
    assert_eq!(piped.lines()[0]["best_extraction"]["histology"], "ductal carcinoma");
}

#[test]
fn bad_lines_are_named_and_the_others_run() {
    let place = Workspace::new();
    let lines = [
        record("good", &json!({ "text": REPORT })),
        "{\"id\": \"cut\", \"text\": \"Secret\n".to_owned(),
        record("typo", &json!({ "txet": "Secret" })),
        record("type", &json!({ "text": "Secret", "document_type": "patology" })),
        record("large", &json!({ "text": format!("{REPORT}{}", " and so on".repeat(100_000)) })),
        record("empty", &json!({ "text": "" })),
    ];
    place.write("l.jsonl", format!("\u{feff}{}", lines.concat().replace('\n', "\r\n")));
    let ran = place.run(&["run", "--format", "jsonl", "--profile", "real-time", "l.jsonl"]).exits(1).says(&[
        "error: `l.jsonl`, line 2: this is not JSON",
        "error: `l.jsonl`, line 3: unknown key `txet` in this record",
        "help: did you mean `text`?",
        "error: `l.jsonl`, line 4: no document type is called `patology`",
        "did you mean `pathology`?",
    ]);
    assert_eq!(ids(&ran), ["good", "large", "empty"]);
    assert!(!ran.err.contains("Secret"), "{}", ran.err);
    assert_eq!(ran.lines()[2]["stop_reason"], "unreadable_input");
}

#[test]
fn lists_of_paths_come_from_a_file_or_a_pipe() {
    let place = Workspace::new();
    for name in ["a/report.txt", "b/report.txt", "in/x.txt"] {
        place.write(name, REPORT);
    }
    let list = "./a/report.txt\n\nb/report.txt\nnone.txt\nin\na/report.txt\n";
    place.write("list.txt", list);
    let from_file = place.run(&["run", "--format", "jsonl", "--from", "list.txt"]).exits(1);
    let from_file = from_file
        .says(&["`list.txt`, line 4: there is no file or folder `none.txt`", "1 document named twice"]);
    assert_eq!(ids(&from_file), ["a/report", "b/report", "x"]);
    let piped = Ran::of(place.loopctl(&["run", "--format", "jsonl", "--from", "-"]).write_stdin(list));
    assert_eq!(ids(&piped), ids(&from_file));
    piped.says(&["standard input, line 4"]);
    let nothing = Ran::of(place.loopctl(&["run", "--from", "-"]).write_stdin("\n"));
    nothing.exits(1).says(&["standard input names no documents"]);
    place
        .run(&["run", "--from", "none", "a/report.txt"])
        .exits(1)
        .says(&["there is no file or folder `none`"]);
}

#[test]
fn records_where_one_document_was_meant_are_told_from_it() {
    let place = Workspace::new();
    let run = |arguments: &[&str], text: &str| Ran::of(place.loopctl(arguments).write_stdin(text.to_owned()));
    let two = [record("a", &json!({ "text": REPORT })), record("b", &json!({ "text": REPORT }))].concat();
    run(&["run", "-"], &two)
        .exits(1)
        .says(&["standard input holds a document on each line", "write `--from -`"]);
    let one = run(&["run", "--format", "jsonl", "-"], &record("a", &json!({ "text": REPORT })));
    assert_eq!(ids(&one), ["stdin"]);
    run(&["run", "--from", "-", "-"], &two).exits(2).says(&["standard input can't be a document and a list"]);
}

#[cfg(target_os = "linux")]
#[test]
fn links_and_pipes_in_a_folder_hold_nothing_up() {
    use std::os::unix::fs::symlink;
    let place = Workspace::new();
    place.write("in/a.txt", REPORT);
    for (target, link) in
        [("..", "in/up"), (".", "in/itself"), ("gone", "in/gone.txt"), ("/proc/self/environ", "in/env.txt")]
    {
        symlink(target, place.path(link)).unwrap();
    }
    let made = std::process::Command::new("mkfifo").arg(place.path("in/pipe.txt")).status().unwrap();
    assert!(made.success());
    let ran = place.run(&["run", "--format", "jsonl", "in"]);
    assert_eq!(ids(&ran), ["a"]);
    ran.says(&["left out: 2 pipes, devices or other special files, 1 dangling link, 1 link that leads out of its folder, 1 folder that was read already"]);
    // What a person names is read, be it a pipe.
    let mut shell = std::process::Command::new("bash");
    place.isolate(&mut shell);
    let script = "loopctl run --format jsonl --from <(echo in/a.txt) <(cat in/a.txt)";
    let ended = shell.args(["-c", script]).current_dir(place.path("")).output().unwrap();
    assert_eq!(String::from_utf8(ended.stdout).unwrap().lines().count(), 2, "{:?}", ended.stderr);
}
