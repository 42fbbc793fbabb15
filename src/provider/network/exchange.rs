//! One HTTP request of a plugin's and its answer, whole and bounded.

use std::collections::BTreeMap;

use loopctl_plugin_sdk::abi::LC_MAX_OUTPUT;
use loopctl_plugin_sdk::protocol::{HttpRequest, HttpResponse};
use reqwest::Method;

use super::client::transport;
use super::secrets::Filled;
use super::{CONNECT_LIMIT, Errand, Link};
use crate::provider::error::{FailureKind, Fault, tame};

/// Room for the JSON around and within the body, which must fit what a plugin takes.
const MAX_BODY: usize = LC_MAX_OUTPUT;

impl Link {
    /// Carries out a plugin's request. Any HTTP status is an answer; the plugin knows what it means.
    pub(in crate::provider) async fn exchange(
        &self,
        request: HttpRequest,
        errand: &mut Errand,
    ) -> Result<HttpResponse, Fault> {
        errand.patience.bound(self.send(request)).await?
    }

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, Fault> {
        let refused = |problem: String| Fault { free: true, ..Fault::new(FailureKind::Permanent, problem) };
        let url = self.egress.url(&request).map_err(refused)?;
        let method = Method::from_bytes(request.method.as_bytes())
            .map_err(|_| refused(format!("`{}` is not an HTTP method", tame(&request.method))))?;
        let filled = Filled::of(&request.headers, &self.declared_secrets, &self.network.environment)?;

        let client = self.network.clients.for_url(&url, CONNECT_LIMIT)?;
        let mut response = client
            .request(method, url)
            .headers(filled.headers.clone())
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
        Ok(HttpResponse {
            status: status.as_u16(),
            headers: told.into_iter().map(|(name, value)| (name, filled.redact(value))).collect(),
            body: filled.redact(String::from_utf8_lossy(&body).into_owned()),
        })
    }
}
