//! The journal holds enough to run a run again: the events of a real run, replayed, decide the same.

use crate::trajectories::{scoring, steps};
use crate::workspace::Workspace;
use loopctl::diag::Problems;
use loopctl::engine::{DocumentState, Event, Output, Recorded};
use loopctl::plan::Plan;
use loopctl::profile::{Library, load};
use loopctl::result::DocumentResult;
use loopctl::store::{Journal, StoredRun};
use loopctl::value::DocumentId;
use serde_json::json;
use std::path::Path;

/// The profile as the command compiled it in this folder.
pub(crate) fn plan(place: &Workspace, profile: &str) -> Plan {
    let mut problems = Problems::new();
    let library = Library::new(vec![place.path("")]);
    let loaded = load(profile, &library, &[], &|_| None, &mut problems).unwrap();
    Plan::compile(&loaded, &mut problems).unwrap()
}

fn open(path: &Path) -> (Journal, StoredRun) {
    let journal = Journal::open(path).unwrap();
    let run = journal.runs().unwrap().pop().unwrap();
    (journal, run)
}

/// Every event of every document of the latest run, by document.
fn recorded(journal: &Journal, run: &StoredRun) -> Vec<(String, Vec<Recorded>)> {
    let documents = journal.documents(&run.id).unwrap();
    documents
        .iter()
        .map(|document| {
            assert!(document.finished);
            let stored = journal.events(&run.id, &document.record.id).unwrap();
            let events = stored
                .into_iter()
                .map(|stored| {
                    let event: Event = serde_json::from_value(stored.payload).unwrap();
                    assert_eq!(event.kind(), stored.kind);
                    Recorded { at: stored.at, event }
                })
                .collect();
            (document.record.id.to_string(), events)
        })
        .collect()
}

/// The state of the only document of the latest run, from the journal.
pub(crate) fn recorded_state(place: &Workspace) -> DocumentState {
    let (journal, run) = open(&place.path("out/journal.sqlite"));
    let documents = recorded(&journal, &run);
    DocumentState::of(documents[0].1.iter().map(|recorded| (recorded.at, &recorded.event)))
}

/// Replays the latest run of a journal; the results must say what the run said then.
pub(crate) fn assert_replays(place: &Workspace, profile: &str) {
    let plan = plan(place, profile);
    let (journal, run) = open(&place.path("out/journal.sqlite"));
    assert_eq!(run.record.profile, profile);
    assert_eq!(run.record.profile_digest, plan.profile.digest);
    assert!(run.finished_at.is_some());
    assert_eq!(run.documents, run.finished_documents);
    for (id, events) in recorded(&journal, &run) {
        assert!(events.is_sorted_by_key(|recorded| recorded.at), "{id}");
        let again = plan.engine_run().replay(&events).unwrap();
        let Some(Event::Finished(outcome)) = events.last().map(|last| &last.event) else {
            panic!("{id} has no end");
        };
        assert!(again.is_over());
        let outcome = serde_json::to_value(outcome).unwrap();
        let kept = journal.outcome(&run.id, &DocumentId::new(id.as_str())).unwrap().unwrap();
        let result = place.json(&format!("out/{id}-result.json"));
        for (key, value) in outcome.as_object().unwrap() {
            assert_eq!(&result[key], value, "{id}: {key}");
            assert_eq!(&kept[key], value, "{id}: {key}");
        }
        for key in ["review", "warnings"] {
            assert_eq!(kept[key], result[key], "{id}: {key}");
        }
        if let Some(best) = result["best_iteration"].as_u64().map(|best| usize::try_from(best).unwrap()) {
            assert_eq!(again.document().candidate(best).unwrap().as_ref(), &result["best_extraction"]);
            assert_eq!(
                serde_json::to_value(again.document().assessment(best)).unwrap(),
                result["best_validation"]
            );
        }
        // The events alone give the state that the run had, and that gives the result.
        let state = DocumentState::of(events.iter().map(|recorded| (recorded.at, &recorded.event)));
        assert_eq!(&state, again.document(), "{id}");
        let document_type = result["document_type"].as_str().unwrap().to_owned();
        let (name, ended) = (DocumentId::new(id.as_str()), state.outcome().unwrap());
        let folded = DocumentResult::of(&plan, name, document_type, &state, ended, Vec::new());
        for (key, value) in serde_json::to_value(&folded).unwrap().as_object().unwrap() {
            if key == "warnings" {
                // Besides those about the document before its loop, and about money after it.
                let mut said = result[key].as_array().unwrap().iter();
                let told = value.as_array().unwrap();
                assert!(told.iter().all(|one| said.any(|other| other == one)), "{id}: {told:?}");
            } else {
                assert_eq!(&result[key], value, "{id}: {key}");
            }
        }
        // A run that was killed after any of its events continues with what came next.
        for length in 0..events.len() {
            let mut cut = plan.engine_run().replay(&events[..length]).unwrap();
            if events[length].event.as_input().is_none() {
                let recorded = std::iter::from_fn(|| cut.poll()).find_map(|output| match output {
                    Output::Record(event) => Some(event),
                    _ => None,
                });
                assert_eq!(recorded.as_ref(), Some(&events[length].event), "{id}: after {length} events");
            }
        }
    }
}

