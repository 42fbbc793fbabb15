//! The network on behalf of `http` plugins: where a request may go, which secrets it may carry, and how much may come
//! back. A plugin never sees a secret's value, and never chooses a host that its manifest or the user didn't name.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use loopctl_plugin_sdk::abi::LC_MAX_OUTPUT;
use loopctl_plugin_sdk::protocol::{HttpRequest, HttpResponse, Manifest};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, Url};
use serde_json::Value;

use super::error::{FailureKind, Fault, tame};

const CONNECT_LIMIT: Duration = Duration::from_secs(10);
const MAX_REDIRECTS: usize = 5;
/// Room for the JSON around and within the body, which must fit what a plugin takes.
const MAX_BODY: usize = LC_MAX_OUTPUT;
/// Shorter values than this would be found in any text.
const REDACT_FROM: usize = 8;

/// Where the values of secrets come from: by name.
pub(super) type Secrets = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// What an opened `http` plugin may do on the network.
pub(super) struct Egress {
    default_base: Url,
    hosts: Vec<Origin>,
    plain_http: bool,
    declared_secrets: Vec<String>,
    secrets: Secrets,
}

/// A host and a port that requests may go to.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Origin {
    host: String,
    port: u16,
}

impl Origin {
    fn of(url: &Url) -> Option<Self> {
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

impl Egress {
    /// From the manifest and the keys `base_url` and `allow_http` of the configuration.
    ///
    /// # Errors
    /// In words, when they name no usable host.
    pub(super) fn new(manifest: &Manifest, config: &Value, secrets: Secrets) -> Result<Self, String> {
        let mut hosts = Vec::new();
        for host in &manifest.hosts {
            hosts.push(
                Origin::parse(host)
                    .ok_or_else(|| format!("the manifest's host `{}` can't be used", tame(host)))?,
            );
        }
        let plain_http = config.get("allow_http").and_then(Value::as_bool).unwrap_or(false);
        let base = match config.get("base_url") {
            None | Some(Value::Null) => match manifest.hosts.first() {
                Some(host) => format!("https://{host}"),
                None => return Err("no `base_url`: the plugin has no host of its own".to_owned()),
            },
            Some(Value::String(url)) => url.clone(),
            Some(_) => return Err("`base_url` must be a text".to_owned()),
        };
        let default_base = base_url(&base)?;
        // Whoever writes the configuration may send requests where they like.
        hosts.extend(Origin::of(&default_base));
        let egress =
            Self { default_base, hosts, plain_http, declared_secrets: manifest.secrets.clone(), secrets };
        egress.may_go(&egress.default_base)?;
        Ok(egress)
    }

    fn may_go(&self, url: &Url) -> Result<(), String> {
        let host = url.host_str().unwrap_or_default();
        if !Origin::of(url).is_some_and(|origin| self.hosts.contains(&origin)) {
            return Err(format!(
                "the plugin wants to reach `{}`, which neither its manifest nor `base_url` names",
                tame(url.authority())
            ));
        }
        match url.scheme() {
            "https" => Ok(()),
            "http" if self.plain_http || is_loopback(url) => Ok(()),
            "http" => Err(format!(
                "`{}` would be reached without TLS: use https, or set `allow_http: true`",
                tame(host)
            )),
            other => Err(format!("`{}` is not a scheme for requests: use https", tame(other))),
        }
    }

    /// Carries out a plugin's request. Any HTTP status is an answer; the plugin knows what it means.
    pub(super) async fn perform(&self, request: HttpRequest) -> Result<HttpResponse, Fault> {
        let refused = |problem: String| Fault::new(FailureKind::Permanent, problem);
        let url = self.url(&request).map_err(refused)?;
        let method = Method::from_bytes(request.method.as_bytes())
            .map_err(|_| refused(format!("`{}` is not an HTTP method", tame(&request.method))))?;
        let (headers, values) = self.headers(&request.headers)?;

        let client = if is_loopback(&url) { &*LOOPBACK } else { &*OUTSIDE };
        let client = client.as_ref().map_err(|problem| refused(problem.clone()))?;
        let mut response = client
            .request(method, url)
            .headers(headers)
            .body(request.body)
            .send()
            .await
            .map_err(|error| transport(&error))?;

        let status = response.status();
        if status.is_redirection() && response.headers().contains_key(reqwest::header::LOCATION) {
            return Err(refused(format!(
                "the server redirects to another host (status {status}): check `base_url`"
            )));
        }
        let mut told: BTreeMap<String, String> = BTreeMap::new();
        for (name, value) in response.headers() {
            let Ok(value) = value.to_str() else { continue };
            told.entry(name.as_str().to_owned())
                .and_modify(|all| {
                    all.push_str(", ");
                    all.push_str(value);
                })
                .or_insert_with(|| value.to_owned());
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| transport(&error))? {
            if body.len().saturating_add(chunk.len()) > MAX_BODY {
                return Err(Fault::new(
                    FailureKind::TooLarge,
                    format!("the server's answer is longer than {MAX_BODY} bytes"),
                ));
            }
            body.extend_from_slice(&chunk);
        }
        let redact = |text: String| {
            values
                .iter()
                .filter(|value| value.len() >= REDACT_FROM)
                .fold(text, |text, value| text.replace(value, "[secret]"))
        };
        Ok(HttpResponse {
            status: status.as_u16(),
            headers: told.into_iter().map(|(name, value)| (name, redact(value))).collect(),
            body: redact(String::from_utf8_lossy(&body).into_owned()),
        })
    }

    fn url(&self, request: &HttpRequest) -> Result<Url, String> {
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
        if Origin::of(&url) != Origin::of(&base) || url.scheme() != base.scheme() {
            return Err("the plugin's path leads to another host".to_owned());
        }
        Ok(url)
    }

    /// The headers with secrets filled in, and the values that were.
    fn headers(&self, asked: &BTreeMap<String, String>) -> Result<(HeaderMap, Vec<String>), Fault> {
        let refused = |problem: String| Fault::new(FailureKind::Permanent, problem);
        let mut headers = HeaderMap::new();
        let mut values = Vec::new();
        for (name, value) in asked {
            let header = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| refused(format!("`{}` is not a header's name", tame(name))))?;
            const OURS: &[&str] = &[
                "host",
                "content-length",
                "transfer-encoding",
                "connection",
                "upgrade",
                "te",
                "trailer",
                "expect",
            ];
            if OURS.contains(&header.as_str()) || header.as_str().starts_with("proxy-") {
                return Err(refused(format!("the header `{header}` is not the plugin's to set")));
            }
            let before = values.len();
            let filled = self.fill(value, &mut values)?;
            let mut filled = HeaderValue::from_str(&filled).map_err(|_| {
                refused(format!("the value of header `{header}` has characters that headers can't have"))
            })?;
            filled.set_sensitive(values.len() > before);
            headers.append(header, filled);
        }
        Ok((headers, values))
    }

    fn fill(&self, value: &str, used: &mut Vec<String>) -> Result<String, Fault> {
        const OPEN: &str = "${secret:";
        let mut filled = String::new();
        let mut rest = value;
        while let Some((before, after)) = rest.split_once(OPEN) {
            let Some((name, after)) = after.split_once('}') else {
                return Err(Fault::new(
                    FailureKind::Permanent,
                    "a secret's placeholder isn't closed with `}`",
                ));
            };
            if !self.declared_secrets.iter().any(|declared| declared == name) {
                return Err(Fault::new(
                    FailureKind::Permanent,
                    format!(
                        "the plugin asks for the secret `{}`, which its manifest doesn't declare",
                        tame(name)
                    ),
                ));
            }
            let secret = (self.secrets)(name).filter(|secret| !secret.is_empty()).ok_or_else(|| {
                Fault::new(FailureKind::Unauthorized, format!("the environment variable `{name}` is not set"))
            })?;
            filled.push_str(before);
            filled.push_str(secret.trim());
            used.push(secret.trim().to_owned());
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }
}

fn base_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("`{}` is not a URL: {error}", tame(text)))?;
    if !url.username().is_empty() || url.password().is_some() {
        // Not shown: it holds a password.
        return Err("`base_url` must not hold a user or a password".to_owned());
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("`base_url` must not have a `?` or `#`".to_owned());
    }
    Ok(url)
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || address.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Shared, so that connections are. Proxies of the environment apply to all but this very machine.
static OUTSIDE: LazyLock<Result<Client, String>> = LazyLock::new(|| client(false));
static LOOPBACK: LazyLock<Result<Client, String>> = LazyLock::new(|| client(true));

fn client(loopback: bool) -> Result<Client, String> {
    // The first provider that is installed stays; it makes no difference which.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // A header with a key in it must not follow to a place that nobody named.
    let redirects = reqwest::redirect::Policy::custom(|attempt| {
        let came_from = attempt.previous().last().map(|url| (url.scheme().to_owned(), Origin::of(url)));
        let leads_to = Some((attempt.url().scheme().to_owned(), Origin::of(attempt.url())));
        if came_from == leads_to && attempt.previous().len() <= MAX_REDIRECTS {
            attempt.follow()
        } else {
            attempt.stop()
        }
    });
    let builder = Client::builder()
        .user_agent(concat!("loopctl/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_LIMIT)
        .referer(false)
        .redirect(redirects);
    let builder = if loopback { builder.no_proxy() } else { builder };
    builder.build().map_err(|error| format!("can't set up the network client: {}", chain(&error)))
}

fn transport(error: &reqwest::Error) -> Fault {
    Fault { free: error.is_connect(), ..Fault::new(FailureKind::Transient, chain(error)) }
}

/// An error with its causes, without the URL, whose path may hold what is nobody's business.
fn chain(error: &reqwest::Error) -> String {
    use std::error::Error;
    let mut text = if error.is_connect() {
        "can't connect".to_owned()
    } else if error.is_timeout() {
        "timed out".to_owned()
    } else {
        "the request failed".to_owned()
    };
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    tame(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopctl_plugin_sdk::protocol::{AbiVersion, PluginKind};
    use serde_json::json;

    fn egress(hosts: &[&str], config: Value) -> Result<Egress, String> {
        let manifest = Manifest {
            name: "t".into(),
            version: "1".into(),
            abi: AbiVersion { major: 1, minor: 0 },
            kind: PluginKind::Http,
            description: String::new(),
            capabilities: vec![],
            config_schema: None,
            secrets: vec!["KEY".into()],
            hosts: hosts.iter().map(|host| (*host).to_owned()).collect(),
            endpoints: Vec::new(),
        };
        Egress::new(&manifest, &config, Arc::new(|name| (name == "KEY").then(|| "sesame-open".to_owned())))
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
        let open = egress(&["api.example.com", "eu.example.com:8443"], json!({})).unwrap();
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
        let configured =
            egress(&["api.example.com"], json!({"base_url": "https://mine.example.org/llm"})).unwrap();
        assert_eq!(configured.url(&to("/v1", None)).unwrap().as_str(), "https://mine.example.org/llm/v1");
    }

    #[test]
    fn plain_http_needs_loopback_or_leave() {
        assert!(egress(&[], json!({"base_url": "http://127.0.0.1:11434"})).is_ok());
        assert!(egress(&[], json!({"base_url": "http://[::1]:11434"})).is_ok());
        assert!(egress(&[], json!({"base_url": "http://localhost:11434"})).is_ok());
        assert!(egress(&[], json!({"base_url": "http://127.0.0.1.example.com"})).is_err());
        assert!(egress(&[], json!({"base_url": "http://10.0.0.1"})).is_err());
        assert!(egress(&[], json!({"base_url": "http://10.0.0.1", "allow_http": true})).is_ok());
        assert!(egress(&[], json!({})).is_err());
        assert!(egress(&[], json!({"base_url": "https://u:p@x.example"})).is_err());
    }

    #[test]
    fn only_declared_secrets_are_filled_in() {
        let open = egress(&["api.example.com"], json!({})).unwrap();
        let with =
            |name: &str, value: &str| open.headers(&BTreeMap::from([(name.to_owned(), value.to_owned())]));
        let (headers, values) = with("Authorization", "Bearer ${secret:KEY}").unwrap();
        assert_eq!(headers["authorization"], "Bearer sesame-open");
        assert!(headers["authorization"].is_sensitive());
        assert_eq!(values, ["sesame-open"]);
        for (name, value) in [
            ("authorization", "${secret:HOME}"),
            ("authorization", "${secret:KEY"),
            ("host", "evil.example.net"),
            ("bad name", "x"),
            ("x", "a\nb"),
        ] {
            assert!(with(name, value).is_err(), "{name}: {value}");
        }
    }
}
