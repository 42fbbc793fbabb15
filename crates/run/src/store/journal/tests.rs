use super::super::{
    DocumentKey, DocumentRecord, DocumentStage, EnqueueOutcome, EventLog, LogEntry, ProcessId,
    QueuedDocument, RunId, RunRecord, StoredEvent, WorkerLog,
};
use super::*;
use crate::value::{DocumentId, Millis, Usage};
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

fn run_record(started_at: &str) -> RunRecord {
    RunRecord {
        started_at: started_at.to_owned(),
        profile: "clinical".to_owned(),
        profile_digest: "d1".to_owned(),
        loopctl_version: "0.1.0".to_owned(),
        plugins: json!([{"name": "pattern", "version": "0.1.0"}]),
        settings: json!({"out": "o"}),
    }
}

fn document_record(id: &str) -> DocumentRecord {
    DocumentRecord {
        id: DocumentId::new(id),
        document_type: "pathology".to_owned(),
        source_digest: "s1".to_owned(),
        path: Some(PathBuf::from("in/a.txt")),
    }
}

#[cfg(unix)]
#[test]
fn what_was_put_in_its_place_is_made_private_or_refused() {
    use std::os::unix::fs::PermissionsExt;
    let (_dir, path) = file();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, "").unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o666)).unwrap();
    let journal = Journal::open(&path).unwrap();
    begun(&journal);
    for name in ["journal.sqlite", "journal.sqlite-wal"] {
        let mode = std::fs::metadata(path.with_file_name(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    let pipe = path.with_file_name("pipe.sqlite");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let error = Journal::open(&pipe).unwrap_err();
    assert!(error.to_string().contains("not a regular file"), "{error}");
    // Changing the owner of a file takes root.
    let theirs = path.with_file_name("theirs.sqlite");
    std::fs::write(&theirs, "").unwrap();
    if std::os::unix::fs::chown(&theirs, Some(65_534), None).is_ok() {
        let error = Journal::open(&theirs).unwrap_err();
        assert!(error.to_string().contains("belongs to another user"), "{error}");
    }
}

/// A run with the document `a`.
fn begun(journal: &Journal) -> (RunId, DocumentKey) {
    let run = journal.begin_run(&run_record("2026-01-31T12:00:00Z")).unwrap();
    let document = journal.begin_document(&run, &document_record("a")).wait().unwrap();
    (run, document)
}

fn happened(seq: u64, kind: &'static str, payload: &Value) -> LogEntry {
    LogEntry::Happened { seq, at: Millis(seq), kind: kind.into(), payload: payload.to_string() }
}

fn append(journal: &Journal, document: DocumentKey, seq: u64, payload: &Value) -> Result<(), StoreError> {
    journal.write(document, vec![happened(seq, "k", payload)]).wait()
}

fn events(journal: &Journal, document: DocumentKey) -> Vec<StoredEvent> {
    journal.events_of(document).unwrap().0
}

fn ended(outcome: &Value) -> LogEntry {
    LogEntry::Ended { stage: DocumentStage::Finished, reason: None, outcome: Some(outcome.to_string()) }
}

fn file() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state/journal.sqlite");
    (dir, path)
}

#[test]
fn what_is_recorded_can_be_read_back() {
    let journal = Journal::in_memory().unwrap();
    let (run, document) = begun(&journal);
    let payload = json!({"z": 1, "a": [0.1, "ü", null]});
    let entries = vec![
        LogEntry::Begun { document_type: "radiology".to_owned(), source_digest: "s2".to_owned() },
        happened(0, "started", &json!({})),
        happened(1, "assessed", &payload),
    ];
    journal.write(document, entries).wait().unwrap();
    let id = DocumentId::new("a");
    let stored = journal.events(&run, &id).unwrap();
    let last = StoredEvent { seq: 1, at: Millis(1), kind: "assessed".to_owned(), payload };
    assert_eq!((stored.len(), &stored[1]), (2, &last));

    assert_eq!(journal.outcome(&run, &id).unwrap(), None);
    journal.write(document, vec![ended(&json!({"final_status": "passed"}))]).wait().unwrap();
    assert_eq!(journal.outcome(&run, &id).unwrap(), Some(json!({"final_status": "passed"})));
    assert!(journal.passed(document).unwrap());
    let stored = journal.documents(&run).unwrap().remove(0);
    assert_eq!((stored.events, stored.stage, stored.attempts), (2, DocumentStage::Finished, 1));
    assert_eq!(stored.record.document_type, "radiology");

    journal.begin_document(&run, &document_record("b")).wait().unwrap();
    journal.finish_run(&run, "2026-01-31T12:00:05+01:00").unwrap();
    let stored = journal.run(&run).unwrap().unwrap();
    assert_eq!(stored.record, run_record("2026-01-31T12:00:00Z"));
    assert_eq!(stored.finished_at.as_deref(), Some("2026-01-31T12:00:05+01:00"));
    assert_eq!((stored.documents, stored.finished_documents), (2, 1));
}

#[test]
fn run_ids_are_unique_and_sort_by_time() {
    let journal = Journal::in_memory().unwrap();
    let begin = |at: &str| journal.begin_run(&run_record(at)).unwrap();
    let ids = [
        begin("2026-01-31T12:00:00Z"),
        begin("2026-01-31T12:00:00.9Z"),
        begin("2026-01-31T13:30:00+01:00"),
        begin("2026-01-31T12:30:01Z"),
    ];
    assert_eq!(ids[0].as_str(), "20260131T120000Z-0001");
    assert_eq!(ids[2].as_str(), "20260131T123000Z-0003");
    assert!(ids.is_sorted_by(|a, b| a < b));
    let stored: Vec<_> = journal.runs().unwrap().into_iter().map(|run| run.id).collect();
    assert_eq!(stored, ids);
    let error = journal.begin_run(&run_record("yesterday")).unwrap_err();
    assert!(matches!(error, StoreError::Time { .. }));
}

#[test]
fn mistakes_of_callers_have_names() {
    let journal = Journal::in_memory().unwrap();
    let (run, document) = begun(&journal);
    let no_run = RunId::new("none");
    let begin = |run, id| journal.begin_document(run, &document_record(id)).wait().unwrap_err();
    assert!(matches!(begin(&run, "a"), StoreError::DocumentExists { .. }));
    assert!(matches!(begin(&no_run, "a"), StoreError::UnknownRun { .. }));
    assert!(matches!(append(&journal, DocumentKey(99), 0, &json!(1)), Err(StoreError::TakenOver)));
    append(&journal, document, 0, &json!(1)).unwrap();
    // Another process wrote the same event.
    assert!(matches!(append(&journal, document, 0, &json!(2)), Err(StoreError::TakenOver)));
    assert_eq!(events(&journal, document)[0].payload, json!(1));
    let finished = journal.finish_run(&no_run, "2026-01-31T12:00:00Z").unwrap_err();
    assert!(matches!(finished, StoreError::UnknownRun { .. }));
    for change in [Journal::cancel_run, Journal::reopen_run, Journal::set_listed, Journal::remove_run] {
        assert!(matches!(change(&journal, &no_run), Err(StoreError::UnknownRun { .. })));
    }
}

#[test]
fn an_event_is_on_the_disk_when_its_receipt_resolves() {
    let (dir, path) = file();
    let journal = Journal::open(&path).unwrap();
    let (_, document) = begun(&journal);
    for n in 0..5 {
        append(&journal, document, n, &json!(n)).unwrap();
    }
    // The files that a killed process leaves: as they are, with nothing flushed or closed.
    let killed = dir.path().join("killed");
    std::fs::create_dir(&killed).unwrap();
    for name in ["journal.sqlite", "journal.sqlite-wal"] {
        std::fs::copy(path.with_file_name(name), killed.join(name)).unwrap();
    }
    let again = Journal::open(killed.join("journal.sqlite")).unwrap();
    assert_eq!(events(&again, document), events(&journal, document));
    append(&again, document, 5, &json!(5)).unwrap();
}

#[test]
fn a_write_that_was_cut_off_is_as_if_it_never_was() {
    let (dir, path) = file();
    let journal = Journal::open(&path).unwrap();
    let (_, document) = begun(&journal);
    append(&journal, document, 0, &json!("first")).unwrap();
    let whole = std::fs::metadata(path.with_file_name("journal.sqlite-wal")).unwrap().len();
    append(&journal, document, 1, &json!("second")).unwrap();
    let torn = dir.path().join("torn.sqlite");
    std::fs::copy(&path, &torn).unwrap();
    let mut log = std::fs::read(path.with_file_name("journal.sqlite-wal")).unwrap();
    log.truncate(usize::try_from(whole).unwrap() + 100);
    std::fs::write(dir.path().join("torn.sqlite-wal"), log).unwrap();
    let again = Journal::open(&torn).unwrap();
    assert_eq!(events(&again, document).len(), 1);
    append(&again, document, 1, &json!("second")).unwrap();
}

#[test]
fn many_writers_share_transactions_and_none_takes_another_with_it() {
    let (_dir, path) = file();
    let journal = Journal::open(&path).unwrap();
    let run = journal.begin_run(&run_record("2026-01-31T12:00:00Z")).unwrap();
    let documents: Vec<DocumentKey> = (0..20)
        .map(|n| journal.begin_document(&run, &document_record(&n.to_string())).wait().unwrap())
        .collect();
    let mut receipts = Vec::new();
    for seq in 0..10 {
        for document in &documents {
            receipts.push(journal.write(*document, vec![happened(seq, "k", &json!(seq))]));
        }
        // It breaks in the middle of a shared transaction.
        let refused = journal.write(documents[0], vec![happened(0, "k", &json!("again"))]);
        receipts.push(journal.write(documents[1], Vec::new()));
        assert!(matches!(refused.wait(), Err(StoreError::TakenOver)));
    }
    receipts.into_iter().for_each(|receipt| receipt.wait().unwrap());
    for document in documents {
        let seen: Vec<u64> = events(&journal, document).iter().map(|event| event.seq).collect();
        assert_eq!(seen, (0..10).collect::<Vec<_>>());
    }
}

#[test]
fn what_was_asked_for_is_written_before_the_journal_is_closed() {
    let (_dir, path) = file();
    let journal = Journal::open(&path).unwrap();
    let (_, document) = begun(&journal);
    for seq in 0..50 {
        drop(journal.write(document, vec![happened(seq, "k", &json!(seq))]));
    }
    drop(journal);
    assert_eq!(events(&Journal::open(&path).unwrap(), document).len(), 50);
}

#[test]
fn a_journal_that_another_process_holds_is_waited_for() {
    let (_dir, path) = file();
    let waits = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let other = Arc::new(Mutex::new(None::<Connection>));
    let (seen, held) = (Arc::clone(&waits), Arc::clone(&other));
    let journal = Journal::open_waiting(&path, move |_, _| {
        // The other process ends when it was waited for twice.
        if seen.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 1
            && let Some(other) = held.lock().unwrap().take()
        {
            other.execute_batch("ROLLBACK").unwrap();
        }
    })
    .unwrap();
    let (_, document) = begun(&journal);
    let holder = Connection::open(&path).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    *other.lock().unwrap() = Some(holder);
    journal.connection().busy_timeout(Duration::from_millis(1)).unwrap();
    append(&journal, document, 0, &json!(1)).unwrap();
    assert!(waits.load(std::sync::atomic::Ordering::Relaxed) >= 2);
    assert_eq!(events(&journal, document).len(), 1);
}

#[test]
fn a_full_disk_is_named_and_the_journal_goes_on_when_there_is_room() {
    let (_dir, path) = file();
    let journal = Journal::open(&path).unwrap();
    let (_, document) = begun(&journal);
    append(&journal, document, 0, &json!(0)).unwrap();
    let limit = |pages: u32| {
        let set = journal.connection().pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()));
        set.unwrap();
    };
    limit(1);
    let error = append(&journal, document, 1, &json!("x".repeat(1 << 20))).unwrap_err();
    assert!(matches!(error, StoreError::DiskFull { .. }), "{error}");
    limit(1 << 20);
    append(&journal, document, 1, &json!(1)).unwrap();
    assert_eq!(events(&journal, document).len(), 2);
}

