//! `run --watch`: the effects of a saved file, reported without asking anyone again.
#![cfg(unix)]

use crate::trajectories::{answer, scoring, steps};
use crate::workspace::{PLENTY, Workspace};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stream {
    Out,
    Err,
}
use Stream::{Err, Out};

/// A process that watches. It is gone when this is dropped.
struct Watched {
    child: Child,
    lines: Receiver<(Stream, String)>,
    deadline: Instant,
    /// All that was read, for messages of failed tests.
    read: Vec<(Stream, String)>,
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn forward(from: impl Read + Send + 'static, stream: Stream, to: Sender<(Stream, String)>) {
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines() {
            if to.send((stream, line.unwrap())).is_err() {
                return;
            }
        }
    });
}

impl Watched {
    /// Starts `run --watch` and comes back when it watches.
    fn start(place: &Workspace, arguments: &[&str]) -> Self {
        let mut child = place
            .process()
            .args(["run", "--watch"])
            .env("LOOPCTL_FORMAT", "text")
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, lines) = channel();
        forward(child.stdout.take().unwrap(), Out, to.clone());
        forward(child.stderr.take().unwrap(), Err, to);
        let mut watched = Watched { child, lines, deadline: Instant::now() + PLENTY, read: Vec::new() };
        watched.until(Err, "watching `");
        watched
    }

    fn next(&mut self) -> Option<(Stream, String)> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let line = self.lines.recv_timeout(left).ok()?;
        self.read.push(line.clone());
        Some(line)
    }

    /// The lines of `stream` from here on, up to the one that has `until` in it.
    #[track_caller]
    fn until(&mut self, stream: Stream, until: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let Some((from, line)) = self.next() else {
                panic!("`{until}` was not said on {stream:?}:\n{:#?}", self.read);
            };
            if from == stream {
                let last = line.contains(until);
                lines.push(line);
                if last {
                    return lines;
                }
            }
        }
    }

    /// Presses Ctrl-C and returns the exit status and what was still said.
    fn interrupt(mut self) -> (Option<i32>, Vec<(Stream, String)>) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        let mut rest = Vec::new();
        while let Some(line) = self.next() {
            rest.push(line);
        }
        assert!(Instant::now() < self.deadline, "it did not end: {:#?}", self.read);
        (self.child.wait().unwrap().code(), rest)
    }
}

/// Saves as many editors do: writes another file and replaces the first by it.
fn save_by_renaming(place: &Workspace, name: &str, text: &str) {
    let beside = place.write(&format!("{name}.tmp~"), text);
    std::fs::rename(beside, place.path(name)).unwrap();
}

/// A folder whose provider has two answers and no more: 0.5 and then 0.8, of which 0.9 are asked.
fn two_answers() -> Workspace {
    steps("stop: { max_iterations: 2 }\n", &[scoring(5), scoring(8)])
}

const STEPS: [&str; 3] = ["--profile", "steps", "doc.txt"];

/// Every file below a folder with what is in it.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.display().to_string(), std::fs::read(&path).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn a_saved_threshold_is_shown_without_a_call_and_nothing_is_written() {
    let place = two_answers();
    let mut watched = Watched::start(&place, &["--out", "out", "--profile", "steps", "doc.txt"]);
    let before = contents(&place.path("out"));
    place.write(
        "profiles/steps.yaml",
        "extends: steps-measured\nstop: { max_iterations: 2 }\naccept: { overall: 0.8 }\n",
    );
    let said = watched.until(Out, "before:");
    let from = said.iter().position(|line| line.starts_with("saved ")).unwrap();
    assert_eq!(
        said[from..],
        [
            "saved profiles/steps.yaml",
            "doc  iteration 1 (last of 2)",
            "  overall 0.800 as before",
            "  → accepted: every line of `accept` holds",
            "  before: → stop, max_iterations (stop.max_iterations: 2 against 2)",
        ]
    );
    // A looser bound would have ended it before the last candidate was made.
    place.write(
        "profiles/steps.yaml",
        "extends: steps-measured\nstop: { max_iterations: 2 }\naccept: { overall: 0.5 }\n",
    );
    let said = watched.until(Out, "returns iteration 0 instead of 1");
    assert!(
        said.iter().any(|line| line
            == "  → accepted: every line of `accept` holds, at iteration 0 already: 1 candidate less"),
        "{said:#?}"
    );
    // The run did not pass, regardless of what became of it later.
    let (status, rest) = watched.interrupt();
    assert_eq!((status, rest), (Some(3), Vec::new()));
    assert_eq!(contents(&place.path("out")), before);
}

