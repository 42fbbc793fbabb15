//! The telemetry that a collector gets from a run, and that a run does not depend on it.

mod collector;

use crate::loopback;
use crate::telemetry::eventful;
use crate::trajectories::{scoring, steps};
use crate::workspace::{Ran, Workspace};
use collector::{Collector, Exported, Manner, path};
use serde_json::{Value, json};

const RUN: [&str; 6] = ["run", "--profile", "steps", "--format", "json", "doc.txt"];

fn exported(place: &Workspace, collector: &Collector) -> Ran {
    let mut command = place.loopctl(&RUN);
    command.args(["--otlp", &collector.url()]);
    Ran::of(&mut command)
}

fn one<'a>(spans: &'a [Exported], name: &str) -> &'a Exported {
    let mut named = spans.iter().filter(|span| span.0.name == name);
    let found = named.next().unwrap_or_else(|| panic!("there is no span `{name}`"));
    assert!(named.next().is_none(), "`{name}` is there twice");
    found
}

/// The only point of a metric, attributes aside.
fn value(collector: &Collector, metric: &str) -> Value {
    let points = collector.metric(metric);
    assert_eq!(points.len(), 1, "{metric}: {points:?}");
    points[0].1.clone()
}

#[test]
fn a_run_is_a_trace() {
    let collector = Collector::start(Manner::Takes);
    let place = eventful();
    let ran = exported(&place, &collector).exits(0);
    assert!(!ran.err.contains("warning: not everything"), "{}", ran.err);
    let spans = collector.spans();
    let paths: Vec<String> = spans.iter().map(|span| path(&spans, span)).collect();
    let call = "invoke_workflow steps/document/iteration/chat";
    assert_eq!(
        paths,
        [
            "invoke_workflow steps",
            "invoke_workflow steps/document",
            "invoke_workflow steps/document/iteration",
            call,
            call,
            "invoke_workflow steps/document/iteration",
            call
        ]
    );
    let run = one(&spans, "invoke_workflow steps");
    let mut told = run.attributes();
    assert!(told["loopctl.run.id"].as_str().is_some_and(|id| !id.is_empty()), "{told}");
    told.as_object_mut().unwrap().shift_remove("loopctl.run.id");
    insta::assert_snapshot!("run", format!("{:#}", told));
    let document = one(&spans, "document");
    insta::assert_snapshot!("document", format!("{:#}", document.attributes()));
    let calls: Vec<Value> =
        spans.iter().filter(|span| span.0.name == "chat").map(Exported::attributes).collect();
    insta::assert_snapshot!("calls", format!("{:#}", Value::Array(calls)));
    // 3 is a client; 2 is an error.
    let client = spans.iter().map(|span| span.0.kind == 3).collect::<Vec<_>>();
    assert_eq!(client, [false, false, false, true, true, false, true]);
    let failed: Vec<i32> = spans.iter().map(|span| span.0.status.as_ref().map_or(0, |s| s.code)).collect();
    assert_eq!(failed, [0, 0, 0, 2, 0, 0, 0]);
    // Each iteration has its scores; what happened between is the document's.
    let scores: Vec<_> =
        spans.iter().filter(|span| span.0.name == "iteration").map(Exported::events).collect();
    let score = |name: &str, value: f64| {
        let name = json!({"gen_ai.evaluation.name": name, "gen_ai.evaluation.score.value": value});
        ("gen_ai.evaluation.result".to_owned(), name)
    };
    assert_eq!(
        scores,
        [
            [score("overall", 0.5), score("quality", 0.5), score("flaws", 1.0)],
            [score("overall", 0.9), score("quality", 0.9), score("flaws", 1.0)]
        ]
    );
    let happened: Vec<String> = document.events().into_iter().map(|(name, _)| name).collect();
    assert_eq!(happened, ["loopctl.attempt_failed", "loopctl.waiting"]);
}

