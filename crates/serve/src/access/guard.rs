//! The checks that every request passes before anything else, and the headers of every answer.

use super::identity::Identity;
use super::session;
use super::throttle::ThrottleDecision;
use super::token::{TokenTransport, holder};
use crate::api::{ApiError, RefusalReason};
use crate::blocking::on_blocking_thread;
use crate::pages;
use crate::state::Service;
use crate::store::AccessRecord;
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Instant;

/// The paths that need no token: whether the service is up, the page that takes the token of a link, and what that page
/// needs.
const OPEN: [&str; 4] = ["/healthz", "/readyz", "/login", "/favicon.ico"];

/// The headers that tell browsers of every answer: nothing from elsewhere, no framing, no guessing of types, no Referer
/// to others (without any, a form would not say where it comes from), nothing kept.
const HEADERS: [(HeaderName, &str); 6] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "same-origin"),
    (header::CACHE_CONTROL, "no-store"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Adds the headers that every answer has, where the answer has none of its own.
pub(crate) async fn headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Refuses what comes under another name, from another site's page, or without a token; otherwise identifies the
/// client.
pub(crate) async fn guard(State(service): State<Arc<Service>>, mut request: Request, next: Next) -> Response {
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let admitted = match given(&service, &request) {
        Ok(given) => admit(&service, given).await,
        Err(refusal) => Err(refusal.into_response()),
    };
    let (name, mut response) = match admitted {
        Ok(None) => {
            let response = next.run(request).await;
            let signed_in = response.extensions().get::<SignedIn>().map(|signed_in| signed_in.0.clone());
            (signed_in.unwrap_or_default(), response)
        }
        Ok(Some(identity)) => {
            let name = identity.name.clone();
            request.extensions_mut().insert(identity);
            match service.shares.request(&name) {
                Ok(share) => {
                    let response = next.run(request).await;
                    drop(share);
                    (name, response)
                }
                Err(refusal) => (name, refusal.into_response()),
            }
        }
        Err(refusal) => (String::new(), refusal),
    };
    let mut unlogged = 0;
    // Every answer without a name that is kept or refuses counts: no one without access may fill the disk.
    if name.is_empty() && (is_kept(&method, &path, &name, &response) || response.status().is_client_error()) {
        match service.throttle.refused(Instant::now()) {
            ThrottleDecision::Listen { unlogged: before } => unlogged = before,
            ThrottleDecision::TooOften => return ApiError::too_often().into_response(),
        }
    }
    log(&service, &method, path, name, &mut response, unlogged);
    response
}

/// The name, in the answer to a sign-in.
#[derive(Debug, Clone)]
pub(super) struct SignedIn(pub(super) String);

/// The mark of an answer that is part of a view which the access log has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PartOfLoggedView;

/// The part of a request that is to be looked up.
enum RequestCredential {
    /// Nothing is needed.
    Nothing,
    /// A token, and the client that is answered if it is no longer valid.
    Token(Option<(String, TokenTransport)>, ClientKind),
}

/// The kind of client, as far as an answer without a token depends on it.
enum ClientKind {
    /// A person's browser, for a page: it is sent to sign in.
    Page,
    /// The script of a page that is open: the person is told what to do without leaving it.
    Script,
    /// Any other program.
    Program,
}

/// The headers that are decided upon, which may appear only once: a proxy in between may have decided upon the other.
const ONCE: [HeaderName; 5] = [
    header::HOST,
    header::ORIGIN,
    header::AUTHORIZATION,
    header::CONTENT_TYPE,
    HeaderName::from_static("sec-fetch-site"),
];

/// The largest headers of a request, with its target, in bytes.
const LARGEST_HEADERS: usize = 64 << 10;

/// Returns whether a request's headers are larger than any that make sense. The reader of connections has a bound as
/// well, on what it holds at a time.
fn has_large_headers(request: &Request) -> bool {
    let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
    let headers = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + 4);
    target + headers.sum::<usize>() > LARGEST_HEADERS
}

