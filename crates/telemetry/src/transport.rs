//! Requests to the collector.
//!
//! The SDK exports from threads of its own, outside of any runtime, where an asynchronous client panics or hangs; a blocking one
//! must not be made inside of a runtime. So each request runs on a runtime that exists for this alone, and the SDK's thread
//! waits for it.

use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use reqwest::{Client, Url};
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::runtime::Handle;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// The longest answer, more than any collector has to say. What comes after it is not read.
const LONGEST_ANSWER: usize = 64 * 1024;

/// The first thing that went wrong. It is reported once: a collector that is down for an hour gets one line, not
/// thousands.
#[derive(Debug, Default)]
pub(super) struct Trouble(OnceLock<String>);

impl Trouble {
    /// Records it, and logs it if it is the first.
    pub(super) fn note(&self, why: String) {
        if self.0.set(why).is_ok() {
            tracing::warn!(target: "loopctl", event = "export_failed", reason = self.first());
        }
    }

    pub(super) fn first(&self) -> Option<&str> {
        self.0.get().map(String::as_str)
    }
}

/// Sends to one endpoint.
pub(super) struct Transport {
    client: Client,
    runtime: Handle,
    timeout: Duration,
    trouble: Arc<Trouble>,
}

impl std::fmt::Debug for Transport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Transport")
    }
}

impl Transport {
    /// # Errors
    /// When there is no client for it: no certificates, an unusable proxy.
    pub(super) fn new(
        endpoint: &Url,
        runtime: Handle,
        timeout: Duration,
        trouble: Arc<Trouble>,
    ) -> Result<Self, String> {
        // Another part of the program may have installed one before: either will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // A header with a key in it must not follow to a server that was not named.
        let builder = Client::builder()
            .user_agent(concat!("loopctl/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_TIMEOUT)
            .referer(false)
            .redirect(reqwest::redirect::Policy::none());
        let builder = if is_here(endpoint) { builder.no_proxy() } else { builder };
        let client = builder.build().map_err(|_| "can't set up the network client for it".to_owned())?;
        Ok(Self { client, runtime, timeout, trouble })
    }
}

/// Returns whether it is this machine, which no proxy leads to.
fn is_here(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

impl HttpClient for Transport {
    fn send_bytes<'life0, 'async_trait>(
        &'life0 self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'async_trait>>
    where
        'life0: 'async_trait,
        Self: 'async_trait,
    {
        let (client, timeout) = (self.client.clone(), self.timeout);
        let server = server(&request);
        let work = self.runtime.spawn(async move {
            match tokio::time::timeout(timeout, exchange(client, request)).await {
                Ok(ended) => ended,
                Err(_) => Err(format!("no answer within {} ms", timeout.as_millis())),
            }
        });
        let trouble = Arc::clone(&self.trouble);
        Box::pin(async move {
            let ended = match work.await {
                Ok(ended) => ended,
                // The program ends.
                Err(_) => return Err("given up".into()),
            };
            let trouble = |why: &str| trouble.note(format!("`{server}`: {why}"));
            match ended {
                Ok(answer) => {
                    if !answer.status().is_success() {
                        trouble(&format!("the answer's status is {}", answer.status().as_u16()));
                    }
                    Ok(answer)
                }
                Err(why) => {
                    trouble(&why);
                    Err(why.into())
                }
            }
        })
    }
}

/// Host and port; the rest of a URL may hold a key.
fn server(request: &Request<Bytes>) -> String {
    let uri = request.uri();
    let host = uri.host().unwrap_or_default();
    let port = uri.port_u16().map_or_else(String::new, |port| format!(":{port}"));
    crate::value::sanitize_line(&format!("{host}{port}"))
}

async fn exchange(client: Client, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
    let request =
        reqwest::Request::try_from(request).map_err(|_| "nothing can be sent to this URL".to_owned())?;
    let mut answer = client.execute(request).await.map_err(|error| {
        let why = if error.is_connect() { "can't connect" } else { "the request failed" };
        why.to_owned()
    })?;
    let status = answer.status();
    let retry_after = answer.headers().get("retry-after").cloned();
    let mut body = Vec::new();
    while let Some(part) = answer.chunk().await.map_err(|_| "the answer broke off".to_owned())? {
        body.extend_from_slice(&part);
        if body.len() > LONGEST_ANSWER {
            body.clear();
            break;
        }
    }
    let mut whole = Response::new(Bytes::from(body));
    *whole.status_mut() = status;
    if let Some(retry_after) = retry_after {
        whole.headers_mut().insert("retry-after", retry_after);
    }
    Ok(whole)
}