#[test]
fn a_run_is_measured() {
    let collector = Collector::start(Manner::Takes);
    exported(&eventful(), &collector).exits(0);
    for (metric, expected) in [
        ("gen_ai.client.inference.usage.output_tokens", vec![json!(100), json!(100)]),
        ("gen_ai.client.inference.usage.input_tokens", vec![json!(1000), json!(1200)]),
        (
            "gen_ai.client.token.usage",
            vec![json!([1, 100.0]), json!([1, 100.0]), json!([1, 1000.0]), json!([1, 1200.0])],
        ),
        ("loopctl.calls", vec![json!(1), json!(1), json!(1)]),
        ("loopctl.calls.retries", vec![json!(1)]),
        ("loopctl.calls.cost_unknown", vec![json!(1)]),
        ("loopctl.cost", vec![json!(0.0), json!(0.002)]),
        ("loopctl.documents", vec![json!(1)]),
        ("loopctl.issues", vec![json!(6)]),
        ("marc.iteration_count", vec![json!([1, 2.0])]),
        ("marc.final_score", vec![json!([1, 0.9])]),
        ("marc.threshold_met_rate", vec![json!(1.0)]),
        ("marc.improvement_per_iteration", vec![json!([1, 0.4])]),
        // No call had to wait for a turn.
        ("loopctl.calls.waited", vec![]),
    ] {
        let mut found: Vec<Value> = collector.metric(metric).into_iter().map(|(_, value)| value).collect();
        found.sort_by_key(Value::to_string);
        assert_eq!(found, expected, "{metric}");
    }
    for (metric, count) in [
        ("gen_ai.client.operation.duration", 3),
        ("gen_ai.workflow.duration", 1),
        ("marc.processing_time_ms", 1),
    ] {
        let points = collector.metric(metric);
        let all: u64 = points.iter().map(|(_, value)| value[0].as_u64().unwrap()).sum();
        assert_eq!(all, count, "{metric}: {points:?}");
    }
    let by_outcome: Vec<Value> =
        collector.metric("loopctl.calls").into_iter().map(|(attributes, _)| attributes).collect();
    let failed = by_outcome.iter().find(|of| of["loopctl.call.outcome"] == "failed").unwrap();
    assert_eq!(
        failed,
        &json!({"error.type": "rate_limited", "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "scripted", "loopctl.call.outcome": "failed"})
    );
    let (document, _) = &collector.metric("loopctl.documents")[0];
    assert_eq!(
        document,
        &json!({"gen_ai.workflow.name": "steps", "loopctl.document.final_status": "passed",
            "loopctl.document.stop_reason": "accepted", "loopctl.document.type": "unknown"})
    );
    let (issue, _) = &collector.metric("loopctl.issues")[0];
    assert_eq!(issue["loopctl.issue.code"], "MISSING_FIELD");
}

/// The scores of a candidate refer to the answer of a service that they are about.
#[test]
fn a_call_over_the_network_has_the_names_that_opentelemetry_gives() {
    let answer = json!({"id": "chatcmpl-7", "model": "gpt-x-2026", "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": "{\"f1\": 1}"}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 4}}});
    let vendor = loopback::serve(move |_| {
        loopback::http("200 OK", "content-type: application/json\r\n", &answer.to_string())
    });
    let collector = Collector::start(Manner::Takes);
    let place = steps("stop: { max_iterations: 1 }\n", &[]);
    place.write("prompts/ask.md", "{{ source }}");
    let profile = place.read("profiles/steps-measured.yaml");
    place.write(
        "profiles/steps-measured.yaml",
        profile.replace("config: { file: answers.jsonl }", "config: {}, prompt: ask.md"),
    );
    let mut command = place.loopctl(&RUN);
    command.args([
        "--provider",
        "openai:gpt-x",
        "--provider-config",
        &format!("base_url=http://{vendor}/v1"),
    ]);
    command.args(["--otlp", &collector.url()]).env("OPENAI_API_KEY", "sk-x");
    Ran::of(&mut command).exits(3);
    let spans = collector.spans();
    let mut call = one(&spans, "chat gpt-x").attributes();
    assert_eq!(call["server.port"], json!(vendor.port()));
    call["server.port"] = json!("…");
    insta::assert_snapshot!("call_over_the_network", format!("{:#}", call));
    for (_, score) in one(&spans, "iteration").events() {
        assert_eq!(score["gen_ai.response.id"], "chatcmpl-7", "{score}");
    }
    assert_eq!(value(&collector, "gen_ai.client.inference.usage.cache_read.input_tokens"), json!(4));
}