/// Refuses what comes under another name or from another site's page.
fn given(service: &Service, request: &Request) -> Result<RequestCredential, ApiError> {
    if has_large_headers(request) {
        return Err(ApiError::large_headers());
    }
    let (headers, path) = (request.headers(), request.uri().path());
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    if let Some(name) = ONCE.iter().find(|name| headers.get_all(*name).iter().count() > 1) {
        return Err(ApiError::bad_request(format!("the header `{name}` appears twice")));
    }
    // A request may name its host twice, and each must be a name of this service.
    let hosts = [request.uri().authority().map(Authority::as_str), text(header::HOST)];
    if let Some(host) = hosts.into_iter().flatten().find(|host| !service.hosts.allows(host)) {
        return Err(ApiError::unknown_host(host));
    }
    if hosts.into_iter().flatten().next().is_none() {
        return Err(ApiError::unknown_host(""));
    }
    let bearer = text(header::AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
    let is_change = !matches!(*request.method(), Method::GET | Method::HEAD);
    let origin = text(header::ORIGIN);
    if origin.is_some_and(|origin| (is_change || bearer.is_some()) && !service.hosts.allows_origin(origin)) {
        return Err(ApiError::other_site());
    }
    // A browser says where a request comes from, whichever page made it; a client with a token is not a browser that
    // was made to.
    let site = text(HeaderName::from_static("sec-fetch-site"));
    let is_own = matches!(site, Some("same-origin")) || site.is_none() && origin.is_some();
    if is_change && bearer.is_none() && !is_own {
        return Err(ApiError::other_site());
    }
    // Another site's page may link here, and have nothing else from here: not even learn how long an answer takes.
    let is_followed = text(HeaderName::from_static("sec-fetch-mode")) == Some("navigate");
    if bearer.is_none() && matches!(site, Some("cross-site" | "same-site")) && !is_followed {
        return Err(ApiError::other_site());
    }
    if OPEN.contains(&path) || path.starts_with("/assets/") {
        return Ok(RequestCredential::Nothing);
    }
    let named = bearer.map(|token| (token, TokenTransport::Named));
    let token = named.or_else(|| session::token_of(headers).map(|token| (token, TokenTransport::InCookie)));
    let token = token.map(|(token, comes)| (token.to_owned(), comes));
    let asker = if wants_page(request.method(), path, headers) {
        ClientKind::Page
    } else if bearer.is_none() && site == Some("same-origin") {
        ClientKind::Script
    } else {
        ClientKind::Program
    };
    Ok(RequestCredential::Token(token, asker))
}

/// Identifies the client, where that is needed.
async fn admit(service: &Arc<Service>, given: RequestCredential) -> Result<Option<Identity>, Response> {
    let (token, asker) = match given {
        RequestCredential::Nothing => return Ok(None),
        RequestCredential::Token(token, asker) => (token, asker),
    };
    let found = match token {
        None => None,
        Some((token, comes)) => {
            let service = Arc::clone(service);
            let looked_up = on_blocking_thread(move || holder(&service.reading, &token, comes)).await;
            looked_up.map_err(IntoResponse::into_response)?
        }
    };
    match (found, asker) {
        (Some((token, role)), _) => Ok(Some(Identity { name: token.name, role })),
        (None, ClientKind::Page) => Err(Redirect::to("/login").into_response()),
        (None, ClientKind::Script) => Err(ApiError::signed_out().into_response()),
        (None, ClientKind::Program) => Err(ApiError::no_token().into_response()),
    }
}

/// Returns whether a person's browser asks for a page.
fn wants_page(method: &Method, path: &str, headers: &HeaderMap) -> bool {
    let takes_html = headers
        .get(header::ACCEPT)
        .is_some_and(|value| value.to_str().is_ok_and(|it| it.contains("text/html")));
    method == Method::GET && !path.starts_with("/api/") && takes_html
}

/// Returns whether a request is kept in the access log.
fn is_kept(method: &Method, path: &str, name: &str, response: &Response) -> bool {
    let is_change = !matches!(*method, Method::GET | Method::HEAD);
    let is_refused = matches!(response.status(), StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    let is_logged = response.extensions().get::<PartOfLoggedView>().is_some();
    let shows_document =
        !name.is_empty() && !is_logged && (path.starts_with("/api/") || pages::shows_document(path));
    is_change || is_refused || shows_document
}

/// Logs who did what: every change, every document that was viewed, and everything that was refused. Not everything
/// that is refused to clients without a token, or they could fill the disk: `unlogged` of those before were left out.
fn log(
    service: &Service,
    method: &Method,
    path: String,
    name: String,
    response: &mut Response,
    unlogged: u64,
) {
    if !is_kept(method, &path, &name, response) {
        return;
    }
    let why = response.extensions_mut().remove::<RefusalReason>().map(|why| why.0);
    let more = (unlogged > 0).then(|| format!("{unlogged} earlier refusals were not logged"));
    let detail = why.into_iter().chain(more).collect::<Vec<_>>().join("; ");
    // The client does not wait for it; the journal keeps it with what it writes next.
    drop(service.journal.log_access(AccessRecord {
        at: Timestamp::now().to_string(),
        name,
        method: method.as_str().chars().take(16).collect(),
        path: path.chars().take(512).collect(),
        status: response.status().as_u16(),
        detail: (!detail.is_empty()).then(|| detail.chars().take(300).collect()),
    }));
}
