//! Decides where requests may go: to the hosts that the manifest and the configuration name, with TLS, and to none that
//! the profile doesn't list.

use loopctl_plugin_sdk::protocol::{HttpRequest, Manifest};
use reqwest::Url;

use super::endpoint::base_url;
use crate::error::sanitize_message;
use crate::profile::HostPattern;

/// A host and a port.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ServerOrigin {
    host: String,
    port: u16,
}

impl ServerOrigin {
    pub(super) fn of(url: &Url) -> Option<Self> {
        Some(Self { host: url.host_str()?.to_ascii_lowercase(), port: url.port_or_known_default()? })
    }

    /// `name` or `name:port`.
    fn parse(text: &str) -> Option<Self> {
        let url = Url::parse(&format!("https://{text}")).ok()?;
        let plain = url.username().is_empty()
            && url.password().is_none()
            && url.path() == "/"
            && url.query().is_none();
        if plain && !text.contains('/') { Self::of(&url) } else { None }
    }
}

impl std::fmt::Display for ServerOrigin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.host)?;
        if self.port == 443 { Ok(()) } else { write!(f, ":{}", self.port) }
    }
}

/// The destinations to which an opened `http` plugin may send requests.
#[derive(Debug)]
pub(super) struct Egress {
    default_base: Url,
    hosts: Vec<ServerOrigin>,
    plain_http: bool,
    /// The profile's list.
    listed: Option<Vec<HostPattern>>,
}

impl Egress {
    /// Host and port of requests that don't name any.
    pub(super) fn server(&self) -> Option<(String, u16)> {
        ServerOrigin::of(&self.default_base).map(|origin| (origin.host, origin.port))
    }

    /// `base` is where requests go that don't name a base; the configuration, the environment or the manifest named it.
    ///
    /// # Errors
    /// A message, when requests may not go there.
    pub(super) fn new(
        manifest: &Manifest,
        base: Url,
        plain_http: bool,
        listed: Option<Vec<HostPattern>>,
    ) -> Result<Self, String> {
        let mut hosts = Vec::new();
        for host in &manifest.hosts {
            hosts.push(
                ServerOrigin::parse(host).ok_or_else(|| {
                    format!("the manifest's host `{}` can't be used", sanitize_message(host))
                })?,
            );
        }
        // Anyone who writes the configuration or the environment may send requests anywhere.
        hosts.extend(ServerOrigin::of(&base));
        let egress = Self { default_base: base, hosts, plain_http, listed };
        egress.may_go(&egress.default_base)?;
        Ok(egress)
    }

    fn may_go(&self, url: &Url) -> Result<(), String> {
        let host = url.host_str().unwrap_or_default();
        if !ServerOrigin::of(url).is_some_and(|origin| self.hosts.contains(&origin)) {
            return Err(format!(
                "the plugin wants to reach `{}`, which neither its manifest nor `base_url` names",
                sanitize_message(url.authority())
            ));
        }
        if let Some(listed) = &self.listed {
            let admits = |origin: ServerOrigin| listed.iter().any(|p| p.admits(&origin.host, origin.port));
            if !ServerOrigin::of(url).is_some_and(admits) {
                return Err(format!(
                    "`{}` may not be reached: the profile's `network.egress` doesn't list it",
                    sanitize_message(url.authority())
                ));
            }
        }
        match url.scheme() {
            "https" => Ok(()),
            "http" if self.plain_http || is_loopback(url) => Ok(()),
            "http" => Err(format!(
                "`{}` would be reached without TLS: use https, or set `allow_http: true`",
                sanitize_message(host)
            )),
            other => Err(format!("`{}` is not a scheme for requests: use https", sanitize_message(other))),
        }
    }

    /// The base URL of requests that don't name one.
    pub(super) fn base(&self) -> &str {
        self.default_base.as_str().trim_end_matches('/')
    }

    /// The URL of a plugin's request.
    ///
    /// # Errors
    /// A message, when it may not go there.
    pub(super) fn url(&self, request: &HttpRequest) -> Result<Url, String> {
        let base = match &request.base_url {
            Some(base) => base_url(base)?,
            None => self.default_base.clone(),
        };
        self.may_go(&base)?;
        if !request.path.starts_with('/') {
            return Err("the plugin's path doesn't begin with `/`".to_owned());
        }
        let whole = format!("{}{}", base.as_str().trim_end_matches('/'), request.path);
        let url = Url::parse(&whole).map_err(|error| format!("the plugin's path can't be used: {error}"))?;
        if ServerOrigin::of(&url) != ServerOrigin::of(&base) || url.scheme() != base.scheme() {
            return Err("the plugin's path leads to another host".to_owned());
        }
        // Dots are resolved already.
        let below = url.path().strip_prefix(base.path().trim_end_matches('/'));
        if below.is_none_or(|below| !below.starts_with('/')) {
            return Err("the plugin's path leads out of the base URL".to_owned());
        }
        Ok(url)
    }
}

