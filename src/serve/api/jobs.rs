//! Documents: submitted, followed, cancelled, tried again, explained.

use super::error::{ApiError, ErrorAnswer};
use super::job::{Job, JobStatus};
use crate::explain::run::{Record, Story};
use crate::serve::access::{Identity, Role, Submitter};
use crate::serve::blocking::on_blocking_thread;
use crate::serve::decided::Decided;
use crate::serve::jobs::{Accepted, Content, Submission, SubmitError};
use crate::serve::profiles::ProfileRequest;
use crate::serve::state::Service;
use crate::store::StoredJob;
use crate::value::sanitize_line;
use axum::Json;
use axum::extract::multipart::{MultipartError, MultipartRejection};
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{Multipart, Path, Query, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// Most jobs of one page.
const MOST_LISTED: u32 = 200;

/// Most documents of one upload.
const MOST_FILES: usize = 100;

/// Longest idempotency key, in bytes.
const LONGEST_KEY: usize = 255;

/// In how many seconds a document that was not taken may be submitted again.
const RETRY_AFTER: u32 = 10;

/// A document to be submitted: exactly one of `text`, `file_base64` and `path`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewJobRequest {
    /// The document's text.
    text: Option<String>,
    /// The document's bytes, in Base64.
    file_base64: Option<String>,
    /// A file in one of the folders that the service was started with.
    path: Option<String>,
    /// What the document is called.
    file_name: Option<String>,
    /// Its type, instead of classifying it.
    document_type: Option<String>,
    /// The profile that decides, instead of the service's own.
    profile: Option<String>,
    /// Laid over the profile: keys under `accept`, `stop` and `variables`, such as `{"accept.overall": 0.9}`.
    #[serde(default)]
    #[schema(value_type = Object)]
    settings: BTreeMap<String, Value>,
}

impl NewJobRequest {
    fn content(&mut self) -> Result<Content, ApiError> {
        match (self.text.take(), self.file_base64.take(), self.path.take()) {
            (Some(text), None, None) => Ok(Content::Bytes(text.into_bytes())),
            (None, Some(encoded), None) => decode(&encoded, "file_base64").map(Content::Bytes),
            (None, None, Some(path)) => Ok(Content::Path(PathBuf::from(path))),
            _ => Err(ApiError::bad_request("expected exactly one of `text`, `file_base64` and `path`").help(
                "send the document's text, its bytes in Base64, or the path of a file in an allowed folder",
            )),
        }
    }

    fn settings(&self) -> Vec<String> {
        let written =
            |value: &Value| value.as_str().map_or_else(|| value.to_string(), |text| format!("{text:?}"));
        self.settings.iter().map(|(key, value)| format!("{key}={}", written(value))).collect()
    }
}

/// Bytes that were sent in Base64.
pub(super) fn decode(encoded: &str, key: &str) -> Result<Vec<u8>, ApiError> {
    // Some clients break lines.
    let whole: String = encoded.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    STANDARD.decode(whole).map_err(|error| {
        ApiError::bad_request(format!("`{key}` is not Base64: {error}"))
            .help("encode the bytes of the file as RFC 4648 says, with padding")
    })
}

/// The documents of one answer.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Jobs {
    /// The jobs, the latest first.
    jobs: Vec<Job>,
    /// What to send as `before` for those that follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// The files of a form.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Uploaded {
    /// Those that were taken, in their order.
    jobs: Vec<Job>,
    /// Those that were not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refused: Vec<RefusedFile>,
}

/// A file that was not taken.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(in crate::serve) struct RefusedFile {
    /// What it is called.
    pub(in crate::serve) file_name: String,
    /// What is wrong with it.
    pub(in crate::serve) error: String,
}

/// What became of the files of a form.
pub(in crate::serve) struct TakenFiles {
    /// Those that were taken.
    pub(in crate::serve) jobs: Vec<Accepted>,
    /// Those that were not, each with its reason.
    pub(in crate::serve) refused: Vec<(String, ApiError)>,
}

impl TakenFiles {
    /// Those that were not taken.
    pub(in crate::serve) fn refused(&self) -> Vec<RefusedFile> {
        let refused = self.refused.iter();
        refused
            .map(|(name, why)| RefusedFile { file_name: name.clone(), error: why.message().to_owned() })
            .collect()
    }
}

/// Which jobs are meant.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Page {
    /// Only those before this job.
    before: Option<String>,
    /// At most so many.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
}

