use super::super::{StoredDocument, StoredEvent};
use super::*;
use proptest::prelude::*;
use serde_json::json;
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
fn begun(journal: &Journal) -> (RunId, DocumentId) {
    let run = journal.begin_run(&run_record("2026-01-31T12:00:00Z")).unwrap();
    journal.begin_document(&run, &document_record("a")).unwrap();
    (run, DocumentId::new("a"))
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
    assert_eq!(journal.append(&run, &document, Millis(0), "started", &json!({})).unwrap(), 0);
    assert_eq!(journal.append(&run, &document, Millis(7), "assessed", &payload).unwrap(), 1);
    let events = journal.events(&run, &document).unwrap();
    let last = StoredEvent { seq: 1, at: Millis(7), kind: "assessed".to_owned(), payload };
    assert_eq!((events.len(), &events[1]), (2, &last));

    assert_eq!(journal.outcome(&run, &document).unwrap(), None);
    journal.finish_document(&run, &document, &json!({"final_status": "passed"})).unwrap();
    assert_eq!(journal.outcome(&run, &document).unwrap(), Some(json!({"final_status": "passed"})));
    let stored = StoredDocument { record: document_record("a"), events: 2, finished: true };
    assert_eq!(journal.documents(&run).unwrap(), [stored]);

    journal.begin_document(&run, &document_record("b")).unwrap();
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
    let (no_run, no_document) = (RunId::new("none"), DocumentId::new("none"));
    let append = |run, document| journal.append(run, document, Millis(0), "k", &Value::Null).unwrap_err();
    assert!(matches!(append(&no_run, &document), StoreError::UnknownRun { .. }));
    assert!(matches!(append(&run, &no_document), StoreError::UnknownDocument { .. }));
    let begin = |run, id| journal.begin_document(run, &document_record(id)).unwrap_err();
    assert!(matches!(begin(&run, "a"), StoreError::DocumentExists { .. }));
    assert!(matches!(begin(&no_run, "a"), StoreError::UnknownRun { .. }));
    journal.finish_document(&run, &document, &json!(1)).unwrap();
    let finish = |document| journal.finish_document(&run, document, &json!(2)).unwrap_err();
    assert!(matches!(finish(&document), StoreError::AlreadyFinished { .. }));
    assert!(matches!(finish(&no_document), StoreError::UnknownDocument { .. }));
    assert_eq!(journal.outcome(&run, &document).unwrap(), Some(json!(1)));
    let finished = journal.finish_run(&no_run, "2026-01-31T12:00:00Z").unwrap_err();
    assert!(matches!(finished, StoreError::UnknownRun { .. }));
}

#[test]
fn an_event_is_on_the_disk_when_append_returns() {
    let (dir, path) = file();
    let journal = Journal::open(&path).unwrap();
    let (run, document) = begun(&journal);
    for n in 0..5 {
        journal.append(&run, &document, Millis(n), "k", &json!(n)).unwrap();
    }
    // What a killed process leaves: the files as they are, with nothing flushed or closed.
    let killed = dir.path().join("killed");
    std::fs::create_dir(&killed).unwrap();
    for name in ["journal.sqlite", "journal.sqlite-wal"] {
        std::fs::copy(path.with_file_name(name), killed.join(name)).unwrap();
    }
    let again = Journal::open(killed.join("journal.sqlite")).unwrap();
    assert_eq!(again.events(&run, &document).unwrap(), journal.events(&run, &document).unwrap());
    assert_eq!(again.append(&run, &document, Millis(9), "k", &json!(5)).unwrap(), 5);
}

#[test]
fn a_write_that_was_cut_off_is_as_if_it_never_was() {
    let (dir, path) = file();
    let journal = Journal::open(&path).unwrap();
    let (run, document) = begun(&journal);
    journal.append(&run, &document, Millis(0), "k", &json!("first")).unwrap();
    let whole = std::fs::metadata(path.with_file_name("journal.sqlite-wal")).unwrap().len();
    journal.append(&run, &document, Millis(1), "k", &json!("second")).unwrap();
    let torn = dir.path().join("torn.sqlite");
    std::fs::copy(&path, &torn).unwrap();
    let mut log = std::fs::read(path.with_file_name("journal.sqlite-wal")).unwrap();
    log.truncate(usize::try_from(whole).unwrap() + 100);
    std::fs::write(dir.path().join("torn.sqlite-wal"), log).unwrap();
    let again = Journal::open(&torn).unwrap();
    assert_eq!(again.events(&run, &document).unwrap().len(), 1);
    assert_eq!(again.append(&run, &document, Millis(1), "k", &json!("second")).unwrap(), 1);
}

