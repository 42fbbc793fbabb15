use super::super::{DocumentStage, EventLog, LogEntry, ProcessId, QueuedDocument, RunRecord, WorkerLog};
use super::*;
use serde_json::json;
use std::sync::Arc;

/// A run with a document that a worker has claimed.
struct ClaimedFixture {
    journal: Arc<Journal>,
    run: RunId,
    worker: WorkerId,
    document: DocumentKey,
}

impl ClaimedFixture {
    fn new() -> Self {
        let journal = Arc::new(Journal::in_memory().unwrap());
        let record = RunRecord {
            started_at: "2026-01-31T12:00:00Z".to_owned(),
            profile: "p".to_owned(),
            profile_digest: String::new(),
            loopctl_version: String::new(),
            plugins: json!([]),
            settings: json!({}),
        };
        let run = journal.begin_run(&record).unwrap();
        let names = vec!["a".to_owned()];
        let queued = QueuedDocument { place: "/a".to_owned(), names, path: None, source: None };
        journal.enqueue(&run, None, &[queued]).unwrap();
        let process = ProcessId { machine: "m".to_owned(), process: "p".to_owned() };
        let worker = journal.begin_work(&run, &process).unwrap();
        let document = journal.claim(&run, worker, 1).wait().unwrap()[0].document;
        ClaimedFixture { journal, run, worker, document }
    }

    fn write(&self, entries: Vec<LogEntry>) {
        let log = WorkerLog::new(Arc::clone(&self.journal), self.worker);
        log.write(self.document, entries).wait().unwrap();
    }

    /// Makes these calls wait, and the document for them.
    fn park(&self, calls: &[&str]) {
        let mut entries: Vec<LogEntry> = calls.iter().map(|call| self.postponed(call, b"q")).collect();
        entries.push(LogEntry::Parked { calls: calls.iter().map(ToString::to_string).collect() });
        self.write(entries);
    }

    fn postponed(&self, call: &str, question: &[u8]) -> LogEntry {
        LogEntry::Postponed(Box::new(PostponedCall {
            call: call.to_owned(),
            custom_id: custom_id("", &self.run, self.document, call),
            provider: "x".to_owned(),
            group: "{}".to_owned(),
            question: question.to_vec(),
            line: b"{}".to_vec(),
        }))
    }

    fn intend(&self, own_id: &str, most_lines: u64) -> Option<StoredBatch> {
        let of = self.journal.waiting_lines(&self.run).unwrap().pop()?;
        let at = "2026-01-31T12:00:00Z";
        let intended = IntendedBatch { own_id, at, most_lines, most_bytes: 100 };
        self.journal.intend_batch(&self.run, self.worker, &of, intended).unwrap()
    }

    fn answer(&self, batch: BatchKey, call: &str) {
        let custom_id = custom_id("", &self.run, self.document, call);
        let answer = LineAnswer { custom_id, answer: Some(b"said".to_vec()) };
        self.journal.keep_answers(self.worker, batch, &[answer]).unwrap();
    }

    fn stage(&self) -> DocumentStage {
        self.journal.documents(&self.run).unwrap()[0].stage
    }
}

#[test]
fn a_document_waits_until_all_its_calls_are_answered() {
    let table = ClaimedFixture::new();
    table.park(&["one", "two"]);
    let first = table.intend("b1", 1).unwrap();
    let second = table.intend("b2", 9).unwrap();
    assert!(table.intend("b3", 9).is_none());
    assert_eq!((first.lines, second.lines), (1, 1));
    table.answer(first.key, "one");
    assert_eq!(table.stage(), DocumentStage::Parked);
    // Of another batch, and twice: it does not count.
    table.answer(first.key, "two");
    table.answer(first.key, "one");
    assert_eq!(table.stage(), DocumentStage::Parked);
    assert_eq!(table.journal.end_batch(table.worker, second.key, None).unwrap(), 1);
    assert_eq!(table.stage(), DocumentStage::Waiting);
    let mut lines = table.journal.postponed(table.document).unwrap();
    lines.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(lines, [("one".to_owned(), LineState::Answered), ("two".to_owned(), LineState::Online)]);
    assert_eq!(table.journal.answers(table.document).unwrap().len(), 1);
}

#[test]
fn an_answer_that_comes_while_a_document_is_worked_on_is_not_waited_for() {
    let table = ClaimedFixture::new();
    table.park(&["one"]);
    let batch = table.intend("b1", 9).unwrap();
    // A worker resumes it all the same, before its answer is there.
    table.journal.requeue(table.document, false).unwrap();
    table.journal.claim(&table.run, table.worker, 1).wait().unwrap();
    table.answer(batch.key, "one");
    assert_eq!(table.stage(), DocumentStage::Running);
    table.park(&["one"]);
    assert_eq!(table.stage(), DocumentStage::Waiting);
    assert!(table.journal.waiting_lines(&table.run).unwrap().is_empty());
    // An answer to another question is none.
    table.journal.claim(&table.run, table.worker, 1).wait().unwrap();
    let parked = LogEntry::Parked { calls: vec!["one".to_owned()] };
    table.write(vec![table.postponed("one", b"another"), parked]);
    assert_eq!(table.stage(), DocumentStage::Parked);
    assert_eq!(table.journal.waiting_lines(&table.run).unwrap()[0].lines, 1);
}

#[test]
fn a_line_that_nobody_waits_for_any_more_is_not_sent() {
    let table = ClaimedFixture::new();
    table.park(&["one"]);
    table.journal.requeue(table.document, false).unwrap();
    table.journal.claim(&table.run, table.worker, 1).wait().unwrap();
    table.park(&["two"]);
    let batch = table.intend("b1", 9).unwrap();
    assert_eq!(batch.lines, 1);
    assert_eq!(table.journal.postponed(table.document).unwrap().len(), 1);
    // Taken back, it waits for another batch.
    table.journal.take_back(table.worker, batch.key).unwrap();
    assert!(table.journal.open_batches(&table.run).unwrap().is_empty());
    assert_eq!(table.intend("b2", 9).unwrap().lines, 1);
}

#[test]
fn whoever_was_taken_for_dead_sees_to_no_batch() {
    let table = ClaimedFixture::new();
    table.park(&["one"]);
    let batch = table.intend("b1", 9).unwrap();
    table.journal.take_over(table.worker).unwrap();
    let submitted = table.journal.batch_submitted(table.worker, batch.key, "h", "2026-01-31T12:00:00Z");
    assert!(matches!(submitted, Err(StoreError::TakenOver)));
    let open = table.journal.open_batches(&table.run).unwrap();
    assert_eq!((open.len(), &open[0].handle), (1, &None));
    // It goes with its run.
    table.journal.remove_run(&table.run).unwrap();
}
