//! Profiles, and their verdict on an extraction without any call.

use super::error::{ApiError, ErrorAnswer};
use crate::access::Identity;
use crate::blocking::on_blocking_thread;
use crate::diag::{Problems, render_json};
use crate::ingest::{Document, read_next_input};
use crate::jobs::SubmitError;
use crate::next::{NextError, NextInput, Text, next};
use crate::plan::DocumentContext;
use crate::profiles::{CompiledProfile, ProfileRequest};
use crate::request_settings::RequestSettings;
use crate::review::score_extraction;
use crate::state::Service;
use crate::value::{MAX_CANDIDATE_DEPTH, is_deeper, sanitize_line};
use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use utoipa::ToSchema;

/// The largest profile that is checked, in bytes.
const MOST_CHECKED: usize = 64 << 10;

/// The most values in what is scored at once: each is looked up in the document.
const MOST_VALUES: usize = 50_000;

/// Refuses what has more values than are scored while a request waits.
fn refuse_large(value: &Value) -> Result<(), ApiError> {
    let (mut left, mut waiting) = (MOST_VALUES, vec![value]);
    while let Some(value) = waiting.pop() {
        left = left.checked_sub(1).ok_or_else(|| {
            ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, format!("there are more than {MOST_VALUES} values"))
                .help("`loopctl validate` scores an extraction of any size")
        })?;
        match value {
            Value::Array(items) => waiting.extend(items),
            Value::Object(members) => waiting.extend(members.values()),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    Ok(())
}

/// The profiles that there are.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ProfileList {
    /// Their names, sorted.
    profiles: Vec<String>,
    /// The one of documents that name none.
    default: String,
}

/// Profiles
#[utoipa::path(get, path = "/api/profiles", operation_id = "list_profiles", tag = "profiles", responses((status = 200, description = "The profiles", body = ProfileList)))]
pub(super) async fn list(
    _: Identity,
    State(service): State<Arc<Service>>,
) -> Result<Json<ProfileList>, ApiError> {
    let listed = move || {
        let default = service.settings.profile.clone();
        Ok::<_, ApiError>(ProfileList { profiles: service.profiles.names(), default })
    };
    on_blocking_thread(listed).await.map(Json)
}

/// The terms by which a profile decides.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ProfileAnswer {
    /// Its name.
    name: String,
    /// Its document types.
    document_types: Vec<String>,
    /// The dimensions that it scores.
    dimensions: Vec<String>,
    /// Digest of the profile with its settings.
    digest: String,
    /// Weights, gate, acceptance, selection and panel, as results are explained by.
    #[schema(value_type = Object)]
    terms: Value,
}

/// A profile
#[utoipa::path(
    get, path = "/api/profiles/{name}", operation_id = "get_profile", tag = "profiles", params(("name" = String, Path, description = "Its name")),
    responses(
        (status = 200, description = "The profile", body = ProfileAnswer),
        (status = 404, description = "There is no such profile", body = ErrorAnswer),
        (status = 422, description = "It can't be used", body = ErrorAnswer),
    )
)]
pub(super) async fn show(
    _: Identity,
    State(service): State<Arc<Service>>,
    Path(name): Path<String>,
) -> Result<Json<ProfileAnswer>, ApiError> {
    let shown = move || {
        let CompiledProfile { plan, settings, .. } = compiled(&service, ProfileRequest::named(name))?;
        Ok::<_, ApiError>(ProfileAnswer {
            name: plan.profile.name.clone(),
            document_types: plan.document_types().map(str::to_owned).collect(),
            dimensions: plan.dimensions().into_iter().map(str::to_owned).collect(),
            digest: plan.profile.digest.clone(),
            terms: settings.get("terms").cloned().unwrap_or_default(),
        })
    };
    on_blocking_thread(shown).await.map(Json)
}

/// A profile that there is.
pub(crate) fn compiled(service: &Service, request: ProfileRequest) -> Result<CompiledProfile, ApiError> {
    service.jobs.check_profile(&request.name)?;
    service.profiles.compile(&request).map_err(|problems| SubmitError::Profile(problems).into())
}

/// A profile to be checked.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CheckRequest {
    /// The profile as it would be in its file.
    yaml: String,
}

