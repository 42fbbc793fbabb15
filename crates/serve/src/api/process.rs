//! `POST /api/upload/process-v2`: the interface of the reliability loop, by which its callers submit a document and
//! wait for its outcome.

use super::error::{ApiError, ErrorAnswer};
use super::job::JobStatus;
use super::submit::{decode, duplicate_rule, password};
use crate::access::Submitter;
use crate::blocking::on_blocking_thread;
use crate::ingest::FilePassword;
use crate::jobs::{Submission, SubmissionContent, SubmitError};
use crate::request_settings::RequestSettings;
use crate::result::DocumentResult;
use crate::state::Service;
use crate::store::StoredJob;
use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use utoipa::ToSchema;

/// The interval between reads: other processes may finish the document, without notice.
const LOOK: Duration = Duration::from_secs(1);

/// The most iterations that a request may ask for.
const MOST_ITERATIONS: u32 = 100;

/// A document, and how it is to be processed.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ProcessRequest {
    /// The document's bytes, in Base64.
    file_base64: String,
    /// Its media type, such as `text/plain` or `application/pdf`.
    mime_type: String,
    /// The name of its file.
    filename: String,
    /// The password of a PDF that needs one. It is in memory only.
    #[serde(default, deserialize_with = "password")]
    #[schema(value_type = Option<String>, format = Password)]
    password: Option<FilePassword>,
    /// Its type, instead of classifying it.
    document_type_override: Option<String>,
    /// Corrects what is wrong if true; otherwise there is one extraction and its scores. Default: true.
    enable_reliability_loop: Option<bool>,
    /// The overall score that is good enough, from 0 to 1. Default: that of the profile.
    quality_threshold: Option<f64>,
    /// The most candidates. Default: that of the profile.
    max_iterations: Option<u32>,
}

/// The outcome of a document.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ProcessAnswer {
    /// The id by which it is asked for, under `/api/jobs`.
    document_id: String,
    /// The type of the document, given or found.
    classified_type: String,
    /// The data that was extracted; `null` where there is nothing.
    #[schema(value_type = Object)]
    extracted_data: Value,
    /// The outcome of the loop.
    reliability_loop: LoopAnswer,
    /// Warnings for users of the data.
    warnings: Vec<String>,
    /// The time that the request took, in milliseconds.
    processing_time_ms: u64,
}

/// The outcome of the loop.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct LoopAnswer {
    /// `true` if what was wrong was corrected.
    enabled: bool,
    /// The overall score of the selected candidate, from 0 to 1.
    final_score: f64,
    /// Candidates that were assessed.
    iterations: usize,
    /// `true` if the result passed.
    met_threshold: bool,
    /// Each candidate in numbers; only where the loop is enabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    iteration_history: Option<Vec<IterationAnswer>>,
}

/// One candidate in numbers.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct IterationAnswer {
    /// Its number, from 0.
    iteration: usize,
    /// Its overall score, from 0 to 1.
    score: f64,
    /// Its score in each dimension, from 0 to 1.
    #[schema(value_type = Object)]
    scores: Value,
    /// The number of its issues.
    issues: usize,
}

impl ProcessRequest {
    fn settings(&self) -> Result<RequestSettings, ApiError> {
        let mut settings = BTreeMap::new();
        if let Some(threshold) = self.quality_threshold {
            if !(0.0..=1.0).contains(&threshold) {
                return Err(ApiError::bad_request(format!("`qualityThreshold` is {threshold}"))
                    .help("expected a number from 0 to 1"));
            }
            settings.insert("accept.overall".to_owned(), json!(threshold));
        }
        if let Some(most) = self.max_iterations
            && !(1..=MOST_ITERATIONS).contains(&most)
        {
            return Err(ApiError::bad_request(format!("`maxIterations` is {most}"))
                .help(format!("expected a number from 1 to {MOST_ITERATIONS}")));
        }
        let most = if self.is_enabled() { self.max_iterations } else { Some(1) };
        settings.extend(most.map(|most| ("stop.max_iterations".to_owned(), json!(most))));
        Ok(RequestSettings::of_json(&settings).map_err(SubmitError::Setting)?)
    }

    fn is_enabled(&self) -> bool {
        self.enable_reliability_loop.unwrap_or(true)
    }
}

