//! Files that pages need, which are part of the program.

use crate::report::STYLE;
use axum::Router;
use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

/// Name, media type, content.
const ASSETS: &[(&str, &str, &str)] = &[
    ("icon.svg", "image/svg+xml", include_str!("assets/icon.svg")),
    ("report.css", "text/css; charset=utf-8", STYLE),
    ("service.css", "text/css; charset=utf-8", include_str!("assets/service.css")),
    ("copy.js", "text/javascript; charset=utf-8", include_str!("assets/copy.js")),
    ("desk.css", "text/css; charset=utf-8", include_str!("assets/desk.css")),
    ("desk-pages.js", "text/javascript; charset=utf-8", include_str!("assets/desk-pages.js")),
    ("desk.js", "text/javascript; charset=utf-8", include_str!("assets/desk.js")),
    ("live.css", "text/css; charset=utf-8", include_str!("assets/live.css")),
    ("live.js", "text/javascript; charset=utf-8", include_str!("assets/live.js")),
    ("login.js", "text/javascript; charset=utf-8", include_str!("assets/login.js")),
];

/// The files under `/assets/`.
pub(super) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new().route("/assets/{name}", get(asset))
}

async fn asset(Path(name): Path<String>) -> Response {
    match ASSETS.iter().find(|(known, ..)| *known == name) {
        Some((_, media_type, content)) => ([(header::CONTENT_TYPE, *media_type)], *content).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
