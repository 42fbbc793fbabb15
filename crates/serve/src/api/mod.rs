//! The API for programs: JSON over HTTP, described by OpenAPI.

mod error;
mod events;
mod job;
mod jobs;
mod process;
mod profiles;
mod submit;

pub(super) use error::{ApiError, RefusalReason};
pub(super) use job::{Job, JobSection, JobStatus, ReadingPage};
pub(super) use jobs::{find, recent};
pub(super) use submit::{MOST_FILES, RefusedFile, take_files};

use super::state::Service;
use axum::extract::DefaultBodyLimit;
use std::sync::Arc;
use utoipa::OpenApi;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ContentBuilder, Ref, ResponseBuilder};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The description of the API as a whole.
#[derive(OpenApi)]
#[openapi(info(
    title = "loopctl",
    description = "Submit documents, follow them, read their results. Every request brings a token: `Authorization: Bearer loopctl_…`.",
    license(name = "MIT OR Apache-2.0")
), security(("token" = [])))]
struct Description;

/// The bytes of a request beside its document: its names and settings.
const BESIDE: u64 = 1 << 20;

/// The largest request that holds no document, in bytes.
const MOST_JSON: usize = 80 << 20;

/// Every route of the API, with its description.
pub(super) fn routes(service: &Service) -> OpenApiRouter<Arc<Service>> {
    let most = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    let document = service.settings.most_bytes;
    // Base64 takes four bytes for three; JSON may write a byte of text as six.
    let as_json =
        most(document.saturating_mul(6).saturating_add(BESIDE)).min(most(document * 2).max(MOST_JSON));
    let form = most(document.saturating_mul(4).saturating_add(BESIDE));
    let mut description = Description::openapi();
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
    let components = description.components.get_or_insert_default();
    components.add_security_scheme("token", SecurityScheme::Http(bearer));
    let submitting = OpenApiRouter::new()
        .routes(routes!(submit::submit, jobs::list))
        .routes(routes!(process::process))
        .layer(DefaultBodyLimit::max(as_json));
    let uploading = OpenApiRouter::new().routes(routes!(submit::upload)).layer(DefaultBodyLimit::max(form));
    let others = OpenApiRouter::new()
        .routes(routes!(jobs::one))
        .routes(routes!(jobs::result))
        .routes(routes!(jobs::cancel))
        .routes(routes!(jobs::retry))
        .routes(routes!(jobs::explanation))
        .routes(routes!(events::of_job))
        .routes(routes!(events::of_run))
        .routes(routes!(profiles::list))
        .routes(routes!(profiles::show))
        .routes(routes!(profiles::check))
        .routes(routes!(profiles::score))
        .routes(routes!(profiles::next_step))
        .layer(DefaultBodyLimit::max(MOST_JSON));
    let mut routes =
        OpenApiRouter::with_openapi(description).merge(submitting).merge(uploading).merge(others);
    refuse_everywhere(routes.get_openapi_mut());
    routes
}

/// The refusals that any request with a body may get.
const BODY_REFUSALS: [(&str, &str); 4] = [
    ("400", "What was sent can't be understood"),
    ("413", "What was sent is too large"),
    ("415", "What was sent has another media type"),
    ("422", "What was sent has other keys or types than described"),
];

/// Describes the refusals that any request may get: of its body, its parameters or its token.
fn refuse_everywhere(description: &mut utoipa::openapi::OpenApi) {
    let refusal = |words: &str| {
        let body = ContentBuilder::new().schema(Some(Ref::from_schema_name("ErrorAnswer"))).build();
        ResponseBuilder::new().description(words).content("application/json", body).build()
    };
    for item in description.paths.paths.values_mut() {
        let operations = [&mut item.get, &mut item.post];
        for operation in operations.into_iter().flatten() {
            let responses = &mut operation.responses.responses;
            if operation.request_body.is_some() {
                for (status, words) in BODY_REFUSALS {
                    responses.entry(status.to_owned()).or_insert_with(|| refusal(words).into());
                }
            }
            if operation.parameters.as_ref().is_some_and(|parameters| !parameters.is_empty()) {
                responses
                    .entry("400".to_owned())
                    .or_insert_with(|| refusal("A parameter can't be understood").into());
            }
            responses
                .entry("401".to_owned())
                .or_insert_with(|| refusal("There is no token, or it holds no longer").into());
            responses.entry("403".to_owned()).or_insert_with(|| {
                refusal("The token, or the place of the request, does not allow it").into()
            });
        }
    }
}