/// Submit a document and wait for its outcome
///
/// The document is a job like any other: a client that stops waiting finds it under `/api/jobs/{documentId}`, and the
/// same request with the same `Idempotency-Key` waits for the same job.
#[utoipa::path(
    post, path = "/api/upload/process-v2", operation_id = "process_document", tag = "reliability loop", request_body = ProcessRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "A key of your own: the same request sent again is the same document")),
    responses(
        (status = 200, description = "What it came to", body = ProcessAnswer),
        (status = 400, description = "What was sent can't be understood", body = ErrorAnswer),
        (status = 409, description = "The file was split into several documents: their results are those of the job", body = ErrorAnswer),
        (status = 413, description = "The document is too large", body = ErrorAnswer),
        (status = 422, description = "The profile or the type can't be used, or the document needs another password", body = ErrorAnswer),
        (status = 429, description = "Too many documents wait; `Retry-After` says when to try again", body = ErrorAnswer),
        (status = 502, description = "There is no result: `error` says why", body = ErrorAnswer),
        (status = 503, description = "The service stops; the document resumes after a restart", body = ErrorAnswer),
    )
)]
pub(super) async fn process(
    Submitter(identity): Submitter,
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
    body: Result<Json<ProcessRequest>, JsonRejection>,
) -> Result<Json<ProcessAnswer>, ApiError> {
    let began = std::time::Instant::now();
    let Json(request) = body?;
    let bytes = decode(&request.file_base64, "fileBase64")?;
    let mut warnings = Vec::new();
    let is_enabled = request.is_enabled();
    let submission = Submission {
        content: SubmissionContent::Bytes(bytes),
        file_name: Some(request.filename.clone()),
        password: request.password.clone(),
        document_type: request.document_type_override.clone(),
        profile: request.settings()?.over(service.settings.profile.clone()),
        submitter: identity.name,
        duplicate_rule: duplicate_rule(&headers)?,
    };
    let taken_by = Arc::clone(&service);
    let accepted = on_blocking_thread(move || taken_by.jobs.submit(submission)).await?;
    let found = accepted.job.request.get("media_type").and_then(Value::as_str).unwrap_or_default();
    if is_other_kind(&request.mime_type, found) {
        warnings.push(format!("the file was sent as another media type than its bytes are ({found})"));
    }
    let (job, outcome) = wait(&service, accepted.job).await?;
    let result = outcome.and_then(|outcome| DocumentResult::deserialize(outcome).ok());
    if job.split.is_some() {
        return Err(ApiError::new(
            StatusCode::CONFLICT,
            "the file holds several documents, and the profile splits such files",
        )
        .help(format!("ask for the results of its sections: `GET /api/jobs/{}/result`", job.id)));
    }
    let Some(result) = result else {
        let why = job.reason.unwrap_or_else(|| "no result".to_owned());
        return Err(ApiError::new(StatusCode::BAD_GATEWAY, why)
            .help(format!("`POST /api/jobs/{}/retry` tries it again", job.id)));
    };
    let elapsed = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(Json(answer(&job, &result, is_enabled, warnings, elapsed)))
}

/// Returns whether the stated media type of a file is plainly wrong. Text has many media types.
fn is_other_kind(said: &str, found: &str) -> bool {
    let said = said.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_text = |media_type: &str| !(media_type.starts_with("image/") || media_type == "application/pdf");
    match (is_text(&said), is_text(found)) {
        (true, true) => false,
        _ => said != found && said != "application/octet-stream",
    }
}

/// Waits until a job is over. If the service stops before, the document resumes when it is back.
async fn wait(service: &Arc<Service>, job: StoredJob) -> Result<(StoredJob, Option<Value>), ApiError> {
    let (mut feed, mut stopping) = (service.feed.subscribe(), service.jobs.stopping());
    let id = job.id;
    loop {
        feed.mark_unchanged();
        let (looked_in, of) = (Arc::clone(service), id.clone());
        let found = on_blocking_thread(move || {
            let Some(job) = looked_in.reading.job(&of)? else { return Ok(None) };
            let outcome = match JobStatus::of(&job).is_over() {
                true => looked_in.reading.outcome(&job.run, &job.document_id)?,
                false => None,
            };
            Ok::<_, ApiError>(Some((job, outcome)))
        })
        .await?;
        let Some((job, outcome)) = found else {
            return Err(ApiError::not_found("the document was removed while it was processed"));
        };
        if JobStatus::of(&job).is_over() {
            return Ok((job, outcome));
        }
        let stops = async { stopping.wait_for(|stop| *stop).await.map(drop) };
        tokio::select! {
            _ = stops => {
                return Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, format!("the service stops; the document `{id}` is kept"))
                    .help("send the same request with the same `Idempotency-Key`, or ask for `/api/jobs/{documentId}`, when it is back")
                    .retry_after(10));
            }
            _ = feed.changed() => {}
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

fn answer(
    job: &StoredJob,
    result: &DocumentResult,
    is_enabled: bool,
    mut warnings: Vec<String>,
    processing_time_ms: u64,
) -> ProcessAnswer {
    warnings.extend(result.warnings.iter().cloned());
    warnings.extend(result.message.iter().cloned());
    if result.review && result.message.is_none() {
        warnings.push("the result needs review".to_owned());
    }
    warnings.extend(result.detail.iter().cloned());
    let history = || {
        result.iterations.iter().map(|one| IterationAnswer {
            iteration: one.iteration,
            score: one.overall,
            scores: serde_json::to_value(&one.scores).unwrap_or_default(),
            issues: one.critical + one.major + one.minor,
        })
    };
    ProcessAnswer {
        document_id: job.id.clone(),
        classified_type: result.document_type.clone(),
        extracted_data: result.best_extraction.as_deref().cloned().unwrap_or_default(),
        reliability_loop: LoopAnswer {
            enabled: is_enabled,
            final_score: result.best_validation.as_ref().map_or(0.0, |validation| validation.overall),
            iterations: result.iteration_count,
            met_threshold: result.final_status.passes(),
            iteration_history: is_enabled.then(|| history().collect()),
        },
        warnings,
        processing_time_ms,
    }
}
