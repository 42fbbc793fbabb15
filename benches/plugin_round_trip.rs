//! One call of a plugin: JSON out, across the boundary, to a thread of its own, and back.

use crate::documents::{PATHOLOGY_REPORT, pathology};
use criterion::Criterion;
use loopctl::provider::protocol::{CompletionRequest, DocumentRef, Message, Role};
use loopctl::provider::{PluginPaths, Providers};
use loopctl_plugin_sdk::{Cancel, DirectPlugin};
use loopctl_scripted::Scripted;
use serde_json::json;
use std::hint::black_box;
use std::time::Duration;

const DEADLINE: Duration = Duration::from_secs(60);

pub(crate) fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("plugin round trip");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answers.jsonl");
    std::fs::write(&file, json!({"value": pathology()}).to_string()).unwrap();
    let config = json!({ "file": file });
    let paths = PluginPaths {
        search: Vec::new(),
        home: Some(folder.path().join("home")),
        // Cargo leaves the shared libraries beside this program.
        exe: std::env::current_exe().and_then(|exe| exe.canonicalize()).ok(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();

    let mut request = CompletionRequest {
        messages: vec![Message { role: Role::User, content: PATHOLOGY_REPORT.to_owned() }],
        ..CompletionRequest::default()
    };
    // Every document walks the script from its start, so each call is another document.
    let mut number = 0_u64;
    let mut next = |request: &mut CompletionRequest| {
        number += 1;
        request.document = DocumentRef { id: format!("d{number}"), document_type: "pathology".to_owned() };
    };

    let provider = Providers::new(paths).open("scripted", &config).unwrap();
    group.bench_function("scripted, shared library", |b| {
        b.iter(|| {
            next(&mut request);
            runtime.block_on(provider.complete(black_box(&request), DEADLINE)).unwrap()
        });
    });
    let scripted = Scripted::open(&config).unwrap();
    group.bench_function("to compare: scripted, called in process", |b| {
        b.iter(|| {
            next(&mut request);
            scripted.complete(black_box(&request), &Cancel::new()).unwrap()
        });
    });
    group.bench_function("to compare: request and answer to JSON and back", |b| {
        next(&mut request);
        let answer = scripted.complete(&request, &Cancel::new()).unwrap();
        let answer = serde_json::to_vec(&answer).unwrap();
        b.iter(|| {
            let bytes = serde_json::to_vec(black_box(&request)).unwrap();
            let request: CompletionRequest = serde_json::from_slice(&bytes).unwrap();
            let answer: loopctl::provider::protocol::Completion = serde_json::from_slice(&answer).unwrap();
            let bytes = serde_json::to_vec(&answer).unwrap();
            (request, answer, bytes)
        });
    });
    group.finish();
}