#[test]
fn what_a_rule_finds_comes_and_goes_however_it_is_saved() {
    let place = two_answers();
    let mut watched = Watched::start(&place, &STEPS);
    let rules = place.read("rules/steps.yaml");
    let strict =
        format!("{rules}  - {{ id: eight, field: f8, equals: 9, severity: major, message: f8 is wrong }}\n");
    save_by_renaming(&place, "rules/steps.yaml", &strict);
    let said = watched.until(Out, "new ").join("\n");
    assert!(said.contains("saved rules/steps.yaml\ndoc  iteration 1"), "{said}");
    assert!(said.contains("major EIGHT at /f8: f8 is wrong"), "{said}");
    place.write("rules/steps.yaml", &rules);
    let said = watched.until(Out, "gone ").join("\n");
    assert!(said.contains("major EIGHT at /f8: f8 is wrong"), "{said}");
}

#[test]
fn saving_what_was_there_says_nothing_and_a_remark_changes_nothing() {
    let place = two_answers();
    let mut watched = Watched::start(&place, &STEPS);
    let profile = place.read("profiles/steps.yaml");
    place.write("profiles/steps.yaml", &profile);
    save_by_renaming(&place, "profiles/steps.yaml", &profile);
    place.write("profiles/another.yaml", "extends: steps\n");
    place.write("rules/rubrics/steps.yaml", place.read("rules/rubrics/steps.yaml") + "# a remark\n");
    let said = watched.until(Out, "nothing changes");
    assert_eq!(said.iter().filter(|line| line.starts_with("saved ")).count(), 1, "{said:#?}");
    assert!(said.contains(&"saved rules/rubrics/steps.yaml".to_owned()), "{said:#?}");
}

#[test]
fn mistakes_are_shown_and_the_last_good_profile_is_kept() {
    let place = two_answers();
    let mut watched = Watched::start(&place, &STEPS);
    place.write("profiles/steps.yaml", "extends: steps-measured\nstop: { max_iteration: 2 }\n");
    let said = watched.until(Err, "nothing was scored; waiting until").join("\n");
    assert!(said.contains("saved profiles/steps.yaml") && said.contains("max_iteration"), "{said}");
    assert!(said.contains("did you mean `max_iterations`?"), "{said}");
    // A file that is not there any more is a mistake like others.
    std::fs::remove_file(place.path("profiles/steps.yaml")).unwrap();
    watched.until(Err, "no profile is called `steps`");
    place.write("profiles/steps.yaml", "extends: steps-measured\nstop: { max_iterations: 1 }\n");
    let said = watched.until(Out, "before: → stop, max_iterations").join("\n");
    assert!(said.contains("at iteration 0 already: 1 candidate less"), "{said}");
    assert_eq!(watched.interrupt().0, Some(3));
}

#[test]
fn a_file_that_comes_before_a_built_in_one_counts() {
    let place = Workspace::new();
    place.document("pathology-kidney.txt");
    let mut watched = Watched::start(&place, &["--profile", "clinical", "pathology-kidney.txt"]);
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/clinical-validity.yaml");
    let own = "  - { id: never-this, field: histology, equals: elsewhere, severity: critical, message: not there }\n";
    place.write("rules/clinical-validity.yaml", std::fs::read_to_string(shipped).unwrap() + own);
    let said = watched.until(Out, "NEVER_THIS").join("\n");
    assert!(said.contains("saved rules/clinical-validity.yaml"), "{said}");
    std::fs::remove_dir_all(place.path("rules")).unwrap();
    let said = watched.until(Out, "gone ").join("\n");
    assert!(said.contains("NEVER_THIS") && said.contains("deleted rules/clinical-validity.yaml"), "{said}");
    assert!(!said.contains("saved "), "{said}");
}

#[test]
fn what_is_only_used_to_ask_is_said_to_show_nothing() {
    let place = Workspace::new();
    place.document("pathology-kidney.txt");
    let mut watched = Watched::start(&place, &["--profile", "clinical", "pathology-kidney.txt"]);
    let shipped =
        |name: &str| std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap();
    for name in ["rules/extract/pathology.yaml", "prompts/extract.md"] {
        place.write(name, shipped(name) + "\n");
        let said = watched.until(Out, "run again to see the effect");
        let (last, before) = said.split_last().unwrap();
        assert!(last.starts_with(&format!("{name} is used only when")), "{said:#?}");
        assert!(before.contains(&format!("saved {name}")), "{said:#?}");
    }
}

