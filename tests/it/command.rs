//! The provider `command`: programs of this machine as providers, through the command line.
#![cfg(unix)]

use crate::workspace::{Ran, Workspace};
use serde_json::json;

/// One stage, whose program lies beside the document.
const PROFILE: &str = "classify: null
stages: [{ id: extract, provider: 'command:m1', config: { command: [sh, answer.sh], answer: value }, prompt: ask.md, deadline: 20s, retries: 0 }]
assess: { parts: { rubric: parts } }
overall: { from: parts }
accept: { overall: 0.9 }
stop: { max_iterations: 2 }
";

fn place(profile: &str, script: &str) -> Workspace {
    let place = Workspace::new();
    place.write("rules/rubrics/parts.yaml", "types: { unknown: { required: [grade] } }\n");
    place.write("profiles/parts.yaml", profile);
    place.write("prompts/ask.md", "What is the grade in {{ source }}?");
    place.write("doc.txt", "Grade 2.\n");
    place.write("answer.sh", script);
    place
}

fn run(place: &Workspace, more: &[&str]) -> Ran {
    let mut arguments = vec!["run", "--profile", "parts", "--format", "json", "--out", "out", "doc.txt"];
    arguments.extend(more);
    place.run(&arguments)
}

#[test]
fn a_program_answers_a_whole_run() {
    // Without the grade first; with it once the report says what is missing.
    let script = r#"cat > "request.json"
if grep -q '"missing":\["grade"\]' request.json; then echo '{"grade": "2"}'; else echo '{}'; fi"#;
    let place = place(PROFILE, script);
    let result = run(&place, &["--allow-commands"]).exits(0).json();
    assert_eq!((&result["iteration_count"], &result["best_extraction"]), (&json!(2), &json!({"grade": "2"})));
    let request = place.json("request.json");
    assert_eq!((&request["stage"], &request["iteration"]), (&json!("extract"), &json!(1)));
    assert_eq!(request["options"]["model"], "m1");
    assert_eq!(request["source"], "Grade 2.\n");
}

#[test]
fn the_command_line_can_say_it_all() {
    let place = place(
        &PROFILE.replace("'command:m1'", "pattern").replace("command: [sh, answer.sh], answer: value", ""),
        "echo '```json\n{\"grade\": 2}\n```'",
    );
    let command = r#"command=["sh","answer.sh"]"#;
    let flags = [
        "--allow-commands",
        "--provider",
        "command",
        "--provider-config",
        command,
        "--provider-config",
        "answer=text",
    ];
    let result = run(&place, &flags).exits(0).json();
    assert_eq!(result["best_extraction"], json!({"grade": 2}));
}

#[test]
fn nothing_runs_unless_programs_are_allowed() {
    let script = "echo > ran; echo '{\"grade\": 1}'";
    let judged = "judges: { tone: { provider: command, config: { command: [sh, answer.sh], answer: value }, prompt: ask.md } }\n";
    let judge = PROFILE
        .replace("'command:m1'", "scripted")
        .replace("command: [sh, answer.sh], answer: value", "file: answers.jsonl")
        .replace("assess: { parts: { rubric: parts } }", "assess: { parts: { judge: tone, score: /grade } }")
        + judged;
    for profile in [PROFILE, &judge] {
        let place = place(profile, script);
        place.write("answers.jsonl", "{\"value\": {\"grade\": 1}}\n");
        run(&place, &[]).exits(2).says(&["`command` runs programs of this machine", "--allow-commands"]);
        assert!(!place.path("ran").exists() && !place.path("out/doc-result.json").exists());
        run(&place, &["--allow-commands"]);
        assert!(place.path("ran").exists());
    }
    // Looking at it runs nothing.
    let place = place(PROFILE, script);
    place.run(&["check", "parts"]).exits(0);
    let inspected = place.run_json(&["plugin", "inspect", "command"]);
    assert_eq!(inspected["manifest"]["capabilities"], json!(["runs-programs"]));
    place.run(&["plugin", "trust", "command"]).exits(0).says(&["it runs programs of this machine"]);
    assert!(!place.path("ran").exists());
}

#[test]
fn what_went_wrong_is_in_the_result() {
    for (script, says) in [
        ("echo 'the model is asleep' >&2; exit 4", "exit status: 4; standard error: the model is asleep"),
        ("kill -KILL $$", "signal: 9"),
        ("echo Grade 2", "the answer of `sh` is not JSON (line 1, column 1)"),
        ("yes", "more than 8388608 bytes and was killed"),
    ] {
        let place = place(PROFILE, script);
        let ran = run(&place, &["--allow-commands"]).exits(1);
        let told = format!("{}{}", ran.out, ran.err);
        assert!(told.contains(says), "{script}: {told}");
    }
    let place = place(PROFILE, "");
    for (setting, says) in [
        ("command=[no-such-program]", "no program `no-such-program` in the folders of PATH"),
        ("command=[./no-such.sh]", "no-such.sh`"),
        ("command=[sh, 5]", "`/command/1`"),
        ("commnd=[sh]", "configuration of provider `command` is not valid"),
    ] {
        let flags = ["--allow-commands", "--provider-config", setting];
        run(&place, &flags).exits(2).says(&[says]);
    }
}

#[test]
fn a_deadline_ends_the_program_and_what_it_started() {
    // Every living process holds the pipe open.
    let script =
        "exec 3>alive; (sleep 1000; echo survived >&3) & echo ready >&3; sleep 1000; echo survived >&3";
    let place = place(&PROFILE.replace("20s", "2s"), script);
    let fifo = place.path("alive");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let listening = std::thread::spawn(|| std::fs::read_to_string(fifo).unwrap());
    let ran = run(&place, &["--allow-commands"]).exits(1);
    assert!(format!("{}{}", ran.out, ran.err).contains("no answer within 2000 ms"), "{}", ran.out);
    assert_eq!(listening.join().unwrap(), "ready\n");
}

#[test]
fn keys_do_not_reach_a_program_that_was_not_given_them() {
    let script = r#"echo "{\"grade\": \"${OPENAI_API_KEY-none} ${MY_KEY-none}\"}""#;
    let profile = PROFILE.replace("answer: value", "answer: value, env: [MY_KEY]");
    let place = place(&profile, script);
    let mut command =
        place.loopctl(&["run", "--profile", "parts", "--format", "json", "--allow-commands", "doc.txt"]);
    let ran = Ran::of(command.env("OPENAI_API_KEY", "k1").env("MY_KEY", "k2")).exits(0);
    assert_eq!(ran.json()["best_extraction"], json!({"grade": "none k2"}));
}

#[test]
fn what_a_program_costs_is_unknown_unless_it_tells_or_is_said_to_be_free() {
    let cost = |answer: &str, said: &str, prices: Option<&str>| {
        let place = place(&PROFILE.replace("answer: value", &format!("answer: {answer}")), said);
        if let Some(prices) = prices {
            place.write("prices.yaml", prices);
        }
        run(&place, &["--allow-commands"]).json()["usage"]["cost_usd"].clone()
    };
    let free = "prices: [{ provider: command, models: ['*'], input: 0, output: 0, as_of: 2026-01-01 }]\n";
    assert_eq!(cost("value", "echo '{\"grade\": 2}'", None), json!(null));
    assert_eq!(cost("value", "echo '{\"grade\": 2}'", Some(free)), json!(0.0));
    let told = "echo '{\"value\": {\"grade\": 2}, \"usage\": {\"cost_usd\": 0.25}}'";
    assert_eq!(cost("completion", told, None), json!(0.25));
    assert_eq!(cost("value", "exit 1", None), json!(null));
}
