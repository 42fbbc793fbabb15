//! Properties of the command line as a whole: formats, names, where things are written, and who is asked.

use crate::judges::judged;
use crate::pipeline::{answer, place};
use crate::workspace::{Ran, Workspace};
use serde_json::json;

const EXTRACTION: &str = r#"{"histology": "invasive ductal carcinoma", "grade": "2"}"#;
const RECORD: &str =
    r#"{"id": "a", "document_type": "pathology", "extraction": {"histology": "carcinoma", "grade": "2"}}"#;
const TRAJECTORY: &str = r#"{"id": "t", "iterations": [{"scores": {"completeness": 1.0, "accuracy": 1.0}}]}"#;

fn files() -> Workspace {
    let place = Workspace::new();
    place.document("pathology-gastric.txt");
    place.write("good.json", EXTRACTION);
    place.write("records.jsonl", RECORD);
    place.write("t.jsonl", TRAJECTORY);
    place
}

#[test]
fn flags_that_are_not_there_are_answered_with_what_to_write() {
    let place = files();
    for (arguments, advice) in [
        (&["run", "--cache=kept", "x.txt"][..], "`--cache-dir DIR`"),
        (&["plugin", "list", "--json"], "`--format json`"),
        (&["repair", "--jsonl", "-"], "`--format jsonl`"),
        (&["score", "--provider", "pattern", "records.jsonl"], "`score` asks no provider"),
        (
            &["validate", "--judge", "scripted", "--extraction", "good.json", "x.txt"],
            "`validate` asks no provider",
        ),
    ] {
        place.run(arguments).exits(2).says(&[advice]);
    }
}

#[test]
fn records_are_lines_where_standard_output_is_no_terminal() {
    let place = files();
    let verbs = [
        &["run", "--quiet", "pathology-gastric.txt"][..],
        &["validate", "--extraction", "good.json", "pathology-gastric.txt"],
        &["correct", "--extraction", "good.json", "pathology-gastric.txt"],
        &["score", "records.jsonl"],
        &["simulate", "t.jsonl"],
    ];
    for verb in verbs {
        let piped = place.run(verb);
        assert!(piped.lines()[0].is_object(), "{verb:?}: {}", piped.out);
        let as_text = Ran::of(place.loopctl(verb).env("LOOPCTL_FORMAT", "text"));
        assert!(!as_text.out.starts_with('{'), "{verb:?}: {}", as_text.out);
        let flag_wins = Ran::of(place.loopctl(verb).args(["--format", "json"]).env("LOOPCTL_FORMAT", "text"));
        flag_wins.json();
        Ran::of(place.loopctl(verb).env("LOOPCTL_FORMAT", "table"))
            .exits(2)
            .says(&["`LOOPCTL_FORMAT` is `table`", "`text`, `json` or `jsonl`"]);
    }
}

#[test]
fn every_verb_with_a_format_has_text_and_both_kinds_of_json() {
    let place = files();
    place.write("profiles/mine.yaml", "extends: clinical\nstop: { max_iteration: 3 }\n");
    for verb in [
        &["check", "mine"][..],
        &["test", "balanced"],
        &["plugin", "list"],
        &["profile", "list"],
        &["profile", "show", "clinical"],
        &["profile", "diff", "clinical", "batch"],
        &["profile", "explain", "clinical"],
        &["explain", "clinical"],
        &["explain", "LC101"],
        &["explain", "codes"],
        &["read", "pathology-gastric.txt", "--clauses"],
    ] {
        let of = |format: &str| place.run(&[verb, &["--format", format]].concat());
        assert!(!of("text").out.is_empty(), "{verb:?}");
        let whole = of("json").json();
        let lines = of("jsonl").lines();
        match whole.as_array() {
            Some(list) => assert_eq!(&lines, list, "{verb:?}"),
            None => assert_eq!(lines, [whole], "{verb:?}"),
        }
    }
}

#[test]
fn explain_takes_a_run_a_profile_or_a_code() {
    let place = files();
    place.run(&["run", "--quiet", "--out", "out", "pathology-gastric.txt"]);
    let of = |target: &str| place.run(&["explain", target]).exits(0).out;
    assert!(of("LC101").starts_with("# LC101: "));
    let missing = of("MISSING_FIELD");
    assert!(missing.starts_with("MISSING_FIELD: a field that the rubric asks for is empty\n"), "{missing}");
    assert!(missing.contains("docs/review.md"), "{missing}");
    place.run(&["explain", "MISING_FIELD"]).exits(2).says(&["did you mean `MISSING_FIELD`?"]);
    place
        .run(&["explain", "GRADE_FORMAT"])
        .exits(2)
        .says(&["it is that of a rule", "loopctl explain PROFILE"]);
    place.run(&["explain", "MISSING_FIELD", "--document", "a"]).exits(2).says(&["is a code"]);
    assert_eq!(of("clinical"), place.run(&["profile", "explain", "clinical"]).exits(0).out);
    place.write("mine.yaml", "extends: clinical\n");
    assert!(of("mine.yaml").contains("mine"));
    assert_eq!(of("out"), of("out/pathology-gastric-result.json"));
    place.run(&["explain", "clinicl"]).exits(2).says(&["did you mean the profile `clinical`?"]);
    place.run(&["explain", "LC101", "--document", "a"]).exits(2).says(&["is a code"]);
    place.run(&["explain", "clinical", "--document", "a"]).exits(2).says(&["is a profile"]);
    place.run(&["explain", "out", "--config", "accept.overall=1"]).exits(2).says(&["is a run"]);
    let strict = place.run(&["explain", "clinical", "--config", "accept.overall=0.77"]).exits(0).out;
    assert!(strict.contains("0.77"), "{strict}");
}

