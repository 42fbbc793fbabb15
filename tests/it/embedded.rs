//! The library in another program, without the command line.

use crate::serve::desk::paged::pdf;
use crate::trajectories::{scoring, steps};
use crate::workspace::Workspace;
use loopctl::diag::Problems;
use loopctl::engine::Event;
use loopctl::ingest::{Document, DocumentReader, InputError, find};
use loopctl::plan::Plan;
use loopctl::profile::{Library, load};
use loopctl::provider::{PluginPaths, Providers};
use loopctl::result::DocumentResult;
use loopctl::run::{Batch, Candidates, FallbackChain, RunObserver, RunStore, Session};
use loopctl::store::{Journal, ProcessId, RunRecord, StoreError, WorkerLog};
use loopctl::value::{DocumentId, Millis};
use loopctl::{BuildError, Loop};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::watch;

/// Listens to nothing.
pub(crate) struct Nobody;

impl RunObserver for Nobody {
    fn started(&mut self, _: &DocumentId, _: &str) {}
    fn event(&mut self, _: &DocumentId, _: Millis, _: &Event) {}
    fn finished(&mut self, _: &DocumentResult) {}
    fn unusable(&mut self, _: &InputError) {}
}

/// The document of a [`steps`] folder, and a session with the folder's profile.
pub(crate) fn embedded(place: &Workspace, cancelled: watch::Receiver<bool>) -> (Batch, Arc<Session>) {
    let mut problems = Problems::new();
    let library = Library::new(vec![place.path("")]);
    let loaded = load("steps", &library, &[], &|_| None, &mut problems).unwrap();
    let plan = Arc::new(Plan::compile(&loaded, &mut problems).unwrap());
    let exe = std::env::current_exe().unwrap().canonicalize().unwrap();
    let paths = PluginPaths { search: vec![], home: None, exe: Some(exe) };
    let config = json!({ "file": place.path("answers.jsonl") });
    let chain = FallbackChain::new(vec![Providers::new(paths).open("scripted", &config).unwrap()], 2);
    let journal = Arc::new(Journal::in_memory().unwrap());
    let run = journal
        .begin_run(&RunRecord {
            started_at: "2026-01-01T00:00:00Z".into(),
            profile: "steps".into(),
            profile_digest: String::new(),
            loopctl_version: String::new(),
            plugins: json!([]),
            settings: json!({}),
        })
        .unwrap();
    let worker = journal.begin_work(&run, &ProcessId::own()).unwrap();
    let log = Arc::new(WorkerLog::new(Arc::clone(&journal), worker));
    let place_of_run = RunStore { journal: log, run, artifacts: None };
    let candidates = Candidates::Providers(vec![chain]);
    let session = Session::new(plan, candidates, Vec::new(), place_of_run, cancelled);
    let inputs = find(&[place.path("doc.txt")]).inputs;
    let batch = Batch {
        journal,
        worker,
        inputs: Some(Box::new(inputs.into_iter().map(Ok))),
        goes_on: false,
        folder: None,
        jobs: 1,
        document_type: None,
        supplied: None,
        within: None,
        batches: loopctl::run::BatchSettings::default(),
        keep_going: false,
        steering: None,
    };
    (batch, Arc::new(session))
}

/// A program that never means to stop a session need not hold on to what it would stop it by.
#[tokio::test]
async fn a_session_that_nobody_can_stop_goes_on() {
    let busy = json!({"fault": "rate_limited", "retry_after_ms": 1});
    let place = steps("stop: { max_iterations: 3 }\n", &[busy, scoring(5), scoring(9)]);
    let (stop, cancelled) = watch::channel(false);
    drop(stop);
    let (batch, session) = embedded(&place, cancelled);
    let end = batch.run(&session, &mut Nobody).await.unwrap();
    assert_eq!((end.passed, end.cancelled), (1, false));
}

/// A loop with the profile of a [`steps`] folder.
fn looped(place: &Workspace) -> loopctl::LoopBuilder {
    let exe = std::env::current_exe().unwrap().canonicalize().unwrap();
    let answers = place.path("answers.jsonl");
    Loop::builder()
        .folder(place.path(""))
        .profile("steps")
        .plugin_paths(PluginPaths { search: vec![], home: None, exe: Some(exe) })
        .set(format!("stages.*.config.file={}", answers.display()))
}

/// The second document is finished while the first still waits for its provider, and both by one loop.
#[tokio::test]
async fn documents_run_at_the_same_time() {
    let hang = json!({"id": "stuck", "fault": "hang"});
    let place = steps("stop: { max_iterations: 1 }\n", &[hang, scoring(9)]);
    let looped = Arc::new(looped(&place).build().unwrap());
    let stuck = Arc::clone(&looped);
    let stuck =
        tokio::spawn(async move { stuck.run("stuck", "x").await.map(|result| result.iteration_count) });
    let result = looped.run("free", "x").await.unwrap();
    assert_eq!((result.iteration_count, stuck.is_finished()), (1, false));
    stuck.abort();
    assert!(stuck.await.unwrap_err().is_cancelled());
}

