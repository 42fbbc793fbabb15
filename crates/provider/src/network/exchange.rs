//! One HTTP request of a plugin and its answer, whole and bounded: when it may be sent, and what its outcome says about
//! the server.

use std::collections::BTreeMap;
use std::string::FromUtf8Error;
use std::sync::Arc;
use std::time::Duration;

use loopctl_plugin_sdk::protocol::{HttpRequest, HttpResponse};
use reqwest::header::{CONTENT_ENCODING, HeaderMap};
use reqwest::{Body, Method, StatusCode, Url};
use tokio::time::timeout;

use super::client::{not_followed, password_wanted, torn, unanswered};
use super::egress::{ServerOrigin, is_loopback};
use super::limits::{RateLimitPermit, RateLimiter};
use super::secrets::ResolvedHeaders;
use super::server::{BreakerPermit, readable};
use super::{HttpAttempt, HttpTransport, method, retry_after};
use crate::error::{CallError, FailureKind, sanitize_message};

/// Shorter waits for one's turn are not worth a note.
const WORTH_A_NOTE: Duration = Duration::from_millis(100);

/// A request that may be sent.
pub(super) struct OutgoingRequest {
    method: Method,
    url: Url,
    pub(super) filled: ResolvedHeaders,
    body: Body,
    /// Its body takes time, so the answer may begin at any moment.
    is_upload: bool,
}

/// A request's permission to be sent. While it is held, the call counts among those in flight.
pub(super) struct RequestPermit {
    _turn: RateLimitPermit,
    lane: Arc<RateLimiter>,
    passing: Option<BreakerPermit>,
}

impl HttpTransport {
    /// Carries out a plugin's request. Any HTTP status is an answer; the plugin knows what it means. Waiting for one's
    /// turn doesn't count towards the deadline. Dropping the future closes the connection.
    ///
    /// # Errors
    /// When the request may not be sent, the server is left alone, or no whole answer comes.
    pub(crate) async fn exchange(
        &self,
        request: HttpRequest,
        http_attempt: &mut HttpAttempt,
    ) -> Result<HttpResponse, CallError> {
        let outgoing = self.prepare(request).map_err(CallError::unsent)?;
        let bytes = outgoing.body.as_bytes().map_or(0, <[u8]>::len);
        self.carry(outgoing, bytes, http_attempt).await
    }

    /// Like [`HttpTransport::exchange`], with a body that isn't the plugin's.
    ///
    /// # Errors
    /// Those of [`HttpTransport::exchange`].
    pub(crate) async fn upload(
        &self,
        request: HttpRequest,
        body: Body,
        http_attempt: &mut HttpAttempt,
    ) -> Result<HttpResponse, CallError> {
        let outgoing = self.prepare(request).map_err(CallError::unsent)?;
        self.carry(OutgoingRequest { body, is_upload: true, ..outgoing }, 0, http_attempt).await
    }

    async fn carry(
        &self,
        outgoing: OutgoingRequest,
        bytes: usize,
        http_attempt: &mut HttpAttempt,
    ) -> Result<HttpResponse, CallError> {
        let mut admitted = self.admit(&outgoing, bytes, http_attempt).await?;
        let outcome = http_attempt.deadline.bound(self.send(outgoing)).await.and_then(|outcome| outcome);
        let answer = outcome.as_ref().map(|answer| (answer.status, &answer.headers));
        self.learn(answer, &mut admitted, http_attempt);
        outcome
    }