#[test]
fn several_openers_write_to_one_document_without_losing_an_event() {
    let (_dir, path) = file();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| Journal::open(&path).unwrap());
        }
    });
    let (run, document) = begun(&Journal::open(&path).unwrap());
    let mut places: Vec<u64> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..3)
            .map(|writer| {
                let (path, run, document) = (&path, &run, &document);
                scope.spawn(move || {
                    let journal = Journal::open(path).unwrap();
                    // Whoever writes waits for the disk, and SQLite does not see to it that all get their turn.
                    journal.connection().busy_timeout(Duration::from_secs(600)).unwrap();
                    (0..10)
                        .map(|n| journal.append(run, document, Millis(n), "k", &json!([writer, n])).unwrap())
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    places.sort_unstable();
    assert_eq!(places, (0..30).collect::<Vec<_>>());
    let events = Journal::open(&path).unwrap().events(&run, &document).unwrap();
    assert_eq!(events.iter().map(|event| event.seq).collect::<Vec<_>>(), places);
}

#[test]
fn a_journal_that_another_process_holds_is_locked_and_not_lost() {
    let (_dir, path) = file();
    let journal = Journal::open(&path).unwrap();
    let (run, document) = begun(&journal);
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    journal.connection().busy_timeout(Duration::from_millis(1)).unwrap();
    let error = journal.append(&run, &document, Millis(0), "k", &json!(1)).unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    assert!(journal.events(&run, &document).unwrap().is_empty());
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(journal.append(&run, &document, Millis(0), "k", &json!(1)).unwrap(), 0);
}

#[test]
fn a_full_disk_is_named_and_the_journal_goes_on_when_there_is_room() {
    let (_dir, path) = file();
    let journal = Journal::open(&path).unwrap();
    let (run, document) = begun(&journal);
    journal.append(&run, &document, Millis(0), "k", &json!(0)).unwrap();
    let limit = |pages: u32| {
        let set = journal.connection().pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()));
        set.unwrap();
    };
    limit(1);
    let error = journal.append(&run, &document, Millis(1), "k", &json!("x".repeat(1 << 20))).unwrap_err();
    assert!(matches!(error, StoreError::DiskFull { .. }), "{error}");
    limit(1 << 20);
    assert_eq!(journal.append(&run, &document, Millis(1), "k", &json!(1)).unwrap(), 1);
    assert_eq!(journal.events(&run, &document).unwrap().len(), 2);
}

#[test]
fn an_event_whose_commit_failed_is_never_reported_as_recorded() {
    let journal = Journal::in_memory().unwrap();
    let (run, document) = begun(&journal);
    // A reference that is only checked at the commit, to something that is not there.
    let spoil = "CREATE TABLE side (x REFERENCES documents (number) DEFERRABLE INITIALLY DEFERRED);
                 CREATE TRIGGER spoil_events AFTER INSERT ON events BEGIN INSERT INTO side VALUES (999); END;
                 CREATE TRIGGER spoil_runs AFTER INSERT ON runs BEGIN INSERT INTO side VALUES (999); END;";
    journal.connection().execute_batch(spoil).unwrap();
    assert!(journal.append(&run, &document, Millis(0), "k", &json!(1)).is_err());
    assert!(journal.events(&run, &document).unwrap().is_empty());
    assert!(journal.begin_run(&run_record("2026-01-31T12:00:00Z")).is_err());
    assert_eq!(journal.runs().unwrap().len(), 1);
}

#[test]
fn a_journal_that_turns_read_only_says_so() {
    let journal = Journal::in_memory().unwrap();
    let (run, document) = begun(&journal);
    journal.connection().pragma_update(None, "query_only", true).unwrap();
    let error = journal.append(&run, &document, Millis(0), "k", &json!(1)).unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
}

#[test]
fn events_can_be_neither_changed_nor_removed() {
    let journal = Journal::in_memory().unwrap();
    let (run, document) = begun(&journal);
    journal.append(&run, &document, Millis(0), "k", &json!(1)).unwrap();
    for statement in ["UPDATE events SET payload = '2'", "DELETE FROM events"] {
        assert!(journal.connection().execute(statement, []).is_err(), "{statement}");
    }
    assert_eq!(journal.events(&run, &document).unwrap()[0].payload, json!(1));
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
    fn payloads_come_back_equal_and_in_order(numbers in prop::collection::vec(any::<f64>(), 0..8), text: String) {
        let journal = Journal::in_memory().unwrap();
        let (run, document) = begun(&journal);
        let payloads: Vec<Value> = numbers.into_iter().map(|n| json!({ "n": n, "text": text })).collect();
        for (n, payload) in payloads.iter().enumerate() {
            prop_assert_eq!(journal.append(&run, &document, Millis(0), &text, payload).unwrap(), n as u64);
        }
        let events = journal.events(&run, &document).unwrap();
        let stored: Vec<Value> = events.into_iter().map(|event| event.payload).collect();
        prop_assert_eq!(stored, payloads);
    }
}
