//! A provider for any HTTP service that takes and returns JSON.
//!
//! It posts the completion request as it is (`plugins/sdk/src/protocol.rs` describes its contents), or only what the
//! profile replaces it with, and takes the whole answer as the value. A pure codec; the host does the networking.

use std::collections::BTreeMap;

use loopctl_plugin_sdk::codec::{ApiError, configured, error_body, finish, parse_body, word};
use loopctl_plugin_sdk::protocol::{Completion, CompletionRequest, HttpRequest, HttpResponse};
use loopctl_plugin_sdk::serde_json::{self, Map};
use loopctl_plugin_sdk::{Failure, HttpCodec, Value, export_http_plugin};

/// The codec.
#[derive(Debug)]
pub struct Service {
    path: String,
    token: bool,
    /// `true` if `extra_body` is the whole body.
    bare: bool,
}

impl HttpCodec for Service {
    fn open(config: &Value) -> Result<Self, Failure> {
        Ok(Self {
            path: configured(config, "path").unwrap_or_else(|| "/".to_owned()),
            token: config.get("token").and_then(Value::as_bool).unwrap_or(false),
            bare: config.get("send").and_then(Value::as_str) == Some("extra_body"),
        })
    }

    fn encode(&self, request: &CompletionRequest) -> Result<HttpRequest, Failure> {
        let mut headers = BTreeMap::new();
        if self.token {
            headers.insert("authorization".to_owned(), "Bearer ${secret:LOOPCTL_SERVICE_TOKEN}".to_owned());
        }
        let mut rest = request.clone();
        // Sent unchanged: merging it into an empty body would drop its nulls.
        let body = if self.bare {
            std::mem::take(&mut rest.options.extra_body)
        } else {
            let mut whole = request.clone();
            whole.options.extra_body = Map::new();
            whole.options.extra_headers = BTreeMap::new();
            match serde_json::to_value(whole) {
                Ok(Value::Object(body)) => body,
                _ => return Err(Failure::invalid_request("the request can't be written as JSON")),
            }
        };
        finish(&rest, self.path.clone(), headers, body)
    }

    fn decode(&self, response: &HttpResponse) -> Result<Completion, Failure> {
        if (200..=299).contains(&response.status) {
            return Ok(Completion { value: Some(parse_body(response)?), ..Completion::default() });
        }
        let body = error_body(response);
        let said = ["/message", "/error/message", "/error", "/detail"].iter().find_map(|at| word(&body, at));
        Err(ApiError { status: response.status, message: said, ..ApiError::default() }.failure())
    }
}

export_http_plugin!(Service, include_str!("../plugin.json"), unless = "linked");

#[cfg(test)]
mod tests {
    use super::*;
    use loopctl_plugin_sdk::serde_json::json;

    fn request() -> CompletionRequest {
        let mut request = CompletionRequest { stage: "extract".into(), ..CompletionRequest::default() };
        request.options.extra_body.insert("candidate".into(), json!({"a": null}));
        request.options.extra_headers.insert("x-tenant".into(), "north".into());
        request
    }

    fn encoded(config: &Value) -> (HttpRequest, Value) {
        let request = Service::open(config).unwrap().encode(&request()).unwrap();
        let body = serde_json::from_str(&request.body).unwrap();
        (request, body)
    }

    #[test]
    fn the_request_goes_as_it_stands_or_only_what_is_laid_over_it() {
        let (whole, body) = encoded(&json!({}));
        assert_eq!((whole.method.as_str(), whole.path.as_str()), ("POST", "/"));
        assert_eq!((&body["stage"], &body["candidate"]), (&json!("extract"), &json!({})));
        assert!(body["options"].get("extra_body").is_none() && !whole.headers.contains_key("authorization"));
        let (bare, body) = encoded(&json!({"send": "extra_body", "path": "/check?x=1", "token": true}));
        assert_eq!(body, json!({"candidate": {"a": null}}));
        assert_eq!(bare.path, "/check?x=1");
        assert_eq!(bare.headers["authorization"], "Bearer ${secret:LOOPCTL_SERVICE_TOKEN}");
        assert_eq!(bare.headers["x-tenant"], "north");
    }

    #[test]
    fn the_whole_answer_is_the_value_and_a_failure_says_what_the_service_said() {
        let service = Service::open(&json!({})).unwrap();
        let answer = |status: u16, body: &str| {
            service.decode(&HttpResponse { status, headers: BTreeMap::new(), body: body.into() })
        };
        assert_eq!(answer(200, "[1]").unwrap().value, Some(json!([1])));
        assert_eq!(answer(204, "null").unwrap().value, Some(Value::Null));
        for (status, body, said, kind) in [
            (200, "[1", "not JSON", loopctl_plugin_sdk::abi::LC_TRANSIENT),
            (400, r#"{"message": "no stage"}"#, "400: no stage", loopctl_plugin_sdk::abi::LC_INVALID_REQUEST),
            (401, r#"{"error": {"message": "who?"}}"#, "401: who?", loopctl_plugin_sdk::abi::LC_UNAUTHORIZED),
            (404, "<html>", "404", loopctl_plugin_sdk::abi::LC_PERMANENT),
            (503, r#"{"error": "busy"}"#, "503: busy", loopctl_plugin_sdk::abi::LC_TRANSIENT),
        ] {
            let failure = answer(status, body).unwrap_err();
            assert!(failure.error.message.contains(said), "{failure}");
            assert_eq!(failure.status, kind, "{failure}");
        }
    }
}