#[test]
fn an_event_whose_commit_failed_is_never_reported_as_recorded() {
    let journal = Journal::in_memory().unwrap();
    let (_, document) = begun(&journal);
    // A reference that is only checked at the commit, to something that does not exist.
    let spoil = "CREATE TABLE side (x REFERENCES documents (number) DEFERRABLE INITIALLY DEFERRED);
                 CREATE TRIGGER spoil_events AFTER INSERT ON events BEGIN INSERT INTO side VALUES (999); END;
                 CREATE TRIGGER spoil_runs AFTER INSERT ON runs BEGIN INSERT INTO side VALUES (999); END;";
    journal.connection().execute_batch(spoil).unwrap();
    assert!(append(&journal, document, 0, &json!(1)).is_err());
    assert!(events(&journal, document).is_empty());
    assert!(journal.begin_run(&run_record("2026-01-31T12:00:00Z")).is_err());
    assert_eq!(journal.runs().unwrap().len(), 1);
}

#[test]
fn a_journal_that_turns_read_only_says_so() {
    let journal = Journal::in_memory().unwrap();
    let (_, document) = begun(&journal);
    journal.connection().pragma_update(None, "query_only", true).unwrap();
    let error = append(&journal, document, 0, &json!(1)).unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
}

#[test]
fn events_can_be_neither_changed_nor_removed_but_with_their_run() {
    let journal = Journal::in_memory().unwrap();
    let (run, document) = begun(&journal);
    append(&journal, document, 0, &json!(1)).unwrap();
    let other = journal.begin_run(&run_record("2026-01-31T12:00:00Z")).unwrap();
    let kept = journal.begin_document(&other, &document_record("a")).wait().unwrap();
    append(&journal, kept, 0, &json!(2)).unwrap();
    let refused = || {
        for statement in ["UPDATE events SET payload = '2'", "DELETE FROM events"] {
            assert!(journal.connection().execute(statement, []).is_err(), "{statement}");
        }
    };
    refused();
    journal.remove_run(&run).unwrap();
    journal.compact().unwrap();
    assert!(events(&journal, document).is_empty());
    assert_eq!(events(&journal, kept)[0].payload, json!(2));
    refused();
}

