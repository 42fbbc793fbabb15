//! Every address of the service.

use super::access;
use super::metrics;
use super::state::Service;
use super::{admin, api, assets, desk, pages, runs, trends, tuning};
use axum::extract::State;
use axum::http::StatusCode;
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
        .merge(runs::routes())
        .merge(trends::routes())
        .merge(tuning::routes())
        .merge(admin::routes())
        .merge(desk::routes())
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .layer(middleware::from_fn(pages::error_pages))
        .layer(middleware::from_fn_with_state(Arc::clone(&service), access::guard))
        .layer(middleware::from_fn_with_state(Arc::clone(&service), metrics::count_requests))
        .layer(middleware::from_fn(access::headers))
        .with_state(service)
}

/// Whether documents can be taken: the journal can be read.
async fn ready(State(service): State<Arc<Service>>) -> (StatusCode, &'static str) {
    let readable =
        tokio::task::spawn_blocking(move || service.reading.service_setting("alerts").is_ok()).await;
    match readable {
        Ok(true) => (StatusCode::OK, "ready\n"),
        _ => (StatusCode::SERVICE_UNAVAILABLE, "the journal can't be read\n"),
    }
}