#[test]
fn judges_are_taken_at_the_word_that_they_gave() {
    let place = two_answers();
    let judged = |weight: f64, more: &str| {
        let file = "config: { file: answers.jsonl }";
        format!(
            "extends: steps-measured
stages: [{{ id: extract, provider: scripted, {file} }}]
judges:
  j: {{ provider: scripted, {file}, prompt: judge.md }}
{more}assess: {{ tone: {{ judge: j, score: /s }}, mood: {{ judge: {}, score: /s, otherwise: {{ rubric: steps }} }} }}
overall: {{ quality: {weight}, tone: {} }}
stop: {{ max_iterations: 1 }}
",
            if more.is_empty() { "j" } else { "k" },
            1.0 - weight
        )
    };
    place.write("prompts/judge.md", "Judge.");
    place.write("profiles/steps.yaml", judged(0.5, ""));
    let extracted = json!({"stage": "extract", "value": {"f1": 1, "f2": 2}});
    answer(&place, &[extracted, json!({"stage": "j", "value": {"s": 0.6}})]);
    let mut watched = Watched::start(&place, &["--format", "jsonl", "--profile", "steps", "doc.txt"]);
    place.write("profiles/steps.yaml", judged(0.25, ""));
    let object = |watched: &mut Watched| {
        let line = watched.until(Out, "\"rescored\"").pop().unwrap();
        serde_json::from_str::<Value>(&line).unwrap()
    };
    let first = object(&mut watched);
    assert_eq!(
        (&first["rescored"], &first["changed"], &first["notes"]),
        (&json!("doc"), &json!(true), &json!([]))
    );
    assert_eq!(first["before"]["scores"], json!({"quality": 0.2, "flaws": 1.0, "tone": 0.6, "mood": 0.6}));
    assert_eq!(first["after"]["scores"], first["before"]["scores"]);
    assert!((first["before"]["overall"].as_f64().unwrap() - 0.4).abs() < 1e-12, "{first}");
    assert!((first["after"]["overall"].as_f64().unwrap() - 0.5).abs() < 1e-12, "{first}");
    assert_eq!(first["decision"]["verdict"], "stop");
    // Of a judge that was not asked there is no word.
    place.write(
        "profiles/steps.yaml",
        judged(0.25, "  k: { provider: scripted, config: { file: answers.jsonl }, prompt: judge.md }\n"),
    );
    let second = object(&mut watched);
    assert_eq!(second["after"]["scores"]["mood"], 0.2, "{second}");
    assert_eq!(second["notes"], json!(["the run did not ask judge `k`, so `mood` is measured without it"]));
}

/// Its verdicts count for the candidates that are scored again, and the gate is checked before them.
#[test]
fn verdicts_on_single_values_are_kept() {
    let place = two_answers();
    let judged = |undecided: f64| {
        let file = "provider: scripted, config: { file: answers.jsonl }";
        format!(
            "classify: null
stages: [{{ id: extract, {file}, prompt: judge.md, evidence: quotes }}]
judges: {{ v: {{ {file}, prompt: judge/values.md }} }}
assess: {{ accuracy: {{ grounding: {{ judge: v, undecided: {undecided} }} }} }}
overall: {{ from: accuracy }}
accept: {{ accuracy: 1 }}
stop: {{ max_iterations: 1 }}
"
        )
    };
    place.write("prompts/judge.md", "Read.");
    place.write("doc.txt", "Mucosal injury with cryptitis. Follow-up is planned in spring.\n");
    place.write("profiles/steps.yaml", judged(0.5));
    let extraction = json!({"a": "active inflammation of the bowel", "b": "another visit after the winter"});
    let evidence = json!({"/a": "Mucosal injury with cryptitis", "/b": "Follow-up is planned in spring"});
    let extracted = json!({"stage": "extract", "value": {"extraction": extraction, "evidence": evidence}});
    let said = json!({"values": [{"path": "/a", "verdict": "supports"}]});
    answer(&place, &[extracted, json!({"stage": "v", "value": said})]);
    let mut watched = Watched::start(&place, &["--format", "jsonl", "--profile", "steps", "doc.txt"]);
    place.write("profiles/steps.yaml", judged(0.25));
    let line = watched.until(Out, "\"rescored\"").pop().unwrap();
    let first: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(first["before"]["scores"]["accuracy"], 0.75, "{first}");
    assert_eq!((&first["after"]["scores"]["accuracy"], &first["notes"]), (&json!(0.625), &json!([])));
}

#[test]
fn the_policy_sees_what_had_been_spent_by_each_candidate() {
    let place = two_answers();
    let mut watched = Watched::start(&place, &STEPS);
    let thrifty = "extends: steps-measured\nstop: { max_iterations: 2, budget: { calls: 1 } }\n";
    place.write("profiles/steps.yaml", thrifty);
    let said = watched.until(Out, "before:").join("\n");
    let line = "→ stop, budget (stop.budget.calls: 1 against 1), at iteration 0 already: 1 candidate less";
    assert!(said.contains(line), "{said}");
}

