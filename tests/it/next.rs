//! `loopctl next`: the loop as data. It is the loop of `run`, so the two must agree; and it must say what a caller's
//! own model is to be asked.

use crate::pipeline;
use crate::trajectories::{run, scoring, steps};
use crate::workspace::{Ran, Workspace};
use loopctl::diag::Problems;
use loopctl::ingest::{DocumentReader, read_next_input};
use loopctl::next::{NextAnswer, NextError, NextInput, next};
use loopctl::plan::Plan;
use loopctl::profile::{Library, load};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::LazyLock;

/// Asks with `input` on standard input.
fn ask(place: &Workspace, arguments: &[&str], input: &Value) -> Ran {
    Ran::of(place.loopctl(&["next"]).args(arguments).write_stdin(input.to_string()))
}

fn ask_steps(place: &Workspace, history: &[Value]) -> Ran {
    let input = json!({"document": {"id": "doc", "path": "doc.txt"}, "history": history});
    ask(place, &["--profile", "steps"], &input)
}

/// The candidates that [`scoring`] gives a provider, as entries.
fn entries(tenths: &[usize]) -> Vec<Value> {
    tenths.iter().map(|tenths| json!({ "candidate": scoring(*tenths)["value"] })).collect()
}

/// Checks that an answer can be read again, without loss.
fn reads_back(answer: &Value) {
    let read: NextAnswer = serde_json::from_value(answer.clone()).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), *answer);
}

fn prompt(answer: &Value) -> String {
    answer["request"]["messages"][0]["content"].as_str().unwrap().to_owned()
}

#[test]
fn next_decides_as_run_does() {
    let rollback = "on_regression: rollback\nstop: { max_iterations: 6, rollbacks: 2 }\n";
    let gate = "gate: { quality: 0.3, on_correction: rollback }\non_regression: rollback\nstop: { max_iterations: 5 }\n";
    for (policy, tenths) in [
        ("stop: { max_iterations: 4 }\n", &[1, 3, 5, 7][..]),
        ("stop: { max_iterations: 4 }\n", &[1, 9]),
        ("stop: { max_iterations: 9, min_improvement: { delta: 0.2 } }\n", &[1, 3, 4]),
        ("stop: { max_iterations: 9, unchanged: true }\nselect: { ties: first }\n", &[5, 3, 5]),
        ("stop: { max_iterations: 9, stagnation: { window: 3, epsilon: 0.15 } }\n", &[1, 5, 6, 5]),
        ("stop: { max_iterations: 9, budget: { calls: 2 } }\n", &[1, 2]),
        ("stop: { max_iterations: 3 }\nselect: { return: last }\n", &[8, 5, 4]),
        (rollback, &[5, 4, 6, 3, 2]),
        (gate, &[4, 2, 1, 5, 2]),
        (gate, &[2]),
    ] {
        let place = steps(policy, &tenths.iter().map(|n| scoring(*n)).collect::<Vec<_>>());
        let ran = run(&place, &[]);
        let result = ran.json();
        assert_eq!(result["iteration_count"], tenths.len(), "{policy}");
        let history = entries(tenths);
        for so_far in 0..tenths.len() {
            let answer = ask_steps(&place, &history[..so_far]).exits(0).json();
            assert_eq!(answer["request"]["iteration"], so_far, "{policy}");
            assert!(answer.get("outcome").is_none());
            reads_back(&answer);
            if so_far > 0 {
                assert_eq!(answer["decision"]["verdict"], "continue");
                assert_eq!(answer["request"]["base"], answer["decision"]["base"]);
            }
        }
        let answer = ask_steps(&place, &history).exits(ran.code.unwrap()).json();
        assert!(answer.get("request").is_none());
        reads_back(&answer);
        assert_eq!(answer["decision"]["verdict"], "stop");
        assert_eq!(answer["decision"]["reason"], result["stop_reason"]);
        assert_eq!(answer["iterations"], result["iterations"], "{policy}");
        let outcome = &answer["outcome"];
        for field in [
            "id",
            "final_status",
            "stop_reason",
            "iteration_count",
            "best_iteration",
            "selection_reason",
            "improvement_trajectory",
            "rollbacks",
            "best_extraction",
            "review",
        ] {
            assert_eq!(outcome[field], result[field], "{field} of {policy}");
        }
        assert!(outcome["cost_usd"].is_number() && outcome["tokens"].is_number());
    }
}

