//! Files that were split: each is kept as the record of its sections, which are documents of the run in its place.

use super::entries::json;
use super::queue::{enqueue_one, read_claimed};
use super::{
    ClaimedDocument, DocumentKey, DocumentStage, EnqueueOutcome, Journal, QueuedDocument, RunId, StoreError,
    WorkerId,
};
use crate::value::DocumentId;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The state of a file that was split. It is no stage of a document: such a file counts as none.
pub(super) const SPLIT: i64 = 6;

/// The kind of the event that has the sections of a file.
pub(super) const SPLIT_EVENT: &str = "split";

/// The sections of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SplitRecord {
    /// Their ids, in their order in the file.
    pub sections: Vec<DocumentId>,
    /// The rules by which their results are merged.
    pub merge: Value,
}

/// A file of a run that was split.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SplitFile {
    /// The id of the file.
    pub id: DocumentId,
    /// Its sections.
    pub record: SplitRecord,
}

/// A section of a file that was split before.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownSection {
    /// The document.
    pub document: DocumentKey,
    /// Its stage.
    pub stage: DocumentStage,
}

impl Journal {
    /// Puts the sections of a file that this worker has claimed in its place, and claims them for it. Those that were
    /// there before stay as they are. `digest` is that of the file's bytes; `folder`, as for [`Journal::enqueue`].
    ///
    /// # Errors
    /// [`StoreError::TakenOver`] when the worker does not have it any more, and any failure of the file.
    pub fn split_document(
        &self,
        (file, worker): (DocumentKey, WorkerId),
        digest: &str,
        folder: Option<&str>,
        sections: &[QueuedDocument],
        merge: &Value,
    ) -> Result<Vec<ClaimedDocument>, StoreError> {
        let sqlite = |error: rusqlite::Error| self.sqlite(&error);
        self.transact(|connection| {
            let run = run_of(connection, file, worker).map_err(sqlite)?.ok_or(StoreError::TakenOver)?;
            let mut claimed = Vec::with_capacity(sections.len());
            let mut ids = Vec::with_capacity(sections.len());
            for section in sections {
                let section = enqueue_one(connection, run, folder, section).map_err(sqlite)?;
                let key = match section {
                    EnqueueOutcome::Added => DocumentKey(connection.last_insert_rowid()),
                    EnqueueOutcome::Known { document, .. } => document,
                    // A section has no sections, and its folder is that of its file.
                    EnqueueOutcome::Split { .. } | EnqueueOutcome::Elsewhere { .. } => {
                        return Err(StoreError::TakenOver);
                    }
                };
                let (id, taken) = claim_section(connection, key, worker).map_err(sqlite)?;
                ids.push(id);
                claimed.extend(taken);
            }
            let record = serde_json::to_value(SplitRecord { sections: ids, merge: merge.clone() });
            let record = record
                .map_err(|source| StoreError::Json { what: "the sections of a file".to_owned(), source })?;
            keep(connection, file, digest, &json(&record)?).map_err(sqlite)?;
            Ok(claimed)
        })
    }

    /// The files of a run that were split, in the order in which they began.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn split_files(&self, run: &RunId) -> Result<Vec<SplitFile>, StoreError> {
        let query = "SELECT d.id, e.payload FROM runs r JOIN documents d ON d.run = r.number AND d.state = ?2
                     JOIN events e ON e.document = d.number AND e.kind = ?3
                     WHERE r.id = ?1 ORDER BY d.number, e.seq";
        let mut files: Vec<SplitFile> = Vec::new();
        let read = |row: &Row<'_>| {
            Ok(SplitFile { id: DocumentId::new(row.get::<_, String>(0)?), record: record(row, 1)? })
        };
        for file in self.select(query, params![run.as_str(), SPLIT, SPLIT_EVENT], read)? {
            // The latest record of a file counts.
            match files.last_mut().filter(|last| last.id == file.id) {
                Some(last) => *last = file,
                None => files.push(file),
            }
        }
        Ok(files)
    }

    /// The sections of a file that was split.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn sections_of(&self, file: DocumentKey) -> Result<Vec<KnownSection>, StoreError> {
        let query = format!("SELECT number, state FROM {SECTIONS} WHERE file = ?1 ORDER BY position");
        self.select(&query, [file.0], |row| {
            let stage = DocumentStage::of(row.get(1)?).unwrap_or(DocumentStage::Failed);
            Ok(KnownSection { document: DocumentKey(row.get(0)?), stage })
        })
    }
}

/// The latest record of the sections of the file `d`, as SQL.
pub(super) const RECORD: &str =
    "(SELECT payload FROM events WHERE document = d.number AND kind = 'split' ORDER BY seq DESC LIMIT 1)";

