//! Jobs: listed, followed, cancelled, tried again, explained.

use super::error::{ApiError, ErrorAnswer};
use super::job::{Job, JobSection, JobStatus};
use crate::access::{AccessRole, Identity, Submitter};
use crate::blocking::on_blocking_thread;
use crate::decided::Decided;
use crate::explain::run::{Record, Story};
use crate::journals::merged_file;
use crate::state::Service;
use crate::store::{RunId, SplitRecord, StoredJob};
use crate::value::{DocumentId, sanitize_line};
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// The most jobs of one page.
const MOST_LISTED: u32 = 200;

/// The jobs of one answer.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Jobs {
    /// The jobs, the latest first.
    jobs: Vec<Job>,
    /// The value of `before` that asks for those that follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// The jobs that are asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct JobsQuery {
    /// Only those before this job.
    before: Option<String>,
    /// At most so many.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
}

/// Jobs, the latest first
///
/// Those of the token; for a reviewer, everyone's.
#[utoipa::path(
    get, path = "/api/jobs", operation_id = "list_jobs", tag = "jobs", params(JobsQuery),
    responses((status = 200, description = "The jobs", body = Jobs), (status = 404, description = "`before` is not a job", body = ErrorAnswer))
)]
pub(super) async fn list(
    Submitter(identity): Submitter,
    State(service): State<Arc<Service>>,
    page: Result<Query<JobsQuery>, QueryRejection>,
) -> Result<Json<Jobs>, ApiError> {
    let Query(page) = page?;
    on_blocking_thread(move || latest_jobs(&service, &identity, page)).await.map(Json)
}

fn latest_jobs(service: &Service, identity: &Identity, page: JobsQuery) -> Result<Jobs, ApiError> {
    let before = page.before.as_deref().map(|id| find(service, identity, id)).transpose()?;
    let most = page.limit.unwrap_or(50);
    if !(1..=MOST_LISTED).contains(&most) {
        return Err(ApiError::bad_request(format!("`limit` is {most}")).help(format!(
            "expected a number from 1 to {MOST_LISTED}; `before` asks for those that follow"
        )));
    }
    let own = (!identity.may(AccessRole::Review)).then_some(identity.name.as_str());
    let found = service.reading.jobs_before(before.map(|job| job.document), own, most)?;
    let is_full = found.len() == usize::try_from(most).unwrap_or(usize::MAX);
    let next = found.last().filter(|_| is_full).map(|job| job.id.clone());
    let jobs = found.iter().map(|job| with_outcome(service, job)).collect::<Result<_, _>>()?;
    Ok(Jobs { jobs, next })
}

/// The latest jobs that `identity` may see.
pub(crate) fn recent(service: &Service, identity: &Identity, most: u32) -> Result<Vec<Job>, ApiError> {
    latest_jobs(service, identity, JobsQuery { before: None, limit: Some(most) }).map(|found| found.jobs)
}

fn with_outcome(service: &Service, job: &StoredJob) -> Result<Job, ApiError> {
    let outcome = match JobStatus::of(job).is_over() {
        true => service.reading.outcome(&job.run, &job.document_id)?,
        false => None,
    };
    let decided = match &outcome {
        Some(_) => Decided::of(&service.reading, &job.run, &job.document_id)?,
        None => None,
    };
    let (reading, page) =
        (is_being_read(service, job)?, service.jobs.reading_page(&job.run, &job.document_id));
    let shown = Job::of(job, outcome.as_ref()).with_reading(reading, page);
    Ok(shown.with_sections(sections_of(service, job)?).with_decided(decided))
}

/// The sections of a job's file; none if it was not split.
fn sections_of(service: &Service, job: &StoredJob) -> Result<Vec<JobSection>, ApiError> {
    let sections = job.split.iter().flat_map(|split| &split.sections);
    let shown = |section| {
        let figures = service.reading.document_figures(&job.run, section)?;
        Ok(JobSection::of(section, figures.as_ref()))
    };
    sections.map(shown).collect()
}

/// Returns whether the file of a job is read at the moment: what happens to a document begins when it has been.
pub(super) fn is_being_read(service: &Service, job: &StoredJob) -> Result<bool, ApiError> {
    Ok(JobStatus::of(job) == JobStatus::Running
        && service.reading.events_after(job.document, None, 1)?.is_empty())
}

/// A job that `identity` may see. Another's is not told apart from one that does not exist.
pub(crate) fn find(service: &Service, identity: &Identity, id: &str) -> Result<StoredJob, ApiError> {
    let found = service.reading.job(id)?;
    let found = found.filter(|job| identity.may(AccessRole::Review) || job.submitter == identity.name);
    found.ok_or_else(|| {
        ApiError::not_found(format!("there is no job `{}`", sanitize_line(id)))
            .help("`GET /api/jobs` lists those that your token may see")
    })
}

/// A job
#[utoipa::path(
    get, path = "/api/jobs/{job}", operation_id = "get_job", tag = "jobs", params(("job" = String, Path, description = "Its id")),
    responses((status = 200, description = "The job", body = Job), (status = 404, description = "There is no such job", body = ErrorAnswer))
)]
pub(super) async fn one(
    Submitter(identity): Submitter,
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
) -> Result<Json<Job>, ApiError> {
    let job = move || with_outcome(&service, &find(&service, &identity, &id)?);
    on_blocking_thread(job).await.map(Json)
}