    /// Waits for a request's turn.
    ///
    /// # Errors
    /// When the server is left alone, or too many calls were made again.
    pub(super) async fn admit(
        &self,
        outgoing: &OutgoingRequest,
        bytes: usize,
        http_attempt: &mut HttpAttempt,
    ) -> Result<RequestPermit, CallError> {
        http_attempt.variables = outgoing.filled.variables();
        http_attempt.unset = outgoing.filled.unset().to_vec();
        if outgoing.filled.withheld() {
            let (why, advice) = (self.keys.why_withheld(&outgoing.url), self.keys.advice(&outgoing.url));
            http_attempt.withheld = Some(format!("{why}: {advice}"));
        }
        let Some(origin) = ServerOrigin::of(&outgoing.url) else {
            return Err(CallError::new(FailureKind::Permanent, "the request has no host").unsent());
        };
        let (server, lane) = self.network.shared(origin, http_attempt.variables.clone(), self.limits);
        (http_attempt.server, http_attempt.lane) = (Some(server.clone()), Some(lane.clone()));
        server.check().map_err(CallError::unsent)?;
        let again = http_attempt.attempt > 1;
        if again && !server.affords_retry() {
            return Err(server.no_retries_left().unsent());
        }
        http_attempt.tokens = http_attempt.estimated(bytes);
        let turn = lane.turn(http_attempt.tokens).await;
        http_attempt.deadline.progress().has_its_turn(turn.waited);
        if readable(turn.waited).0 > 0 {
            // On the span of the call.
            tracing::Span::current().record("waited_ms", readable(turn.waited).0);
        }
        if turn.waited >= WORTH_A_NOTE {
            http_attempt.notes.push(format!("waited {} for its turn (rate limits)", readable(turn.waited)));
            tracing::info!(target: "loopctl", event = "waited", provider = %self.name, waited_ms = readable(turn.waited).0);
        }

        let passing = server.admit(http_attempt.deadline.patient_until()).await.map_err(CallError::unsent)?;
        // Only what is sent is paid for.
        if again {
            server.pay_retry().map_err(CallError::unsent)?;
        }
        http_attempt.deadline.progress().sends();
        Ok(RequestPermit { _turn: turn, lane, passing: Some(passing) })
    }

    /// Learns from an outcome about the server: its status and headers, or why there are none.
    pub(super) fn learn(
        &self,
        outcome: Result<(u16, &BTreeMap<String, String>), &CallError>,
        admitted: &mut RequestPermit,
        http_attempt: &mut HttpAttempt,
    ) {
        let Some(passing) = admitted.passing.take() else { return };
        http_attempt.notice = match outcome {
            Ok((status, _)) if status >= 500 => passing.failed(),
            Ok((status, _)) => {
                passing.succeeded((200..=299).contains(&status));
                None
            }
            Err(fault) if fault.kind.may_pass() => passing.failed(),
            // The server did answer, though unusably.
            Err(_) => {
                passing.succeeded(false);
                None
            }
        };
        // A longer wait is reported to the next call instead.
        if let Ok((_, headers)) = outcome
            && let Some(wait) = retry_after::exhausted(headers, jiff::Timestamp::now())
            && wait <= self.network.settings.max_retry_wait.duration()
        {
            admitted.lane.hold(wait);
        }
    }

    /// Checks that a request would be sent, without sending it.
    ///
    /// # Errors
    /// The reason why it would not be.
    pub fn would_send(&self, request: &HttpRequest) -> Result<(), String> {
        self.prepare(request.clone()).map(|_| ()).map_err(|fault| fault.message)
    }

    /// Checks a request and fills in its secrets.
    pub(super) fn prepare(&self, request: HttpRequest) -> Result<OutgoingRequest, CallError> {
        let refused = |problem: String| CallError::new(FailureKind::Permanent, problem);
        let url = self.egress.url(&request).map_err(refused)?;
        let method = method::read(&request.method).map_err(refused)?;
        let filled = ResolvedHeaders::of(&request.headers, &self.keys, &url, &self.network.environment)?;
        Ok(OutgoingRequest { method, url, filled, body: Body::from(request.body), is_upload: false })
    }

    async fn send(&self, outgoing: OutgoingRequest) -> Result<HttpResponse, CallError> {
        self.begin(outgoing).await?.whole(self.network.settings.max_response_bytes).await
    }