#[test]
fn the_latest_run_is_the_latest_wherever_its_journal_is() {
    let place = files();
    place.document("pathology-kidney.txt");
    place.run(&["run", "--quiet", "pathology-kidney.txt"]);
    assert!(place.run(&["explain", "latest"]).exits(0).out.contains("pathology-kidney"));
    place.run(&["run", "--quiet", "--out", "out", "pathology-gastric.txt"]);
    let latest = place.run(&["explain", "latest"]).exits(0).out;
    assert!(latest.contains("pathology-gastric"), "{latest}");
    // A journal that is gone is no reason to say nothing, nor to pass another run for the latest.
    std::fs::remove_dir_all(place.path("out")).unwrap();
    let before = place.run(&["explain", "latest"]).exits(0).says(&["which is gone; this is one before it"]);
    assert!(before.out.contains("pathology-kidney"), "{}", before.out);
}

#[test]
fn validate_asks_nobody() {
    let judge = answer("j", json!({ "s": 1.0, "issues": [] }));
    let place = place(&judged("", ""), &[judge]);
    place.write("candidate.json", r#"{"tags": "x"}"#);
    let arguments =
        ["validate", "--profile", "parts", "--extraction", "candidate.json", "--format", "json", "doc.txt"];
    let result = place.run(&arguments).exits(3).json();
    assert_eq!(result["usage"]["calls"], 0, "{result}");
    assert!(result["warnings"].to_string().contains("judge `j` was not asked"), "{result}");
    // The environment names no judge, either.
    let shipped = ["validate", "--profile", "literature", "--extraction", "candidate.json", "doc.txt"];
    let ran = Ran::of(place.loopctl(&shipped).env("LOOPCTL_JUDGE", "no-such-plugin"));
    assert!(matches!(ran.code, Some(0 | 3)), "{}", ran.err);
}

#[test]
fn a_price_of_a_provider_that_there_is_not_is_a_warning() {
    let place = Workspace::new();
    let prices = "prices:\n  - { provider: opnai, models: ['*'], input: 1, output: 2, as_of: 2026-11-05 }\n  - { provider: Ollama, models: ['*'], input: 1, output: 2, as_of: 2026-11-05 }\n";
    place.write("prices.yaml", prices);
    for arguments in [&["check", "prices.yaml"][..], &["check"]] {
        let found = place.run(arguments).exits(0).out;
        assert!(found.contains("no provider is called `opnai`, so this price never applies"), "{found}");
        assert!(found.contains("did you mean `openai`?") && !found.contains("`Ollama`"), "{found}");
    }
}

#[test]
fn unknown_plugins_are_wrong_usage() {
    let place = Workspace::new();
    for verb in ["inspect", "trust", "check"] {
        place.run(&["plugin", verb, "patern"]).exits(2).says(&["did you mean `pattern`?"]);
    }
}

#[test]
fn slips_of_the_keyboard_are_called_by_their_name() {
    for (profile, parts) in [
        ("accept:\n  overall:0.95\n", &["a space is missing after `overall:`", "write `overall: 0.95`"][..]),
        ("review: { when: 'overall < 0,95' }\n", &["`0,95` is not a number", "`0.95`"]),
    ] {
        let place = Workspace::new();
        place.write("mine.yaml", format!("extends: clinical\n{profile}"));
        place.run(&["check", "mine.yaml"]).exits(2).finds(parts);
    }
    let place = Workspace::new();
    place.write("rules/mine.yaml", "rules:\n  - { id: tumor-größe, field: grade, matches: x }\n");
    place.run(&["check", "rules/mine.yaml"]).exits(2).finds(&["write `tumor-groesse`"]);
}

#[test]
fn help_begins_with_the_verbs_that_people_use_and_groups_flags() {
    let place = Workspace::new();
    let first = place.run(&["-h"]).exits(0).out;
    for verb in ["schema", "completions", "man"] {
        assert!(!first.contains(&format!("\n  {verb} ")), "{first}");
        place.run(&[verb, "-h"]).exits(0);
    }
    let run = place.run(&["run", "-h"]).exits(0).out;
    for heading in ["Profile:", "Documents:", "Calls:", "Output:"] {
        assert!(run.contains(&format!("\n{heading}\n")), "{run}");
    }
    let score = place.run(&["score", "-h"]).exits(0).out;
    for flag in ["--provider", "--judge", "--var"] {
        assert!(!score.contains(flag), "{score}");
    }
}
