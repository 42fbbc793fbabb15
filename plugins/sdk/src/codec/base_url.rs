//! Base URLs as people write them: with and without the version of the API.

use serde_json::Value;

use super::configured;

/// The configuration's `base_url`, taken apart as far as a codec needs it. The host checks it and puts it before
/// [`path`](crate::protocol::HttpRequest::path).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl {
    host: String,
    path: String,
}

impl BaseUrl {
    /// The configuration's `base_url`, if it has one.
    pub fn configured(config: &Value) -> Option<Self> {
        configured(config, "base_url").map(|url| Self::parse(&url))
    }

    /// From `https://host:port/path`. Any other text gives no host, and the network refuses it.
    pub fn parse(url: &str) -> Self {
        let rest = url.trim().split_once("://").map_or("", |(_, rest)| rest);
        let (authority, path) = match rest.find(['/', '?', '#']) {
            Some(at) => rest.split_at(at),
            None => (rest, ""),
        };
        let host_and_port = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let host = match host_and_port.rsplit_once(':') {
            // In `[::1]` the colons belong to the address.
            Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
            _ => host_and_port,
        };
        let path = path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        Self { host: host.to_ascii_lowercase(), path: path.to_owned() }
    }

    /// In lower case, without the port.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns whether this is `domain` or below it.
    pub fn is_within(&self, domain: &str) -> bool {
        self.host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    }

    /// Its path, without a slash at the end.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns whether it names the API's version (`/v1`, `/api/v1`, `/v1beta/openai`), so that a codec must
    /// not.
    pub fn has_version(&self) -> bool {
        self.path.split('/').any(|segment| {
            segment.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_urls_apart() {
        let cases = [
            ("https://api.openai.com/v1", "api.openai.com", "/v1", true),
            ("https://API.OpenAI.com:443/v1/", "api.openai.com", "/v1", true),
            ("http://127.0.0.1:8000", "127.0.0.1", "", false),
            ("http://[::1]:8000/", "[::1]", "", false),
            ("http://[::1]/v1beta", "[::1]", "/v1beta", true),
            ("https://user:word@host.example/api/v1?x#y", "host.example", "/api/v1", true),
            ("https://host.example/vision/video", "host.example", "/vision/video", false),
            ("https://host.example/v1beta/openai", "host.example", "/v1beta/openai", true),
            ("nonsense", "", "", false),
            ("", "", "", false),
        ];
        for (url, host, path, versioned) in cases {
            let base = BaseUrl::parse(url);
            assert_eq!((base.host(), base.path(), base.has_version()), (host, path, versioned), "{url}");
        }
    }

    #[test]
    fn a_domain_holds_its_subdomains_only() {
        assert!(BaseUrl::parse("https://eu.api.openai.com").is_within("api.openai.com"));
        assert!(BaseUrl::parse("https://api.openai.com").is_within("api.openai.com"));
        assert!(!BaseUrl::parse("https://evilapi.openai.com").is_within("api.openai.com"));
        assert!(!BaseUrl::parse("https://api.openai.com.evil.example").is_within("api.openai.com"));
    }
}
