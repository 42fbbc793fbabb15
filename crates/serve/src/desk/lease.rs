//! Leases: which reviewer has a document open.

use crate::api::ApiError;
use crate::state::Service;
use crate::store::{DocumentKey, Lease};
use crate::value::sanitize_line;
use axum::http::StatusCode;
use jiff::{SignedDuration, Timestamp};

/// The time for which a document is a reviewer's; the page renews it while it is open.
const LASTS: SignedDuration = SignedDuration::from_mins(10);

/// The time in milliseconds since 1970.
pub(super) fn now_ms() -> u64 {
    u64::try_from(Timestamp::now().as_millisecond()).unwrap_or_default()
}

/// Takes a document for a reviewer, or says whose it is.
pub(super) fn take(service: &Service, document: DocumentKey, reviewer: &str) -> Result<Lease, ApiError> {
    let now = now_ms();
    let until = now.saturating_add(u64::try_from(LASTS.as_millis()).unwrap_or_default());
    Ok(service.journal.take_lease(document, reviewer, now, until)?)
}

/// The end of a lease, as a time of day in UTC.
pub(super) fn until(lease: &Lease) -> String {
    let at = i64::try_from(lease.until_ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    at.map_or_else(String::new, |at| at.strftime("%H:%M UTC").to_string())
}

/// The message of a key where another reviewer has the document.
pub(super) fn taken(lease: &Lease) -> String {
    let (who, until) = (sanitize_line(&lease.reviewer), until(lease));
    format!("{who} is reviewing this document until {until}, so you can't decide about it.")
}

/// Another reviewer has the document, or no one.
pub(super) fn not_held(document: &str, lease: Option<&Lease>) -> ApiError {
    let id = sanitize_line(document);
    match lease {
        Some(lease) => {
            let who = sanitize_line(&lease.reviewer);
            ApiError::new(StatusCode::CONFLICT, format!("`{who}` is reviewing `{id}` until {}", until(lease)))
                .help("nothing was saved; open another document, or come back later")
        }
        None => ApiError::new(StatusCode::CONFLICT, format!("you no longer have `{id}` open"))
            .help("nothing was saved; open the document again to continue"),
    }
}

/// The document is not as the reviewer saw it.
pub(super) fn changed(document: &str, what: &str) -> ApiError {
    let id = sanitize_line(document);
    ApiError::new(StatusCode::CONFLICT, format!("{what} of `{id}` since you opened it"))
        .help("nothing was saved; open the document again")
}