/// Submit a document
///
/// When this is answered the document is on the disk and in the queue. With `Idempotency-Key` the same submission sent twice is one job.
#[utoipa::path(
    post, path = "/api/jobs", operation_id = "submit_document", tag = "jobs", request_body = NewJobRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "A key of your own: the same submission sent again is the same job")),
    responses(
        (status = 202, description = "It is in the queue", body = Job),
        (status = 200, description = "The same was submitted before", body = Job),
        (status = 400, description = "What was sent can't be understood", body = ErrorAnswer),
        (status = 413, description = "The document is too large", body = ErrorAnswer),
        (status = 404, description = "There is no such profile", body = ErrorAnswer),
        (status = 422, description = "The profile, the type or a setting can't be used, or the key was used for another document", body = ErrorAnswer),
        (status = 429, description = "Too many documents wait; `Retry-After` says when to try again", body = ErrorAnswer),
    )
)]
pub(super) async fn submit(
    Submitter(identity): Submitter,
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
    body: Result<Json<NewJobRequest>, JsonRejection>,
) -> Result<Response, ApiError> {
    let Json(mut request) = body?;
    let submission = Submission {
        content: request.content()?,
        file_name: request.file_name.take(),
        profile: ProfileRequest {
            name: request.profile.take().unwrap_or_else(|| service.settings.profile.clone()),
            settings: request.settings(),
        },
        document_type: request.document_type.take(),
        submitter: identity.name,
        idempotency_key: idempotency_key(&headers)?,
    };
    let accepted = on_blocking_thread(move || service.jobs.submit(submission)).await?;
    Ok(answer(&accepted))
}

fn answer(accepted: &Accepted) -> Response {
    let job = Job::of(&accepted.job, None);
    let status = if accepted.is_known { StatusCode::OK } else { StatusCode::ACCEPTED };
    let location = format!("/api/jobs/{}", job.id);
    let mut response = (status, [(header::LOCATION, location)], Json(job)).into_response();
    if accepted.is_known {
        let name = HeaderName::from_static("idempotent-replayed");
        response.headers_mut().insert(name, HeaderValue::from_static("true"));
    }
    response
}

/// The submitter's own key.
pub(super) fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let Some(key) = headers.get("idempotency-key") else { return Ok(None) };
    match key.to_str() {
        Ok(key) if !key.is_empty() && key.len() <= LONGEST_KEY => Ok(Some(key.to_owned())),
        _ => Err(ApiError::bad_request("`Idempotency-Key` must have 1 to 255 characters of ASCII")),
    }
}

/// The parts of a form with files.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes the form, which is read part by part")]
pub(super) struct UploadForm {
    /// The profile that decides, for the files that follow.
    profile: Option<String>,
    /// The type of the files that follow, instead of classifying each.
    document_type: Option<String>,
    /// Laid over the profile: `accept.overall=0.9`.
    setting: Option<Vec<String>>,
    /// The documents.
    #[schema(value_type = Vec<String>, format = Binary)]
    file: Vec<Vec<u8>>,
}

/// Submit files
///
/// A form (`multipart/form-data`) with one or more parts `file`; `profile`, `document_type` and `setting` (`KEY=VALUE`, repeatable) before
/// them are for all files that follow. A file that is refused keeps none of the others; where all are, the first says why.
#[utoipa::path(
    post, path = "/api/uploads", operation_id = "upload_files", tag = "jobs",
    request_body(content = UploadForm, content_type = "multipart/form-data"),
    responses(
        (status = 202, description = "They are in the queue, but for those that were refused", body = Uploaded),
        (status = 400, description = "What was sent can't be understood", body = ErrorAnswer),
        (status = 413, description = "A document is too large", body = ErrorAnswer),
        (status = 404, description = "There is no such profile", body = ErrorAnswer),
        (status = 422, description = "The profile, the type or a setting can't be used", body = ErrorAnswer),
        (status = 429, description = "Too many documents wait", body = ErrorAnswer),
    )
)]
pub(super) async fn upload(
    Submitter(identity): Submitter,
    State(service): State<Arc<Service>>,
    form: Result<Multipart, MultipartRejection>,
) -> Result<(StatusCode, Json<Uploaded>), ApiError> {
    let form = form?;
    let taken = take_files(&service, &identity, form).await?;
    if let ([], Some((_, why))) = (taken.jobs.as_slice(), taken.refused.first()) {
        return Err(why.clone());
    }
    let jobs = taken.jobs.iter().map(|accepted| Job::of(&accepted.job, None)).collect();
    Ok((StatusCode::ACCEPTED, Json(Uploaded { jobs, refused: taken.refused() })))
}