#[test]
fn the_worked_example_ends_passed() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let place = Workspace::new();
    let output = std::process::Command::new("sh")
        .arg(examples.join("next/loop.sh"))
        .arg(examples.join("reports/liver-resection.txt"))
        .arg(examples.join("next/model"))
        .args(["--profile", "balanced"])
        .current_dir(place.path(""))
        .env("LOOPCTL", env!("CARGO_BIN_EXE_loopctl"))
        .env("LOOPCTL_HOME", place.home())
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(out, "final_status passed\nstop_reason accepted\nbest_iteration 2\n", "{err}");
    let page = std::fs::read_to_string(examples.join("../docs/next.md")).unwrap();
    assert!(page.contains(out.trim_end()), "the page shows other output than\n{out}");
}

#[test]
fn the_page_shows_input_that_is_answered() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/next.md")).unwrap();
    let shown = page.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    let answer = ask(&Workspace::new(), &["--profile", "clinical"], &serde_json::from_str(shown).unwrap());
    assert_eq!(answer.exits(0).says(&[]).json()["decision"]["verdict"], "continue");
}

#[test]
fn the_first_request_is_the_task() {
    let place = Workspace::new();
    place.document("pathology-kidney.txt");
    let input = json!({"document": {"path": "pathology-kidney.txt"}});
    let answer = ask(&place, &["--profile", "clinical"], &input).exits(0).json();
    assert_eq!((&answer["id"], &answer["document_type"]), (&json!("pathology-kidney"), &json!("pathology")));
    assert_eq!((&answer["assessment"], &answer["decision"]), (&Value::Null, &Value::Null));
    let request = &answer["request"];
    assert_eq!((&request["stage"], &request["iteration"]), (&json!("extract"), &json!(0)));
    assert_eq!((&request["base"], &request["attempt"]), (&Value::Null, &json!(1)));
    let asked = &request["schema"]["properties"]["extraction"];
    assert_eq!(asked["title"], "Extraction from a pathology report");
    assert!(prompt(&answer).contains(place.read("pathology-kidney.txt").trim()));
    assert!(request.get("feedback").is_none());
    // On one line, for programs that read lines.
    let line = ask(&place, &["--profile", "clinical", "--format", "jsonl"], &input).lines();
    assert_eq!(line, [answer]);
}

