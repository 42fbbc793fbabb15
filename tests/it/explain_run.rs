//! `loopctl explain`: the story of a finished run, as people read it, and the messages about wrong input.

use crate::pipeline::{answer, place};
use crate::workspace::{Ran, Workspace};
use loopctl::store::{DocumentRecord, EventLog, Journal, LogEntry, RunId};
use loopctl::value::DocumentId;
use regex::Regex;
use serde_json::{Value, json};
use std::path::Path;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/reports");

/// Replaces what differs from run to run.
fn steady(text: &str) -> String {
    let redact = |text: &str, pattern: &str, with: &str| {
        Regex::new(pattern).unwrap().replace_all(text, with).into_owned()
    };
    let text = redact(text, r"Run \d{8}T\d{6}Z-\d{4} of \S+ loopctl \S+", "Run ID of TIME, loopctl VERSION");
    let text = redact(&text, r"(tokens, [^\n]*), [0-9.]+ m?s\b", "$1, TIME");
    redact(&text, r"tried again after [0-9.]+ m?s", "tried again after TIME")
}

/// Every line fits a page.
fn told(ran: Ran) -> String {
    let ran = ran.exits(0);
    for line in ran.out.lines() {
        assert!(line.chars().count() <= 100, "{line}");
        assert!(!line.contains('\u{1b}'), "{line}");
    }
    steady(&ran.out)
}

fn example(name: &str, profile: &str) -> Workspace {
    let place = Workspace::new();
    place.write(name, std::fs::read(Path::new(EXAMPLES).join(name)).unwrap());
    place.run(&["run", "--profile", profile, "--out", "out", "--quiet", name]);
    place
}

/// One stage with answers from a file; `{}` is the rest of the profile.
fn scripted(rest: &str) -> String {
    format!(
        "classify: null
stages: [{{ id: extract, provider: scripted, config: {{ file: answers.jsonl }}, prompt: tagger.md, retries: 1 }}]
assess:
  completeness: {{ rubric: parts }}
  validity: {{ rules: form, penalty: 0.4, floor: 0.3 }}
overall: {{ completeness: 0.75, validity: 0.25 }}
accept: {{ overall: 0.95 }}
{rest}
"
    )
}

const RULES: &str = "rules:
  - { id: tags-are-a-list, field: tags, type: list, severity: major }
  - { id: class-is-text, field: class, type: text, severity: minor }
  - { id: advice-is-short, field: advice, length: { max: 60 }, severity: minor, suggestion: say it in a few words }
";

fn ran(rest: &str, answers: &[Value]) -> Workspace {
    let place = place(&scripted(rest), answers);
    place.write("rules/form.yaml", RULES);
    place.run(&["run", "--profile", "parts", "--out", "out", "--quiet", "doc.txt"]);
    place
}

fn says(value: Value) -> Value {
    answer("extract", value)
}

fn fails(fault: &str) -> Value {
    json!({ "stage": "extract", "fault": fault, "message": "gone" })
}

fn explained(place: &Workspace, more: &[&str]) -> String {
    let mut arguments = vec!["explain", "out/doc-result.json"];
    arguments.extend(more);
    told(place.run(&arguments))
}

/// Checks that the losses in each dimension of each candidate add up to 1 minus its score, and all to 1 minus overall.
#[track_caller]
fn adds_up(place: &Workspace, result: &str) -> Value {
    let story = place.run_json(&["explain", result, "--format", "json"]);
    let mut seen = 0;
    for candidate in story["candidates"].as_array().unwrap() {
        let Some(overall) = candidate["overall"].as_f64() else { continue };
        let of_issues = candidate["issues"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|issue| issue["costs"].as_array().unwrap());
        let others = candidate["other_losses"].as_array().unwrap().iter().map(|other| &other["cost"]);
        let costs: Vec<&Value> = of_issues.chain(others).collect();
        for dimension in candidate["dimensions"].as_array().unwrap() {
            let own = costs.iter().filter(|cost| cost["dimension"] == dimension["dimension"]);
            let lost: f64 = own.map(|cost| cost["points"].as_f64().unwrap()).sum();
            let score = dimension["score"].as_f64().unwrap_or(0.0);
            assert!((lost - (1.0 - score)).abs() < 1e-9, "{dimension}: {lost}");
            seen += 1;
        }
        let lost: f64 = costs.iter().map(|cost| cost["overall"].as_f64().unwrap()).sum();
        assert!((lost - (1.0 - overall)).abs() < 1e-9, "{lost} of {overall}");
    }
    assert!(seen > 0);
    story
}

#[test]
fn a_report_that_passes() {
    let place = example("liver-resection.txt", "clinical");
    adds_up(&place, "out/liver-resection-result.json");
    insta::assert_snapshot!(told(place.run(&["explain", "out/liver-resection-result.json"])));
}

