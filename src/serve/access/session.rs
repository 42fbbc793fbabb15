//! The session of a browser: a cookie that no script can read and no other site's page has sent along.

use axum::http::{HeaderMap, header};
use jiff::SignedDuration;

/// The name of the cookie.
const COOKIE: &str = "loopctl_session";

/// How long a session lasts: a long day.
pub(super) const LASTS: SignedDuration = SignedDuration::from_hours(14);

/// The token in the cookie, if there is one.
pub(super) fn token_of(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|cookies| cookies.split(';'));
    pairs.find_map(|pair| pair.trim().strip_prefix(COOKIE)?.strip_prefix('='))
}

/// What has the browser keep a session. `is_secure` where it came by TLS.
pub(super) fn cookie(token: &str, is_secure: bool) -> String {
    let secure = if is_secure { "; Secure" } else { "" };
    format!("{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{secure}", LASTS.as_secs())
}

/// What has the browser forget it.
pub(super) fn no_cookie() -> String {
    format!("{COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0")
}
