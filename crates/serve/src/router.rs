//! Every address of the service.

use super::state::Service;
use super::{access, api, assets, health, metrics, pages, slow_bodies};
use axum::routing::get;
use axum::{Json, Router, middleware};
use std::sync::Arc;

/// Every address of the service, behind what guards it.
pub(super) fn router(service: Arc<Service>) -> Router {
    let (api, description) = api::routes(&service).split_for_parts();
    let description = Arc::new(description);
    Router::new()
        .merge(api)
        .route("/api/openapi.json", get(move || async move { Json(description.as_ref().clone()) }))
        .merge(access::routes())
        .merge(pages::routes(&service))
        .merge(assets::routes())
        .merge(metrics::routes())
        .merge(health::routes())
        .layer(middleware::from_fn(slow_bodies::limit))
        .layer(middleware::from_fn(pages::error_pages))
        .layer(middleware::from_fn_with_state(Arc::clone(&service), access::guard))
        .layer(middleware::from_fn_with_state(Arc::clone(&service), metrics::count_requests))
        .layer(middleware::from_fn(access::headers))
        .with_state(service)
}