#[test]
fn a_correction_says_what_is_wrong_and_carries_the_numbers() {
    let place = Workspace::new();
    let history = json!([{
        "candidate": {"histology": "carcinoma", "grade": "fourth", "margins": "clear"},
        "usage": {"tokens": 900, "cost_usd": 0.02}, "elapsed_ms": 1200, "given": {"accuracy": 0.4},
    }]);
    let input = json!({
        "document": {"id": "x/1", "text": "Histology: carcinoma. Grade: 2. Margins: clear."},
        "document_type": "pathology", "history": history,
    });
    let answer =
        ask(&place, &["--profile", "clinical", "--config", "stop.budget.tokens=5000"], &input).json();
    assert_eq!(answer["assessment"]["scores"]["accuracy"], 0.4);
    assert_eq!(answer["iterations"][0]["overall"], answer["assessment"]["overall"]);
    let checks = answer["decision"]["checks"].as_array().unwrap();
    let check = |line: &str| checks.iter().find(|check| check["line"] == line).unwrap();
    assert_eq!(check("stop.timeout")["value"], 1200.0);
    assert_eq!(check("stop.budget.tokens")["value"], 900.0);
    assert_eq!(check("accept.overall")["bound"], 0.98);
    let codes = answer["request"]["feedback"]["issues"].to_string();
    assert!(codes.contains("GRADE_FORMAT"), "{codes}");
    let prompt = prompt(&answer);
    for part in
        ["Correction 1.", "invalid grade format", "Histology: carcinoma. Grade: 2.", "\"grade\": \"fourth\""]
    {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
}

/// A rollback's request mentions the attempt, however alike two attempts are.
#[test]
fn no_two_requests_after_rollbacks_are_the_same() {
    let place = steps("on_regression: rollback\nstop: { max_iterations: 9 }\n", &[]);
    let history = entries(&[5, 4, 4, 4, 3]);
    let prompts: Vec<String> = (2..=5)
        .map(|so_far| {
            let answer = ask_steps(&place, &history[..so_far]).json();
            assert_eq!(answer["request"]["base"], 0);
            assert_eq!(answer["decision"]["rolled_back"], true);
            prompt(&answer)
        })
        .collect();
    for (at, prompt) in prompts.iter().enumerate() {
        assert!(
            prompt.contains(&format!("- attempt {} changed /f5: quality fell from 0.500 to ", at + 1))
                || at == 3
        );
        assert!(!prompts[..at].contains(prompt), "{prompt}");
    }
    assert!(prompts[3].contains("- attempt 4 changed /f4, /f5: quality fell from 0.500 to 0.300"));
}

#[test]
fn the_request_shows_as_much_of_the_base_as_the_profile_says() {
    let place = Workspace::new();
    let document = "Histology: carcinoma. Grade: 2. Margins: clear.";
    let input = json!({
        "document": {"text": document}, "document_type": "pathology",
        "history": [{"candidate": {"histology": "carcinoma", "grade": "fourth"}}],
    });
    let asked = |settings: &[&str]| {
        let mut arguments = vec!["--profile", "clinical"];
        arguments.extend(settings.iter().flat_map(|setting| ["--config", setting]));
        prompt(&ask(&place, &arguments, &input).exits(0).json())
    };
    let (whole, grade) = ("\"histology\": \"carcinoma\"", "\"grade\": \"fourth\"");
    let include = asked(&[]);
    assert!(include.contains(whole) && include.contains(grade));
    let omit = asked(&["feedback.previous_output=omit"]);
    assert!(!omit.contains(whole) && !omit.contains(grade) && omit.contains("invalid grade format"));
    let failing = asked(&["feedback.previous_output=failing_fields"]);
    assert!(!failing.contains(whole) && failing.contains(grade) && failing.contains("This is a part"));
    let locked = asked(&["feedback.lock=passing"]);
    assert!(locked.contains("keep them exactly as they are: histology."), "{locked}");
    // However little room there is, the task and the document stay.
    for settings in
        [&["feedback.max_bytes=1"][..], &["feedback.max_bytes=1", "feedback.previous_output=omit"]]
    {
        let short = asked(settings);
        assert!(short.contains(document) && short.contains("You extract structured data"), "{short}");
        assert!(short.contains("less important points are not listed") && !short.contains("invalid grade"));
    }
}

/// A provider without prompts needs the base, regardless of what a model gets to see.
#[test]
fn what_a_model_does_not_see_does_not_change_a_provider_without_prompts() {
    let place = Workspace::new();
    let report = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/reports/liver-resection.txt");
    place.write("liver.txt", std::fs::read(report).unwrap());
    let result = |show: &str| {
        let setting = format!("feedback.previous_output={show}");
        let arguments =
            ["run", "-q", "--profile", "clinical", "--config", &setting, "--format", "json", "liver.txt"];
        let mut result = place.run(&arguments).exits(0).json();
        result["elapsed_ms"] = Value::Null;
        // What was fed back is what differs.
        result.as_object_mut().unwrap().remove("explanation");
        result
    };
    let include = result("include");
    assert_eq!(include["iteration_count"], 2);
    assert_eq!(include, result("omit"));
    assert_eq!(include, result("failing_fields"));
}

#[test]
fn text_that_is_no_answer_counts_as_a_failed_call() {
    let place = steps("stop: { max_iterations: 4 }\n", &[]);
    let text = |text: &str| json!({ "text": text });
    // What is not quite JSON is salvaged, as a run does.
    let good = text("Here it is:\n```json\n{\"f1\": 1,}\n```\n");
    let answer = ask_steps(&place, std::slice::from_ref(&good)).exits(0).json();
    assert_eq!(answer["iterations"][0]["overall"], 0.1);
    assert!(!answer["warnings"].to_string().contains("failed call"));

    let ran = ask_steps(&place, &[good.clone(), text("I am sorry,\nPatient Smith")]).exits(0);
    assert!(!ran.out.contains("Smith") && !ran.err.contains("Smith"));
    let answer = ran.says(&["/history/1", "there is no JSON in the text", "counts as a failed call"]).json();
    let request = &answer["request"];
    assert_eq!(
        (&request["iteration"], &request["attempt"], &request["wait_ms"]),
        (&json!(1), &json!(2), &json!(250))
    );

    let answer = ask_steps(&place, &[text("no"), good.clone()]).exits(0).json();
    assert_eq!((&answer["request"]["iteration"], &answer["request"]["attempt"]), (&json!(1), &json!(1)));
    assert!(answer["request"].get("wait_ms").is_none());

    // The stage's `retries` is 2.
    let spent = ask_steps(&place, &[good, text("no"), text("no"), text("no")]).exits(1).json();
    assert_eq!(spent["outcome"]["stop_reason"], "provider_error");
    assert_eq!(spent["outcome"]["best_extraction"], json!({"f1": 1}));
}

#[test]
fn what_comes_after_the_end_is_said_to_be_unused() {
    let place = steps("stop: { max_iterations: 2 }\n", &[]);
    let ran =
        ask_steps(&place, &entries(&[1, 2, 9])).exits(3).says(&["/history/2", "the loop was over before it"]);
    assert_eq!(ran.json()["outcome"]["iteration_count"], 2);
    let empty = json!({"document": {"text": " "}, "history": [{"candidate": {}}]});
    let answer = ask(&place, &["--profile", "steps"], &empty).exits(3).json();
    assert_eq!(answer["outcome"]["stop_reason"], "unreadable_input");
    assert_eq!((&answer["iterations"], &answer["outcome"]["best_extraction"]), (&json!([]), &Value::Null));
}

/// Answers in the order in which they are asked for.
fn ask_parts(place: &Workspace, history: &[Value], code: i32) -> Value {
    let input = json!({"document": {"path": "doc.txt"}, "history": history});
    ask(place, &["--profile", "parts"], &input).exits(code).json()
}

#[test]
fn each_stage_is_asked_in_turn() {
    let place = pipeline::place(pipeline::PROFILE, &[]);
    let mut history = Vec::new();
    let turns = [
        ("tagger", 0, "Tag: A nodule.", json!({"found": ["nodule"]})),
        ("classifier", 0, "Classify nodule.\nNodules\nMeasure each nodule.", json!("benign")),
        ("adviser", 0, "Advise on benign of {", json!({})),
        ("adviser", 1, "Missing: advice.", json!({"advice": "wait"})),
    ];
    for (stage, iteration, part, answer) in turns {
        let asked = ask_parts(&place, &history, 0);
        let request = &asked["request"];
        assert_eq!(
            (&request["stage"], &request["iteration"]),
            (&json!(stage), &json!(iteration)),
            "{request}"
        );
        assert!(prompt(&asked).contains(part), "{part}: {}", prompt(&asked));
        history.push(json!({"stage": stage, "candidate": answer}));
    }
    let end = ask_parts(&place, &history, 0);
    assert_eq!(end["outcome"]["final_status"], "passed");
    assert_eq!(
        end["outcome"]["best_extraction"],
        json!({"tags": {"found": ["nodule"]}, "class": "benign", "advice": "wait"})
    );
    history.swap(0, 1);
    let input = json!({"document": {"path": "doc.txt"}, "history": history});
    let mixed = ask(&place, &["--profile", "parts"], &input).exits(2);
    mixed.says(&["/history/0/stage: expected the answer of `tagger`, found that of `classifier`"]);
    let skipped = ask_parts(&place, &[json!({"candidate": {"found": []}})], 0);
    assert_eq!(skipped["outcome"]["stop_reason"], "skip:tagger");
}

#[test]
fn a_judge_is_asked_through_the_caller() {
    let place = pipeline::place(pipeline::JUDGED, &[]);
    let entry =
        |answers: Value| json!({"candidate": {"tags": 1, "class": 1, "advice": 1}, "answers": answers});
    let asked = ask_parts(&place, &[entry(Value::Null)], 0);
    assert_eq!((&asked["assessment"], &asked["decision"]), (&Value::Null, &Value::Null));
    let request = &asked["request"];
    assert_eq!((&request["judge"], &request["iteration"]), (&json!("tone"), &json!(0)));
    assert!(request.get("stage").is_none());
    // It alone sees what is masked.
    assert!(prompt(&asked).contains("\"advice\": 1") && prompt(&asked).contains("IMPRESSION: cancer"));
    assert!(!prompt(&ask_parts(&place, &[], 0)).contains("cancer"));

    let blunt = entry(json!({"tone": {"tone": 0.7, "issues": ["too blunt"]}}));
    let corrected = ask_parts(&place, std::slice::from_ref(&blunt), 0);
    assert_eq!(corrected["assessment"]["scores"], json!({"parts": 1.0, "tone": 0.7}));
    assert!(prompt(&corrected).contains("too blunt"));
    // What a model wrote as text is read, too; the judge's call is one more.
    let end = ask_parts(&place, &[blunt, entry(json!({"tone": "{\"tone\": 1}"}))], 0);
    assert_eq!(end["outcome"]["improvement_trajectory"], json!([0.85, 1.0]));

    let input =
        json!({"document": {"path": "doc.txt"}, "history": [entry(json!({"tone": {"tone": "good"}}))]});
    let unreadable = ask(&place, &["--profile", "parts"], &input).exits(0);
    let unreadable =
        unreadable.says(&["/history/0/answers/tone: ", "no number at `/tone`", "to try again"]).json();
    assert_eq!(unreadable["assessment"]["issues"][0]["code"], "JUDGE_FAILED");
    let slip = json!({"document": {"path": "doc.txt"}, "history": [entry(json!({"tune": {}}))]});
    ask(&place, &["--profile", "parts"], &slip)
        .exits(2)
        .says(&["/history/0/answers/tune", "did you mean `tone`?"]);
    let list = json!({"document": {"path": "doc.txt"}, "history": [entry(json!([]))]});
    ask(&place, &["--profile", "parts"], &list).exits(2).says(&["/history/0/answers: expected an object"]);
    let not_asked =
        json!({"document": {"path": "doc.txt"}, "history": [entry(json!({"tone": {"tone": 1}}))]});
    let ran = ask(&place, &["--profile", "parts", "--judge", "none"], &not_asked).exits(0);
    ran.says(&["/history/0/answers/tone: ignored, because its provider is `none`"]);
}

#[test]
fn next_runs_no_programs() {
    let place = pipeline::place(pipeline::VALIDATED, &[]);
    place.write("rules/check.sh", "touch was-run");
    let entry = |answers: Value| json!({"candidate": {"tags": 1}, "answers": answers});
    let issues = ask_parts(&place, &[entry(json!({}))], 0)["assessment"]["issues"].to_string();
    assert!(
        issues.contains("VALIDATOR_UNAVAILABLE") && issues.contains("`next` runs no programs"),
        "{issues}"
    );
    let stages = json!([{"name": "read", "passed": true}, {"name": "check", "passed": true}]);
    let end = ask_parts(&place, &[entry(json!({"shell": {"stages": stages}}))], 0);
    assert_eq!(end["outcome"]["stop_reason"], "accepted");
    assert!(!place.path("was-run").exists());
}

#[test]
fn patches_are_judged_by_the_document_they_make() {
    let place = Workspace::new();
    let pump = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/aas/pump.json");
    place.write("pump.json", std::fs::read(pump).unwrap());
    let patch = json!([{"op": "replace", "path": "/nowhere", "value": 1}]);
    let ask_for = |document: Value, more: &[&str]| {
        let input = json!({"document": document, "history": [{"candidate": patch}]});
        ask(&place, &[&["--profile", "aas"], more].concat(), &input)
    };
    let task = ["--var", "task=Set the date"];
    let answer = ask_for(json!({"path": "pump.json"}), &task).exits(0).json();
    assert_eq!(answer["assessment"]["issues"][0]["code"], "INVALID_PATCH");
    let prompt = prompt(&answer);
    assert!(prompt.contains("Set the date") && prompt.contains("\"/nowhere\""), "{prompt}");
    let unreadable = ask_for(json!({"text": "no JSON"}), &task).exits(3).json();
    assert_eq!(unreadable["outcome"]["stop_reason"], "unreadable_input");
    ask_for(json!({"path": "pump.json"}), &[]).exits(2).says(&["variable `task`", "--var task="]);
}

#[test]
fn a_locked_field_that_a_correction_changes_is_fed_back() {
    let place = steps("feedback: { lock: passing }\nstop: { max_iterations: 5 }\n", &[]);
    let answer = ask_steps(&place, &entries(&[3])).json();
    assert!(prompt(&answer).contains("keep them exactly as they are: f1, f2, f3."));
    let changed = json!({"candidate": {"f1": 1, "f2": "two", "f4": 4}});
    let answer = ask_steps(&place, &[entries(&[3]).remove(0), changed]).json();
    let found: Vec<&Value> = answer["assessment"]["issues"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|issue| issue["code"] == "LOCKED_FIELD_CHANGED")
        .map(|issue| &issue["path"])
        .collect();
    assert_eq!(found, ["/f2", "/f3"]);
    assert!(prompt(&answer).contains("Suggestion: restore the earlier value: 2"));
}

#[test]
fn mistakes_in_the_input_are_named_with_their_places() {
    let place = Workspace::new();
    let said = |input: Value, code: i32, parts: &[&str]| {
        let ran = ask(&place, &["--profile", "clinical"], &input).exits(code).says(parts);
        assert_eq!(ran.out, "", "{input}");
        assert!(!ran.err.contains("Smith"), "{}", ran.err);
    };
    let with = |entry: Value| json!({"document": {"text": "x"}, "history": [{"candidate": {}}, entry]});
    said(json!([]), 2, &["expected an object, found a list"]);
    said(json!({}), 2, &["lacks `document`", "help:"]);
    said(json!({"document": {}}), 2, &["/document: expected `text` or `path`, found neither"]);
    said(json!({"document": {"text": "a", "path": "b"}}), 2, &["/document: ", "found both"]);
    said(json!({"document": {"text": 7}}), 2, &["/document/text: expected text, found 7"]);
    said(json!({"document": {"text": "x", "id": []}}), 2, &["/document/id: expected text, found a list"]);
    said(json!({"document": {"path": "none.txt"}}), 1, &["/document/path: ", "none.txt"]);
    said(
        json!({"document": {"text": "x"}, "history": {}}),
        2,
        &["/history: expected a list, found an object"],
    );
    said(
        json!({"document": {"text": "x"}, "document_type": "patology"}),
        2,
        &["/document_type: no document type is called `patology`", "did you mean `pathology`?"],
    );
    said(with(json!("Smith")), 2, &["/history/1: expected an object, found text"]);
    said(with(json!({})), 2, &["/history/1: expected `candidate` or `text`, found neither"]);
    said(with(json!({"candidate": {}, "text": "Smith"})), 2, &["/history/1: ", "found both"]);
    let usage = json!({"candidate": {}, "usage": {"tokens": -1, "cost_usd": "Smith", "calls": 1.5}});
    said(
        with(usage),
        2,
        &[
            "/history/1/usage/tokens: expected a whole number, 0 or more, found -1",
            "/history/1/usage/cost_usd: expected an amount of US dollars, 0 or more, found text",
            "/history/1/usage/calls: expected a whole number, 0 or more, found 1.5",
        ],
    );
    said(
        with(json!({"candidate": 1, "elapsed_ms": "1s"})),
        2,
        &["/history/1/elapsed_ms: expected a whole number"],
    );
    said(
        with(json!({"candidate": 1, "given": {"accurcy": 1}})),
        2,
        &["/history/1/given/accurcy", "`accuracy`?"],
    );
    said(
        with(json!({"candidate": 1, "given": {"accuracy": 97}})),
        2,
        &["/history/1/given/accuracy", "found 97"],
    );
    said(with(json!({"candidate": 1, "given": [1]})), 2, &["/history/1/given: expected an object"]);
    let deep = (0..102).fold(json!(1), |inner, _| json!([inner]));
    said(with(json!({ "candidate": deep })), 2, &["/history/1/candidate: ", "at most 100 deep"]);
    for (text, place_in_it) in
        [("", "line 1"), ("{\"document\": Smith}", "line 1, column 14"), ("{", "line 1")]
    {
        let ran = Ran::of(place.loopctl(&["next", "-"]).write_stdin(text)).exits(1);
        let ran = ran.says(&["standard input is not JSON", place_in_it]);
        assert!(!ran.err.contains("Smith"));
    }
    place.run(&["next", "none.json"]).exits(1).says(&["none.json"]);
    place.run(&["next", "--profile", "clinicl"]).exits(2).says(&["did you mean `clinical`?"]);
    // A slip in a key is reported, and the rest is answered.
    let slip = json!({"document": {"text": "x"}, "histroy": []});
    ask(&place, &[], &slip).exits(0).says(&["/histroy", "did you mean `history`?"]);
}

static PLAN: LazyLock<Plan> = LazyLock::new(|| {
    let mut problems = Problems::new();
    let loaded = load("clinical", &Library::embedded(), &[], &|_| None, &mut problems).unwrap();
    Plan::compile(&loaded, &mut problems).unwrap()
});

/// JSON made of the keys that `next` reads and of values that are mostly of the wrong type.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z{}\\[\\]\" ]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        let key = prop::sample::select(vec![
            "document",
            "history",
            "text",
            "candidate",
            "usage",
            "tokens",
            "elapsed_ms",
            "given",
            "accuracy",
            "grade",
            "answers",
            "stage",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key.prop_map(str::to_owned), inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn whatever_comes_in_is_answered_or_named(document in anything(), history in anything(), entry in anything()) {
        for input in [
            json!({"document": document.clone(), "history": history.clone()}),
            json!({"document": {"text": "Grade: 2"}, "history": history}),
            json!({"document": {"text": "Grade: 2"}, "history": [entry.clone(), {"candidate": entry.clone()}]}),
            json!({"document": {"text": "Grade: 2"}, "history": [{"candidate": entry}, {"text": document.to_string()}]}),
        ] {
            match NextInput::parse(&input) {
                Err(mistakes) => prop_assert!(!mistakes.is_empty()),
                Ok(asked) => match next(&PLAN, &read_next_input(&asked, &DocumentReader::in_process()).unwrap(), Some("pathology"), &asked.history) {
                    Ok(answer) => prop_assert!(answer.outcome.is_some() != answer.request.is_some()),
                    Err(NextError::Input(mistakes)) => prop_assert!(!mistakes.is_empty()),
                    Err(error) => prop_assert!(false, "{error}"),
                },
            }
        }
    }
}

/// An image has no text, and the caller has not said that anyone but the stage has seen it.
#[test]
fn next_passes_no_image_that_only_a_stage_has_seen() {
    let place = Workspace::new();
    place.write("scan.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    place.write("prompts/read.md", "Read this: {{ source }}.");
    place.write(
        "schemas/form.schema.json",
        r#"{"type": "object", "properties": {"number": {"type": "string"}}}"#,
    );
    place.write(
        "profiles/scan.yaml",
        "description: Reads what is printed on a scan.
classify: null
stages: [{ id: read, provider: openai:gpt-x, prompt: read.md, attach: document }]
assess: { form: { schema: schemas/form.schema.json } }
overall: { from: form }
accept: { overall: 0.9 }
stop: { max_iterations: 1 }
",
    );
    let input = json!({"document": {"path": "scan.png"}, "history": [{ "candidate": { "number": "41" } }]});
    let answer = ask(&place, &["--profile", "scan"], &input).json();
    assert_eq!(answer["outcome"]["final_status"], "max_iterations_reached", "{answer}");
    let answer = ask(&place, &["--profile", "scan", "--config", "accept.unseen=true"], &input).json();
    assert_eq!(answer["outcome"]["final_status"], "passed", "{answer}");
}