/// The sections of files that were split, as a table of SQL.
pub(super) const SECTIONS: &str =
    "(SELECT d.number AS file, d.run AS file_run, one.key AS position, s.number AS number, s.state AS state
      FROM documents d JOIN json_each((SELECT payload FROM events WHERE document = d.number AND kind = 'split'
                                       ORDER BY seq DESC LIMIT 1), '$.sections') one
      JOIN documents s ON s.run = d.run AND s.id = one.value WHERE d.state = 6)";

/// The record of sections in a column.
pub(super) fn record(row: &Row<'_>, column: usize) -> rusqlite::Result<SplitRecord> {
    let text = row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?;
    serde_json::from_str(text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error))
    })
}

/// Copies the files of a run that were split, and all of whose sections have results, to another run that has these.
pub(super) fn carry_over_files(connection: &Connection, from: i64, to: i64) -> rusqlite::Result<()> {
    let copied = format!(
        "INSERT INTO documents (run, id, document_type, source_digest, path, place, source, artifact, state, attempts)
         SELECT ?2, id, document_type, source_digest, path, place, source, artifact, state, attempts
         FROM documents WHERE run = ?1 AND state = 6
             AND number NOT IN (SELECT file FROM {SECTIONS} WHERE file_run = ?1 AND state <> 2)"
    );
    connection.execute(&copied, [from, to])?;
    let records = format!(
        "INSERT INTO events (document, seq, at_ms, kind, payload)
         SELECT new.number, 0, 0, 'split', {RECORD} FROM documents d
         JOIN documents new ON new.run = ?2 AND new.id = d.id AND new.state = 6 WHERE d.run = ?1 AND d.state = 6"
    );
    connection.execute(&records, [from, to]).map(drop)
}

/// The run of a document that a worker has claimed.
fn run_of(connection: &Connection, file: DocumentKey, worker: WorkerId) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT run FROM documents WHERE number = ?1 AND worker = ?2 AND state = 1")?
        .query_one(params![file.0, worker.0], |row| row.get(0))
        .optional()
}

/// Claims a section if it waits.
fn claim_section(
    connection: &Connection,
    section: DocumentKey,
    worker: WorkerId,
) -> rusqlite::Result<(DocumentId, Option<ClaimedDocument>)> {
    let id: String = connection
        .prepare_cached("SELECT id FROM documents WHERE number = ?1")?
        .query_one([section.0], |row| row.get(0))?;
    let claimed = connection
        .prepare_cached(
            "UPDATE documents SET state = 1, worker = ?2, attempts = attempts + 1 WHERE number = ?1 AND state = 0
             RETURNING number, id, path, source, source_digest, attempts, artifact",
        )?
        .query_one(params![section.0, worker.0], |row| read_claimed(connection, row))
        .optional()?;
    Ok((DocumentId::new(id), claimed))
}

/// Keeps a file as the record of its sections.
fn keep(connection: &Connection, file: DocumentKey, digest: &str, record: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO events (document, seq, at_ms, kind, payload)
             SELECT ?1, coalesce(max(seq) + 1, 0), 0, ?2, ?3 FROM events WHERE document = ?1",
        )?
        .execute(params![file.0, SPLIT_EVENT, record])?;
    connection
        .prepare_cached(
            "UPDATE documents SET state = ?2, source_digest = ?3, reason = NULL, worker = NULL, crashes = 0
             WHERE number = ?1",
        )?
        .execute(params![file.0, SPLIT, digest])
        .map(drop)
}

#[cfg(test)]
mod tests {
    use super::super::{EventLog, LogEntry, NewJob, ProcessId, RunRecord, SubmitOutcome, WorkerLog};
    use super::*;
    use serde_json::json;
    use std::sync::Arc;

    fn run(journal: &Journal) -> RunId {
        let record = RunRecord {
            started_at: "2026-01-31T12:00:00Z".to_owned(),
            profile: "p".to_owned(),
            profile_digest: String::new(),
            loopctl_version: String::new(),
            plugins: json!([]),
            settings: json!({}),
        };
        journal.begin_run(&record).unwrap()
    }

    fn queued(name: &str) -> QueuedDocument {
        QueuedDocument { place: format!("/{name}"), names: vec![name.to_owned()], path: None, source: None }
    }

    /// A run with a job whose file was split into three sections, all of which the worker has claimed.
    struct SplitJob {
        journal: Arc<Journal>,
        run: RunId,
        worker: WorkerId,
        claimed: Vec<ClaimedDocument>,
    }