fn queued(place: &str, names: &[&str]) -> QueuedDocument {
    QueuedDocument {
        place: place.to_owned(),
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        path: Some(PathBuf::from(place)),
        source: None,
    }
}

fn process(name: &str) -> ProcessId {
    ProcessId { machine: name.to_owned(), process: "1 1".to_owned() }
}

#[test]
fn a_document_is_claimed_once_and_comes_back_when_its_process_is_gone() {
    let journal = Arc::new(Journal::in_memory().unwrap());
    let run = journal.begin_run(&run_record("2026-01-31T12:00:00Z")).unwrap();
    let documents: Vec<_> = (0..5).map(|n| queued(&format!("/d/{n}"), &[n.to_string().as_str()])).collect();
    assert_eq!(journal.enqueue(&run, None, &documents).unwrap(), vec![EnqueueOutcome::Added; 5]);
    // A document that is listed once more is known.
    assert!(matches!(journal.enqueue(&run, None, &documents[..1]).unwrap()[0], EnqueueOutcome::Known { .. }));
    let (one, other) = (
        journal.begin_work(&run, &process("one")).unwrap(),
        journal.begin_work(&run, &process("other")).unwrap(),
    );
    let claimed = journal.claim(&run, one, 3).wait().unwrap();
    let ids: Vec<_> = claimed.iter().map(|claimed| claimed.id.as_str()).collect();
    assert_eq!(ids, ["0", "1", "2"]);
    assert_eq!(journal.claim(&run, other, 9).wait().unwrap().len(), 2);
    assert!(journal.claim(&run, other, 9).wait().unwrap().is_empty());

    let log = WorkerLog::new(Arc::clone(&journal), one);
    log.write(claimed[0].document, vec![happened(0, "k", &json!(0))]).wait().unwrap();
    log.write(claimed[1].document, vec![ended(&json!({}))]).wait().unwrap();
    assert_eq!(journal.take_over(one).unwrap(), 2);
    // A process that was taken for dead writes nothing, and learns so.
    for entry in [happened(1, "k", &json!(1)), ended(&json!({}))] {
        assert!(matches!(log.write(claimed[0].document, vec![entry]).wait(), Err(StoreError::TakenOver)));
    }
    assert!(matches!(journal.beat(one, Usage::default()).wait(), Err(StoreError::TakenOver)));
    assert!(journal.claim(&run, one, 9).wait().unwrap().is_empty());
    let again = journal.claim(&run, other, 9).wait().unwrap();
    let ids: Vec<_> = again.iter().map(|claimed| (claimed.id.as_str(), claimed.attempts)).collect();
    assert_eq!(ids, [("0", 1), ("2", 1)]);
    assert_eq!(events(&journal, again[0].document).len(), 1);
    journal.end_work(other).unwrap();
    let stages = journal.stages(&run).unwrap();
    assert_eq!(
        DocumentStage::ALL.map(|stage| stages.of(stage)),
        [4, 0, 0, 1, 0, 0],
        "waiting, running, parked, finished, failed, given up"
    );
    journal.cancel_run(&run).unwrap();
    let third = journal.begin_work(&run, &process("third")).unwrap();
    assert!(journal.beat(third, Usage::default()).wait().unwrap().cancelled);
    assert!(journal.claim(&run, third, 9).wait().unwrap().is_empty());
}

