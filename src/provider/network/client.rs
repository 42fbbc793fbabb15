//! The HTTP client, which keeps connections between calls, and what its errors come to.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::{Client, Url};

use super::egress::{Origin, is_loopback};
use crate::provider::error::{FailureKind, Fault, tame};

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
    /// When it can't be made: no certificates, say.
    pub(super) fn for_url(&self, url: &Url, connect_timeout: Duration) -> Result<&Client, Fault> {
        let made = if is_loopback(url) {
            self.loopback.get_or_init(|| client(true, connect_timeout))
        } else {
            self.outside.get_or_init(|| client(false, connect_timeout))
        };
        made.as_ref().map_err(|problem| Fault::new(FailureKind::Permanent, problem.clone()))
    }
}

fn client(loopback: bool, connect_timeout: Duration) -> Result<Client, String> {
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
        .connect_timeout(connect_timeout)
        .referer(false)
        .redirect(redirects);
    let builder = if loopback { builder.no_proxy() } else { builder };
    builder.build().map_err(|error| format!("can't set up the network client: {}", chain(&error)))
}

/// What a failed request comes to: it may pass.
pub(super) fn transport(error: &reqwest::Error) -> Fault {
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