#[test]
fn a_repeated_run_is_watched_like_another() {
    let place = two_answers();
    place.run(&["run", "--record", "tape", "--profile", "steps", "doc.txt"]).exits(3);
    place.write("answers.jsonl", "{\"fault\": \"permanent\"}\n");
    let mut watched = Watched::start(&place, &["--replay", "tape", "--profile", "steps", "doc.txt"]);
    let looser = "extends: steps-measured\nstop: { max_iterations: 2 }\naccept: { overall: 0.8 }\n";
    place.write("profiles/steps.yaml", looser);
    watched.until(Out, "→ accepted: every line of `accept` holds");
    assert_eq!(watched.interrupt().0, Some(3));
}

#[test]
fn several_documents_are_summed_up() {
    let place = two_answers();
    place.write("second.txt", "Nothing.");
    let mut watched = Watched::start(&place, &["--profile", "steps", "doc.txt", "second.txt"]);
    place.write(
        "profiles/steps.yaml",
        "extends: steps-measured\nstop: { max_iterations: 2 }\naccept: { overall: 0.8 }\n",
    );
    let said = watched.until(Out, "of 2 documents change");
    assert_eq!(said.last().unwrap(), "2 of 2 documents change; accepted 0 → 2");
    assert_eq!(said.iter().filter(|line| line.contains("iteration 1 (last of 2)")).count(), 2);
}

#[test]
fn a_course_scored_again_by_the_same_profile_is_as_it_was() {
    let place = Workspace::new();
    let document = "pathology-kidney.txt";
    place.document(document);
    for profile in ["clinical", "literature", "balanced"] {
        let own = place.write("profiles/own.yaml", format!("extends: {profile}\n"));
        let mut watched = Watched::start(&place, &["--profile", "own", document]);
        std::fs::write(own, format!("extends: {profile}\n# a remark\n")).unwrap();
        let said = watched.until(Out, "saved ");
        assert_eq!(watched.next(), Some((Out, "nothing changes".to_owned())), "{profile}: {said:#?}");
    }
}

/// The assessment of a course is made again: by tier 1, by a judge, and of what a correction changed without cause.
#[test]
fn candidates_that_are_scored_again_have_what_they_had() {
    let place = Workspace::new();
    place.write("rules/sense.rhai", "fn look(candidate, source) { 0.5 }");
    place.write("prompts/judge.md", "Judge.");
    let profile = "
classify: null
stages: [{ id: extract, provider: scripted, config: { file: answers.jsonl }, prompt: judge.md }]
feedback: { lock: passing }
stop: { max_iterations: 2 }
accept: { overall: 0.9 }
";
    let alone = "assess: { sense: { script: 'sense.rhai#look' } }\noverall: { from: sense }\n";
    let judged = "assess: { sense: { script: 'sense.rhai#look' }, tone: { judge: j, score: /s } }
overall: { sense: 0.5, tone: 0.5 }
judges: { j: { provider: scripted, config: { file: answers.jsonl }, prompt: judge.md, issues: /issues } }
";
    let answers = [
        json!({ "stage": "extract", "value": { "a": "one", "b": "two" } }),
        json!({ "stage": "extract", "value": { "a": "one", "b": "three" } }),
        json!({ "stage": "j", "value": { "s": 0.6, "issues": [{ "path": "/a", "message": "too short" }] } }),
        json!({ "stage": "j", "value": { "s": 0.7, "issues": [{ "path": "/a", "message": "too long" }] } }),
    ];
    place.write("answers.jsonl", answers.map(|answer| answer.to_string()).join("\n"));
    place.write("d.txt", "one two three");
    for (how, codes) in
        [(alone, ["NOT_ACCEPTED", "LOCKED_FIELD_CHANGED"]), (judged, ["JUDGE_J", "LOCKED_FIELD_CHANGED"])]
    {
        let whole = format!("{profile}{how}");
        place.write("profiles/again.yaml", &whole);
        let result =
            place.run(&["run", "--quiet", "--format", "json", "--profile", "again", "d.txt"]).exits(3).json();
        for code in codes {
            assert!(result["best_validation"]["issues"].to_string().contains(code), "{code}: {result}");
        }
        let mut watched = Watched::start(&place, &["--profile", "again", "d.txt"]);
        place.write("profiles/again.yaml", format!("{whole}# a remark\n"));
        watched.until(Out, "saved ");
        assert_eq!(watched.next(), Some((Out, "nothing changes".to_owned())), "{how}");
    }
}

#[test]
fn one_value_and_many_do_not_go_together() {
    let place = two_answers();
    place
        .run(&["run", "--watch", "--format", "json", "--profile", "steps", "doc.txt"])
        .exits(2)
        .says(&["`--format json` is one value", "write `--format jsonl`"]);
}
