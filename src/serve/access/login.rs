//! Coming in by a link, and going out.

use super::identity::Identity;
use super::session;
use super::token::{NewAccess, TokenKind, hash_of, holder, issue};
use crate::serve::api::ApiError;
use crate::serve::blocking::on_blocking_thread;
use crate::serve::pages;
use crate::serve::state::Service;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use jiff::Timestamp;
use serde::Deserialize;
use std::sync::Arc;

/// The pages for coming in and going out.
pub(in crate::serve) fn routes() -> Router<Arc<Service>> {
    Router::new().route("/login", get(page).post(come_in)).route("/logout", post(go_out))
}

async fn page() -> maud::Markup {
    pages::login()
}

/// What the page sends: the token of the link, or the one that a person typed.
#[derive(Deserialize)]
struct Given {
    token: String,
}

async fn come_in(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
    Json(given): Json<Given>,
) -> Result<Response, ApiError> {
    let is_secure = headers.get("x-forwarded-proto").is_some_and(|proto| proto == "https");
    let session = on_blocking_thread(move || {
        let Some((token, role)) = holder(&service.journal, given.token.trim())? else { return Ok(None) };
        let access = NewAccess { name: &token.name, role, lasts: Some(session::LASTS), is_launch: false };
        service.journal.forget_sessions(&Timestamp::now().to_string())?;
        issue(&service.journal, TokenKind::Session, &access).map(Some)
    })
    .await?;
    let Some(session) = session else { return Err(ApiError::wrong_token()) };
    let cookie = session::cookie(&session, is_secure);
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response())
}

async fn go_out(
    State(service): State<Arc<Service>>,
    identity: Option<Extension<Identity>>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    if let (Some(_), Some(token)) = (identity, session::token_of(&headers)) {
        let hash = hash_of(token);
        on_blocking_thread(move || service.journal.revoke_token(&hash, &Timestamp::now().to_string()))
            .await?;
    }
    Ok(([(header::SET_COOKIE, session::no_cookie())], Redirect::to("/login")).into_response())
}
