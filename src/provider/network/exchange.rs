//! One HTTP request of a plugin's and its answer, whole and bounded: when it may be sent, and what its outcome says of
//! the server.

use std::collections::BTreeMap;
use std::time::Duration;

use loopctl_plugin_sdk::protocol::{HttpRequest, HttpResponse};
use reqwest::{Method, Url};
use tokio::time::timeout;

use super::client::{not_followed, torn, unanswered};
use super::egress::Origin;
use super::limits::TooLate;
use super::secrets::Filled;
use super::server::readable;
use super::{Errand, Link, retry_after};
use crate::provider::error::{FailureKind, Fault, tame};

/// Shorter waits for one's turn are not worth a word.
const WORTH_A_NOTE: Duration = Duration::from_millis(100);

/// Why a call ends that would be sent after its run is over.
fn no_turn() -> Fault {
    let message = "no turn within the timeout of the run (rate limits)";
    let fault = Fault::new(FailureKind::Deadline, message).unsent();
    Fault { gives_up: true, ..fault.help("raise `stop.timeout`, or ask the provider less at the same time") }
}

/// A request that may be sent.
struct Outgoing {
    method: Method,
    url: Url,
    filled: Filled,
    body: String,
}

impl Link {
    /// Carries out a plugin's request. Any HTTP status is an answer; the plugin knows what it means. Waiting for one's
    /// turn doesn't count towards the deadline, and ends with the run. Dropping the future closes the connection.
    ///
    /// # Errors
    /// When the request may not be sent, the server is left alone, or no whole answer comes.
    pub(in crate::provider) async fn exchange(
        &self,
        request: HttpRequest,
        errand: &mut Errand,
    ) -> Result<HttpResponse, Fault> {
        let outgoing = self.prepare(request).map_err(Fault::unsent)?;
        errand.variables = outgoing.filled.variables();
        errand.unset = outgoing.filled.unset().to_vec();
        errand.withheld = outgoing.filled.withheld();
        let Some(origin) = Origin::of(&outgoing.url) else {
            return Err(Fault::new(FailureKind::Permanent, "the request has no host").unsent());
        };
        let (server, lane) = self.network.shared(origin, errand.variables.clone(), self.limits);
        (errand.server, errand.lane) = (Some(server.clone()), Some(lane.clone()));
        server.check().map_err(Fault::unsent)?;
        if errand.attempt > 1 {
            server.pay_retry().map_err(Fault::unsent)?;
        }
        errand.tokens = errand.estimated(outgoing.body.len());
        let turn = lane.turn(errand.tokens, errand.patience.turn_by()).await.map_err(|TooLate| no_turn())?;
        if turn.waited >= WORTH_A_NOTE {
            errand.notes.push(format!("waited {} for its turn (rate limits)", readable(turn.waited)));
            tracing::info!(waited_ms = readable(turn.waited).0, provider = %self.name, "waited for a rate limit");
        }

        let passing = server.admit(errand.patience.patient_until()).await.map_err(Fault::unsent)?;
        let outcome = errand.patience.bound(self.send(outgoing)).await.and_then(|outcome| outcome);
        errand.notice = match &outcome {
            Ok(answer) if answer.status >= 500 => passing.failed(),
            Ok(answer) => {
                passing.succeeded((200..=299).contains(&answer.status));
                None
            }
            Err(fault) if fault.kind.may_pass() => passing.failed(),
            // The server did answer, with what can't be used.
            Err(_) => {
                passing.succeeded(false);
                None
            }
        };
        // A longer wait is the next call's to be told of.
        if let Ok(answer) = &outcome
            && let Some(wait) = retry_after::exhausted(&answer.headers, jiff::Timestamp::now())
            && wait <= self.network.settings.max_retry_wait.duration()
        {
            lane.hold(wait);
        }
        outcome
    }

    /// Checks a request and fills in its secrets.
    fn prepare(&self, request: HttpRequest) -> Result<Outgoing, Fault> {
        let refused = |problem: String| Fault::new(FailureKind::Permanent, problem);
        let url = self.egress.url(&request).map_err(refused)?;
        let method = Method::from_bytes(request.method.as_bytes())
            .map_err(|_| refused(format!("`{}` is not an HTTP method", tame(&request.method))))?;
        let filled = Filled::of(&request.headers, &self.keys, &url, &self.network.environment)?;
        Ok(Outgoing { method, url, filled, body: request.body })
    }

    async fn send(&self, outgoing: Outgoing) -> Result<HttpResponse, Fault> {
        let Outgoing { method, url, filled, body } = outgoing;
        let settings = &self.network.settings;
        let client = self.network.clients.for_url(&url, settings, &self.network.environment);
        let client = client.map_err(Fault::unsent)?;
        let sending = client.request(method, url.clone()).headers(filled.headers.clone()).body(body).send();
        let begun = match settings.first_byte_timeout {
            None => sending.await,
            Some(limit) => timeout(limit.duration(), sending).await.map_err(|_| {
                let message = format!("the answer did not begin within {limit}");
                Fault::new(FailureKind::Deadline, message)
                    .help("raise `network.first_byte_timeout` if the model needs longer")
            })?,
        };
        let mut response = begun.map_err(|error| unanswered(&error, &url))?;

        let status = response.status();
        if status.is_redirection()
            && let Some(location) = response.headers().get(reqwest::header::LOCATION)
        {
            let location = location.to_str().ok().and_then(|location| response.url().join(location).ok());
            let message = format!("{} (status {status})", not_followed(response.url(), location.as_ref()));
            return Err(Fault::new(FailureKind::Permanent, message).help("check `base_url`"));
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
        let most = usize::try_from(settings.max_response_bytes).unwrap_or(usize::MAX);
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| torn(&error, body.len()))? {
            if body.len().saturating_add(chunk.len()) > most {
                let message = format!("the server's answer is longer than {most} bytes");
                return Err(Fault::new(FailureKind::TooLarge, message));
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