    /// Sends a request, up to the headers of the answer.
    pub(super) async fn begin(&self, outgoing: OutgoingRequest) -> Result<IncomingResponse, CallError> {
        let OutgoingRequest { method, url, filled, body, is_upload } = outgoing;
        let settings = &self.network.settings;
        let client = self.network.clients.for_url(&url, settings, &self.network.environment);
        let client = client.map_err(CallError::unsent)?;
        let sending = client
            .request(method, url.clone())
            .header(reqwest::header::ACCEPT_ENCODING, "identity")
            .headers(filled.headers.clone())
            .body(body)
            .send();
        let begun = match settings.first_byte_timeout.filter(|_| !is_upload) {
            None => sending.await,
            Some(limit) => timeout(limit.duration(), sending).await.map_err(|_| {
                let message = format!("the answer did not begin within {limit}");
                CallError::new(FailureKind::Deadline, message)
                    .help("raise `network.first_byte_timeout` if the model needs longer")
            })?,
        };
        let response = begun.map_err(|error| unanswered(&error, &url))?;

        let status = response.status();
        // There is no proxy in front of this machine.
        if status == StatusCode::PROXY_AUTHENTICATION_REQUIRED && !is_loopback(&url) {
            return Err(password_wanted());
        }
        if status.is_redirection()
            && let Some(location) = response.headers().get(reqwest::header::LOCATION)
        {
            let location = location.to_str().ok().and_then(|location| response.url().join(location).ok());
            let why = not_followed(status, response.url(), location.as_ref());
            let fault = CallError::new(FailureKind::Permanent, format!("{why} (status {status})"));
            // No model got it.
            return Err(CallError { free: true, ..fault.help("check `base_url`") });
        }
        if status.is_success()
            && let Some(coding) = coding(response.headers())
        {
            let coding = sanitize_message(&coding);
            let message = format!("the server's answer is compressed (`{coding}`), which was not asked for");
            return Err(CallError::new(FailureKind::Permanent, message).help(
                "have the server, or what is in front of it, answer as `accept-encoding: identity` says",
            ));
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
        let headers = told.into_iter().map(|(name, value)| (name, filled.redact(value))).collect();
        Ok(IncomingResponse { response, status, headers, filled })
    }
}

/// An answer whose headers have arrived.
pub(super) struct IncomingResponse {
    pub(super) response: reqwest::Response,
    pub(super) status: StatusCode,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) filled: ResolvedHeaders,
}

impl IncomingResponse {
    /// The whole answer, if it has at most `most` bytes.
    pub(super) async fn whole(self, most: u64) -> Result<HttpResponse, CallError> {
        let IncomingResponse { mut response, status, headers, filled } = self;
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| torn(&error, body.len()))? {
            if body.len().saturating_add(chunk.len()) > most {
                let message = format!("the server's answer is longer than {most} bytes");
                return Err(CallError::new(FailureKind::TooLarge, message));
            }
            body.extend_from_slice(&chunk);
        }
        let Ok(body) = text_of(body, status) else {
            // Repaired by guessing, a word of the document could become another, unnoticed.
            let fault =
                CallError::new(FailureKind::Permanent, "the server's answer is not UTF-8, as JSON must be");
            return Err(fault.help("have the server, or what is in front of it, answer in UTF-8"));
        };
        Ok(HttpResponse {
            status: status.as_u16(),
            headers,
            body: if status.is_success() { filled.redact(body) } else { filled.redact_refusal(body) },
        })
    }
}

/// The coding of a body, if it has one: a header that is empty, or says `identity`, means that it has none.
fn coding(headers: &HeaderMap) -> Option<String> {
    let all =
        headers.get_all(CONTENT_ENCODING).iter().map(|coding| String::from_utf8_lossy(coding.as_bytes()));
    let all = all.collect::<Vec<_>>().join(", ");
    let is_none = |coding: &str| coding.is_empty() || coding.eq_ignore_ascii_case("identity");
    let coded = !all.split(',').all(|coding| is_none(coding.trim()));
    coded.then_some(all)
}

/// The text of a body. A byte order mark before JSON is not part of it (RFC 8259, 8.1). Of a failure, any text will do.
fn text_of(mut body: Vec<u8>, status: StatusCode) -> Result<String, FromUtf8Error> {
    if body.starts_with(b"\xef\xbb\xbf") {
        body.drain(..3);
    }
    match String::from_utf8(body) {
        Err(error) if !status.is_success() => Ok(String::from_utf8_lossy(error.as_bytes()).into_owned()),
        text => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    #[test]
    fn an_empty_coding_is_none() {
        let told = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(CONTENT_ENCODING, HeaderValue::from_static(value));
            }
            coding(&headers)
        };
        let none: [&[&str]; 8] = [
            &[],
            &[""],
            &[" "],
            &["identity"],
            &["Identity "],
            &["", "identity"],
            &["identity, identity"],
            &[","],
        ];
        for values in none {
            assert_eq!(told(values), None, "{values:?}");
        }
        for values in [&["gzip"][..], &["identity", "br"], &["identity, gzip"], &["x"]] {
            assert!(told(values).is_some(), "{values:?}");
        }
    }
}
