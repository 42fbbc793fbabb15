//! The page of admins: alerts, shares of documents that are drawn for review, tokens, the access log.
//!
//! - `forms`: the contents of their forms, read and checked.

mod forms;

use self::forms::{alerts_of, shares_of};
use super::access::{AccessRole, Identity, NewAccess, holder_name, is_valid, issue_token};
use super::api::ApiError;
use super::blocking::on_blocking_thread;
use super::desk::USUAL_SHARES;
use super::pages::{self, Section};
use super::state::Service;
use super::trends::{AlertSettings, LAST_MESSAGE, LastMessage, SETTINGS, look};
use crate::store::{AccessRecord, Journal, ReviewShares, StoreError, StoredToken};
use axum::Router;
use axum::extract::{Form, Query, State};
use axum::response::Redirect;
use axum::routing::{get, post};
use jiff::{SignedDuration, Timestamp};
use maud::Markup;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Entries of the access log on a page.
const ENTRIES: u32 = 50;

/// The contents of the page.
pub(crate) struct SettingsView {
    pub(crate) alerts: AlertSettings,
    pub(crate) last_message: Option<LastMessage>,
    pub(crate) shares: ReviewShares,
    pub(crate) tokens: Vec<TokenRow>,
    /// The message about a form that was sent before.
    pub(crate) saved: Option<&'static str>,
    /// A token that was made just now: shown this once.
    pub(crate) fresh: Option<(String, String)>,
    pub(crate) log: Vec<(u64, AccessRecord)>,
    /// The entry of the log before which the next older ones begin.
    pub(crate) older: Option<u64>,
    /// `true` if the log begins with its latest entry.
    pub(crate) is_latest: bool,
}

/// A token without its secret.
pub(crate) struct TokenRow {
    pub(crate) token: StoredToken,
    /// `true` if it is valid.
    pub(crate) holds: bool,
}

/// The section of settings.
pub(crate) const SECTION: Section = Section {
    path: "/settings",
    name: "Settings",
    role: AccessRole::Admin,
    shows_document: |_| false,
    routes,
};

fn routes(_: &Service) -> Router<Arc<Service>> {
    Router::new()
        .route("/settings", get(settings))
        .route("/settings/alerts", post(set_alerts))
        .route("/settings/shares", post(set_shares))
        .route("/settings/tokens", post(add_token))
        .route("/settings/tokens/revoke", post(revoke))
}

impl SettingsView {
    fn read(journal: &Journal, before: Option<u64>, now: Timestamp) -> Result<Self, StoreError> {
        let kept = |name: &str| journal.service_setting(name);
        let log = journal.access_log(before.unwrap_or(0), ENTRIES)?;
        let older = log
            .last()
            .map(|(number, _)| *number)
            .filter(|number| log.len() == ENTRIES as usize && *number > 1);
        let mut tokens = journal.tokens("token")?;
        tokens.reverse();
        Ok(SettingsView {
            alerts: AlertSettings::of(kept(SETTINGS)?),
            last_message: kept(LAST_MESSAGE)?.and_then(|kept| serde_json::from_value(kept).ok()),
            shares: journal.coming_review_shares()?.unwrap_or(USUAL_SHARES),
            tokens: tokens
                .into_iter()
                .map(|token| TokenRow { holds: is_valid(&token, now), token })
                .collect(),
            saved: None,
            fresh: None,
            is_latest: before.is_none(),
            log,
            older,
        })
    }
}

/// The query of the address.
#[derive(Debug, Deserialize)]
struct SettingsQuery {
    /// Entries of the log before this one.
    before: Option<u64>,
    /// The form that was sent before, as in [`SAVED`].
    saved: Option<String>,
}

/// The messages after a form was sent. The address names one: no other words come from there.
const SAVED: [(&str, &str); 3] = [
    ("alerts", "The alerts were saved."),
    ("shares", "The shares of documents for review were saved."),
    ("revoked", "The tokens and sessions of that name were revoked."),
];