#[test]
fn a_report_that_does_not_pass() {
    let place = example("thyroid-resection.txt", "clinical");
    adds_up(&place, "out/thyroid-resection-result.json");
    insta::assert_snapshot!(told(place.run(&["explain", "out/thyroid-resection-result.json"])));
    let markdown = place.run(&["explain", "out/thyroid-resection-result.json", "--format", "markdown"]);
    insta::assert_snapshot!(steady(&markdown.exits(0).out));
}

fn courses() -> [Value; 3] {
    let advice = "Come back in six months for another look at the nodule in the upper lobe on the left";
    [
        says(
            json!({ "tags": "nodule", "class": "benign", "advice": advice, "sites": [{"id": 1, "n": 2}, {"id": 2}] }),
        ),
        says(json!({ "tags": "nodule", "class": 3 })),
        says(json!({ "tags": ["nodule"], "class": "benign",
            "advice": advice.replace("six", "twelve"), "sites": [{"id": 2}, {"id": 1, "n": 3}, {"id": 4}] })),
    ]
}

const ROLLBACK: &str = "on_regression: rollback\nselect: { order: [no_critical, overall], ties: first }";

#[test]
fn a_candidate_that_is_worse_is_rolled_back() {
    let place = ran(&format!("{ROLLBACK}\nstop: {{ max_iterations: 3 }}"), &courses());
    adds_up(&place, "out/doc-result.json");
    insta::assert_snapshot!(explained(&place, &[]));
}

#[test]
fn all_is_told_when_asked_for() {
    let place = ran("stop: { max_iterations: 3 }", &courses());
    let (short, full) = (explained(&place, &[]), explained(&place, &["--full"]));
    assert!(short.contains("`--full` shows them") && !full.contains("--full"), "{full}");
    assert!(full.contains("Your answer so far:") && full.lines().count() > short.lines().count());
}

#[test]
fn judges_and_who_did_not_answer() {
    let profile = scripted("stop: { max_iterations: 1 }\nreview: { when: overall < 0.9 }").replace(
        "overall: { completeness: 0.75, validity: 0.25 }",
        "  tone:
    ensemble:
      members: [{ rubric: parts, weight: 2 }, { judge: mild, score: /s }, { judge: mute, score: /s }]
      combine: weighted
judges:
  mild: { provider: scripted, config: { file: answers.jsonl }, prompt: judge.md, issues: /issues }
  mute: { provider: scripted, config: { file: answers.jsonl }, prompt: judge.md, on_failure: { retry: 0, then: { fallback: 0.2 } } }
overall: { completeness: 0.5, validity: 0.25, tone: 0.25 }",
    );
    let mild =
        json!({ "s": 0.6, "issues": [{ "path": "/advice", "message": "too vague", "severity": "minor" }] });
    let answers = [
        says(json!({ "tags": ["nodule"], "class": "benign" })),
        answer("mild", mild),
        json!({ "stage": "mute", "fault": "permanent", "message": "gone" }),
    ];
    let place = place(&profile, &answers);
    place.write("rules/form.yaml", RULES);
    place.run(&["run", "--profile", "parts", "--out", "out", "--quiet", "doc.txt"]);
    adds_up(&place, "out/doc-result.json");
    insta::assert_snapshot!(explained(&place, &[]));
}

#[test]
fn a_gate_that_is_missed() {
    let place =
        ran("gate: { completeness: 0.5 }\nstop: { max_iterations: 3 }", &[says(json!({ "tags": "nodule" }))]);
    adds_up(&place, "out/doc-result.json");
    insta::assert_snapshot!(explained(&place, &[]));
}

#[test]
fn what_missed_the_gate_is_said_to_rank_below() {
    let answers =
        [says(json!({ "tags": ["nodule"], "class": "benign" })), says(json!({ "tags": ["nodule"] }))];
    let place =
        ran("gate: { completeness: 0.5, on_correction: rollback }\nstop: { max_iterations: 2 }", &answers);
    let told = explained(&place, &[]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("andidate 1 missed the gate, which puts it below whatever did not"), "{told}");
}

#[test]
fn a_provider_that_fails() {
    let answers = [courses()[0].clone(), fails("transient"), fails("permanent")];
    let place = ran("stop: { max_iterations: 3 }", &answers);
    insta::assert_snapshot!(explained(&place, &[]));
}

#[test]
fn a_document_that_cannot_be_read() {
    let place = Workspace::new();
    place.write("blank.txt", "  \n");
    place.run(&["run", "--out", "out", "--quiet", "blank.txt"]);
    insta::assert_snapshot!(told(place.run(&["explain", "out/blank-result.json"])));
}

