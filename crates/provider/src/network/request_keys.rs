//! Decides where keys may go. A profile may be someone else's: a host that only a profile names is shown
//! none.

use loopctl_plugin_sdk::protocol::{Endpoint, Manifest};
use reqwest::Url;
use serde_json::Value;

use super::EnvironmentSource;
use super::egress::is_loopback;
use crate::error::{CallError, FailureKind, sanitize_message};
use crate::profile::{Author, HostPattern, Proxy};

/// The one key that is not a vendor's: its hosts are listed by the user who sets it.
const SERVICE_TOKEN: &str = "LOOPCTL_SERVICE_TOKEN";
/// The environment variable that lists the hosts for `LOOPCTL_SERVICE_TOKEN`, separated by commas.
pub const SERVICE_HOSTS: &str = "LOOPCTL_SERVICE_HOSTS";

/// The keys that an opened plugin's requests may carry, and where to.
#[derive(Debug)]
pub(super) struct RequestKeys {
    declared: Vec<String>,
    /// The only addresses that are shown keys, besides this machine; `None` for all that requests go to.
    places: Option<Vec<Url>>,
    /// Shown [`SERVICE_TOKEN`], too.
    service_hosts: Vec<HostPattern>,
    /// The environment variables that set the endpoint's address.
    variables: Vec<String>,
    /// `true` if a proxy that only the profile names reads along what goes without TLS.
    overheard: bool,
}

impl RequestKeys {
    /// `author` says who wrote the base URL of `config`.
    ///
    /// # Errors
    /// A message, when `LOOPCTL_SERVICE_HOSTS` can't be read.
    pub(super) fn new(
        manifest: &Manifest,
        endpoint: Option<&Endpoint>,
        config: &Value,
        author: Author,
        environment: &EnvironmentSource,
    ) -> Result<Self, String> {
        let variables = endpoint.map(|endpoint| endpoint.base_url_env.clone()).unwrap_or_default();
        let named_here = config.get("base_url").is_some_and(|url| !url.is_null());
        let places = (named_here && author != Author::User).then(|| {
            // Each endpoint has keys of its own, so the addresses of the others do not count.
            let own = match endpoint {
                Some(endpoint) => endpoint.base_url.iter().cloned().collect(),
                None => manifest.hosts.iter().map(|host| format!("https://{host}")).collect::<Vec<_>>(),
            };
            let said = variables.iter().filter_map(|name| environment(name));
            own.into_iter().chain(said).filter_map(|url| Url::parse(url.trim()).ok()).collect()
        });
        let mut service_hosts = Vec::new();
        if manifest.secrets.iter().any(|secret| secret == SERVICE_TOKEN) {
            let listed = environment(SERVICE_HOSTS).unwrap_or_default();
            for host in listed.split(',').map(str::trim).filter(|host| !host.is_empty()) {
                let pattern = HostPattern::parse(host);
                service_hosts.push(pattern.ok_or_else(|| {
                    format!("the environment variable `{SERVICE_HOSTS}` has `{}`, which is neither `HOST` nor `HOST:PORT`", sanitize_message(host))
                })?);
            }
        }
        let declared = manifest.secrets.clone();
        Ok(Self { declared, places, service_hosts, variables, overheard: false })
    }

    /// These keys, for requests that go through a proxy.
    pub(super) fn through(self, proxy: &Proxy) -> Self {
        let overheard = matches!(proxy, Proxy::Named { by: Author::Profile | Author::Record, .. });
        Self { overheard, ..self }
    }

    /// Returns whether the profile's proxy would see what is in a request to `url`.
    fn overhears(&self, url: &Url) -> bool {
        self.overheard && url.scheme() != "https" && !is_loopback(url)
    }

    /// Returns whether the manifest declares this variable.
    pub(super) fn declares(&self, variable: &str) -> bool {
        self.declared.iter().any(|known| known == variable)
    }

    /// Returns whether a request to `url` may carry the key in `variable`.
    pub(super) fn may_go(&self, variable: &str, url: &Url) -> bool {
        if self.overhears(url) {
            return false;
        }
        let Some(places) = &self.places else { return true };
        let listed = || {
            let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
                return false;
            };
            // A user who lists a host without a port means TLS.
            let safe = |pattern: &HostPattern| url.scheme() == "https" || pattern.names_port();
            self.service_hosts.iter().any(|pattern| pattern.admits(host, port) && safe(pattern))
        };
        is_loopback(url)
            || places.iter().any(|place| place.origin() == url.origin())
            || (variable == SERVICE_TOKEN && listed())
    }

    /// Fails when the configuration asks for the token of services at an address that may not have it: a validator that
    /// fails at every call would be noticed late.
    ///
    /// # Errors
    /// A message.
    pub(super) fn check_token(&self, config: &Value, base: &Url) -> Result<(), String> {
        let asked = config.get("token").and_then(Value::as_bool).unwrap_or(false);
        if !asked || !self.declares(SERVICE_TOKEN) || self.may_go(SERVICE_TOKEN, base) {
            return Ok(());
        }
        Err(format!(
            "`token: true` would show `{SERVICE_TOKEN}` to `{}`, which only the profile names: if you trust it, list it in the \
             environment variable `{SERVICE_HOSTS}`",
            sanitize_message(base.authority())
        ))
    }

    /// The failure of a request that needs a key which it may not carry.
    pub(super) fn withheld(&self, url: &Url) -> CallError {
        CallError::new(FailureKind::Unauthorized, self.why_withheld(url)).help(self.advice(url))
    }

    /// The reason why a request to `url` may not carry a key.
    pub(super) fn why_withheld(&self, url: &Url) -> String {
        if self.overhears(url) {
            return "your key is not sent without TLS through a proxy that only the profile names".to_owned();
        }
        format!(
            "`{}` is named by the profile only, and is not shown your key",
            sanitize_message(url.authority())
        )
    }

    /// Advice on how to allow it.
    pub(super) fn advice(&self, url: &Url) -> String {
        if self.overhears(url) {
            return "if you trust the proxy, name it yourself: `--config network.proxy=URL`".to_owned();
        }
        if self.declares(SERVICE_TOKEN) {
            return format!("if you trust it, list it in the environment variable `{SERVICE_HOSTS}`");
        }
        let variables: Vec<String> = self.variables.iter().map(|name| format!("set `{name}`, or ")).collect();
        format!(
            "if you trust it, name it yourself: {}give `--provider-config base_url=URL` (for a judge, \
             `--config judges.*.config.base_url=URL`)",
            variables.concat()
        )
    }
}

