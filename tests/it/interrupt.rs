//! Ctrl-C, and a request to terminate, in the middle of a run.
#![cfg(unix)]

use crate::cassettes::{answer as answered, serve};
use crate::pipeline::{answer, place};
use crate::trajectories::{scoring, steps};
use crate::workspace::{Workspace, until, wait_until_gone};
use serde_json::json;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;

fn interrupt(child: &Child) {
    signal(child, "-INT");
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

/// Waits for the end, not for ever.
fn ended(child: &mut Child) -> ExitStatus {
    until("the command has ended", || child.try_wait().unwrap())
}

/// Starts a run and comes back when its standard error has a line with `until`.
fn started(place: &Workspace, arguments: &[&str], until: &str) -> (Child, BufReader<impl Read + use<>>) {
    let mut child = place
        .process()
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut err = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains(until) {
        line.clear();
        assert_ne!(err.read_line(&mut line).unwrap(), 0, "it ended before it said `{until}`");
    }
    (child, err)
}

/// Starts a run whose output no one reads.
fn unheard(place: &Workspace, arguments: &[&str]) -> Child {
    let mut command = place.process();
    command.args(arguments).env("CONTRARY_KEY", "key");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn three_documents() -> Workspace {
    let hang = json!({"id": "second", "fault": "hang"});
    let first = json!({"id": "second", "value": {"f1": 1, "f2": 2}});
    let place = steps("stop: { max_iterations: 3 }\n", &[first, hang, scoring(9)]);
    for name in ["first", "second", "third"] {
        place.write(&format!("{name}.txt"), "x");
    }
    place
}

const RUN: [&str; 10] = [
    "run",
    "--drain=0s",
    "--profile",
    "steps",
    "--format",
    "json",
    "--out",
    "out",
    "first.txt",
    "second.txt",
];

#[test]
fn what_is_finished_stays_and_the_rest_says_that_it_was_cancelled() {
    let place = three_documents();
    let mut arguments = RUN.to_vec();
    arguments.push("third.txt");
    // The second document's first candidate is decided upon; its correction hangs.
    let (mut child, mut err) = started(&place, &arguments, "correct iteration 0");
    interrupt(&child);
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    err.read_to_string(&mut String::new()).unwrap();
    assert_eq!(ended(&mut child).code(), Some(130));

    let results = serde_json::from_str::<serde_json::Value>(&out).unwrap();
    assert_eq!(results.as_array().unwrap().len(), 2);
    assert_eq!(results[0]["final_status"], "passed");
    assert_eq!(results[0], place.json("out/first-result.json"));
    let second = place.json("out/second-result.json");
    assert_eq!(results[1], second);
    assert_eq!((&second["final_status"], &second["stop_reason"]), (&json!("cancelled"), &json!("cancelled")));
    assert_eq!((&second["iteration_count"], &second["best_iteration"]), (&json!(1), &json!(0)));
    assert_eq!(second["best_extraction"], json!({"f1": 1, "f2": 2}));
    assert_eq!(
        place.names("out"),
        [
            "first-extraction.json",
            "first-result.json",
            "first-validation.json",
            "journal.sqlite",
            "second-extraction.json",
            "second-result.json",
            "second-validation.json",
        ]
    );
}

/// The documents that `three_documents` writes.
const THREE: [&str; 3] = ["first.txt", "second.txt", "third.txt"];

/// As service managers, containers and batch systems stop what they run.
#[test]
fn sigterm_is_heard_like_an_interrupt() {
    let place = three_documents();
    let arguments =
        [&["run", "--drain=0s", "--format", "text", "--profile", "steps", "--out", "out"][..], &THREE]
            .concat();
    let (mut child, mut err) = started(&place, &arguments, "correct iteration 0");
    signal(&child, "-TERM");
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    err.read_to_string(&mut String::new()).unwrap();
    assert_eq!(ended(&mut child).code(), Some(130));
    assert!(out.ends_with(", stopped before the end, 1 not tried\n"), "{out}");
    assert_eq!(place.json("out/second-result.json")["final_status"], "cancelled");
}

/// Returns whether the tests run with hangups ignored, as under `nohup`: what they start then ignores them, too.
#[cfg(target_os = "linux")]
fn ignores_hangups() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(ignored.trim(), 16).unwrap() & 1 == 1
}

/// As a terminal that is closed and a connection that breaks say it, and shells say it again.
#[cfg(target_os = "linux")]
#[test]
fn a_hangup_is_heard_like_an_interrupt_however_often_it_comes() {
    if ignores_hangups() {
        eprintln!("these tests were started where hangups are ignored, so nothing can hear one");
        return;
    }
    let place = three_documents();
    let arguments =
        [&["run", "--drain=0s", "--format", "text", "--profile", "steps", "--out", "out"][..], &THREE]
            .concat();
    let (mut child, mut err) = started(&place, &arguments, "correct iteration 0");
    signal(&child, "-HUP");
    signal(&child, "-HUP");
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    err.read_to_string(&mut String::new()).unwrap();
    assert_eq!(ended(&mut child).code(), Some(130));
    assert!(out.ends_with(", stopped before the end, 1 not tried\n"), "{out}");
    assert_eq!(place.json("out/second-result.json")["final_status"], "cancelled");
}

/// As `nohup` starts what is to outlive its terminal.
#[test]
fn a_hangup_that_is_ignored_stays_ignored() {
    let (started, runs) = mpsc::channel::<u32>();
    let (server, _) = serve(move |_| {
        let child = runs.recv().unwrap().to_string();
        assert!(Command::new("kill").args(["-HUP", &child]).status().unwrap().success());
        answered("200 OK", &scoring(9)["value"].to_string())
    });
    let place = steps("stop: { max_iterations: 1 }\n", &[]);
    asks(&place, server);
    let mut command = Command::new("sh");
    place.isolate(&mut command);
    let mut child = command
        .args(["-c", "trap '' HUP; exec loopctl run --profile steps --out out doc.txt"])
        .env("CONTRARY_KEY", "key")
        .current_dir(place.path(""))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    started.send(child.id()).unwrap();
    assert_eq!(ended(&mut child).code(), Some(0));
    assert_eq!(place.json("out/doc-result.json")["final_status"], "passed");
}

/// Has the profile ask this server.
fn asks(place: &Workspace, server: SocketAddr) {
    let config = format!("config: {{ base_url: 'http://{server}' }}");
    let profile =
        place.read("profiles/steps-measured.yaml").replace("config: { file: answers.jsonl }", &config);
    place
        .write("profiles/steps-measured.yaml", profile.replace("provider: scripted", "provider: contrary:m"));
}

#[test]
fn a_call_that_is_under_way_is_counted_and_nobody_knows_what_it_cost() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let place = steps("stop: { max_iterations: 3 }\n", &[scoring(9)]);
    asks(&place, server.local_addr().unwrap());
    let mut child = unheard(
        &place,
        &[
            "run",
            "--drain=0s",
            "--profile",
            "steps",
            "--out",
            "out",
            "--log",
            "json",
            "--log-file",
            "log.jsonl",
            "doc.txt",
        ],
    );
    // It has come through, and is never answered.
    let (_call, _) = server.accept().unwrap();
    interrupt(&child);
    assert_eq!(ended(&mut child).code(), Some(130));
    let result = place.json("out/doc-result.json");
    assert_eq!(
        (&result["final_status"], &result["usage"]),
        (
            &json!("cancelled"),
            &json!({"calls": 1, "tokens": 0, "cost_usd": null, "known_cost_usd": 0.0, "calls_of_unknown_cost": 1})
        )
    );
    let warnings = result["warnings"].to_string();
    assert!(warnings.contains("a call of `contrary` was given up before it ended"), "{warnings}");
    let log = place.read("log.jsonl");
    let call = log.lines().find(|line| line.contains("call_finished")).unwrap();
    assert!(call.contains(r#""error.type":"cancelled","cost_usd":null"#), "{call}");
}

#[test]
fn a_call_that_waits_for_its_turn_is_not_counted() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let asked = format!(
        "{{ provider: 'contrary:m', config: {{ base_url: 'http://{}' }}, prompt: judge.md, sees: unmasked }}",
        server.local_addr().unwrap()
    );
    // One may ask at a time; the other two wait.
    let profile = format!(
        "classify: null
stages: [{{ id: extract, provider: scripted, config: {{ file: answers.jsonl }} }}]
judges: {{ one: {asked}, two: {asked}, three: {asked} }}
assess: {{ one: {{ judge: one, score: /n }}, two: {{ judge: two, score: /n }}, three: {{ judge: three, score: /n }} }}
overall: {{ one: 1, two: 1, three: 1 }}
accept: {{ overall: 0.9 }}
stop: {{ max_iterations: 2 }}
network: {{ limits: {{ contrary: {{ concurrency: 1 }} }} }}
"
    );
    let place = place(&profile, &[answer("extract", json!({ "tags": 1 }))]);
    let mut child = unheard(&place, &["run", "--drain=0s", "--profile", "parts", "--out", "out", "doc.txt"]);
    let (_call, _) = server.accept().unwrap();
    interrupt(&child);
    assert_eq!(ended(&mut child).code(), Some(130));
    // The stage's and that of one judge.
    assert_eq!(place.json("out/doc-result.json")["usage"]["calls"], 2);
}

#[test]
fn a_pause_before_another_attempt_is_cut_short() {
    let limited = json!({"fault": "rate_limited", "retry_after_ms": 50_000});
    let place = steps("stop: { max_iterations: 3 }\n", &[limited, scoring(9)]);
    let arguments = ["run", "--drain=0s", "--profile", "steps", "--out", "out", "doc.txt"];
    let (mut child, mut err) = started(&place, &arguments, "trying again");
    interrupt(&child);
    err.read_to_string(&mut String::new()).unwrap();
    assert_eq!(ended(&mut child).code(), Some(130));
    let result = place.json("out/doc-result.json");
    assert_eq!((&result["final_status"], &result["best_extraction"]), (&json!("cancelled"), &json!(null)));
    // Nothing was in flight.
    assert_eq!((&result["usage"]["calls"], &result["usage"]["cost_usd"]), (&json!(1), &json!(0.0)));
}

#[test]
fn a_run_that_was_killed_leaves_whole_files_and_a_journal_that_opens() {
    let place = three_documents();
    let (mut child, _err) = started(&place, &RUN, "correct iteration 0");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(place.json("out/first-result.json")["final_status"], "passed");
    // What is in flight is in the journal, and written when it is over.
    assert!(!place.path("out/second-result.json").exists());
    let journal = loopctl::store::Journal::open(place.path("out/journal.sqlite")).unwrap();
    let run = &journal.runs().unwrap()[0];
    assert_eq!((run.documents, run.finished_documents), (2, 1));
    assert_eq!(run.finished_at, None);
}

/// Of a supervisor, of `timeout`, of a machine that shuts down: no program may be left behind.
#[test]
fn a_request_to_terminate_ends_the_programs_that_were_started_too() {
    let place = steps("stop: { max_iterations: 3 }\n", &[scoring(9)]);
    let profile = place.read("profiles/steps-measured.yaml");
    let command = "config: { command: [sh, hang.sh] }";
    place.write(
        "profiles/steps-measured.yaml",
        profile
            .replace("config: { file: answers.jsonl }", command)
            .replace("provider: scripted", "provider: command"),
    );
    // Deaf to what it is asked by others.
    place.write("hang.sh", "trap '' TERM INT; echo $$ > pid.new; mv pid.new pid; exec sleep 3600");
    let mut child = unheard(
        &place,
        &["run", "--drain=0s", "--allow-commands", "--profile", "steps", "--out", "out", "doc.txt"],
    );
    let program =
        until("the program has begun", || std::fs::read_to_string(place.path("pid")).ok()).trim().to_owned();
    signal(&child, "-TERM");
    assert_eq!(ended(&mut child).code(), Some(130));
    assert_eq!(place.json("out/doc-result.json")["final_status"], "cancelled");
    // It was killed before the process ended.
    wait_until_gone(&program);
}

/// A run that waits for standard input need not be interrupted twice.
#[test]
fn one_interrupt_ends_a_run_that_waits_for_standard_input() {
    let place = steps("stop: { max_iterations: 1 }\n", &[scoring(9)]);
    place.write("first.txt", "x");
    let mut child = place
        .process()
        .args([
            "run",
            "--drain=0s",
            "--profile",
            "steps",
            "--format",
            "jsonl",
            "--out",
            "out",
            "first.txt",
            "-",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    // The first document is over, and no one writes the second.
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("\"first\""), "{line}");
    interrupt(&child);
    assert_eq!(ended(&mut child).code(), Some(130));
}
