//! Judges a failure by the status of an answer: whether the call may be made again, whatever the plugin says, and what
//! to do.

use std::collections::BTreeMap;

use loopctl_plugin_sdk::protocol::HttpResponse;

use crate::error::{CallError, FailureKind, identifier, sanitize_message};

/// The headers in which servers give the id of a request.
const REQUEST_IDS: &[&str] =
    &["x-request-id", "request-id", "x-goog-request-id", "apim-request-id", "x-ms-request-id", "cf-ray"];

/// The parts of an answer that are kept to judge a failure by.
#[derive(Debug, Clone)]
pub(super) struct ResponseMeta {
    pub(super) status: u16,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) request_id: Option<String>,
    /// Neither JSON nor a stream of events: it broke on its way, or is an error page.
    is_broken: bool,
}

impl ResponseMeta {
    pub(super) fn of(answer: &HttpResponse) -> Self {
        let id = REQUEST_IDS.iter().find_map(|name| answer.headers.get(*name));
        let kind = answer.headers.get("content-type").map(String::as_str).unwrap_or_default();
        let is_json = || serde_json::from_str::<serde::de::IgnoredAny>(&answer.body).is_ok();
        Self {
            status: answer.status,
            headers: answer.headers.clone(),
            request_id: id.and_then(|id| identifier(id)).map(str::to_owned),
            is_broken: !kind.starts_with("text/event-stream") && !is_json(),
        }
    }

    /// The kind of a failure that the plugin calls `said`.
    pub(super) fn kind(&self, said: FailureKind) -> FailureKind {
        use FailureKind::{InvalidRequest, Panic, Permanent, RateLimited, Transient, Unauthorized};
        // A failure of the plugin itself is not the server's to judge.
        if matches!(said, Panic | FailureKind::Deadline | FailureKind::AbiMismatch | FailureKind::Cancelled) {
            return said;
        }
        match self.status {
            // A quota that is used up does not come back in a minute, and only the plugin can read that.
            429 if matches!(said, Permanent | Unauthorized | InvalidRequest) => said,
            429 => RateLimited,
            408 | 409 | 425 | 500..=599 if matches!(said, Unauthorized | InvalidRequest) => said,
            408 | 409 | 425 | 500..=599 => Transient,
            401 | 403 if said.may_pass() => Unauthorized,
            300..=499 if said.may_pass() => Permanent,
            200..=299 if self.is_broken && !said.may_pass() => Transient,
            _ => said,
        }
    }

    /// Returns whether the server itself says that another try is useless.
    pub(super) fn forbids_retry(&self) -> bool {
        self.headers.get("x-should-retry").is_some_and(|value| value.trim() == "false")
    }
}

/// The recipient of a request, for advice.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recipient<'a> {
    pub(super) model: Option<&'a str>,
    pub(super) base: &'a str,
    /// The variables whose values were sent.
    pub(super) variables: &'a [String],
    /// Those that would have been, were they set.
    pub(super) unset: &'a [String],
}

/// The advice on a failure of this kind and status. Not every API answers a wrong key with 401.
pub(super) fn advice(kind: FailureKind, status: u16, asked: Recipient<'_>) -> Option<String> {
    use FailureKind::{RateLimited, Unauthorized};
    let quoted = |names: &[String]| names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(" or ");
    Some(match (status, asked.variables) {
        (403, used @ [_, ..]) => format!("check what the key in {} may do", quoted(used)),
        (_, []) if kind == Unauthorized && asked.unset.is_empty() => return None,
        (_, []) if kind == Unauthorized => format!("it wants a key: set {}", quoted(asked.unset)),
        (_, used) if kind == Unauthorized => {
            format!("check the key in the environment variable {}", quoted(used))
        }
        (404, _) => match asked.model {
            Some(model) => {
                format!(
                    "check the model's name, `{}`, and the base URL, `{}`",
                    sanitize_message(model),
                    sanitize_message(asked.base)
                )
            }
            None => format!(
                "name a model, as in `PROVIDER:MODEL`, and check the base URL, `{}`",
                sanitize_message(asked.base)
            ),
        },
        (413, _) => "the request is too large: send less, or use another model".to_owned(),
        (429, _) if kind == RateLimited => "`network.limits` in the profile slows calls down".to_owned(),
        (300..=399, _) => "check `base_url`".to_owned(),
        _ => return None,
    })
}

