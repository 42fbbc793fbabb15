//! The HTTP client, which keeps connections between calls, and the faults that its errors become.

use std::error::Error;
use std::sync::OnceLock;

use reqwest::{Client, NoProxy, StatusCode, Url};
use rustls::CertificateError;

use super::EnvironmentSource;
use super::egress::{ServerOrigin, is_loopback};
use crate::error::{CallError, FailureKind, sanitize_message};
use crate::profile::{Network as Settings, Proxy};

const MAX_REDIRECTS: usize = 5;

/// Two clients, so that proxies apply to all but this very machine. Made when they are first needed.
#[derive(Default)]
pub(super) struct Clients {
    outside: OnceLock<Result<Client, String>>,
    loopback: OnceLock<Result<Client, String>>,
}

impl Clients {
    /// The client for a URL.
    ///
    /// # Errors
    /// When it can't be made: no certificates, an unusable proxy.
    pub(super) fn for_url(
        &self,
        url: &Url,
        settings: &Settings,
        environment: &EnvironmentSource,
    ) -> Result<&Client, CallError> {
        let made = if is_loopback(url) {
            self.loopback.get_or_init(|| client(settings, Vec::new()))
        } else {
            self.outside.get_or_init(|| client(settings, proxies(&settings.proxy, environment)?))
        };
        made.as_ref().map_err(|problem| CallError::new(FailureKind::Permanent, problem.clone()))
    }
}

