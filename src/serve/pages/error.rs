//! Why a request failed, as a page for whoever asked for one.

use super::layout::{Section, page};
use crate::serve::access::Identity;
use crate::serve::api::ErrorAnswer;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};

/// Answers with a page where a person's browser asked for one and the answer is an error for programs. The status stays.
pub(in crate::serve) async fn errors_as_pages(request: Request, next: Next) -> Response {
    let takes_html = request
        .headers()
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.contains("text/html"));
    let path = request.uri().path();
    let is_page = takes_html && !path.starts_with("/api/");
    let section = if path.starts_with("/review") {
        Section::Review
    } else if path.starts_with("/runs") {
        Section::Runs
    } else if path.starts_with("/profiles") {
        Section::Profiles
    } else {
        Section::Documents
    };
    // What a form was sent to is not the page that it stands on.
    let form = |path: &str| Some(path.strip_suffix("/decide").or_else(|| path.strip_suffix("/check"))?.to_owned());
    let back = form(path).unwrap_or_else(|| path.to_owned());
    let identity = request.extensions().get::<Identity>().cloned();
    let mut response = next.run(request).await;
    let (Some(identity), true) = (identity, is_page) else { return response };
    let Some(answer) = response.extensions().get::<ErrorAnswer>().cloned() else { return response };
    let markup = page(title(response.status()), &identity, section, &[], &body(response.status(), &answer, &back));
    *response.body_mut() = Body::from(markup.into_string());
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, html);
    response.headers_mut().remove(header::CONTENT_LENGTH);
    response.into_response()
}

fn title(status: StatusCode) -> &'static str {
    match status {
        StatusCode::NOT_FOUND => "Not found",
        StatusCode::FORBIDDEN => "Not allowed",
        StatusCode::CONFLICT => "Not kept",
        status if status.is_server_error() => "This did not work",
        _ => "This can't be done",
    }
}

fn body(status: StatusCode, answer: &ErrorAnswer, back: &str) -> Markup {
    html! {
        h1 { (title(status)) }
        p.empty role="alert" { (sentence(&answer.error)) @if let Some(help) = &answer.help { " " (sentence(help)) } }
        p { a href=(back) { "Open it again" } }
    }
}

/// A message as a sentence.
fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}