/// The problems of a profile.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct CheckAnswer {
    /// `true` if it can be used.
    usable: bool,
    /// Everything that is wrong, as `loopctl check --format json` reports it: code, location, message, help.
    #[schema(value_type = Vec<Object>)]
    problems: Value,
}

/// Check a profile that is in no file yet
///
/// It names other profiles by their names, and files below `profiles/`, `rules/`, `prompts/` and `schemas/`. The environment of the service is
/// not read for it, and no provider that it names by a path.
#[utoipa::path(
    post, path = "/api/check", operation_id = "check_profile", tag = "profiles", request_body = CheckRequest,
    responses((status = 200, description = "What is wrong with it", body = CheckAnswer), (status = 413, description = "It has more than 64 KB", body = ErrorAnswer), (status = 400, description = "What was sent can't be understood", body = ErrorAnswer))
)]
pub(super) async fn check(
    identity: Identity,
    State(service): State<Arc<Service>>,
    body: Result<Json<CheckRequest>, JsonRejection>,
) -> Result<Json<CheckAnswer>, ApiError> {
    let Json(request) = body?;
    if request.yaml.len() > MOST_CHECKED {
        let message = format!("`yaml` has more than {} KB", MOST_CHECKED >> 10);
        return Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, message)
            .help("a profile names its rules, prompts and schemas, which are separate files"));
    }
    let by = Arc::clone(&service);
    let checked = move || {
        let problems: Problems = service.profiles.check_text(&request.yaml);
        let usable = !problems.has_errors();
        let problems = serde_json::to_value(render_json(&problems))
            .map_err(|_| ApiError::broken("the problems can't be written as JSON"))?;
        Ok::<_, ApiError>(CheckAnswer { usable, problems })
    };
    by.shares.computed(&identity, checked).await.map(Json)
}

/// An extraction to be scored against its document.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ScoreRequest {
    /// The document's text.
    text: String,
    /// The extraction from it.
    #[schema(value_type = Object)]
    extraction: Value,
    /// Its type, instead of classifying it.
    document_type: Option<String>,
    /// The profile that scores, instead of the service's own.
    profile: Option<String>,
    /// Laid over the profile: keys under `accept`, `stop` and `variables`, such as `{"accept.overall": 0.9}`.
    #[serde(default)]
    #[schema(value_type = Object)]
    settings: BTreeMap<String, Value>,
}

/// Scores of an extraction.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ScoreAnswer {
    /// The type by which it was scored.
    document_type: String,
    /// `true` if every line of `accept` holds.
    accepted: bool,
    /// The lines that do not hold.
    missed: Vec<String>,
    /// Doubts about the type.
    warnings: Vec<String>,
    /// Scores by dimension, the overall score, issues, and what the document says for each value.
    #[schema(value_type = Object)]
    assessment: Value,
}

/// Score an extraction
///
/// As `loopctl validate` does, without any call.
#[utoipa::path(
    post, path = "/api/score", operation_id = "score_extraction", tag = "profiles", request_body = ScoreRequest,
    responses(
        (status = 200, description = "Its scores", body = ScoreAnswer),
        (status = 400, description = "What was sent can't be understood", body = ErrorAnswer),
        (status = 413, description = "The text is too large, or the extraction has more than 50,000 values", body = ErrorAnswer),
        (status = 404, description = "There is no such profile", body = ErrorAnswer),
        (status = 422, description = "The profile or the type can't be used", body = ErrorAnswer),
    )
)]
pub(super) async fn score(
    identity: Identity,
    State(service): State<Arc<Service>>,
    body: Result<Json<ScoreRequest>, JsonRejection>,
) -> Result<Json<ScoreAnswer>, ApiError> {
    let Json(request) = body?;
    let by = Arc::clone(&service);
    by.shares.computed(&identity, move || scored(&service, request)).await.map(Json)
}