#[test]
fn groups_of_criteria() {
    let groups = "stop: { max_iterations: 5, all: [{ stagnation: { window: 2, epsilon: 0.3 } }, { any: [{ max_corrections: 1 }, { unchanged: true }] }] }";
    let place = ran(groups, &courses());
    let text = explained(&place, &[]);
    let why = text.split("Why it stopped").nth(1).unwrap().split("\n\n").next().unwrap();
    insta::assert_snapshot!(why);
}

/// A journal with the first events of a run, as a crash leaves it.
fn cut_off(place: &Workspace, events: usize) {
    let whole = Journal::open(place.path("out/journal.sqlite")).unwrap();
    let run = whole.runs().unwrap().remove(0);
    let document = whole.documents(&run.id).unwrap().remove(0);
    let cut = Journal::open(place.path("cut.sqlite")).unwrap();
    let id: RunId = cut.begin_run(&run.record).unwrap();
    let key = cut.begin_document(&id, &document.record).wait().unwrap();
    for event in whole.events(&run.id, &document.record.id).unwrap().into_iter().take(events) {
        let (kind, payload) = (event.kind.into(), event.payload.to_string());
        cut.write(key, vec![LogEntry::Happened { seq: event.seq, at: event.at, kind, payload }])
            .wait()
            .unwrap();
    }
}

#[test]
fn a_run_that_was_interrupted() {
    let place = ran("stop: { max_iterations: 3 }", &courses());
    // Up to the second candidate's assessment, which was not decided upon.
    cut_off(&place, 10);
    insta::assert_snapshot!(told(place.run(&["explain", "latest", "--journal", "cut.sqlite"])));
    for events in 0..10 {
        std::fs::remove_file(place.path("cut.sqlite")).unwrap();
        cut_off(&place, events);
        let text = told(place.run(&["explain", "cut.sqlite"]));
        assert!(text.contains("Interrupted"), "{events}: {text}");
    }
}

/// A call that a run only waited to make again was not made again.
#[test]
fn a_run_that_was_interrupted_while_it_waited() {
    let place = ran("stop: { max_iterations: 3 }", &[fails("transient"), courses()[0].clone()]);
    // Begun, called, failed, waiting; woken, called.
    for (events, expected) in [(4, "not tried again"), (6, "tried again after")] {
        cut_off(&place, events);
        let text = told(place.run(&["explain", "cut.sqlite"]));
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(expected), "{events}: {text}");
        std::fs::remove_file(place.path("cut.sqlite")).unwrap();
    }
}

#[test]
fn a_result_alone_says_what_it_lacks() {
    let place = ran("stop: { max_iterations: 3 }", &courses());
    let result = place.read("out/doc-result.json");
    let alone = |text: &str| {
        let ran = Ran::of(place.loopctl(&["explain", "-"]).write_stdin(text));
        told(ran)
    };
    let text = alone(&result);
    assert!(text.contains("What changed against candidate 0: not in the record"), "{text}");
    assert!(text.contains("costs") || text.contains("−0."), "{text}");
    // As an older loopctl wrote it.
    let mut old: Value = serde_json::from_str(&result).unwrap();
    old.as_object_mut().unwrap().remove("explanation");
    insta::assert_snapshot!(alone(&old.to_string()));
    // The files beside it tell more than the result, the journal most.
    std::fs::remove_file(place.path("out/journal.sqlite")).unwrap();
    let beside = explained(&place, &[]);
    assert!(beside.contains("changed `/class`") && beside.contains("in the journal only"), "{beside}");
}

#[test]
fn a_run_of_several_documents_is_listed() {
    let place = Workspace::new();
    for name in ["pathology-kidney.txt", "pathology-gastric.txt"] {
        place.document(name);
    }
    place.run(&[
        "run",
        "--quiet",
        "--format",
        "jsonl",
        "--out",
        "out",
        "pathology-kidney.txt",
        "pathology-gastric.txt",
    ]);
    let listed = place.run(&["explain", "out"]).exits(0).out;
    assert!(listed.contains("pathology-kidney") && listed.contains("Add `--document ID`"), "{listed}");
    let one = place.run(&["explain", "out", "--document", "pathology-kidney"]).exits(0).out;
    assert!(one.starts_with("pathology-kidney · "), "{one}");
    place
        .run(&["explain", "out", "--document", "pathology-kidny"])
        .exits(2)
        .says(&["did you mean `pathology-kidney`?"]);
    let lines = place
        .run(&["run", "--quiet", "--format", "jsonl", "pathology-kidney.txt", "pathology-gastric.txt"])
        .out;
    let several = Ran::of(place.loopctl(&["explain", "-", "--format", "json"]).write_stdin(lines.as_str()));
    assert_eq!(several.json().as_array().unwrap().len(), 2);
    let one =
        Ran::of(place.loopctl(&["explain", "-", "-d", "pathology-gastric"]).write_stdin(lines.as_str()));
    assert!(one.exits(0).out.starts_with("pathology-gastric · "));
    let latest = place.run(&["explain", "latest"]).exits(0).out;
    assert_eq!(latest.lines().count(), 3, "{latest}");
}

