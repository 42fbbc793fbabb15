//! The JSON Schema that plugins without the SDK are written by says what the SDK's types say.

use loopctl::provider::protocol::batch::{
    BatchAnswer, BatchLimits, BatchLine, BatchRequest, BatchResult, BatchSince, BatchStep, BatchTurn,
    BatchUpload, FoundBy, LineOutcome, NewBatch,
};
use loopctl::provider::protocol::{
    AbiVersion, Attachment, Completion, CompletionRequest, DocumentRef, Endpoint, HttpRequest, HttpResponse,
    Manifest, Message, PluginError, PluginKind, RequestAssertions, RequestFeedback, RequestIssue,
    RequestOptions, RequestPart, RequestParts, RequestScope, RequestSection, Role, Usage,
};
use loopctl_plugin_abi::LC_PAYLOADS;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// One of each payload, with every field.
fn full() -> [(&'static str, Value); 11] {
    let pairs = || BTreeMap::from([("a".to_owned(), "b".to_owned())]);
    let text = || "x".to_owned();
    let request = CompletionRequest {
        version: 1,
        document: DocumentRef { id: text(), document_type: text() },
        stage: text(),
        iteration: 1,
        attempt: 1,
        messages: vec![Message { role: Role::System, content: text() }],
        schema: Some(json!({})),
        quotes: true,
        source: Some(text()),
        patterns: Some(json!({})),
        parts: vec![RequestParts {
            list: text(),
            label: text(),
            parts: vec![RequestPart { label: text(), stretches: vec![(0, 1)] }],
        }],
        assertions: Some(RequestAssertions {
            sections: vec![RequestSection { start: 0, finality: 5, assertion: text() }],
            scopes: vec![RequestScope { start: 0, end: 1, ahead: true, assertion: text() }],
            accepted: BTreeMap::from([(text(), vec![text()])]),
        }),
        base: Some(json!({})),
        feedback: Some(RequestFeedback {
            missing: vec![text()],
            issues: vec![RequestIssue {
                code: text(),
                severity: text(),
                path: text(),
                message: text(),
                suggested_fix: Some(text()),
            }],
            failed_attempts: vec![text()],
        }),
        attachments: vec![Attachment { name: text(), media_type: text(), data: text() }],
        options: RequestOptions {
            model: Some(text()),
            temperature: Some(0.5),
            seed: Some(1),
            max_tokens: Some(1),
            extra_body: json!({"a": 1}).as_object().cloned().unwrap(),
            extra_headers: pairs(),
        },
    };
    let http_request = HttpRequest {
        method: "POST".to_owned(),
        path: "/x".to_owned(),
        headers: pairs(),
        body: text(),
        base_url: Some(text()),
    };
    let completion = Completion {
        version: 1,
        value: Some(json!(1)),
        text: Some(text()),
        usage: Usage {
            input_tokens: 2,
            cached_input_tokens: 1,
            output_tokens: 1,
            cost_usd: Some(0.1),
            ..Usage::default()
        },
        model: Some(text()),
        response_id: Some(text()),
        finish_reason: Some(text()),
        notes: vec![text()],
    };
    let error = PluginError { message: text(), retry_after_ms: Some(1), detail: Some(json!({})) };
    let manifest = Manifest {
        name: text(),
        version: text(),
        abi: AbiVersion { major: 1, minor: 0 },
        kind: PluginKind::Http,
        description: text(),
        capabilities: vec![text()],
        config_schema: Some(json!({})),
        secrets: vec![text()],
        hosts: vec![text()],
        endpoints: vec![Endpoint {
            name: text(),
            base_url: Some(text()),
            base_url_env: vec![text()],
            config_env: pairs(),
        }],
    };
    let http_response = HttpResponse { status: 200, headers: pairs(), body: text() };
    [
        ("completion_request", json!(request)),
        ("http_request", json!(http_request)),
        ("http_response", json!(http_response)),
        ("completion", json!(completion)),
        ("error", json!(error)),
        ("manifest", json!(manifest)),
        ("batch_step", batch_step()),
        (
            "batch_limits",
            json!(BatchLimits {
                max_lines: 1,
                max_bytes: 1,
                window_hours: Some(24),
                found_by: FoundBy::OwnId
            }),
        ),
        ("batch_line", json!(BatchLine { text: text(), model: Some(text()), endpoint: text() })),
        ("batch_answer", batch_answer()),
        (
            "batch_result",
            json!(BatchResult {
                custom_id: text(),
                outcome: LineOutcome::Answered,
                response: HttpResponse { status: 200, headers: pairs(), body: text() },
            }),
        ),
    ]
}

/// All steps in one: each has some of the fields.
fn batch_step() -> Value {
    let request = HttpRequest {
        method: "POST".to_owned(),
        path: "/x".to_owned(),
        headers: BTreeMap::from([("a".to_owned(), "b".to_owned())]),
        body: "x".to_owned(),
        base_url: Some("x".to_owned()),
    };
    let response = HttpResponse { status: 200, headers: request.headers.clone(), body: "x".to_owned() };
    let turn = BatchTurn { state: json!(1), response: Some(response) };
    let (text, handle) = (|| "x".to_owned(), "x".to_owned());
    let batch = NewBatch { own_id: text(), model: Some(text()), endpoint: text(), lines: 1, bytes: 1 };
    let since = Some(BatchSince { unix: 1, utc: text() });
    let steps = [
        BatchStep::Limits,
        BatchStep::Line { custom_id: text(), request },
        BatchStep::Submit { batch, turn: turn.clone() },
        BatchStep::Find { own_id: text(), since, turn: turn.clone() },
        BatchStep::Poll { handle: handle.clone(), turn: turn.clone() },
        BatchStep::Results { handle: handle.clone(), turn: turn.clone() },
        BatchStep::Result { line: text() },
        BatchStep::Cancel { handle: handle.clone(), turn: turn.clone() },
        BatchStep::Delete { handle, turn },
    ];
    let mut all = json!({});
    for step in steps {
        let Value::Object(fields) = json!(step) else { panic!() };
        all.as_object_mut().unwrap().extend(fields);
    }
    all
}

fn batch_answer() -> Value {
    let request =
        json!({ "method": "POST", "path": "/x", "headers": { "a": "b" }, "body": "x", "base_url": "x" });
    let send: BatchAnswer<String> = BatchAnswer::Send(Box::new(BatchRequest {
        request: serde_json::from_value(request).unwrap(),
        upload: Some(BatchUpload { prefix: "x".into(), separator: "x".into(), suffix: "x".into() }),
        creates: true,
        after_ms: 1,
        state: json!(1),
    }));
    let mut both = json!(send);
    both["done"] = json!(BatchAnswer::Done("x"))["done"].take();
    both
}

/// Objects have the fields that the schema names, and no others.
#[track_caller]
fn same_fields(root: &Value, schema: &Value, value: &Value, at: &str) {
    let named = schema.get("$ref").and_then(|name| root.pointer(name.as_str()?.strip_prefix('#')?));
    let schema = named.unwrap_or(schema);
    if let (Some(named), Some(object)) = (schema["properties"].as_object(), value.as_object()) {
        let (named_keys, keys): (BTreeSet<_>, BTreeSet<_>) =
            (named.keys().collect(), object.keys().collect());
        assert_eq!(named_keys, keys, "{at}");
        for (name, inner) in named {
            same_fields(root, inner, &value[name], &format!("{at}/{name}"));
        }
    }
    if let (Some(items), Some(list)) = (schema.get("items"), value.as_array()) {
        for inner in list {
            same_fields(root, items, inner, at);
        }
    }
}

#[test]
fn every_payload_has_the_fields_that_the_schema_names() {
    let schema: Value = serde_json::from_str(LC_PAYLOADS).unwrap();
    let payloads = full();
    assert_eq!(schema["oneOf"].as_array().unwrap().len(), payloads.len());
    for (name, value) in payloads {
        same_fields(&schema, &schema["$defs"][name], &value, name);
        let mut alone = schema.clone();
        alone.as_object_mut().unwrap().remove("oneOf");
        alone["$ref"] = json!(format!("#/$defs/{name}"));
        let validator = jsonschema::validator_for(&alone).unwrap();
        let problems: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(problems.is_empty(), "{name}: {problems:?}");
    }
}

/// A reader needs no other fields than those that the schema requires.
#[test]
fn what_the_schema_requires_is_enough() {
    let read = |text: &str| serde_json::from_str::<CompletionRequest>(text).is_ok();
    assert!(read("{}"));
    assert!(
        serde_json::from_str::<Completion>("{}").is_ok() && serde_json::from_str::<PluginError>("{}").is_ok()
    );
    assert!(serde_json::from_str::<HttpRequest>(r#"{"method": "POST", "path": "/"}"#).is_ok());
    assert!(serde_json::from_str::<HttpResponse>(r#"{"status": 200}"#).is_ok());
    let manifest = r#"{"name": "x", "version": "1", "abi": {"major": 1, "minor": 0}, "kind": "http"}"#;
    assert!(serde_json::from_str::<Manifest>(manifest).is_ok());
}
