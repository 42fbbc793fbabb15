//! The parts of a call that are kept.

use std::collections::BTreeMap;
use std::time::Duration;

use loopctl_plugin_sdk::protocol::{Completion, HttpResponse, PluginKind, Usage};
use serde::{Deserialize, Serialize};

use super::body::Body;
use crate::FailureKind;
use crate::error::CallError;
use crate::value::Millis;

/// Headers of answers that are kept and that codecs get to see in a recorded run: those that say what an answer is, how
/// to ask the provider about it, and when to come again. Any other may hold anything that a server puts there.
const KEPT_HEADERS: [&str; 8] = [
    "content-type",
    "retry-after",
    "retry-after-ms",
    "request-id",
    "x-request-id",
    "apim-request-id",
    "x-goog-request-id",
    "x-should-retry",
];
/// Like [`KEPT_HEADERS`], by prefix.
const KEPT_PREFIXES: [&str; 3] = ["x-ratelimit-", "ratelimit-", "anthropic-ratelimit-"];

/// The facts about a request without its content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Summary {
    /// The plugin's name.
    pub(super) provider: String,
    pub(super) kind: PluginKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<String>,
    /// Of `http` plugins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) method: Option<String>,
    /// Of `http` plugins, under the base URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<String>,
    /// Length of the body.
    pub(super) bytes: usize,
    /// The content; kept only on demand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) body: Option<Body>,
}

/// The origin of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CallOrigin {
    /// The stage or judge.
    pub(super) stage: String,
    pub(super) iteration: u32,
    /// From 1.
    pub(super) attempt: u32,
}

/// One call: its origin, how long it took, what came back, and how it failed in the end if it did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Exchange {
    pub(super) stage: String,
    pub(super) iteration: u32,
    pub(super) attempt: u32,
    /// From the moment at which the request was handed to the network or plugin, without waiting for its turn.
    pub(super) elapsed_ms: Millis,
    /// The answer of a server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) response: Option<Response>,
    /// The answer of a `direct` plugin: a [`Completion`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) completion: Option<Body>,
    /// The host's notes on an answered call, such as that it waited for its turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) notes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) failed: Option<Failed>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Response {
    pub(super) status: u16,
    #[serde(default)]
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Body,
}

/// The failure of a call, and what its caller was told about trying again. A replayed run waits, in its own time, as
/// long as the recorded one did, even where chance had a part in that.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Failed {
    pub(super) kind: FailureKind,
    pub(super) message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) help: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) request_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) retry_after_ms: Option<Millis>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) backoff_ms: Option<Millis>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) gives_up: bool,
    /// The account has nothing left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) out_of_credit: bool,
    /// There is certainly nothing to pay for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) free: bool,
    /// The request never went out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) unsent: bool,
    /// The usage of the call despite its failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) usage: Option<Usage>,
}

impl Exchange {
    pub(super) fn new(asker: &CallOrigin, elapsed: Duration) -> Self {
        Self {
            stage: asker.stage.clone(),
            iteration: asker.iteration,
            attempt: asker.attempt,
            elapsed_ms: millis(elapsed),
            response: None,
            completion: None,
            notes: Vec::new(),
            failed: None,
        }
    }

    /// Returns whether it holds an answer that was of use.
    pub(super) fn is_answer(&self) -> bool {
        self.failed.is_none() && (self.response.is_some() || self.completion.is_some())
    }
}

impl From<&CallError> for Failed {
    fn from(fault: &CallError) -> Self {
        Self {
            kind: fault.kind,
            message: fault.message.clone(),
            help: fault.help.clone(),
            status: fault.status,
            request_id: fault.request_id.clone(),
            retry_after_ms: fault.retry_after.map(millis),
            backoff_ms: fault.backoff.map(millis),
            gives_up: fault.gives_up,
            out_of_credit: fault.out_of_credit,
            free: fault.free,
            unsent: !fault.sent,
            usage: fault.usage.as_deref().copied(),
        }
    }
}

impl From<&Failed> for CallError {
    fn from(failed: &Failed) -> Self {
        Self {
            help: failed.help.clone(),
            status: failed.status,
            request_id: failed.request_id.clone(),
            retry_after: failed.retry_after_ms.map(Millis::duration),
            backoff: failed.backoff_ms.map(Millis::duration),
            gives_up: failed.gives_up,
            out_of_credit: failed.out_of_credit,
            free: failed.free,
            sent: !failed.unsent,
            usage: failed.usage.map(Box::new),
            ..Self::new(failed.kind, failed.message.clone())
        }
    }
}

