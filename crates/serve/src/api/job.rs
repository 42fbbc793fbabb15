//! A job as it is answered.

use crate::decided::Decided;
use crate::ingest::ReadingProgress;
use crate::result::DocumentResult;
use crate::store::{DocumentFigures, DocumentStage, StoredJob};
use crate::value::DocumentId;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// The status of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum JobStatus {
    /// It waits for its turn.
    Waiting,
    /// It is being worked on.
    Running,
    /// It waits for answers that come with a batch of a vendor.
    Parked,
    /// It has its result.
    Finished,
    /// It has no result, or one without a provider's or judge's answer; `reason` says why. It can be tried again.
    Failed,
    /// It was cancelled.
    Cancelled,
}

impl JobStatus {
    pub(crate) fn of(job: &StoredJob) -> Self {
        match job.stage {
            DocumentStage::Finished => JobStatus::Finished,
            DocumentStage::Failed if job.cancelled_at.is_some() => JobStatus::Cancelled,
            DocumentStage::Failed => JobStatus::Failed,
            DocumentStage::Running => JobStatus::Running,
            DocumentStage::Parked => JobStatus::Parked,
            // One that was left resumes when it is its turn.
            DocumentStage::Waiting | DocumentStage::GivenUp => JobStatus::Waiting,
        }
    }

    /// Returns whether nothing more comes of it unless it is tried again.
    pub(crate) fn is_over(self) -> bool {
        matches!(self, JobStatus::Finished | JobStatus::Failed | JobStatus::Cancelled)
    }

    /// Its name, for people.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            JobStatus::Waiting => "waiting",
            JobStatus::Running => "running",
            JobStatus::Parked => "parked",
            JobStatus::Finished => "finished",
            JobStatus::Failed => "failed",
            JobStatus::Cancelled => "cancelled",
        }
    }
}

/// A document that was submitted, and its status.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct Job {
    /// The id by which it is asked for.
    pub id: String,
    /// Its status.
    pub status: JobStatus,
    /// `true` while its file is read: nothing has been asked about it yet.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reading: bool,
    /// The page that OCR has come to, while it reads the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reading_page: Option<ReadingPage>,
    /// The reason why it has no result of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The run that its document belongs to.
    pub run: String,
    /// The document's id in the run.
    pub document: String,
    /// The name of its file.
    pub file_name: String,
    /// Its media type, by how its bytes begin.
    pub media_type: String,
    /// The size of the document, in bytes.
    pub bytes: u64,
    /// Its type, if the submitter gave one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_type: Option<String>,
    /// The profile that decides.
    pub profile: String,
    /// The settings laid over the profile, such as `accept.overall=0.9`.
    pub settings: Vec<String>,
    /// The name of the submitter.
    pub submitted_by: String,
    /// The time of submission, as RFC 3339.
    pub submitted_at: String,
    /// The time at which it was cancelled, as RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancelled_at: Option<String>,
    /// Its outcome, once it has a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<JobOutcome>,
    /// The sections of its file, if that was split: they are documents of the run in its place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<JobSection>,
    /// Its review so far, once a reviewer has begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) decided: Option<Decided>,
}

/// The outcome of a job, in short.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct JobOutcome {
    /// The final status of its loop: `passed`, `stopped_early`, `failed`, …
    pub final_status: String,
    /// The reason why it ended.
    pub stop_reason: String,
    /// The type of the document, given or found.
    pub document_type: String,
    /// Candidates that were assessed.
    pub iterations: usize,
    /// The overall score of the selected candidate, from 0 to 1.
    pub overall: Option<f64>,
    /// `true` if it needs review.
    pub needs_review: bool,
    /// The time it took, in milliseconds.
    pub elapsed_ms: u64,
}

/// The page that OCR has come to.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub(crate) struct ReadingPage {
    /// The number of pages that were begun.
    pub page: usize,
    /// The number of pages that are read by OCR.
    pub pages: usize,
}

impl From<ReadingProgress> for ReadingPage {
    fn from(progress: ReadingProgress) -> Self {
        ReadingPage { page: progress.page, pages: progress.pages }
    }
}

/// A section of the file of a job.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct JobSection {
    /// The section's id in the run: the file's, `#`, and its number.
    pub document: String,
    /// Its type, once it has a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_type: Option<String>,
    /// The final status of its loop, once it has a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_status: Option<String>,
    /// `true` if its result needs review.
    pub needs_review: bool,
}

impl JobSection {
    /// A section, with its result in short if it has one.
    pub(crate) fn of(document: &DocumentId, figures: Option<&DocumentFigures>) -> Self {
        let figures = figures.filter(|figures| figures.final_status.is_some());
        JobSection {
            document: document.to_string(),
            document_type: figures.map(|figures| figures.document_type.clone()),
            final_status: figures.and_then(|figures| figures.final_status.clone()),
            needs_review: figures.is_some_and(|figures| figures.review),
        }
    }
}

impl JobOutcome {
    fn of(result: &DocumentResult) -> Self {
        JobOutcome {
            final_status: result.final_status.as_str().to_owned(),
            stop_reason: result.stop_reason.to_string(),
            document_type: result.document_type.clone(),
            iterations: result.iteration_count,
            overall: result.best_validation.as_ref().map(|validation| validation.overall),
            needs_review: result.review,
            elapsed_ms: result.elapsed_ms.0,
        }
    }
}

impl Job {
    /// A job with the outcome of its document, if it has one.
    pub(crate) fn of(job: &StoredJob, outcome: Option<&Value>) -> Self {
        let text = |key: &str| job.request.get(key).and_then(Value::as_str).map(str::to_owned);
        let settings = job.request.get("settings").and_then(Value::as_array);
        let settings = settings.into_iter().flatten().filter_map(Value::as_str);
        let result = outcome.and_then(|outcome| DocumentResult::deserialize(outcome).ok());
        Job {
            id: job.id.clone(),
            status: JobStatus::of(job),
            reading: false,
            reading_page: None,
            reason: job.reason.clone(),
            run: job.run.to_string(),
            document: job.document_id.to_string(),
            file_name: text("file_name").unwrap_or_default(),
            media_type: text("media_type").unwrap_or_default(),
            bytes: job.request.get("bytes").and_then(Value::as_u64).unwrap_or_default(),
            document_type: text("document_type"),
            profile: text("profile").unwrap_or_default(),
            settings: settings.map(str::to_owned).collect(),
            submitted_by: job.submitter.clone(),
            submitted_at: job.submitted_at.clone(),
            cancelled_at: job.cancelled_at.clone(),
            outcome: result.as_ref().map(JobOutcome::of),
            sections: Vec::new(),
            decided: None,
        }
    }

    /// Marks it as one whose file is read at the moment, with the page that OCR has come to.
    pub(crate) fn with_reading(self, reading: bool, page: Option<ReadingProgress>) -> Self {
        Job { reading, reading_page: page.filter(|_| reading).map(ReadingPage::from), ..self }
    }

    /// Adds the sections of its file.
    pub(crate) fn with_sections(self, sections: Vec<JobSection>) -> Self {
        Job { sections, ..self }
    }

    /// Adds the review of the document so far.
    pub(crate) fn with_decided(self, decided: Option<Decided>) -> Self {
        Job { decided, ..self }
    }
}
