//! Intake of submissions.

use super::Jobs;
use super::submission::{DuplicateRule, Submission, SubmissionContent, SubmitError};
use crate::ingest::{DocumentReader, FilePassword, Input, Media, Origin};
use crate::metrics::IntakeOutcome;
use crate::store::{NewJob, QueuedDocument, StoreError, StoredJob, SubmitOutcome};
use crate::value::{DocumentId, digest_bytes, path_text, sanitize_line};
use jiff::Timestamp;
use serde_json::json;
use std::path::Path;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};

/// The outcome of a submission.
pub(crate) struct AcceptedJob {
    /// The job.
    pub(crate) job: StoredJob,
    /// `true` if the same was submitted before, so that nothing was added.
    pub(crate) is_known: bool,
}

impl Jobs {
    /// Accepts a document: when this returns, it is on the disk and in the queue. It waits for the disk.
    ///
    /// # Errors
    /// The reason why it is not taken; nothing of it is kept then.
    pub(crate) fn submit(&self, submission: Submission) -> Result<AcceptedJob, SubmitError> {
        self.check_profile(&submission.profile.name)?;
        let Submission { content, file_name, password, document_type, profile, submitter, duplicate_rule } =
            submission;
        let named = match &content {
            SubmissionContent::Path(path) => Some(path_text(path).into_owned()),
            SubmissionContent::Bytes(_) => None,
        };
        let (bytes, name) = self.uploads.read(content, file_name)?;
        let digest = digest_bytes(&bytes);
        let request = json!([digest, name, document_type, profile]);
        let request_digest = digest_bytes(request.to_string().as_bytes());
        if let DuplicateRule::Key(key) = &duplicate_rule
            && let Some(known) = self.journal.job_of_key(&submitter, key)?
        {
            return self.known_job(known, &request_digest);
        }
        // The password of a form is that of its files which need one.
        let is_encrypted = DocumentReader::is_encrypted(&bytes);
        let password = password.filter(|_| is_encrypted);
        if is_encrypted {
            self.check_password(&bytes, password.as_ref())?;
        }
        let worker = self.worker(&profile)?;
        let is_by_content = duplicate_rule == DuplicateRule::Content;
        let idempotency_key = match duplicate_rule {
            DuplicateRule::Never => None,
            DuplicateRule::Key(key) => Some(key),
            DuplicateRule::Content => Some(format!("content:{}:{request_digest}", worker.run())),
        };
        let idempotency_key = match idempotency_key {
            Some(key) if is_by_content && password.is_some() && self.is_locked_job(&submitter, &key)? => None,
            key => key,
        };
        if let Some(given) = &document_type {
            check_type(&worker, given)?;
        }
        let id = fresh_id();
        let path = self.uploads.keep(&id, &name, &bytes)?;
        if let Some(password) = password {
            self.reader().keep_password(&path, password);
        }
        let document = queued(&id, &name, &path, document_type.as_deref());
        let media_type = Media::of(&bytes).map_or("text/plain", |media| media.media_type());
        let job = NewJob {
            id: id.clone(),
            submitter,
            idempotency_key,
            request_digest: request_digest.clone(),
            submitted_at: Timestamp::now().to_string(),
            request: json!({
                "file_name": name, "media_type": media_type, "bytes": bytes.len(), "path": named,
                "document_type": document_type, "profile": profile.name, "settings": profile.settings,
            }),
        };
        let submitted = self.journal.submit_job(worker.run(), &document, &job, self.most_waiting);
        if !matches!(submitted, Ok(SubmitOutcome::Added(_))) {
            self.discard_upload(&id);
        }
        match submitted? {
            SubmitOutcome::Added(job) => {
                self.metrics.submitted(&worker.plan().profile.name, IntakeOutcome::Accepted);
                worker.look();
                self.feed.written();
                Ok(AcceptedJob { job, is_known: false })
            }
            // A job that came to nothing is submitted again on purpose.
            SubmitOutcome::Known(job) if is_by_content && self.retry(&job)? => {
                Ok(AcceptedJob { job, is_known: false })
            }
            SubmitOutcome::Known(job) | SubmitOutcome::KeyTaken(job) => self.known_job(job, &request_digest),
            SubmitOutcome::Full { waiting } => {
                self.metrics.submitted(&worker.plan().profile.name, IntakeOutcome::Refused);
                Err(SubmitError::Full { waiting })
            }
        }
    }

    /// Refuses a file that needs another password, while the person who has it is there.
    fn check_password(&self, bytes: &[u8], password: Option<&FilePassword>) -> Result<(), SubmitError> {
        // A file may be made to occupy its reader, so one is tried at a time.
        let _trying = self.trying.lock().unwrap_or_else(PoisonError::into_inner);
        self.reader().lock(bytes, password).map_or(Ok(()), |why| Err(SubmitError::Locked(why)))
    }

    /// Returns whether a job with this key has lost the password of its file, because the service was started again since.
    fn is_locked_job(&self, submitter: &str, key: &str) -> Result<bool, StoreError> {
        let known = self.journal.job_of_key(submitter, key)?;
        Ok(known.is_some_and(|job| !self.reader().has_password_below(&self.uploads.folder_of(&job.id))))
    }

    fn known_job(&self, job: StoredJob, request_digest: &str) -> Result<AcceptedJob, SubmitError> {
        if job.request_digest != request_digest {
            return Err(SubmitError::KeyTaken);
        }
        if let Some(run) = self.journal.run(&job.run)? {
            self.metrics.submitted(&run.record.profile, IntakeOutcome::Repeated);
        }
        Ok(AcceptedJob { job, is_known: true })
    }
}

fn check_type(worker: &super::profile_worker::ProfileWorker, given: &str) -> Result<(), SubmitError> {
    let known: Vec<&str> = worker.plan().document_types().collect();
    if known.contains(&given) {
        return Ok(());
    }
    let known = known.iter().map(|one| format!("`{one}`")).collect::<Vec<_>>().join(", ");
    Err(SubmitError::UnknownType { given: sanitize_line(given), known })
}

/// The document as the queue has it. Its id is the name of its file without the ending, as for `loopctl run`; if
/// another document has that, the job's id follows.
fn queued(id: &str, name: &str, path: &Path, document_type: Option<&str>) -> QueuedDocument {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let stem = if stem.is_empty() { name } else { stem };
    let input = Input::new(DocumentId::new(stem), Origin::File(path.to_path_buf()));
    // A plain file is read from its path.
    let source = document_type.and_then(|document_type| {
        serde_json::to_string(&input.with_document_type(document_type).to_record()).ok()
    });
    QueuedDocument {
        place: format!("job:{id}"),
        names: vec![stem.to_owned(), format!("{stem}~{id}")],
        path: Some(path.to_path_buf()),
        source,
    }
}

/// A unique, unguessable id: a timestamp, so that ids sort by time, then random bits.
fn fresh_id() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut random = [0_u8; 10];
    if getrandom::fill(&mut random).is_err() {
        // Without the system's generator it is still no other's: the journal refuses a second one.
        let count = COUNT.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        random.iter_mut().zip(count).for_each(|(to, from)| *to = from);
    }
    let at = Timestamp::now().as_millisecond();
    let random = random.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    format!("{at:012x}{random}")
}