/// Takes in the files of a form, each by itself.
///
/// # Errors
/// What is wrong with the form.
pub(in crate::serve) async fn take_files(
    service: &Arc<Service>,
    identity: &Identity,
    mut form: Multipart,
) -> Result<TakenFiles, ApiError> {
    let (mut profile, mut document_type, mut settings) = (None, None, Vec::new());
    let mut taken = TakenFiles { jobs: Vec::new(), refused: Vec::new() };
    while let Some(part) = form.next_field().await? {
        let name = part.name().unwrap_or_default().to_owned();
        match name.as_str() {
            "profile" => profile = Some(part.text().await?).filter(|text| !text.is_empty()),
            "document_type" => document_type = Some(part.text().await?).filter(|text| !text.is_empty()),
            "setting" => settings.push(part.text().await?),
            "file" | "text" => {
                let file_name = part.file_name().map(str::to_owned);
                let bytes = part.bytes().await?.to_vec();
                if bytes.is_empty() && (name == "text" || file_name.as_deref().is_none_or(str::is_empty)) {
                    // What browsers send for a field that was left empty.
                    continue;
                }
                if taken.jobs.len() + taken.refused.len() == MOST_FILES {
                    return Err(ApiError::bad_request(format!("a form holds at most {MOST_FILES} files"))
                        .help("submit the others with another request"));
                }
                let submission = Submission {
                    content: Content::Bytes(bytes),
                    file_name,
                    document_type: document_type.clone(),
                    profile: ProfileRequest {
                        name: profile.clone().unwrap_or_else(|| service.settings.profile.clone()),
                        settings: settings.clone(),
                    },
                    submitter: identity.name.clone(),
                    idempotency_key: None,
                };
                let called = submission.file_name.clone().unwrap_or_else(|| "the pasted text".to_owned());
                let service = Arc::clone(service);
                match on_blocking_thread(move || service.jobs.submit(submission)).await {
                    Ok(accepted) => taken.jobs.push(accepted),
                    Err(why) => taken.refused.push((called, why)),
                }
            }
            other => {
                return Err(ApiError::bad_request(format!("the form has a part `{}`", sanitize_line(other)))
                    .help("expected `file`, `text`, `profile`, `document_type` and `setting`"));
            }
        }
    }
    if taken.jobs.is_empty() && taken.refused.is_empty() {
        return Err(ApiError::bad_request("the form holds no document").help("send it as a part `file`"));
    }
    Ok(taken)
}

/// Jobs, the latest first
///
/// Those of the token; for a reviewer everybody's.
#[utoipa::path(
    get, path = "/api/jobs", operation_id = "list_jobs", tag = "jobs", params(Page),
    responses((status = 200, description = "The jobs", body = Jobs), (status = 404, description = "`before` is no job", body = ErrorAnswer))
)]
pub(super) async fn list(
    Submitter(identity): Submitter,
    State(service): State<Arc<Service>>,
    page: Result<Query<Page>, QueryRejection>,
) -> Result<Json<Jobs>, ApiError> {
    let Query(page) = page?;
    on_blocking_thread(move || latest_jobs(&service, &identity, page)).await.map(Json)
}

fn latest_jobs(service: &Service, identity: &Identity, page: Page) -> Result<Jobs, ApiError> {
    let before = page.before.as_deref().map(|id| find(service, identity, id)).transpose()?;
    let most = page.limit.unwrap_or(50);
    if !(1..=MOST_LISTED).contains(&most) {
        return Err(ApiError::bad_request(format!("`limit` is {most}")).help(format!(
            "expected a number from 1 to {MOST_LISTED}; `before` asks for those that follow"
        )));
    }
    let own = (!identity.may(Role::Review)).then_some(identity.name.as_str());
    let found = service.reading.jobs_before(before.map(|job| job.document), own, most)?;
    let is_full = found.len() == usize::try_from(most).unwrap_or(usize::MAX);
    let next = found.last().filter(|_| is_full).map(|job| job.id.clone());
    let jobs = found.iter().map(|job| with_outcome(service, job)).collect::<Result<_, _>>()?;
    Ok(Jobs { jobs, next })
}

/// The latest jobs that somebody may see.
pub(in crate::serve) fn recent(
    service: &Service,
    identity: &Identity,
    most: u32,
) -> Result<Vec<Job>, ApiError> {
    latest_jobs(service, identity, Page { before: None, limit: Some(most) }).map(|found| found.jobs)
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
    Ok(Job::of(job, outcome.as_ref()).with_decided(decided))
}