    impl SplitJob {
        fn new() -> Self {
            let journal = Arc::new(Journal::in_memory().unwrap());
            let run = run(&journal);
            let job = NewJob {
                id: "job".to_owned(),
                submitter: "m".to_owned(),
                idempotency_key: None,
                request_digest: String::new(),
                submitted_at: "2026-01-31T12:00:00Z".to_owned(),
                request: json!({}),
            };
            let submitted = journal.submit_job(&run, &queued("scan"), &job, 9).unwrap();
            assert!(matches!(submitted, SubmitOutcome::Added(job) if job.split.is_none()));
            let process = ProcessId { machine: "m".to_owned(), process: "p".to_owned() };
            let worker = journal.begin_work(&run, &process).unwrap();
            let file = journal.claim(&run, worker, 1).wait().unwrap()[0].document;
            let sections = ["scan#1", "scan#2", "scan#3"].map(queued);
            let merge = json!({ "default": "first" });
            let claimed = journal.split_document((file, worker), "f11e", None, &sections, &merge).unwrap();
            let again = journal.split_document((file, worker), "f11e", None, &sections, &merge);
            assert!(matches!(again, Err(StoreError::TakenOver)), "it was split once");
            SplitJob { journal, run, worker, claimed }
        }

        fn end(&self, section: usize, stage: DocumentStage) {
            let log = WorkerLog::new(Arc::clone(&self.journal), self.worker);
            let ended = LogEntry::Ended { stage, reason: None, outcome: Some("{}".to_owned()) };
            log.write(self.claimed[section].document, vec![ended]).wait().unwrap();
        }

        fn stage(&self) -> DocumentStage {
            self.journal.job("job").unwrap().unwrap().stage
        }
    }

    #[test]
    fn sections_are_documents_of_the_run_in_the_place_of_their_file() {
        let split = SplitJob::new();
        let (journal, run) = (&split.journal, &split.run);
        let ids: Vec<&str> = split.claimed.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(ids, ["scan#1", "scan#2", "scan#3"]);
        assert_eq!(journal.stages(run).unwrap().sum(), 3);
        assert_eq!(journal.run(run).unwrap().unwrap().documents, 3);
        let listed: Vec<_> = journal.documents(run).unwrap().into_iter().map(|one| one.record.id).collect();
        assert_eq!(listed, ids.iter().map(|id| DocumentId::new(*id)).collect::<Vec<_>>());
        let files = journal.split_files(run).unwrap();
        assert_eq!((files.len(), files[0].id.as_str()), (1, "scan"));
        assert_eq!(files[0].record, SplitRecord { sections: listed, merge: json!({ "default": "first" }) });
        // The file is known with the bytes that it had.
        let known = journal.enqueue(run, None, &[queued("scan")]).unwrap();
        let [EnqueueOutcome::Split { document, source_digest }] = &known[..] else { panic!("{known:?}") };
        assert_eq!(source_digest, "f11e");
        assert_eq!(journal.sections_of(*document).unwrap().len(), 3);
        // Sections that were not begun wait again.
        journal.end_work(split.worker).unwrap();
        assert_eq!(journal.stages(run).unwrap().of(DocumentStage::Waiting), 3);
    }

    #[test]
    fn a_job_is_as_far_as_its_sections() {
        let split = SplitJob::new();
        assert_eq!(split.stage(), DocumentStage::Running);
        split.end(0, DocumentStage::Finished);
        split.journal.end_work(split.worker).unwrap();
        assert_eq!(split.stage(), DocumentStage::Running, "one of several is over");
        split.journal.cancel_job("job", "2026-01-31T13:00:00Z", "it was cancelled").unwrap();
        assert_eq!(split.stage(), DocumentStage::Failed);
        let stages = split.journal.stages(&split.run).unwrap();
        assert_eq!((stages.of(DocumentStage::Finished), stages.of(DocumentStage::Failed)), (1, 2));
        assert!(split.journal.retry_job("job").unwrap());
        assert_eq!(split.journal.stages(&split.run).unwrap().of(DocumentStage::Waiting), 2);
        assert_eq!(split.journal.documents_of_job("job").unwrap().len(), 4, "the file and its sections");
    }

    #[test]
    fn a_file_moves_to_another_run_with_all_its_sections() {
        let split = SplitJob::new();
        split.end(0, DocumentStage::Finished);
        let to = run(&split.journal);
        assert_eq!(split.journal.move_waiting(&split.run, &to).unwrap(), 3);
        assert_eq!(split.journal.stages(&to).unwrap().of(DocumentStage::Waiting), 3);
        assert_eq!(split.journal.split_files(&split.run).unwrap(), []);
        let job = split.journal.job("job").unwrap().unwrap();
        assert_eq!((&job.run, job.stage), (&to, DocumentStage::Waiting));
        assert_eq!(job.split.unwrap().sections.len(), 3);
    }
}
