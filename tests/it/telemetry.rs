//! `--log`: what is in it, and what is not.

use crate::embedded::{Nobody, embedded};
use crate::provider::http::{http, serve};
use crate::trajectories::{scoring, steps};
use crate::workspace::{Ran, Workspace};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tracing::span::{Attributes, Id};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

const LOG: [&str; 8] = ["run", "--profile", "steps", "--log", "json", "--log-file", "log.jsonl", "doc.txt"];

fn lines(place: &Workspace) -> Vec<Value> {
    place.read("log.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The lines with everything in them that differs from run to run replaced by `…`.
fn masked(lines: &[Value]) -> String {
    let mut text = String::new();
    for line in lines {
        let mut line = line.clone();
        for name in ["timestamp", "duration_ms", "until_ms", "run", "server.port"] {
            if let Some(value) = line.get_mut(name) {
                *value = json!("…");
            }
        }
        text += &format!("{line}\n");
    }
    text
}

/// A run that has all kinds of lines: a failed call, a wait, two iterations and a fallback to no price.
pub(crate) fn eventful() -> Workspace {
    let mut first = scoring(5);
    first["tokens"] = json!({"input": 1000, "output": 100});
    first["model"] = json!("tale-1");
    let mut second = scoring(9);
    second["tokens"] = json!({"input": 1200, "output": 100});
    second["model"] = json!("tale-2");
    let limited = json!({"fault": "rate_limited", "retry_after_ms": 1});
    let place = steps("stop: { max_iterations: 3 }\n", &[limited, first, second]);
    let price = "{ provider: scripted, models: [tale-1], input: 1, output: 10, as_of: 2026-01-01 }";
    place.write("prices.yaml", format!("prices:\n  - {price}\n"));
    place
}

#[test]
fn the_log_of_a_run() {
    let place = eventful();
    place.run(&LOG).exits(0);
    insta::assert_snapshot!(masked(&lines(&place)));
}

#[test]
fn an_iteration_has_the_fields_of_the_reliability_loop_and_no_others() {
    let place = eventful();
    place.run(&LOG).exits(0);
    let told: Vec<Value> =
        lines(&place).into_iter().filter(|line| line["event"] == "marc_iteration").collect();
    assert_eq!(told.len(), 2);
    for (iteration, line) in told.iter().enumerate() {
        let names: Vec<&String> = line.as_object().unwrap().keys().collect();
        let expected =
            ["event", "run", "documentId", "iteration", "score", "feedback", "improvement", "timestamp"];
        assert_eq!(names, expected);
        assert_eq!(line["iteration"], json!(iteration));
        line["timestamp"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    }
    assert_eq!(told[0]["score"], json!({"overall": 0.5, "quality": 0.5, "flaws": 1.0}));
    assert_eq!(
        told[0]["feedback"],
        json!({"issueCount": 5, "criticalCount": 0, "missingFields": ["f6", "f7", "f8", "f9", "f10"]})
    );
    assert_eq!((&told[0]["improvement"], &told[1]["improvement"]), (&json!(null), &json!(0.4)));
}

/// Planted where a log could pick them up: in the document, in what the model answers, in what the server says, and in
/// the environment.
const PLANTED: [&str; 4] = ["Zwetschgenmus", "Quittengelee", "Holunderblüte", "sk-planted-key"];

#[test]
fn neither_documents_nor_answers_nor_keys_are_in_a_log() {
    let [phrase, value, excuse, key] = PLANTED;
    let answer = json!({"answer": json!({"f1": value}).to_string(), "in": 10, "out": 5}).to_string();
    for (status, body) in [("200 OK", answer), ("400 Bad Request", format!("{excuse} {key}"))] {
        for format in ["json", "text"] {
            let (address, sent) = serve(http(status, "", &body));
            let place = steps("stop: { max_iterations: 2 }\n", &[]);
            place.write("doc.txt", format!("They found {phrase}."));
            place.write("prompts/ask.md", "{{ source }}");
            let profile = place.read("profiles/steps-measured.yaml");
            let config = "config: {}, prompt: ask.md";
            let there = format!("base_url=http://{address}");
            place.write(
                "profiles/steps-measured.yaml",
                profile.replace("config: { file: answers.jsonl }", config),
            );
            let mut command = place.loopctl(&["run", "--profile", "steps", "--provider", "contrary:m"]);
            command.args(["--provider-config", &there]);
            command.args(["--log", format, "--log-file", "log.jsonl", "doc.txt"]).env("CONTRARY_KEY", key);
            Ran::of(&mut command);
            // They were there to be found.
            let sent = sent.recv().unwrap();
            assert!(sent.contains(phrase) && sent.contains(key), "{sent}");
            let log = place.read("log.jsonl");
            assert!(log.contains("call_finished") && log.contains("document_finished"), "{log}");
            for planted in PLANTED {
                assert!(!log.contains(planted), "`{planted}` is in\n{log}");
            }
        }
    }
}

#[test]
fn a_call_has_the_names_that_opentelemetry_gives() {
    let (address, _sent) = serve(http("200 OK", "", r#"{"answer": "{\"f1\": 1}", "in": 10, "out": 5}"#));
    let place = steps("stop: { max_iterations: 1 }\n", &[]);
    let profile = place.read("profiles/steps-measured.yaml");
    let config = "config: {}, options: { temperature: 0.5, seed: 7, max_tokens: 99 }";
    let there = format!("base_url=http://{address}");
    place.write("profiles/steps-measured.yaml", profile.replace("config: { file: answers.jsonl }", config));
    let mut command = place.loopctl(&["run", "--profile", "steps", "--provider", "contrary:m"]);
    command.args(["--provider-config", &there]);
    command.args(["--log", "json", "--log-file", "log.jsonl", "doc.txt"]).env("CONTRARY_KEY", "key");
    Ran::of(&mut command).exits(3);
    let call = lines(&place).into_iter().find(|line| line["event"] == "call_finished").unwrap();
    for (name, expected) in [
        ("documentId", json!("doc")),
        ("gen_ai.operation.name", json!("chat")),
        ("gen_ai.provider.name", json!("contrary")),
        ("gen_ai.request.model", json!("m")),
        ("gen_ai.request.temperature", json!(0.5)),
        ("gen_ai.request.seed", json!(7)),
        ("gen_ai.request.max_tokens", json!(99)),
        ("server.address", json!("127.0.0.1")),
        ("server.port", json!(address.port())),
        ("gen_ai.usage.input_tokens", json!(10)),
        ("gen_ai.usage.output_tokens", json!(5)),
        ("cost_usd", json!(null)),
    ] {
        assert_eq!(call.get(name), Some(&expected), "{name}: {call}");
    }
    assert!(call["duration_ms"].is_u64() && call.get("error.type").is_none(), "{call}");
    // No schema was asked for.
    assert!(call.get("gen_ai.output.type").is_none(), "{call}");
}

#[test]
fn a_log_is_made_only_when_it_is_asked_for() {
    let place = eventful();
    let ran = place.run(&["run", "--profile", "steps", "--quiet", "doc.txt"]).exits(0);
    assert_eq!(ran.err, "");

    let mut asked = place.loopctl(&["run", "--profile", "steps", "--quiet", "doc.txt"]);
    let ran = Ran::of(asked.env("LOOPCTL_LOG", "json")).exits(0);
    let first: Value = serde_json::from_str(ran.err.lines().next().unwrap()).unwrap();
    assert_eq!((&first["event"], &first["profile"]), (&json!("run_started"), &json!("steps")));

    let mut flag = place.loopctl(&["run", "--profile", "steps", "--quiet", "--log", "text", "doc.txt"]);
    let ran = Ran::of(flag.env("LOOPCTL_LOG", "json")).exits(0);
    assert!(ran.err.lines().next().unwrap().contains("  INFO run_started run="), "{}", ran.err);

    let mut wrong = place.loopctl(&["run", "--profile", "steps", "doc.txt"]);
    Ran::of(wrong.env("LOOPCTL_LOG", "loud")).exits(2).says(&["`LOOPCTL_LOG` is `loud`", "`text` or `json`"]);
    place
        .run(&["run", "--profile", "steps", "--log-file", "x", "doc.txt"])
        .exits(2)
        .says(&["add `--log json`"]);
    place
        .run(&["run", "--profile", "steps", "--log", "json", "--log-file", "no/such/folder", "doc.txt"])
        .exits(1)
        .says(&["can't write the log to `no/such/folder`"]);
}

/// The names of spans as they are opened, each with those around it.
#[derive(Clone, Default)]
struct Opened(Arc<Mutex<Vec<String>>>);

impl<S: tracing::Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Opened {
    fn on_new_span(&self, _: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let scope = context.span_scope(id).unwrap().from_root();
        let names: Vec<&str> = scope.map(|span| span.name()).collect();
        self.0.lock().unwrap().push(names.join("/"));
    }
}

#[test]
fn whoever_embeds_the_library_gets_the_spans() {
    let place = eventful();
    let (_stop, cancelled) = tokio::sync::watch::channel(false);
    let (batch, session) = embedded(&place, cancelled);
    let opened = Opened::default();
    let subscriber = tracing_subscriber::registry().with(opened.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let end = tracing::subscriber::with_default(subscriber, || {
        runtime.block_on(batch.run(&session, &mut Nobody)).unwrap()
    });
    assert_eq!(end.passed, 1);
    let call = "run/document/iteration/chat";
    let mut spans = opened.0.lock().unwrap().clone();
    spans.retain(|span| span.starts_with("run"));
    assert_eq!(
        spans,
        ["run", "run/document", "run/document/iteration", call, call, "run/document/iteration", call]
    );
}

/// Only the plugin could say whether a line quotes the document.
#[test]
fn what_plugins_say_is_in_a_log_only_when_that_is_asked_for() {
    use crate::cassettes::{answer, http_place, http_run, serve};
    let (server, _asked) = serve(|_| answer("200 OK", r#"{"tags": 1, "class": 1, "advice": 1}"#));
    let place = http_place();
    for (more, expected) in [(&[][..], 0), (&["--log-plugins"][..], 1)] {
        let mut flags = vec!["--log", "json", "--log-file", "log.jsonl"];
        flags.extend(more);
        http_run(&place, server, "out", &flags).exits(0);
        let said: Vec<Value> =
            lines(&place).into_iter().filter(|line| line["event"] == "plugin_says").collect();
        assert_eq!(said.len(), expected, "{said:?}");
        for line in said {
            assert_eq!(
                (&line["plugin"], &line["plugin_level"], &line["text"]),
                (&json!("contrary"), &json!("info"), &json!("opened"))
            );
        }
    }
    place.run(&["run", "--log-plugins", "doc.txt"]).exits(2).says(&["`--log-plugins` adds to a log"]);
}

/// By the spans in which it happens, not by what the process does: documents may be run at the same time.
#[test]
fn every_line_of_a_run_says_of_which_run_and_document_it_is() {
    let place = eventful();
    place.write("other.txt", "Nothing is read from here either.");
    let arguments = ["run", "--profile", "steps", "--log", "json", "--log-file", "log.jsonl"];
    for times in 1..=2 {
        let mut command = place.loopctl(&arguments);
        command.args(["doc.txt", "other.txt"]).output().unwrap();
        let log = place.read("log.jsonl");
        let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let mut runs: Vec<&str> = lines.iter().map(|line| line["run"].as_str().unwrap()).collect();
        runs.dedup();
        assert_eq!(runs.len(), times, "{log}");
        for line in &lines {
            let is_of_run = ["run_started", "run_finished"].map(Value::from).contains(&line["event"]);
            let document = line["documentId"].as_str();
            assert_eq!(document.is_none(), is_of_run, "{line}");
            assert!(document.is_none_or(|id| ["doc", "other"].contains(&id)), "{line}");
            // First what happened, then to whom.
            let names: Vec<&String> =
                line.as_object().unwrap().keys().filter(|name| *name != "level").collect();
            assert_eq!((names[0].as_str(), names[1].as_str()), ("event", "run"));
            assert!(is_of_run || names[2] == "documentId", "{line}");
        }
        for id in ["doc", "other"] {
            assert!(
                lines.iter().any(|line| line["event"] == "call_finished" && line["documentId"] == id),
                "{log}"
            );
        }
    }
}
