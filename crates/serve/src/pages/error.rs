//! The pages that people see instead of errors.

use super::layout::{page, whole};
use super::run_document::marked;
use crate::access::Identity;
use crate::api::ApiError;
use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use maud::html;

/// Turns answers that say why there is no page into pages, where a browser asks for one.
pub(crate) async fn error_pages(request: Request, next: Next) -> Response {
    let accepts = request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok());
    let is_form = request
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|it| it == "application/x-www-form-urlencoded");
    let wants_page = accepts.is_some_and(|it| it.contains("text/html"))
        && (request.method() == Method::GET || is_form)
        && !request.uri().path().starts_with("/api/");
    let identity = request.extensions().get::<Identity>().cloned();
    let response = next.run(request).await;
    let status = response.status();
    if !wants_page || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let error = response.extensions().get::<ApiError>().cloned();
    let (message, help) = match &error {
        Some(error) => (error.message().to_owned(), error.help_text().map(str::to_owned)),
        None if status == StatusCode::NOT_FOUND => ("there is no such page".to_owned(), None),
        None => ("the request can't be understood".to_owned(), None),
    };
    let title = match status {
        StatusCode::NOT_FOUND => "Not found",
        StatusCode::FORBIDDEN => "Not allowed",
        status if status.is_server_error() => "That did not work",
        _ => "That can't be done",
    };
    let body = html! {
        h1 { (title) }
        p { (marked(&capital(&message))) "." }
        @if let Some(help) = help { p.soft { (marked(&capital(&help))) "." } }
        p { a href="/" { "Go to the first page" } }
    };
    let shown = match identity {
        Some(identity) => page(title, &identity, None, &[], &body),
        None => whole(title, &[], &html! { main { (body) } }),
    };
    let (mut parts, _) = response.into_parts();
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.remove(header::CONTENT_TYPE);
    let mut page = (parts.status, shown).into_response();
    page.headers_mut().extend(parts.headers);
    *page.extensions_mut() = parts.extensions;
    page
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
