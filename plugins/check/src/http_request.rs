//! Checks that an HTTP request is one that the host would send, and that it gives nothing away.

use std::sync::LazyLock;

use loopctl_plugin_sdk::protocol::HttpRequest;
use regex::Regex;

use super::subject::PluginUnderTest;
use crate::provider::error::sanitize_message;

const OPEN: &str = "${secret:";

/// The form of keys of well-known vendors.
static KEY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"\b(?:sk-[A-Za-z0-9_-]{16,}|AIza[0-9A-Za-z_-]{30,}|gh[pousr]_[A-Za-z0-9]{30,}|AKIA[0-9A-Z]{16})\b",
    )
    .ok()
});

/// Parts of the names of headers and query parameters that carry keys.
static CARRIES_KEY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:^|[-_])(?:authorization|(?:api)?-?_?key|token|secret|cookie)$").ok()
});

/// `Ok` for a request that the host would send. Errors don't have the values of headers.
pub(super) fn check(subject: &PluginUnderTest<'_>, request: &HttpRequest) -> Result<(), String> {
    if !request.path.starts_with('/') {
        return Err("the path doesn't begin with `/`".to_owned());
    }
    if request.path.chars().any(|c| c.is_control() || c.is_whitespace() || !c.is_ascii()) {
        return Err("the path has characters that must be percent-encoded".to_owned());
    }
    subject.would_send(request)?;
    no_literal_keys(request)?;
    if request.path.contains(OPEN) || request.body.contains(OPEN) {
        return Err(format!("`{OPEN}…}}` is in the path or body, where the host doesn't fill it in"));
    }
    let says_json = request
        .headers
        .iter()
        .any(|(name, value)| name.eq_ignore_ascii_case("content-type") && value.contains("json"));
    if says_json && let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(&request.body) {
        return Err(format!(
            "`content-type` says JSON, and the body isn't (line {}, column {})",
            error.line(),
            error.column()
        ));
    }
    Ok(())
}

fn no_literal_keys(request: &HttpRequest) -> Result<(), String> {
    let looks = |pattern: &LazyLock<Option<Regex>>, text: &str| {
        pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
    };
    for (name, value) in &request.headers {
        if looks(&KEY, value) || (looks(&CARRIES_KEY, name) && !value.contains(OPEN)) {
            return Err(format!("the header `{}` carries a key in plain text", sanitize_message(name)));
        }
    }
    let query = request.path.split_once('?').map_or("", |(_, query)| query);
    for parameter in query.split('&') {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        if looks(&KEY, value) || (looks(&CARRIES_KEY, name) && !value.is_empty()) {
            return Err(format!("the query's `{}` carries a key in plain text", sanitize_message(name)));
        }
    }
    if looks(&KEY, &request.path) || looks(&KEY, &request.body) {
        return Err("something that looks like a key is in the path or body".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn request(path: &str, header: (&str, &str)) -> HttpRequest {
        HttpRequest {
            method: "POST".to_owned(),
            path: path.to_owned(),
            headers: BTreeMap::from([(header.0.to_owned(), header.1.to_owned())]),
            body: String::new(),
            base_url: None,
        }
    }

    #[test]
    fn keys_are_noticed_wherever_they_stand_and_never_said() {
        let key = "sk-0123456789abcdef0123";
        for bad in [
            request("/v1", ("authorization", "Bearer abc")),
            request("/v1", ("X-Api-Key", "abc")),
            request("/v1", ("x-goog-api-key", "abc")),
            request("/v1", ("api-key", "abc")),
            request("/v1", ("x-note", key)),
            request("/v1?key=abc", ("x-note", "1")),
            request("/v1?a=1&access_token=abc", ("x-note", "1")),
            HttpRequest { body: format!("{{\"a\": \"{key}\"}}"), ..request("/v1", ("x-note", "1")) },
        ] {
            let said = no_literal_keys(&bad).unwrap_err();
            assert!(!said.contains("abc") && !said.contains(key), "{said}");
        }
        for good in [
            request("/v1?alt=json", ("authorization", "Bearer ${secret:ACME_KEY}")),
            request("/v1?key=", ("x-monkey", "abc")),
            request("/v1", ("anthropic-version", "2023-06-01")),
            request("/v1/tokens", ("x-max-tokens", "5")),
        ] {
            assert_eq!(no_literal_keys(&good), Ok(()), "{good:?}");
        }
    }
}
