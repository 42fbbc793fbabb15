//! What programs ask: JSON over HTTP, described by OpenAPI.

mod error;

pub(super) use error::{ApiError, ErrorAnswer, Why};

use super::state::Service;
use std::sync::Arc;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;

/// What the description says of the API as a whole.
#[derive(OpenApi)]
#[openapi(info(
    title = "loopctl",
    description = "Submit documents, follow them, read their results. Every request brings a token: `Authorization: Bearer loopctl_…`.",
    license(name = "MIT OR Apache-2.0")
))]
struct Description;

/// Every route of the API, with what describes it.
pub(super) fn routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::with_openapi(Description::openapi())
}