/// Returns whether a URL leads to this very machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || address.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::tests::manifest;
    use std::collections::BTreeMap;

    fn egress(hosts: &[&str], base: &str) -> Result<Egress, String> {
        Egress::new(&manifest(hosts), base_url(base)?, false, None)
    }

    fn to(path: &str, base: Option<&str>) -> HttpRequest {
        HttpRequest {
            method: "POST".into(),
            path: path.into(),
            headers: BTreeMap::new(),
            body: String::new(),
            base_url: base.map(Into::into),
        }
    }

    #[test]
    fn requests_go_only_where_manifest_and_configuration_say() {
        let open = egress(&["api.example.com", "eu.example.com:8443"], "https://api.example.com").unwrap();
        assert_eq!(open.url(&to("/v1/x?y=1", None)).unwrap().as_str(), "https://api.example.com/v1/x?y=1");
        assert!(open.url(&to("/v1", Some("https://eu.example.com:8443/base"))).is_ok());
        for (path, base) in [
            ("/v1", Some("https://evil.example.net")),
            ("/v1", Some("https://eu.example.com")),
            ("/v1", Some("https://api.example.com:444")),
            ("/v1", Some("http://api.example.com:443")),
            ("/v1", Some("https://api.example.com@evil.example.net")),
            ("/v1", Some("file:///etc/passwd")),
            ("v1", None),
            ("@evil.example.net/", None),
            (".evil.example.net/", None),
        ] {
            assert!(open.url(&to(path, base)).is_err(), "{path} {base:?}");
        }
        let configured = egress(&["api.example.com"], "https://mine.example.org/llm").unwrap();
        assert_eq!(configured.url(&to("/v1", None)).unwrap().as_str(), "https://mine.example.org/llm/v1");
        assert!(configured.url(&to("/v1/../v2", None)).is_ok());
        for path in ["/../admin", "/%2e%2e/admin", "/v1/../../llm2/x"] {
            assert!(configured.url(&to(path, None)).unwrap_err().contains("out of the base URL"), "{path}");
        }
    }

    #[test]
    fn plain_http_needs_loopback_or_leave() {
        for (base, fits) in [
            ("http://127.0.0.1:11434", true),
            ("http://[::1]:11434", true),
            ("http://localhost:11434", true),
            ("http://127.0.0.1.example.com", false),
            ("http://10.0.0.1", false),
            ("https://10.0.0.1", true),
        ] {
            assert_eq!(egress(&[], base).is_ok(), fits, "{base}");
        }
        let plain = base_url("http://10.0.0.1").unwrap();
        assert!(Egress::new(&manifest(&[]), plain, true, None).is_ok());
    }

    #[test]
    fn the_profiles_list_binds_manifest_and_configuration() {
        let with = |base: &str, listed: &[&str]| {
            let listed = listed.iter().map(|text| HostPattern::parse(text).unwrap()).collect();
            let hosts = ["api.example.com", "eu.example.com"];
            Egress::new(&manifest(&hosts), base_url(base).unwrap(), false, Some(listed))
        };
        let open = with("https://api.example.com", &["api.example.com"]).unwrap();
        assert!(open.url(&to("/v1", None)).is_ok());
        let problem = open.url(&to("/v1", Some("https://eu.example.com"))).unwrap_err();
        assert!(problem.contains("`network.egress` doesn't list"), "{problem}");
        for (base, listed, fits) in [
            ("https://api.example.com", &["*.example.com"][..], true),
            ("https://api.example.com", &[], false),
            ("https://api.example.com", &["api.example.com:8443"], false),
            ("http://127.0.0.1:1234", &["api.example.com"], false),
            ("http://127.0.0.1:1234", &["127.0.0.1"], true),
            ("https://mine.example.org", &["*.example.com"], false),
        ] {
            assert_eq!(with(base, listed).is_ok(), fits, "{base} {listed:?}");
        }
    }
}