/// Adds what is known of the answer to a failure.
pub(super) fn judged(fault: CallError, heard: &ResponseMeta, asked: Recipient<'_>) -> CallError {
    let kind = heard.kind(fault.kind);
    let not_json = (200..=299).contains(&heard.status) && heard.is_broken && kind == FailureKind::Transient;
    let message = if not_json && fault.kind != kind {
        format!("the server's answer is not JSON: {}", fault.message)
    } else {
        fault.message
    };
    CallError {
        kind,
        message,
        help: fault.help.or_else(|| advice(kind, heard.status, asked)),
        status: Some(heard.status),
        request_id: heard.request_id.clone(),
        gives_up: fault.gives_up || (kind.may_pass() && heard.forbids_retry()),
        ..fault
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(status: u16, body: &str) -> ResponseMeta {
        ResponseMeta::of(&HttpResponse { status, headers: BTreeMap::new(), body: body.into() })
    }

    #[test]
    fn the_status_decides_what_may_be_tried_again() {
        use FailureKind::*;
        for (statuses, said, kind) in [
            (&[408, 409, 425, 500, 502, 503, 504, 529, 599][..], Permanent, Transient),
            (&[408, 500, 529], Transient, Transient),
            (&[500], InvalidRequest, InvalidRequest),
            (&[429], Transient, RateLimited),
            (&[429], RateLimited, RateLimited),
            (&[429], Permanent, Permanent),
            (&[400, 404, 410, 413, 422, 451], Transient, Permanent),
            (&[400, 404, 422], RateLimited, Permanent),
            (&[401, 403], Transient, Unauthorized),
            (&[400], InvalidRequest, InvalidRequest),
            (&[301, 304], Transient, Permanent),
            (&[200, 201], Permanent, Permanent),
            (&[200], Garbage, Garbage),
            (&[200, 500, 429, 404], Panic, Panic),
        ] {
            for status in statuses {
                assert_eq!(heard(*status, "{}").kind(said), kind, "{status} {said}");
            }
        }
        for body in ["", "<html>", r#"{"a": "#] {
            assert_eq!(heard(200, body).kind(Permanent), Transient, "{body}");
            assert_eq!(heard(404, body).kind(Permanent), Permanent, "{body}");
        }
    }

    #[test]
    fn advice_names_what_can_be_changed() {
        use FailureKind::{InvalidRequest, Permanent, RateLimited, Unauthorized};
        let (used, unset) = (["A_KEY".to_owned()], ["A_KEY".to_owned(), "B_KEY".to_owned()]);
        let asked = Recipient { model: Some("m1"), base: "https://x/v1", variables: &used, unset: &[] };
        let without = Recipient { variables: &[], unset: &unset, model: None, ..asked };
        for (kind, status, asked, part) in [
            (Unauthorized, 401, asked, "environment variable `A_KEY`"),
            (Unauthorized, 400, asked, "environment variable `A_KEY`"),
            (Unauthorized, 401, without, "set `A_KEY` or `B_KEY`"),
            (Unauthorized, 403, without, "set `A_KEY` or `B_KEY`"),
            (Unauthorized, 403, asked, "what the key in `A_KEY` may do"),
            (Permanent, 404, asked, "`m1`, and the base URL, `https://x/v1`"),
            (Permanent, 404, without, "`PROVIDER:MODEL`"),
            (RateLimited, 429, asked, "`network.limits`"),
        ] {
            let advice = advice(kind, status, asked).unwrap();
            assert!(advice.contains(part), "{advice}");
        }
        assert_eq!(advice(InvalidRequest, 400, asked), None);
        // A quota that is used up is not a matter of pace.
        assert_eq!(advice(Permanent, 429, asked), None);
        assert_eq!(advice(Unauthorized, 401, Recipient { variables: &[], ..asked }), None);
    }
}
