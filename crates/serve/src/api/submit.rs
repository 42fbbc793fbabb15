//! Documents that are submitted: one as JSON, several as a form.

use super::error::{ApiError, ErrorAnswer};
use super::job::Job;
use crate::access::{Identity, Submitter};
use crate::blocking::on_blocking_thread;
use crate::ingest::FilePassword;
use crate::jobs::{AcceptedJob, DuplicateRule, Submission, SubmissionContent, SubmitError};
use crate::request_settings::RequestSettings;
use crate::state::Service;
use crate::value::sanitize_line;
use axum::Json;
use axum::extract::multipart::MultipartRejection;
use axum::extract::rejection::JsonRejection;
use axum::extract::{Multipart, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use utoipa::ToSchema;

/// The most documents of one upload.
pub(crate) const MOST_FILES: usize = 100;

/// The longest idempotency key, in bytes.
const LONGEST_KEY: usize = 255;

/// The seconds after which a document that was not taken may be submitted again.
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
    /// The name of the document.
    file_name: Option<String>,
    /// The password of a PDF that needs one. It is in memory only: after a restart of the service, such a document that
    /// was not read yet ends as `failed`, and is submitted again.
    #[serde(default, deserialize_with = "password")]
    #[schema(value_type = Option<String>, format = Password)]
    password: Option<FilePassword>,
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
    fn content(&mut self) -> Result<SubmissionContent, ApiError> {
        match (self.text.take(), self.file_base64.take(), self.path.take()) {
            (Some(text), None, None) => Ok(SubmissionContent::Bytes(text.into_bytes())),
            (None, Some(encoded), None) => decode(&encoded, "file_base64").map(SubmissionContent::Bytes),
            (None, None, Some(path)) => Ok(SubmissionContent::Path(PathBuf::from(path))),
            _ => Err(ApiError::bad_request("expected exactly one of `text`, `file_base64` and `path`").help(
                "send the document's text, its bytes in Base64, or the path of a file in an allowed folder",
            )),
        }
    }
}

/// The password of a document, if it has one. What is no text may be meant as one all the same, so no message repeats it.
pub(super) fn password<'de, D: Deserializer<'de>>(given: D) -> Result<Option<FilePassword>, D::Error> {
    let given = Option::<String>::deserialize(given).map_err(|_| D::Error::custom("a password is a text"))?;
    given.map_or(Ok(None), FilePassword::given).map_err(D::Error::custom)
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
pub(crate) struct RefusedFile {
    /// Its name.
    pub(crate) file_name: String,
    /// A description of what is wrong with it.
    pub(crate) error: String,
}

/// The outcome for the files of a form.
pub(crate) struct TakenFiles {
    /// Those that were taken.
    pub(crate) jobs: Vec<AcceptedJob>,
    /// Those that were not, each with its reason.
    pub(crate) refused: Vec<(String, ApiError)>,
}

impl TakenFiles {
    /// Those that were not taken.
    pub(crate) fn refused(&self) -> Vec<RefusedFile> {
        let refused = self.refused.iter();
        refused
            .map(|(name, why)| RefusedFile { file_name: name.clone(), error: why.message().to_owned() })
            .collect()
    }
}

/// Submit a document
///
/// Once this is answered, the document is on the disk and in the queue. With `Idempotency-Key` the same submission sent
/// twice is one job.
#[utoipa::path(
    post, path = "/api/jobs", operation_id = "submit_document", tag = "jobs", request_body = NewJobRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "A key of your own: the same submission sent again is the same job")),
    responses(
        (status = 202, description = "It is in the queue", body = Job),
        (status = 200, description = "The same was submitted before", body = Job),
        (status = 400, description = "What was sent can't be understood", body = ErrorAnswer),
        (status = 413, description = "The document is too large", body = ErrorAnswer),
        (status = 404, description = "There is no such profile", body = ErrorAnswer),
        (status = 422, description = "The profile, the type or a setting can't be used, the document needs another password, or the key was used for another document", body = ErrorAnswer),
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
    let settings = RequestSettings::of_json(&request.settings).map_err(SubmitError::Setting)?;
    let profile = request.profile.take().unwrap_or_else(|| service.settings.profile.clone());
    let submission = Submission {
        content: request.content()?,
        file_name: request.file_name.take(),
        password: request.password.take(),
        profile: settings.over(profile),
        document_type: request.document_type.take(),
        submitter: identity.name,
        duplicate_rule: duplicate_rule(&headers)?,
    };
    let accepted = on_blocking_thread(move || service.jobs.submit(submission)).await?;
    Ok(answer(&accepted))
}

