//! The error of a request that is refused or failed, as JSON.

use crate::access::{AccessRole, Identity};
use crate::store::StoreError;
use crate::value::sanitize_line;
use axum::Json;
use axum::extract::multipart::{MultipartError, MultipartRejection};
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// The error of a request that is refused or failed: what is wrong, and what to do about it.
#[derive(Debug, Clone)]
pub(crate) struct ApiError {
    status: StatusCode,
    message: String,
    help: Option<String>,
    retry_after: Option<u32>,
}

/// The error of a request, as it is answered.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct ErrorAnswer {
    /// A description of what is wrong.
    error: String,
    /// Advice on what to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
}

/// The reason why a request was refused, for the access log.
#[derive(Debug, Clone)]
pub(crate) struct RefusalReason(pub String);

impl ApiError {
    /// An error with a status of its own.
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        ApiError { status, message: message.into(), help: None, retry_after: None }
    }

    /// Adds advice on what to do about it.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        ApiError { help: Some(help.into()), ..self }
    }

    /// Sets the number of seconds after which to ask again.
    pub(crate) fn retry_after(self, seconds: u32) -> Self {
        ApiError { retry_after: Some(seconds), ..self }
    }

    /// The request can't be understood.
    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::BAD_REQUEST, message)
    }

    /// There is nothing of this name.
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::NOT_FOUND, message)
    }

    /// Something here does not work.
    pub(crate) fn broken(message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }

    /// The request has no token.
    pub(crate) fn no_token() -> Self {
        ApiError::new(StatusCode::UNAUTHORIZED, "a token is needed").help(
            "send `Authorization: Bearer TOKEN`, or open the link that `loopctl serve` printed; `loopctl serve token add` makes others",
        )
    }

    /// The session of a page that is open has ended.
    pub(crate) fn signed_out() -> Self {
        ApiError::new(StatusCode::UNAUTHORIZED, "you are signed out, and this was not kept")
            .help("open the link that you were given in another tab, then do it again here")
    }

    /// The token is not one, or is no longer valid.
    pub(crate) fn wrong_token() -> Self {
        ApiError::new(StatusCode::UNAUTHORIZED, "the token is unknown, expired or revoked")
            .help("open the link that `loopctl serve` printed last, or ask for another token")
    }

    /// The token does not allow it.
    pub(crate) fn not_allowed(identity: &Identity, needed: AccessRole) -> Self {
        let message = format!(
            "the token `{}` may {}, and this needs `{needed}`",
            sanitize_line(&identity.name),
            identity.role
        );
        ApiError::new(StatusCode::FORBIDDEN, message).help("ask an admin for a token of that role")
    }

    /// The service does not go by this name.
    pub(crate) fn unknown_host(host: &str) -> Self {
        let message = format!("`{}` is not a name of this service", sanitize_line(host));
        ApiError::new(StatusCode::FORBIDDEN, message).help("start it with `--host NAME` if it is one")
    }

    /// Another site's page made the browser ask.
    pub(crate) fn other_site() -> Self {
        ApiError::new(StatusCode::FORBIDDEN, "the request does not come from a page of this service")
            .help("programs send `Authorization: Bearer TOKEN` and no `Origin`")
    }

    /// A client without a token asks too often.
    pub(crate) fn too_often() -> Self {
        ApiError::new(StatusCode::TOO_MANY_REQUESTS, "too many requests without a token that holds")
            .retry_after(1)
    }

    /// A name has as many requests in flight as it may.
    pub(crate) fn too_much_at_once() -> Self {
        ApiError::new(StatusCode::TOO_MANY_REQUESTS, "too many requests of this token's name are in flight")
            .help("wait for answers, and close streams of events that no one reads")
            .retry_after(1)
    }

    /// All connections are taken.
    pub(crate) fn no_room() -> Self {
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "the service has as many connections as it takes")
            .retry_after(5)
    }

    /// The headers are too large.
    pub(crate) fn large_headers() -> Self {
        ApiError::new(
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            "the headers of the request have more than 64 KB",
        )
    }

    /// Returns a description of what is wrong.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Returns advice on what to do about it.
    pub(crate) fn help_text(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl From<StoreError> for ApiError {
    /// The path of the journal is not for clients on the network.
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::UnknownRun { .. } | StoreError::UnknownDocument { .. } => {
                ApiError::not_found(error.to_string())
            }
            StoreError::Locked { .. } | StoreError::DiskFull { .. } | StoreError::ShuttingDown => {
                tracing::error!(target: "loopctl", event = "journal_failed", error = %error);
                ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "nothing can be kept at the moment")
                    .retry_after(5)
            }
            other => {
                tracing::error!(target: "loopctl", event = "journal_failed", error = %other);
                ApiError::broken("the journal could not be read or written")
                    .help("the log of the service says why")
            }
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (why, error) = (RefusalReason(self.message.clone()), self.clone());
        let answer = ErrorAnswer { error: self.message, help: self.help };
        let mut response = (self.status, Json(answer)).into_response();
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response.extensions_mut().insert(why);
        response.extensions_mut().insert(error);
        response
    }
}

impl From<JsonRejection> for ApiError {
    fn from(rejection: JsonRejection) -> Self {
        ApiError::new(rejection.status(), sanitize_line(&rejection.body_text()))
            .help("send JSON as `/api/openapi.json` describes it, with `Content-Type: application/json`")
    }
}

impl From<MultipartRejection> for ApiError {
    fn from(rejection: MultipartRejection) -> Self {
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        ApiError::new(status, sanitize_line(&rejection.body_text()))
            .help("send a form as `multipart/form-data` with its boundary")
    }
}

impl From<QueryRejection> for ApiError {
    fn from(rejection: QueryRejection) -> Self {
        ApiError::new(rejection.status(), sanitize_line(&rejection.body_text()))
            .help("`/api/openapi.json` describes the parameters")
    }
}

impl From<MultipartError> for ApiError {
    fn from(error: MultipartError) -> Self {
        ApiError::new(error.status(), sanitize_line(&error.body_text()))
    }
}