#[test]
fn what_processes_die_over_is_set_aside_and_what_they_only_wait_for_is_not() {
    let journal = Arc::new(Journal::in_memory().unwrap());
    let run = journal.begin_run(&run_record("2026-01-31T12:00:00Z")).unwrap();
    journal.enqueue(&run, None, &[queued("/poison", &["poison"]), queued("/other", &["other"])]).unwrap();
    for crash in 0..6 {
        let worker = journal.begin_work(&run, &process("p")).unwrap();
        let log = WorkerLog::new(Arc::clone(&journal), worker);
        for claimed in journal.claim(&run, worker, 9).wait().unwrap() {
            let begun = LogEntry::Begun { document_type: "t".to_owned(), source_digest: "d".to_owned() };
            let answer = LogEntry::Answered { call: "c".to_owned(), question: vec![1], answer: vec![2] };
            let entries = if claimed.id.as_str() == "poison" { vec![begun, answer] } else { vec![begun] };
            log.write(claimed.document, entries).wait().unwrap();
        }
        journal.take_over(worker).unwrap();
        let failed = journal.stages(&run).unwrap().of(DocumentStage::Failed);
        assert_eq!(failed, u64::from(crash >= 3), "after {crash}");
    }
    let documents = journal.documents(&run).unwrap();
    assert!(documents[0].reason.as_ref().unwrap().contains("4 processes"));
    assert_eq!(documents[1].stage, DocumentStage::Waiting);
    // A person may try it once more, and its answer is still there.
    journal.requeue(documents[0].key, false).unwrap();
    assert_eq!(journal.answers(documents[0].key).unwrap()[0].answer, [2]);
    assert_eq!(journal.stages(&run).unwrap().of(DocumentStage::Waiting), 2);
}

