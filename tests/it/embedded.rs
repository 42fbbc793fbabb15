//! The library in another program, without the command line.

use crate::trajectories::{scoring, steps};
use crate::workspace::Workspace;
use loopctl::diag::Problems;
use loopctl::engine::Event;
use loopctl::ingest::{InputError, find};
use loopctl::profile::{Library, load};
use loopctl::provider::{PluginPaths, Providers};
use loopctl::run::{Batch, Candidates, DocumentResult, FallbackChain, Observer, Plan, RunStore, Session};
use loopctl::store::{Journal, RunRecord};
use loopctl::value::{DocumentId, Millis};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::watch;

/// Listens to nothing.
pub(crate) struct Nobody;

impl Observer for Nobody {
    fn started(&mut self, _: &DocumentId, _: &str) {}
    fn event(&mut self, _: &DocumentId, _: Millis, _: &Event) {}
    fn finished(&mut self, _: &DocumentResult) {}
    fn unusable(&mut self, _: &InputError) {}
}

/// The document of a [`steps`] folder, and a session with the folder's profile.
pub(crate) fn embedded(place: &Workspace, cancelled: watch::Receiver<bool>) -> (Batch, Session) {
    let mut problems = Problems::new();
    let library = Library::new(vec![place.path("")]);
    let loaded = load("steps", &library, &[], &|_| None, &mut problems).unwrap();
    let plan = Arc::new(Plan::compile(&loaded, &mut problems).unwrap());
    let exe = std::env::current_exe().unwrap().canonicalize().unwrap();
    let paths = PluginPaths { search: vec![], home: None, exe: Some(exe) };
    let config = json!({ "file": place.path("answers.jsonl") });
    let chain = FallbackChain::new(vec![Providers::new(paths).open("scripted", &config).unwrap()], 2);
    let journal = Journal::in_memory().unwrap();
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
    let place_of_run = RunStore { journal, run, artifacts: None };
    let candidates = Candidates::Providers(vec![chain]);
    let session = Session::new(plan, candidates, Vec::new(), place_of_run, cancelled);
    let inputs = find(&[place.path("doc.txt")]).inputs;
    (Batch { inputs, document_type: None, supplied: None, keep_going: false }, session)
}

/// A program that never means to stop a session need not hold on to what it would stop it by.
#[tokio::test]
async fn a_session_that_nobody_can_stop_goes_on() {
    let busy = json!({"fault": "rate_limited", "retry_after_ms": 1});
    let place = steps("stop: { max_iterations: 3 }\n", &[busy, scoring(5), scoring(9)]);
    let (stop, cancelled) = watch::channel(false);
    drop(stop);
    let (batch, mut session) = embedded(&place, cancelled);
    let end = batch.run(&mut session, &mut Nobody).await.unwrap();
    assert_eq!((end.passed, end.cancelled), (1, false));
}