fn millis(duration: Duration) -> Millis {
    Millis(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}

/// The outcome of a call, as it can be kept.
pub(crate) trait Recordable: Sized {
    fn keep(&self, exchange: &mut Exchange);
    /// The kept outcome; `None` when it was something else. Callers are given this in a recorded run, too, so that it
    /// is the same as what a replayed one gives them.
    fn kept(exchange: &Exchange) -> Option<Self>;
    /// The form in which the journal keeps it until it has been inspected; `None` if it has none in JSON.
    fn to_raw(&self) -> Option<Vec<u8>>;
    /// The outcome kept in that form.
    fn from_raw(raw: &[u8]) -> Option<Self>;
}

/// Returns whether a header of an answer may be kept.
fn is_kept(name: &str) -> bool {
    KEPT_HEADERS.contains(&name) || KEPT_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

impl Recordable for HttpResponse {
    fn keep(&self, exchange: &mut Exchange) {
        let headers = self.headers.iter().filter(|(name, _)| is_kept(name));
        exchange.response = Some(Response {
            status: self.status,
            headers: headers.map(|(name, value)| (name.clone(), value.clone())).collect(),
            body: Body::of(&self.body),
        });
    }

    fn kept(exchange: &Exchange) -> Option<Self> {
        let Response { status, headers, body } = exchange.response.clone()?;
        Some(Self { status, headers, body: body.to_text() })
    }

    fn to_raw(&self) -> Option<Vec<u8>> {
        let headers: BTreeMap<&String, &String> =
            self.headers.iter().filter(|(name, _)| is_kept(name)).collect();
        let mut raw = serde_json::to_vec(&(self.status, headers)).ok()?;
        raw.push(b'\n');
        raw.extend_from_slice(self.body.as_bytes());
        Some(raw)
    }

    fn from_raw(raw: &[u8]) -> Option<Self> {
        let at = raw.iter().position(|byte| *byte == b'\n')?;
        let (head, body) = raw.split_at_checked(at)?;
        let (status, headers) = serde_json::from_slice(head).ok()?;
        let body = std::str::from_utf8(body.get(1..)?).ok()?.to_owned();
        Some(Self { status, headers, body })
    }
}

impl Recordable for Completion {
    fn keep(&self, exchange: &mut Exchange) {
        exchange.completion = serde_json::to_string(self).ok().map(|json| Body::of(&json));
    }

    fn kept(exchange: &Exchange) -> Option<Self> {
        serde_json::from_str(&exchange.completion.as_ref()?.to_text()).ok()
    }

    fn to_raw(&self) -> Option<Vec<u8>> {
        serde_json::to_vec(self).ok()
    }

    fn from_raw(raw: &[u8]) -> Option<Self> {
        serde_json::from_slice(raw).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn empty() -> Exchange {
        let asker = CallOrigin { stage: "extract".into(), iteration: 0, attempt: 1 };
        Exchange::new(&asker, Duration::from_micros(7_900))
    }

    #[test]
    fn of_an_answer_only_harmless_headers_are_kept() {
        let headers =
            ["content-type", "set-cookie", "x-request-id", "x-ratelimit-remaining-tokens", "server"];
        let response = HttpResponse {
            status: 200,
            headers: headers.iter().map(|name| ((*name).to_owned(), "x".to_owned())).collect(),
            body: "{ \"a\": 1 }".into(),
        };
        let mut exchange = empty();
        response.keep(&mut exchange);
        let kept = HttpResponse::kept(&exchange).unwrap();
        let names: Vec<&str> = kept.headers.keys().map(String::as_str).collect();
        assert_eq!(names, ["content-type", "x-ratelimit-remaining-tokens", "x-request-id"]);
        assert_eq!((kept.status, kept.body.as_str()), (200, r#"{"a":1}"#));
        let raw = HttpResponse::from_raw(&response.to_raw().unwrap()).unwrap();
        assert_eq!((raw.status, &raw.headers, &raw.body), (200, &kept.headers, &response.body));
        assert_eq!(exchange.elapsed_ms, Millis(7));
    }

    #[test]
    fn a_completion_comes_back_whole() {
        let deep = (0..105).fold(json!("x"), |inner, _| json!([inner]));
        for value in [Some(json!(null)), Some(json!({"b": 1.10, "a": [1e300, -0.0]})), Some(deep), None] {
            let completion = Completion { value, text: Some("é\n".into()), ..Completion::default() };
            let mut exchange = empty();
            completion.keep(&mut exchange);
            let written = serde_json::to_string(&exchange).unwrap();
            let read: Exchange = serde_json::from_str(&written).unwrap();
            assert_eq!(Completion::kept(&read).unwrap(), completion);
            assert_eq!(Completion::from_raw(&completion.to_raw().unwrap()).unwrap(), completion);
        }
    }
}