async fn settings(
    identity: Identity,
    State(service): State<Arc<Service>>,
    Query(asked): Query<SettingsQuery>,
) -> Result<Markup, ApiError> {
    let saved = SAVED.into_iter().find(|(key, _)| asked.saved.as_deref() == Some(*key));
    let view =
        on_blocking_thread(move || SettingsView::read(&service.reading, asked.before, Timestamp::now()));
    let view = SettingsView { saved: saved.map(|(_, words)| words), ..view.await? };
    Ok(pages::settings(&identity, &view))
}

/// The values of a form, by the names of its fields.
type FormFields = BTreeMap<String, String>;

async fn keep(service: Arc<Service>, name: &'static str, value: impl Serialize) -> Result<(), ApiError> {
    let value = serde_json::to_value(value).map_err(|_| ApiError::broken("the settings can't be kept"))?;
    on_blocking_thread(move || service.journal.set_service_setting(name, &value)).await
}

async fn set_alerts(
    State(service): State<Arc<Service>>,
    Form(fields): Form<FormFields>,
) -> Result<Redirect, ApiError> {
    let settings = alerts_of(&fields).map_err(ApiError::bad_request)?;
    keep(Arc::clone(&service), SETTINGS, settings).await?;
    // An admin who saves a webhook sees at once whether it works; the page need not wait for it.
    tokio::spawn(async move { look(&service).await });
    let is_trends = fields.get("back").is_some_and(|back| back == "trends");
    Ok(Redirect::to(if is_trends { "/trends?saved=alerts#top" } else { "/settings?saved=alerts#top" }))
}

async fn set_shares(
    State(service): State<Arc<Service>>,
    Form(fields): Form<FormFields>,
) -> Result<Redirect, ApiError> {
    let shares = shares_of(&fields).map_err(ApiError::bad_request)?;
    on_blocking_thread(move || service.journal.set_coming_review_shares(shares)).await?;
    Ok(Redirect::to("/settings?saved=shares#top"))
}

#[derive(Debug, Deserialize)]
struct NewTokenForm {
    name: String,
    role: String,
    /// The number of days for which it is valid; empty for ever.
    days: String,
}

/// Makes a token and shows it: it can't be shown again, so there is no page to redirect to.
async fn add_token(
    identity: Identity,
    State(service): State<Arc<Service>>,
    Form(form): Form<NewTokenForm>,
) -> Result<Markup, ApiError> {
    let name = holder_name(&form.name).map_err(ApiError::bad_request)?.to_owned();
    let role: AccessRole = form.role.parse().map_err(ApiError::bad_request)?;
    let lasts = match form.days.trim() {
        "" => None,
        days => match days.parse::<u16>() {
            Ok(days) if days > 0 => Some(SignedDuration::from_hours(24 * i64::from(days))),
            _ => {
                return Err(ApiError::bad_request("the number of days is not from 1 to 65535")
                    .help("leave it empty for a token that is valid until it is revoked"));
            }
        },
    };
    let view = on_blocking_thread(move || {
        let access = NewAccess { name: &name, role, lasts, is_launch: false };
        let token = issue_token(&service.journal, &access)?;
        let view = SettingsView::read(&service.journal, None, Timestamp::now())?;
        Ok::<_, StoreError>(SettingsView { fresh: Some((name, token)), ..view })
    });
    Ok(pages::settings(&identity, &view.await?))
}

#[derive(Debug, Deserialize)]
struct RevokeForm {
    name: String,
}

async fn revoke(
    State(service): State<Arc<Service>>,
    Form(form): Form<RevokeForm>,
) -> Result<Redirect, ApiError> {
    let now = Timestamp::now().to_string();
    on_blocking_thread(move || service.journal.revoke_tokens(&form.name, &now)).await?;
    Ok(Redirect::to("/settings?saved=revoked#top"))
}