#[test]
fn the_standard_variables_ask_for_it_too() {
    let collector = Collector::start(Manner::Takes);
    let place = steps("stop: { max_iterations: 3 }\n", &[scoring(9)]);
    let mut command = place.loopctl(&RUN);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url());
    command.env("OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%20b").env("OTEL_SERVICE_NAME", "nightly");
    command.env("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=ward,service.version=9");
    Ran::of(&mut command).exits(0);
    let received = collector.received();
    let mut paths: Vec<&str> = received.iter().map(|request| request.path.as_str()).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["/v1/metrics", "/v1/traces"]);
    for request in &received {
        assert_eq!(request.headers["content-type"], "application/x-protobuf");
        assert_eq!(request.headers["api-key"], "a b");
    }
    let mut resource = collector.resource();
    assert_eq!(resource["service.instance.id"].as_str().unwrap().len(), 32);
    resource.as_object_mut().unwrap().shift_remove("service.instance.id");
    for name in ["telemetry.sdk.version", "telemetry.sdk.language", "telemetry.sdk.name"] {
        resource.as_object_mut().unwrap().shift_remove(name);
    }
    assert_eq!(
        resource,
        json!({"deployment.environment.name": "ward", "service.name": "nightly", "service.version": "9"})
    );

    // One signal alone; no trace is sampled; nothing at all.
    for (variables, expected) in [
        (vec![("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "/own")], vec!["/own"]),
        (vec![("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "/own")], vec!["/own"]),
        (
            vec![("OTEL_EXPORTER_OTLP_ENDPOINT", ""), ("OTEL_TRACES_SAMPLER", "always_off")],
            vec!["/v1/metrics"],
        ),
        (vec![("OTEL_EXPORTER_OTLP_ENDPOINT", ""), ("OTEL_SDK_DISABLED", "true")], vec![]),
        (vec![], vec![]),
    ] {
        let collector = Collector::start(Manner::Takes);
        let mut command = place.loopctl(&RUN);
        for (name, value) in variables {
            let is_url = name.ends_with("ENDPOINT");
            command.env(name, if is_url { collector.url() + value } else { value.to_owned() });
        }
        let ran = Ran::of(&mut command).exits(0);
        assert!(!ran.err.contains("warning"), "{}", ran.err);
        let received = collector.received();
        let paths: Vec<&str> = received.iter().map(|request| request.path.as_str()).collect();
        assert_eq!(paths, expected);
    }
}

/// Planted where it could be picked up: in the document, in what the model answers, in what the server says, in keys of the
/// provider and of the collector.
const PLANTED: [&str; 6] =
    ["Zwetschgenmus", "Quittengelee", "Holunderblüte", "sk-planted-key", "collector-key", "in-the-url"];

#[test]
fn neither_documents_nor_answers_nor_keys_are_exported() {
    let [phrase, value, excuse, key, header, in_url] = PLANTED;
    let answer = json!({"answer": json!({"f1": value}).to_string(), "in": 10, "out": 5}).to_string();
    for (status, body) in [("200 OK", answer), ("400 Bad Request", format!("{excuse} {key}"))] {
        let collector = Collector::start(Manner::Takes);
        let vendor = loopback::serve(move |asked| {
            assert!(asked.contains(phrase) && asked.contains(key), "{asked}");
            loopback::http(status, "", &body)
        });
        let place = steps("stop: { max_iterations: 2 }\n", &[]);
        place.write("doc.txt", format!("They found {phrase}."));
        place.write("prompts/ask.md", "{{ source }}");
        let profile = place.read("profiles/steps-measured.yaml");
        let config = "config: {}, prompt: ask.md";
        place.write(
            "profiles/steps-measured.yaml",
            profile.replace("config: { file: answers.jsonl }", config),
        );
        let mut command = place.loopctl(&RUN);
        command.args(["--provider", "contrary:m", "--provider-config", &format!("base_url=http://{vendor}")]);
        command.env("CONTRARY_KEY", key).env("OTEL_EXPORTER_OTLP_HEADERS", format!("api-key={header}"));
        command
            .env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", format!("{}/v1/traces?key={in_url}", collector.url()));
        command.env("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", format!("{}/v1/metrics", collector.url()));
        Ran::of(&mut command);
        let received = collector.received();
        assert!(received.len() > 1 && received.iter().all(|request| request.body.len() > 200));
        for request in received {
            assert_eq!(request.headers["api-key"], header);
            for planted in PLANTED {
                let found = request.body.windows(planted.len()).any(|bytes| bytes == planted.as_bytes());
                assert!(!found, "`{planted}` is in what {} got", request.path);
            }
        }
    }
}

#[test]
#[ignore = "long"]
fn a_run_does_not_depend_on_the_collector() {
    let place = eventful();
    let without = place.run(&RUN).exits(0);
    let mut expected = without.json();
    let (kept, nobody) = loopback::nobody();
    let manners = [Manner::Fails(500), Manner::Fails(503), Manner::Redirects, Manner::Closes, Manner::Hangs];
    let mut collectors: Vec<(String, &str)> = vec![(format!("http://{nobody}"), "can't connect")];
    let started: Vec<Collector> = manners.into_iter().map(Collector::start).collect();
    let said = ["status is 500", "status is 503", "status is 307", "the request failed", "within 3 s"];
    collectors.extend(started.iter().map(Collector::url).zip(said));
    for (url, said) in collectors {
        let mut command = place.loopctl(&RUN);
        command.args(["--otlp", &url]);
        let ran = Ran::of(&mut command).exits(0);
        let mut result = ran.json();
        for (result, name) in [&mut result, &mut expected].into_iter().flat_map(|r| [(r, "elapsed_ms")]) {
            result[name] = json!("…");
        }
        assert_eq!(result, expected, "{url}");
        let warnings: Vec<&str> = ran.err.lines().filter(|line| line.contains("by OTLP")).collect();
        let host = url.trim_start_matches("http://");
        assert_eq!(warnings.len(), 1, "{}", ran.err);
        assert!(warnings[0].contains(said), "{warnings:?}");
        assert!(warnings[0].contains(host) || said == "within 3 s", "{warnings:?}");
    }
    drop(kept);
    // With a log, it is reported there.
    let mut command = place.loopctl(&RUN);
    command.args(["--otlp", &started[0].url(), "--log", "json", "--log-file", "log.jsonl"]);
    let ran = Ran::of(&mut command).exits(0);
    assert!(!ran.err.contains("OTLP"), "{}", ran.err);
    let log = place.read("log.jsonl");
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("export_failed")).collect();
    assert!(lines.len() == 1 && lines[0].contains("status is 500") && lines[0].contains("warn"), "{log}");
}

#[test]
fn what_is_asked_for_wrongly_is_said() {
    let place = steps("stop: { max_iterations: 3 }\n", &[scoring(9)]);
    let mut command = place.loopctl(&RUN);
    Ran::of(command.args(["--otlp", "localhost:4318"])).exits(2).says(&["--otlp", "`http://localhost:4318`"]);
    let mut command = place.loopctl(&RUN);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4317");
    command.env("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc");
    Ran::of(&mut command).exits(0).says(&["warning: not everything was exported by OTLP", "`http/protobuf`"]);
    let mut command = place.loopctl(&RUN);
    command.env("OTEL_SDK_DISABLED", "true").args(["--otlp", "http://127.0.0.1:4318"]);
    Ran::of(&mut command).exits(0).says(&["`OTEL_SDK_DISABLED` is `true`"]);
}
