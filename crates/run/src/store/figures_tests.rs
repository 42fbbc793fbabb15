//! Tests of `figures`.

use super::super::{
    DocumentFilter, DocumentKey, DocumentStage, Journal, RunFigures, RunId, StoreError, SumsBy,
};
use crate::store::{DocumentRecord, EventLog, LogEntry, RunRecord};
use crate::value::DocumentId;
use serde_json::{Value, json};

fn begin(journal: &Journal, profile: &str) -> RunId {
    let run = RunRecord {
        started_at: "2026-01-31T12:00:00Z".to_owned(),
        profile: profile.to_owned(),
        profile_digest: "d".to_owned(),
        loopctl_version: "0".to_owned(),
        plugins: json!([]),
        settings: json!({}),
    };
    journal.begin_run(&run).unwrap()
}

fn document(journal: &Journal, run: &RunId, id: &str) -> DocumentKey {
    let record = DocumentRecord {
        id: DocumentId::new(id),
        document_type: "t".to_owned(),
        source_digest: String::new(),
        path: None,
    };
    journal.begin_document(run, &record).wait().unwrap()
}

fn end(journal: &Journal, key: DocumentKey, stage: DocumentStage, outcome: Option<&Value>) {
    let outcome = outcome.map(ToString::to_string);
    journal.write(key, vec![LogEntry::Ended { stage, reason: None, outcome }]).wait().unwrap();
}

fn outcome(status: &str, overalls: &[f64], review: bool) -> Value {
    json!({"final_status": status, "stop_reason": "r", "review": review, "iteration_count": overalls.len(),
        "improvement_trajectory": overalls, "best_validation": {"overall": overalls.last(), "issues": []},
        "elapsed_ms": 1000, "usage": {"calls": 2, "tokens": 5, "cost_usd": null, "known_cost_usd": 0.5, "calls_of_unknown_cost": 1}})
}

/// A run with a document of each kind.
fn every_kind() -> (Journal, RunId) {
    let journal = Journal::in_memory().unwrap();
    let run = begin(&journal, "p");
    let add =
        |id: &str, stage, result: Option<&Value>| end(&journal, document(&journal, &run, id), stage, result);
    add("passed", DocumentStage::Finished, Some(&outcome("passed", &[0.5, 0.9], false)));
    add("skipped", DocumentStage::Finished, Some(&outcome("skipped", &[], false)));
    add("stopped-early", DocumentStage::Finished, Some(&outcome("stopped_early", &[0.4], true)));
    add("failed", DocumentStage::Failed, Some(&outcome("failed", &[], true)));
    add("broken", DocumentStage::Failed, None);
    add("cancelled", DocumentStage::GivenUp, Some(&outcome("cancelled", &[0.1], false)));
    document(&journal, &run, "running");
    (journal, run)
}

#[test]
fn documents_are_listed_by_how_they_ended() {
    let (journal, run) = every_kind();
    let listed = |filter| {
        let (documents, count) = journal.documents_of(&run, filter, 0, 50).unwrap();
        assert_eq!(documents.len() as u64, count);
        documents.iter().map(|document| document.id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(listed(DocumentFilter::All).len(), 7);
    assert_eq!(listed(DocumentFilter::Passed), ["passed", "skipped"]);
    assert_eq!(listed(DocumentFilter::NotPassed), ["stopped-early"]);
    assert_eq!(listed(DocumentFilter::Review), ["stopped-early", "failed"]);
    assert_eq!(listed(DocumentFilter::Failed), ["failed", "broken"]);
    assert_eq!(listed(DocumentFilter::Open), ["running"]);
    let (page, count) = journal.documents_of(&run, DocumentFilter::All, 2, 2).unwrap();
    assert_eq!((page[0].id.as_str(), page.len(), count), ("stopped-early", 2, 7));
    let unknown = journal.documents_of(&RunId::new("none"), DocumentFilter::All, 0, 1);
    assert!(matches!(unknown, Err(StoreError::UnknownRun { .. })));
}

#[test]
fn a_run_is_summed_up() {
    let (journal, run) = every_kind();
    let figures = journal.run_figures(&run).unwrap();
    let counts = (figures.results, figures.passed, figures.not_passed, figures.failed, figures.stopped);
    assert_eq!(counts, (5, 2, 1, 1, 1));
    assert_eq!((figures.review, figures.calls, figures.calls_of_unknown_cost), (2, 10, 5));
    assert!((figures.cost_usd - 2.5).abs() < 1e-9);
    assert_eq!(journal.run_figures(&RunId::new("none")).unwrap(), RunFigures::default());
}

#[test]
fn sums_are_of_one_profile_and_from_a_time_on() {
    let (journal, run) = every_kind();
    let other = begin(&journal, "q");
    end(
        &journal,
        document(&journal, &other, "a"),
        DocumentStage::Finished,
        Some(&outcome("passed", &[1.0], false)),
    );
    let sums = journal.figure_sums(SumsBy::Run, None, 0).unwrap();
    let runs: Vec<_> = sums.iter().map(|sums| sums.run.clone().unwrap()).collect();
    assert_eq!(runs, [run, other]);
    let first = &sums[0].totals;
    assert_eq!((first.counted, first.met, first.with_candidates, first.iterations), (3, 1, 2, 3));
    assert_eq!((first.scored, first.corrections, first.elapsed_ms), (2, 1, 3_000));
    assert!((first.improvement - 0.4).abs() < 1e-9 && (first.score - 1.3).abs() < 1e-9);
    let of = |profile| journal.figure_sums(SumsBy::Time(86_400_000), Some(profile), 0).unwrap();
    assert_eq!((of("p").len(), of("q")[0].totals.counted, of("none").len()), (1, 1, 0));
    assert!(journal.figure_sums(SumsBy::Run, None, i64::MAX).unwrap().is_empty());
    assert_eq!(journal.profiles_of_runs().unwrap(), ["p", "q"]);
    let latest: Vec<_> =
        journal.latest_runs(0, 1).unwrap().into_iter().map(|run| run.record.profile).collect();
    assert_eq!((latest, journal.count_runs().unwrap()), (vec!["q".to_owned()], 2));
}

#[test]
fn figures_go_with_their_run() {
    let (journal, run) = every_kind();
    assert_eq!(journal.figures_mark(&run).unwrap().count, 5);
    journal.remove_run(&run).unwrap();
    assert_eq!(journal.figure_sums(SumsBy::Run, None, 0).unwrap(), []);
}
