//! Signing in by a link, and signing out.

use super::guard::SignedIn;
use super::identity::Identity;
use super::session;
use super::token::{NewAccess, TokenKind, TokenTransport, hash_of, holder, issue};
use crate::api::ApiError;
use crate::blocking::on_blocking_thread;
use crate::pages;
use crate::state::Service;
use crate::store::StoreError;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use jiff::Timestamp;
use serde::Deserialize;
use std::sync::Arc;

/// The largest body that may be sent without a token, in bytes.
const LARGEST: usize = 4 << 10;

/// The page to sign in, and what signs in and out.
pub(crate) fn routes() -> Router<Arc<Service>> {
    Router::new()
        .route("/login", get(page).post(sign_in))
        .route("/logout", post(sign_out))
        .layer(DefaultBodyLimit::max(LARGEST))
}

async fn page(State(service): State<Arc<Service>>, headers: HeaderMap) -> Result<maud::Markup, ApiError> {
    let Some(session) = session::token_of(&headers).map(str::to_owned) else { return Ok(pages::login(None)) };
    let held =
        on_blocking_thread(move || holder(&service.reading, &session, TokenTransport::InCookie)).await?;
    Ok(pages::login(held.map(|(token, _)| token.name).as_deref()))
}

/// The body that the page sends: the token of the link, or the one that a person typed.
#[derive(Deserialize)]
struct Given {
    token: String,
}

async fn sign_in(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
    Json(given): Json<Given>,
) -> Result<Response, ApiError> {
    let is_secure = session::is_secure(&headers);
    let session = on_blocking_thread(move || {
        let found = holder(&service.journal, given.token.trim(), TokenTransport::Named)?;
        let Some((token, role)) = found else { return Ok(None) };
        let now = Timestamp::now();
        // A session ends no later than the token that it was opened with.
        let expires = token.expires_at.and_then(|at| at.parse::<Timestamp>().ok());
        let lasts = expires.map_or(session::LASTS, |at| at.duration_since(now).min(session::LASTS));
        let access = NewAccess { name: &token.name, role, lasts: Some(lasts), is_launch: false };
        service.journal.forget_sessions(&now.to_string())?;
        let session = issue(&service.journal, TokenKind::Session, &access)?;
        Ok::<_, StoreError>(Some((session, lasts, token.name)))
    })
    .await?;
    let Some((session, lasts, name)) = session else { return Err(ApiError::wrong_token()) };
    let cookie = session::cookie(&session, lasts, is_secure);
    let mut response = (StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response();
    response.extensions_mut().insert(SignedIn(name));
    Ok(response)
}

async fn sign_out(
    State(service): State<Arc<Service>>,
    identity: Option<Extension<Identity>>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    if let (Some(_), Some(token)) = (identity, session::token_of(&headers)) {
        let hash = hash_of(token);
        on_blocking_thread(move || service.journal.revoke_token(&hash, &Timestamp::now().to_string()))
            .await?;
    }
    Ok(([(header::SET_COOKIE, session::no_cookie(session::is_secure(&headers)))], Redirect::to("/login"))
        .into_response())
}
