//! The error answers of OpenAI and the servers that are like it.

use std::time::Duration;

use loopctl_plugin_sdk::codec::{
    ApiError, WITHOUT_TEMPERATURE, error_body, error_status, is_quota_of_days, retry_after, says_nothing,
    word,
};
use loopctl_plugin_sdk::protocol::{HttpResponse, Usage};
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

/// A shorter wait than this is not one for the next day.
const SOON: Duration = Duration::from_secs(3600);

/// The members in which servers say in words what is wrong. `{"error": "…"}` is what Ollama and LM Studio write,
/// `detail` what everything built with FastAPI does (in a list, beside what it was sent), `message` older vLLMs and
/// most gateways, `errors` Cloudflare.
const MESSAGES: &[&str] =
    &["/error/message", "/error", "/message", "/detail", "/detail/0/msg", "/errors/0/message"];

/// The failure of a response whose status says that it failed.
pub(crate) fn failure(response: &HttpResponse) -> Failure {
    failed(response, &error_body(response), response.status, Usage::default())
}

/// The failure of a response that claims success, or a choice in one, which holds an error all the same. An error that
/// says nothing is none where there is an answer beside it.
pub(crate) fn within(response: &HttpResponse, part: &Value, answered: bool, usage: Usage) -> Option<Failure> {
    let error = part.get("error").filter(|error| !error.is_null())?;
    if says_nothing(error) && (answered || !error.is_object()) {
        return None;
    }
    // Without a number: something behind the server failed, and may not fail again.
    Some(failed(response, part, error_status(part).unwrap_or(502), usage))
}

fn failed(response: &HttpResponse, body: &Value, status: u16, usage: Usage) -> Failure {
    let code = word(body, "/error/code").or_else(|| word(body, "/error/type"));
    let message = MESSAGES.iter().find_map(|place| word(body, place));
    let kind = [word(body, "/error/code"), word(body, "/error/type")];
    let out_of_credit =
        status == 402 || kind.iter().flatten().any(|kind| OUT_OF_CREDIT.contains(&kind.as_str()));
    let words = message.as_deref().unwrap_or_default();
    let hint = what_to_leave_out(status, words);
    let retry_after = retry_after(response);
    // What comes back bit by bit says so: a day's quota of OpenAI's grows again by the second.
    let soon = words.contains("try again in") || retry_after.is_some_and(|wait| wait < SOON);
    let out_of_quota = status == 429 && !soon && is_quota_of_days(words);
    let error = ApiError {
        status,
        message,
        code,
        hint,
        request_id: ["x-request-id", "apim-request-id", "request-id"]
            .iter()
            .find_map(|name| response.headers.get(*name).cloned()),
        retry_after,
        usage,
    };
    match (out_of_credit, out_of_quota) {
        (true, _) => error.out_of_credit(),
        (_, true) => error.out_of_quota(),
        _ => error.failure(),
    }
}

/// Advice on a part that the request can do without, if the words blame it.
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
