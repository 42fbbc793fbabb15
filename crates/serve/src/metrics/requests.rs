//! The counts of HTTP requests, and the page that Prometheus reads.

use super::exposition::MEDIA_TYPE;
use super::{Metrics, QueueSnapshot};
use crate::access::Identity;
use crate::api::ApiError;
use crate::blocking::on_blocking_thread;
use crate::disk::free_bytes;
use crate::state::Service;
use crate::store::StoreError;
use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// `/metrics`, for any holder of a token.
pub(crate) fn routes() -> Router<Arc<Service>> {
    Router::new().route("/metrics", get(metrics))
}

async fn metrics(_: Identity, State(service): State<Arc<Service>>) -> Result<Response, ApiError> {
    let text = on_blocking_thread(move || {
        let now = QueueSnapshot {
            queue: service.reading.queue_lengths()?,
            free_bytes: service.journal.path().parent().and_then(free_bytes),
        };
        Ok::<_, StoreError>(service.metrics.text(&now))
    });
    Ok(([(header::CONTENT_TYPE, MEDIA_TYPE)], text.await?).into_response())
}

/// Counts a request by the template of its route, so that no id of a document is a label.
pub(crate) async fn count_requests(
    State(service): State<Arc<Service>>,
    request: Request,
    next: Next,
) -> Response {
    let began = Instant::now();
    let method = known(request.method());
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let response = next.run(request).await;
    service.metrics.request_answered(method, &route, response.status(), began.elapsed());
    response
}

/// The label of a method: clients may make up others.
fn known(method: &Method) -> &'static str {
    let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    methods.into_iter().find(|known| *known == method.as_str()).unwrap_or("other")
}

impl Metrics {
    fn request_answered(&self, method: &str, route: &str, status: StatusCode, took: Duration) {
        self.requests.add(&[method, route, status.as_str()], 1.0);
        self.request_seconds.record(&[route], took.as_secs_f64());
    }
}