fn answer(accepted: &AcceptedJob) -> Response {
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

/// The rule for duplicates: by the submitter's own key, if there is one.
pub(super) fn duplicate_rule(headers: &HeaderMap) -> Result<DuplicateRule, ApiError> {
    let Some(key) = headers.get("idempotency-key") else { return Ok(DuplicateRule::Never) };
    match key.to_str() {
        Ok(key) if !key.is_empty() && key.len() <= LONGEST_KEY => Ok(DuplicateRule::Key(key.to_owned())),
        _ => Err(ApiError::bad_request("`Idempotency-Key` must have 1 to 255 ASCII characters")),
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
    /// The password of the files that follow, of those that need one. It is in memory only.
    #[schema(format = Password)]
    password: Option<String>,
    /// The documents.
    #[schema(value_type = Vec<String>, format = Binary)]
    file: Vec<Vec<u8>>,
}

/// Submit files
///
/// A form (`multipart/form-data`) with one or more parts `file`; `profile`, `document_type`, `password` and `setting`
/// (`KEY=VALUE`, repeatable) before them are for all files that follow. At most 100 files: of a form with more, or with a
/// part that is none of these, none is taken. A refused file does not affect the others; if all are refused, the error is that of
/// the first.
#[utoipa::path(
    post, path = "/api/uploads", operation_id = "upload_files", tag = "jobs",
    request_body(content = UploadForm, content_type = "multipart/form-data"),
    responses(
        (status = 202, description = "They are in the queue, but for those that were refused", body = Uploaded),
        (status = 400, description = "What was sent can't be understood", body = ErrorAnswer),
        (status = 413, description = "A document is too large", body = ErrorAnswer),
        (status = 404, description = "There is no such profile", body = ErrorAnswer),
        (status = 422, description = "The profile, the type or a setting can't be used, or the documents need another password", body = ErrorAnswer),
        (status = 429, description = "Too many documents wait", body = ErrorAnswer),
    )
)]
pub(super) async fn upload(
    Submitter(identity): Submitter,
    State(service): State<Arc<Service>>,
    form: Result<Multipart, MultipartRejection>,
) -> Result<(StatusCode, Json<Uploaded>), ApiError> {
    let form = form?;
    let taken = take_files(&service, &identity, form, DuplicateRule::Never).await?;
    if let ([], Some((_, why))) = (taken.jobs.as_slice(), taken.refused.first()) {
        return Err(why.clone());
    }
    let jobs = taken.jobs.iter().map(|accepted| Job::of(&accepted.job, None)).collect();
    Ok((StatusCode::ACCEPTED, Json(Uploaded { jobs, refused: taken.refused() })))
}

/// Takes in the files of a form: `duplicate_rule` says when one is an existing job, unless the form asks for it `again`. The
/// form is read to its end first, so that one that can't be taken leaves nothing; of one that can, a refused file does
/// not affect the others.
///
/// # Errors
/// Those of the form, of which nothing is taken then.
pub(crate) async fn take_files(
    service: &Arc<Service>,
    identity: &Identity,
    form: Multipart,
    duplicate_rule: DuplicateRule,
) -> Result<TakenFiles, ApiError> {
    let submissions = read_form(service, identity, form, duplicate_rule).await?;
    let mut taken = TakenFiles { jobs: Vec::new(), refused: Vec::new() };
    for submission in submissions {
        let called = submission.file_name.clone().unwrap_or_else(|| "the pasted text".to_owned());
        let service = Arc::clone(service);
        match on_blocking_thread(move || service.jobs.submit(submission)).await {
            Ok(accepted) => taken.jobs.push(accepted),
            Err(why) => taken.refused.push((called, why)),
        }
    }
    Ok(taken)
}

/// The files of a form, each with the parts before it.
async fn read_form(
    service: &Arc<Service>,
    identity: &Identity,
    mut form: Multipart,
    mut duplicate_rule: DuplicateRule,
) -> Result<Vec<Submission>, ApiError> {
    let (mut profile, mut document_type, mut settings) = (None, None, RequestSettings::default());
    let mut password = None;
    let mut submissions: Vec<Submission> = Vec::new();
    // The rest of a form with too many files is counted and not kept, so that its sender knows by how many.
    let mut files = 0;
    while let Some(part) = form.next_field().await? {
        let name = part.name().unwrap_or_default().to_owned();
        match name.as_str() {
            "profile" => profile = Some(part.text().await?).filter(|text| !text.is_empty()),
            "document_type" => {
                document_type = Some(part.text().await?.trim().to_owned()).filter(|text| !text.is_empty());
            }
            "password" => {
                password = FilePassword::given(part.text().await?).map_err(ApiError::bad_request)?;
            }
            "setting" => settings.add(&part.text().await?).map_err(SubmitError::Setting)?,
            "again" if duplicate_rule != DuplicateRule::Never => {
                part.text().await?;
                duplicate_rule = DuplicateRule::Never;
            }
            "file" | "text" => {
                let file_name = part.file_name().map(str::to_owned);
                let bytes = part.bytes().await?;
                if bytes.is_empty() && (name == "text" || file_name.as_deref().is_none_or(str::is_empty)) {
                    // What browsers send for a field that was left empty.
                    continue;
                }
                files += 1;
                if files > MOST_FILES {
                    submissions.clear();
                    continue;
                }
                submissions.push(Submission {
                    content: SubmissionContent::Bytes(bytes.to_vec()),
                    file_name,
                    password: password.clone(),
                    document_type: document_type.clone(),
                    profile: settings
                        .clone()
                        .over(profile.clone().unwrap_or_else(|| service.settings.profile.clone())),
                    submitter: identity.name.clone(),
                    duplicate_rule: duplicate_rule.clone(),
                });
            }
            other => {
                return Err(ApiError::bad_request(format!("the form has a part `{}`", sanitize_line(other)))
                    .help("expected `file`, `text`, `profile`, `document_type`, `password` and `setting`"));
            }
        }
    }
    match files {
        0 => Err(ApiError::bad_request("the form holds no document").help("send it as a part `file`")),
        1..=MOST_FILES => Ok(submissions),
        more => Err(ApiError::bad_request(format!(
            "a form holds at most {MOST_FILES} files, found {more}; none of them was taken"
        ))
        .help("submit the others with another request")),
    }
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
            SubmitError::Locked(_) => unprocessable(said).help(
                "send its password as `password`, in a form before its file; or save a copy that needs none",
            ),
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
                tracing::error!(target: "loopctl", event = "upload_failed", %error);
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
