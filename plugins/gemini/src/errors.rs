//! Google's error answers: `{error: {code, message, status, details}}`, sometimes in a list.

use std::time::Duration;

use loopctl_plugin_sdk::codec::{
    ApiError, error_body, error_status, is_quota_of_days, retry_after, says_nothing, word,
};
use loopctl_plugin_sdk::protocol::{HttpResponse, Usage};
use loopctl_plugin_sdk::{Failure, Value};

/// The failure of a response whose status says that it failed.
pub(crate) fn failure(response: &HttpResponse) -> Failure {
    failed(response, &error_body(response), response.status, Usage::default())
}

/// The failure of a response that claims success and holds an error all the same. An error that says nothing is none
/// where there is an answer beside it.
pub(crate) fn within(response: &HttpResponse, body: &Value, answered: bool, usage: Usage) -> Option<Failure> {
    let error = body.get("error").filter(|error| !error.is_null())?;
    if says_nothing(error) && (answered || !error.is_object()) {
        return None;
    }
    Some(failed(response, body, error_status(body).unwrap_or(500), usage))
}

fn failed(response: &HttpResponse, body: &Value, status: u16, usage: Usage) -> Failure {
    let details = body.pointer("/error/details").and_then(Value::as_array);
    let detail = |key: &str| details.into_iter().flatten().find_map(|detail| word(detail, key));
    // A wrong key is reported as an invalid argument.
    let bad_key = detail("/reason").is_some_and(|reason| reason.starts_with("API_KEY_"));
    let message = word(body, "/error/message");
    let out_of_credit = detail("/reason").is_some_and(|reason| reason == "BILLING_DISABLED")
        || message.as_deref().is_some_and(|said| said.contains("prepayment credits are depleted"));
    let in_words = || message.as_deref().is_some_and(is_quota_of_days);
    let out_of_quota = status == 429 && (details.into_iter().flatten().any(is_out_of_days) || in_words());
    // Too many states, too deep, or a server that doesn't know `responseJsonSchema`.
    const ABOUT_SCHEMAS: &[&str] = &["too many states", "schema", "Schema"];
    let about_schemas = status == 400
        && message.as_deref().is_some_and(|said| ABOUT_SCHEMAS.iter().any(|word| said.contains(word)));
    let error = ApiError {
        status,
        message,
        code: word(body, "/error/status"),
        request_id: None,
        retry_after: detail("/retryDelay")
            .and_then(|delay| seconds(&delay))
            .or_else(|| retry_after(response)),
        hint: about_schemas.then(|| "set `json_mode: object` in the provider's configuration".to_owned()),
        usage,
    };
    if out_of_credit {
        error.out_of_credit()
    } else if out_of_quota {
        error.out_of_quota()
    } else if bad_key {
        error.unauthorized()
    } else {
        error.failure()
    }
}

/// Returns whether a detail names a quota that no wait within a run brings back (`QuotaFailure`, or `ErrorInfo` as
/// Vertex writes it), whatever `RetryInfo` beside it asks for: one of a day or more, or one of nothing.
fn is_out_of_days(detail: &Value) -> bool {
    let violations = detail.get("violations").and_then(Value::as_array);
    let names = ["/quotaId", "/description", "/metadata/quota_limit"];
    violations.into_iter().flatten().chain([detail]).any(|quota| {
        let of_nothing = quota.get("quotaValue").is_some_and(|value| value == "0" || value == 0);
        of_nothing || names.iter().filter_map(|place| word(quota, place)).any(|name| is_quota_of_days(&name))
    })
}

/// `22s` or `0.5s`, as Protocol Buffers write a duration.
fn seconds(delay: &str) -> Option<Duration> {
    let seconds: f64 = delay.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}
