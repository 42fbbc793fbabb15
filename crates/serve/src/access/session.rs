//! The session of a browser: a cookie that no script can read and no other site's page has sent along.

use axum::http::{HeaderMap, header};
use jiff::SignedDuration;

/// The name of the cookie.
const COOKIE: &str = "loopctl_session";

/// Its name where it came by TLS. Browsers take a cookie of such a name only from this very host, so that no neighbour
/// under the same domain can put a session of its own in its place.
const SECURE_COOKIE: &str = "__Host-loopctl_session";

/// The duration of a session: a long day.
pub(super) const LASTS: SignedDuration = SignedDuration::from_hours(14);

/// Returns whether the browser speaks TLS, with a proxy that says so. A client that says it wrongly harms only itself:
/// it names its own cookie.
pub(super) fn is_secure(headers: &HeaderMap) -> bool {
    headers.get("x-forwarded-proto").is_some_and(|proto| proto == "https")
}

fn name(is_secure: bool) -> &'static str {
    if is_secure { SECURE_COOKIE } else { COOKIE }
}

/// The token in the cookie, if there is one. Of two, one is not ours, and neither counts.
pub(super) fn token_of(headers: &HeaderMap) -> Option<&str> {
    let name = name(is_secure(headers));
    let cookies = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let pairs = cookies.flat_map(|cookies| cookies.split(';'));
    let mut tokens = pairs.filter_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='));
    tokens.next().filter(|_| tokens.next().is_none())
}

/// A cookie that makes the browser keep a session for so long. `is_secure` where it came by TLS.
pub(super) fn cookie(token: &str, lasts: SignedDuration, is_secure: bool) -> String {
    let (name, secure) = (name(is_secure), if is_secure { "; Secure" } else { "" });
    format!("{name}={token}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{secure}", lasts.as_secs())
}

/// A cookie that makes the browser forget it.
pub(super) fn no_cookie(is_secure: bool) -> String {
    cookie("", SignedDuration::ZERO, is_secure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn headers(cookies: &[&'static str], is_secure: bool) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for cookie in cookies {
            headers.append(header::COOKIE, HeaderValue::from_static(cookie));
        }
        if is_secure {
            headers.insert("x-forwarded-proto", HeaderValue::from_static("https"));
        }
        headers
    }

    #[test]
    fn only_one_cookie_of_the_right_name_is_a_session() {
        let plain = |cookies: &[&'static str]| token_of(&headers(cookies, false)).map(str::to_owned);
        assert_eq!(plain(&["a=b; loopctl_session=x"]).as_deref(), Some("x"));
        assert_eq!(plain(&["a=b", "loopctl_session=x"]).as_deref(), Some("x"));
        for none in [
            &["loopctl_session=x; loopctl_session=y"][..],
            &["loopctl_session=x", "loopctl_session=x"],
            &["loopctl_sessions=x"],
            &["__Host-loopctl_session=x"],
            &["xloopctl_session=x"],
            &[],
        ] {
            assert_eq!(plain(none), None, "{none:?}");
        }
        assert_eq!(
            token_of(&headers(&["loopctl_session=x"], true)),
            None,
            "a neighbour could have put it there"
        );
        assert_eq!(token_of(&headers(&["__Host-loopctl_session=x"], true)), Some("x"));
    }

    #[test]
    fn no_script_reads_it_and_no_other_site_sends_it() {
        let lasts = SignedDuration::from_secs(60);
        assert_eq!(
            cookie("x", lasts, false),
            "loopctl_session=x; Path=/; HttpOnly; SameSite=Strict; Max-Age=60"
        );
        assert_eq!(
            cookie("x", lasts, true),
            "__Host-loopctl_session=x; Path=/; HttpOnly; SameSite=Strict; Max-Age=60; Secure"
        );
        assert_eq!(no_cookie(false), "loopctl_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
    }
}