#[test]
fn a_place_keeps_its_name_in_a_folder_and_no_two_have_one() {
    let journal = Journal::in_memory().unwrap();
    let begin = || journal.begin_run(&run_record("2026-01-31T12:00:00Z")).unwrap();
    let ids = |run: &RunId| -> Vec<String> {
        journal.documents(run).unwrap().iter().map(|document| document.record.id.to_string()).collect()
    };
    let b = queued("/b/report.txt", &["report", "b/report", "report~2"]);
    let a = queued("/a/report.txt", &["report", "a/report", "report~1"]);
    let upper = queued("/c/Report.txt", &["Report", "c/Report", "Report~3"]);
    let first = begin();
    journal.enqueue(&first, Some("."), std::slice::from_ref(&b)).unwrap();
    let second = begin();
    journal.enqueue(&second, Some("."), &[a.clone(), b.clone(), upper]).unwrap();
    assert_eq!(ids(&first), ["report"]);
    assert_eq!(ids(&second), ["a/report", "report", "c/Report"]);
    // In another folder names are free.
    let third = begin();
    journal.enqueue(&third, Some("/elsewhere"), &[a]).unwrap();
    assert_eq!(ids(&third), ["report"]);
    // While a process works on the first run, no other works on its documents in the same folder.
    journal.begin_work(&first, &process("p")).unwrap();
    let fourth = begin();
    assert_eq!(
        journal.enqueue(&fourth, Some("."), std::slice::from_ref(&b)).unwrap(),
        [EnqueueOutcome::Elsewhere { run: first }]
    );
}