/// A job that somebody may see. What is another's is not told from what is not there.
pub(in crate::serve) fn find(
    service: &Service,
    identity: &Identity,
    id: &str,
) -> Result<StoredJob, ApiError> {
    let found = service.reading.job(id)?;
    let found = found.filter(|job| identity.may(Role::Review) || job.submitter == identity.name);
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
/// What `loopctl run` writes of the document: the extraction that was selected, its scores and issues, every iteration, cost.
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
        let outcome = service.reading.outcome(&job.run, &job.document_id)?;
        outcome.filter(|_| JobStatus::of(&job).is_over()).ok_or_else(|| without_result(&job))
    };
    on_blocking_thread(found).await.map(Json)
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
/// What is under way is given up. A job that is over stays as it is.
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
/// One that failed or was cancelled goes on where it was; answers that were paid for are not asked for again.
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

/// Why a job went as it did
///
/// The story that `loopctl explain` tells: each candidate with its scores, what was asked next and why it stopped.
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
        let gone = || ApiError::not_found("the job's document is not in the journal any more");
        let run = service.reading.run(&job.run)?.ok_or_else(gone)?;
        let (document, outcome) = service.reading.document(&job.run, &job.document_id)?.ok_or_else(gone)?;
        let events = service.reading.events(&job.run, &job.document_id)?;
        let record = Record::of_journal(
            &run,
            &document.record.id,
            &document.record.document_type,
            &events,
            outcome.as_ref(),
        );
        serde_json::to_value(Story::of(&record))
            .map_err(|_| ApiError::broken("the story can't be written as JSON"))
    };
    on_blocking_thread(told).await.map(Json)
}

impl From<SubmitError> for ApiError {
    fn from(error: SubmitError) -> Self {
        let said = error.to_string();
        match error {
            SubmitError::Empty => ApiError::bad_request(said),
            SubmitError::TooLarge { .. } => ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, said)
                .help("start the service with a larger `--most-mb`, at most 64"),
            SubmitError::Path { .. } => ApiError::new(StatusCode::FORBIDDEN, said)
                .help("name a file below a folder that the service was started with (`--folder DIR`)"),
            SubmitError::UnknownType { .. } => {
                unprocessable(said).help("leave `document_type` out to have it classified")
            }
            SubmitError::UnknownProfile { guess, .. } => ApiError::not_found(said).help(match guess {
                Some(guess) => format!("did you mean `{guess}`?"),
                None => "`GET /api/profiles` names those that there are".to_owned(),
            }),
            SubmitError::Setting(_) => {
                unprocessable(said).help("keys under `accept`, `stop` and `variables` can be set")
            }
            SubmitError::Profile(_) => unprocessable(said).help(
                "`GET /api/profiles` names those that there are; `loopctl check` says what is wrong with one",
            ),
            SubmitError::Provider(error) => {
                let help = error.help();
                ApiError::new(StatusCode::SERVICE_UNAVAILABLE, said).help(help).retry_after(60)
            }
            SubmitError::TooManySettings { .. } | SubmitError::Full { .. } => {
                ApiError::new(StatusCode::TOO_MANY_REQUESTS, said)
                    .help("submit it again later")
                    .retry_after(RETRY_AFTER)
            }
            SubmitError::KeyTaken => unprocessable(said).help("use another key for another document"),
            SubmitError::Keep(error) => {
                tracing::error!(event = "upload_failed", %error);
                ApiError::new(
                    StatusCode::INSUFFICIENT_STORAGE,
                    "the document can't be kept: the folder of uploads can't be written to",
                )
                .retry_after(60)
            }
            SubmitError::Store(error) => ApiError::from(error),
        }
    }
}

fn unprocessable(message: String) -> ApiError {
    ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, message)
}

impl From<JsonRejection> for ApiError {
    fn from(rejection: JsonRejection) -> Self {
        ApiError::new(rejection.status(), sanitize_line(&rejection.body_text()))
            .help("send JSON as `/api/openapi.json` describes it, with `Content-Type: application/json`")
    }
}

impl From<MultipartRejection> for ApiError {
    fn from(rejection: MultipartRejection) -> Self {
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        ApiError::new(status, sanitize_line(&rejection.body_text()))
            .help("send a form as `multipart/form-data` with its boundary")
    }
}

impl From<QueryRejection> for ApiError {
    fn from(rejection: QueryRejection) -> Self {
        ApiError::new(rejection.status(), sanitize_line(&rejection.body_text()))
            .help("`/api/openapi.json` describes the parameters")
    }
}

impl From<MultipartError> for ApiError {
    fn from(error: MultipartError) -> Self {
        ApiError::new(error.status(), sanitize_line(&error.body_text()))
    }
}
