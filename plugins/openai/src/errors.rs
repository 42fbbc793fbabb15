//! What OpenAI and the servers that are like it say when they don't answer.

use loopctl_plugin_sdk::codec::{ApiError, WITHOUT_TEMPERATURE, error_body, error_status, retry_after, word};
use loopctl_plugin_sdk::protocol::HttpResponse;
use loopctl_plugin_sdk::{Failure, Value};

/// Errors that come as 429 and that no waiting cures.
const OUT_OF_CREDIT: &[&str] = &[
    "billing_hard_limit_reached",
    "billing_not_active",
    "credit_balance_exhausted",
    "insufficient_quota",
    "organization_spend_limit_exceeded",
    "organization_usage_limit_exceeded",
    "project_spend_limit_exceeded",
];

/// Where servers say in words what is wrong. `{"error": "…"}` is what Ollama and LM Studio write, `detail` what everything
/// built with FastAPI does (in a list, beside what it was sent), `message` older vLLMs and most gateways, `errors` Cloudflare.
const MESSAGES: &[&str] =
    &["/error/message", "/error", "/message", "/detail", "/detail/0/msg", "/errors/0/message"];

/// Of a response whose status says that it failed.
pub(crate) fn failure(response: &HttpResponse) -> Failure {
    failed(response, &error_body(response), response.status)
}

/// Of a response that says it is well, or a choice in one, which holds an error all the same.
pub(crate) fn within(response: &HttpResponse, part: &Value) -> Option<Failure> {
    part.get("error")
        .filter(|error| error.is_object() || error.as_str().is_some_and(|said| !said.is_empty()))?;
    // Without a number: something behind the server failed, and may not fail again.
    Some(failed(response, part, error_status(part).unwrap_or(502)))
}

fn failed(response: &HttpResponse, body: &Value, status: u16) -> Failure {
    let code = word(body, "/error/code").or_else(|| word(body, "/error/type"));
    let message = MESSAGES.iter().find_map(|place| word(body, place));
    let kind = [word(body, "/error/code"), word(body, "/error/type")];
    let out_of_credit =
        status == 402 || kind.iter().flatten().any(|kind| OUT_OF_CREDIT.contains(&kind.as_str()));
    let hint = what_to_leave_out(status, message.as_deref().unwrap_or_default());
    let error = ApiError {
        status,
        message,
        code,
        hint,
        request_id: ["x-request-id", "apim-request-id", "request-id"]
            .iter()
            .find_map(|name| response.headers.get(*name).cloned()),
        retry_after: retry_after(response),
    };
    if out_of_credit { error.out_of_credit() } else { error.failure() }
}

/// What the request can do without, if the words blame it.
fn what_to_leave_out(status: u16, message: &str) -> Option<String> {
    if !matches!(status, 400 | 422) {
        return None;
    }
    if message.contains("response_format") || message.contains("json_schema") {
        let instead = "set `json_mode: object`, or `none`, in the provider's configuration";
        return Some(format!("where the model or the server doesn't take schemas, {instead}"));
    }
    message.contains("temperature").then(|| WITHOUT_TEMPERATURE.to_owned())
}