/// The placeholder of a key in a header that a plugin makes.
pub(super) const PLACEHOLDER: &str = "${secret:";

/// The message about a placeholder elsewhere.
pub(super) const PLUGINS_ONLY: &str = "only plugins ask for keys, which come from the environment";

/// Returns whether text from a user holds a placeholder. Only plugins may write them: a profile could have all keys of
/// a plugin sent in headers of its own.
pub(super) fn placeholder_in(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(PLACEHOLDER),
        Value::Array(items) => items.iter().any(placeholder_in),
        Value::Object(members) => members.values().any(placeholder_in),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::tests::{environment, manifest};
    use serde_json::json;
    use std::collections::BTreeMap;

    fn endpoint() -> Endpoint {
        Endpoint {
            name: "acme".into(),
            base_url: Some("https://api.acme.example/v1".into()),
            base_url_env: vec!["ACME_URL".into()],
            config_env: BTreeMap::new(),
        }
    }

    fn shown(author: Author, set: &[(&str, &str)], url: &str) -> bool {
        let mut manifest = manifest(&["api.acme.example", "other.example"]);
        manifest.endpoints = vec![endpoint()];
        let config = json!({ "base_url": url });
        let keys =
            RequestKeys::new(&manifest, Some(&endpoint()), &config, author, &environment(set)).unwrap();
        keys.may_go("KEY", &Url::parse(url).unwrap())
    }

    #[test]
    fn a_host_that_only_a_profile_names_is_shown_no_key() {
        for (url, expected) in [
            ("https://evil.example/v1", false),
            ("https://api.acme.example/other", true),
            ("https://API.ACME.example", true),
            ("http://api.acme.example:443", false),
            ("https://api.acme.example:8443", false),
            ("https://api.acme.example.evil.example", false),
            // Another endpoint's, with another key.
            ("https://other.example", false),
            ("http://127.0.0.1:9", true),
            ("http://localhost:9", true),
            ("http://localhost.evil.example", false),
        ] {
            assert_eq!(shown(Author::Profile, &[], url), expected, "{url}");
            assert!(shown(Author::User, &[], url), "{url}");
        }
        assert!(shown(Author::Profile, &[("ACME_URL", "https://mine.example/x")], "https://mine.example/v1"));
        assert!(!shown(Author::Profile, &[("ACME_URL", "https://mine.example/x")], "https://evil.example"));
    }

    #[test]
    fn a_proxy_that_only_a_profile_names_overhears_no_key() {
        let keys = |by: Author| {
            let keys =
                RequestKeys::new(&manifest(&[]), None, &json!({}), Author::User, &environment(&[])).unwrap();
            keys.through(&Proxy::Named { url: "http://proxy.example:3128".into(), by })
        };
        for (url, expected) in [
            ("http://upstream.example/v1", false),
            ("https://upstream.example/v1", true),
            ("http://127.0.0.1:9", true),
        ] {
            let url = Url::parse(url).unwrap();
            assert_eq!(keys(Author::Profile).may_go("KEY", &url), expected, "{url}");
            assert!(keys(Author::User).may_go("KEY", &url), "{url}");
        }
        let withheld = keys(Author::Profile).withheld(&Url::parse("http://upstream.example").unwrap());
        assert!(withheld.help.unwrap().contains("--config network.proxy=URL"));
    }

    #[test]
    fn the_token_goes_to_services_that_its_owner_lists() {
        let token = |listed: &str, url: &str, author: Author| {
            let mut manifest = manifest(&[]);
            manifest.secrets = vec![SERVICE_TOKEN.into()];
            let config = json!({ "base_url": url, "token": true });
            let environment = environment(&[(SERVICE_HOSTS, listed)]);
            RequestKeys::new(&manifest, None, &config, author, &environment)?
                .check_token(&config, &Url::parse(url).unwrap())
        };
        let profile = Author::Profile;
        for (listed, url) in [
            ("a.example, terms.example", "https://terms.example"),
            ("terms.example:8443", "https://terms.example:8443"),
            ("terms.example:80", "http://terms.example"),
            ("", "http://127.0.0.1:9"),
        ] {
            assert_eq!(token(listed, url, profile), Ok(()), "{listed} {url}");
        }
        for (listed, url) in [
            ("", "https://terms.example"),
            ("terms.example:1", "https://terms.example"),
            ("terms.example", "http://terms.example"),
        ] {
            let problem = token(listed, url, profile).unwrap_err();
            assert!(problem.contains(SERVICE_HOSTS), "{problem}");
            assert_eq!(token(listed, url, Author::User), Ok(()));
        }
        assert!(token("https://x", "https://terms.example", profile).unwrap_err().contains("HOST:PORT"));
    }

    #[test]
    fn placeholders_are_found_wherever_they_stand() {
        assert!(placeholder_in(&json!({"a": [1, {"b": "x ${secret:KEY}"}]})));
        assert!(!placeholder_in(&json!({"a": ["${KEY}", "secret:KEY", null]})));
    }
}
