//! The loopctl provider `@NAME@`: a translator to and from an HTTP API. loopctl does the network.
//!
//! The API here is made up: put yours in its place, in `encode` and `decode`.

use std::collections::BTreeMap;

use loopctl_plugin_sdk::protocol::{
    Completion, CompletionRequest, HttpRequest, HttpResponse, Usage,
};
use loopctl_plugin_sdk::serde_json::{self, json};
use loopctl_plugin_sdk::{Failure, HttpCodec, Value, export_http_plugin};

/// An open provider. There is nothing to keep: loopctl knows where the API is (the key `base_url`, else the manifest).
#[derive(Debug)]
pub struct Plugin;

impl HttpCodec for Plugin {
    fn open(_config: &Value) -> Result<Self, Failure> {
        Ok(Plugin)
    }

    /// The HTTP request that asks for a completion.
    fn encode(&self, request: &CompletionRequest) -> Result<HttpRequest, Failure> {
        let mut body = json!({"messages": request.messages});
        if let Some(model) = &request.options.model {
            body["model"] = json!(model);
        }
        if let Some(schema) = &request.schema {
            body["schema"] = schema.clone();
        }
        Ok(HttpRequest {
            method: "POST".to_owned(),
            path: "/complete".to_owned(),
            headers: BTreeMap::from([
                // loopctl puts the key in; the plugin never sees it.
                (
                    "authorization".to_owned(),
                    "Bearer ${secret:@ENV@_API_KEY}".to_owned(),
                ),
                ("content-type".to_owned(), "application/json".to_owned()),
            ]),
            body: body.to_string(),
            base_url: None,
        })
    }

    /// Interprets the server's answer: `{"text": "…", "usage": {"input_tokens": 1, "output_tokens": 2}}`, or
    /// `{"error": {"message": "…"}}`.
    fn decode(&self, response: &HttpResponse) -> Result<Completion, Failure> {
        let answer: Value = serde_json::from_str(&response.body).unwrap_or(Value::Null);
        if response.status != 200 {
            let message = answer["error"]["message"]
                .as_str()
                .unwrap_or("the server didn't say why");
            return Err(match response.status {
                401 | 403 => Failure::unauthorized(message),
                429 => Failure::rate_limited(message, None),
                408 | 500.. => Failure::transient(message),
                _ => Failure::permanent(message),
            });
        }
        let text = answer["text"]
            .as_str()
            .ok_or_else(|| Failure::transient("the server's answer has no `text`"))?;
        let tokens = |name: &str| answer["usage"][name].as_u64().unwrap_or(0);
        Ok(Completion {
            text: Some(text.to_owned()),
            usage: Usage {
                input_tokens: tokens("input_tokens"),
                output_tokens: tokens("output_tokens"),
                ..Usage::default()
            },
            model: answer["model"].as_str().map(str::to_owned),
            ..Completion::default()
        })
    }
}

export_http_plugin!(Plugin, include_str!("../plugin.json"));