#[test]
fn runs_over_real_reports_replay() {
    for profile in ["clinical", "balanced"] {
        let place = Workspace::new();
        for document in ["pathology-kidney.txt", "radiology-ultrasound.txt"] {
            place.document(document);
        }
        place.run(&[
            "run",
            "--profile",
            profile,
            "--out",
            "out",
            "pathology-kidney.txt",
            "radiology-ultrasound.txt",
        ]);
        assert_replays(&place, profile);
    }
}

#[test]
fn runs_with_rollbacks_failures_and_waits_replay() {
    let policy = "on_regression: rollback\nstop: { max_iterations: 9, rollbacks: 2 }\n";
    let limited = json!({"fault": "rate_limited", "retry_after_ms": 1});
    for ending in [scoring(9), json!({"fault": "unauthorized"}), scoring(4)] {
        let answers =
            [scoring(3), limited.clone(), scoring(2), scoring(5), json!({"text": "no"}), scoring(4), ending];
        let place = steps(policy, &answers);
        place.run(&["run", "--profile", "steps", "--out", "out", "doc.txt"]);
        assert_replays(&place, "steps");
    }
}

#[test]
fn an_input_that_can_not_be_read_is_in_the_journal_too() {
    let place = Workspace::new();
    place.write("empty.txt", "");
    place.run(&["run", "--out", "out", "empty.txt"]).exits(3);
    assert_replays(&place, "balanced");
}

#[test]
fn another_policy_does_not_fit_the_record() {
    let place = steps("stop: { max_iterations: 3 }\n", &[scoring(3), scoring(4), scoring(5)]);
    place.run(&["run", "--profile", "steps", "--out", "out", "doc.txt"]).exits(3);
    let (journal, run) = open(&place.path("out/journal.sqlite"));
    let (_, events) = recorded(&journal, &run).pop().unwrap();
    place.write("profiles/steps.yaml", "extends: steps-measured\nstop: { max_iterations: 2 }\n");
    let other = plan(&place, "steps");
    assert_ne!(other.profile.digest, run.record.profile_digest);
    let error = other.engine_run().replay(&events).unwrap_err();
    assert!(error.to_string().contains("event"), "{error}");
}

#[test]
fn one_journal_takes_many_runs() {
    let place = steps("stop: { max_iterations: 1 }\n", &[scoring(3)]);
    let arguments =
        ["run", "--profile", "steps", "--journal", "j.sqlite", "--config", "accept.overall=0.8", "doc.txt"];
    for _ in 0..3 {
        place.run(&arguments).exits(3);
    }
    let journal = Journal::open(place.path("j.sqlite")).unwrap();
    let runs = journal.runs().unwrap();
    assert_eq!(runs.len(), 3);
    for run in runs {
        let plugin = &run.record.plugins[0];
        assert_eq!(plugin["name"], "scripted");
        assert_eq!(plugin["digest"].as_str().map(str::len), Some(64), "{plugin}");
    }
}

#[test]
fn what_is_not_a_journal_is_left_as_it_is() {
    let place = steps("stop: { max_iterations: 1 }\n", &[scoring(3)]);
    place.write("notes.txt", "my notes");
    let arguments = ["run", "--profile", "steps", "--journal", "notes.txt", "doc.txt"];
    place.run(&arguments).exits(1).says(&["notes.txt"]);
    assert_eq!(place.read("notes.txt"), "my notes");
}
