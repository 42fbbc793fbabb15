//! What programs ask: JSON over HTTP, described by OpenAPI.

mod error;
mod events;
mod job;
mod jobs;
mod process;
mod profiles;

pub(super) use error::{ApiError, Why};
pub(super) use job::{Job, JobStatus};
pub(super) use jobs::{find, recent, take_files};

use super::state::Service;
use axum::extract::DefaultBodyLimit;
use std::sync::Arc;
use utoipa::OpenApi;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// What the description says of the API as a whole.
#[derive(OpenApi)]
#[openapi(info(
    title = "loopctl",
    description = "Submit documents, follow them, read their results. Every request brings a token: `Authorization: Bearer loopctl_…`.",
    license(name = "MIT OR Apache-2.0")
), security(("token" = [])))]
struct Description;

/// Beside a document, a request has its names and settings.
const BESIDE: u64 = 1 << 20;

/// Largest request that holds no document, in bytes.
const MOST_JSON: usize = 80 << 20;

/// Every route of the API, with what describes it.
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
        .routes(routes!(jobs::submit, jobs::list))
        .routes(routes!(process::process))
        .layer(DefaultBodyLimit::max(as_json));
    let uploading = OpenApiRouter::new().routes(routes!(jobs::upload)).layer(DefaultBodyLimit::max(form));
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
    OpenApiRouter::with_openapi(description).merge(submitting).merge(uploading).merge(others)
}