/// The result of a job
///
/// The result that `loopctl run` writes: the selected extraction, its scores and issues, every iteration, cost. Of a file
/// that was split, the merged result, with those of its sections as `results`.
#[utoipa::path(
    get, path = "/api/jobs/{job}/result", operation_id = "get_result", tag = "jobs", params(("job" = String, Path, description = "Its id")),
    responses(
        (status = 200, description = "The result", body = Object),
        (status = 404, description = "There is no such job", body = ErrorAnswer),
        (status = 409, description = "It has no result, or none yet", body = ErrorAnswer),
    )
)]
pub(super) async fn result(
    Submitter(identity): Submitter,
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let found = move || {
        let job = find(&service, &identity, &id)?;
        let outcome = match &job.split {
            Some(split) => Some(merged_result(&service, &job, split)?),
            None => service.reading.outcome(&job.run, &job.document_id)?,
        };
        outcome.filter(|_| JobStatus::of(&job).is_over()).ok_or_else(|| without_result(&job))
    };
    on_blocking_thread(found).await.map(Json)
}

/// The merged result of a file that was split, with those of its sections.
fn merged_result(service: &Service, job: &StoredJob, split: &SplitRecord) -> Result<Value, ApiError> {
    let merged = merged_file(&service.reading, &job.run, job.document_id.clone(), split.clone())?;
    let outcomes = split.sections.iter().map(|section| service.reading.outcome(&job.run, section));
    let results: Vec<Value> = outcomes.filter_map(Result::transpose).collect::<Result<_, _>>()?;
    let mut merged =
        serde_json::to_value(merged).map_err(|_| ApiError::broken("the result can't be written as JSON"))?;
    if let Value::Object(members) = &mut merged {
        members.insert("results".to_owned(), Value::Array(results));
    }
    Ok(merged)
}

fn without_result(job: &StoredJob) -> ApiError {
    let status = JobStatus::of(job);
    let error = ApiError::new(
        StatusCode::CONFLICT,
        match &job.reason {
            Some(reason) => format!("the job has no result: {reason}"),
            None => format!("the job is {} and has no result", status.as_str()),
        },
    );
    if status.is_over() {
        error.help("`POST /api/jobs/{job}/retry` tries it again")
    } else {
        error.help("follow `/api/jobs/{job}/events`, or ask again later").retry_after(2)
    }
}

/// Cancel a job
///
/// Work in flight is given up. A job that is over stays as it is.
#[utoipa::path(
    post, path = "/api/jobs/{job}/cancel", operation_id = "cancel_job", tag = "jobs", params(("job" = String, Path, description = "Its id")),
    responses((status = 200, description = "The job", body = Job), (status = 404, description = "There is no such job", body = ErrorAnswer))
)]
pub(super) async fn cancel(
    Submitter(identity): Submitter,
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
) -> Result<Json<Job>, ApiError> {
    let cancelled = move || {
        let job = find(&service, &identity, &id)?;
        let cancelled = service.jobs.cancel(&job.id, &identity.name)?;
        with_outcome(&service, cancelled.as_ref().unwrap_or(&job))
    };
    on_blocking_thread(cancelled).await.map(Json)
}

/// Try a job again
///
/// One that failed or was cancelled resumes where it was; answers that were paid for are not asked for again.
#[utoipa::path(
    post, path = "/api/jobs/{job}/retry", operation_id = "retry_job", tag = "jobs", params(("job" = String, Path, description = "Its id")),
    responses(
        (status = 200, description = "The job", body = Job),
        (status = 404, description = "There is no such job", body = ErrorAnswer),
        (status = 409, description = "It is not over, or has its result", body = ErrorAnswer),
    )
)]
pub(super) async fn retry(
    Submitter(identity): Submitter,
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
) -> Result<Json<Job>, ApiError> {
    let again = move || {
        let job = find(&service, &identity, &id)?;
        if !service.jobs.retry(&job)? {
            let message =
                format!("the job is {}, so there is nothing to try again", JobStatus::of(&job).as_str());
            return Err(ApiError::new(StatusCode::CONFLICT, message)
                .help("submit the document once more, with another idempotency key, to have it done anew"));
        }
        with_outcome(&service, &find(&service, &identity, &id)?)
    };
    on_blocking_thread(again).await.map(Json)
}

/// The explanation of a job
///
/// The story that `loopctl explain` tells: each candidate with its scores, what was asked next and why it stopped. Of a file
/// that was split, those of its sections as `sections`.
#[utoipa::path(
    get, path = "/api/jobs/{job}/explanation", operation_id = "explain_job", tag = "jobs", params(("job" = String, Path, description = "Its id")),
    responses((status = 200, description = "The story", body = Object), (status = 404, description = "There is no such job", body = ErrorAnswer))
)]
pub(super) async fn explanation(
    Submitter(identity): Submitter,
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let told = move || {
        let job = find(&service, &identity, &id)?;
        let Some(split) = &job.split else { return story(&service, &job.run, &job.document_id) };
        let stories = split.sections.iter().map(|section| story(&service, &job.run, section));
        Ok(json!({ "sections": stories.collect::<Result<Vec<_>, ApiError>>()? }))
    };
    on_blocking_thread(told).await.map(Json)
}

/// The story of a document.
fn story(service: &Service, run: &RunId, id: &DocumentId) -> Result<Value, ApiError> {
    let gone = || ApiError::not_found("the job's document is not in the journal any more");
    let stored = service.reading.run(run)?.ok_or_else(gone)?;
    let (document, outcome) = service.reading.document(run, id)?.ok_or_else(gone)?;
    let events = service.reading.events(run, id)?;
    let record = Record::of_journal(
        &stored,
        &document.record.id,
        &document.record.document_type,
        &events,
        outcome.as_ref(),
    );
    serde_json::to_value(Story::of(&record))
        .map_err(|_| ApiError::broken("the story can't be written as JSON"))
}