fn scored(service: &Service, request: ScoreRequest) -> Result<ScoreAnswer, ApiError> {
    if !request.extraction.is_object() {
        return Err(
            ApiError::bad_request("`extraction` is not an object").help("an extraction is one JSON object")
        );
    }
    if is_deeper(&request.extraction, MAX_CANDIDATE_DEPTH) {
        let message = format!("`extraction` is nested more than {MAX_CANDIDATE_DEPTH} deep");
        return Err(ApiError::bad_request(message));
    }
    refuse_large(&request.extraction)?;
    if request.text.len() as u64 > service.settings.most_bytes {
        return Err(SubmitError::TooLarge { most: service.settings.most_bytes }.into());
    }
    let name = request.profile.unwrap_or_else(|| service.settings.profile.clone());
    let settings = RequestSettings::of_json(&request.settings).map_err(SubmitError::Setting)?;
    let plan = compiled(service, settings.over(name))?.plan;
    if let Some(given) = &request.document_type
        && !plan.document_types().any(|known| known == given)
    {
        let known = plan.document_types().map(|one| format!("`{one}`")).collect::<Vec<_>>().join(", ");
        return Err(SubmitError::UnknownType { given: sanitize_line(given), known }.into());
    }
    let document = Document::from_text("document", request.text);
    let given = request.document_type.as_deref();
    let mut warnings = Vec::new();
    let context = DocumentContext::of(&plan, &document, given, "with `document_type`", &mut warnings);
    let scored = score_extraction(&plan, &context, &request.extraction);
    let assessment = serde_json::to_value(&scored.assessment)
        .map_err(|_| ApiError::broken("the scores can't be written as JSON"))?;
    Ok(ScoreAnswer {
        document_type: context.document_type().to_owned(),
        accepted: scored.accepted,
        missed: scored.missed,
        warnings,
        assessment,
    })
}

/// The loop as data
///
/// For callers who drive their own model: what the policy makes of a history, and what to ask next. The body is the input of
/// `loopctl next` with `profile` beside it; a document is given as text.
#[utoipa::path(
    post, path = "/api/next", operation_id = "decide_next", tag = "profiles", request_body = Object,
    responses(
        (status = 200, description = "What to ask next, or what it came to", body = Object),
        (status = 400, description = "What was sent can't be understood", body = ErrorAnswer),
        (status = 404, description = "There is no such profile", body = ErrorAnswer),
        (status = 422, description = "The profile can't be used", body = ErrorAnswer),
    )
)]
pub(super) async fn next_step(
    identity: Identity,
    State(service): State<Arc<Service>>,
    body: Result<Json<Value>, JsonRejection>,
) -> Result<Json<Value>, ApiError> {
    let Json(value) = body?;
    refuse_large(&value)?;
    let by = Arc::clone(&service);
    by.shares.computed(&identity, move || answered(&service, value)).await.map(Json)
}

fn answered(service: &Service, mut value: Value) -> Result<Value, ApiError> {
    let given = value.as_object_mut().and_then(|value| value.remove("profile"));
    let name = match given {
        None | Some(Value::Null) => service.settings.profile.clone(),
        Some(Value::String(name)) => name,
        Some(_) => return Err(ApiError::bad_request("`profile` must be the name of a profile")),
    };
    let mistaken = |mistakes: Vec<crate::next::Mistake>| {
        let said: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        ApiError::bad_request(said.join("; "))
    };
    let input = NextInput::parse(&value).map_err(mistaken)?;
    if matches!(input.document, Text::File(_)) {
        return Err(ApiError::bad_request("/document/path: the service reads no files for `next`")
            .help("give the document as `text`"));
    }
    let plan = compiled(service, ProfileRequest::named(name))?.plan;
    let reader = service.profiles.context.reader().clone().with_ingest(&plan.profile.ingest);
    let document =
        read_next_input(&input, &reader).map_err(|error| ApiError::bad_request(error.to_string()))?;
    let answer =
        next(&plan, &document, input.document_type.as_deref(), &input.history).map_err(
            |error| match error {
                NextError::Input(mistakes) => mistaken(mistakes),
                other => ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, other.to_string()),
            },
        )?;
    let mut answer =
        serde_json::to_value(&answer).map_err(|_| ApiError::broken("the answer can't be written as JSON"))?;
    if let (Value::Object(answer), false) = (&mut answer, input.ignored.is_empty()) {
        answer.insert("ignored".to_owned(), json!(input.ignored));
    }
    Ok(answer)
}
