//! Anthropic's error answers: `{type: error, error: {type, message}, request_id}`.

use loopctl_plugin_sdk::codec::{
    ApiError, WITHOUT_TEMPERATURE, error_body, is_quota_of_days, retry_after, word,
};
use loopctl_plugin_sdk::protocol::{HttpResponse, Usage};
use loopctl_plugin_sdk::{Failure, Value};

/// The messages, sent as an invalid request, when the account has nothing left or its owner's spending limit is
/// reached.
const OUT_OF_CREDIT: &[&str] = &[
    "Your credit balance is too low",
    "You have reached your specified API usage limits",
    "You have reached your specified workspace API usage limits",
];

/// The failure of a response whose status says that it failed.
pub(crate) fn failure(response: &HttpResponse) -> Failure {
    failed(response, &error_body(response), response.status, Usage::default())
}

/// The failure of a response that claims success and holds an error, as gateways send them.
pub(crate) fn within(response: &HttpResponse, body: &Value, usage: Usage) -> Failure {
    failed(response, body, status_of(body), usage)
}

/// The status that the API would have sent an error with.
pub(crate) fn status_of(body: &Value) -> u16 {
    match word(body, "/error/type").as_deref() {
        Some("invalid_request_error") => 400,
        Some("authentication_error") => 401,
        Some("billing_error") => 402,
        Some("permission_error") => 403,
        Some("not_found_error") => 404,
        Some("request_too_large") => 413,
        Some("rate_limit_error") => 429,
        Some("timeout_error") => 504,
        Some("overloaded_error") => 529,
        _ => 500,
    }
}

fn failed(response: &HttpResponse, body: &Value, status: u16, usage: Usage) -> Failure {
    let message = word(body, "/error/message");
    let about = |name: &str| status == 400 && message.as_deref().is_some_and(|said| said.contains(name));
    let hint = if about("tool_choice") {
        Some("set `tool_choice: auto` in the provider's configuration".to_owned())
    } else {
        about("temperature").then(|| WITHOUT_TEMPERATURE.to_owned())
    };
    let spent = status == 402
        || OUT_OF_CREDIT.iter().any(|words| about(words))
        || word(body, "/error/details/error_code").as_deref() == Some("enforced_spend_limit_reached");
    let out_of_quota = status == 429 && message.as_deref().is_some_and(is_quota_of_days);
    let disabled = about("organization has been disabled");
    let error = ApiError {
        status,
        hint,
        message,
        code: word(body, "/error/type"),
        request_id: word(body, "/request_id").or_else(|| response.headers.get("request-id").cloned()),
        retry_after: retry_after(response),
        usage,
    };
    match (spent, disabled, out_of_quota) {
        (true, ..) => error.out_of_credit(),
        (_, true, _) => error.unauthorized(),
        (.., true) => error.out_of_quota(),
        _ => error.failure(),
    }
}