/// One document's provider fails permanently while another document waits for that provider until its deadline: each goes to
/// the provider that stands in by itself.
#[tokio::test]
async fn a_provider_that_fails_one_document_is_still_followed_by_another_for_the_next() {
    let place = steps("stop: { max_iterations: 1 }\n", &[]);
    place.write(
        "first.jsonl",
        "{\"id\": \"stuck\", \"fault\": \"hang\"}\n{\"id\": \"free\", \"fault\": \"permanent\"}\n",
    );
    place.write("second.jsonl", format!("{}\n", scoring(9)));
    let link =
        |file: &str| format!("{{ name: scripted, config: {{ file: '{}' }} }}", place.path(file).display());
    let looped = looped(&place)
        .set(format!("stages.*.provider=[{}, {}]", link("first.jsonl"), link("second.jsonl")))
        .set("stages.*.deadline=2s")
        .set("stages.*.retries=0")
        .build()
        .unwrap();
    let (stuck, free) = tokio::join!(looped.run("stuck", "x"), looped.run("free", "x"));
    for result in [stuck.unwrap(), free.unwrap()] {
        assert_eq!(result.iteration_count, 1, "{:?}", result.detail);
    }
}

#[tokio::test]
async fn a_result_is_read_back_as_it_was_written() {
    let place = steps("stop: { max_iterations: 2 }\n", &[scoring(5), scoring(9)]);
    let looped =
        looped(&place).journal(place.path("journal.sqlite")).artifacts(place.path("out")).build().unwrap();
    let result = looped.run("doc", "x").await.unwrap();
    let again = looped.run("doc", "x").await.unwrap_err();
    assert!(matches!(again, StoreError::DocumentExists { .. }), "{again}");
    looped.close().await.unwrap();
    let written: Value =
        serde_json::from_slice(&std::fs::read(place.path("out/doc-result.json")).unwrap()).unwrap();
    let read: DocumentResult = serde_json::from_value(written.clone()).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), written);
    assert_eq!(serde_json::to_value(&result).unwrap(), written);
    let journal = Journal::open(place.path("journal.sqlite")).unwrap();
    assert_eq!(journal.runs().unwrap().iter().map(|run| run.finished_documents).collect::<Vec<_>>(), [1]);
}

/// A program splits a document that holds several, runs its sections, and merges their results.
#[tokio::test]
async fn a_document_of_several_is_split_and_merged_where_the_profile_says_so() {
    let place = crate::split_scans::place("");
    let small = |split: bool| {
        let built = looped(&place).profile("small").set(format!("sections.split={split}"));
        built.build().unwrap()
    };
    let document = Document::from_text("scan", "Alpha text\n\x0cBeta text\n\x0cAlpha again\n");
    assert!(small(false).sections(&document).is_empty());
    let looped = small(true);
    assert!(looped.sections(&Document::from_text("one", "alpha text\n")).is_empty());
    let sections = looped.sections(&document);
    let mut results = Vec::new();
    for section in &sections {
        results.push(looped.run_document(section, section.document_type.as_deref(), None).await.unwrap());
    }
    let types: Vec<&str> = results.iter().map(|result| result.document_type.as_str()).collect();
    assert_eq!(types, ["a", "b", "a"]);
    let merged = looped.merged(&document, &results);
    assert_eq!((merged.id.as_str(), merged.status.as_str()), ("scan", "passed"));
    assert_eq!(merged.extraction["site"], json!(["scan#1", "scan#2", "scan#3"]));
}

#[test]
fn a_loop_that_cannot_be_says_everything_that_is_wrong() {
    let wrong =
        Loop::builder().profile("clinical").set("stop.max_iteration=3").set("accept.overall=no").build();
    let Err(BuildError::Profile(problems)) = wrong else { panic!("it was built") };
    assert!(problems.error_count() >= 2, "{}", BuildError::Profile(problems));
}

/// The file is read by one process, and the pages that a call gets are drawn by another one, however many they are.
#[cfg(unix)]
#[tokio::test]
async fn the_pages_of_a_call_are_drawn_by_one_process() {
    let place = steps(
        "stages: [{ id: extract, provider: scripted, config: { file: answers.jsonl }, attach: pages }]\nstop: { max_iterations: 1 }\n",
        &[scoring(9)],
    );
    place.write("doc.txt", pdf(&[&["One"], &["Two"], &["Three"]]));
    let (_stop, cancelled) = watch::channel(false);
    let (batch, session) = embedded(&place, cancelled);
    let script = format!(
        "echo started >> '{}'; exec '{}' contained-reader",
        place.path("started.log").display(),
        env!("CARGO_BIN_EXE_loopctl")
    );
    let reader = DocumentReader::contained("/bin/sh".into(), vec!["-c".to_owned(), script]);
    let session = Arc::into_inner(session).unwrap().with_reader(reader);
    let end = batch.run(&Arc::new(session), &mut Nobody).await.unwrap();
    assert_eq!(end.passed, 1);
    assert_eq!(place.read("started.log").lines().count(), 2);
}
