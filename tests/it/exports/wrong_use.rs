//! Exports that fail, and why.

use super::{ODD, export, reports, scripted};
use crate::workspace::Workspace;

#[test]
fn a_run_or_a_journal_that_is_not_there_is_named() {
    let place = scripted(ODD);
    place
        .run(&["runs", "export", "2031", "--to", "a.csv"])
        .exits(1)
        .says(&["holds no run `2031`", "runs list"]);
    export(&place, "a.csv", &["--journal", "none.sqlite"])
        .exits(1)
        .says(&["there is no journal `none.sqlite`"]);
    assert!(!place.path("a.csv").exists());
}

#[test]
fn a_journal_without_runs_has_nothing_to_export() {
    let place = scripted(ODD);
    let id = place.run(&["runs", "list", "--format", "json"]).json()[0]["id"].as_str().unwrap().to_owned();
    place.run(&["runs", "prune", &id]).exits(0);
    export(&place, "a.csv", &[]).exits(1).says(&["holds no run"]);
}

#[test]
fn a_file_whose_name_says_nothing_needs_a_format() {
    let place = scripted(ODD);
    for file in ["results.xls", "results"] {
        export(&place, file, &[]).exits(2).says(&[
            "does not say what the file is to hold",
            "`.xlsx`",
            "--format",
        ]);
    }
    export(&place, "results", &["--format", "csv"]).exits(0);
    assert!(place.read("results").starts_with("document,"));
    export(&place, "a.CSV", &[]).exits(0);
    place.run(&["runs", "export", "--format", "csv"]).exits(2).says(&["--to"]);
    export(&place, "a.csv", &["--out", "folder"]).exits(2).says(&["cannot be used with"]);
    export(&place, "a.jsonl", &["--leave-out", "grade"]).exits(2).says(&["results are written whole"]);
}

#[test]
fn places_that_can_not_be_written_to_are_named_and_nothing_is_left_there() {
    let place = scripted(ODD);
    std::fs::create_dir(place.path("folder.csv")).unwrap();
    export(&place, "folder.csv", &[]).exits(2).says(&["`folder.csv` is a folder"]);
    export(&place, "no/where.csv", &[]).exits(1).says(&["can't write to `no/where.csv`"]);
    let before = std::fs::read(place.path("out/journal.sqlite")).unwrap();
    export(&place, "out/journal.sqlite", &["--format", "csv"])
        .exits(2)
        .says(&["would overwrite the journal"]);
    assert!(before == std::fs::read(place.path("out/journal.sqlite")).unwrap());
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_takes_no_file_is_named() {
    let place = scripted(ODD);
    // No user can make a file there.
    export(&place, "/proc/a.csv", &[]).exits(1).says(&["can't write to `/proc/a.csv`"]);
}

#[test]
fn what_is_asked_for_and_is_not_there_is_named_and_the_earlier_file_stays() {
    let place = reports();
    place.write("a.csv", "earlier");
    let kept = |place: &Workspace| {
        assert_eq!(place.read("a.csv"), "earlier");
        assert!(!place.names("").iter().any(|name| name.starts_with(".loopctl-")));
    };
    export(&place, "a.csv", &["--type", "patholgy"])
        .exits(2)
        .says(&["no document of type `patholgy`", "`pathology`?"]);
    export(&place, "a.csv", &["--leave-out", "grad"]).exits(2).says(&["has a field `grad`", "`grade`?"]);
    kept(&place);
    for (correction, said) in [
        (r#"{"document": "nobody", "field": "grade", "after": "2"}"#, "has no document `nobody`"),
        (r#"{"document": "liver-resection", "field": "/grade/0", "after": "2"}"#, "has no place `/grade/0`"),
        (r#"{"document": "liver-resection", "field": "grade"}"#, "`after`: expected the right value"),
        (
            "{\"document\": \"a\", \"field\": \"grade\", \"after\": 1}\n{\"document\": \"a\", \"field\": \"grade\", \"after\": 2}",
            "disagree: corrections.jsonl, line 1, and corrections.jsonl, line 2",
        ),
    ] {
        place.write("corrections.jsonl", correction);
        export(&place, "a.csv", &["--corrections", "corrections.jsonl"]).exits(1).says(&[said]);
        kept(&place);
    }
    place.write("corrections.jsonl", r#"{"document": "liver-resection", "field": "grade", "after": "2"}"#);
    let over = ["--corrections", "corrections.jsonl", "--format", "csv"];
    export(&place, "corrections.jsonl", &over).exits(2).says(&["would overwrite the corrections"]);
    // Nothing was wrong: the earlier file is replaced.
    export(&place, "a.csv", &[]).exits(0);
    assert!(place.read("a.csv").starts_with("document,"));
}