fn client(settings: &Settings, proxies: Vec<reqwest::Proxy>) -> Result<Client, String> {
    // The first provider that is installed stays; it makes no difference which.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // A header with a key in it must not follow to a host that no one named.
    let redirects = reqwest::redirect::Policy::custom(|attempt| {
        let came_from = attempt.previous().last().map(|url| (url.scheme().to_owned(), ServerOrigin::of(url)));
        let leads_to = Some((attempt.url().scheme().to_owned(), ServerOrigin::of(attempt.url())));
        if keeps_request(attempt.status())
            && came_from == leads_to
            && attempt.previous().len() <= MAX_REDIRECTS
        {
            attempt.follow()
        } else {
            attempt.stop()
        }
    });
    // The environment's proxies have been read by `proxies`.
    let builder = Client::builder()
        .user_agent(concat!("loopctl/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(settings.connect_timeout.duration())
        .referer(false)
        .no_proxy()
        .redirect(redirects);
    let builder = proxies.into_iter().fold(builder, reqwest::ClientBuilder::proxy);
    builder.build().map_err(|error| format!("can't set up the network client: {}", causes(&error)))
}

/// Makes a proxy of a URL.
type Make = fn(String) -> reqwest::Result<reqwest::Proxy>;

/// The proxies of the settings, else of the environment: the variables that curl knows, too.
fn proxies(settings: &Proxy, environment: &EnvironmentSource) -> Result<Vec<reqwest::Proxy>, String> {
    let set = |names: [&'static str; 2]| {
        names.into_iter().find_map(|name| {
            environment(name).filter(|value| !value.trim().is_empty()).map(|value| (name, value))
        })
    };
    // A proxy's URL may hold a password, and is not shown.
    let unusable = |source: &str| format!("{source} is no usable proxy: write `http://HOST:PORT`");
    // One of another scheme would be ignored silently, and requests would go directly.
    let is_known =
        |url: &str| !url.contains("://") || url.starts_with("http://") || url.starts_with("https://");
    let proxy = |make: Make, url: &str, source: &str| {
        let url = Some(url.trim()).filter(|url| is_known(url)).ok_or_else(|| unusable(source))?;
        make(url.to_owned()).map_err(|_| unusable(source))
    };
    match settings {
        Proxy::Direct => Ok(Vec::new()),
        Proxy::Named { url, .. } => Ok(vec![proxy(reqwest::Proxy::all, url, "`network.proxy`")?]),
        Proxy::Environment => {
            let kinds: [([&'static str; 2], Make); 3] = [
                (["https_proxy", "HTTPS_PROXY"], reqwest::Proxy::https),
                (["http_proxy", "HTTP_PROXY"], reqwest::Proxy::http),
                (["all_proxy", "ALL_PROXY"], reqwest::Proxy::all),
            ];
            let except = set(["no_proxy", "NO_PROXY"]).and_then(|(_, list)| NoProxy::from_string(&list));
            let mut proxies = Vec::new();
            for (names, make) in kinds {
                if let Some((name, url)) = set(names) {
                    let source = format!("the environment variable `{name}`");
                    proxies.push(proxy(make, &url, &source)?.no_proxy(except.clone()));
                }
            }
            Ok(proxies)
        }
    }
}

/// The fault of a request that brought no answer.
pub(super) fn unanswered(error: &reqwest::Error, url: &Url) -> CallError {
    let server = ServerOrigin::of(url).map(|origin| origin.to_string()).unwrap_or_default();
    let causes = causes(error);
    if !error.is_connect() {
        let what = if error.is_timeout() { "timed out" } else { "the request failed" };
        return CallError::new(FailureKind::Transient, sanitize_message(&format!("{what}: {causes}")));
    }
    // The error is from a crate below, which reports it by its words alone.
    if causes.contains("proxy authorization required") {
        return password_wanted();
    }
    let message = sanitize_message(&format!("can't connect to `{server}`: {causes}"));
    if let Some(problem) = certificate_problem(error) {
        return CallError::new(FailureKind::Permanent, message).help(certificate_help(problem)).unsent();
    }
    let help = if is_loopback(url) {
        format!("is the server running at `{server}`?")
    } else {
        "check the base URL, the network and the proxy".to_owned()
    };
    CallError::new(FailureKind::Transient, message).help(help).unsent()
}

/// The fault of a request that a proxy turned away (407). Every other will be, until a user gives the password.
pub(super) fn password_wanted() -> CallError {
    let help = "put them into its URL, `http://NAME:PASSWORD@HOST:PORT` (percent-encoded), in the environment variable \
                `HTTPS_PROXY` or the profile's `network.proxy`";
    CallError::new(FailureKind::Unauthorized, "the proxy wants a name and a password").help(help).unsent()
}

/// Returns whether a redirect has the same request made elsewhere; others make one without its body.
fn keeps_request(status: StatusCode) -> bool {
    matches!(status.as_u16(), 307 | 308)
}

/// The reason why a redirect was not followed. Of its target, only scheme, host and port are named.
pub(super) fn not_followed(status: StatusCode, from: &Url, to: Option<&Url>) -> String {
    let Some((to, origin)) = to.and_then(|to| Some((to, ServerOrigin::of(to)?))) else {
        return "the server redirects to something that is not an address".to_owned();
    };
    let place = sanitize_message(&format!("{}://{origin}", to.scheme()));
    if to.host() != from.host() {
        format!("the server redirects to another host, `{place}`")
    } else if (to.scheme(), Some(origin)) != (from.scheme(), ServerOrigin::of(from)) {
        format!("the server redirects to another scheme or port of the same host, `{place}`")
    } else if keeps_request(status) {
        format!("the server redirects more than {MAX_REDIRECTS} times")
    } else {
        "the server redirects elsewhere on the same host, without the request's body".to_owned()
    }
}

/// The fault of an answer that broke off.
pub(super) fn torn(error: &reqwest::Error, received: usize) -> CallError {
    let message = format!("the answer broke off after {received} bytes: {}", causes(error));
    CallError::new(FailureKind::Transient, sanitize_message(&message))
}

/// An error's causes, without the URL, whose path may be confidential.
fn causes(error: &reqwest::Error) -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if texts.last() != Some(&text) {
            texts.push(text);
        }
        cause = error.source();
    }
    if texts.is_empty() { "no cause is known".to_owned() } else { texts.join(": ") }
}

/// The reason why TLS failed, if it is the server's certificate, which another try won't change.
fn certificate_problem<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a CertificateError> {
    if let Some(rustls::Error::InvalidCertificate(problem)) = error.downcast_ref() {
        return Some(problem);
    }
    // The error that a system's error wraps is not its source, and may be another of the system's.
    let wrapped: Option<&'a (dyn Error + 'static)> = match error.downcast_ref::<std::io::Error>() {
        Some(error) => error.get_ref().map(|inner| inner as _),
        None => None,
    };
    wrapped.and_then(certificate_problem).or_else(|| error.source().and_then(certificate_problem))
}

/// Advice on a problem with a certificate.
fn certificate_help(problem: &CertificateError) -> &'static str {
    match problem {
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "it is the certificate of another host: in the base URL, name the host as the certificate does"
        }
        CertificateError::Expired
        | CertificateError::ExpiredContext { .. }
        | CertificateError::NotValidYet
        | CertificateError::NotValidYetContext { .. } => {
            "it is not good at this time: the server needs another certificate, or a clock is wrong"
        }
        CertificateError::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => {
            "its certificate is an authority's own (`CA:TRUE`), which no server can have here: give the server one that the \
             authority signed, or one of its own with `basicConstraints=CA:FALSE`, and name the file in `SSL_CERT_FILE`"
        }
        _ => {
            "its certificate is not trusted here: check `base_url`, and the proxy if there is one; `SSL_CERT_FILE` names a \
             file (PEM) with the authorities that are trusted"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::tests::environment;
    use crate::profile::Author;

    #[test]
    fn proxies_come_from_the_settings_or_the_environment() {
        let none = environment(&[]);
        let set =
            environment(&[("HTTPS_PROXY", "http://p:1"), ("all_proxy", "http://q:2"), ("http_proxy", " ")]);
        let bad = environment(&[("HTTPS_PROXY", "foo://u:secret@p")]);
        let count =
            |settings: &Proxy, environment| proxies(settings, environment).map(|proxies| proxies.len());
        assert_eq!(count(&Proxy::Environment, &none), Ok(0));
        assert_eq!(count(&Proxy::Environment, &set), Ok(2));
        assert_eq!(count(&Proxy::Direct, &set), Ok(0));
        assert_eq!(count(&Proxy::Named { url: "http://r:3".into(), by: Author::User }, &set), Ok(1));
        let problem = count(&Proxy::Environment, &bad).unwrap_err();
        assert!(problem.contains("`HTTPS_PROXY`") && !problem.contains("secret"), "{problem}");
    }
}
