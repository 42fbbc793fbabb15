//! What OpenAI and the servers that are like it say when they don't answer.

use loopctl_plugin_sdk::codec::{ApiError, retry_after, word};
use loopctl_plugin_sdk::protocol::HttpResponse;
use loopctl_plugin_sdk::{Failure, Value};

/// Errors that come as 429 and that no waiting cures.
const OUT_OF_MONEY: &[&str] = &["insufficient_quota", "billing_hard_limit_reached", "billing_not_active"];

/// Of a response whose status says that it failed.
pub(crate) fn failure(response: &HttpResponse) -> Failure {
    let body: Value = serde_json::from_str(&response.body).unwrap_or(Value::Null);
    failed(response, &body, response.status)
}

/// Of a response that says it is well, or a choice in one, which holds an error all the same.
pub(crate) fn within(response: &HttpResponse, part: &Value) -> Option<Failure> {
    let error = part.get("error").filter(|error| error.is_object() || error.is_string())?;
    let status = error.get("code").and_then(|code| {
        let number = code.as_u64().or_else(|| code.as_str()?.parse().ok())?;
        u16::try_from(number).ok().filter(|status| (400..600).contains(status))
    });
    // Without a number: something behind the server failed, and may not fail again.
    Some(failed(response, part, status.unwrap_or(502)))
}

fn failed(response: &HttpResponse, body: &Value, status: u16) -> Failure {
    let code = word(body, "/error/code").or_else(|| word(body, "/error/type"));
    // `{"error": "…"}` is what Ollama and LM Studio write, `{"object": "error", "message": "…"}` vLLM once did.
    let message = word(body, "/error/message").or_else(|| word(body, "/error")).or_else(|| {
        word(body, "/message").filter(|_| body.get("object").and_then(Value::as_str) == Some("error"))
    });
    let kind = [word(body, "/error/code"), word(body, "/error/type")];
    let broke = kind.iter().flatten().any(|kind| OUT_OF_MONEY.contains(&kind.as_str()));
    let error = ApiError {
        status,
        message,
        code,
        request_id: ["x-request-id", "apim-request-id", "request-id"]
            .iter()
            .find_map(|name| response.headers.get(*name).cloned()),
        retry_after: retry_after(response),
        hint: broke.then(|| "waiting doesn't help: the account needs credit".to_owned()),
    };
    if broke { error.permanent() } else { error.failure() }
}