#[test]
fn a_document_that_begins_anew_has_none_of_its_events() {
    let journal = Journal::in_memory().unwrap();
    let (run, document) = begun(&journal);
    append(&journal, document, 0, &json!(0)).unwrap();
    journal.write(document, vec![ended(&json!({"final_status": "failed"}))]).wait().unwrap();
    journal.requeue(document, true).unwrap();
    let (events, next) = journal.events_of(document).unwrap();
    assert_eq!((events.len(), next), (0, 2));
    // Its result is there until there is another.
    assert!(journal.outcome(&run, &DocumentId::new("a")).unwrap().is_some());
    journal.write(document, vec![happened(2, "k", &json!(1))]).wait().unwrap();
    assert_eq!(journal.events_of(document).unwrap().0.len(), 1);
}

#[test]
fn what_a_run_finished_is_carried_over_to_another() {
    let journal = Journal::in_memory().unwrap();
    let (run, document) = begun(&journal);
    journal.begin_document(&run, &document_record("b")).wait().unwrap();
    journal.write(document, vec![ended(&json!({"final_status": "passed"}))]).wait().unwrap();
    let other = journal.begin_run(&run_record("2026-02-01T12:00:00Z")).unwrap();
    assert_eq!(journal.carry_over(&run, &other).unwrap(), 1);
    let carried = journal.documents(&other).unwrap();
    assert_eq!((carried.len(), carried[0].stage), (1, DocumentStage::Finished));
    assert!(journal.outcome(&other, &DocumentId::new("a")).unwrap().is_some());
}

#[test]
fn a_place_where_no_file_can_be_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    for path in [file.join("journal.sqlite"), dir.path().to_path_buf()] {
        let error = Journal::open(&path).unwrap_err();
        assert!(matches!(&error, StoreError::Open { path: named, .. } if *named == path), "{error}");
    }
}

proptest! {
    #[test]
    #[ignore = "long"]
    fn payloads_come_back_equal_and_in_order(numbers in prop::collection::vec(any::<f64>(), 0..8), text: String) {
        let journal = Journal::in_memory().unwrap();
        let (_, document) = begun(&journal);
        let payloads: Vec<Value> = numbers.into_iter().map(|n| json!({ "n": n, "text": text })).collect();
        for (n, payload) in payloads.iter().enumerate() {
            append(&journal, document, n as u64, payload).unwrap();
        }
        let stored: Vec<Value> = events(&journal, document).into_iter().map(|event| event.payload).collect();
        prop_assert_eq!(stored, payloads);
    }
}