#[test]
fn what_is_no_run_is_said_to_be_none() {
    let place = ran("stop: { max_iterations: 3 }", &courses());
    let refused = |target: &str, parts: &[&str]| {
        place.run(&["explain", target]).exits(1).says(parts);
    };
    refused("out/doc-extraction.json", &["no result of a run", "help: name a file `…-result.json`"]);
    refused("out/doc-validation.json", &["the assessment of one candidate"]);
    refused("nowhere.json", &["there is no file `nowhere.json`"]);
    Workspace::new()
        .run(&["explain", "latest"])
        .exits(1)
        .says(&["there is no run `latest`", "--journal FILE"]);
    place.write("notes.txt", "a note");
    refused("notes.txt", &["is not JSON (line 1, column 1)"]);
    place.write("list.json", "[]");
    refused("list.json", &["holds no result"]);
    let whole = place.read("out/doc-result.json");
    for share in [2, 3, 5] {
        let end = (0..whole.len() / share).rev().find(|at| whole.is_char_boundary(*at)).unwrap();
        place.write("cut.json", &whole[..end]);
        refused("cut.json", &["is cut off"]);
    }
    place.write("later.json", whole.replace("\"version\": 1", "\"version\": 9"));
    let later = place.run(&["explain", "later.json"]).exits(0).out;
    assert!(later.contains("written by a later loopctl"), "{later}");
    place.write("odd.json", whole.replace("\"max_iterations_reached\"", "\"tired\""));
    refused("odd.json", &["can't be read"]);
    std::fs::create_dir(place.path("empty")).unwrap();
    refused("empty", &["holds no result"]);
    let huge = std::fs::File::create(place.path("huge.json")).unwrap();
    huge.set_len(100 << 20).unwrap();
    refused("huge.json", &["has 100 MB, more than the 64 MB"]);
}

#[test]
fn an_unknown_run_is_answered_with_those_there_are() {
    let place = ran("stop: { max_iterations: 3 }", &courses());
    let journal = Journal::open(place.path("out/journal.sqlite")).unwrap();
    let id = journal.runs().unwrap()[0].id.to_string();
    drop(journal);
    let by = |id: &str| place.run(&["explain", id, "--journal", "out/journal.sqlite"]);
    assert_eq!(by(&id).exits(0).out, by("latest").exits(0).out);
    let slip = id.replace("-0001", "-0002");
    by(&slip).exits(1).says(&["holds no run", &format!("did you mean `{id}`?"), "its last runs:", "(parts)"]);
    let foreign = place.write("foreign.sqlite", "SQLite format 3\0nothing of the kind");
    place.run(&["explain", "latest", "--journal", foreign.to_str().unwrap()]).exits(1);
}

#[test]
fn a_run_says_how_to_ask_when_something_did_not_pass() {
    let place = ran("stop: { max_iterations: 2 }", &courses());
    let run = |more: &[&str]| {
        let mut arguments = vec!["run", "--profile", "parts", "doc.txt"];
        arguments.extend(more);
        place.run(&arguments).err
    };
    assert!(run(&["--out", "out"]).ends_with("why: loopctl explain out/doc-result.json\n"));
    assert!(run(&[]).ends_with("why: loopctl explain latest\n"));
    assert!(
        run(&["--journal", "my runs.sqlite"])
            .ends_with("why: loopctl explain latest --journal 'my runs.sqlite'\n")
    );
    assert!(!run(&["--config", "accept.overall=0"]).contains("why:"));
}

#[test]
fn a_document_with_an_odd_name_is_told_tamely() {
    let place = Workspace::new();
    let journal = Journal::open(place.path("odd.sqlite")).unwrap();
    let record = loopctl::store::RunRecord {
        started_at: "2026-01-31T12:00:00Z".into(),
        profile: "p\u{1b}[31m".into(),
        profile_digest: String::new(),
        loopctl_version: "0".into(),
        plugins: json!([]),
        settings: json!({}),
    };
    let run = journal.begin_run(&record).unwrap();
    let id = DocumentId::new("a\nb\u{1b}[2J");
    let document = DocumentRecord { id, document_type: "t".into(), source_digest: String::new(), path: None };
    journal.begin_document(&run, &document).wait().unwrap();
    drop(journal);
    let text = told(place.run(&["explain", "odd.sqlite"]));
    assert!(text.starts_with("a b [2J · t · profile p [31m\nInterrupted"), "{text}");
}
